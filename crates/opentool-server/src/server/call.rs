//! One call: read, run within its limits, told to the log.
//!
//! The tool runs in a task of its own, so that one that blocks its thread cannot keep its client waiting. Validation and
//! the catching of panics are `opentool_schema`'s; how an answer is written is said in `answer` and `stream`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::Response;
use opentool_core::{Cancellation, ToolCall, ToolError, ToolOutput, UnknownTool};
use opentool_listen::trace::Parent;
use opentool_schema::ToolSetExt as _;
use serde_json::Value;
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tracing::{Instrument as _, Span};

use super::answer::{self, LONGEST_NAME};
use super::catalog::Catalog;
use super::cutoff::{Clock, Cut, Watch};
use super::host::Host;
use super::stream::Sink;
use super::trace;
use super::{body, reply};
use crate::wire::id::Id;
use crate::wire::request::{INVALID_REQUEST, Request as WireRequest};
use crate::wire::response::{ErrorBody, ResponseBody};

/// The longest id, in bytes. Every event of a stream repeats it.
const LONGEST_ID: usize = 1_024;

/// What a client asks for.
#[derive(Debug)]
pub(super) struct Wish {
    pub(super) id: Id,
    pub(super) function: Arc<str>,
    /// The text of the arguments, or null.
    pub(super) arguments: Value,
    /// The client's trace.
    pub(super) parent: Parent,
}

impl Wish {
    /// Reads the request.
    ///
    /// # Errors
    /// The response, if it is no call.
    pub(super) async fn read(host: &Host, request: Request) -> Result<Self, Response> {
        let (parts, body) = request.into_parts();
        let body = body::read(&parts.headers, body, host.max_request_bytes).await?;
        let WireRequest { id, method, params } =
            WireRequest::read(&body).map_err(|why| reply::unreadable(&why))?;
        if matches!(&id, Id::Text(text) | Id::Number(text) if text.len() > LONGEST_ID) {
            let message = format!("Invalid Request: `id` is longer than {LONGEST_ID} bytes");
            let error = ErrorBody::new(INVALID_REQUEST, message);
            return Err(reply::failed(StatusCode::BAD_REQUEST, &Id::Absent, &error));
        }
        // As text, so that a tool can read it without a detour, and numbers stay what they are.
        let arguments = params.map_or(Value::Null, |text| Value::String(text.to_owned()));
        Ok(Self { function: method.into(), arguments, id, parent: trace::parent(&parts.headers) })
    }
}

/// Answers `POST /call`.
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
    let grant = Grant { permit, clock, events: None, parent: &parent };
    let mut running = Running::start(host, &catalog, &id, &function, arguments, grant);
    let ended = running.end().await;
    match running.finish(ended) {
        Ok(output) => {
            let result = answer::result(output, || catalog.result_name(&function));
            match serde_json::to_vec(&ResponseBody::new(&id, &result)) {
                Ok(body) => reply::json(StatusCode::OK, body),
                Err(_) => reply::failed(StatusCode::OK, &id, &unwritable()),
            }
        }
        Err(error) => reply::failed(StatusCode::OK, &id, &error),
    }
}

/// What is said of a result that cannot be written, which no JSON value is.
pub(super) fn unwritable() -> ErrorBody {
    ErrorBody::new(500, "the result cannot be written as JSON")
}

/// A tool at work. Dropping this stops it.
pub(super) struct Running {
    task: JoinHandle<Result<ToolOutput, ToolError>>,
    signal: Cancellation,
    watch: Watch,
    limit: Duration,
    started: Instant,
    function: Arc<str>,
    /// Until it is told how the call went.
    span: Option<Span>,
}

/// What a call is given by its host.
pub(super) struct Grant<'a> {
    /// The place among the running calls.
    pub(super) permit: OwnedSemaphorePermit,
    /// The clock of the connection, where it is ours.
    pub(super) clock: Option<&'a Arc<Clock>>,
    /// Who is told of parts.
    pub(super) events: Option<Sink>,
    /// The client's trace.
    pub(super) parent: &'a Parent,
}

