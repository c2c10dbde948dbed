//! What is wrong with arguments, told in the form that the model saw and wrote.
//!
//! Arguments are judged in the tool's own form. A model that wrote another one would look for `/labels/a` in vain where
//! it wrote `/labels/0/value`. The codec finds the place; where what is accepted there has another form too, the lowered
//! schema has the words. It never adds a problem: what the tool's own schema accepts is no problem in any form.

use opentool_core::{InvalidArguments, Problem};
use serde_json::{Map, Value};

use super::decode::{is_entry, is_subset};
use super::{Codec, Decoder, ObjectCodec, Rest, Work};
use crate::Validator;
use crate::dialect::lower::escaped;
use crate::text::{LONGEST, name, shorten};

/// Rules whose pointer is that of a key that should be there.
const MISSING: [&str; 3] = ["required", "dependentRequired", "dependencies"];
/// Rules whose pointer is that of a key that should not be there.
const STRANGE: [&str; 3] = ["additionalProperties", "unevaluatedProperties", "propertyNames"];
/// Rules about the text as a whole, or about no place at all.
const NOWHERE: [&str; 5] = ["json", "truncated", "depth", "more", "call"];

/// Where something of the tool's own form stands in what was written.
struct Place<'c> {
    pointer: String,
    /// How what stands there is written.
    form: Form,
    /// The object that it is a member of.
    object: Option<&'c ObjectCodec>,
    /// Where it is in the JSON text that stands there.
    inside: Option<String>,
    /// The entry that is not in the list that stands there.
    lacks: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// As in the tool's own form.
    Same,
    /// An object in both, with other members.
    Members,
    /// As something else.
    Other,
}

impl Decoder {
    /// The problems of decoded arguments as those of what was `written`.
    pub(crate) fn told(&self, written: &Value, error: InvalidArguments) -> InvalidArguments {
        let Ok(mut work) = self.work(written) else { return error };
        let mut seen = None;
        let mut told: Vec<Problem> = Vec::new();
        for problem in error.problems {
            if NOWHERE.contains(&problem.rule.as_str()) {
                told.push(problem);
                continue;
            }
            let strange = STRANGE.contains(&problem.rule.as_str());
            let place = work.place(&self.0.codec, &problem.pointer, written, strange);
            let seen = seen.get_or_insert_with(|| self.seen(written));
            let words = in_its_words(seen, &problem, &place, written);
            let problems = if words.is_empty() { vec![moved(problem, &place, written)] } else { words };
            for problem in problems {
                if !told.contains(&problem) {
                    told.push(problem);
                }
            }
        }
        InvalidArguments::new(told)
    }

    /// What the lowered schema has against what was written.
    fn seen(&self, written: &Value) -> Vec<Problem> {
        let compiled = || self.0.schema.as_ref().and_then(|schema| Validator::new(schema).ok());
        let compiled = self.0.seen.get_or_init(compiled).as_ref();
        compiled.and_then(|seen| seen.check(written).err()).map(|error| error.problems).unwrap_or_default()
    }
}

/// The problems of the lowered schema that say the same as this one; none where its own words will do.
fn in_its_words(seen: &[Problem], problem: &Problem, place: &Place<'_>, written: &Value) -> Vec<Problem> {
    let missing = MISSING.contains(&problem.rule.as_str());
    let about_keys = missing || STRANGE.contains(&problem.rule.as_str());
    let there = written.pointer(&place.pointer).is_some();
    if place.inside.is_some() || there == missing || (place.form == Form::Same && !about_keys) {
        return Vec::new();
    }
    let says_it = |other: &&Problem| match other.pointer.strip_prefix(&place.pointer) {
        Some("") => !missing || MISSING.contains(&other.rule.as_str()),
        // Of the parts of an object nobody knows which are meant.
        Some(below) => place.form == Form::Other && !about_keys && below.starts_with('/'),
        None => false,
    };
    seen.iter().filter(says_it).cloned().collect()
}

