//! Indenting JSON text without reading its values: numbers keep every digit, strings every escape.

/// The JSON text with one member a line; `None` if it is not JSON, or not an object or list.
pub(crate) fn indent(text: &str) -> Option<String> {
    let text = text.trim();
    if !text.starts_with(['{', '[']) || serde_json::from_str::<serde::de::IgnoredAny>(text).is_err() {
        return None;
    }
    let mut out = String::with_capacity(text.len().saturating_mul(2));
    let mut depth = 0usize;
    let mut chars = text.chars().filter(Spaces::default().outside_strings()).peekable();
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    };
    let mut string = Inside::Not;
    while let Some(c) = chars.next() {
        let was = string;
        string = string.next(c);
        if was != Inside::Not || string != Inside::Not {
            out.push(c);
            continue;
        }
        match c {
            '{' | '[' => {
                out.push(c);
                if chars.peek().is_some_and(|next| matches!(next, '}' | ']')) {
                    out.extend(chars.next());
                } else {
                    depth = depth.saturating_add(1);
                    line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            c => out.push(c),
        }
    }
    Some(out)
}

/// Whether a character belongs to a string.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Inside {
    #[default]
    Not,
    String,
    Escape,
}

impl Inside {
    fn next(self, c: char) -> Self {
        match (self, c) {
            (Self::Not, '"') | (Self::Escape, _) => Self::String,
            (Self::String, '"') | (Self::Not, _) => Self::Not,
            (Self::String, '\\') => Self::Escape,
            (Self::String, _) => Self::String,
        }
    }
}

/// Takes out the white space between tokens.
#[derive(Default)]
struct Spaces(Inside);

impl Spaces {
    fn outside_strings(mut self) -> impl FnMut(&char) -> bool {
        move |c| {
            let was = self.0;
            self.0 = was.next(*c);
            was != Inside::Not || !c.is_ascii_whitespace()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::indent;

    #[test]
    fn nothing_but_white_space_changes() {
        let text = r#"{"a": 12345678901234567890.10, "b" :[1,{"c":"x, \"y\": {"} ],"d":{},"e":[ ]}"#;
        let expected = r#"{
  "a": 12345678901234567890.10,
  "b": [
    1,
    {
      "c": "x, \"y\": {"
    }
  ],
  "d": {},
  "e": []
}"#;
        assert_eq!(indent(text).as_deref(), Some(expected));
    }

    #[test]
    fn other_text_is_left_alone() {
        for text in ["hello", "5", "{broken", "", "\"text\""] {
            assert_eq!(indent(text), None, "{text}");
        }
    }
}
