//! The JSON of a value, no further than it is shown: values may be long, and shown often.

use std::io::{Error, Result, Write};

use serde_json::Value;

use crate::text::shorten;

/// The JSON of a value, cut to so many characters.
pub(super) fn picture(value: &Value, longest: usize) -> String {
    // A character has four bytes at most.
    let (text, _) = started(value, longest.saturating_add(1).saturating_mul(4));
    shorten(&text, longest)
}

/// The JSON of a value; `None` where it has more bytes than that.
pub(super) fn whole(value: &Value, most: usize) -> Option<String> {
    let (text, is_whole) = started(value, most);
    is_whole.then_some(text)
}

/// The first bytes of the JSON of a value, and whether they are all.
fn started(value: &Value, most: usize) -> (String, bool) {
    let mut start = Start { text: Vec::new(), most };
    let is_whole = serde_json::to_writer(&mut start, value).is_ok();
    (String::from_utf8_lossy(&start.text).into_owned(), is_whole)
}

/// Takes so many bytes and then no more.
struct Start {
    text: Vec<u8>,
    most: usize,
}

impl Write for Start {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let room = self.most.saturating_sub(self.text.len());
        self.text.extend(bytes.iter().take(room));
        if bytes.len() > room { Err(Error::other("enough")) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{picture, whole};

    #[test]
    fn ends_where_it_is_cut() {
        assert_eq!(picture(&json!({"a": [1, "ä"]}), 20), r#"{"a":[1,"ä"]}"#);
        assert_eq!(picture(&json!("äöü€𝄞𝄞𝄞𝄞𝄞"), 5), "\"äöü€…");
        assert_eq!(picture(&json!("𝄞".repeat(9)), 3), "\"𝄞𝄞…");
        assert_eq!(whole(&json!("abc"), 5).as_deref(), Some("\"abc\""));
        assert_eq!(whole(&json!("abcd"), 5), None);
    }
}
