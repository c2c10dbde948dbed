//! The lines of a stream: one message each, of a bounded length.
//!
//! A line that is too long is skimmed while it passes, never held. What follows the last line end is a line too:
//! `printf '{…}' | opentool serve --stdio` writes none.

use std::io;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

use crate::skim::{Skim, Skimmed};

/// Allowed before JSON, and without a meaning.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Reads lines.
pub(crate) struct Lines<R> {
    read: BufReader<R>,
    line: Vec<u8>,
    most: usize,
    /// What is known of a line that is too long, until it ends.
    passing: Option<Skim>,
}

/// What comes next.
#[derive(Debug)]
pub(crate) enum Line {
    /// A line without its end; never empty.
    Whole(Vec<u8>),
    /// A line with more bytes than are taken.
    TooLong(Skimmed),
    /// The other side has closed.
    End,
    /// The stream broke.
    Broken(io::Error),
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// The lines of `read`, of at most `most` bytes.
    pub(crate) fn new(read: R, most: usize) -> Self {
        Self { read: BufReader::new(read), line: Vec::new(), most, passing: None }
    }

    /// The most bytes of a line.
    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// The next line. When the future is dropped nothing is lost: what was read is kept here, and what was not is not
    /// taken.
    pub(crate) async fn next(&mut self) -> Line {
        loop {
            let available = match self.read.fill_buf().await {
                Ok(available) => available,
                Err(error) => return Line::Broken(error),
            };
            let at_end = available.is_empty();
            let mut pieces = available.splitn(2, |byte| *byte == b'\n');
            let piece = pieces.next().unwrap_or_default();
            let has_end = pieces.next().is_some();
            let taken = piece.len().saturating_add(usize::from(has_end));
            if self.passing.is_none() && piece.len() > self.most.saturating_sub(self.line.len()) {
                let mut skim = Skim::default();
                skim.read(&std::mem::take(&mut self.line));
                self.passing = Some(skim);
            }
            match &mut self.passing {
                Some(skim) => skim.read(piece),
                None => self.line.extend_from_slice(piece),
            }
            self.read.consume(taken);
            if !has_end && !at_end {
                continue;
            }
            if let Some(skim) = self.passing.take() {
                return Line::TooLong(skim.end());
            }
            let line = std::mem::take(&mut self.line);
            match without_mark(line) {
                Some(line) => return Line::Whole(line),
                None if at_end => return Line::End,
                None => {}
            }
        }
    }
}

/// The line without a byte order mark; `None` if it is blank.
fn without_mark(mut line: Vec<u8>) -> Option<Vec<u8>> {
    if line.starts_with(BYTE_ORDER_MARK) {
        line.drain(..BYTE_ORDER_MARK.len());
    }
    (!line.trim_ascii().is_empty()).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::{Line, Lines};

    async fn all(text: &[u8], most: usize) -> Vec<String> {
        let mut lines = Lines::new(text, most);
        let mut seen = Vec::new();
        loop {
            seen.push(match lines.next().await {
                Line::Whole(line) => String::from_utf8(line).unwrap(),
                Line::TooLong(skimmed) => format!("too long: {:?}", skimmed.id),
                Line::End => return seen,
                Line::Broken(error) => panic!("{error}"),
            });
        }
    }

    #[tokio::test]
    async fn lines_end_with_a_line_end_or_with_the_stream() {
        assert_eq!(all(b"one\n\n \r\ntwo\r\n\xEF\xBB\xBFthree", 100).await, ["one", "two\r", "three"]);
        assert!(all(b"", 100).await.is_empty());
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_gives_its_id_and_the_next_one_is_read() {
        let long = format!("{{\"x\":\"{}\",\"id\":7}}", "x".repeat(50_000));
        let text = format!("{long}\nnext\n{long}");
        let seen = all(text.as_bytes(), 1_000).await;
        assert_eq!(seen, ["too long: Some(\"7\")", "next", "too long: Some(\"7\")"]);
        assert_eq!(all(b"12345\n123456\n", 5).await, ["12345", "too long: None"]);
    }
}
