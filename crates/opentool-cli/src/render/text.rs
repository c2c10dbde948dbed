//! Measuring, shortening and wrapping text by the columns that it takes on a terminal.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// The columns that the text takes.
pub(super) fn width(text: &str) -> usize {
    text.width()
}

/// The text on one line and in at most `limit` columns, with an ellipsis where something is missing.
pub(crate) fn shorten(text: &str, limit: usize) -> String {
    if width(text) <= limit {
        return text.to_owned();
    }
    let mut shown = String::new();
    let mut taken = 0usize;
    for c in text.chars() {
        let next = taken.saturating_add(c.width().unwrap_or(0));
        if next.saturating_add(1) > limit {
            break;
        }
        taken = next;
        shown.push(c);
    }
    shown.truncate(shown.trim_end().len());
    shown.push('…');
    shown
}

/// The first line that says something, with its spaces made even.
pub(super) fn first_line(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The longest description where nobody looks, and programs read lines.
const LONGEST: usize = 160;

/// A description in one line: its first line without the tags of HTML, which many documents are written in. Where it is
/// long, it ends with its last whole sentence that fits.
pub(super) fn summary(text: &str) -> String {
    let line = first_line(&without_tags(text));
    if line.chars().count() <= LONGEST {
        return line;
    }
    let start: String = line.chars().take(LONGEST).collect();
    match start.rfind(". ") {
        Some(end) => start.get(..=end).unwrap_or_default().to_owned(),
        None => shorten(&line, LONGEST),
    }
}

/// The text without tags: `<p>`, `</code>`, `<a href="…">`. A `<` that begins none stays, and so does what programmers
/// write between such signs: `<id>` is only a tag if HTML knows it.
fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        let inside = after.split_once('>').filter(|(tag, _)| is_tag(tag));
        match inside {
            Some((tag, after)) => {
                // Paragraphs and lines end here, words do not.
                let name = tag.trim_matches('/').split_whitespace().next().unwrap_or_default();
                if matches!(name, "p" | "br" | "li" | "ul" | "ol" | "div" | "tr") {
                    out.push(' ');
                }
                rest = after;
            }
            None => {
                out.push('<');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

fn is_tag(tag: &str) -> bool {
    const TAGS: [&str; 31] = [
        "p", "br", "b", "i", "u", "a", "em", "strong", "code", "pre", "ul", "ol", "li", "span", "div", "h1",
        "h2", "h3", "h4", "h5", "h6", "table", "tr", "td", "th", "thead", "tbody", "hr", "img", "sup", "sub",
    ];
    let name = tag.trim_start_matches('/').trim_end_matches('/');
    let name = name.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
    tag.len() < 1_000 && TAGS.contains(&name.as_str())
}

/// The text in lines of at most `limit` columns where words allow it, each after `indent` spaces. Line ends in the
/// text stay.
pub(super) fn wrap(text: &str, indent: usize, limit: Option<usize>) -> String {
    let room = limit.map_or(usize::MAX, |limit| limit.saturating_sub(indent).max(20));
    let mut lines = Vec::new();
    for paragraph in text.trim_end().lines() {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && width(&line).saturating_add(1).saturating_add(width(word)) > room {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    let pad = " ".repeat(indent);
    let lines = lines.iter().map(|line| if line.is_empty() { String::new() } else { format!("{pad}{line}") });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::{first_line, shorten, summary, wrap};

    #[test]
    fn a_summary_is_one_line_of_whole_sentences_without_tags() {
        assert_eq!(summary("<p>Finds a <code>Pet</code>.</p>\nMore."), "Finds a Pet.");
        assert_eq!(summary("If a < b, give <id> as it is."), "If a < b, give <id> as it is.");
        let long = format!("One sentence. {}", "word ".repeat(100));
        assert_eq!(summary(&long), "One sentence.");
        assert_eq!(summary(&"word ".repeat(100)).chars().count(), 160);
    }

    #[test]
    fn text_is_shortened_by_columns_not_by_bytes() {
        assert_eq!(shorten("abcdef", 6), "abcdef");
        assert_eq!(shorten("abc def", 5), "abc…");
        assert_eq!(shorten("日本語です", 5), "日本…");
        assert_eq!(shorten("abc", 0), "…");
    }

    #[test]
    fn a_description_is_its_first_line() {
        assert_eq!(first_line("\n  Finds   a pet.\nBy id."), "Finds a pet.");
        assert_eq!(first_line(""), "");
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrap("one two three four five six", 2, Some(22)), "  one two three four\n  five six");
        assert_eq!(wrap("a\n\nb", 1, None), " a\n\n b");
    }
}
