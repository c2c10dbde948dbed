//! Numbers that change when they are read: an integer beyond 64 bits, more digits than a double has.
//!
//! A value holds what was read, so whether that is what was written can only be seen in the text. Few numbers can be meant;
//! the text is looked at for those alone.

use opentool_text::{Notation, Pointer, Spot, Tree, locate};
use serde_json::Number;

use super::{Culprit, Findings, rule};
use crate::words::short;

/// More of them are not looked at.
const MOST: usize = 100_000;

/// The first integer that a double may stand for wrongly; smaller ones are held as integers.
const LARGE: f64 = 1e15;

/// The most digits that every double holds.
const SAFE_DIGITS: usize = 15;

/// Adds what the reading changed.
pub(crate) fn check(value: &Tree<'_>, text: &str, notation: Notation, findings: &mut Findings) {
    // Integers are held as they are written, and hardly any document has other numbers.
    if !has_float(value) {
        return;
    }
    let signs = Signs::of(text);
    // YAML writes numbers in more ways than one.
    if notation == Notation::Json && signs == Signs::default() {
        return;
    }
    let mut suspects = Suspects { all: signs.long, found: Vec::new() };
    suspects.collect(value, &mut Pointer::default());
    if suspects.found.is_empty() {
        return;
    }
    let places = locate(text, notation, suspects.found.iter().map(|(pointer, _)| Spot::Value(pointer)));
    let mut placed: Vec<_> =
        places.into_iter().zip(suspects.found).filter_map(|(place, found)| Some((place?, found))).collect();
    placed.sort_by_key(|(place, _)| (place.line, place.column));
    let mut placed = placed.into_iter().peekable();
    // One pass: a document can be one line of megabytes.
    let (mut line, mut column) = (1_usize, 1_usize);
    for (at, c) in text.char_indices() {
        while let Some((_, (pointer, number))) =
            placed.next_if(|(place, _)| (place.line, place.column) == (line, column))
        {
            compare(text.get(at..).unwrap_or_default(), &pointer, number, findings);
        }
        if placed.peek().is_none() {
            return;
        }
        (line, column) =
            if c == '\n' { (line.saturating_add(1), 1) } else { (line, column.saturating_add(1)) };
    }
}

fn has_float(value: &Tree<'_>) -> bool {
    match value {
        Tree::Number(number) => number.is_f64(),
        Tree::Array(items) => items.iter().any(has_float),
        Tree::Object(members) => members.iter().any(|(_, member)| has_float(member)),
        _ => false,
    }
}

/// Adds the number at the beginning of the text if it is not what was read.
fn compare(text: &str, pointer: &str, number: &Number, findings: &mut Findings) {
    let end = text.find(|c: char| !(c.is_ascii_digit() || "+-.eE".contains(c))).unwrap_or(text.len());
    // What is no number is the alias of one; its anchor is told of.
    let Some(written) = text.get(..end).filter(|written| !written.is_empty()) else { return };
    let read = number.to_string();
    let is_integer = !written.contains(['.', 'e', 'E']);
    if is_integer || digits(written) != digits(&read) {
        let message = format!("the number {} cannot be kept; it is read as {read}", short(written));
        let help =
            "write it as a string, in quotes: integers have up to 64 bits, other numbers about 15 digits";
        findings.add(rule::INEXACT_NUMBER, Culprit::Value, pointer, message, help);
    }
}

/// What in a text can only be there if a number is one that may not be kept.
#[derive(Debug, Default, PartialEq, Eq)]
struct Signs {
    /// There are more digits in a row than are safe.
    long: bool,
    /// A digit or a point stands before an `e`.
    exponent: bool,
}

impl Signs {
    /// Those of a text; what stands in its strings counts as well.
    fn of(text: &str) -> Self {
        let mut signs = Self::default();
        let mut run = 0_usize;
        for byte in text.bytes() {
            match byte {
                b'0'..=b'9' => run = run.saturating_add(1),
                b'.' if run > 0 => {}
                _ if run == 0 => {}
                _ => {
                    signs.long |= run > SAFE_DIGITS;
                    signs.exponent |= matches!(byte, b'e' | b'E');
                    run = 0;
                }
            }
        }
        signs.long |= run > SAFE_DIGITS;
        signs
    }
}

/// Numbers that may have been written otherwise.
struct Suspects<'v> {
    /// Every double is one.
    all: bool,
    found: Vec<(String, &'v Number)>,
}

impl<'v> Suspects<'v> {
    fn collect(&mut self, value: &'v Tree<'_>, at: &mut Pointer) {
        match value {
            Tree::Number(number) if self.found.len() < MOST && self.is_suspect(number) => {
                self.found.push((at.as_str().to_owned(), number));
            }
            Tree::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    let mark = at.enter_item(index);
                    self.collect(item, at);
                    at.back(mark);
                }
            }
            Tree::Object(members) => {
                for (name, member) in members.iter() {
                    let mark = at.enter(name);
                    self.collect(member, at);
                    at.back(mark);
                }
            }
            _ => {}
        }
    }

    fn is_suspect(&self, number: &Number) -> bool {
        let float = number.as_f64().unwrap_or_default();
        number.is_f64() && (self.all || float == 0.0 || float.abs() >= LARGE)
    }
}

/// The digits that count: without sign, point, exponent, and zeros at either end.
fn digits(number: &str) -> String {
    let mantissa = number.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').to_owned()
}
