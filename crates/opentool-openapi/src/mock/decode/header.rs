//! Header and cookie parameters. Headers are not percent-encoded, cookies are unless their style is `cookie` (3.2).

use http::HeaderMap;
use http::header::COOKIE;

use super::super::contract::{Contract, Style, Written};
use super::pairs::{self, Pair};
use super::split::{percent, plain};
use super::{Read, content, joined};
use crate::plan::Place;

/// Reads the header parameters.
pub(in super::super) fn headers(contract: &Contract, headers: &HeaderMap, read: &mut Read) {
    for wanted in contract.parameters.iter().filter(|wanted| wanted.place == Place::Header) {
        let lines: Option<Vec<&str>> = headers
            .get_all(wanted.name.as_str())
            .iter()
            .map(|value| std::str::from_utf8(value.as_bytes()).ok())
            .collect();
        let Some(lines) = lines else {
            read.unreadable(wanted, "expected UTF-8", "");
            continue;
        };
        if lines.is_empty() {
            read.missing(wanted);
            continue;
        }
        // Several lines of one name are one list (RFC 9110, section 5.2).
        let text = lines.join(",");
        let found = match &wanted.written {
            Written::Content(media_type) => content(media_type, &text, wanted),
            Written::Style(style, explode) => {
                let separator = if let Style::Delimited(own) = style { *own } else { ',' };
                joined(&text, separator, *explode, &wanted.judge.view(), trimmed).map_err(str::to_owned)
            }
        };
        match found {
            Ok(value) => read.take(wanted, value),
            Err(detail) => read.unreadable(wanted, &detail, &text),
        }
    }
}

/// A list in a header may have spaces after its commas.
fn trimmed(text: &str) -> Option<String> {
    Some(text.trim_matches([' ', '\t']).to_owned())
}

/// Reads the cookie parameters. Cookies that the document does not have are nobody's business.
pub(in super::super) fn cookies(contract: &Contract, headers: &HeaderMap, read: &mut Read) {
    let wanted: Vec<_> = contract.parameters.iter().filter(|wanted| wanted.place == Place::Cookie).collect();
    if wanted.is_empty() {
        return;
    }
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| std::str::from_utf8(line.as_bytes()).ok());
    let mut all: Vec<Pair<'_>> = lines
        .flat_map(|line| line.split(';'))
        .map(str::trim)
        .filter(|pair| !pair.is_empty())
        .map(Pair::of)
        .collect();
    for wanted in wanted {
        let decode = match wanted.written {
            Written::Style(Style::Cookie, _) => plain,
            _ => percent,
        };
        pairs::take(wanted, &mut all, decode, &[], read);
    }
}