/// The problem at the place where it was written.
fn moved(problem: Problem, place: &Place<'_>, written: &Value) -> Problem {
    let null = MISSING.contains(&problem.rule.as_str())
        && written.pointer(&place.pointer).is_some_and(Value::is_null);
    // Where a key is what is wrong; values are told as they are, also those that look like one.
    let rule = problem.rule.as_str();
    let keys = place.object.filter(|_| STRANGE.contains(&rule) || MISSING.contains(&rule));
    let word = |text: String| match keys {
        Some(object) => renamed(text, object),
        None => text,
    };
    let suggestion = |own: String| {
        let lowered = keys.and_then(|object| object.named(&own)).map(|member| member.lowered.clone());
        lowered.unwrap_or(own)
    };
    let mut moved = problem;
    moved.pointer = shorten(&place.pointer, LONGEST);
    moved.expected = moved.expected.map(word);
    moved.found = moved.found.map(word);
    moved.did_you_mean = moved.did_you_mean.map(suggestion);
    if null {
        moved.expected = moved.expected.map(|rule| format!("{rule}; null stands for what is missing"));
        moved.found = Some("null".to_owned());
    }
    if let Some(key) = &place.lacks {
        let expected = moved.expected.unwrap_or_else(|| "expected another value".to_owned());
        moved.expected = Some(format!("the entry of the key {}: {expected}", name(key)));
    }
    if let Some(inside) = &place.inside {
        let at = if inside.is_empty() { String::new() } else { format!(", at {inside}") };
        let expected =
            moved.expected.unwrap_or_else(|| format!("another value by the rule `{}`", moved.rule));
        moved.expected = Some(format!("in the JSON of this text{at}: {expected}"));
    }
    moved.expected = moved.expected.map(|text| shorten(&text, LONGEST));
    moved
}

/// A text with the names that the model knows.
fn renamed(mut text: String, object: &ObjectCodec) -> String {
    for member in object.members.iter().filter(|member| member.name != member.lowered) {
        let own = name(&member.name);
        if text.contains(&own) {
            text = text.replace(&own, &name(&member.lowered));
        }
    }
    text
}

/// One search for a place.
struct Search<'w, 'c> {
    segments: std::vec::IntoIter<String>,
    place: Place<'c>,
    value: Option<&'w Value>,
}

impl<'w> Search<'w, '_> {
    fn push(&mut self, segment: &str, value: Option<&'w Value>) {
        self.place.pointer.push('/');
        self.place.pointer.push_str(&escaped(segment));
        self.value = value;
    }

    /// What is left of the pointer, which leads nowhere else.
    fn rest(&mut self) -> String {
        self.segments.by_ref().map(|segment| format!("/{}", escaped(&segment))).collect()
    }

    /// The value of a key in a list of entries; `false` if it is not there.
    fn entry(&mut self, key: &str, strange: bool) -> bool {
        let last = self.segments.len() == 0;
        let part = if strange && last { "key" } else { "value" };
        let Some((i, entry)) = entry_of(self.value, key) else { return false };
        if let Some(i) = i {
            self.push(&i.to_string(), None);
        }
        self.push(part, entry.get(part));
        true
    }
}

