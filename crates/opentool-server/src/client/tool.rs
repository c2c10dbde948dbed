//! A function of a server as a tool.
//!
//! Arguments were validated before they come here. A failure has two texts: the model reads what the function said, cut,
//! or what it can do about the rest; addresses and causes are for the operator.

use std::time::Instant;

use futures_util::StreamExt as _;
use opentool_core::{
    Arguments, BoxFuture, Content, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput, Upstream,
    in_units,
};
use opentool_http::{HttpError, bounded};
use opentool_schema::inexact_number;
use serde_json::Value;

use super::stream::{self, Ending, Told};
use super::{Client, ClientError, FunctionCall};
use crate::wire::endpoint::{CALL, GIVES_NOTHING, REPEATS_PARTIALS, STREAM_CALL};
use crate::wire::error_object::error_object;

/// What a datum counts beside its bytes when the data of a stream are held against the limit.
const DATUM: usize = 64;

/// How a function is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `/call`.
    Plain,
    /// `/streamCall`.
    Streaming,
}

/// What a result of the form `{"code": 405, "message": "…"}` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorObjects {
    /// A failure that was returned.
    Failures,
    /// A value: the function declares that it gives such objects.
    Values,
}

/// Whether the function declares a return value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gives {
    /// Something.
    Something,
    /// Nothing: no result is what was promised.
    Nothing,
}

/// A function of a server.
#[derive(Debug)]
pub(crate) struct RemoteTool {
    pub(crate) definition: ToolDefinition,
    pub(crate) function: String,
    pub(crate) kind: Kind,
    pub(crate) gives: Gives,
    pub(crate) error_objects: ErrorObjects,
    pub(crate) client: Client,
}

impl Tool for RemoteTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn call<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(self.run(cx, arguments))
    }
}

impl RemoteTool {
    async fn run(&self, cx: &ToolContext, arguments: Arguments) -> Result<ToolOutput, ToolError> {
        let id = cx.id().map_or_else(|| self.client.next_id(), str::to_owned);
        let call = FunctionCall::new(id, &self.function).arguments(arguments);
        let endpoint = if self.kind == Kind::Streaming { STREAM_CALL } else { CALL };
        let summary = format!("POST {}/{endpoint} {}", self.client.url(), self.function);
        if cx.event_sink().is_some() {
            cx.sent(summary.as_str()).await;
        }
        let started = Instant::now();
        let done = match self.kind {
            Kind::Plain => self.plain(&call, cx).await,
            Kind::Streaming => self.streaming(call, cx).await,
        };
        match done {
            Ok(output) => {
                let took = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
                Ok(output.metadata("http.request", summary).metadata("http.duration_ms", took))
            }
            Err(ClientError::Http(error)) if error.is_timeout() && is_over(cx) => {
                Err(ToolError::TimedOut(started.elapsed()))
            }
            Err(error) => Err(failure(error)),
        }
    }

    async fn plain(&self, call: &FunctionCall, cx: &ToolContext) -> Result<ToolOutput, ClientError> {
        let answer = self.client.answer(call, cx.ends_at()).await?;
        match answer.result {
            Some(result) => self.output(result),
            None if self.gives == Gives::Nothing => Ok(done()),
            None => Err(ClientError::ResponseNull {
                origin: self.client.exchange().address().origin(),
                status: answer.status,
            }),
        }
    }

    async fn streaming(&self, call: FunctionCall, cx: &ToolContext) -> Result<ToolOutput, ClientError> {
        let exchange = self.client.exchange();
        let limit = exchange.limits().answer;
        let mut events = std::pin::pin!(stream::open(self.client.clone(), call, cx.ends_at()));
        let mut data: Vec<ToolOutput> = Vec::new();
        let mut size = 0_usize;
        let mut ending = Ending::Said;
        while let Some(told) = events.next().await {
            let datum = match told? {
                Told::Data(datum) => datum,
                Told::Done(how) => {
                    ending = how;
                    continue;
                }
                Told::Start(_) => continue,
            };
            size = size.saturating_add(datum.len()).saturating_add(DATUM);
            if size > limit {
                let (origin, limit) = (exchange.address().origin(), u64::try_from(limit).unwrap_or(u64::MAX));
                return Err(HttpError::TooLarge { origin, limit }.into());
            }
            let output = self.output(datum)?;
            if cx.event_sink().is_some() {
                cx.partial(output.clone()).await;
            }
            data.push(output);
        }
        let output = self.whole(data).metadata(REPEATS_PARTIALS, true);
        Ok(match ending {
            Ending::Said => output,
            Ending::Closed => output.metadata("http.note", "the stream ended without `done`"),
        })
    }

