//! Lines of JSON as they come, in bounded memory.

/// A reader of lines.
#[derive(Debug)]
pub(super) struct Lines {
    limit: usize,
    line: Vec<u8>,
}

/// A line is larger than allowed.
#[derive(Debug)]
pub(super) struct LineTooLarge;

impl Lines {
    /// Lines of at most `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, line: Vec::new() }
    }

    /// Reads the next bytes, and adds the lines that they complete.
    pub(super) fn take(&mut self, bytes: &[u8], lines: &mut Vec<String>) -> Result<(), LineTooLarge> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.line.len().saturating_add(piece.len()) > self.limit {
                return Err(LineTooLarge);
            }
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                lines.push(String::from_utf8_lossy(&std::mem::take(&mut self.line)).into_owned());
            }
        }
        Ok(())
    }

    /// The last line, if it lacks its end.
    pub(super) fn finish(self) -> Option<String> {
        (!self.line.is_empty()).then(|| String::from_utf8_lossy(&self.line).into_owned())
    }
}
