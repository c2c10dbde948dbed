//! Reads events from bytes as they come.

use super::Event;

/// The name of an event whose stream gave none.
const MESSAGE: &str = "message";

/// An incremental reader of an event stream, in bounded memory.
///
/// Bytes go in by [`Decoder::decode`] in pieces of any size, and the events are the same for every way of cutting them.
/// Lines end with CR, LF or both; a byte order mark, comments, and fields that mean nothing here are skipped; bytes that
/// are not UTF-8 become `U+FFFD`.
#[derive(Debug)]
pub struct Decoder {
    limit: usize,
    /// The line that has begun.
    line: Vec<u8>,
    name: String,
    data: Option<String>,
    /// The line before ended with a CR: an LF that follows belongs to it.
    after_cr: bool,
    /// No line has ended yet, so that a byte order mark may stand here.
    first_line: bool,
    too_large: bool,
}

/// An event, or a line, is larger than allowed. Nothing more is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event is larger than the limit of {limit} bytes")]
pub struct EventTooLarge {
    /// The limit in bytes.
    pub limit: usize,
}

impl Decoder {
    /// A reader of events of at most `limit` bytes, counted for the text of an event and for each line. It keeps at most
    /// three times as much.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            name: String::new(),
            data: None,
            after_cr: false,
            first_line: true,
            too_large: false,
        }
    }

    /// Reads the next bytes, and adds the events that they complete.
    ///
    /// # Errors
    /// [`EventTooLarge`]; events before the large one were added. From then on every call fails.
    pub fn decode(&mut self, bytes: &[u8], events: &mut impl Extend<Event>) -> Result<(), EventTooLarge> {
        let mut rest = bytes;
        if self.after_cr && !rest.is_empty() {
            self.after_cr = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while !self.too_large {
            let Some(end) = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')) else {
                self.keep(rest);
                break;
            };
            let (line, after) = rest.split_at_checked(end).unwrap_or((rest, &[]));
            self.keep(line);
            if self.too_large {
                break;
            }
            events.extend(self.end_line());
            rest = match after {
                [b'\r', b'\n', after @ ..] => after,
                [b'\r'] => {
                    self.after_cr = true;
                    break;
                }
                [_, after @ ..] => after,
                [] => break,
            };
        }
        if self.too_large { Err(EventTooLarge { limit: self.limit }) } else { Ok(()) }
    }

    /// What the stream held at its end: an event that was not completed by an empty line. The standard drops it;
    /// here it may be the error that a server wrote before it broke down, so the caller decides.
    pub fn finish(mut self) -> Option<Event> {
        if !self.too_large && !self.line.is_empty() {
            let _ = self.end_line();
        }
        if self.too_large { None } else { self.end_event() }
    }

    /// Adds to the line that has begun.
    fn keep(&mut self, bytes: &[u8]) {
        if self.line.len().saturating_add(bytes.len()) > self.limit {
            self.too_large = true;
            self.line = Vec::new();
        } else {
            self.line.extend_from_slice(bytes);
        }
    }

    /// Takes in the line that is complete; gives the event if it was the empty line after one.
    fn end_line(&mut self) -> Option<Event> {
        let bytes = std::mem::take(&mut self.line);
        let mut line = &*bytes;
        if std::mem::take(&mut self.first_line) {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        let event = if line.is_empty() { self.end_event() } else { self.field(line) };
        // The line's memory is used again.
        self.line = bytes;
        self.line.clear();
        event
    }

    fn end_event(&mut self) -> Option<Event> {
        let name = std::mem::take(&mut self.name);
        let data = self.data.take()?;
        Some(Event { name: if name.is_empty() { MESSAGE.to_owned() } else { name }, data })
    }

    fn field(&mut self, line: &[u8]) -> Option<Event> {
        let line = String::from_utf8_lossy(line);
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.name),
            "data" => match &mut self.data {
                None => self.data = Some(value.to_owned()),
                Some(data) if data.len().saturating_add(value.len()) >= self.limit => {
                    self.too_large = true;
                    *data = String::new();
                }
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
            },
            // Comments (an empty name), `id`, `retry`, and whatever else there may be.
            _ => {}
        }
        None
    }
}
