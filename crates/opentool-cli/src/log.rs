//! What the libraries tell the operator (through `tracing`), on standard error.
//!
//! Warnings always, more with `-v` and `-vv`. Argument values are not among it: libraries keep them at `trace`,
//! which is never shown.

use std::io::{self, Write};

use serde_json::json;
use tracing::Level;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;

use opentool_text::printable;

use crate::console::{Console, write_json};
use crate::telemetry::Spans;

/// Starts to show what the libraries tell, and to export the spans that they make. Once a process.
pub(crate) fn start(console: &Console, spans: Spans) {
    // The MCP library calls it an error when a client leaves while a call runs, which clients do every day.
    let (own, others, mcp) = match console.verbosity() {
        0 => (Level::WARN, Level::ERROR, LevelFilter::OFF),
        1 => (Level::INFO, Level::WARN, LevelFilter::OFF),
        _ => (Level::DEBUG, Level::INFO, LevelFilter::INFO),
    };
    let json = console.is_json();
    let lines =
        tracing_subscriber::fmt::layer().without_time().with_ansi(false).with_writer(move || Lines { json });
    let filter = Targets::new()
        .with_default(others)
        .with_target("opentool", own)
        // The spans of calls are for a collector; before every line they would be noise.
        .with_target("opentool::gen_ai", LevelFilter::OFF)
        .with_target("opentool::http", LevelFilter::OFF)
        .with_target("rmcp", mcp);
    // The filter is that of the lines alone: spans are exported whatever is shown. Somebody else's subscriber would be as
    // good.
    let _ = tracing_subscriber::registry().with(spans.0).with(lines.with_filter(filter)).try_init();
}

/// One event a write, as the formatter does it: a line for a person, an object for a program.
struct Lines {
    json: bool,
}

impl Write for Lines {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        let text = text.trim();
        let mut err = io::stderr().lock();
        if self.json {
            write_json(&mut err, &json!({"log": text}))?;
        } else {
            writeln!(err, "{}", printable(text))?;
        }
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
