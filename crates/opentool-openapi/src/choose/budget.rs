//! How large the definitions of tools may be.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// How large definitions may be, in bytes of JSON. What is too large loses, in this order: schemas of the result,
/// examples and long descriptions in schemas, the schemas that are farthest from the arguments, in whose place
/// anything is allowed, what stands deep within the schemas of arguments, their notes, and the values that single ones
/// may have. Names, and the types of arguments themselves, are never left out, even where they alone are more.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct Budget {
    /// The largest definition: name, description and schemas; at least 256. Default: no limit for the whole; 64 KiB and 250 referenced
    /// schemas for the arguments, 6 KiB for the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tool_bytes: Option<usize>,
    /// The longest description of a tool, cut at the end of a sentence. Default: none, or a quarter of
    /// [`Budget::max_tool_bytes`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_description_bytes: Option<usize>,
    /// Whether tools tell what they answer. Default: they do.
    pub output_schemas: OutputSchemas,
}

/// Whether tools tell the schema of what they answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum OutputSchemas {
    /// They do.
    #[default]
    Keep,
    /// They do not.
    LeaveOut,
}

impl Budget {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the largest definition.
    pub fn max_tool_bytes(mut self, bytes: usize) -> Self {
        self.max_tool_bytes = Some(bytes);
        self
    }

    /// Sets the longest description of a tool.
    pub fn max_description_bytes(mut self, bytes: usize) -> Self {
        self.max_description_bytes = Some(bytes);
        self
    }

    /// Says whether tools tell what they answer.
    pub fn output_schemas(mut self, output_schemas: OutputSchemas) -> Self {
        self.output_schemas = output_schemas;
        self
    }

    /// The longest description, where there is a limit.
    pub(crate) fn description(&self) -> Option<usize> {
        self.max_description_bytes.or(self.max_tool_bytes.map(|bytes| bytes / 4))
    }
}

/// A text of at most so many bytes, cut after a sentence where one ends late enough, else after a word and with
/// `…` at its end.
pub(crate) fn cut_text(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    let start = text.get(..text.floor_char_boundary(most)).unwrap_or_default();
    let ends_sentence = |(at, c): &(usize, char)| {
        let after = text.get(at.saturating_add(c.len_utf8())..).and_then(|rest| rest.chars().next());
        match c {
            // Not after `e.g.` and the like: what follows has to begin like a sentence.
            '.' | '!' | '?' => {
                after.is_some_and(char::is_whitespace) && {
                    let rest = text.get(at.saturating_add(1)..).unwrap_or_default().trim_start();
                    !rest.starts_with(|c: char| c.is_lowercase())
                }
            }
            '。' | '！' | '？' => true,
            '\n' => after == Some('\n'),
            _ => false,
        }
    };
    let sentence = start.char_indices().rev().find(|place| ends_sentence(place));
    if let Some((at, c)) = sentence.filter(|(at, _)| at.saturating_mul(5) >= most.saturating_mul(2)) {
        return Cow::Borrowed(start.get(..at.saturating_add(c.len_utf8())).unwrap_or(start).trim_end());
    }
    let room = start.floor_char_boundary(most.saturating_sub('…'.len_utf8()));
    let start = start.get(..room).unwrap_or_default();
    let word = start.rfind(char::is_whitespace).filter(|at| at.saturating_mul(2) >= room).unwrap_or(room);
    format!("{}…", start.get(..word).unwrap_or(start).trim_end()).into()
}

#[cfg(test)]
mod tests {
    use super::cut_text;

    #[test]
    fn texts_are_cut_where_a_sentence_ends() {
        let text = "Lists pets. Use e.g. tags to filter them. Then some more that nobody needs.";
        assert_eq!(cut_text(text, 200), text);
        assert_eq!(cut_text(text, 60), "Lists pets. Use e.g. tags to filter them.");
        assert_eq!(cut_text(text, 22), "Lists pets.");
        assert_eq!(cut_text(text, 35), "Lists pets. Use e.g. tags to…");
        assert_eq!(cut_text("abcdefghij", 8), "abcde…");
        assert_eq!(cut_text("日本語日本語", 9), "日本…");
        assert_eq!(cut_text("abc", 0), "…");
    }
}
