//! What can be told of a message that no parser takes: whether it waits for an answer, and under which id.
//!
//! A line that is too long, too deep or broken somewhere inside may still say its id in plain sight. This counts
//! brackets and quotes and looks at the members of the outermost object, byte by byte, so that the message need not
//! be held. It does not check that anything is valid.

use serde_json::Value;

/// The longest id that is given back, in bytes.
const LONGEST_ID: usize = 256;

/// A message that passes.
#[derive(Debug, Default)]
pub(crate) struct Skim {
    depth: usize,
    place: Place,
    in_string: bool,
    escaped: bool,
    /// The name of the member that is read, as far as it can matter.
    key: Vec<u8>,
    /// The value of `id` as it is written.
    id: Vec<u8>,
    ids: usize,
    method: bool,
    answer: bool,
    begun: bool,
    /// It is no object, or more than one.
    unclear: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    #[default]
    Key,
    Value,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Skimmed {
    /// The id as JSON, if there is one and only one.
    pub(crate) id: Option<String>,
    /// The message has more than one id.
    pub(crate) ids: usize,
    /// Nobody waits for an answer: it is a notification, or an answer itself.
    pub(crate) unanswered: bool,
}

/// Skims a whole message.
pub(crate) fn skim(text: &[u8]) -> Skimmed {
    let mut skim = Skim::default();
    skim.read(text);
    skim.end()
}

impl Skim {
    /// Goes on with these bytes.
    pub(crate) fn read(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.step(*byte);
        }
    }

    fn step(&mut self, byte: u8) {
        if self.in_string {
            self.string(byte);
            return;
        }
        match byte {
            b'"' => {
                self.in_string = true;
                self.note(byte);
            }
            b'{' | b'[' => {
                if self.depth == 0 {
                    self.unclear |= self.begun || byte == b'[';
                    self.begun = true;
                } else {
                    self.note(byte);
                }
                self.depth = self.depth.saturating_add(1);
            }
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            b',' if self.depth == 1 => {
                self.place = Place::Key;
                self.key.clear();
            }
            b':' if self.depth == 1 && self.place == Place::Key => self.value(),
            b' ' | b'\t' | b'\r' | b'\n' => {}
            _ if self.depth == 0 => self.unclear = true,
            _ => self.note(byte),
        }
    }

    fn string(&mut self, byte: u8) {
        let ends = byte == b'"' && !self.escaped;
        self.escaped = byte == b'\\' && !self.escaped;
        self.note(byte);
        self.in_string = !ends;
    }

    /// The name of a member has ended, and its value begins.
    fn value(&mut self) {
        self.place = Place::Value;
        match self.key.as_slice() {
            b"\"id\"" => {
                self.ids = self.ids.saturating_add(1);
                self.id.clear();
            }
            b"\"method\"" => self.method = true,
            b"\"result\"" | b"\"error\"" => self.answer = true,
            _ => {}
        }
    }

    /// Keeps a byte of what matters.
    fn note(&mut self, byte: u8) {
        /// The longest name that is looked for, with its quotes and one byte more.
        const LONGEST_KEY: usize = 9;
        if self.depth != 1 {
            return;
        }
        match self.place {
            Place::Key if self.key.len() < LONGEST_KEY => self.key.push(byte),
            Place::Value if self.key == b"\"id\"" && self.id.len() <= LONGEST_ID => self.id.push(byte),
            _ => {}
        }
    }

    /// The message has ended.
    pub(crate) fn end(self) -> Skimmed {
        let whole = self.begun && self.depth == 0 && !self.in_string && !self.unclear;
        let id = String::from_utf8(self.id).ok().filter(|id| {
            let sound = matches!(serde_json::from_str(id), Ok(Value::String(_) | Value::Number(_)));
            sound && whole && self.ids == 1 && id.len() <= LONGEST_ID
        });
        let unanswered = whole && if self.method { self.ids == 0 } else { self.answer };
        Skimmed { id, ids: self.ids, unanswered }
    }
}

#[cfg(test)]
mod tests {
    use super::{Skim, skim};

    #[test]
    fn ids_are_found_where_no_parser_reads() {
        for (text, id) in [
            (r#"{"jsonrpc":"2.0","id":5,"method":"x"}"#, Some("5")),
            (r#" { "method" : "x" , "params" : {"id":6,"a":"}\"{"} , "id" : "a\"b" } "#, Some(r#""a\"b""#)),
            (r#"{"id":1.5,"method":"\ud800"}"#, Some("1.5")),
            (r#"{"id":1180591620717411303424,"method":"x"}"#, Some("1180591620717411303424")),
            (r#"{"id":5,"id":6,"method":"x"}"#, None),
            (r#"{"id":[5],"method":"x"}"#, None),
            (r#"{"id":null,"method":"x"}"#, None),
            (r#"{"id":5"#, None),
            (r#"{"id":5,"method":"x"}{"id":6,"method":"x"}"#, None),
            (r#"[{"id":5,"method":"x"}]"#, None),
            (r#"{"a":"id","b":"\"id\":5","method":"x"}"#, None),
            ("hello", None),
            ("", None),
        ] {
            assert_eq!(skim(text.as_bytes()).id.as_deref(), id, "{text}");
        }
        let deep = format!(r#"{{"id":5,"params":{}1{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(skim(deep.as_bytes()).id.as_deref(), Some("5"));
    }

    #[test]
    fn pieces_are_read_as_the_whole_is() {
        let text = br#"{"params":{"a":["\\\"",{}]},"id":"x","method":"y"}"#;
        for at in 0..text.len() {
            let mut pieces = Skim::default();
            pieces.read(&text[..at]);
            pieces.read(&text[at..]);
            assert_eq!(pieces.end(), skim(text));
        }
        assert_eq!(skim(text).id.as_deref(), Some("\"x\""));
    }

    #[test]
    fn notifications_and_answers_wait_for_nothing() {
        for (text, unanswered) in [
            (r#"{"method":"x"}"#, true),
            (r#"{"id":5,"result":1}"#, true),
            (r#"{"error":1}"#, true),
            (r#"{"id":5,"method":"x","result":1}"#, false),
            (r#"{"id":5}"#, false),
            (r#"{"method":"x""#, false),
            ("hello", false),
        ] {
            assert_eq!(skim(text.as_bytes()).unanswered, unanswered, "{text}");
        }
    }
}
