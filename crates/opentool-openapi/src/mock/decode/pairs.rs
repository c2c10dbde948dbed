//! `name=value` pairs: queries, form bodies and cookies, by the styles `form`, `spaceDelimited`, `pipeDelimited` and
//! `deepObject`.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::super::Fault;
use super::super::contract::{Contract, Style, Wanted, Written};
use super::super::view::View;
use super::split::percent;
use super::{Kind, Read, content, decoded, joined, kind, list, record};
use crate::plan::Place;

/// How deep the brackets of a `deepObject` may nest.
const DEEPEST: usize = 32;

/// One pair as it stands in the request.
#[derive(Debug, Clone)]
pub(in super::super) struct Pair<'r> {
    /// Encoded.
    name: &'r str,
    /// Encoded.
    value: &'r str,
    /// A parameter has it.
    taken: bool,
}

impl<'r> Pair<'r> {
    pub(super) fn of(text: &'r str) -> Self {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        Self { name, value, taken: false }
    }

    fn is(&self, name: &str, decode: fn(&str) -> Option<String>) -> bool {
        !self.taken && decode(self.name).is_some_and(|own| own == name)
    }
}

/// The pairs of a query.
pub(in super::super) fn parse(query: &str) -> Vec<Pair<'_>> {
    query.split('&').filter(|pair| !pair.is_empty()).map(Pair::of).collect()
}

/// A space may be a `+` in a query and in a form.
pub(in super::super) fn form(text: &str) -> Option<String> {
    decoded(&text.replace('+', "%20"))
}

/// Reads the query parameters; what is left over is told. `known` are names that belong to the path or to security.
pub(in super::super) fn query(contract: &Contract, text: &str, known: &[String], read: &mut Read) {
    if let Some(whole) = contract.parameters.iter().find(|wanted| wanted.place == Place::QueryString) {
        return query_string(whole, text, read);
    }
    let mut pairs = parse(text);
    let wanted = || contract.parameters.iter().filter(|wanted| wanted.place == Place::Query);
    let names: Vec<&str> =
        wanted().map(|wanted| wanted.name.as_str()).chain(known.iter().map(String::as_str)).collect();
    // An object that is spread out takes what has no other name, so it comes last.
    let (last, first): (Vec<&Wanted>, Vec<&Wanted>) = wanted().partition(|wanted| is_spread(wanted));
    for wanted in first.into_iter().chain(last) {
        take(wanted, &mut pairs, form, &names, read);
    }
    for pair in pairs.iter().filter(|pair| !pair.taken) {
        let name = form(pair.name).unwrap_or_else(|| pair.name.to_owned());
        if !known.contains(&name) {
            let at = opentool_text::pointer::join("/query", &name);
            let detail = "the document has no query parameter of this name";
            read.faults.push(Fault::new(at, "undeclared", detail).found(pair.value).note());
        }
    }
}

/// The parameter that is the whole query (3.2).
fn query_string(wanted: &Wanted, text: &str, read: &mut Read) {
    if text.is_empty() {
        return read.missing(wanted);
    }
    let view = wanted.judge.view();
    let found = match &wanted.written {
        Written::Content(media_type)
            if crate::plan::essence(media_type) != "application/x-www-form-urlencoded" =>
        {
            decoded(text)
                .ok_or_else(|| "expected percent-encoded UTF-8".to_owned())
                .and_then(|text| content(media_type, &text, wanted))
        }
        _ => Ok(members(&parse(text), &view)),
    };
    match found {
        Ok(value) => read.take(wanted, value),
        Err(detail) => read.unreadable(wanted, &detail, text),
    }
}

