//! `application/x-www-form-urlencoded` bodies, by the document's `encoding` objects.

use serde_json::{Map, Value};

use super::super::Fault;
use super::super::contract::{Style, WantedMedia, Written};
use super::super::decode::{self, Read};
use super::super::view::View;
use crate::request::media::MediaKind;

/// The object that a form says.
pub(super) fn read(media: &WantedMedia, text: &str, read: &mut Read) -> Value {
    let view = media.judge.view();
    let mut pairs = decode::parse(text);
    let mut members = Map::new();
    let names: Vec<&str> = view.names().collect();
    let encoding = media.encoding.as_object();
    let listed =
        names.iter().copied().chain(encoding.into_iter().flat_map(|all| all.keys().map(String::as_str)));
    let mut waiting: Vec<&str> = Vec::new();
    for name in listed {
        if !waiting.contains(&name) {
            waiting.push(name);
        }
    }
    for name in waiting {
        let written = written(media.encoding.get(name));
        let property = view.property(name);
        // Without a style an object stands under its own name; only a style spreads it out.
        let spreads =
            matches!(written, Written::Style(Style::Form, true)) && media.encoding.get(name).is_none();
        if spreads && !pairs.iter().any(|pair| pair.has_name(name)) {
            continue;
        }
        let is_xml = matches!(&written, Written::Content(own) if MediaKind::of(own) == MediaKind::Xml);
        let found = if is_xml {
            as_xml(media, name, &property, &mut pairs)
        } else {
            decode::value(name, &written, &property, &mut pairs, decode::form, &names)
        };
        match found {
            Ok(Some(value)) => {
                members.insert(name.to_owned(), value);
            }
            Ok(None) => {}
            Err((detail, text)) => {
                let at = opentool_text::pointer::join(super::BASE, name);
                read.faults.push(Fault::new(at, "encoding", detail).found(&text));
            }
        }
    }
    let rest: Vec<_> = pairs.into_iter().filter(|pair| !pair.is_taken()).collect();
    if let Value::Object(rest) = decode::members(&rest, &view) {
        for (name, value) in rest {
            members.entry(name).or_insert(value);
        }
    }
    Value::Object(members)
}

/// A property that is XML, or a list of such.
fn as_xml(
    media: &WantedMedia,
    name: &str,
    view: &View<'_>,
    pairs: &mut [decode::Pair<'_>],
) -> Result<Option<Value>, (String, String)> {
    let is_list = view.allows("array") && !view.allows("object") && !view.allows_scalar();
    let form = media.xml.as_ref().map(|form| form.member(name)).unwrap_or_default();
    let (form, view) = if is_list { (form.items(), view.items()) } else { (form, view.clone()) };
    let mut values = Vec::new();
    for text in decode::texts(name, pairs, decode::form) {
        let text = decode::form(text)
            .ok_or_else(|| ("expected percent-encoded UTF-8".to_owned(), text.to_owned()))?;
        let value = super::xml::part(&form, &view, &text).map_err(|detail| (detail, text.to_string()))?;
        values.push(value.unwrap_or_else(|| view.scalar(&text)));
    }
    Ok(match is_list {
        true => (!values.is_empty()).then_some(Value::Array(values)),
        false => values.into_iter().next(),
    })
}

/// How a property is written: by its style, by its media type, or as a form is.
fn written(encoding: Option<&Value>) -> Written {
    let member = |name: &str| encoding.and_then(|encoding| encoding.get(name));
    let style = member("style").and_then(Value::as_str);
    if !encoding.is_some_and(is_by_style)
        && let Some(media_type) = member("contentType").and_then(Value::as_str)
    {
        return if crate::plan::is_json(media_type) || MediaKind::of(media_type) == MediaKind::Xml {
            Written::Content(media_type.to_owned())
        } else {
            Written::Style(Style::Form, true)
        };
    }
    let style = match style {
        Some("spaceDelimited") => Style::Delimited(' '),
        Some("pipeDelimited") => Style::Delimited('|'),
        Some("tabDelimited") => Style::Delimited('\t'),
        Some("deepObject") => Style::DeepObject,
        _ => Style::Form,
    };
    let explode = member("explode").and_then(Value::as_bool).unwrap_or(style == Style::Form);
    Written::Style(style, explode)
}

/// Whether an `encoding` object says by which style a property is written.
pub(super) fn is_by_style(encoding: &Value) -> bool {
    ["style", "explode", "allowReserved"].into_iter().any(|name| encoding.get(name).is_some())
}
