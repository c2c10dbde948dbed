//! Bytes to text, in the encodings that documents are found in.
//!
//! Text that is clean UTF-8 is borrowed and costs one look. UTF-16 is read as what it is, with or without a mark. Of a
//! text in which single bytes are no UTF-8 and nothing else is UTF-8 beyond ASCII (what editors of Windows write) these are read as
//! Windows-1252, which has a character for nearly every byte: what differs stays different, the words of an `enum` too. Where both
//! are mixed all the rest is read, and it is one character of a description, mostly, that is lost. No other encoding is guessed.

use std::borrow::Cow;

use opentool_core::{Diagnostic, Location};

/// Why bytes are no text.
type Fault = Box<Diagnostic>;

/// What stands in the place of what cannot be read.
const REPLACEMENT: char = char::REPLACEMENT_CHARACTER;

/// A text, and what was done to read it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Decoded<'b> {
    /// The text without a byte order mark; it borrows from the bytes unless something had to be changed.
    pub text: Cow<'b, str>,
    /// That it is no UTF-8 (`utf-16`, `encoding`), and what could not be read of it (`encoding`).
    pub findings: Vec<Diagnostic>,
}

/// The bytes as text, without a byte order mark: UTF-8, UTF-16, or Windows-1252 where nothing speaks for UTF-8. What is none of
/// them becomes U+FFFD. Each but the first with a finding.
///
/// ```
/// let decoded = opentool_text::decode(b"a: caf\xE9\n")?;
/// assert_eq!(decoded.text, "a: caf\u{E9}\n");
/// assert_eq!(decoded.findings[0].location.map(|at| (at.line, at.column)), Some((1, 7)));
/// # Ok::<(), Box<opentool_core::Diagnostic>>(())
/// ```
///
/// # Errors
/// A diagnostic (`encoding`) if they are no text at all: neither encoding fits, and there are NUL bytes, which no text has.
pub fn decode(bytes: &[u8]) -> Result<Decoded<'_>, Fault> {
    if let Some(wide) = Wide::of(bytes) {
        return Ok(wide.decode(bytes));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Decoded { text: without_mark(text).into(), findings: Vec::new() }),
        Err(error) if bytes.contains(&0) => {
            let message =
                format!("this is no text (byte {}), so it is neither JSON nor YAML", error.valid_up_to());
            Err(Diagnostic::error("encoding", "", message)
                .help("give the JSON or YAML text itself; if it is in an archive, unpack it")
                .into())
        }
        Err(_) => Ok(windows(bytes).unwrap_or_else(|| lossy(bytes))),
    }
}

fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// The characters of Windows-1252 from 0x80 to 0x9F; the others are those of Unicode. U+FFFD where it has none.
const WINDOWS: [char; 32] = [
    '\u{20AC}',
    REPLACEMENT,
    '\u{201A}',
    '\u{0192}',
    '\u{201E}',
    '\u{2026}',
    '\u{2020}',
    '\u{2021}',
    '\u{02C6}',
    '\u{2030}',
    '\u{0160}',
    '\u{2039}',
    '\u{0152}',
    REPLACEMENT,
    '\u{017D}',
    REPLACEMENT,
    REPLACEMENT,
    '\u{2018}',
    '\u{2019}',
    '\u{201C}',
    '\u{201D}',
    '\u{2022}',
    '\u{2013}',
    '\u{2014}',
    '\u{02DC}',
    '\u{2122}',
    '\u{0161}',
    '\u{203A}',
    '\u{0153}',
    REPLACEMENT,
    '\u{017E}',
    '\u{0178}',
];

