//! Lowered arguments → the tool's own.

use serde_json::{Map, Value};

use super::{Absent, Codec, Fault, ObjectCodec, Rest, TupleCodec, Work};
use crate::exact::{Look, inexact_number};
use crate::text::{found, name};

impl Work<'_> {
    pub(super) fn decode(&mut self, codec: &Codec, value: Value) -> Result<Value, Fault> {
        let codec = self.defined(codec)?;
        if codec.is_same() {
            return Ok(value);
        }
        self.enter()?;
        let done = self.decode_here(codec, value);
        self.leave();
        done
    }

    fn decode_here(&mut self, codec: &Codec, value: Value) -> Result<Value, Fault> {
        match (codec, value) {
            (Codec::Object(codec), Value::Object(members)) => self.object_back(codec, members),
            (Codec::Items(codec), Value::Array(items)) => self.items_back(items, |_| codec),
            (Codec::Places(places, rest), Value::Array(items)) => {
                self.items_back(items, |i| places.get(i).unwrap_or(rest))
            }
            (Codec::Entries(codec), Value::Array(entries)) => {
                let mut members = Map::new();
                match self.entries_back(codec, entries, &mut members)? {
                    None => Ok(Value::Object(members)),
                    Some(as_they_were) => Ok(as_they_were),
                }
            }
            (Codec::Tuple(codec), Value::Object(members)) => self.tuple_back(codec, members),
            (Codec::Values(values), value) => {
                let known = values.iter().find(|(lowered, _)| *lowered == value);
                Ok(known.map_or(value, |(_, original)| original.clone()))
            }
            (Codec::Text, Value::String(text)) => self.text_back(text),
            (Codec::Choice(branches), value) => self.choice_back(branches, value),
            (Codec::Tagged(branches), Value::Object(members)) => self.tagged_back(branches, members),
            (Codec::Wrapped(key, codec), Value::Object(members)) => self.unwrapped(key, codec, members),
            (Codec::NullMark(mark, codec), value) => {
                if value == *mark {
                    Ok(Value::Null)
                } else {
                    self.decode(codec, value)
                }
            }
            (Codec::All(codecs), mut value) => {
                for codec in codecs {
                    value = self.decode(codec, value)?;
                }
                Ok(value)
            }
            // Another form than was asked for: the validator will say so.
            (_, value) => Ok(value),
        }
    }

    fn choice_back(&mut self, branches: &[(Value, Codec)], value: Value) -> Result<Value, Fault> {
        let schemas = self.schemas;
        let meant = branches.iter().find(|(schema, _)| schemas.fits(schema, &value, &mut self.steps));
        match meant {
            Some((_, codec)) => self.decode(codec, value),
            None => Ok(value),
        }
    }

    fn tagged_back(
        &mut self,
        branches: &[(String, Value, Codec)],
        mut members: Map<String, Value>,
    ) -> Result<Value, Fault> {
        let tag = members.keys().next().filter(|_| members.len() == 1).cloned();
        let branch = tag.and_then(|tag| branches.iter().find(|(name, ..)| *name == tag));
        match branch.and_then(|(tag, _, codec)| Some((members.shift_remove(tag)?, codec))) {
            Some((value, codec)) => self.decode(codec, value),
            None => Ok(Value::Object(members)),
        }
    }

    fn unwrapped(
        &mut self,
        key: &str,
        codec: &Codec,
        mut members: Map<String, Value>,
    ) -> Result<Value, Fault> {
        match members.shift_remove(key) {
            Some(value) if members.is_empty() => self.decode(codec, value),
            Some(value) => {
                members.insert(key.to_owned(), value);
                Ok(Value::Object(members))
            }
            // A model that leaves the wrapping out is understood.
            None => self.decode(codec, Value::Object(members)),
        }
    }

    fn items_back<'k>(
        &mut self,
        items: Vec<Value>,
        codec: impl Fn(usize) -> &'k Codec,
    ) -> Result<Value, Fault> {
        let mut done = Vec::with_capacity(items.len());
        for (i, item) in items.into_iter().enumerate() {
            done.push(self.at(&i.to_string(), |work| work.decode(codec(i), item))?);
        }
        Ok(Value::Array(done))
    }

    fn object_back(&mut self, codec: &ObjectCodec, members: Map<String, Value>) -> Result<Value, Fault> {
        let mut done = Map::new();
        let mut others = Vec::new();
        for (key, value) in members {
            if let Some(member) = codec.members.iter().find(|member| member.lowered == key) {
                if value.is_null() && member.absent == Absent::AsNull {
                    continue;
                }
                let value = self.at(&key, |work| work.decode(&member.codec, value))?;
                self.put(&mut done, member.name.clone(), value)?;
            } else {
                others.push((key, value));
            }
        }
        for (key, value) in others {
            match (&codec.rest, value) {
                (Rest::Entries(name, codec), Value::Array(entries)) if *name == key => {
                    let left = self.at(&key, |work| work.entries_back(codec, entries, &mut done))?;
                    if let Some(left) = left {
                        self.put(&mut done, key, left)?;
                    }
                }
                (Rest::Entries(name, _), Value::Null) if *name == key => {}
                (Rest::Kept(codec), value) => {
                    let value = self.at(&key, |work| work.decode(codec, value))?;
                    self.put(&mut done, key, value)?;
                }
                (_, value) => self.put(&mut done, key, value)?,
            }
        }
        Ok(Value::Object(done))
    }

    /// Puts a member among the others. Two names of the dialect can be one of the tool's.
    fn put(&self, members: &mut Map<String, Value>, key: String, value: Value) -> Result<(), Fault> {
        if members.contains_key(&key) {
            return Err(self.fault(
                "uniqueKeys",
                "expected each key once",
                format!("the key {} again", name(&key)),
            ));
        }
        members.insert(key, value);
        Ok(())
    }

    /// Puts the entries among the members. `Some` with the list as it was where it is no list of entries.
    fn entries_back(
        &mut self,
        codec: &Codec,
        entries: Vec<Value>,
        members: &mut Map<String, Value>,
    ) -> Result<Option<Value>, Fault> {
        let is_entry = |entry: &Value| {
            entry.as_object().is_some_and(|entry| {
                entry.len() == 2
                    && entry.get("key").is_some_and(Value::is_string)
                    && entry.contains_key("value")
            })
        };
        if !entries.iter().all(is_entry) {
            return Ok(Some(Value::Array(entries)));
        }
        for (i, entry) in entries.into_iter().enumerate() {
            let Value::Object(mut entry) = entry else { continue };
            let (Some(Value::String(key)), Some(value)) =
                (entry.shift_remove("key"), entry.shift_remove("value"))
            else {
                continue;
            };
            let value = self.at(&i.to_string(), |work| {
                let known = members.contains_key(&key);
                if known {
                    let expected = "expected each key once";
                    return Err(work.fault("uniqueKeys", expected, format!("the key {} again", name(&key))));
                }
                work.at("value", |work| work.decode(codec, value))
            })?;
            members.insert(key, value);
        }
        Ok(None)
    }

    fn tuple_back(&mut self, codec: &TupleCodec, mut members: Map<String, Value>) -> Result<Value, Fault> {
        if !is_subset(codec, &members) {
            return Ok(Value::Object(members));
        }
        let mut items = Vec::new();
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
                    items.push(self.at(place, |work| work.decode(codec_of_place, value))?);
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
            for (i, item) in rest.into_iter().enumerate() {
                let item = self.at(place, |work| work.at(&i.to_string(), |work| work.decode(codec, item)))?;
                items.push(item);
            }
        }
        Ok(Value::Array(items))
    }

    /// A list has no gaps: what stands behind one would move to another place.
    fn out_of_row(&self, gap: &str, place: &str) -> Fault {
        let expected = format!("expected {}, because a later item is there", name(gap));
        self.fault("prefixItems", &expected, format!("{} is missing before {}", name(gap), name(place)))
    }

    fn text_back(&mut self, text: String) -> Result<Value, Fault> {
        match serde_json::from_str(&text) {
            Ok(_) if inexact_number(&text).is_some() => {
                Err(self.fault("json", "expected numbers that need no rounding", "one that would be rounded"))
            }
            Ok(value) if Look::at(&text).repeats_keys(&value) => {
                Err(self.fault("repeated", "expected every key once", "a key that stands twice"))
            }
            Ok(value) => Ok(value),
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

/// Whether a text that is no JSON was meant to be: it begins with a bracket or a quote, or is a number too large.
fn is_begun(text: &str) -> bool {
    let text = text.trim();
    text.starts_with(['{', '[', '"'])
        || (text.starts_with(|c: char| c == '-' || c.is_ascii_digit())
            && text.parse::<f64>().is_ok_and(f64::is_infinite))
}

/// Whether all members are places of the tuple.
fn is_subset(codec: &TupleCodec, members: &Map<String, Value>) -> bool {
    let rest = codec.rest.as_ref().map(|(name, _)| name);
    members.keys().all(|key| codec.places.iter().any(|(name, _)| name == key) || rest == Some(key))
}
