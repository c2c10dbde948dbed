//! What to do about a text that is not YAML. The parser says what it expected; these say what people mostly did.

/// Beginnings and parts of what the parser says, and the fix. The first that fits counts.
const FIXES: &[(&str, &str)] = &[
    ("tab", "indent with spaces; YAML does not allow tabs there"),
    (
        "mapping values are not allowed",
        "put the value into quotes if a colon belongs to it; if not, this key must stand under the one before it",
    ),
    (
        "indentation in quoted scalar",
        "end the text with the quote that it begins with, or indent its next lines",
    ),
    ("quoted scalar, found unexpected end", "end the text with the quote that it begins with"),
    ("quoted scalar, found unexpected document", "end the text with the quote that it begins with"),
    (
        "trailing content after double-quoted",
        "put all of the value into the quotes, and write a quote within as `\\\"`",
    ),
    ("unknown escape character", "write a backslash as `\\\\`, or put the text into single quotes"),
    ("escape code", "write four hexadecimal digits after `\\u`"),
    ("hexadecimal number", "write four hexadecimal digits after `\\u`"),
    (
        "unknown anchor",
        "name what the alias stands for before it: `&name`; a text that begins with `*` needs quotes",
    ),
    ("anchor", "a text that begins with `&` or `*` needs quotes"),
    ("directive", "a text that begins with `%` needs quotes"),
    ("tag", "a text that begins with `!` needs quotes"),
    ("the handle wasn't declared", "a text that begins with `!` needs quotes"),
    ("flow sequence", "end the list with `]`, and part its items by commas"),
    ("flow mapping", "end the object with `}`, and part its members by commas"),
    ("flow construct", "indent what stands within brackets more than the key before them"),
    ("misplaced bracket", "put the value into quotes if the bracket belongs to it, or remove the bracket"),
    ("block scalar", "indent every line of the text under `|` or `>` by the same number of spaces"),
    ("unexpected character", "put the value into quotes: this character cannot begin one"),
    ("plain scalar cannot start", "put the value into quotes"),
    ("must be followed by a valid YAML whitespace", "write a space behind it, or put the value into quotes"),
    ("simple key", "write `key: value`, with a space behind the colon"),
    ("block sequence entries", "begin the list in a line of its own, each item with `- `"),
    ("'-' indicator", "begin each item of the list with `- `, all at the same column"),
    ("expected key", "keys of one object stand at the same column"),
    ("comment intercepting", "put the comment before or behind the text"),
    ("unprintable character", "remove the character, or write it as an escape in double quotes"),
    ("byte order mark", "remove the character U+FEFF"),
    ("recursion limit", "nest less deeply"),
];

/// What to do about what the parser says.
pub(super) fn help(info: &str) -> &'static str {
    let fix = FIXES.iter().find(|(said, _)| info.contains(said)).map(|(_, fix)| *fix);
    fix.unwrap_or(
        "keys of one object stand at the same column, and a value with `: `, ` #` or brackets needs quotes",
    )
}

#[cfg(test)]
mod tests {
    use crate::{Expected, Notation, parse};

    #[test]
    fn every_mistake_is_helped_in_its_own_way() {
        let mut wrong = Vec::new();
        for (text, help) in [
            ("a: b: c", "put the value into quotes if a colon belongs to it; if not"),
            ("a: \"b\nc: d", "end the text with the quote"),
            ("a: 'b\n", "end the text with the quote"),
            ("a: \"b\" c", "put all of the value into the quotes"),
            ("a: \"C:\\dir\"", "write a backslash as"),
            ("a: *b", "name what the alias stands for"),
            ("a: @b", "put the value into quotes: this character"),
            ("a: `b`", "put the value into quotes: this character"),
            ("a: %b", ""),
            ("a: [1, 2", "end the list with"),
            ("a: {b: 1", "end the object with"),
            ("a: ]", ""),
            ("a:\n  b: 1\n c: 2", ""),
            ("a:\n  - 1\n  b: 2", ""),
            ("a: - 1", "begin the list in a line of its own"),
            ("a: |\n  b\n c", ""),
            ("a: !b!c d", "a text that begins with `!` needs quotes"),
            ("a: 1\nb\n", "write `key: value`"),
        ] {
            let expected = Expected::new("a menu", "dishes:").notation(Some(Notation::Yaml));
            match parse(text, &expected) {
                Err(found) if found.code == "yaml-syntax" => {
                    let said = found.help.clone().unwrap_or_default();
                    if said.is_empty() || !said.starts_with(help) {
                        wrong.push(format!("{text:?}: {found}"));
                    }
                }
                other => wrong.push(format!("{text:?}: {other:?}")),
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
