//! What is wrong with a configuration, in words about configurations: serde speaks of Rust's types.
//!
//! Its sentences are few and have fixed forms; what is none of them stays as it is.

/// The same in our words.
pub(super) fn plainly(said: &str) -> String {
    unknown(said, "unknown field `", "there is no key")
        .or_else(|| unknown(said, "unknown variant `", "there is no value"))
        .or_else(|| unfit(said))
        .unwrap_or_else(|| match said.starts_with("data did not match any variant") {
            true => "expected a text, or a list of texts".to_owned(),
            false => said.to_owned(),
        })
}

/// ``unknown field `exclud`, expected one of `include`, `exclude` ``.
fn unknown(said: &str, begins: &str, what: &str) -> Option<String> {
    let (name, expected) = said.strip_prefix(begins)?.split_once("`, expected ")?;
    let known: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
    let name: String = name.chars().take(60).collect();
    let far = |known: &str| strsim::osa_distance(&name.to_lowercase(), known);
    let nearest = known.iter().copied().min_by_key(|known| far(known));
    let meant = nearest.filter(|known| far(known) <= if name.len() > 3 { 2 } else { 1 });
    let list = known.iter().map(|known| format!("`{known}`")).collect::<Vec<_>>().join(", ");
    Some(match meant {
        Some(meant) => format!("{what} `{name}` here; did you mean `{meant}`? There are {list}"),
        None => format!("{what} `{name}` here; there are {list}"),
    })
}

/// ``invalid type: integer `5`, expected a sequence``, ``invalid value: integer `-1`, expected usize``.
fn unfit(said: &str) -> Option<String> {
    let rest = said.strip_prefix("invalid type: ").or_else(|| said.strip_prefix("invalid value: "))?;
    let (found, expected) = rest.rsplit_once(", expected ")?;
    let expected = match expected {
        "a sequence" => "a list",
        "usize" | "u64" | "u32" => "a whole number, 0 or more",
        "a string" | "string" | "a borrowed string" => "a text",
        "a boolean" => "true or false",
        "a map" => "an object",
        expected if expected.starts_with("struct ") => "an object",
        other => other,
    };
    let found = match found.split_once(' ') {
        Some(("integer", number)) => format!("the number {}", number.trim_matches('`')),
        Some(("floating", number)) => {
            format!("the number {}", number.trim_start_matches("point ").trim_matches('`'))
        }
        Some(("string", text)) => format!("the text {}", text.chars().take(60).collect::<String>()),
        Some(("boolean", flag)) => flag.trim_matches('`').to_owned(),
        Some(("unit", _)) => "nothing".to_owned(),
        _ => match found {
            "sequence" => "a list".to_owned(),
            "map" => "an object".to_owned(),
            "null" => "nothing".to_owned(),
            other => other.to_owned(),
        },
    };
    Some(format!("expected {expected}, found {found}"))
}
