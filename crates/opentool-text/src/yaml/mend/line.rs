//! A line of a block: where its key ends and its value begins, and where the texts are that go on in the lines below it.
//!
//! What goes on is a text whatever it looks like: a description may hold brackets and colons. It is found by its indentation, as
//! the parser finds it. It deliberately knows no more of YAML than that.

/// A line that is no part of a text that goes on.
pub(super) struct Line {
    /// Where the value begins: behind `- `, and behind a key with its colon; else where the content of the line does.
    pub(super) value: usize,
    /// The least indentation of what belongs to the value in the lines below it.
    pub(super) below: usize,
}

/// What a value is, as far as it goes on below its line.
pub(super) enum Begins {
    /// `|` or `>`; whether it says how far it is indented.
    Block { is_told: bool },
    /// A text in quotes that begins at this byte of the line.
    Quoted(usize),
    /// A text without quotes.
    Plain,
    /// On a line below.
    Below,
    /// None of these.
    Other,
}

/// A text that goes on below the line on which it began.
#[derive(Clone, Copy)]
pub(super) struct Text {
    /// The least indentation of its lines.
    pub(super) from: usize,
    pub(super) is_block: bool,
    /// Whether its first line says how far all of them are indented.
    pub(super) is_open: bool,
}

impl Line {
    pub(super) fn of(line: &str, indent: usize) -> Self {
        let bytes = line.as_bytes();
        let space = |at: usize| {
            bytes.get(at..).unwrap_or_default().iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
        };
        let (mut at, mut below) = (indent, indent);
        if indent == 0 && is_marker(line) {
            return Self { value: 3_usize.saturating_add(space(3)), below: 0 };
        }
        while matches!(bytes.get(at), Some(b'-' | b'?')) && space(at.saturating_add(1)) > 0 {
            at = at.saturating_add(1);
            below = at;
            at = at.saturating_add(space(at));
        }
        let mut quote = None;
        let mut colon = at;
        while let Some(byte) = bytes.get(colon) {
            match (byte, quote) {
                (b'"' | b'\'', None) if colon == at => quote = Some(*byte),
                (byte, Some(open)) if *byte == open => quote = None,
                (b'[' | b'{' | b'#', None) if colon == at => break,
                (b':', None) => {
                    let behind = colon.saturating_add(1);
                    let space = space(behind);
                    if space > 0 || matches!(bytes.get(behind), None | Some(b'\n' | b'\r')) {
                        return Self { value: behind.saturating_add(space), below: at.saturating_add(1) };
                    }
                }
                _ => {}
            }
            colon = colon.saturating_add(1);
        }
        Self { value: at, below }
    }

    /// What the value is.
    pub(super) fn begins(&self, line: &str) -> Begins {
        let mut value = line.get(self.value..).unwrap_or_default();
        // Tags and anchors stand before it.
        while value.starts_with(['!', '&']) {
            let end = value.find([' ', '\t', '\r', '\n']).unwrap_or(value.len());
            value = value.get(end..).unwrap_or_default().trim_start_matches([' ', '\t']);
        }
        match value.as_bytes().first() {
            Some(b'|' | b'>') => {
                let header = value.split([' ', '\t', '\r', '\n']).next().unwrap_or_default();
                Begins::Block { is_told: header.contains(|c: char| c.is_ascii_digit()) }
            }
            Some(b'"' | b'\'') => Begins::Quoted(line.len().saturating_sub(value.len())),
            Some(b'[' | b'{' | b'*') => Begins::Other,
            Some(b'#') => Begins::Below,
            _ if matches!(value.trim_end(), "" | "-" | "?") => Begins::Below,
            _ => Begins::Plain,
        }
    }
}

impl Text {
    /// Whether a line belongs to it that holds something, or is indented as far. After the first line of a block it is known how
    /// far all are.
    pub(super) fn takes(&mut self, line: &str) -> bool {
        let spaces = line.len().saturating_sub(line.trim_start_matches(' ').len());
        let is_empty = line.trim_end().is_empty();
        if spaces < self.from || (is_empty && !self.is_block) || is_marker(line) {
            return false;
        }
        if self.is_open && !is_empty {
            *self = Self { from: spaces, is_open: false, ..*self };
        }
        true
    }
}

/// Whether a document begins or ends here.
fn is_marker(line: &str) -> bool {
    let rest = line.strip_prefix("---").or_else(|| line.strip_prefix("..."));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']))
}

/// How long a text in quotes is that begins here, with its quotes; `None` if it does not end within so many bytes.
pub(super) fn quoted(rest: &str, most: usize) -> Option<usize> {
    let mut bytes = rest.bytes().enumerate().take(most);
    let (_, quote) = bytes.next()?;
    while let Some((at, byte)) = bytes.next() {
        if byte == quote {
            return Some(at.saturating_add(1));
        }
        if byte == b'\\' && quote == b'"' {
            bytes.next();
        }
    }
    None
}

/// Whether a line within brackets could as well be one of the block around them: it begins with a key without quotes, or as an
/// item of a list.
pub(super) fn is_of_block(line: &str) -> bool {
    let content = line.trim_start_matches([' ', '\t']);
    let own = Line::of(content, 0);
    own.value > 0 && !content.starts_with(['"', '\'', '[', '{', ']', '}', ',', ':'])
}