impl Running {
    /// Starts the tool.
    pub(super) fn start(
        host: &Host,
        catalog: &Arc<Catalog>,
        id: &Id,
        function: &Arc<str>,
        arguments: Value,
        Grant { permit, clock, events, parent }: Grant<'_>,
    ) -> Self {
        let (started, limit) = (Instant::now(), host.timeout);
        let signal = Cancellation::new();
        let id = id.text();
        let mut cx = host.context.clone().cancellation(signal.clone());
        if let Some(id) = &id {
            cx = cx.call_id(id.as_str());
        }
        if let Some(deadline) = started.checked_add(limit) {
            cx = cx.deadline(deadline);
        }
        if let Some(sink) = events {
            cx = cx.events(sink);
        }
        let catalog = Arc::clone(catalog);
        let name = function.to_string();
        let known = || catalog.tools().contains(catalog.tool_name(&name)).then_some(&**function);
        let span = trace::execute_tool(parent, id.as_deref(), known);
        let around = if span.is_disabled() { Span::current() } else { span.clone() };
        let given_up = signal.clone();
        let work = async move {
            // Held by the tool and not by the request: a tool that does not stop still takes its place.
            let _permit = permit;
            // The comparison with all names takes time that grows with the length, and the name is a stranger's.
            if name.len() > LONGEST_NAME && !catalog.tools().contains(&name) {
                return Err(UnknownTool::new(name, Vec::new()).into());
            }
            let name = match catalog.tool_name(&name) {
                same if same == name => name,
                other => other.to_owned(),
            };
            let call = ToolCall::new(id.unwrap_or_default(), name, arguments);
            // Here too, and not only where the answer waits: a stream whose client does not read waits for nothing.
            match timeout(limit, catalog.tools().call(&cx, call)).await {
                Ok(result) => result,
                Err(_) => {
                    given_up.cancel();
                    Err(ToolError::TimedOut(limit))
                }
            }
        };
        Self {
            task: tokio::spawn(work.instrument(around)),
            signal,
            watch: Watch::new(clock, limit, &host.aborting),
            limit,
            started,
            function: Arc::clone(function),
            span: Some(span),
        }
    }

    /// Waits until the tool answers, the host gives up, or its time is over. Can be dropped and called again.
    pub(super) async fn end(&mut self) -> Result<ToolOutput, ToolError> {
        tokio::select! {
            biased;
            joined = &mut self.task => joined.unwrap_or_else(|failed| {
                // The runtime ends, or the tool panicked where nothing could catch it.
                Err(if failed.is_panic() { ToolError::Panicked("while it ended".into()) } else { ToolError::Cancelled })
            }),
            cut = self.watch.cut() => Err(match cut {
                Cut::Aborted => ToolError::Cancelled,
                Cut::Overrun => ToolError::TimedOut(self.limit),
            }),
        }
    }

    /// Stops the tool if it still runs, tells the operator how it went, and says what the client is told.
    pub(super) fn finish(mut self, ended: Result<ToolOutput, ToolError>) -> Result<ToolOutput, ErrorBody> {
        let took = self.started.elapsed();
        if let Some(span) = self.span.take() {
            trace::ended(&span, &ended);
        }
        match ended {
            Ok(output) => {
                tracing::debug!(function = &*self.function, ?took, failed = output.is_error, "call");
                if output.is_error { Err(answer::failure(&output)) } else { Ok(output) }
            }
            Err(error) => {
                log(&self.function, took, &error);
                Err(answer::error(&error, &self.function))
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(span) = self.span.take() {
            trace::abandoned(&span);
        }
        if !self.task.is_finished() {
            tracing::debug!(function = &*self.function, took = ?self.started.elapsed(), "call stopped: nobody waits for it");
            self.signal.cancel();
            self.task.abort();
        }
    }
}

/// Tells the operator how a call failed. The texts of errors quote arguments (an address with its query, a value that does
/// not fit, a panic that shows what it met), so they are for `trace` only.
fn log(function: &str, took: Duration, error: &ToolError) {
    let code = error.code();
    match error {
        ToolError::InvalidArguments(invalid) => {
            let rules: Vec<_> = invalid.problems.iter().map(|problem| &problem.rule).collect();
            tracing::debug!(function, code, ?took, ?rules, "call failed");
        }
        // The name of a function that does not exist is a stranger's text.
        ToolError::UnknownTool(_) => tracing::debug!(code, ?took, "call failed"),
        ToolError::Cancelled => tracing::debug!(function, code, ?took, "call failed"),
        ToolError::Panicked(_) => tracing::error!(function, code, ?took, "call failed"),
        ToolError::Upstream(upstream) => {
            let (status, system) = (upstream.status, error.io_kind());
            tracing::warn!(function, code, status, ?system, ?took, "call failed");
        }
        _ => tracing::warn!(function, code, system = ?error.io_kind(), ?took, "call failed"),
    }
    tracing::trace!(function, error = error.chain(), "why a call failed");
}