/// An object of pairs, in which a name that is there twice, or whose value is a list, is a list.
pub(in super::super) fn members(pairs: &[Pair<'_>], view: &View<'_>) -> Value {
    let mut object: Map<String, Value> = Map::new();
    for pair in pairs {
        let (Some(name), Some(text)) = (form(pair.name), form(pair.value)) else { continue };
        let property = view.property(&name);
        let as_list = !property.allows_scalar() && property.allows("array");
        let value = if as_list && !text.starts_with('[') {
            property.items().scalar(&text)
        } else {
            property.scalar(&text)
        };
        match object.get_mut(&name) {
            Some(Value::Array(items)) => items.push(value),
            Some(first) => *first = Value::Array(vec![first.take(), value]),
            None if as_list && !value.is_array() => {
                object.insert(name, Value::Array(vec![value]));
            }
            None => {
                object.insert(name, value);
            }
        }
    }
    Value::Object(object)
}

fn is_spread(wanted: &Wanted) -> bool {
    wanted.written == Written::Style(Style::Form, true) && wanted.judge.view().allows("object")
}

/// Reads one parameter out of the pairs. `names` are those of all parameters, which an object that is spread out leaves.
pub(super) fn take(
    wanted: &Wanted,
    pairs: &mut [Pair<'_>],
    decode: fn(&str) -> Option<String>,
    names: &[&str],
    read: &mut Read,
) {
    let view = wanted.judge.view();
    match value(&wanted.name, &wanted.written, &view, pairs, decode, names) {
        Ok(None) => read.missing(wanted),
        Ok(Some(value)) => {
            let is_empty = value.as_str().is_some_and(str::is_empty) || value == serde_json::json!([""]);
            if is_empty && wanted.allow_empty && !wanted.judge.accepts(&value) {
                // `name=` is allowed, whatever the schema says.
                read.located.insert(wanted.place, &wanted.name, Value::String(String::new()));
                return;
            }
            read.take(wanted, value);
        }
        Err((detail, text)) => read.unreadable(wanted, &detail, &text),
    }
}

/// The texts of a name among pairs as they are written; the pairs are marked.
pub(in super::super) fn texts<'r>(
    name: &str,
    pairs: &mut [Pair<'r>],
    decode: fn(&str) -> Option<String>,
) -> Vec<&'r str> {
    let own = pairs.iter_mut().filter(|pair| pair.is(name, decode));
    own.map(|pair| {
        pair.taken = true;
        pair.value
    })
    .collect()
}

/// The value of a name among pairs; the pairs that it takes are marked.
pub(in super::super) fn value(
    name: &str,
    written: &Written,
    view: &View<'_>,
    pairs: &mut [Pair<'_>],
    decode: fn(&str) -> Option<String>,
    names: &[&str],
) -> Result<Option<Value>, (String, String)> {
    let coded = |text: &str| ("expected percent-encoded UTF-8".to_owned(), text.to_owned());
    if matches!(written, Written::Style(Style::DeepObject, _)) {
        return Ok(deep_object(name, view, pairs, decode));
    }
    if let Written::Style(Style::Form | Style::Cookie, true) = written
        && kind(view, true) == Kind::Record
        && !pairs.iter().any(|pair| pair.is(name, decode))
    {
        return Ok(spread(view, pairs, decode, names));
    }
    let texts = texts(name, pairs, decode);
    let Some(first) = texts.first().copied() else { return Ok(None) };
    let found = match written {
        Written::Content(media_type) => {
            let text = decode(first).ok_or_else(|| coded(first))?;
            return match crate::plan::is_json(media_type) {
                true => serde_json::from_str(&text)
                    .map(Some)
                    .map_err(|error| (format!("expected JSON: {error}"), text.clone())),
                false => Ok(Some(view.scalar(&text))),
            };
        }
        Written::Style(Style::Form | Style::Cookie, true) => match kind(view, texts.len() > 1) {
            Kind::List => list(texts.iter().copied(), view, decode).ok_or("expected percent-encoded UTF-8"),
            _ if texts.len() > 1 => Err("expected the name once"),
            // An object under its own name: as JSON, which the specification leaves open.
            _ => decode(first).map(|text| view.scalar(&text)).ok_or("expected percent-encoded UTF-8"),
        },
        _ if texts.len() > 1 && !matches!(written, Written::Style(_, true)) => Err("expected the name once"),
        Written::Style(Style::Delimited(_), true) => {
            list(texts.iter().copied(), view, decode).ok_or("expected percent-encoded UTF-8")
        }
        Written::Style(Style::Delimited(separator), false) => delimited(first, *separator, view, decode),
        Written::Style(..) => joined(first, ',', false, view, decode),
    };
    found.map(Some).map_err(|detail| (detail.to_owned(), first.to_owned()))
}

/// Values between a character that a URL cannot hold, so that it is encoded itself.
fn delimited(
    text: &str,
    separator: char,
    view: &View<'_>,
    decode: fn(&str) -> Option<String>,
) -> Result<Value, &'static str> {
    let text = decode(text).ok_or("expected percent-encoded UTF-8")?;
    joined(&text, separator, false, view, |text| Some(text.to_owned()))
}

/// `k=v&l=w`: the names that the schema has, or all that nobody else has.
fn spread(
    view: &View<'_>,
    pairs: &mut [Pair<'_>],
    decode: fn(&str) -> Option<String>,
    names: &[&str],
) -> Option<Value> {
    let described: Vec<&str> = view.names().collect();
    let takes_rest = view.is_map() || described.is_empty() && view.is_open();
    let mut members = Vec::new();
    for pair in pairs.iter_mut().filter(|pair| !pair.taken) {
        let Some(name) = decode(pair.name) else { continue };
        let is_own = described.contains(&name.as_str());
        if is_own || takes_rest && !names.contains(&name.as_str()) {
            pair.taken = true;
            members.push((pair.name, pair.value));
        }
    }
    if members.is_empty() { None } else { record(members.into_iter(), view, decode) }
}

/// `name[member]=value`, and further brackets for what is nested.
fn deep_object(
    name: &str,
    view: &View<'_>,
    pairs: &mut [Pair<'_>],
    decode: fn(&str) -> Option<String>,
) -> Option<Value> {
    let mut tree = Tree::default();
    let mut any = false;
    for pair in pairs.iter_mut().filter(|pair| !pair.taken) {
        let Some(full) = decode(pair.name) else { continue };
        let Some(rest) = full.strip_prefix(name).filter(|rest| rest.is_empty() || rest.starts_with('['))
        else {
            continue;
        };
        let members: Vec<&str> =
            rest.split('[').skip(1).filter_map(|part| part.strip_suffix(']')).take(DEEPEST).collect();
        pair.taken = true;
        any = true;
        if let Some(text) = decode(pair.value) {
            tree.insert(&members, text);
        }
    }
    any.then(|| tree.value(view))
}

/// Texts by their brackets, in the order in which they came.
#[derive(Debug, Default)]
struct Tree {
    texts: Vec<String>,
    members: Vec<(String, Tree)>,
    /// Where in `members` a name is.
    places: HashMap<String, usize>,
}

impl Tree {
    fn insert(&mut self, members: &[&str], text: String) {
        let Some((first, rest)) = members.split_first() else {
            self.texts.push(text);
            return;
        };
        // `name[]=a&name[]=b` has an item for each.
        let at = self.places.get(*first).copied().unwrap_or_else(|| {
            let next = self.members.len();
            if !first.is_empty() {
                self.places.insert((*first).to_owned(), next);
            }
            self.members.push(((*first).to_owned(), Self::default()));
            next
        });
        if let Some((_, member)) = self.members.get_mut(at) {
            member.insert(rest, text);
        }
    }

    fn value(&self, view: &View<'_>) -> Value {
        if self.members.is_empty() {
            return match self.texts.as_slice() {
                [text] if !view.allows("array") || view.allows_scalar() => view.scalar(text),
                texts => texts.iter().map(|text| view.items().scalar(text)).collect(),
            };
        }
        let numbered = |name: &str| name.is_empty() || name.bytes().all(|b| b.is_ascii_digit());
        if self.members.iter().all(|(name, _)| numbered(name))
            && (view.allows("array") || !view.allows("object"))
        {
            let mut items: Vec<(usize, &Self)> = self
                .members
                .iter()
                .enumerate()
                .map(|(at, (name, tree))| (name.parse().unwrap_or(at), tree))
                .collect();
            items.sort_by_key(|(at, _)| *at);
            return items.into_iter().map(|(_, tree)| tree.value(&view.items())).collect();
        }
        let members =
            self.members.iter().map(|(name, tree)| (name.clone(), tree.value(&view.property(name))));
        Value::Object(members.collect())
    }
}

/// What stands between names and values of the pairs of a query that must be the same for every call: for telling
/// operations of one path apart.
pub(in super::super) fn holds(query: &str, name: &str, allowed: &[String]) -> bool {
    parse(query)
        .iter()
        .any(|pair| pair.is(name, percent) && form(pair.value).is_some_and(|value| allowed.contains(&value)))
}

/// Whether a name of the query has a value.
pub(in super::super) fn has_value(query: &str, name: &str) -> bool {
    parse(query).iter().any(|pair| pair.is(name, percent) && !pair.value.is_empty())
}

impl Pair<'_> {
    /// Whether it has this name, and nobody took it.
    pub(in super::super) fn has_name(&self, name: &str) -> bool {
        self.is(name, form)
    }

    /// Whether a parameter has it.
    pub(in super::super) fn is_taken(&self) -> bool {
        self.taken
    }
}