/// A text that is not UTF-8 as Windows-1252; `None` if something in it is UTF-8 all the same, or no character of that.
fn windows(bytes: &[u8]) -> Option<Decoded<'_>> {
    if bytes.utf8_chunks().any(|chunk| !chunk.valid().is_ascii()) {
        return None;
    }
    let mut text = String::with_capacity(bytes.len());
    let (mut others, mut first) = (0_usize, None);
    for byte in bytes {
        let character = match byte {
            0x80..0xA0 => WINDOWS.get(usize::from(byte.saturating_sub(0x80))).copied()?,
            _ => char::from(*byte),
        };
        if character == REPLACEMENT {
            return None;
        }
        if !byte.is_ascii() {
            first.get_or_insert((text.len(), *byte));
            others = others.saturating_add(1);
        }
        text.push(character);
    }
    let (at, byte) = first?;
    let message = match others {
        1 => format!("the byte 0x{byte:02X} is no UTF-8; the text is read as Windows-1252"),
        several => format!(
            "{several} bytes are no UTF-8, the first of them 0x{byte:02X}; the text is read as Windows-1252"
        ),
    };
    let found = Diagnostic::warning("encoding", "", message).location(location(&text, at));
    Some(Decoded { text: text.into(), findings: vec![found.help("save the document as UTF-8")] })
}

/// What is UTF-8 in the bytes, and what stands for the rest.
fn lossy(bytes: &[u8]) -> Decoded<'_> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut text = String::with_capacity(bytes.len());
    let (mut replaced, mut first) = (0_usize, None);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            first.get_or_insert((text.len(), chunk.invalid().first().copied().unwrap_or_default()));
            replaced = replaced.saturating_add(1);
            text.push(REPLACEMENT);
        }
    }
    let mut findings = Vec::new();
    if let Some((at, byte)) = first {
        let message = match replaced {
            1 => format!("the byte 0x{byte:02X} is no UTF-8; U+FFFD stands in its place"),
            several => format!(
                "{several} characters are no UTF-8, the first of them the byte 0x{byte:02X}; U+FFFD stands in the place of each"
            ),
        };
        let found = Diagnostic::warning("encoding", "", message).location(location(&text, at));
        findings.push(found.help("save the document as UTF-8"));
    }
    Decoded { text: text.into(), findings }
}

/// The line and column of a byte of the text.
fn location(text: &str, at: usize) -> Location {
    let before = text.get(..at).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    let ends = before.bytes().filter(|byte| *byte == b'\n').count();
    Location::new(ends.saturating_add(1), line.chars().count().saturating_add(1))
}

/// The order of the two bytes of UTF-16.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wide {
    Big,
    Little,
}

impl Wide {
    /// By a byte order mark; else by the first character, which is ASCII in JSON and in YAML.
    fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0xFE, 0xFF, ..] => Some(Self::Big),
            [0xFF, 0xFE, ..] => Some(Self::Little),
            [0, low, ..] if *low != 0 => Some(Self::Big),
            [low, 0, ..] if *low != 0 => Some(Self::Little),
            _ => None,
        }
    }

    fn decode(self, bytes: &[u8]) -> Decoded<'static> {
        let units = bytes.chunks_exact(2).map(|pair| {
            let pair = [pair.first().copied().unwrap_or_default(), pair.last().copied().unwrap_or_default()];
            match self {
                Self::Big => u16::from_be_bytes(pair),
                Self::Little => u16::from_le_bytes(pair),
            }
        });
        let mut text = String::with_capacity(bytes.len().div_ceil(2));
        let mut first = None;
        for unit in char::decode_utf16(units) {
            match unit {
                Ok('\u{feff}') if text.is_empty() => {}
                Ok(character) => text.push(character),
                Err(_) => {
                    first.get_or_insert(text.len());
                    text.push(REPLACEMENT);
                }
            }
        }
        let found = Diagnostic::warning("utf-16", "", "the text is UTF-16, and was read as that");
        let mut findings = vec![found.location(Location::new(1, 1)).help("save the document as UTF-8")];
        if let Some(at) = first {
            let message = "half of a character of UTF-16 stands here; U+FFFD stands in its place";
            findings.push(Diagnostic::warning("encoding", "", message).location(location(&text, at)));
        }
        Decoded { text: text.into(), findings }
    }
}
