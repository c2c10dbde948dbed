//! Marks that are quoted, not used: `` `<tool_call>` ``.
//!
//! What is quoted ends with its own backticks, unless a call in it goes on behind them: then nobody knows what is quoted.

use super::marks::{self, Mark};
use super::scan;

/// What a quotation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoted {
    /// Words, up to a place of the text.
    Upto(usize),
    /// Backticks that quote nothing.
    Nothing,
    /// A mark, and nobody knows what belongs to it.
    Open,
}

/// What the backticks quote that stand at a place of the text.
pub(super) fn at(text: &str, at: usize, ticks: usize) -> Quoted {
    let from = at.saturating_add(ticks);
    let rest = text.get(from..).unwrap_or_default();
    let line = rest.split('\n').next().unwrap_or_default();
    let begins_with_mark = marks::at_place(rest, 0).is_some_and(Mark::is_templates);
    let end = closing(line, ticks).or_else(|| closing(rest, ticks).filter(|_| begins_with_mark));
    match end.and_then(|end| Some((rest.get(..end)?, end))) {
        None if begins_with_mark => Quoted::Open,
        None => Quoted::Nothing,
        Some((inside, end)) if is_whole(inside) => {
            Quoted::Upto(from.saturating_add(end).saturating_add(ticks))
        }
        Some(_) => Quoted::Open,
    }
}

/// Where so many backticks stand, no more and no less.
fn closing(text: &str, ticks: usize) -> Option<usize> {
    let mut from = 0_usize;
    loop {
        let at = text.get(from..)?.find('`')?.saturating_add(from);
        let found = marks::ticks(text.get(at..)?);
        if found == ticks {
            return Some(at);
        }
        from = at.saturating_add(found);
    }
}

/// Whether a quoted text ends where its quotation does: there is no mark in it, a mark alone, or calls to their ends.
fn is_whole(inside: &str) -> bool {
    let Some((at, _)) = marks::next_of_template(inside, 0) else { return true };
    let marked = inside.get(at..).unwrap_or_default().trim();
    if !marked.contains(['{', '(', '"', '\'', '\n']) {
        let tags = marked.matches('<').count();
        let is_closed =
            marked.rfind("</").is_some_and(|at| !marked.get(at..).unwrap_or_default().contains(' '));
        let is_one = tags == 1 || (tags == 2 && is_closed);
        if (is_one && marked.ends_with('>')) || (tags == 0 && marked.ends_with([']', ':'])) {
            return true;
        }
    }
    scan::is_whole(inside)
}
