//! Lowered arguments → the tool's own. How numbers were written goes along with them.

use serde_json::{Map, Value};

use super::{Absent, Codec, Extent, Fault, ObjectCodec, Rest, TupleCodec, Work};
use crate::exact::{Look, inexact_number};
use crate::read::levels;
use crate::repair::{self, Marks, Tolerance, Written};
use crate::text::{found, name};

/// An object that is being put together.
#[derive(Default)]
struct Members {
    members: Map<String, Value>,
    marks: Marks,
}

impl Members {
    fn insert(&mut self, key: String, written: Written) {
        self.marks.set_key(&key, written.marks);
        self.members.insert(key, written.value);
    }

    fn done(self) -> Written {
        Written { value: Value::Object(self.members), marks: self.marks }
    }
}

impl Work<'_> {
    pub(super) fn decode(&mut self, codec: &Codec, written: Written) -> Result<Written, Fault> {
        let codec = self.defined(codec)?;
        if codec.is_same() {
            return Ok(written);
        }
        self.enter()?;
        let done = self.decode_here(codec, written);
        self.leave();
        done
    }

    fn decode_here(&mut self, codec: &Codec, written: Written) -> Result<Written, Fault> {
        let Written { value, marks } = written;
        match (codec, value) {
            (Codec::Object(codec), Value::Object(members)) => self.object_back(codec, members, marks),
            (Codec::Items(codec), Value::Array(items)) => self.items_back(items, marks, |_| codec),
            (Codec::Places(places, rest), Value::Array(items)) => {
                self.items_back(items, marks, |i| places.get(i).unwrap_or(rest))
            }
            (Codec::Entries(codec), Value::Array(entries)) => {
                let mut members = Members::default();
                let as_they_were = self.entries_back(codec, entries, marks, &mut members)?;
                Ok(as_they_were.unwrap_or_else(|| members.done()))
            }
            // A model that leaves out the list around a single entry is understood.
            (Codec::Entries(_), Value::Object(entry)) if is_entry(&entry) => {
                self.decode_here(codec, listed(entry, marks))
            }
            (Codec::Tuple(codec), Value::Object(members)) => self.tuple_back(codec, members, marks),
            (Codec::Values(values), value) => {
                let known = values.iter().find(|(lowered, _)| *lowered == value);
                Ok(match known {
                    Some((_, original)) => Written::plain(original.clone()),
                    None => Written { value, marks },
                })
            }
            (Codec::Text, Value::String(text)) => self.text_back(text).map(Written::plain),
            (Codec::Choice(branches), value) => self.choice_back(branches, Written { value, marks }),
            (Codec::Tagged(branches), Value::Object(members)) => self.tagged_back(branches, members, marks),
            (Codec::Wrapped(key, codec), Value::Object(members)) => {
                self.unwrapped(key, codec, members, marks)
            }
            (Codec::NullMark(mark, codec), value) => {
                if value == *mark {
                    Ok(Written::plain(Value::Null))
                } else {
                    self.decode(codec, Written { value, marks })
                }
            }
            (Codec::All(codecs), value) => {
                let mut written = Written { value, marks };
                for codec in codecs {
                    written = self.decode(codec, written)?;
                }
                Ok(written)
            }
            // Another form than was asked for: the validator will say so.
            (_, value) => Ok(Written { value, marks }),
        }
    }

    fn choice_back(&mut self, branches: &[(Value, Codec)], written: Written) -> Result<Written, Fault> {
        let schemas = self.schemas;
        let meant = branches.iter().find(|(schema, _)| schemas.fits(schema, &written.value, &mut self.steps));
        match meant {
            Some((_, codec)) => self.decode(codec, written),
            None => Ok(written),
        }
    }

    fn tagged_back(
        &mut self,
        branches: &[(String, Value, Codec)],
        mut members: Map<String, Value>,
        mut marks: Marks,
    ) -> Result<Written, Fault> {
        let tag = members.keys().next().filter(|_| members.len() == 1).cloned();
        let branch = tag.and_then(|tag| branches.iter().find(|(name, ..)| *name == tag));
        match branch.and_then(|(tag, _, codec)| Some((tag, members.shift_remove(tag)?, codec))) {
            Some((tag, value, codec)) => self.decode(codec, Written { value, marks: marks.take_key(tag) }),
            None => Ok(Written { value: Value::Object(members), marks }),
        }
    }

    fn unwrapped(
        &mut self,
        key: &str,
        codec: &Codec,
        mut members: Map<String, Value>,
        mut marks: Marks,
    ) -> Result<Written, Fault> {
        match members.shift_remove(key) {
            Some(value) if members.is_empty() => {
                self.decode(codec, Written { value, marks: marks.take_key(key) })
            }
            Some(value) => {
                members.insert(key.to_owned(), value);
                Ok(Written { value: Value::Object(members), marks })
            }
            // A model that leaves the wrapping out is understood.
            None => self.decode(codec, Written { value: Value::Object(members), marks }),
        }
    }

    fn items_back<'k>(
        &mut self,
        items: Vec<Value>,
        mut marks: Marks,
        codec: impl Fn(usize) -> &'k Codec,
    ) -> Result<Written, Fault> {
        let (mut done, mut done_marks) = (Vec::with_capacity(items.len()), Marks::default());
        for (i, value) in items.into_iter().enumerate() {
            let item = Written { value, marks: marks.take_item(i) };
            let item = self.at(&i.to_string(), |work| work.decode(codec(i), item))?;
            if !std::mem::take(&mut self.absent) {
                done_marks.set_item(done.len(), item.marks);
                done.push(item.value);
            }
        }
        Ok(Written { value: Value::Array(done), marks: done_marks })
    }

    fn object_back(
        &mut self,
        codec: &ObjectCodec,
        members: Map<String, Value>,
        mut marks: Marks,
    ) -> Result<Written, Fault> {
        let mut done = Members::default();
        let mut others = Vec::new();
        for (key, value) in members {
            let written = Written { value, marks: marks.take_key(&key) };
            if let Some(member) = codec.written_as(&key) {
                if written.value.is_null() && member.absent == Absent::AsNull {
                    continue;
                }
                let written = self.at(&key, |work| work.decode(&member.codec, written))?;
                if !std::mem::take(&mut self.absent) {
                    self.put(&mut done, member.name.clone(), written)?;
                }
            } else {
                others.push((key, written));
            }
        }
        for (key, written) in others {
            let Written { value, marks } = match (&codec.rest, written.value) {
                (Rest::Entries(name, _), Value::Object(entry)) if *name == key && is_entry(&entry) => {
                    listed(entry, written.marks)
                }
                (_, value) => Written { value, marks: written.marks },
            };
            match (&codec.rest, value) {
                (Rest::Entries(name, codec), Value::Array(entries)) if *name == key => {
                    let left = self.at(&key, |work| work.entries_back(codec, entries, marks, &mut done))?;
                    if let Some(left) = left {
                        self.put(&mut done, key, left)?;
                    }
                }
                (Rest::Entries(name, _), Value::Null) if *name == key => {}
                (Rest::Kept(codec), value) => {
                    let written = self.at(&key, |work| work.decode(codec, Written { value, marks }))?;
                    self.put(&mut done, key, written)?;
                }
                (_, value) => self.put(&mut done, key, Written { value, marks })?,
            }
        }
        Ok(done.done())
    }

    /// Puts a member among the others. Two names of the dialect can be one of the tool's.
    fn put(&self, done: &mut Members, key: String, written: Written) -> Result<(), Fault> {
        if done.members.contains_key(&key) {
            return Err(self.fault(
                "uniqueKeys",
                "expected each key once",
                format!("the key {} again", name(&key)),
            ));
        }
        done.insert(key, written);
        Ok(())
    }

    /// Puts the entries among the members. `Some` with the list as it was where it is no list of entries.
    fn entries_back(
        &mut self,
        codec: &Codec,
        entries: Vec<Value>,
        mut marks: Marks,
        done: &mut Members,
    ) -> Result<Option<Written>, Fault> {
        if !entries.iter().all(|entry| entry.as_object().is_some_and(is_entry)) {
            return Ok(Some(Written { value: Value::Array(entries), marks }));
        }
        for (i, entry) in entries.into_iter().enumerate() {
            let Value::Object(mut entry) = entry else { continue };
            let (Some(Value::String(key)), Some(value)) =
                (entry.shift_remove("key"), entry.shift_remove("value"))
            else {
                continue;
            };
            let written = Written { value, marks: marks.take_item(i).take_key("value") };
            let written = self.at(&i.to_string(), |work| {
                let known = done.members.contains_key(&key);
                if known {
                    let expected = "expected each key once";
                    return Err(work.fault("uniqueKeys", expected, format!("the key {} again", name(&key))));
                }
                work.at("value", |work| work.decode(codec, written))
            })?;
            if !std::mem::take(&mut self.absent) {
                done.insert(key, written);
            }
        }
        Ok(None)
    }

    fn tuple_back(
        &mut self,
        codec: &TupleCodec,
        mut members: Map<String, Value>,
        mut marks: Marks,
    ) -> Result<Written, Fault> {
        if !is_subset(codec, &members) {
            return Ok(Written { value: Value::Object(members), marks });
        }
        let (mut items, mut item_marks) = (Vec::new(), Marks::default());
        let mut push = |item: Written| {
            item_marks.set_item(items.len(), item.marks);
            items.push(item.value);
        };
        let mut gap = None;
        for (i, (place, codec_of_place)) in codec.places.iter().enumerate() {
            let value = match members.shift_remove(place) {
                Some(Value::Null) if codec.absent == Absent::AsNull && i >= codec.least => None,
                value => value,
            };
            match (value, gap) {
                (None, None) => gap = Some(place),
                (None, Some(_)) => {}
                (Some(_), Some(gap)) => return Err(self.out_of_row(gap, place)),
                (Some(value), None) => {
                    let written = Written { value, marks: marks.take_key(place) };
                    push(self.at(place, |work| work.decode(codec_of_place, written))?);
                }
            }
        }
        if let Some((place, codec)) = &codec.rest {
            let rest = match members.shift_remove(place) {
                None | Some(Value::Null) => Vec::new(),
                Some(Value::Array(rest)) => rest,
                Some(other) => {
                    let expected = "expected a list of the items that follow";
                    return self.at(place, |work| Err(work.fault("type", expected, found(&other))));
                }
            };
            if let (Some(gap), false) = (gap, rest.is_empty()) {
                return Err(self.out_of_row(gap, place));
            }
            let mut marks = marks.take_key(place);
            for (i, value) in rest.into_iter().enumerate() {
                let written = Written { value, marks: marks.take_item(i) };
                push(self.at(place, |work| work.at(&i.to_string(), |work| work.decode(codec, written)))?);
            }
        }
        Ok(Written { value: Value::Array(items), marks: item_marks })
    }

    /// A list has no gaps: what stands behind one would move to another place.
    fn out_of_row(&self, gap: &str, place: &str) -> Fault {
        let expected = format!("expected {}, because a later item is there", name(gap));
        self.fault("prefixItems", &expected, format!("{} is missing before {}", name(gap), name(place)))
    }

    fn text_back(&mut self, text: String) -> Result<Value, Fault> {
        match serde_json::from_str(&text) {
            Err(_) if self.extent == Extent::Begun => {
                self.absent = text.trim().is_empty();
                Ok(begun(&text).unwrap_or(Value::String(text)))
            }
            Ok(_) if inexact_number(&text).is_some() => {
                Err(self.fault("json", "expected numbers that need no rounding", "one that would be rounded"))
            }
            Ok(value) if Look::at(&text).repeats_keys(&value) => {
                Err(self.fault("repeated", "expected every key once", "a key that stands twice"))
            }
            Ok(value) => Ok(value),
            Err(_) if levels(&text) >= repair::LEVELS => {
                let expected =
                    format!("expected at most {} levels of arrays and objects in all", repair::LEVELS);
                Err(self.fault("depth", expected, "more"))
            }
            Err(error) if is_begun(&text) => {
                let rule = if error.is_eof() { "truncated" } else { "json" };
                let expected = "expected the text of a JSON value (a string in it has quotes of its own)";
                Err(self.fault(rule, expected, found(&Value::String(text))))
            }
            // Models leave the quotes of a bare string out.
            Err(_) => Ok(Value::String(text)),
        }
    }
}

