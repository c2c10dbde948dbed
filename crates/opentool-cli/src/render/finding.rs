//! Colours for diagnostics that are shown with their line.

use opentool::Severity;

use crate::console::{ERROR, FAINT, NOTE, WARNING};

/// A rendered diagnostic with colours: its kind and its caret by how bad it is, the frame faint.
pub(crate) fn finding(rendered: &str, severity: Severity) -> String {
    let style = match severity {
        Severity::Error => ERROR,
        Severity::Warning => WARNING,
        _ => NOTE,
    };
    let mut shown = String::with_capacity(rendered.len().saturating_mul(2));
    for (i, line) in rendered.lines().enumerate() {
        if i > 0 {
            shown.push('\n');
        }
        if i == 0 {
            let (word, rest) = line.split_once(": ").unwrap_or((line, ""));
            shown.push_str(&format!("{style}{word}:{style:#} {rest}"));
            continue;
        }
        match Frame::of(line) {
            Frame::Source(frame, source) => shown.push_str(&format!("{FAINT}{frame}{FAINT:#}{source}")),
            Frame::Caret(frame, caret, rest) => {
                shown.push_str(&format!(
                    "{FAINT}{frame}{FAINT:#}{style}{caret}{style:#}{FAINT}{rest}{FAINT:#}"
                ));
            }
            Frame::Help(frame, text) => {
                shown.push_str(&format!("{FAINT}{frame}{FAINT:#}{NOTE}help:{NOTE:#}{text}"));
            }
            Frame::Other => shown.push_str(&format!("{FAINT}{line}{FAINT:#}")),
        }
    }
    shown
}

/// The parts of a line below the first.
enum Frame<'l> {
    /// ` 9 | ` and the line of the document.
    Source(&'l str, &'l str),
    /// `   |     `, the carets, and the pointer.
    Caret(&'l str, &'l str, &'l str),
    /// `   = `, and what comes after `help:`.
    Help(&'l str, &'l str),
    Other,
}

impl<'l> Frame<'l> {
    fn of(line: &'l str) -> Self {
        let start = line.trim_start();
        if let Some(text) = start.strip_prefix("= help:") {
            let frame = line.len().saturating_sub(text.len()).saturating_sub("help:".len());
            return Self::Help(line.get(..frame).unwrap_or_default(), text);
        }
        if let Some(rest) = start.strip_prefix("| ") {
            let carets = rest.trim_start();
            let indent = line.len().saturating_sub(carets.len());
            let pointer = carets.trim_start_matches('^');
            let carets = carets.get(..carets.len().saturating_sub(pointer.len())).unwrap_or_default();
            return Self::Caret(line.get(..indent).unwrap_or_default(), carets, pointer);
        }
        match line.split_once(" | ") {
            Some((number, source)) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
                let frame = line.len().saturating_sub(source.len());
                Self::Source(line.get(..frame).unwrap_or_default(), source)
            }
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use opentool::{Diagnostic, Location, Severity};

    use super::finding;

    #[test]
    fn colours_change_nothing_but_the_look() {
        let source = "{\n  \"a | b\": \"^ = help: x\"\n}";
        let found = Diagnostic::error("rule", "/a | b", "it: is | wrong").help("mend: it").file("f.json");
        for found in [found.clone(), found.location(Location::new(2, 12))] {
            let rendered = opentool_text::render(&found, source);
            let shown = finding(&rendered, Severity::Error);
            assert_eq!(anstream::adapter::strip_str(&shown).to_string(), rendered);
            assert!(shown.contains("help:\u{1b}") && shown.starts_with('\u{1b}'), "{shown}");
        }
    }
}
