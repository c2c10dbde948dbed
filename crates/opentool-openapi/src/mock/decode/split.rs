//! Texts of several values, taken apart.

use serde_json::{Map, Value};

use super::super::view::View;
use super::decoded;

/// What a text stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Kind {
    Scalar,
    List,
    Record,
}

/// What a value of the schema is; `several` is whether the text looks like more than one value.
pub(in super::super) fn kind(view: &View<'_>, several: bool) -> Kind {
    let (list, record) = (view.allows("array"), view.allows("object"));
    let scalar = view.allows_scalar() || view.is_anything();
    match (scalar, list, record) {
        (true, true, _) if several => Kind::List,
        (true, _, true) if several => Kind::Record,
        (false, true, _) => Kind::List,
        (false, false, true) => Kind::Record,
        _ => Kind::Scalar,
    }
}

/// The list of these texts, which are encoded still.
pub(in super::super) fn list<'t>(
    texts: impl Iterator<Item = &'t str>,
    view: &View<'_>,
    decode: fn(&str) -> Option<String>,
) -> Option<Value> {
    let items = view.items();
    texts.map(|text| Some(items.scalar(&decode(text)?))).collect::<Option<Vec<Value>>>().map(Value::Array)
}

/// The object of these names and texts, which are encoded still.
pub(in super::super) fn record<'t>(
    members: impl Iterator<Item = (&'t str, &'t str)>,
    view: &View<'_>,
    decode: fn(&str) -> Option<String>,
) -> Option<Value> {
    let mut object = Map::new();
    for (name, text) in members {
        let name = decode(name)?;
        let value = view.property(&name).scalar(&decode(text)?);
        object.insert(name, value);
    }
    Some(Value::Object(object))
}

/// The value of a text in which everything stands between `separator`: `a,b` of a list, `k,v` of an object, and `k=v` of
/// one that is spread out.
pub(in super::super) fn joined(
    text: &str,
    separator: char,
    explode: bool,
    view: &View<'_>,
    decode: fn(&str) -> Option<String>,
) -> Result<Value, &'static str> {
    const CODED: &str = "expected percent-encoded UTF-8";
    match kind(view, text.contains(separator) || explode && text.contains('=')) {
        Kind::Scalar => decode(text).map(|text| view.scalar(&text)).ok_or(CODED),
        Kind::List => list(text.split(separator), view, decode).ok_or(CODED),
        Kind::Record if explode => {
            let members: Option<Vec<_>> = text.split(separator).map(|part| part.split_once('=')).collect();
            let members = members.ok_or("expected `name=value` of each member")?;
            record(members.into_iter(), view, decode).ok_or(CODED)
        }
        Kind::Record => {
            let parts: Vec<&str> = text.split(separator).collect();
            if !parts.len().is_multiple_of(2) {
                return Err("expected a name and a value of each member");
            }
            let members = parts.chunks_exact(2).filter_map(|pair| match pair {
                [name, value] => Some((*name, *value)),
                _ => None,
            });
            record(members, view, decode).ok_or(CODED)
        }
    }
}

/// The text as it is; for places that are not percent-encoded.
pub(super) fn plain(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// The text, percent-decoded.
pub(super) fn percent(text: &str) -> Option<String> {
    decoded(text)
}
