//! The differences between an SDK's requests and ours, found and as `docs/sdks.md` explains them.

use std::fmt;

use opentool_agent::chat::Provider;
use serde_json::Value;

/// What stands in a table for a member that is not sent.
const ABSENT: &str = "absent";

/// A place where two requests differ.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Difference {
    place: String,
    theirs: String,
    ours: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "| `{}` | `{}` | `{}` |", self.place, self.theirs, self.ours)
    }
}

/// All places where two values differ; lists of different lengths differ as a whole.
pub(super) fn differences(theirs: &Value, ours: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    compare(Some(theirs), Some(ours), "", &mut found);
    found
}

fn compare(theirs: Option<&Value>, ours: Option<&Value>, place: &str, found: &mut Vec<Difference>) {
    match (theirs, ours) {
        (Some(Value::Object(a)), Some(Value::Object(b))) => {
            for key in a.keys().chain(b.keys().filter(|key| !a.contains_key(*key))) {
                compare(a.get(key), b.get(key), &format!("{place}/{key}"), found);
            }
        }
        (Some(Value::Array(a)), Some(Value::Array(b))) if a.len() == b.len() => {
            for (number, (a, b)) in a.iter().zip(b).enumerate() {
                compare(Some(a), Some(b), &format!("{place}/{number}"), found);
            }
        }
        (a, b) if a == b => {}
        (a, b) => {
            let shown = |value: Option<&Value>| value.map_or_else(|| ABSENT.to_owned(), Value::to_string);
            found.push(Difference { place: place.to_owned(), theirs: shown(a), ours: shown(b) });
        }
    }
}

/// The explained differences of a wire's requests.
pub(super) fn differences_of(provider: Provider) -> Vec<Difference> {
    rows(provider, 5)
        .into_iter()
        .map(|row| match <[String; 5]>::try_from(row) {
            Ok([_, place, theirs, ours, _]) => Difference { place, theirs, ours },
            Err(row) => panic!("{row:?}"),
        })
        .collect()
}

/// The explained complaints of a wire's SDK: of a request, an answer or an event, and what.
pub(super) fn complaints_of(provider: Provider) -> Vec<(String, String)> {
    rows(provider, 4)
        .into_iter()
        .map(|row| match <[String; 4]>::try_from(row) {
            Ok([_, kind, what, _]) => (kind, what),
            Err(row) => panic!("{row:?}"),
        })
        .collect()
}

/// The lines of the tables with so many columns that are about a wire.
fn rows(provider: Provider, columns: usize) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/sdks.md")).unwrap();
    let of_line = |line: &str| {
        let cells = line.strip_prefix("| ")?.strip_suffix(" |")?;
        let cells: Vec<String> = cells.split(" | ").map(|cell| cell.trim_matches('`').to_owned()).collect();
        let is_ours = cells.len() == columns && cells.first().is_some_and(|wire| *wire == provider.name());
        assert!(!is_ours || cells.last().is_some_and(|why| why.len() > 20), "why? {line}");
        is_ours.then_some(cells)
    };
    text.lines().filter_map(of_line).collect()
}
