//! Values out of the texts of a request, by place and style.

mod header;
mod pairs;
mod path;
mod split;

pub(super) use header::{cookies, headers};
pub(super) use pairs::{Pair, form, has_value, holds, members, parse, query, texts, value};
pub(super) use path::path;
pub(super) use split::{Kind, joined, kind, list, record};

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};
use url::form_urlencoded;

use super::Fault;
use super::contract::Wanted;
use crate::request::Located;
use crate::request::media::MediaKind;

/// Where decoded values and faults go.
#[derive(Debug, Default)]
pub(super) struct Read {
    pub(super) located: Located,
    pub(super) faults: Vec<Fault>,
}

impl Read {
    /// Takes a value that was read for a parameter, and judges it.
    pub(super) fn take(&mut self, wanted: &Wanted, value: Value) {
        let base = base(wanted);
        wanted.judge.check(&value, &base, &mut self.faults);
        self.located.insert(wanted.place, &wanted.name, value);
    }

    /// The parameter is not there.
    pub(super) fn missing(&mut self, wanted: &Wanted) {
        if wanted.required {
            let detail = format!("the {} parameter `{}` is required", wanted.place.as_str(), wanted.name);
            self.faults.push(Fault::new(base(wanted), "required", detail));
        }
    }

    /// The text is not one of its style.
    pub(super) fn unreadable(&mut self, wanted: &Wanted, detail: &str, text: &str) {
        self.faults.push(Fault::new(base(wanted), "style", detail).found(text));
    }
}

/// Where a parameter stands in the request.
pub(super) fn base(wanted: &Wanted) -> String {
    opentool_text::pointer::join(&format!("/{}", wanted.place.as_str()), &wanted.name)
}

/// A percent-encoded text as it was meant; `None` if it is not UTF-8.
pub(super) fn decoded(text: &str) -> Option<String> {
    percent_decode_str(text).decode_utf8().ok().map(Into::into)
}

/// A value that stands in a text of a media type.
pub(super) fn content(media_type: &str, text: &str, wanted: &Wanted) -> Result<Value, String> {
    if crate::plan::is_json(media_type) {
        return serde_json::from_str(text).map_err(|error| format!("expected JSON: {error}"));
    }
    let view = wanted.judge.view();
    if MediaKind::of(media_type) != MediaKind::Form || !view.allows("object") || view.allows_scalar() {
        return Ok(view.scalar(text));
    }
    let mut members = Map::new();
    for (name, value) in form_urlencoded::parse(text.as_bytes()) {
        let property = view.property(&name);
        if property.allows("array") && !property.allows_scalar() {
            let items = members.entry(name.as_ref()).or_insert_with(|| Value::Array(Vec::new()));
            items.as_array_mut().into_iter().for_each(|items| items.push(property.items().scalar(&value)));
        } else {
            members.insert(name.into_owned(), property.scalar(&value));
        }
    }
    Ok(Value::Object(members))
}
