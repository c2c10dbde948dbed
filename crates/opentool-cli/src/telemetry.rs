//! Traces and metrics of a command, exported where the environment names a collector, and nothing otherwise.
//!
//! What is exported is the libraries' doing; here it is decided when the export begins and ends, and who is told that it
//! did not work. A command that did its work has done it, whatever became of its trace.

use std::fmt;
use std::time::Duration;

use opentool::ToolSet;
use opentool::agent::layers::Trace;
use opentool::otel::{Export, Guard, is_configured};
use tracing::Level;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{Layer, Registry};

use crate::console::Console;
use crate::error::CliError;

/// How long a command that did its work waits for a collector.
const LAST: Duration = Duration::from_secs(2);

/// What sees the spans of a command on their way to the collector; nothing where there is none.
#[derive(Default)]
pub(crate) struct Spans(pub(crate) Option<Box<dyn Layer<Registry> + Send + Sync>>);

impl Spans {
    /// Makes it the subscriber of the process, for commands that show no log.
    pub(crate) fn listen(self) {
        if let Some(layer) = self.0 {
            // Somebody else's subscriber would be as good.
            let _ = tracing_subscriber::registry().with(layer).try_init();
        }
    }
}

impl fmt::Debug for Spans {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Spans").field(&self.0.is_some()).finish()
    }
}

/// Runs a command whose spans are exported.
///
/// # Errors
/// Those of the command, and a variable of the environment that cannot be followed.
pub(crate) fn exported(
    console: &Console,
    command: impl FnOnce(Spans) -> Result<(), CliError>,
) -> Result<(), CliError> {
    if !is_configured() {
        return command(Spans::default());
    }
    let (layer, guard) = Export::new().service_name("opentool").layer().map_err(|error| {
        CliError::usage(
            chain(&error),
            "mend the variable, or unset OTEL_EXPORTER_OTLP_ENDPOINT to export nothing",
        )
    })?;
    let result = command(Spans(Some(layer)));
    end(guard, console);
    result
}

fn end(guard: Guard, console: &Console) {
    if let Err(error) = guard.shutdown_within(LAST) {
        // Nothing can be said where standard error is gone too.
        let _ = console.warning(&chain(&error));
    }
}

/// The tools, each call of which is a span where spans are exported.
pub(crate) fn traced(tools: ToolSet) -> ToolSet {
    if !tracing::span_enabled!(target: "opentool::gen_ai", Level::INFO) {
        return tools;
    }
    tools.clone().layer(&Trace::new()).unwrap_or(tools)
}

/// The error with its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}
