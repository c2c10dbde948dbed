//! Numbers of JSON that nothing here can hold: `1e400`.
//!
//! They are JSON, and the reader stops at one as at a fault. So that a single one does not hide all the rest, the text is
//! read once more with a text in the place of each, equally long, so that nothing else moves. Where one of these was read
//! is known by its place; what it says is of no interest.

use std::ops::Range;

/// A text, and another to read in its place.
pub(crate) struct Source<'t> {
    original: &'t str,
    /// The same with a text in the place of every number that nothing can hold.
    replaced: Option<String>,
    /// Where these numbers stand, in order.
    beyond: Vec<Range<usize>>,
}

impl<'t> Source<'t> {
    /// The text as it is.
    pub(crate) fn plain(original: &'t str) -> Self {
        Self { original, replaced: None, beyond: Vec::new() }
    }

    /// The text without the numbers that nothing can hold; `None` if there are none.
    pub(crate) fn without_beyond(original: &'t str) -> Option<Self> {
        let beyond = beyond(original);
        if beyond.is_empty() {
            return None;
        }
        let mut replaced = String::with_capacity(original.len());
        let mut done = 0_usize;
        for number in &beyond {
            // Digits, points, signs and exponents: nothing that a text would have to escape.
            let inner = number.start.saturating_add(1)..number.end.saturating_sub(1);
            replaced.push_str(original.get(done..number.start)?);
            replaced.push('"');
            replaced.push_str(original.get(inner)?);
            replaced.push('"');
            done = number.end;
        }
        replaced.push_str(original.get(done..)?);
        Some(Self { original, replaced: Some(replaced), beyond })
    }

    /// What is to be read.
    pub(crate) fn text(&self) -> &str {
        self.replaced.as_deref().unwrap_or(self.original)
    }

    /// A part of [`Self::text`] as a part of the original.
    pub(crate) fn original(&self, part: &str) -> &'t str {
        let at = self.place(part);
        self.original.get(at..at.saturating_add(part.len())).unwrap_or_default()
    }

    /// The number in whose place this part of [`Self::text`] was read, and where it begins.
    pub(crate) fn beyond(&self, part: &str) -> Option<(usize, &'t str)> {
        if self.beyond.is_empty() {
            return None;
        }
        let quote = self.place(part).checked_sub(1)?;
        let found = self.beyond.binary_search_by_key(&quote, |number| number.start).ok()?;
        Some((quote, self.original.get(self.beyond.get(found)?.clone())?))
    }

    /// The byte at which a part of [`Self::text`] begins.
    fn place(&self, part: &str) -> usize {
        part.as_ptr().addr().saturating_sub(self.text().as_ptr().addr())
    }
}

/// Where numbers stand that are larger than any number of 64 bits.
fn beyond(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0_usize;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at = behind_string(bytes, at),
            b'-' | b'0'..=b'9' => {
                let rest = bytes.get(at..).unwrap_or_default();
                let length = rest.iter().take_while(|byte| is_of_number(**byte)).count();
                let number = at..at.saturating_add(length);
                let written = text.get(number.clone()).filter(|number| is_json(number));
                at = number.end;
                if written.and_then(|number| number.parse::<f64>().ok()).is_some_and(f64::is_infinite) {
                    found.push(number);
                }
            }
            _ => at = at.saturating_add(1),
        }
    }
    found
}

fn is_of_number(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E')
}

/// Whether it is a number of JSON: Rust reads more than these.
fn is_json(number: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = number.strip_prefix('-').unwrap_or(number);
    let (mantissa, exponent) = match number.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.strip_prefix(['-', '+']).unwrap_or(exponent)),
        None => (number, "0"),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    digits(whole) && (whole == "0" || !whole.starts_with('0')) && digits(fraction) && digits(exponent)
}

/// The place behind a string that begins here.
fn behind_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start.saturating_add(1);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at = at.saturating_add(2),
            b'"' => return at.saturating_add(1),
            _ => at = at.saturating_add(1),
        }
    }
    at
}
