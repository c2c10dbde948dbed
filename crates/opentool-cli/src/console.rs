//! Where commands write to: results on standard output, everything else on standard error.
//!
//! Two rules live here. Text that others wrote (documents, services) cannot drive the terminal: what a terminal would
//! obey or hide is made visible ([`printable`]) before it reaches one, and JSON stays the same JSON. And a reader that
//! goes away (`| head`) is an [`io::ErrorKind::BrokenPipe`] for the caller, never a panic.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use opentool::{Diagnostic, Progress, Severity, ToolOutput};
use opentool_text::{printable, printable_json};
use serde::Serialize;
use serde_json::{Value, json};

use crate::error::CliError;
use crate::loss::{Form, Told, Word};
use crate::render;

/// For what must be seen first: names, headings.
pub(crate) const STRONG: Style = Style::new().bold();
/// For what can be skipped.
pub(crate) const FAINT: Style = Style::new().dimmed();
/// For what is wrong.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
/// For what is odd.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// For what is worth knowing.
pub(crate) const NOTE: Style = AnsiColor::Cyan.on_default().bold();

/// How many errors of a document a person is shown without asking for all.
const SHOWN_ERRORS: usize = 10;

/// How many warnings a person is shown without asking: more of them are counted.
const SHOWN_WARNINGS: usize = 3;

/// How much of what a reader said a person wants to see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Amount {
    /// The errors, and warnings where they are few.
    Worst,
    /// The warnings too: something is missing, and they may be why.
    Most,
}

/// Who reads the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    /// A person: tables, sentences.
    Person,
    /// A program: JSON.
    Program,
}

/// How the commands of one run speak.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Console {
    reader: Reader,
    verbosity: u8,
}

impl Console {
    /// A console for this reader; `verbosity` counts the `-v`s.
    pub(crate) fn new(reader: Reader, verbosity: u8) -> Self {
        Self { reader, verbosity }
    }

    /// Whether a program reads.
    pub(crate) fn is_json(&self) -> bool {
        self.reader == Reader::Program
    }

    /// How many `-v`s there were.
    pub(crate) fn verbosity(&self) -> u8 {
        self.verbosity
    }

    /// Writes text with styles to standard output; the styles are taken out where they do not belong. Foreign
    /// text in it must have been through [`printable`].
    pub(crate) fn styled(&self, text: &str) -> io::Result<()> {
        let mut out = anstream::stdout().lock();
        out.write_all(text.as_bytes())?;
        out.flush()
    }

    /// Writes bytes to standard output exactly as they are, unless a person's terminal is there: then control
    /// characters become visible.
    pub(crate) fn data(&self, bytes: &[u8]) -> io::Result<()> {
        let mut out = io::stdout().lock();
        if out.is_terminal() {
            let text = String::from_utf8_lossy(bytes);
            out.write_all(printable(&text).as_bytes())?;
        } else {
            out.write_all(bytes)?;
        }
        out.flush()
    }

    /// Writes a value as indented JSON to standard output.
    pub(crate) fn json(&self, value: &impl Serialize) -> io::Result<()> {
        self.json_text(serde_json::to_string_pretty(value).map_err(io::Error::other)?)
    }

    /// Writes a value as JSON on one line to standard output: for programs that read line by line.
    pub(crate) fn json_line(&self, value: &impl Serialize) -> io::Result<()> {
        self.json_text(serde_json::to_string(value).map_err(io::Error::other)?)
    }

    /// Writes JSON text to standard output; on a terminal what nobody would see is written with JSON's escapes.
    pub(crate) fn json_text(&self, mut text: String) -> io::Result<()> {
        if !text.ends_with('\n') {
            text.push('\n');
        }
        let mut out = io::stdout().lock();
        let shown = if out.is_terminal() { printable_json(&text) } else { text.as_str().into() };
        out.write_all(shown.as_bytes())?;
        out.flush()
    }

    /// Says something worth knowing on standard error: `note: …`, or `{"note": …}`.
    pub(crate) fn note(&self, text: &str) -> io::Result<()> {
        self.remark("note", NOTE, text)
    }

