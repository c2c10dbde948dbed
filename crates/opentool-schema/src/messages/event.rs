//! Events of streams whose value is not what was written: arguments that are objects become the text that came.
//!
//! It knows no format. Whatever stands under a key that some format has for arguments is taken for arguments, so that no
//! form of an event is forgotten; what is none is read by nobody.

use serde_json::Value;

use super::deep;
use super::lost::Lost;
use crate::exact::holds_all;
use crate::halves::with_whole_characters;

/// The keys under which formats have the arguments of a call.
const KEYS: [&str; 4] = ["arguments", "args", "input", "parameters"];
/// Arguments of which nobody knows what was written: no reading takes them for whole.
const UNKNOWN: &str = "{";

/// Puts back what the value of an event does not hold of its text: digits, numbers that are too large, keys that stand
/// twice. Arguments that lack one become their text, which the stages of arguments read exactly. Where it cannot be told
/// what was written, no arguments of the event can be run.
///
/// # Errors
/// The pointer of a key that stands twice, where another call may have been meant.
pub fn exact_event(text: &str, event: &mut Value) -> Result<(), String> {
    if holds_all(text, event) {
        return Ok(());
    }
    let text = &*with_whole_characters(text);
    let read = match serde_json::from_str::<Value>(text) {
        Ok(value) => {
            let lost = Lost::of(text, &value);
            Some((value, lost))
        }
        Err(_) => Lost::beside_no_numbers(text).or_else(|| deep::read(text)),
    };
    let lost = read.filter(|(value, lost)| value == event && !lost.is_nothing()).map(|(_, lost)| lost);
    visit(&mut String::new(), event, lost.as_ref())
}

/// No deeper than an event that was read.
fn visit(at: &mut String, value: &mut Value, lost: Option<&Lost>) -> Result<(), String> {
    let length = at.len();
    match value {
        Value::Object(members) => {
            let is_call = members.keys().any(|key| key == "name" || KEYS.contains(&key.as_str()));
            if let Some(key) = lost.filter(|_| is_call).and_then(|lost| lost.repeated_on_the_way(at)) {
                return Err(key.to_owned());
            }
            for (key, member) in members {
                at.push('/');
                at.push_str(&key.replace('~', "~0").replace('/', "~1"));
                if member.is_object() && KEYS.contains(&key.as_str()) {
                    *member = lost.map_or_else(|| UNKNOWN.into(), |lost| lost.exact(at, member));
                } else {
                    visit(at, member, lost)?;
                }
                at.truncate(length);
            }
        }
        Value::Array(items) => {
            for (i, item) in items.iter_mut().enumerate() {
                at.push_str(&format!("/{i}"));
                visit(at, item, lost)?;
                at.truncate(length);
            }
        }
        _ => {}
    }
    Ok(())
}