impl<'c> Work<'c> {
    /// Where in `written` the place of a pointer into the decoded value is; `strange` for one to a key that should not
    /// be there.
    fn place(&mut self, codec: &'c Codec, own: &str, written: &Value, strange: bool) -> Place<'c> {
        const SAME: &Codec = &Codec::Same;
        let segments: Vec<String> =
            own.split('/').skip(1).map(|segment| segment.replace("~1", "/").replace("~0", "~")).collect();
        let place =
            Place { pointer: String::new(), form: Form::Same, object: None, inside: None, lacks: None };
        let mut search = Search { segments: segments.into_iter(), place, value: Some(written) };
        let mut codec = codec;
        loop {
            codec = self.defined(codec).unwrap_or(SAME);
            // Those that are no place of their own.
            match codec {
                Codec::Wrapped(key, inner) => {
                    match search.value {
                        Some(Value::Object(members)) if !members.contains_key(key) => {}
                        Some(Value::Object(members)) if members.len() > 1 => {
                            codec = SAME;
                            continue;
                        }
                        value => search.push(key, value.and_then(|value| value.get(key))),
                    }
                    codec = inner;
                    continue;
                }
                Codec::All(codecs) if self.enter().is_ok() => {
                    let own = search.rest();
                    let parts = codecs.iter().rev();
                    let theirs = parts.fold(own, |own, codec| match search.value {
                        Some(value) => self.place(codec, &own, value, strange).pointer,
                        None => own,
                    });
                    self.leave();
                    search.place.pointer.push_str(&theirs);
                    search.place.form = Form::Members;
                    return search.place;
                }
                _ => {}
            }
            search.place.form = match codec {
                Codec::Same => Form::Same,
                Codec::Object(_) => Form::Members,
                _ => Form::Other,
            };
            if let (Codec::Text, Some(Value::String(_))) = (codec, search.value) {
                search.place.inside = Some(search.rest());
            }
            let Some(segment) = search.segments.as_slice().first().cloned() else { return search.place };
            codec = match (codec, search.value) {
                (Codec::NullMark(_, inner), _) => {
                    codec = inner;
                    continue;
                }
                (Codec::Choice(branches), Some(value)) => {
                    let schemas = self.schemas;
                    let meant =
                        branches.iter().find(|(schema, _)| schemas.fits(schema, value, &mut self.steps));
                    codec = meant.map_or(SAME, |(_, codec)| codec);
                    continue;
                }
                (Codec::Tagged(branches), Some(Value::Object(members))) if members.len() == 1 => {
                    let tagged = branches.iter().find(|(tag, ..)| members.contains_key(tag));
                    if let Some((tag, ..)) = tagged {
                        search.push(tag, members.get(tag));
                    }
                    codec = tagged.map_or(SAME, |(.., codec)| codec);
                    continue;
                }
                // One of these values as a whole.
                (Codec::Values(_), _) => return search.place,
                (codec, _) => codec,
            };
            search.segments.next();
            search.place.object = None;
            codec = match (codec, search.value) {
                (Codec::Object(object), value) if value.is_none_or(Value::is_object) => {
                    search.place.object = Some(object);
                    let at = |key: &str| value.and_then(|members| members.get(key));
                    // A property that the model put among the others instead.
                    let among = match &object.rest {
                        Rest::Entries(list, _) => entry_of(at(list), &segment).is_some(),
                        _ => false,
                    };
                    let member = object.named(&segment);
                    match (member.filter(|member| !among || at(&member.lowered).is_some()), &object.rest) {
                        (Some(member), _) => {
                            search.push(&member.lowered, at(&member.lowered));
                            &member.codec
                        }
                        (None, Rest::Entries(list, inner)) if at(&segment).is_none() => {
                            search.push(list, at(list));
                            if search.entry(&segment, strange) {
                                inner
                            } else {
                                search.place.lacks = Some(segment);
                                return stopped(search);
                            }
                        }
                        (None, Rest::Kept(inner)) => {
                            search.push(&segment, at(&segment));
                            inner
                        }
                        (None, _) => {
                            search.push(&segment, at(&segment));
                            SAME
                        }
                    }
                }
                (Codec::Entries(inner), value) if !is_plain_object(value) => {
                    if search.entry(&segment, strange) {
                        inner
                    } else {
                        search.place.lacks = Some(segment);
                        return stopped(search);
                    }
                }
                (Codec::Tuple(tuple), value) if is_tuple(value, |members| is_subset(tuple, members)) => {
                    let at = |key: &str| value.and_then(|members| members.get(key));
                    let index: usize = segment.parse().unwrap_or(usize::MAX);
                    let beyond = index.saturating_sub(tuple.places.len());
                    match (tuple.places.get(index), &tuple.rest) {
                        (Some((place, inner)), _) => {
                            search.push(place, at(place));
                            inner
                        }
                        (None, Some((place, inner))) => {
                            let rest = at(place);
                            search.push(place, rest);
                            search.push(&beyond.to_string(), rest.and_then(|rest| rest.get(beyond)));
                            inner
                        }
                        (None, None) => return stopped(search),
                    }
                }
                (codec, value) => {
                    let items = value.is_none_or(Value::is_array);
                    let index = segment.parse::<usize>().ok();
                    let below = match (value, index) {
                        (Some(Value::Array(items)), Some(index)) => items.get(index),
                        (value, _) => value.and_then(|members| members.get(&segment)),
                    };
                    search.push(&segment, below);
                    match (codec, index) {
                        (Codec::Items(inner), _) if items => inner,
                        (Codec::Places(places, rest), Some(index)) if items => {
                            places.get(index).unwrap_or(rest)
                        }
                        // What has not the form of the codec was not decoded.
                        _ => SAME,
                    }
                }
            };
        }
    }
}

/// The entry of a key in a list of them, and its place; or the only one, without a list.
fn entry_of<'w>(list: Option<&'w Value>, key: &str) -> Option<(Option<usize>, &'w Value)> {
    let is_it = |entry: &Value| {
        entry.as_object().is_some_and(is_entry) && entry.get("key").and_then(Value::as_str) == Some(key)
    };
    match list? {
        Value::Array(entries) => {
            let found = entries.iter().enumerate().find(|(_, entry)| is_it(entry));
            found.map(|(i, entry)| (Some(i), entry))
        }
        entry => is_it(entry).then_some((None, entry)),
    }
}

/// The place that the search has come to, for a part of it that is not there.
fn stopped<'c>(search: Search<'_, 'c>) -> Place<'c> {
    Place { form: Form::Other, ..search.place }
}

/// Whether a map was written as the object that it is, which no codec changed.
fn is_plain_object(value: Option<&Value>) -> bool {
    value.and_then(Value::as_object).is_some_and(|members| !is_entry(members))
}

fn is_tuple(value: Option<&Value>, is_subset: impl Fn(&Map<String, Value>) -> bool) -> bool {
    match value {
        None => true,
        Some(value) => value.as_object().is_some_and(is_subset),
    }
}
