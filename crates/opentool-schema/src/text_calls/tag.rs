//! A tag as models write it: `<tool_call>`, `</x:invoke>`, `<function=name>`, `<｜DSML｜parameter name="city">`.
//!
//! It knows one tag, not what stands between two: each template has its own rules for that.

use opentool_core::Problem;

use super::cut_off;

/// Bytes of the name of a tag, with its prefix.
const LONGEST: usize = 64;

/// The beginning of a tag, up to the end of its name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tag<'t> {
    pub(super) is_closing: bool,
    /// The name with its prefix.
    pub(super) head: &'t str,
    /// The name without it.
    pub(super) name: &'t str,
    /// What follows the name.
    pub(super) after: &'t str,
}

/// The name that an opening tag gives, what else stands in it, and what follows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Opening<'t> {
    pub(super) name: &'t str,
    pub(super) attributes: &'t str,
    pub(super) is_closed: bool,
    pub(super) rest: &'t str,
}

impl<'t> Tag<'t> {
    /// The tag with which a text begins.
    pub(super) fn at(text: &'t str) -> Option<Self> {
        #[cfg(test)]
        super::tests::LOOKS.with(|looks| looks.set(looks.get().saturating_add(1)));
        let inside = text.strip_prefix('<')?;
        let (is_closing, inside) = inside.strip_prefix('/').map_or((false, inside), |inside| (true, inside));
        let ends = |c: char| c.is_whitespace() || matches!(c, '<' | '>' | '=' | '/' | '"' | '\'');
        let end = inside.char_indices().take(LONGEST).find(|(_, c)| ends(*c)).map(|(at, _)| at)?;
        let (head, after) = inside.split_at_checked(end)?;
        let name = head.rsplit([':', '｜']).next().unwrap_or(head);
        Some(Self { is_closing, head, name, after })
    }

    /// Whether nothing stands in the tag besides its name.
    pub(super) fn is_plain(&self) -> bool {
        self.after.starts_with('>')
    }

    /// Whether the tag ends, with or without attributes, before another one begins.
    pub(super) fn is_whole(&self) -> bool {
        let end = self.after.find(['>', '<', '\n']).and_then(|end| self.after.get(end..));
        self.is_plain()
            || (self.after.starts_with(char::is_whitespace) && end.is_some_and(|end| end.starts_with('>')))
    }

    /// Whether a name or attributes follow in the tag.
    pub(super) fn has_more(&self) -> bool {
        self.after.starts_with(|c: char| c == '=' || c.is_whitespace())
    }

    /// The tag that closes this one.
    pub(super) fn close(&self) -> String {
        format!("</{}>", self.head)
    }

    /// The rest of an opening tag: `=name>`, ` name="name" …>`.
    pub(super) fn open(&self) -> Result<Opening<'t>, Problem> {
        let (inside, rest) = self.after.split_once('>').ok_or_else(cut_off)?;
        let (inside, is_closed) = inside.strip_suffix('/').map_or((inside, false), |inside| (inside, true));
        let inside = inside.trim();
        let named = inside.strip_prefix("name").map_or(inside, str::trim_start);
        let named = named.strip_prefix('=').unwrap_or_default().trim_start();
        let quoted = ['"', '\''].iter().find_map(|quote| named.strip_prefix(*quote)?.split_once(*quote));
        let (name, attributes) = quoted.unwrap_or((named, ""));
        Ok(Opening { name: name.trim(), attributes, is_closed, rest })
    }
}

/// The text up to the tag that closes the one before it, and what follows that: as often as the text opens another one of
/// its kind, it has to close it. `None` where it does not.
pub(super) fn enclosed<'t>(text: &'t str, outer: &Tag<'_>) -> Option<(&'t str, &'t str)> {
    let mut depth = 0_usize;
    let mut from = 0_usize;
    loop {
        let at = text.get(from..)?.find('<')?.saturating_add(from);
        from = at.saturating_add(1);
        let Some(tag) = text.get(at..).and_then(Tag::at).filter(|tag| tag.head == outer.head) else {
            continue;
        };
        if !tag.is_closing && (tag.is_plain(), tag.has_more()) == (outer.is_plain(), outer.has_more()) {
            depth = depth.saturating_add(1);
        } else if tag.is_closing && tag.is_plain() {
            let Some(outer) = depth.checked_sub(1) else {
                return Some((text.get(..at)?, tag.after.get(1..)?));
            };
            depth = outer;
        }
    }
}

/// The tags around values that are text as it stands, and around the calls of them.
const RAW: [&str; 5] = ["parameter", "arg_value", "arg_key", "function", "invoke"];

/// Whether a text closes what it has not opened: then a value before it was longer than it seemed.
pub(super) fn closes_too_much(text: &str) -> bool {
    let mut open = [0_usize; RAW.len()];
    for (at, _) in text.match_indices('<') {
        let Some(tag) = text.get(at..).and_then(Tag::at) else { continue };
        let place = RAW.iter().position(|name| *name == tag.name);
        let Some(open) = place.and_then(|place| open.get_mut(place)) else { continue };
        if !tag.is_closing {
            *open = open.saturating_add(1);
        } else if let Some(less) = open.checked_sub(1) {
            *open = less;
        } else {
            return true;
        }
    }
    false
}
