//! What opens and closes within brackets: levels, quotes and comments, byte by byte. It deliberately does not judge whether the
//! brackets fit each other: the parser does.

/// Where something within brackets is.
#[derive(Default)]
pub(super) struct Flow {
    pub(super) level: usize,
    quote: Option<u8>,
    is_escaped: bool,
    is_comment: bool,
    /// Whether the last byte was the beginning of a value, or white space: a quote opens only there, and a comment.
    is_apart: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Opens,
    Closes,
    Other,
}

impl Flow {
    pub(super) fn is_quoted(&self) -> bool {
        self.quote.is_some()
    }

    pub(super) fn take(&mut self, byte: u8) -> Step {
        let is_apart = std::mem::replace(
            &mut self.is_apart,
            matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'[' | b'{' | b',' | b':'),
        );
        if self.is_comment {
            self.is_comment = byte != b'\n';
            return Step::Other;
        }
        if let Some(quote) = self.quote {
            let was_escaped = std::mem::take(&mut self.is_escaped);
            if !was_escaped && quote == b'"' && byte == b'\\' {
                self.is_escaped = true;
            } else if !was_escaped && byte == quote {
                self.quote = None;
            }
            return Step::Other;
        }
        match byte {
            b'"' | b'\'' if is_apart => self.quote = Some(byte),
            b'#' if is_apart => self.is_comment = true,
            b'[' | b'{' => {
                self.level = self.level.saturating_add(1);
                return Step::Opens;
            }
            b']' | b'}' => {
                self.level = self.level.saturating_sub(1);
                return Step::Closes;
            }
            _ => {}
        }
        Step::Other
    }
}
