//! How a secret may be written: as it is, or as addresses, JSON and HTML escape it.
//!
//! Each form reads a text as bytes in one pass and says where each of them is written. An escape that is none is read
//! as what it is.

/// How a text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Plain,
    /// `%2F`. A `+` may stand for a blank or for itself, so the two are one.
    Percent,
    /// `\u002f`, `\"`.
    Json,
    /// `\\u002f`: the same within a text that is escaped once more, where two backslashes may be one and the begin of an
    /// escape.
    Nested,
    /// `&amp;`, `&#47;`.
    Html,
}

impl Form {
    /// The byte as this form compares it.
    pub(super) fn fold(self, byte: u8) -> u8 {
        if self == Self::Percent && byte == b' ' { b'+' } else { byte }
    }

    /// What begins an escape.
    fn lead(self) -> Option<u8> {
        match self {
            Self::Plain => None,
            Self::Percent => Some(b'%'),
            Self::Json | Self::Nested => Some(b'\\'),
            Self::Html => Some(b'&'),
        }
    }

    /// What the escape says with which `text` begins, and its length.
    fn escaped(self, text: &[u8]) -> Option<(char, usize)> {
        match (self, text) {
            (Self::Json | Self::Nested, [b'\\', b'u', digits @ ..]) => unicode(digits),
            (Self::Nested, [b'\\', b'\\', ..]) => None,
            (Self::Json | Self::Nested, [b'\\', c, ..]) if b"\"\\/".contains(c) => Some((char::from(*c), 2)),
            (Self::Html, [b'&', name @ ..]) => entity(name),
            _ => None,
        }
    }
}

/// The bytes that a text says.
#[derive(Clone)]
pub(super) struct Written<'t> {
    form: Form,
    text: &'t [u8],
    /// Where the last byte is written.
    at: usize,
    /// Where the next is.
    after: usize,
    /// The rest of a character that is written as one: its bytes, and how many of them are left.
    rest: ([u8; 4], usize, usize),
}

impl<'t> Written<'t> {
    pub(super) fn new(form: Form, text: &'t [u8]) -> Self {
        Self { form, text, at: 0, after: 0, rest: ([0; 4], 0, 0) }
    }

    /// Where the next byte is written.
    pub(super) fn at(&self) -> usize {
        if self.has_rest() { self.at } else { self.after }
    }

    /// Behind that with which the last byte is written.
    pub(super) fn after(&self) -> usize {
        self.after
    }

    pub(super) fn advance(&mut self, bytes: usize) {
        for _ in 0..bytes {
            self.next();
        }
    }

    /// Goes on to where this byte may be written.
    pub(super) fn seek(&mut self, first: u8) {
        if self.has_rest() {
            return;
        }
        let (lead, form) = (self.form.lead(), self.form);
        let may = |byte: &u8| form.fold(*byte) == first || Some(*byte) == lead;
        let ahead = self.text.get(self.after..).unwrap_or_default();
        self.after += ahead.iter().position(may).unwrap_or(ahead.len());
    }

    fn has_rest(&self) -> bool {
        self.rest.1 < self.rest.2
    }
}

impl Iterator for Written<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        if self.has_rest() {
            let byte = self.rest.0.get(self.rest.1).copied();
            self.rest.1 += 1;
            return byte;
        }
        let text = self.text.get(self.after..)?;
        let first = *text.first()?;
        self.at = self.after;
        if Some(first) == self.form.lead() {
            if let (Form::Percent, [_, high, low, ..]) = (self.form, text)
                && let Some(byte) = hex(&[*high, *low]).and_then(|byte| u8::try_from(byte).ok())
            {
                self.after += 3;
                return Some(self.form.fold(byte));
            }
            if let Some((c, used)) = self.form.escaped(text) {
                self.after += used;
                let mut bytes = [0; 4];
                let length = c.encode_utf8(&mut bytes).len();
                self.rest = (bytes, 1, length);
                return bytes.first().copied();
            }
        }
        self.after += 1;
        Some(self.form.fold(first))
    }
}

/// What `\u` and these digits are, and how long they are with it.
fn unicode(digits: &[u8]) -> Option<(char, usize)> {
    let first = hex(digits.get(..4)?)?;
    if let Some(c) = char::from_u32(first) {
        return Some((c, 6));
    }
    let second = hex(digits.get(4..)?.strip_prefix(b"\\u")?.get(..4)?)?;
    let pair = [u16::try_from(first).ok()?, u16::try_from(second).ok()?];
    Some((char::decode_utf16(pair).next()?.ok()?, 12))
}

/// What `&` and this name are, and how long they are with it.
fn entity(text: &[u8]) -> Option<(char, usize)> {
    let end = text.iter().take(10).position(|byte| *byte == b';')?;
    let c = match text.get(..end)? {
        b"amp" => '&',
        b"lt" => '<',
        b"gt" => '>',
        b"quot" => '"',
        b"apos" => '\'',
        [b'#', b'x' | b'X', digits @ ..] => char::from_u32(hex(digits)?)?,
        [b'#', digits @ ..] => char::from_u32(std::str::from_utf8(digits).ok()?.parse().ok()?)?,
        _ => return None,
    };
    Some((c, end + 2))
}

fn hex(digits: &[u8]) -> Option<u32> {
    let all = digits.iter().all(u8::is_ascii_hexdigit);
    u32::from_str_radix(std::str::from_utf8(digits).ok().filter(|_| all)?, 16).ok()
}
