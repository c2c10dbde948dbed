//! Fixes as they are written in YAML.
//!
//! Rules say what to write as JSON, which is YAML too, but not as anybody writes it: names have no quotes there, and most
//! texts need none. What is not in back quotes is prose, and stays.

/// The fix with the code in it as YAML.
pub(super) fn fix(help: &str) -> String {
    let mut fixed = String::with_capacity(help.len());
    for (index, part) in help.split('`').enumerate() {
        if index > 0 {
            fixed.push('`');
        }
        // Every second part stands between back quotes.
        if index % 2 == 1 { code(part, &mut fixed) } else { fixed.push_str(part) }
    }
    fixed
}

fn code(json: &str, yaml: &mut String) {
    let (mut rest, mut begun) = (json, false);
    while let Some((plain, quoted)) = rest.split_once('"') {
        yaml.push_str(plain);
        begun |= !plain.is_empty();
        let Some((text, after)) = quoted.split_once('"').filter(|(text, _)| !text.ends_with('\\')) else {
            // Not the JSON of a rule; it is shown as it stands.
            yaml.push('"');
            return yaml.push_str(quoted);
        };
        let is_name = after.starts_with(':');
        // A text alone is shown for its own sake, quotes included.
        let needs_none = if is_name { is_name_alone(text) } else { begun && is_plain(text) };
        begun = true;
        if needs_none {
            yaml.push_str(text);
        } else {
            yaml.push('"');
            yaml.push_str(text);
            yaml.push('"');
        }
        rest = after;
    }
    yaml.push_str(rest);
}

/// Whether a name needs no quotes.
fn is_name_alone(name: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(is_word) && !means_something(name)
}

/// Whether a text needs no quotes, not even within braces.
fn is_plain(text: &str) -> bool {
    let is_harmless = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ' | '/');
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(is_harmless)
        && !text.ends_with(' ')
        && !means_something(text)
}

/// Words that some reader of YAML takes for more than a text.
fn means_something(word: &str) -> bool {
    const WORDS: [&str; 9] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];
    WORDS.iter().any(|known| word.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::fix;

    #[test]
    fn code_is_yaml_and_prose_is_left_alone() {
        for (json, yaml) in [
            (r#"add `"name": "get_weather"`"#, "add `name: get_weather`"),
            (r#"add `"description": "What it is for."`"#, "add `description: What it is for.`"),
            (
                r#"write `{"title": "Weather", "version": "1.0.0"}`"#,
                r#"write `{title: Weather, version: "1.0.0"}`"#,
            ),
            (r#"list them: `"enum": ["a", "b", "no"]`"#, r#"list them: `enum: [a, b, "no"]`"#),
            (r#"write `"http://127.0.0.1:17001/opentool"`"#, r#"write `"http://127.0.0.1:17001/opentool"`"#),
            (r##"write `"$ref": "#/schemas/NAME"`"##, r##"write `"$ref": "#/schemas/NAME"`"##),
            (r#"put it into quotes: `"1"`"#, r#"put it into quotes: `"1"`"#),
            (r#"write `"1.0.0"` or `"1.1.0"`, in "quotes""#, r#"write `"1.0.0"` or `"1.1.0"`, in "quotes""#),
            (
                r#"add it: `"schemas": {"a b": {"type": "string"}}`"#,
                r#"add it: `schemas: {"a b": {type: string}}`"#,
            ),
            (r#"an end that `"is missing"#, r#"an end that `"is missing"#),
        ] {
            assert_eq!(fix(json), yaml);
        }
    }
}
