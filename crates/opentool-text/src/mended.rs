//! JSON that is nearly fine: numbers that nothing here can hold (`1e400`), halves of characters (`\ud800`), control
//! characters that stand in texts as they are, commas behind the last of a list or an object, and what is nested more deeply
//! than the reader goes.
//!
//! The reader stops at one of these as at a fault. So that a single one does not hide all the rest, the text is read once
//! more with something else in the place of each, equally long, so that nothing else moves: an escape of U+FFFD for half of
//! a character, spaces for control characters and commas, and a text for the others. Where one of these texts was read is known by its place; what it says is of no
//! interest.

use std::ops::Range;

/// Levels that `serde_json` reads.
pub(crate) const LEVELS: usize = 127;

/// With more of them a text is not nearly fine.
const MOST_PATCHES: usize = 100_000;

/// A text, and another to read in its place.
pub(crate) struct Source<'t> {
    original: &'t str,
    /// The same with something in the place of everything that cannot be read.
    replaced: Option<String>,
    /// What cannot be read, in order.
    patches: Vec<Patch>,
    has_halves: bool,
}

/// Something that cannot be read.
struct Patch {
    place: Range<usize>,
    what: What,
}

/// What it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    /// A number that nothing can hold.
    Number,
    /// A list or an object on a level that is not read.
    Deep,
    /// Half of a character.
    Half,
    /// Control characters in a text.
    Control,
    /// A comma behind which nothing comes but the end of a list or an object.
    Comma,
}

impl<'t> Source<'t> {
    /// The text as it is.
    pub(crate) fn plain(original: &'t str) -> Self {
        Self { original, replaced: None, patches: Vec::new(), has_halves: false }
    }

    /// The text without what cannot be read; `None` if there is nothing of the kind.
    pub(crate) fn mended(original: &'t str) -> Option<Self> {
        let patches = patches(original);
        if patches.is_empty() || patches.len() > MOST_PATCHES {
            return None;
        }
        let mut replaced = String::with_capacity(original.len());
        let mut done = 0_usize;
        for Patch { place, what } in &patches {
            replaced.push_str(original.get(done..place.start)?);
            match what {
                What::Number => {
                    // Digits, points, signs and exponents: nothing that a text would have to escape.
                    let inner = place.start.saturating_add(1)..place.end.saturating_sub(1);
                    replaced.push('"');
                    replaced.push_str(original.get(inner)?);
                    replaced.push('"');
                }
                What::Deep => {
                    replaced.push_str("\"\"");
                    let rest = original.as_bytes().get(place.start.saturating_add(2)..place.end)?;
                    replaced.extend(rest.iter().map(|byte| if *byte == b'\n' { '\n' } else { ' ' }));
                }
                What::Control | What::Comma => replaced.extend(place.clone().map(|_| ' ')),
                What::Half => replaced.push_str("\\ufffd"),
            }
            done = place.end;
        }
        replaced.push_str(original.get(done..)?);
        let has_halves = patches.iter().any(|patch| patch.what == What::Half);
        Some(Self { original, replaced: Some(replaced), patches, has_halves })
    }

    /// What is to be read.
    pub(crate) fn text(&self) -> &str {
        self.replaced.as_deref().unwrap_or(self.original)
    }

    /// The text as it is, in which everything has the place that it has in [`Self::text`].
    pub(crate) fn original_text(&self) -> &'t str {
        self.original
    }

    /// A part of [`Self::text`] as a part of the original.
    pub(crate) fn original(&self, part: &str) -> &'t str {
        let at = self.place(part);
        self.original.get(at..at.saturating_add(part.len())).unwrap_or_default()
    }

    /// In whose place this part of [`Self::text`] was read, as it is written, and where it begins.
    pub(crate) fn instead_of(&self, part: &str) -> Option<(What, usize, &'t str)> {
        if self.patches.is_empty() {
            return None;
        }
        let quote = self.place(part).checked_sub(1)?;
        let found = self.patches.binary_search_by_key(&quote, |patch| patch.place.start).ok()?;
        let Patch { place, what } = self.patches.get(found)?;
        matches!(what, What::Number | What::Deep).then_some((*what, quote, self.original.get(place.clone())?))
    }

    /// Where something of this kind stands.
    pub(crate) fn all(&self, what: What) -> impl Iterator<Item = usize> {
        self.patches.iter().filter(move |patch| patch.what == what).map(|patch| patch.place.start)
    }

    /// Whether a text that was read of it may have had half of a character in it.
    pub(crate) fn may_be_half(&self, text: &str) -> bool {
        self.has_halves && text.contains(char::REPLACEMENT_CHARACTER)
    }

    /// The byte at which a part of [`Self::text`] begins.
    fn place(&self, part: &str) -> usize {
        part.as_ptr().addr().saturating_sub(self.text().as_ptr().addr())
    }
}

