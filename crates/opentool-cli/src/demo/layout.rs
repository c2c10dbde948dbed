//! Text that fits: wrapping, shortening, durations.
//!
//! Widths are counted in characters, which is right for what the demo itself says. Wide characters in the
//! answers of a real model may reach beyond the margin; nothing else goes wrong then.

use std::time::Duration;

/// Breaks text into lines of at most `width` characters, at spaces where there are some. Its own line ends are
/// kept.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = Vec::new();
    for paragraph in text.trim_end().split('\n') {
        let mut line = String::new();
        let mut used = 0_usize;
        for word in paragraph.split_whitespace() {
            let length = word.chars().count();
            if used > 0 && used.saturating_add(1).saturating_add(length) > width {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            if used > 0 {
                line.push(' ');
                used = used.saturating_add(1);
            }
            // A word that is longer than a line goes on in the next one.
            for c in word.chars() {
                if used == width {
                    lines.push(std::mem::take(&mut line));
                    used = 0;
                }
                line.push(c);
                used = used.saturating_add(1);
            }
        }
        lines.push(line);
    }
    lines
}

/// Text on one line of at most `width` characters; what is left out at its end is marked by three dots.
pub(super) fn shorten(text: &str, width: usize) -> String {
    // More than one line can hold is never looked at: a result can be large.
    let enough: String = text.chars().take(width.saturating_mul(8).saturating_add(1)).collect();
    let line = enough.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= width && enough.len() == text.len() {
        return line;
    }
    let dots = width.min(3);
    let kept: String = line.chars().take(width.saturating_sub(dots)).collect();
    kept + &"...".chars().take(dots).collect::<String>()
}

/// A shell command on lines of at most `width` characters where its spaces allow it. The lines are still one command:
/// all but the last end with a backslash, and all but the first are indented.
pub(super) fn command(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in shell_words(text) {
        let length = line.chars().count().saturating_add(word.chars().count());
        // A space before the word, and a space and a backslash after it.
        if !line.trim().is_empty() && length.saturating_add(3) > width {
            lines.push(format!("{line} \\"));
            line = " ".to_owned();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

/// The parts between spaces that do not stand in single quotes.
fn shell_words(text: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    text.split(move |c| {
        quoted ^= c == '\'';
        c == ' ' && !quoted
    })
}

/// A duration to three digits: `0.04 ms`, `12.3 ms`, `1.52 s`.
pub(super) fn duration(duration: Duration) -> String {
    let ms = duration.as_secs_f64() * 1_000.0;
    match ms {
        ..10.0 => format!("{ms:.2} ms"),
        ..100.0 => format!("{ms:.1} ms"),
        ..1_000.0 => format!("{ms:.0} ms"),
        _ => format!("{:.2} s", ms / 1_000.0),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{command, duration, shorten, wrap};

    #[test]
    fn lines_break_at_spaces_and_long_words_anywhere() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("a\n\nb  c", 9), ["a", "", "b c"]);
        assert_eq!(wrap("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(wrap("", 5), [""]);
    }

    #[test]
    fn what_is_cut_off_is_marked() {
        assert_eq!(shorten("short", 5), "short");
        assert_eq!(shorten("a  little\nlonger", 10), "a littl...");
        assert_eq!(shorten(&"x".repeat(10_000), 6), "xxx...");
        assert_eq!(shorten(&" ".repeat(10_000), 6), "...");
        assert_eq!(shorten("äöüäöü", 4), "ä...");
        assert_eq!(shorten("abc", 2), "..");
    }

    #[test]
    fn a_long_command_stays_one_command() {
        assert_eq!(command("opentool demo --serve", 24), ["opentool demo --serve"]);
        assert_eq!(command("opentool list some/long/path", 20), ["opentool list \\", "  some/long/path"]);
        assert_eq!(command("'a b' 'c d e f g h i'", 10), ["'a b' \\", "  'c d e f g h i'"]);
    }

    #[test]
    fn durations_have_three_digits() {
        let of = |micros| duration(Duration::from_micros(micros));
        assert_eq!([of(41), of(1_234), of(12_345), of(234_567)], ["0.04 ms", "1.23 ms", "12.3 ms", "235 ms"]);
        assert_eq!(of(1_523_000), "1.52 s");
    }
}