/// The best value so far of a JSON text that is still being written.
fn begun(text: &str) -> Option<Value> {
    // In a list, because the reader of beginnings wants a bracket to begin with.
    match repair::read(&format!("[{text}"), Tolerance::Prefix).ok()?.value {
        Value::Array(items) => <[Value; 1]>::try_from(items).ok().map(|[item]| item),
        _ => None,
    }
}

/// Whether an object is one entry of a map.
pub(super) fn is_entry(entry: &Map<String, Value>) -> bool {
    entry.len() == 2 && entry.get("key").is_some_and(Value::is_string) && entry.contains_key("value")
}

/// A single entry as a list of entries.
fn listed(entry: Map<String, Value>, marks: Marks) -> Written {
    let mut outer = Marks::default();
    outer.set_item(0, marks);
    Written { value: Value::Array(vec![Value::Object(entry)]), marks: outer }
}

/// Whether a text that is no JSON was meant to be: it begins with a bracket or a quote, or is a number too large.
fn is_begun(text: &str) -> bool {
    let text = text.trim();
    text.starts_with(['{', '[', '"'])
        || (text.starts_with(|c: char| c == '-' || c.is_ascii_digit())
            && text.parse::<f64>().is_ok_and(f64::is_infinite))
}

/// Whether all members are places of the tuple.
pub(super) fn is_subset(codec: &TupleCodec, members: &Map<String, Value>) -> bool {
    let rest = codec.rest.as_ref().map(|(name, _)| name);
    members.keys().all(|key| codec.places.iter().any(|(name, _)| name == key) || rest == Some(key))
}