/// What cannot be read, in the order of the text.
fn patches(text: &str) -> Vec<Patch> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let (mut at, mut level) = (0_usize, 0_usize);
    // Whether a value ended before, or a name: what a comma can stand behind.
    let mut is_behind = false;
    while let Some(byte) = bytes.get(at).filter(|_| found.len() <= MOST_PATCHES) {
        let was_behind = is_behind;
        is_behind = match byte {
            b' ' | b'\t' | b'\n' | b'\r' => was_behind,
            b'[' | b'{' => level >= LEVELS,
            b',' | b':' => false,
            _ => true,
        };
        match byte {
            b',' => {
                let rest = bytes.get(at.saturating_add(1)..).unwrap_or_default();
                if was_behind && matches!(rest.trim_ascii_start().first(), Some(b']' | b'}')) {
                    found.push(Patch { place: at..at.saturating_add(1), what: What::Comma });
                }
                at = at.saturating_add(1);
            }
            b'"' => at = behind_string(bytes, at, &mut found),
            b'[' | b'{' if level == LEVELS => {
                let end = behind_brackets(bytes, at);
                if let Some(end) = end {
                    found.push(Patch { place: at..end, what: What::Deep });
                }
                at = end.unwrap_or(bytes.len());
            }
            b'[' | b'{' => (at, level) = (at.saturating_add(1), level.saturating_add(1)),
            b']' | b'}' => (at, level) = (at.saturating_add(1), level.saturating_sub(1)),
            b'-' | b'0'..=b'9' => {
                let rest = bytes.get(at..).unwrap_or_default();
                let length = rest.iter().take_while(|byte| is_of_number(**byte)).count();
                let place = at..at.saturating_add(length);
                let written = text.get(place.clone()).filter(|number| is_json(number));
                at = place.end;
                if written.and_then(|number| number.parse::<f64>().ok()).is_some_and(f64::is_infinite) {
                    found.push(Patch { place, what: What::Number });
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

/// The place behind the brackets that open here; `None` if they do not close.
fn behind_brackets(bytes: &[u8], start: usize) -> Option<usize> {
    let (mut at, mut level) = (start, 0_usize);
    loop {
        match bytes.get(at)? {
            b'"' => {
                // What is in there is left out with it.
                at = behind_string(bytes, at, &mut Vec::new());
                continue;
            }
            b'[' | b'{' => level = level.saturating_add(1),
            b']' | b'}' => level = level.saturating_sub(1),
            _ => {}
        }
        at = at.saturating_add(1);
        if level == 0 {
            return Some(at);
        }
    }
}

/// The place behind a string that begins here, and what cannot be read in it.
fn behind_string(bytes: &[u8], start: usize, found: &mut Vec<Patch>) -> usize {
    /// What an escape of four digits takes.
    const LENGTH: usize = 6;
    let mut at = start.saturating_add(1);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => match escaped(bytes, at) {
                Some(0xD800..=0xDBFF)
                    if matches!(escaped(bytes, at.saturating_add(LENGTH)), Some(0xDC00..=0xDFFF)) =>
                {
                    at = at.saturating_add(2 * LENGTH);
                }
                Some(0xD800..=0xDFFF) => {
                    let end = at.saturating_add(LENGTH);
                    found.push(Patch { place: at..end, what: What::Half });
                    at = end;
                }
                _ => at = at.saturating_add(2),
            },
            b'"' => return at.saturating_add(1),
            0..0x20 => {
                let rest = bytes.get(at..).unwrap_or_default();
                let end = at.saturating_add(rest.iter().take_while(|byte| **byte < 0x20).count());
                if found.len() <= MOST_PATCHES {
                    found.push(Patch { place: at..end, what: What::Control });
                }
                at = end;
            }
            _ => at = at.saturating_add(1),
        }
    }
    at
}

/// The number of an escape (`\u00e9`) that begins here.
fn escaped(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..)?.strip_prefix(b"\\u")?.get(..4)?;
    let is_hex = digits.iter().all(u8::is_ascii_hexdigit);
    u32::from_str_radix(std::str::from_utf8(digits).ok().filter(|_| is_hex)?, 16).ok()
}
