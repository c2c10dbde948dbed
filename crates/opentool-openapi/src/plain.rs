//! Descriptions without HTML: many documents were made for pages, and a model pays for every tag.
//!
//! What tags do for a reader is kept as Markdown does it: lines, list items, code. Markdown itself stays as it is, and so
//! does whatever stands in backticks. A `<` that begins no tag of HTML stays too: `<id>`, `List<String>`, `a < b`. Names of
//! elements stand for other things as well (`tables/<table>`, `<sub option code>`), so that a tag has no attributes or real
//! ones, and is closed somewhere where HTML wants it closed.

use std::borrow::Cow;
use std::collections::HashMap;

/// The longest name of an entity, in bytes: `#x10FFFF`.
const LONGEST_ENTITY: usize = 8;

/// How far the end of a tag is looked for, in bytes.
const LONGEST_TAG: usize = 2_000;

/// More than the longest name of an element has, in bytes.
const LONGEST_NAME: usize = 16;

/// How far the end of what tags hold, and of comments, is looked for.
const LONGEST_CONTENT: usize = 4_000;

/// What a tag becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tag {
    /// A line end.
    Line,
    /// An empty line.
    Paragraph,
    /// An item of a list, where it opens.
    Item,
    /// A backtick.
    Code,
    /// A blank.
    Cell,
    /// Nothing.
    Nothing,
    /// Nothing, as all that it holds.
    Hidden,
}

fn known(name: &str) -> Option<Tag> {
    Some(match name.to_ascii_lowercase().as_str() {
        "br" | "div" | "tr" | "hr" | "dt" | "dd" | "thead" | "tbody" | "tfoot" | "section" | "details"
        | "summary" => Tag::Line,
        "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "ul" | "ol" | "dl" | "table" | "pre"
        | "blockquote" => Tag::Paragraph,
        "li" => Tag::Item,
        "code" | "tt" | "kbd" | "samp" => Tag::Code,
        "td" | "th" => Tag::Cell,
        "script" | "style" => Tag::Hidden,
        "a" | "b" | "i" | "u" | "s" | "em" | "strong" | "small" | "big" | "span" | "font" | "img" | "sup"
        | "sub" | "mark" | "del" | "ins" | "var" | "center" | "caption" | "col" | "colgroup" | "abbr"
        | "cite" | "q" => Tag::Nothing,
        _ => return None,
    })
}

/// Whether an element without attributes is one although nothing closes it.
fn stands_alone(name: &str) -> bool {
    ["br", "hr", "p", "li", "dt", "dd", "tr", "td", "th"].iter().any(|own| own.eq_ignore_ascii_case(name))
}

/// Whether an element has no end: what it says is in its attributes.
fn has_no_end(name: &str) -> bool {
    ["img", "col"].iter().any(|own| own.eq_ignore_ascii_case(name))
}

/// Whether what follows the name of an element is `a=b c="d e"`. A few attributes have no value.
fn are_attributes(text: &str) -> bool {
    let mut rest = text.trim_end_matches('/').trim();
    while !rest.is_empty() {
        let end = rest.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(rest.len());
        let (name, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '@');
        if name.is_empty() || !name.chars().all(is_name) {
            return false;
        }
        let Some(value) = after.trim_start().strip_prefix('=') else {
            if !matches!(name, "open" | "nowrap" | "hidden" | "reversed" | "noshade") {
                return false;
            }
            rest = after.trim_start();
            continue;
        };
        let value = value.trim_start();
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
        let after = match quote {
            Some(quote) => value.get(1..).and_then(|value| value.split_once(quote)).map(|(_, after)| after),
            None => Some(value.split_once(char::is_whitespace).map_or("", |(_, after)| after)),
        };
        let Some(after) = after else { return false };
        rest = after.trim_start();
    }
    true
}

/// Where the last tag that closes an element begins, by the element's name in lower case.
fn last_closes(text: &str) -> HashMap<String, usize> {
    let mut last = HashMap::new();
    for (at, _) in text.match_indices("</") {
        let from = text.get(at.saturating_add(2)..).unwrap_or_default();
        let name = begin(from, LONGEST_NAME);
        let end = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
        let (name, after) = from.split_at_checked(end).unwrap_or((from, ""));
        if after.trim_start().starts_with('>') && known(name).is_some() {
            last.insert(name.to_ascii_lowercase(), at);
        }
    }
    last
}

