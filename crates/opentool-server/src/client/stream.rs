//! Reads the answer to a streaming call: bytes, events, and what they tell.
//!
//! A stream ends with `done`, with an error, or by being closed, which counts as done. A server that answers with plain
//! JSON instead has said all that it has to say in one piece.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use futures_util::Stream;
use futures_util::stream::try_unfold;
use opentool_http::{HttpError, Incoming, Method, Waiting};
use serde_json::Value;
use tokio::time::timeout;

use super::{Client, ClientError, FunctionCall};
use crate::client::exchange::Wanted;
use crate::wire::endpoint::{EVENT_STREAM, STREAM_CALL};
use crate::wire::event;
use crate::wire::response::{ErrorBody, Reply};
use opentool_text::event_stream::{Decoder, Event};

/// How long a stream that is done may take to close, so that its connection can be used again.
const CLOSING: Duration = Duration::from_millis(250);

/// What a stream tells. Data are texts, so that no number in them is rounded here.
#[derive(Debug)]
pub(crate) enum Told {
    /// The function has begun.
    Start(String),
    /// A datum, as JSON.
    Data(String),
    /// The function has ended well.
    Done(Ending),
}

/// How a stream came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// With `done`, or with an answer in one piece.
    Said,
    /// The server closed it, which counts as done; it may as well have been cut off.
    Closed,
}

/// The events of a call; the call is made at the first poll.
pub(crate) fn open(
    client: Client,
    call: FunctionCall,
    deadline: Option<Instant>,
) -> impl Stream<Item = Result<Told, ClientError>> + Send {
    try_unfold(State::New { client, call, deadline }, State::step)
}

enum State {
    New {
        client: Client,
        call: FunctionCall,
        deadline: Option<Instant>,
    },
    Reading(Box<Reading>),
    /// The last datum was passed on.
    Answered(Ending),
    /// `done` was passed on.
    Done(Option<Box<Reading>>),
}

struct Reading {
    client: Client,
    incoming: Incoming,
    decoder: Decoder,
    events: VecDeque<Event>,
    started: bool,
    /// What is wrong with the bytes after these events.
    broken: Option<HttpError>,
}

impl State {
    async fn step(self) -> Result<Option<(Told, Self)>, ClientError> {
        match self {
            Self::New { client, call, deadline } => begin(client, &call, deadline).await,
            Self::Reading(reading) => reading.next().await.map(Some),
            Self::Answered(ending) => Ok(Some((Told::Done(ending), Self::Done(None)))),
            Self::Done(reading) => {
                if let Some(reading) = reading {
                    reading.close().await;
                }
                Ok(None)
            }
        }
    }
}

async fn begin(
    client: Client,
    call: &FunctionCall,
    deadline: Option<Instant>,
) -> Result<Option<(Told, State)>, ClientError> {
    let exchange = client.exchange();
    let limits = exchange.limits();
    let opening = exchange.open(Method::POST, STREAM_CALL, call.body(), Wanted::Events, deadline);
    // The head of the answer may be silent as long as the stream may.
    let incoming = match timeout(limits.call, opening).await {
        Ok(incoming) => incoming?,
        Err(_) => return Err(silent(&client, Waiting::Answer)),
    };
    let streams = incoming.status().is_success() && is_event_stream(&incoming);
    if streams {
        let decoder = Decoder::new(limits.answer);
        let reading =
            Reading { client, incoming, decoder, events: VecDeque::new(), started: false, broken: None };
        return Box::new(reading).next().await.map(Some);
    }
    let reading = timeout(limits.call, exchange.whole(incoming));
    let answer = match reading.await {
        Ok(answer) => exchange.succeeded(answer?)?,
        Err(_) => return Err(silent(&client, Waiting::Body)),
    };
    let text = answer.text();
    if text.len() > limits.answer {
        let (origin, limit) = (exchange.address().origin(), u64::try_from(limits.answer).unwrap_or(u64::MAX));
        return Err(HttpError::TooLarge { origin, limit }.into());
    }
    let reply = Reply::read(&text).map_err(|reason| {
        exchange.not_opentool(format!("its answer to a streaming call is no event stream, and {reason}"))
    })?;
    match (reply.error, reply.result) {
        (Some(error), _) => Err(exchange.failed(&error)),
        (None, Some(result)) => Ok(Some((Told::Data(result.to_owned()), State::Answered(Ending::Said)))),
        (None, None) => Err(ClientError::ResponseNull {
            origin: exchange.address().origin(),
            status: answer.status.as_u16(),
        }),
    }
}

fn is_event_stream(incoming: &Incoming) -> bool {
    let content_type = incoming.headers().get("content-type").and_then(|value| value.to_str().ok());
    let essence = content_type.and_then(|value| value.split(';').next()).unwrap_or_default();
    essence.trim().eq_ignore_ascii_case(EVENT_STREAM)
}

fn silent(client: &Client, waiting: Waiting) -> ClientError {
    let exchange = client.exchange();
    let (origin, after) = (exchange.address().origin(), exchange.limits().call);
    HttpError::TimedOut { origin, after, waiting }.into()
}

