//! Text that should have been JSON: read as what it can only have meant, or refused.
//!
//! Models write trailing commas, Python literals, fences, prose, quotes that are not escaped. This reads all of
//! that in one pass over the text: linear time, an own stack instead of recursion, [`LEVELS`] levels, [`LONGEST`]
//! bytes. It guesses nothing: where a text can be read in two ways, or was cut off, it is a [`Fault`]. It knows no
//! schema: what only a schema can tell (is `02134` a number?) travels on as [`Marks`]. Text that is JSON is read to
//! the same value as by `serde_json`.

mod bare;
mod close;
mod marks;
mod parse;
mod place;
mod quoted;
mod scan;
mod trailing;
mod yaml;

use serde_json::Value;

pub(crate) use marks::{Mark, Marks};
use parse::parse;
use place::{Start, start};

/// Levels of arrays and objects that are read.
pub(crate) const LEVELS: usize = 128;
/// Bytes of text that are repaired; longer text must be JSON as it stands.
pub(crate) const LONGEST: usize = 4 << 20;

/// How far a reading goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tolerance {
    /// Only what cannot mean anything else, and no words without quotes: texts that need not be JSON at all.
    Quoted,
    /// Only what cannot mean anything else.
    Sure,
    /// Also what most probably means it: `=` for `:`, lines of `key: value`, missing brackets at the end.
    Wide,
    /// The text is the beginning of one that is still being written.
    Prefix,
}

/// Why a text is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is not JSON, and can be read in no way or in several.
    NotJson {
        /// The byte where reading stopped.
        at: usize,
        /// What is wrong there.
        why: &'static str,
    },
    /// It ends before it is whole.
    Truncated,
    /// It nests deeper than [`LEVELS`].
    TooDeep,
    /// It is longer than [`LONGEST`].
    TooLong,
}

/// What was written: the value, and how it was written where that matters.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Written {
    pub(crate) value: Value,
    pub(crate) marks: Marks,
}

impl Written {
    /// A value that tells all about itself.
    pub(crate) fn plain(value: impl Into<Value>) -> Self {
        Self { value: value.into(), marks: Marks::default() }
    }
}

/// Reads a text.
pub(crate) fn read(text: &str, tolerance: Tolerance) -> Result<Written, Fault> {
    if text.len() > LONGEST {
        return Err(Fault::TooLong);
    }
    if tolerance == Tolerance::Wide
        && let Some(plain) = place::without_entities(text)
    {
        return read(&plain, Tolerance::Sure);
    }
    let found = match start(text) {
        Start::At(at) => whole(text, at, parse::Opening::Written, tolerance),
        Start::Inside(at) => whole(text, at, parse::Opening::Implied, tolerance),
        Start::Quoted(inner) => return Ok(Written::plain(inner)),
        Start::Cut => return Err(Fault::Truncated),
        Start::Nowhere => Err(Fault::NotJson { at: 0, why: "there is no JSON object in it" }),
    };
    match found {
        Err(fault @ Fault::NotJson { .. }) => {
            if let Some(plain) = place::without_escapes(text) {
                return read(&plain, tolerance);
            }
            if tolerance == Tolerance::Wide
                && let Some(lines) = yaml::lines(text)
            {
                return Ok(lines);
            }
            Err(fault)
        }
        other => other,
    }
}

/// What stands before and behind the value in a text that is read.
pub(crate) fn around(text: &str) -> (&str, &str) {
    let Start::At(at) = start(text) else { return ("", "") };
    let end = text.rfind(['}', '｝']).filter(|end| *end > at).unwrap_or(text.len());
    (text.get(..at).unwrap_or_default(), text.get(end..).unwrap_or_default().trim_start_matches(['}', '｝']))
}

/// Reads a text that is JSON but for numbers that are too large. It may be of any length.
pub(crate) fn read_json(text: &str) -> Result<Written, Fault> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    whole(text, scan::blank(text), parse::Opening::Written, Tolerance::Sure)
}

/// The object or list that a text begins with, and where it ends.
pub(crate) fn first_value(text: &str, tolerance: Tolerance) -> Option<(Written, usize)> {
    let (written, end) = parse(text, 0, parse::Opening::Written, tolerance).ok()?;
    written.marks.no_number().is_none().then_some((written, end))
}

/// [`first_value`] for a reader of many values in one text, who knows where its last brace is.
pub(crate) fn next_value(text: &str, last_brace: usize, tolerance: Tolerance) -> Option<(Written, usize)> {
    let (written, end) = parse::parse_with(text, last_brace, tolerance).ok()?;
    written.marks.no_number().is_none().then_some((written, end))
}

/// A number or a constant; `None` for any other word.
pub(crate) fn bare_literal(word: &str) -> Option<Written> {
    match bare::classify(word) {
        bare::Bare::Value(Written { value: Value::String(_), .. }) => None,
        bare::Bare::Value(written) => Some(written),
        bare::Bare::Absent | bare::Bare::Open => None,
    }
}

/// The one value that starts at `at`; what follows it must say nothing more.
fn whole(text: &str, at: usize, opening: parse::Opening, tolerance: Tolerance) -> Result<Written, Fault> {
    let (first, end) = parse(text, at, opening, tolerance)?;
    trailing::settle(text, first, end, tolerance)
}

#[cfg(test)]
mod tests;
