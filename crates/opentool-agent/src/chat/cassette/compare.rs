//! Whether a question is the recorded one, and if not, where they first differ.
//!
//! What was taken out of a recording as a secret fits anything in its place: nobody has the secret when it is played.

use serde_json::Value;

use super::{Asked, Recorded};
use crate::scrub::{MARK, Scrub};

/// The most characters of a value that are shown.
const SHOWN: usize = 120;
/// How many characters are shown before the place where two texts differ.
const BEFORE: usize = 20;

/// What of a question is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::chat) enum Fit {
    Everything,
    /// Not the tools, and not what is wished of the model.
    Messages,
}

/// Whether the question is the recorded one.
pub(in crate::chat) fn fits(recorded: &Recorded<'_>, asked: &Asked, what: Fit) -> bool {
    let messages = recorded.messages.len() == asked.messages.len()
        && recorded.messages.iter().zip(&asked.messages).all(|(old, new)| differ(old, new).is_none());
    let others = || {
        tools(recorded.tools, &asked.tools, &Scrub::default()).is_none()
            && differ(recorded.wishes, &asked.wishes).is_none()
    };
    messages && (what == Fit::Messages || others())
}

/// Where the question first differs from the recorded one, in words and without secrets; `None` if it does not.
pub(in crate::chat) fn difference(
    recorded: &Recorded<'_>,
    asked: &Asked,
    what: Fit,
    scrub: &Scrub,
) -> Option<String> {
    for (index, (old, new)) in recorded.messages.iter().zip(&asked.messages).enumerate() {
        if let Some(found) = differ(old, new) {
            return Some(format!("{}{}", message(index, old), found.told(scrub)));
        }
    }
    let (old, new) = (recorded.messages.len(), asked.messages.len());
    if old != new {
        let index = old.min(new);
        let (extra, which) = if old > new {
            (recorded.messages.get(index).copied(), "only the recording has")
        } else {
            (asked.messages.get(index), "the recording lacks")
        };
        let extra = extra.unwrap_or(&Value::Null);
        let text = scrub.value(extra.get("message").cloned().unwrap_or_default()).to_string();
        return Some(format!("{which} {}: {}", message(index, extra), shown(&text, 0)));
    }
    if what == Fit::Messages {
        return None;
    }
    tools(recorded.tools, &asked.tools, scrub).or_else(|| {
        let found = differ(recorded.wishes, &asked.wishes)?;
        Some(format!("what is asked of the model differs{}", found.told(scrub)))
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

fn tools(recorded: &Value, asked: &Value, scrub: &Scrub) -> Option<String> {
    fn list(tools: &Value) -> &[Value] {
        tools.as_array().map_or(&[], Vec::as_slice)
    }
    fn name(tool: &Value) -> &str {
        tool.get("name").and_then(Value::as_str).unwrap_or_default()
    }
    let (old, new) = (list(recorded), list(asked));
    for tool in old {
        match new.iter().find(|other| name(other) == name(tool)) {
            None => return Some(format!("the tool `{}` of the recording is not there", name(tool))),
            Some(other) => {
                if let Some(found) = differ(tool, other) {
                    let told = found.told(scrub);
                    return Some(format!("the tool `{}` is described otherwise{told}", name(tool)));
                }
            }
        }
    }
    let unknown = new.iter().find(|tool| !old.iter().any(|other| name(other) == name(tool)))?;
    Some(format!("the tool `{}` is not in the recording", name(unknown)))
}

/// The first place at which two values differ, and what stands there.
struct Found<'v> {
    /// The keys on the way, from the inside.
    path: Vec<String>,
    recorded: Option<&'v Value>,
    asked: Option<&'v Value>,
}

impl Found<'_> {
    fn inside(mut self, key: &str) -> Self {
        self.path.push(key.replace('~', "~0").replace('/', "~1"));
        self
    }

    fn told(&self, scrub: &Scrub) -> String {
        let pointer: String = self.path.iter().rev().map(|key| format!("/{key}")).collect();
        let place = if pointer.is_empty() { String::new() } else { format!(" at {pointer}") };
        // Secrets go before anything is cut.
        let text = |value: Option<&Value>| value.map(|value| scrub.value(value.clone()).to_string());
        let (recorded, asked) = (text(self.recorded), text(self.asked));
        let same = match (&recorded, &asked) {
            (Some(old), Some(new)) => old.chars().zip(new.chars()).take_while(|(a, b)| a == b).count(),
            _ => 0,
        };
        let shown =
            |text: Option<String>| text.map_or_else(|| "nothing".to_owned(), |text| shown(&text, same));
        format!("{place}: recorded {}, asked {}", shown(recorded), shown(asked))
    }
}

fn differ<'v>(recorded: &'v Value, asked: &'v Value) -> Option<Found<'v>> {
    let found = |recorded, asked| Some(Found { path: Vec::new(), recorded, asked });
    match (recorded, asked) {
        (Value::Object(old), Value::Object(new)) => {
            // A name, too, can have been taken out.
            let fits = |key: &str, other: &str| key == other || (key.contains(MARK) && alike(key, other));
            let counterpart = |key: &str| match new.get(key) {
                None if key.contains(MARK) => {
                    new.iter().find(|(other, _)| fits(key, other)).map(|(_, new)| new)
                }
                there => there,
            };
            for (key, old) in old {
                let Some(new) = counterpart(key) else {
                    return found(Some(old), None).map(|found| found.inside(key));
                };
                if let Some(found) = differ(old, new) {
                    return Some(found.inside(key));
                }
            }
            let is_known = |key: &String| old.contains_key(key) || old.keys().any(|own| fits(own, key));
            let (key, new) = new.iter().find(|(key, _)| !is_known(key))?;
            found(None, Some(new)).map(|found| found.inside(key))
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => old
            .iter()
            .zip(new)
            .enumerate()
            .find_map(|(i, (old, new))| differ(old, new).map(|found| found.inside(&i.to_string()))),
        (Value::String(old), Value::String(new)) if alike(old, new) => None,
        // A number or a truth value under the name of a secret.
        (Value::String(old), new) if old == MARK && !new.is_object() && !new.is_array() => None,
        (old, new) if old == new => None,
        (old, new) => found(Some(old), Some(new)),
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

/// A text, bounded, from a little before the place where another one differs.
fn shown(text: &str, same: usize) -> String {
    let skip = if same > SHOWN / 2 { same.saturating_sub(BEFORE) } else { 0 };
    let start = if skip > 0 { "…" } else { "" };
    let mut rest = text.chars().skip(skip);
    let part: String = rest.by_ref().take(SHOWN).collect();
    let end = if rest.next().is_some() { "…" } else { "" };
    format!("{start}{part}{end}")
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