impl Reading {
    /// What the stream tells next; it always tells something: if nothing else, that it is done.
    async fn next(mut self: Box<Self>) -> Result<(Told, State), ClientError> {
        loop {
            while let Some(event) = self.events.pop_front() {
                match self.told(event)? {
                    Some(done @ Told::Done(_)) => return Ok((done, State::Done(Some(self)))),
                    Some(told) => return Ok((told, State::Reading(self))),
                    None => {}
                }
            }
            if let Some(broken) = self.broken.take() {
                return Err(broken.into());
            }
            if !self.read().await? {
                return self.ended();
            }
        }
    }

    /// Reads more bytes; `false` at the end of the stream.
    async fn read(&mut self) -> Result<bool, ClientError> {
        let silence = self.client.exchange().limits().call;
        let Ok(chunk) = timeout(silence, self.incoming.chunk()).await else {
            return Err(silent(&self.client, Waiting::Body));
        };
        let Some(chunk) = chunk? else { return Ok(false) };
        if let Err(error) = self.decoder.decode(&chunk, &mut self.events) {
            let limit = u64::try_from(error.limit).unwrap_or(u64::MAX);
            let origin = self.client.exchange().address().origin();
            self.broken = Some(HttpError::TooLarge { origin, limit });
        }
        Ok(true)
    }

    /// The stream was closed without `done`. An event that was not completed counts if it can be read; a datum that was cut
    /// in two is an error.
    fn ended(mut self: Box<Self>) -> Result<(Told, State), ClientError> {
        let decoder = std::mem::replace(&mut self.decoder, Decoder::new(0));
        let told = match decoder.finish() {
            Some(event) => self.told(event)?,
            None => None,
        };
        if let Some(done @ Told::Done(_)) = told {
            return Ok((done, State::Done(None)));
        }
        let origin = self.client.exchange().address().origin();
        tracing::debug!(%origin, "a stream ended without `done`");
        match told {
            Some(Told::Data(datum)) => Ok((Told::Data(datum), State::Answered(Ending::Closed))),
            _ => Ok((Told::Done(Ending::Closed), State::Done(None))),
        }
    }

    /// What an event tells; nothing if it is none of the protocol's.
    fn told(&mut self, event: Event) -> Result<Option<Told>, ClientError> {
        let exchange = self.client.exchange();
        match event.name.as_str() {
            event::START if self.started => Ok(None),
            event::START => {
                self.started = true;
                let started: Value = serde_json::from_str(&event.data).unwrap_or_default();
                let function = started.get(event::START).and_then(Value::as_str).unwrap_or_default();
                Ok(Some(Told::Start(exchange.clean(function).into())))
            }
            // Some servers do not name their data; `message` is how event streams call an event without a name.
            "" | "message" if !is_answer(&event.data) => Ok(None),
            event::DATA | "" | "message" => {
                let data = exchange.covered(event.data);
                let reply = Reply::read(&data).map_err(|reason| {
                    exchange.not_opentool(format!("an event of its stream is broken: {reason}"))
                })?;
                match reply.error {
                    Some(error) => Err(exchange.failed(&error)),
                    None => Ok(Some(Told::Data(reply.result.unwrap_or("null").to_owned()))),
                }
            }
            event::ERROR => Err(exchange.failed(&error(&event.data))),
            event::DONE => Ok(Some(Told::Done(Ending::Said))),
            _ => Ok(None),
        }
    }

    /// Waits for the end of a stream that is done, a moment and a few bytes long.
    async fn close(mut self: Box<Self>) {
        let _ = timeout(CLOSING, self.incoming.chunk()).await;
    }
}

/// Whether this is JSON-RPC: an object with a result or an error.
fn is_answer(text: &str) -> bool {
    Reply::read(text).is_ok_and(|reply| reply.result.is_some() || reply.error.is_some())
}

/// The error that an event tells of: in a JSON-RPC answer, by itself, or in plain words.
fn error(text: &str) -> ErrorBody {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(body)) => match body.get("error") {
            Some(error) if !error.is_null() => ErrorBody::read(error),
            _ => ErrorBody::read(&Value::Object(body)),
        },
        Ok(Value::String(text)) => ErrorBody::new(500, text),
        _ => ErrorBody::new(500, text),
    }
}

#[cfg(test)]
mod tests {
    use super::error;
    use crate::wire::response::ErrorBody;

    #[test]
    fn errors_of_both_shapes_are_read() {
        for (text, code, message) in [
            (r#"{"jsonrpc":"2.0","result":{},"error":{"code":405,"message":"no"},"id":"1"}"#, 405, "no"),
            (r#"{"code":400,"message":"no","id":1}"#, 400, "no"),
            (r#"{"error":null,"code":400,"message":"no"}"#, 400, "no"),
            (r#"{"error":"no"}"#, 500, "no"),
            ("\"no\"", 500, "no"),
            ("no", 500, "no"),
        ] {
            assert_eq!(error(text), ErrorBody::new(code, message), "{text}");
        }
    }
}
