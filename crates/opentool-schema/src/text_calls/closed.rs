//! Where brackets close, whatever stands in them: code, an example, JSON that is none.
//!
//! Only for what is no call anyway: it says which marks are words of something else, and reads no value.

/// The end of what the bracket closes with which a text begins; `None` where it does not close, or another one does.
pub(super) fn end(text: &str) -> Option<usize> {
    let mut open = Vec::new();
    let mut from = 0;
    loop {
        let at = text.get(from..)?.find(['(', ')', '[', ']', '{', '}', '"', '\''])?.saturating_add(from);
        let rest = text.get(at..)?;
        from = at.saturating_add(1);
        match rest.chars().next()? {
            '(' => open.push(')'),
            '[' => open.push(']'),
            '{' => open.push('}'),
            quote @ ('"' | '\'') => from = at.saturating_add(string(rest, quote)?),
            closing => {
                if open.pop() != Some(closing) {
                    return None;
                }
                if open.is_empty() {
                    return Some(from);
                }
            }
        }
    }
}

/// The length of the string with which a text begins, in one quote or in three.
pub(super) fn string(text: &str, quote: char) -> Option<usize> {
    let three = if quote == '"' { "\"\"\"" } else { "'''" };
    let end = if text.starts_with(three) { three } else { three.get(..1)? };
    let mut from = end.len();
    loop {
        let at = text.get(from..)?.find([quote, '\\'])?.saturating_add(from);
        let rest = text.get(at..)?;
        if rest.starts_with(end) {
            return Some(at.saturating_add(end.len()));
        }
        let escaped = rest.strip_prefix('\\').map(|rest| rest.chars().next().map_or(0, char::len_utf8));
        from = at.saturating_add(1).saturating_add(escaped.unwrap_or(0));
    }
}
