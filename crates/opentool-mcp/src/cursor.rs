//! The cursor of `tools/list`: opaque to clients, without state here.
//!
//! It names the last tool of the page that was given, so that a page follows rightly even when tools were added
//! in between.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// Before the name, so that a change of the format is noticed.
const MARK: &str = "1:";

/// The cursor of the page after the tool `name`.
pub(crate) fn after(name: &str) -> String {
    URL_SAFE_NO_PAD.encode(format!("{MARK}{name}"))
}

/// The name in a cursor; `None` if it is not one of ours.
pub(crate) fn parse(cursor: &str) -> Option<String> {
    let text = String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
    text.strip_prefix(MARK).map(str::to_owned)
}
