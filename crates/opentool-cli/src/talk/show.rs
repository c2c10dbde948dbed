//! A turn as a person sees it: words as they come, a line when a call runs, a line when it ended.
//!
//! What the model and the tools write cannot drive the terminal: it is made visible first.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use anstyle::Style;
use opentool::ToolOutput;
use opentool::agent::AgentEvent;
use opentool_text::{printable, printable_line};
use serde_json::Value;

use crate::console::{ERROR, FAINT, STRONG};

/// The most characters of an argument's value, and of a line.
const VALUE: usize = 60;
const LINE: usize = 160;

/// Where words go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Words {
    /// They are shown as they come.
    AsTheyCome,
    /// Somebody else prints the answer.
    Nowhere,
}

/// Shows events. Told by observers, which may come from several calls at once.
pub(crate) struct Show<W> {
    out: Mutex<Out<W>>,
    words: Words,
}

struct Out<W> {
    to: W,
    /// Something was written since the last line end.
    open: bool,
}

impl<W: Write> Show<W> {
    /// Shows everything here.
    pub(crate) fn all(to: W) -> Self {
        Self { out: Mutex::new(Out { to, open: false }), words: Words::AsTheyCome }
    }

    /// Shows the calls here.
    pub(crate) fn calls(to: W) -> Self {
        Self { words: Words::Nowhere, ..Self::all(to) }
    }

    /// Shows an event. A terminal that went away is noticed by whoever prints the answer.
    pub(crate) fn tell(&self, event: &AgentEvent) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = self.write(&mut out, event);
    }

    /// Ends a line that is open.
    pub(crate) fn end(&self) -> io::Result<()> {
        self.out.lock().unwrap_or_else(PoisonError::into_inner).end_line()
    }

    fn write(&self, out: &mut Out<W>, event: &AgentEvent) -> io::Result<()> {
        match event {
            AgentEvent::TextDelta { text } if self.words == Words::AsTheyCome => {
                // A stream may begin with the line end of what it did not say.
                let text = if out.open { text.as_str() } else { text.trim_start_matches('\n') };
                if !text.is_empty() {
                    write!(out.to, "{}", printable(text))?;
                    out.open = !text.ends_with('\n');
                    out.to.flush()?;
                }
                Ok(())
            }
            AgentEvent::CallStarted { name, arguments, .. } => {
                out.line(FAINT, "→", &call_line(name, arguments))
            }
            AgentEvent::CallSent { request, .. } => out.line(FAINT, " ", request),
            AgentEvent::CallRetried { name, attempt, .. } => {
                out.line(FAINT, " ", &format!("{name}: attempt {attempt}"))
            }
            AgentEvent::CallProgress { name, done, total, message, .. } => {
                let total = total.map(|total| format!(" of {total}")).unwrap_or_default();
                let message = message.as_ref().map(|text| format!(", {text}")).unwrap_or_default();
                out.line(FAINT, " ", &format!("{name}: {done}{total}{message}"))
            }
            AgentEvent::CallFinished { name, output, duration, .. } => {
                let style = if output.is_error { ERROR } else { FAINT };
                let mark = if output.is_error { "✗" } else { "←" };
                out.line(style, mark, &format!("{name}: {} ({} ms)", result(output), duration.as_millis()))
            }
            _ => Ok(()),
        }
    }
}

impl<W: Write> Out<W> {
    fn end_line(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.open) {
            writeln!(self.to)?;
        }
        self.to.flush()
    }

    fn line(&mut self, style: Style, mark: &str, text: &str) -> io::Result<()> {
        self.end_line()?;
        writeln!(self.to, "{style}{mark} {}{style:#}", shortened(&printable_line(text), LINE))?;
        self.to.flush()
    }
}

/// `weather(city: "Paris", days: 2)`.
pub(crate) fn call_line(name: &str, arguments: &Value) -> String {
    let arguments = match arguments {
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| format!("{name}: {}", shortened(&value.to_string(), VALUE)))
            .collect::<Vec<_>>()
            .join(", "),
        Value::Null => String::new(),
        other => shortened(&other.to_string(), VALUE),
    };
    format!("{name}({arguments})")
}

/// The beginning of a result, on one line.
fn result(output: &ToolOutput) -> String {
    let text = output.to_text();
    let words: Vec<&str> = text.split_whitespace().collect();
    shortened(&words.join(" "), LINE / 2)
}

fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// A heading in a chat.
pub(super) fn strong(text: &str) -> String {
    format!("{STRONG}{}{STRONG:#}", printable_line(text))
}