    /// Warns on standard error: `warning: …`, or `{"warning": …}`.
    pub(crate) fn warning(&self, text: &str) -> io::Result<()> {
        self.remark("warning", WARNING, text)
    }

    fn remark(&self, word: &str, style: Style, text: &str) -> io::Result<()> {
        let mut err = anstream::stderr().lock();
        match self.reader {
            Reader::Person => writeln!(err, "{style}{word}:{style:#} {}", printable(text)),
            Reader::Program => write_json(&mut err, &json!({word: text})),
        }
    }

    /// A line on standard error for a person only: progress, a summary.
    pub(crate) fn aside(&self, text: &str) -> io::Result<()> {
        match self.reader {
            Reader::Person => writeln!(anstream::stderr().lock(), "{}", printable(text)),
            Reader::Program => Ok(()),
        }
    }

    /// What a reader said about a document: [`Console::findings`], with the warnings only where they are few.
    pub(crate) fn diagnostics(&self, source: &str, diagnostics: &[Diagnostic]) -> io::Result<()> {
        self.findings(source, diagnostics.iter(), Amount::Worst)
    }

    /// What a reader said about a document. A person reads the errors, the warnings where the amount or their number
    /// allows, and how many there are of what is not shown; all with `-v`. A program reads all.
    pub(crate) fn findings<'d>(
        &self,
        source: &str,
        diagnostics: impl Iterator<Item = &'d Diagnostic> + Clone,
        amount: Amount,
    ) -> io::Result<()> {
        let mut err = anstream::stderr().lock();
        if self.is_json() {
            for diagnostic in diagnostics {
                write_json(&mut err, &json!({"diagnostic": diagnostic}))?;
            }
            return Ok(());
        }
        let all = self.verbosity > 0;
        let of = |severity: Severity| diagnostics.clone().filter(|found| found.severity == severity).count();
        let limit = |severity: Severity| match severity {
            _ if all => usize::MAX,
            Severity::Error => SHOWN_ERRORS,
            Severity::Warning if amount == Amount::Most || of(severity) <= SHOWN_WARNINGS => SHOWN_ERRORS,
            _ => 0,
        };
        let severities = [Severity::Error, Severity::Warning, Severity::Note];
        let mut left = severities.map(limit);
        // A tool that cannot be called is among the tools all the same, which the count alone would not tell.
        let is_seen = |found: &Diagnostic| found.code == "schema-invalid";
        let mut hidden = [0_usize; 3];
        let mut seen = 0_usize;
        for diagnostic in diagnostics.clone() {
            let (index, style) = match diagnostic.severity {
                Severity::Error => (0, ERROR),
                Severity::Warning => (1, WARNING),
                _ => (2, NOTE),
            };
            match left.get_mut(index) {
                Some(left) if *left > 0 => {
                    *left = left.saturating_sub(1);
                    write_diagnostic(&mut err, style, diagnostic)?;
                }
                _ if is_seen(diagnostic) && seen < SHOWN_ERRORS => {
                    seen = seen.saturating_add(1);
                    write_diagnostic(&mut err, style, diagnostic)?;
                }
                _ => {
                    if let Some(hidden) = hidden.get_mut(index) {
                        *hidden = hidden.saturating_add(1);
                    }
                }
            }
        }
        drop(err);
        let words = ["more error", "warning", "note"];
        let more: Vec<String> =
            hidden.into_iter().zip(words).filter(|(n, _)| *n > 0).map(|(n, word)| counted(n, word)).collect();
        if more.is_empty() {
            return Ok(());
        }
        self.note(&format!("{source}: {}; `--verbose` shows all", more.join(", ")))
    }

    /// What becomes of tools in another format: `loss: …` a line, or `{"loss": …}`. What is only written otherwise is
    /// left out without `-v`.
    pub(crate) fn losses(&self, told: &[Told], form: Form) -> io::Result<()> {
        let all = self.verbosity > 0;
        let told: Vec<Told> = told.iter().filter(|told| all || told.word != Word::Change).cloned().collect();
        let mut err = anstream::stderr().lock();
        if form == Form::Json || self.is_json() {
            return told.iter().try_for_each(|told| write_json(&mut err, &told.json));
        }
        for line in render::losses(&told, all) {
            let style = if line.word == Word::Loss { WARNING } else { NOTE };
            let (word, place) = (line.word.as_str(), printable(&line.place));
            writeln!(err, "{style}{word}:{style:#} {STRONG}{place}{STRONG:#}: {}", printable(line.message))?;
        }
        Ok(())
    }

    /// What a tool gave ahead of its answer, on standard error: `partial: …`, or `{"partial": …}`.
    pub(crate) fn partial(&self, output: &ToolOutput) -> io::Result<()> {
        match self.reader {
            Reader::Person => self.remark("partial", NOTE, output.to_text().trim_end()),
            Reader::Program => write_json(&mut anstream::stderr().lock(), &json!({"partial": output})),
        }
    }

    /// How far a tool is, on standard error: `progress: 3 of 10, reading`, or `{"progress": …}`.
    pub(crate) fn progress(&self, progress: &Progress) -> io::Result<()> {
        let Progress { done, total, message, .. } = progress;
        match self.reader {
            Reader::Person => {
                let total = total.map(|total| format!(" of {total}")).unwrap_or_default();
                let message = message.as_ref().map(|text| format!(", {text}")).unwrap_or_default();
                self.remark("progress", NOTE, &format!("{done}{total}{message}"))
            }
            Reader::Program => {
                let progress = json!({"done": done, "total": total, "message": message});
                write_json(&mut anstream::stderr().lock(), &json!({"progress": progress}))
            }
        }
    }

    /// Reports the error that ends the run.
    pub(crate) fn error(&self, error: &CliError) -> io::Result<()> {
        let mut err = anstream::stderr().lock();
        if self.is_json() {
            return write_json(&mut err, &error.to_json());
        }
        writeln!(err, "{ERROR}error:{ERROR:#} {}", printable(&error.to_string()))?;
        if let Some(help) = error.help() {
            writeln!(err, "{NOTE}help:{NOTE:#} {}", printable(&help))?;
        }
        Ok(())
    }

    /// The width to lay text out for; `None` where nobody looks, and nothing needs to be shortened.
    pub(crate) fn width(&self) -> Option<usize> {
        terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0).max(40))
    }
}