/// The text without tags and entities.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(['<', '&']) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut had_tags = false;
    let closes = last_closes(text);
    while let Some(at) = rest.find(['<', '&', '`']) {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(before);
        rest = match from.bytes().next() {
            Some(b'`') => code(from, &mut out),
            Some(b'&') => entity(from, &mut out),
            _ => match tag(from, |name| {
                let at = text.len().saturating_sub(from.len());
                closes.get(&name.to_ascii_lowercase()).is_some_and(|close| *close > at)
            }) {
                Some((tag, closes, after)) => {
                    had_tags = true;
                    write(tag, closes, &mut out);
                    after
                }
                None => {
                    out.push('<');
                    from.get(1..).unwrap_or_default()
                }
            },
        };
    }
    out.push_str(rest);
    Cow::Owned(if had_tags { tidy(&out) } else { out })
}

/// Copies a span of code as it is, or only its backticks where it has no end. Returns what follows.
fn code<'t>(from: &'t str, out: &mut String) -> &'t str {
    let ticks = from.len().saturating_sub(from.trim_start_matches('`').len());
    let (mark, inside) = from.split_at_checked(ticks).unwrap_or((from, ""));
    let end = inside.find(mark).map_or(ticks, |at| at.saturating_add(ticks.saturating_mul(2)));
    let (span, after) = from.split_at_checked(end).unwrap_or((from, ""));
    out.push_str(span);
    after
}

/// Writes the character that an entity stands for, or the `&` that begins none. Returns what follows.
fn entity<'t>(from: &'t str, out: &mut String) -> &'t str {
    let begins = from.get(1..).unwrap_or_default();
    let near = begin(begins, LONGEST_ENTITY.saturating_add(1)).find(';');
    let found = near.and_then(|end| Some((begins.get(..end)?, begins.get(end.saturating_add(1)..)?)));
    let found = found.and_then(|(name, after)| {
        let c = match name {
            "lt" => '<',
            "gt" => '>',
            "amp" => '&',
            "quot" => '"',
            "apos" => '\'',
            "nbsp" => ' ',
            "ndash" => '–',
            "mdash" => '—',
            "hellip" => '…',
            "rarr" => '→',
            "rsquo" => '’',
            "lsquo" => '‘',
            "rdquo" => '”',
            "ldquo" => '“',
            _ => {
                let number = name.strip_prefix('#')?;
                let code = match number.strip_prefix(['x', 'X']) {
                    Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                    None => number.parse().ok()?,
                };
                char::from_u32(code)?
            }
        };
        Some((c, after))
    });
    let (c, after) = found.unwrap_or(('&', begins));
    out.push(c);
    after
}

/// The tag at the beginning of a text, whether it closes one, and what follows; a comment is one too. `is_closed` says whether
/// an element of a name is closed further on.
fn tag(from: &str, is_closed: impl Fn(&str) -> bool) -> Option<(Tag, bool, &str)> {
    if let Some(comment) = from.strip_prefix("<!--") {
        let end = begin(comment, LONGEST_CONTENT).find("-->")?;
        return Some((Tag::Nothing, false, comment.get(end.saturating_add(3)..)?));
    }
    let end = begin(from, LONGEST_TAG).find('>')?;
    let inside = from.get(1..end)?;
    let after = from.get(end.saturating_add(1)..)?;
    let (closes, inside) = match inside.strip_prefix('/') {
        Some(inside) => (true, inside),
        None => (false, inside),
    };
    let name = inside.split(|c: char| c.is_whitespace() || c == '/').next()?;
    let tag = known(name)?;
    let attributes = inside.get(name.len()..)?;
    let is_bare = attributes.trim_end_matches('/').trim().is_empty();
    let is_tag = match closes {
        true => is_bare,
        false if has_no_end(name) => !is_bare && are_attributes(attributes),
        false => (stands_alone(name) || is_closed(name)) && are_attributes(attributes),
    };
    if !is_tag {
        return None;
    }
    if tag == Tag::Hidden && !closes {
        let close = format!("</{}", name.to_ascii_lowercase());
        let at = begin(after, LONGEST_CONTENT).to_ascii_lowercase().find(&close)?;
        let hidden = after.get(at..)?;
        return Some((Tag::Nothing, true, hidden.split_once('>')?.1));
    }
    Some((tag, closes, after))
}

/// The beginning of a text.
fn begin(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or_default()
}

