//! From a doc comment to the text that a model reads.
//!
//! Lines of one paragraph become one line; Markdown that lives by its lines (lists, tables, code, headings)
//! stays as it is. The sections that Rust's conventions ask for and that say nothing about a call from
//! outside (`# Errors`, `# Panics`, `# Safety`, `# Examples`) are left out. It does not interpret links.

/// The description that a doc comment or an attribute gives.
pub fn describe(doc: &str) -> String {
    let mut text = String::with_capacity(doc.len());
    let mut fence: Option<&str> = None;
    let mut skipping = false;
    let mut previous = Line::Blank;
    for line in dedent(doc) {
        let start = line.trim_start();
        if let Some(mark) = fence_of(start) {
            match fence {
                None => fence = Some(mark),
                Some(open)
                    if start.trim_end().trim_matches('`').trim_matches('~').is_empty() && open == mark =>
                {
                    fence = None;
                }
                Some(_) => {}
            }
        }
        let in_code = fence.is_some() || fence_of(start).is_some();
        if !in_code && start.starts_with('#') {
            skipping = is_rust_section(start);
        }
        if skipping {
            continue;
        }
        let kind = if in_code { Line::Own } else { kind_of(line) };
        let continues = kind == Line::Prose && matches!(previous, Line::Prose | Line::Item);
        if !text.is_empty() {
            text.push(if continues { ' ' } else { '\n' });
        }
        text.push_str(if continues { start.trim_end() } else { line.trim_end() });
        previous = if continues { previous } else { kind };
    }
    text.truncate(text.trim_end().len());
    text.drain(..text.len() - text.trim_start_matches('\n').len());
    collapse_blank_lines(text)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    Blank,
    /// May be joined to the line before.
    Prose,
    /// Starts a list item: prose may follow on the same line.
    Item,
    /// Stands for itself.
    Own,
}

fn kind_of(line: &str) -> Line {
    let start = line.trim_start();
    if start.is_empty() {
        return Line::Blank;
    }
    if is_item(start) {
        return Line::Item;
    }
    let indented_code = line.len() - start.len() >= 4;
    // Two spaces or a backslash at the end are a line break in Markdown.
    let breaks = line.ends_with("  ") || line.ends_with('\\');
    if start.starts_with(['#', '|', '>']) || indented_code || breaks { Line::Own } else { Line::Prose }
}

fn is_item(start: &str) -> bool {
    let after_number = start.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = after_number.len() < start.len() && after_number.starts_with([')', '.']);
    let rest = if numbered { after_number.get(1..) } else { start.strip_prefix(['-', '*', '+']) };
    rest.is_some_and(|rest| rest.starts_with(' '))
}

fn fence_of(start: &str) -> Option<&'static str> {
    ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark))
}

fn is_rust_section(heading: &str) -> bool {
    let name = heading.trim_start_matches('#').trim();
    ["Errors", "Panics", "Safety", "Examples", "Example"].contains(&name)
}

/// The lines without the one space that `///` leaves, or without the common indentation of `/** .. */`.
fn dedent(doc: &str) -> impl Iterator<Item = &str> {
    let common = doc
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start_matches(' ').len())
        .min()
        .unwrap_or(0);
    doc.lines().map(move |line| line.get(common..).unwrap_or_default())
}

fn collapse_blank_lines(mut text: String) -> String {
    while text.contains("\n\n\n") {
        text = text.replace("\n\n\n", "\n\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::describe;

    #[test]
    fn lines_of_a_paragraph_are_one_line_and_paragraphs_stay() {
        assert_eq!(describe(" One\n two.\n\n Three."), "One two.\n\nThree.");
    }

    #[test]
    fn lists_tables_and_code_keep_their_lines() {
        let doc = " Units:\n - `c`: Celsius,\n   the default\n - `f`\n\n ```\n a\n   b\n ```\n | a | b |";
        let expected = "Units:\n- `c`: Celsius, the default\n- `f`\n\n```\na\n  b\n```\n| a | b |";
        assert_eq!(describe(doc), expected);
    }

    #[test]
    fn sections_for_rust_readers_are_left_out() {
        let doc = " Finds it.\n\n # Errors\n When it rains.\n\n # Notes\n Slow.";
        assert_eq!(describe(doc), "Finds it.\n\n# Notes\nSlow.");
        assert_eq!(describe(" Finds it.\n\n # Examples\n ```\n # hidden\n find();\n ```\n"), "Finds it.");
    }

    #[test]
    fn a_block_comment_reads_like_a_line_comment() {
        assert_eq!(describe("\n    One\n    two.\n    "), "One two.");
    }
}
