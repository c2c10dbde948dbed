//! How many values a text holds, before it is read: what is made of a byte on the wire can be a hundred bytes of memory.

/// At least as many as the values and names of members of a text in JSON, or in YAML: what separates them is counted.
///
/// ```
/// assert_eq!(opentool_text::count_values(r#"{"a": [1, "b,c"]}"#), 4);
/// ```
pub fn count_values(text: &str) -> usize {
    let is_json = text.trim_start().starts_with(['{', '[']);
    let (mut values, mut in_string, mut escaped) = (0_usize, false, false);
    for byte in text.bytes() {
        match byte {
            b'"' if is_json && !escaped => in_string = !in_string,
            b'{' | b'[' | b',' | b':' if !in_string => values = values.saturating_add(1),
            b'\n' if !is_json => values = values.saturating_add(1),
            _ => {}
        }
        escaped = in_string && byte == b'\\' && !escaped;
    }
    values
}
