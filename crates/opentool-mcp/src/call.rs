//! One `tools/call`: found, run within its limits, answered.
//!
//! The tool runs in a task of its own, so that one that blocks its thread or panics while it is dropped cannot
//! keep its client waiting. Validation and the catching of panics are `opentool_schema`'s.

use std::sync::Arc;
use std::time::{Duration, Instant};

use opentool_core::{Cancellation, ToolCall, ToolContext, ToolError, ToolOutput};
use opentool_schema::ToolSetExt as _;
use rmcp::model::{CallToolRequestParams, CallToolResult};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::JoinHandle;
use tracing::Instrument as _;

use crate::budget::Share;
use crate::catalog::Catalog;
use crate::host::Host;
use crate::numbers::ClientId;
use crate::progress::ProgressSink;
use crate::{result, trace};

/// Answers the request.
///
/// # Errors
/// Invalid parameters if there is no such tool. Everything else is a result.
pub(crate) async fn answer(
    host: &Host,
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    let catalog = host.catalog();
    let Some(output) = catalog.output(&request.name) else {
        let error = unknown(&catalog, &request.name);
        trace::refused(&trace::tools_call(None, context), error.code.0);
        return Err(error);
    };
    let name = request.name.clone();
    let span = trace::tools_call(Some(&name), context);
    let started = Instant::now();
    let running = run(host, &catalog, request, context);
    let result = match span.is_disabled() {
        true => running.await,
        false => running.instrument(span.clone()).await,
    };
    trace::ended(&span, &result);
    let took = started.elapsed();
    match result {
        Ok(answer) => {
            tracing::debug!(tool = %name, ?took, failed = answer.is_error, "tool call");
            Ok(result::from_output(answer, output))
        }
        Err(error) => {
            log(&name, took, &error);
            Ok(result::from_error(&error))
        }
    }
}

/// Runs the tool until it answers, the client or the host gives up, or its time is over.
async fn run(
    host: &Host,
    catalog: &Arc<Catalog>,
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<ToolOutput, ToolError> {
    let limit = host.settings.timeout;
    let deadline = Instant::now().checked_add(limit);
    let overrun = tokio::time::sleep(limit);
    tokio::pin!(overrun);
    let given_up = async {
        tokio::select! {
            () = context.ct.cancelled() => {}
            () = host.aborting.cancelled() => {}
        }
    };
    tokio::pin!(given_up);

    let permit = tokio::select! {
        biased;
        permit = Arc::clone(&host.calls).acquire_owned() => {
            permit.map_err(|_| ToolError::Refused("the server is about to end".into()))?
        }
        () = &mut given_up => return Err(ToolError::Cancelled),
        () = &mut overrun => {
            return Err(ToolError::Refused("the server is busy with other calls; try again later".into()));
        }
    };

    let signal = Cancellation::new();
    let progress = ProgressSink::of(context, &host.cut);
    // The client's own; the SDK may know the request by a number of ours.
    let id = context.extensions.get::<ClientId>().map_or(&context.id, |id| &id.0).to_string();
    let mut cx = host.settings.context.clone().call_id(&*id).cancellation(signal.clone());
    if let Some(deadline) = deadline {
        cx = cx.deadline(deadline);
    }
    if let Some(progress) = &progress {
        cx = cx.events(progress.clone());
    }
    let arguments = Value::Object(request.arguments.unwrap_or_default());
    let call = ToolCall::new(id, request.name, arguments);

    let held = Held { _place: permit, _share: Share::of(&context.extensions) };
    let mut running = Running::start(Arc::clone(catalog), cx, call, held, signal, progress);
    tokio::select! {
        biased;
        joined = &mut running.task => joined.unwrap_or_else(|failed| {
            // The runtime ends, or the tool panicked where nothing could catch it: while it was dropped.
            Err(if failed.is_panic() { ToolError::Panicked("while it ended".into()) } else { ToolError::Cancelled })
        }),
        () = &mut given_up => Err(ToolError::Cancelled),
        () = &mut overrun => Err(ToolError::TimedOut(limit)),
    }
}

/// What a call takes of what all calls share. Held by the tool and not by the request: a tool that does not stop still
/// takes its place.
struct Held {
    _place: OwnedSemaphorePermit,
    _share: Option<Share>,
}

/// A tool at work. Dropping this stops it and what it told others to watch.
struct Running {
    task: JoinHandle<Result<ToolOutput, ToolError>>,
    signal: Cancellation,
    progress: Option<ProgressSink>,
}

impl Running {
    fn start(
        catalog: Arc<Catalog>,
        cx: ToolContext,
        call: ToolCall,
        held: Held,
        signal: Cancellation,
        progress: Option<ProgressSink>,
    ) -> Self {
        let work = async move {
            let _held = held;
            // Handed over, so that the arguments are not copied.
            catalog.tools().call(&cx, call).await
        };
        Self { task: tokio::spawn(work.in_current_span()), signal, progress }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(progress) = &self.progress {
            progress.end();
        }
        if !self.task.is_finished() {
            self.signal.cancel();
            self.task.abort();
        }
    }
}

fn unknown(catalog: &Catalog, name: &str) -> ErrorData {
    /// The comparison with all names takes time that grows with the length, and the name is a stranger's.
    const LONGEST_NAME: usize = 128;
    let Some(name) = Some(name).filter(|name| name.len() <= LONGEST_NAME) else {
        return ErrorData::invalid_params("Unknown tool: the name is longer than any", None);
    };
    let nearest: Vec<String> = catalog.tools().nearest(name).iter().map(|name| format!("`{name}`")).collect();
    let mut message = format!("Unknown tool: {name}");
    if !nearest.is_empty() {
        message.push_str(&format!(". Did you mean {}?", nearest.join(" or ")));
    }
    ErrorData::invalid_params(message, None)
}

/// Tells the operator how a call failed. The texts of errors quote arguments (an address with its query, a value that
/// does not fit, a panic that shows what it met), so they are for `trace` only.
fn log(tool: &str, took: Duration, error: &ToolError) {
    let code = error.code();
    match error {
        ToolError::InvalidArguments(invalid) => {
            let rules: Vec<_> = invalid.problems.iter().map(|problem| &problem.rule).collect();
            tracing::debug!(tool, code, ?took, ?rules, "tool call failed");
        }
        ToolError::Cancelled | ToolError::UnknownTool(_) => {
            tracing::debug!(tool, code, ?took, "tool call failed");
        }
        ToolError::Panicked(_) => tracing::error!(tool, code, ?took, "tool call failed"),
        ToolError::Upstream(upstream) => {
            let (status, system) = (upstream.status, error.io_kind());
            tracing::warn!(tool, code, status, ?system, ?took, "tool call failed");
        }
        _ => tracing::warn!(tool, code, system = ?error.io_kind(), ?took, "tool call failed"),
    }
    tracing::trace!(tool, error = error.chain(), "why a call failed");
}
