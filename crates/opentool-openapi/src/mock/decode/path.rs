//! Path parameters: `simple`, `label` and `matrix` (RFC 6570, sections 3.2.2, 3.2.5 and 3.2.7).

use super::super::contract::{Contract, Style, Wanted, Written};
use super::split::{percent, plain};
use super::{Kind, Read, content, decoded, joined, kind, list, record};
use crate::plan::Place;

/// Reads the texts that stand for the placeholders of the template, still encoded.
pub(in super::super) fn path(contract: &Contract, texts: &[(String, String)], read: &mut Read) {
    for wanted in contract.parameters.iter().filter(|wanted| wanted.place == Place::Path) {
        let Some((_, text)) = texts.iter().find(|(name, _)| *name == wanted.name) else {
            read.missing(wanted);
            continue;
        };
        match value(wanted, text) {
            Ok(value) => read.take(wanted, value),
            Err(detail) => read.unreadable(wanted, &detail, text),
        }
    }
}

fn value(wanted: &Wanted, text: &str) -> Result<serde_json::Value, String> {
    let view = wanted.judge.view();
    let (style, explode) = match &wanted.written {
        Written::Content(media_type) => {
            let text = decoded(text).ok_or("expected percent-encoded UTF-8")?;
            return content(media_type, &text, wanted);
        }
        Written::Style(style, explode) => (*style, *explode),
    };
    let found = match style {
        Style::Label => {
            let rest = text.strip_prefix('.').ok_or("expected a `.` before the value")?;
            joined(rest, if explode { '.' } else { ',' }, explode, &view, percent)
        }
        Style::Matrix => return matrix(wanted, text, explode),
        // A character that a URL cannot hold is encoded itself.
        Style::Delimited(separator) => match percent(text) {
            Some(text) => joined(&text, separator, explode, &view, plain),
            None => return Err("expected percent-encoded UTF-8".to_owned()),
        },
        _ => joined(text, ',', explode, &view, percent),
    };
    found.map_err(str::to_owned)
}

/// `;name=value`, `;name=a,b`, `;name=a;name=b`, `;k=v;l=w`.
fn matrix(wanted: &Wanted, text: &str, explode: bool) -> Result<serde_json::Value, String> {
    const CODED: &str = "expected percent-encoded UTF-8";
    let view = wanted.judge.view();
    let rest = text.strip_prefix(';').ok_or("expected a `;` before the value")?;
    let pairs = rest.split(';').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let own = |name: &str| decoded(name).is_some_and(|name| name == wanted.name);
    let spread = explode && kind(&view, rest.contains(';')) != Kind::Scalar;
    if spread && kind(&view, true) == Kind::Record {
        return record(pairs, &view, percent).ok_or_else(|| CODED.to_owned());
    }
    let pairs: Vec<(&str, &str)> = pairs.collect();
    if !pairs.iter().all(|(name, _)| own(name)) {
        return Err(format!("expected `;{}=` before each value", wanted.name));
    }
    match pairs.as_slice() {
        values if spread => {
            list(values.iter().map(|(_, value)| *value), &view, percent).ok_or(CODED.to_owned())
        }
        [(_, value)] => joined(value, ',', false, &view, percent).map_err(str::to_owned),
        _ => Err(format!("expected one `;{}=`", wanted.name)),
    }
}