/// One object a line, for programs; standard error is often a terminal even then.
pub(crate) fn write_json(err: &mut impl io::Write, value: &Value) -> io::Result<()> {
    writeln!(err, "{}", printable_json(&value.to_string()))
}

/// `file:line:column: severity[code]: message`, with the place first and the fix on its own line.
fn write_diagnostic(err: &mut impl io::Write, style: Style, diagnostic: &Diagnostic) -> io::Result<()> {
    if let Some(file) = &diagnostic.file {
        write!(err, "{}:", printable(file))?;
        if let Some(place) = diagnostic.location {
            write!(err, "{}:{}:", place.line, place.column)?;
        }
        write!(err, " ")?;
    }
    let severity = serde_json::to_value(diagnostic.severity).ok();
    let severity = severity.as_ref().and_then(Value::as_str).unwrap_or("note");
    write!(err, "{style}{severity}[{}]:{style:#} {}", diagnostic.code, printable(&diagnostic.message))?;
    if !diagnostic.pointer.is_empty() {
        write!(err, " {FAINT}(at {}){FAINT:#}", printable(&diagnostic.pointer))?;
    }
    writeln!(err)?;
    if let Some(help) = &diagnostic.help {
        writeln!(err, "  {NOTE}help:{NOTE:#} {}", printable(help))?;
    }
    Ok(())
}

/// `1 tool`, `2 tools`.
pub(crate) fn counted(n: usize, word: &str) -> String {
    format!("{n} {word}{}", if n == 1 { "" } else { "s" })
}

/// A time limit as a person writes one: `2 s`, `0.3 s`.
pub(crate) fn seconds(time: Duration) -> String {
    // As many digits as anybody waits for.
    let rounded = (time.as_secs_f64() * 100.0).round() / 100.0;
    if rounded > 0.0 { format!("{rounded} s") } else { format!("{time:?}") }
}
