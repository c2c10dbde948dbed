//! Whether a question is the recorded one, and if not, where they first differ.
//!
//! What was taken out of a recording as a secret fits anything in its place: nobody has the secret when it is played.

use serde_json::Value;

use super::Asked;
use crate::scrub::MARK;

/// The most characters of a value that are shown.
const SHOWN: usize = 120;

/// Whether the question is the recorded one.
pub(in crate::chat) fn fits(recorded: &Asked, asked: &Asked) -> bool {
    difference(recorded, asked).is_none()
}

/// Where the question first differs from the recorded one, in words; `None` if it does not.
pub(in crate::chat) fn difference(recorded: &Asked, asked: &Asked) -> Option<String> {
    for (index, (old, new)) in recorded.messages.iter().zip(&asked.messages).enumerate() {
        if let Some(found) = differ(old, new, String::new()) {
            return Some(format!("{}{}", message(index, old), found.told()));
        }
    }
    let (old, new) = (recorded.messages.len(), asked.messages.len());
    if old != new {
        let (longer, which) = if old > new {
            (&recorded.messages, "only the recording has")
        } else {
            (&asked.messages, "the recording lacks")
        };
        let index = old.min(new);
        let extra = longer.get(index).unwrap_or(&Value::Null);
        return Some(format!("{which} {}: {}", message(index, extra), shown(extra.get("message"))));
    }
    tools(&recorded.tools, &asked.tools).or_else(|| {
        let found = differ(&recorded.wishes, &asked.wishes, String::new())?;
        Some(format!("what is asked of the model differs{}", found.told()))
    })
}

/// `message 3 (the result of `weather`)`.
fn message(index: usize, message: &Value) -> String {
    let role = message.get("role").and_then(Value::as_str).unwrap_or_default();
    let name = message.pointer("/message/name").and_then(Value::as_str);
    let who = match (role, name) {
        ("system", _) => "the instructions".to_owned(),
        ("user", _) => "what the user says".to_owned(),
        ("tool", Some(name)) => format!("the result of `{name}`"),
        _ => "an answer of the model".to_owned(),
    };
    format!("message {} ({who})", index.saturating_add(1))
}

fn tools(recorded: &Value, asked: &Value) -> Option<String> {
    let list = |tools: &Value| tools.as_array().cloned().unwrap_or_default();
    let name = |tool: &Value| tool.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let (old, new) = (list(recorded), list(asked));
    for tool in &old {
        match new.iter().find(|other| name(other) == name(tool)) {
            None => return Some(format!("the tool `{}` of the recording is not there", name(tool))),
            Some(other) => {
                if let Some(found) = differ(tool, other, String::new()) {
                    return Some(format!("the tool `{}` is described otherwise{}", name(tool), found.told()));
                }
            }
        }
    }
    let unknown = new.iter().find(|tool| !old.iter().any(|other| name(other) == name(tool)))?;
    Some(format!("the tool `{}` is not in the recording", name(unknown)))
}

/// The first place at which two values differ.
struct Found {
    pointer: String,
    recorded: String,
    asked: String,
}

impl Found {
    fn told(&self) -> String {
        let place = if self.pointer.is_empty() { String::new() } else { format!(" at {}", self.pointer) };
        format!("{place}: recorded {}, asked {}", self.recorded, self.asked)
    }
}

fn differ(recorded: &Value, asked: &Value, pointer: String) -> Option<Found> {
    let step = |key: &str| format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
    match (recorded, asked) {
        (Value::Object(old), Value::Object(new)) => {
            for (key, old) in old {
                match new.get(key) {
                    Some(new) => {
                        if let Some(found) = differ(old, new, step(key)) {
                            return Some(found);
                        }
                    }
                    None => {
                        return Some(Found {
                            pointer: step(key),
                            recorded: shown(Some(old)),
                            asked: "nothing".to_owned(),
                        });
                    }
                }
            }
            let (key, new) = new.iter().find(|(key, _)| !old.contains_key(*key))?;
            Some(Found { pointer: step(key), recorded: "nothing".to_owned(), asked: shown(Some(new)) })
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            old.iter().zip(new).enumerate().find_map(|(i, (old, new))| differ(old, new, step(&i.to_string())))
        }
        (Value::String(old), Value::String(new)) if alike(old, new) => None,
        (old, new) if old == new => None,
        (old, new) => Some(Found { pointer, recorded: shown(Some(old)), asked: shown(Some(new)) }),
    }
}

/// Whether the texts are the same but for what was taken out of the recorded one.
fn alike(recorded: &str, asked: &str) -> bool {
    let mut parts = recorded.split(MARK);
    let Some(mut rest) = asked.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = rest.get(at.saturating_add(part.len())..).unwrap_or_default(),
            None => return false,
        }
    }
    true
}

/// A value on one line, bounded.
fn shown(value: Option<&Value>) -> String {
    let text = value.map(Value::to_string).unwrap_or_default();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_in_a_recording_fits_anything_in_its_place() {
        assert!(alike("key [secret], user [secret].", "key abc, user x."));
        assert!(alike("key [secret]", "key [secret]"));
        assert!(!alike("key [secret], user", "key abc, usher"));
        assert!(!alike("plain", "plain and more"));
        assert!(!alike("[secret] end", "no"));
    }
}
