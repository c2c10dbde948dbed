//! Marks that are quoted, not used: `` `<tool_call>` ``, or an example in a fence.
//!
//! A fence behind which there is nothing more is no example: a model that waits for its call wrote it last. What is quoted ends with its own backticks, unless a call in it goes on behind them: then nobody knows what is quoted.

use super::marks::{self, Mark};
use super::{scan, without_tokens};

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
    let begins_with_mark = marks::at_place(rest, 0).is_some_and(Mark::is_templates);
    let is_near = |end: &usize| rest.get(..*end).is_some_and(|inside| !inside.contains('\n'));
    let end = closing(rest, ticks).filter(|end| begins_with_mark || is_near(end));
    match end.and_then(|end| Some((rest.get(..end)?, end))) {
        None if begins_with_mark => Quoted::Open,
        None => Quoted::Nothing,
        Some((inside, end)) if is_whole(inside) => {
            Quoted::Upto(from.saturating_add(end).saturating_add(ticks))
        }
        Some(_) => Quoted::Open,
    }
}

/// The fences of one text, from its beginning on.
#[derive(Debug, Default)]
pub(super) struct Fences {
    /// From here on nothing closes a fence of backticks, or of tildes, that is at least so long.
    open: [Option<usize>; 2],
    /// Up to here fences have words behind them.
    words: usize,
    /// The fences from here on are the last in the text.
    are_last: bool,
}

impl Fences {
    /// What the fence quotes that begins with a run of so many letters.
    pub(super) fn at(&mut self, text: &str, at: usize, run: usize) -> Quoted {
        if self.are_last {
            return Quoted::Nothing;
        }
        let Some((inside, end)) = self.close(text, at, run) else { return Quoted::Nothing };
        if at >= self.words && self.is_last(text, end) {
            self.are_last = true;
            return Quoted::Nothing;
        }
        let inside = text.get(at.saturating_add(run)..inside).unwrap_or_default();
        if marks::next_of_template(inside, 0).is_none() || scan::is_whole(inside) {
            Quoted::Upto(end)
        } else {
            Quoted::Open
        }
    }

    /// Whether nothing but fences follows a place.
    fn is_last(&mut self, text: &str, mut at: usize) -> bool {
        loop {
            let Some(rest) = text.get(at..) else { return false };
            let next = rest.trim_start();
            let start = text.len().saturating_sub(next.len());
            if without_tokens(next).is_empty() {
                return true;
            }
            let run = match marks::at_place(text, start) {
                Some(Mark::Fence(run)) => run,
                _ => 0,
            };
            match self.close(text, start, run).filter(|_| run > 0) {
                Some((_, end)) => at = end,
                None => {
                    self.words = start;
                    return false;
                }
            }
        }
    }

    /// Where the line begins that closes a fence, and where it ends.
    fn close(&mut self, text: &str, at: usize, run: usize) -> Option<(usize, usize)> {
        let fence = text.get(at..)?;
        let letter = fence.chars().next()?;
        let known = self.open.get_mut(usize::from(letter == '~'))?;
        if known.is_some_and(|shortest| run >= shortest) {
            return None;
        }
        let mut place = at.saturating_add(fence.find('\n')?).saturating_add(1);
        for line in text.get(place..)?.split_inclusive('\n') {
            let after = line.trim_start_matches([' ', '\t']);
            let rest = after.trim_start_matches(letter);
            if after.len().saturating_sub(rest.len()) >= run && rest.trim().is_empty() {
                return Some((place, place.saturating_add(line.len())));
            }
            place = place.saturating_add(line.len());
        }
        *known = Some(run);
        None
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
