//! `POST /streamCall`: what a tool tells while it runs, as an event stream.
//!
//! `start`, then `data` for every partial output and for the final one, then `done`; or `error`, after which the stream
//! ends. The last datum is what `/call` would have answered, unless the final output says of itself that it only repeats
//! the parts. The channel between tool and stream is short, so that a slow client slows the tool down.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream;
use opentool_core::{BoxFuture, EventSink, ToolError, ToolEvent, ToolOutput};
use serde_json::Value;
use tokio::sync::mpsc;

use super::call::{Grant, Running, Wish, unwritable};
use super::catalog::Catalog;
use super::cutoff::Clock;
use super::host::Host;
use super::{answer, reply};
use crate::wire::endpoint::{EVENT_STREAM, REPEATS_PARTIALS};
use crate::wire::event;
use crate::wire::id::Id;
use crate::wire::response::ErrorBody;

/// Parts that wait for the client before the tool does.
const WAITING: usize = 8;

/// Answers `POST /streamCall`.
pub(super) async fn answer(host: &Host, request: Request, clock: Option<&Arc<Clock>>) -> Response {
    let wish = match Wish::read(host, request).await {
        Ok(wish) => wish,
        Err(refusal) => return refusal,
    };
    let permit = match host.admit() {
        Ok(permit) => permit,
        Err(busy) => return reply::busy(&wish.id, busy),
    };
    let catalog = host.catalog();
    let Wish { id, function, arguments, parent } = wish;
    let (sink, parts) = mpsc::channel(WAITING);
    let events = Some(Sink(sink));
    let grant = Grant { permit, clock, events, parent: &parent };
    let running = Running::start(host, &catalog, &id, &function, arguments, grant);
    let stream = Stream { id, function, catalog, parts, told: false, phase: Phase::Start(running) };
    let frames = stream::unfold(stream, |mut stream| async move {
        let frame = stream.next().await?;
        Some((Ok::<_, Infallible>(Bytes::from(frame)), stream))
    });
    let mut response = Response::new(Body::from_stream(frames));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(EVENT_STREAM));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    // Proxies that gather answers before they pass them on know this one.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// Takes the parts of an output on their way to the client.
pub(super) struct Sink(mpsc::Sender<ToolOutput>);

impl EventSink for Sink {
    fn send(&self, event: ToolEvent) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            // The wire has no place for progress; what leaves for a service behind a tool is never a client's to know.
            if let ToolEvent::Partial(output) = event {
                // Fails only if the stream has ended, and with it the call.
                let _ = self.0.send(output).await;
            }
        })
    }
}

struct Stream {
    id: Id,
    function: Arc<str>,
    catalog: Arc<Catalog>,
    parts: mpsc::Receiver<ToolOutput>,
    /// A part was sent.
    told: bool,
    phase: Phase,
}

enum Phase {
    Start(Running),
    Running(Running),
    /// The tool has ended; parts may wait still.
    Ended(Result<ToolOutput, ErrorBody>),
    Done,
    Over,
}

impl Stream {
    /// The next frame. Dropping the stream, which is what happens when the client goes away, stops the tool.
    async fn next(&mut self) -> Option<String> {
        loop {
            match std::mem::replace(&mut self.phase, Phase::Over) {
                Phase::Start(running) => {
                    self.phase = Phase::Running(running);
                    return Some(event::start(&self.function));
                }
                Phase::Running(running) => match self.run(running).await {
                    Some(part) => return Some(self.datum(part)),
                    None => continue,
                },
                Phase::Ended(ended) => {
                    if let Ok(part) = self.parts.try_recv() {
                        self.phase = Phase::Ended(ended);
                        return Some(self.datum(part));
                    }
                    let output = match ended {
                        Ok(output) => output,
                        Err(error) => return Some(self.error(&error)),
                    };
                    self.phase = Phase::Done;
                    let repeats = output.metadata.get(REPEATS_PARTIALS) == Some(&Value::Bool(true));
                    if repeats && (self.told || answer::gives_nothing(&output)) {
                        continue;
                    }
                    return Some(self.datum(output));
                }
                Phase::Done => return Some(event::done(&self.function)),
                Phase::Over => return None,
            }
        }
    }

    /// Waits for a part, or for the end of the tool.
    async fn run(&mut self, mut running: Running) -> Option<ToolOutput> {
        // Neither goes first: a task that outlives its tool could have a part ready for ever.
        let ended: Result<ToolOutput, ToolError> = tokio::select! {
            Some(part) = self.parts.recv() => {
                self.phase = Phase::Running(running);
                return Some(part);
            }
            ended = running.end() => ended,
        };
        // What a task that outlives its tool still tells is nobody's.
        self.parts.close();
        self.phase = Phase::Ended(running.finish(ended));
        None
    }

    fn datum(&mut self, output: ToolOutput) -> String {
        self.told = true;
        let result = answer::result(output, || self.catalog.result_name(&self.function));
        event::data(&self.id, &result).unwrap_or_else(|_| self.error(&unwritable()))
    }

    fn error(&mut self, error: &ErrorBody) -> String {
        self.phase = Phase::Over;
        event::error(&self.id, error).unwrap_or_default()
    }
}
