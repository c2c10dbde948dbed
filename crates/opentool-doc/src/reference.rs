//! References: `#/schemas/NAME` and nothing else.

use std::borrow::Cow;

const PREFIX: &str = "#/schemas/";

/// The name that a reference leads to. `None` if it leads anywhere else: into another document, to another part of
/// this one, or inside of a schema.
pub(crate) fn name(reference: &str) -> Option<Cow<'_, str>> {
    let name = reference.strip_prefix(PREFIX)?;
    if name.is_empty() || name.contains('/') {
        return None;
    }
    let name = if name.contains('%') {
        percent_encoding::percent_decode_str(name).decode_utf8().unwrap_or(Cow::Borrowed(name))
    } else {
        Cow::Borrowed(name)
    };
    Some(if name.contains('~') { Cow::Owned(name.replace("~1", "/").replace("~0", "~")) } else { name })
}

/// The reference that leads to this name.
pub(crate) fn to(name: &str) -> String {
    format!("{PREFIX}{}", name.replace('%', "%25").replace('~', "~0").replace('/', "~1"))
}