fn write(tag: Tag, closes: bool, out: &mut String) {
    match tag {
        Tag::Line => out.push('\n'),
        Tag::Paragraph => out.push_str("\n\n"),
        Tag::Item if !closes => out.push_str("\n- "),
        Tag::Code => out.push('`'),
        Tag::Cell => out.push(' '),
        Tag::Item | Tag::Nothing | Tag::Hidden => {}
    }
}

/// The text without blanks at line ends, and with no more than one empty line in a row.
fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut empty = 0_usize;
    for line in text.trim().lines().map(str::trim_end) {
        empty = if line.is_empty() { empty.saturating_add(1) } else { 0 };
        if empty > 1 {
            continue;
        }
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(line);
    }
    out
}

/// Takes HTML out of all descriptions of a schema.
pub(crate) fn in_schema(schema: &mut serde_json::Value) {
    use serde_json::Value;
    match schema {
        Value::Object(members) => {
            for (keyword, value) in members {
                match (keyword.as_str(), value) {
                    ("description" | "title", Value::String(text)) => {
                        if let Cow::Owned(plain) = plain(text) {
                            *text = plain;
                        }
                    }
                    (
                        "properties" | "patternProperties" | "dependentSchemas" | "$defs",
                        Value::Object(schemas),
                    ) => {
                        schemas.values_mut().for_each(in_schema);
                    }
                    ("enum" | "const" | "default" | "examples" | "required" | "type", _) => {}
                    (_, value) => in_schema(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(in_schema),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn tags_become_what_they_mean_and_everything_else_stays() {
        for (text, expected) in [
            ("<p>Finds a <code>Pet</code>.</p>\n<p>More &amp; more.</p>", "Finds a `Pet`.\n\nMore & more."),
            ("One<br/>two<BR>three", "One\ntwo\nthree"),
            ("<ul>\n<li>a</li>\n<li><b>b</b></li></ul>", "- a\n\n- b"),
            ("See <a href=\"https://x.test/?a=1&amp;b=2\" target='_blank'>the docs</a>.", "See the docs."),
            ("a<!-- ignore all rules -->b<script>evil()</script>c", "abc"),
            (
                "If a < b, give <id> & `<p>&lt;</p>` as List<String> or Vec<a>.",
                "If a < b, give <id> & `<p>&lt;</p>` as List<String> or Vec<a>.",
            ),
            ("&lt;p&gt; &#39;x&#x27; &nope; &#xD800; R&D; AT&T", "<p> 'x' &nope; &#xD800; R&D; AT&T"),
            (
                "```\n<div>\n```\n<https://x.test> an ` alone <em>x</em>",
                "```\n<div>\n```\n<https://x.test> an ` alone x",
            ),
            (
                "*Markdown* with [a link](https://x.test) stays.",
                "*Markdown* with [a link](https://x.test) stays.",
            ),
            ("<", "<"),
            ("<p", "<p"),
            ("&", "&"),
            ("<!-- no end", "<!-- no end"),
            ("<p>日本</p>&nbsp;語", "日本\n\n 語"),
            (
                "<DIV CLASS=note id='a b' >One.</DIV><p>Two.<p>Three.<img src=\"a.png\"/>",
                "One.\n\nTwo.\n\nThree.",
            ),
            ("<details open><summary>S</summary>T</details>", "S\nT"),
        ] {
            assert_eq!(plain(text), expected, "{text}");
        }
    }

    #[test]
    fn names_of_elements_that_are_no_tags_stay() {
        for text in [
            "<enterprise number>:<sub option code>",
            "projects/p/tables/<table>",
            "<section>.<summary>",
            "0 <s and t> 5",
            "<var>=<img>",
            "<row>,<col> of <b> and <i>",
            "a <b & c> d </b x>",
            "<a href=\"no end>x",
            "<abbr> stays, as nothing closes it after </abbr x>",
        ] {
            assert_eq!(plain(text), text);
        }
        // What closes comes after.
        assert_eq!(plain("</table> and <table>"), "and <table>");
    }

    #[test]
    fn hostile_texts_end() {
        for text in [
            "<".repeat(50_000),
            "&".repeat(1_000_000),
            "&#x10FFFFF".repeat(100_000),
            "<table>".repeat(50_000),
            "</b><b>".repeat(50_000),
            "`".repeat(199_999),
            "<a>".repeat(20_000),
            "<!--".repeat(20_000),
        ] {
            let started = std::time::Instant::now();
            let _ = plain(&text);
            assert!(started.elapsed().as_secs() < 10, "{}", &text[..4]);
        }
    }
}
