//! Descriptions in reStructuredText (`:param city: Where.`), as tool2schema reads them.
//!
//! Only `:param name: text` is known. The rules are those of the library, with their edges: a text ends before the
//! next `:param`, `:type`, `:return` or `:rtype`, wherever that stands.

/// The text in one line, white space as one space.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What the function does: everything before the first `:param`.
pub(super) fn of_function(docstring: &str) -> String {
    let line = one_line(docstring);
    line.split_once(":param").map_or(line.as_str(), |(before, _)| before).trim().to_owned()
}

/// What a parameter means, if the text says so.
pub(super) fn of_parameter(docstring: &str, parameter: &str) -> Option<String> {
    const ENDS: [&str; 4] = [":param", ":type", ":return", ":rtype"];
    let line = one_line(docstring);
    let mut rest = line.as_str();
    while let Some((_, after)) = rest.split_once(":param ") {
        // `name: text`; what has no such head is passed over.
        let Some((name, text)) =
            after.split_once(':').and_then(|(name, text)| Some((name, text.strip_prefix(' ')?)))
        else {
            rest = after;
            continue;
        };
        let end = ENDS.iter().filter_map(|end| text.find(end)).min().unwrap_or(text.len());
        let (text, next) = text.split_at_checked(end).unwrap_or((text, ""));
        if name == parameter && !text.is_empty() {
            return Some(text.trim().to_owned());
        }
        rest = next;
    }
    None
}