    /// All data as one output: the model reads every one of them. The structured value is the last one where the function
    /// declares a return value, which it is then; else it is the list of all.
    fn whole(&self, mut data: Vec<ToolOutput>) -> ToolOutput {
        if data.len() <= 1 {
            return data.pop().unwrap_or_else(done);
        }
        let structured = match self.gives {
            Gives::Something => data.last().and_then(|last| last.structured.clone()),
            Gives::Nothing => data.iter().map(|datum| datum.structured.clone()).collect(),
        };
        let mut whole = ToolOutput::new();
        whole.structured = structured;
        whole.content = data
            .into_iter()
            .flat_map(|datum| match datum.structured {
                Some(value) => vec![Content::Json(value)],
                None => datum.content,
            })
            .collect();
        whole
    }

    /// The output of a result or a datum.
    fn output(&self, text: String) -> Result<ToolOutput, ClientError> {
        let value: Value = match serde_json::from_str(&text) {
            Ok(value) => value,
            // Correct JSON all the same: a number that is too large, or nesting that is too deep, for a value.
            Err(error) => {
                return Ok(
                    ToolOutput::text(text).metadata("http.note", format!("not read as a value: {error}"))
                );
            }
        };
        if let (ErrorObjects::Failures, Value::Object(members)) = (self.error_objects, &value)
            && let Some(error) = error_object(members)
        {
            return Err(self.client.exchange().failed(&error));
        }
        Ok(match &value {
            Value::Object(members) if members.is_empty() && self.gives == Gives::Nothing => done(),
            // As a value, a number in it would be another one.
            _ if inexact_number(&text).is_some() => ToolOutput::text(text),
            _ => ToolOutput::json(value),
        })
    }
}

/// The output of a function that gives nothing: a model wants to read that something happened.
fn done() -> ToolOutput {
    ToolOutput::text("Done.").metadata(GIVES_NOTHING, true)
}

/// Whether the host's time is up.
fn is_over(cx: &ToolContext) -> bool {
    cx.ends_at().is_some_and(|end| end <= Instant::now())
}

/// A failure in two texts.
fn failure(mut error: ClientError) -> ToolError {
    let (status, message) = match &mut error {
        ClientError::Call { code, message } => {
            let status = u16::try_from(*code).ok().filter(|code| (100..600).contains(code));
            // Taken out of the cause: whoever reads the chain has it from the model's text.
            let message = match String::from(std::mem::take(message)) {
                empty if empty.trim().is_empty() => format!("the function failed with the code {code}"),
                message => message.trim().to_owned(),
            };
            (status, message)
        }
        ClientError::Unauthorized { .. } => {
            (Some(401), "the server behind the tool refuses access; only its operator can mend that".to_owned())
        }
        ClientError::NoAccess { .. } | ClientError::Redirected { .. } => {
            (None, "the server behind the tool cannot be reached; nothing was run".to_owned())
        }
        ClientError::Busy { message, retry_after, .. } => {
            let wait = retry_after.map(|wait| format!(" (try again after {})", in_units(wait)));
            let wait = wait.unwrap_or_default();
            (Some(503), format!("the server behind the tool is busy: {message}{wait}"))
        }
        ClientError::ResponseNull { status, .. } => {
            (Some(*status), "the server behind the tool answered without a result; the call may have run".to_owned())
        }
        ClientError::ErrorNull { status, .. } => (
            Some(*status),
            format!("the server behind the tool failed without saying why (HTTP {status}); the call may have run"),
        ),
        ClientError::Http(HttpError::TimedOut { after, waiting, .. }) => (
            None,
            format!(
                "the server behind the tool gave no {waiting} within {}; the call may have run",
                in_units(*after)
            ),
        ),
        ClientError::Http(HttpError::TooLarge { limit, .. }) => {
            (None, format!("the answer is larger than {limit} bytes; ask for less"))
        }
        _ => (
            None,
            "the exchange with the server behind the tool failed; the call may have run, and its operator has the \
             details"
                .to_owned(),
        ),
    };
    let mut upstream = Upstream::new(bounded(&message)).source(error);
    upstream.status = status;
    upstream.into()
}
