//! A schema in a few words: what a person wants to know of an argument before writing one.

use serde_json::Value;

use super::text::shorten;

/// The most columns of one value or one alternative. A long one can stand behind many `$ref`s.
const WORD: usize = 120;

/// The type in words: `integer`, `list of string`, `"a" or "b"`, `text or null`. `root` is where `$ref`s point.
pub(crate) fn type_words(schema: &Value, root: &Value) -> String {
    words(schema, root, 4)
}

fn words(schema: &Value, root: &Value, depth: usize) -> String {
    // A recursive schema ends here.
    let Some(depth) = depth.checked_sub(1) else { return "…".to_owned() };
    if let Some(target) = reference(schema, root) {
        return words(target, root, depth);
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return alternatives(values.iter().map(Value::to_string));
    }
    if let Some(value) = schema.get("const") {
        return shorten(&value.to_string(), WORD);
    }
    if let Some(branches) = ["oneOf", "anyOf"].iter().find_map(|key| schema.get(key)?.as_array()) {
        return alternatives(branches.iter().map(|branch| words(branch, root, depth)));
    }
    match schema.get("type") {
        Some(Value::String(name)) => one(name, schema, root, depth),
        Some(Value::Array(names)) => {
            alternatives(names.iter().filter_map(Value::as_str).map(|name| one(name, schema, root, depth)))
        }
        _ if schema.get("properties").is_some() => "object".to_owned(),
        _ => "anything".to_owned(),
    }
}

fn one(name: &str, schema: &Value, root: &Value, depth: usize) -> String {
    match (name, schema.get("items")) {
        ("array", Some(items)) => format!("list of {}", words(items, root, depth)),
        ("array", None) => "list".to_owned(),
        (other, _) => match schema.get("format").and_then(Value::as_str) {
            Some(format) if other == "string" => format!("string ({})", shorten(format, WORD)),
            _ => shorten(other, WORD),
        },
    }
}

/// At most so many alternatives are looked at, and most of them shown. Documents are hostile: branches may lead back
/// to each other, each to many.
const LOOKED_AT: usize = 12;

fn alternatives(words: impl Iterator<Item = String>) -> String {
    const MOST: usize = 8;
    let mut unique: Vec<String> = Vec::new();
    for word in words.take(LOOKED_AT).map(|word| shorten(&word, WORD)) {
        if !unique.contains(&word) {
            unique.push(word);
        }
    }
    if unique.len() > MOST {
        unique.truncate(MOST - 1);
        unique.push("…".to_owned());
    }
    unique.join(" or ")
}

/// The limits of a value, in words: `at least 1`, `at most 64 characters`.
pub(crate) fn limits(schema: &Value, root: &Value) -> Vec<String> {
    let meant = reference(schema, root).unwrap_or(schema);
    let words = [
        ("minimum", "at least", ""),
        ("exclusiveMinimum", "more than", ""),
        ("maximum", "at most", ""),
        ("exclusiveMaximum", "less than", ""),
        ("multipleOf", "a multiple of", ""),
        ("minLength", "at least", " characters"),
        ("maxLength", "at most", " characters"),
        ("pattern", "like", ""),
        ("minItems", "at least", " items"),
        ("maxItems", "at most", " items"),
    ];
    let said = words.iter().filter_map(|(key, before, after)| {
        let limit = meant.get(key).or_else(|| schema.get(key))?;
        let limit = limit.as_str().map_or_else(|| limit.to_string(), |pattern| format!("`{pattern}`"));
        let after = if limit == "1" { after.trim_end_matches('s') } else { after };
        Some(format!("{before} {}{after}", shorten(&limit, WORD)))
    });
    let unique = (meant.get("uniqueItems") == Some(&Value::Bool(true))).then(|| "none twice".to_owned());
    said.chain(unique).collect()
}

/// What a `$ref` inside the same schema points at.
pub(crate) fn reference<'a>(schema: &Value, root: &'a Value) -> Option<&'a Value> {
    root.pointer(schema.get("$ref")?.as_str()?.strip_prefix('#')?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::type_words;

    #[test]
    fn schemas_are_said_in_words() {
        let root = json!({"$defs": {"Wide": {"anyOf": vec![json!({"$ref": "#/$defs/Wide"}); 1000]}, "Status": {"enum": ["a", "b"]}, "Loop": {"$ref": "#/$defs/Loop"}}});
        for (schema, words) in [
            (json!({"type": "integer"}), "integer"),
            (json!({"type": ["string", "null"]}), "string or null"),
            (json!({"type": "array", "items": {"$ref": "#/$defs/Status"}}), "list of \"a\" or \"b\""),
            (
                json!({"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]}),
                "string (date) or null",
            ),
            (json!({"$ref": "#/$defs/Loop"}), "…"),
            (json!({"$ref": "#/$defs/Wide"}), "…"),
            (json!({"$ref": "#/nowhere"}), "anything"),
            (json!({}), "anything"),
            (json!(true), "anything"),
        ] {
            assert_eq!(type_words(&schema, &root), words, "{schema}");
        }
    }
}
