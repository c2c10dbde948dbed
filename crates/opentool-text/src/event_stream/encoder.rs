//! Writes events.

/// An event as `event:NAME`, `data:TEXT`, an empty line; without spaces after the colons, which is what every
/// implementation reads. A text of several lines becomes several `data`. The name must not hold a line end.
pub fn frame(name: &str, text: &str) -> String {
    let mut frame = String::with_capacity(name.len().saturating_add(text.len()).saturating_add(16));
    frame.push_str("event:");
    frame.push_str(name);
    let mut rest = text;
    loop {
        let end = rest.find(['\r', '\n']).unwrap_or(rest.len());
        let (line, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        frame.push_str("\ndata:");
        if line.starts_with(' ') {
            // One space after the colon is no part of the text.
            frame.push(' ');
        }
        frame.push_str(line);
        match after.strip_prefix("\r\n").or_else(|| after.strip_prefix(['\r', '\n'])) {
            Some(next) => rest = next,
            None => break,
        }
    }
    frame.push_str("\n\n");
    frame
}

#[cfg(test)]
mod tests {
    use super::frame;

    #[test]
    fn a_frame_is_two_lines_and_an_empty_one() {
        assert_eq!(frame("start", "{\"start\":\"add\"}"), "event:start\ndata:{\"start\":\"add\"}\n\n");
        assert_eq!(frame("data", ""), "event:data\ndata:\n\n");
        assert_eq!(frame("data", "a\r\nb\n c"), "event:data\ndata:a\ndata:b\ndata:  c\n\n");
    }
}
