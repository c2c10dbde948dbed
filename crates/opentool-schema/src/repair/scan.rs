//! A place in a text that only moves forward, and what counts as blank there.

/// The reader's place in the text.
pub(super) struct Scan<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    /// How much was looked at, in bytes; the tests hold it against the length of the text.
    pub(super) looked: usize,
    /// The comment that the text ended in.
    pub(super) open_comment: Option<Comment>,
}

/// A comment that ends with the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comment {
    /// `// …`, without the end of the line.
    Line,
    /// `/* …`, without its end.
    Block,
}

impl<'t> Scan<'t> {
    pub(super) fn new(text: &'t str, at: usize) -> Self {
        Self { text, at, looked: 0, open_comment: None }
    }

    /// What was not read yet.
    #[inline]
    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    #[inline]
    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    #[inline]
    pub(super) fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.skip(next.len_utf8());
        Some(next)
    }

    #[inline]
    pub(super) fn skip(&mut self, bytes: usize) {
        self.at = self.at.saturating_add(bytes);
        self.looked = self.looked.saturating_add(bytes);
    }

    /// Takes one of the characters.
    pub(super) fn take(&mut self, wanted: impl Fn(char) -> bool) -> bool {
        let there = self.peek().is_some_and(wanted);
        if there {
            self.bump();
        }
        there
    }

    /// Skips white space, comments, and line ends that were escaped although they stand outside of strings.
    #[inline]
    pub(super) fn blank(&mut self) {
        let (bytes, open) = blanks(self.rest());
        self.open_comment = open;
        self.skip(bytes);
    }
}

/// The bytes of blank at the start of a text.
pub(super) fn blank(text: &str) -> usize {
    blanks(text).0
}

/// [`blank`], and the comment that it ends in where nothing follows.
pub(super) fn blanks(text: &str) -> (usize, Option<Comment>) {
    // The usual case: the next token stands right here.
    if text.as_bytes().first().is_some_and(|byte| byte.is_ascii_graphic() && !b"/#\\".contains(byte)) {
        return (0, None);
    }
    let (mut rest, mut open) = (text, None);
    loop {
        let plain = spaces(rest);
        let comment = comment(plain);
        if comment == 0 {
            return (text.len().saturating_sub(plain.len()), open.filter(|_| plain.is_empty()));
        }
        open = match plain.get(..comment) {
            Some(block) if block.starts_with("/*") => (!closes(block)).then_some(Comment::Block),
            _ => (comment == plain.len()).then_some(Comment::Line),
        };
        rest = plain.get(comment..).unwrap_or_default();
    }
}

/// Whether a comment that begins with `/*` has its end.
fn closes(block: &str) -> bool {
    block.len() >= 4 && block.ends_with("*/")
}

/// The text without white space at its start, comments left alone.
pub(super) fn spaces(text: &str) -> &str {
    if text.as_bytes().first().is_some_and(|byte| byte.is_ascii_graphic() && *byte != b'\\') {
        return text;
    }
    let mut rest = text;
    loop {
        let plain = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        match ["\\n", "\\r", "\\t"].iter().find_map(|escaped| plain.strip_prefix(escaped)) {
            Some(after) => rest = after,
            None => return plain,
        }
    }
}

/// The bytes of a comment at the start of a text; 0 where there is none.
pub(super) fn comment(text: &str) -> usize {
    let line = || text.find('\n').unwrap_or(text.len());
    match text.as_bytes() {
        [b'/', b'/', ..] | [b'#', b' ' | b'\t', ..] => line(),
        [b'/', b'*', ..] => {
            let end = text.get(2..).and_then(|inside| inside.find("*/"));
            end.map_or(text.len(), |end| end.saturating_add(4))
        }
        _ => 0,
    }
}

pub(super) fn is_comma(c: char) -> bool {
    matches!(c, ',' | '，' | '、')
}

pub(super) fn is_colon(c: char) -> bool {
    matches!(c, ':' | '：')
}

pub(super) fn opens_object(c: char) -> bool {
    matches!(c, '{' | '｛')
}

pub(super) fn opens_list(c: char) -> bool {
    matches!(c, '[' | '［')
}

pub(super) fn closes_object(c: char) -> bool {
    matches!(c, '}' | '｝')
}

pub(super) fn closes_list(c: char) -> bool {
    matches!(c, ']' | '］')
}

/// Whether a character opens a quotation.
pub(super) fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '“' | '”' | '„' | '‘' | '’' | '＂')
}

/// Whether a character may stand in a key without quotes.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '$' | '@')
}
