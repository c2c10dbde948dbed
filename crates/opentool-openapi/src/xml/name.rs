//! Names and characters that XML 1.0 has. A name that ends its tag, or a character that no parser takes, is not written.

/// Whether a text can be the name of an element or an attribute (section 2.3, without its rarest characters).
pub(super) fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    let begins = chars.next().is_some_and(|c| c.is_alphabetic() || c == '_');
    begins && chars.all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '\u{b7}' | ':'))
}

/// Whether all characters of a text can stand in a document (section 2.2).
pub(super) fn is_text(text: &str) -> bool {
    text.chars()
        .all(|c| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..))
}

/// Text of an element. A carriage return would come back as a line feed.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            // Only `]]>` would need it.
            '>' => out.push_str("&gt;"),
            '\r' => out.push_str("&#13;"),
            c => out.push(c),
        }
    }
    out
}

/// The value of an attribute, without its quotes. Parsers make spaces of tabs and line ends.
pub(super) fn attribute(text: &str) -> String {
    escaped(text).replace('"', "&quot;").replace('\t', "&#9;").replace('\n', "&#10;")
}

/// A CDATA section, which cannot hold its own end.
pub(super) fn cdata(text: &str) -> String {
    format!("<![CDATA[{}]]>", text.replace("]]>", "]]]]><![CDATA[>"))
}
