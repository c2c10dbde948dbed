//! Where secrets stand in a text, however it is written, in time that grows with the text alone.
//!
//! A service chooses its answer, and a token endpoint its token, so neither may decide how long a search takes: each
//! secret is sought once per way of writing, and no byte is gone over again for a match that fails (Knuth, Morris and
//! Pratt). What it does not decide: what is put in a secret's place.

use std::ops::Range;

use super::form::{Form, Written};

/// A secret, ready to be sought.
pub(super) struct Needle {
    /// As it is, for all forms but one.
    plain: Pattern,
    /// As [`Form::Percent`] reads it.
    folded: Option<Pattern>,
}

impl Needle {
    pub(super) fn new(secret: &str) -> Self {
        let folds = secret.contains([' ', '+']);
        let folded =
            folds.then(|| Pattern::new(secret.bytes().map(|byte| Form::Percent.fold(byte)).collect()));
        Self { plain: Pattern::new(secret.as_bytes().to_vec()), folded }
    }
}

/// The places of all needles, in order; none overlaps another.
pub(super) fn places(text: &[u8], needles: &[Needle]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let has = |byte: u8| text.contains(&byte);
    let (percent, json, html) = (has(b'%'), has(b'\\'), has(b'&'));
    let nested = json && text.windows(2).any(|two| two == br"\\");
    for needle in needles {
        needle.plain.find(Form::Plain, text, &mut found);
        if percent || needle.folded.is_some() {
            needle.folded.as_ref().unwrap_or(&needle.plain).find(Form::Percent, text, &mut found);
        }
        if json {
            needle.plain.find(Form::Json, text, &mut found);
        }
        if nested {
            needle.plain.find(Form::Nested, text, &mut found);
        }
        if html {
            needle.plain.find(Form::Html, text, &mut found);
        }
    }
    found.sort_unstable_by_key(|place: &Range<usize>| place.start);
    found.dedup_by(|next, before| {
        let overlap = next.start < before.end;
        if overlap {
            before.end = before.end.max(next.end);
        }
        overlap
    });
    found
}

struct Pattern {
    bytes: Vec<u8>,
    /// For each beginning of the pattern, the length of its longest end that is a beginning too.
    borders: Vec<usize>,
}

impl Pattern {
    fn new(bytes: Vec<u8>) -> Self {
        let mut borders = Vec::with_capacity(bytes.len());
        let mut length = 0_usize;
        for (at, byte) in bytes.iter().enumerate() {
            while length > 0 && bytes.get(length) != Some(byte) {
                length = border(&borders, length);
            }
            if at > 0 && bytes.get(length) == Some(byte) {
                length += 1;
            }
            borders.push(length);
        }
        Self { bytes, borders }
    }

    /// Adds the places of the pattern, those that overlap as one.
    fn find(&self, form: Form, text: &[u8], found: &mut Vec<Range<usize>>) {
        let Some(first) = self.bytes.first() else { return };
        let own = found.len();
        let mut ahead = Written::new(form, text);
        // Where that begins of which `held` bytes are known to be right.
        let (mut begin, mut held) = (ahead.clone(), 0_usize);
        loop {
            if held == 0 {
                ahead.seek(*first);
                begin = ahead.clone();
            }
            let Some(byte) = ahead.next() else { return };
            while held > 0 && self.bytes.get(held) != Some(&byte) {
                let shorter = border(&self.borders, held);
                begin.advance(held - shorter);
                held = shorter;
            }
            if self.bytes.get(held) == Some(&byte) {
                held += 1;
            }
            if held == self.bytes.len() {
                let place = begin.at()..ahead.after();
                match found.get_mut(own..).and_then(<[_]>::last_mut) {
                    Some(last) if place.start < last.end => last.end = place.end,
                    _ => found.push(place),
                }
                let shorter = border(&self.borders, held);
                begin.advance(held - shorter);
                held = shorter;
            }
        }
    }
}

fn border(borders: &[usize], length: usize) -> usize {
    length.checked_sub(1).and_then(|last| borders.get(last)).copied().unwrap_or(0)
}
