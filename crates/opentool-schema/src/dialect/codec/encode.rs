//! The tool's own arguments → lowered ones. What has no place in the lowered form is an error.

use serde_json::{Map, Value, json};

use super::{Absent, Codec, Fault, Misfits, ObjectCodec, Rest, TupleCodec, Work};
use crate::repair::Written;
use crate::text::{found, name};

impl Work<'_> {
    pub(super) fn encode(&mut self, codec: &Codec, value: &Value) -> Result<Value, Fault> {
        let codec = self.defined(codec)?;
        if codec.is_same() {
            return Ok(value.clone());
        }
        self.enter()?;
        let done = self.encode_here(codec, value);
        self.leave();
        done
    }

    fn encode_here(&mut self, codec: &Codec, value: &Value) -> Result<Value, Fault> {
        match (codec, value) {
            (Codec::Object(codec), Value::Object(members)) => self.object_there(codec, members),
            (Codec::Items(codec), Value::Array(items)) => self.items_there(items, |_| codec),
            (Codec::Places(places, rest), Value::Array(items)) => {
                self.items_there(items, |i| places.get(i).unwrap_or(rest))
            }
            (Codec::Entries(codec), Value::Object(members)) => self.entries_there(codec, members.iter()),
            (Codec::Tuple(codec), Value::Array(items)) => self.tuple_there(codec, items),
            (Codec::Values(values), value) => {
                let known = values.iter().find(|(_, original)| original == value);
                let known = known.map(|(lowered, _)| lowered.clone());
                known.ok_or_else(|| self.fault("enum", "expected one of the listed values", found(value)))
            }
            (Codec::Text, value) => Ok(Value::String(value.to_string())),
            (Codec::Choice(branches), value) => self.choice_there(branches, value),
            (Codec::Tagged(branches), value) => self.tagged_there(branches, value),
            (Codec::Wrapped(key, codec), value) => {
                let value = self.encode(codec, value)?;
                Ok(Value::Object(Map::from_iter([(key.clone(), value)])))
            }
            (Codec::NullMark(mark, codec), value) => {
                if value.is_null() {
                    Ok(mark.clone())
                } else {
                    self.encode(codec, value)
                }
            }
            (Codec::All(codecs), value) => {
                let mut value = value.clone();
                for codec in codecs.iter().rev() {
                    value = self.encode(codec, &value)?;
                }
                Ok(value)
            }
            (_, value) if self.misfits == Misfits::Kept => Ok(value.clone()),
            (codec, value) => Err(self.fault("type", expectation(codec), found(value))),
        }
    }

    fn choice_there(&mut self, branches: &[(Value, Codec)], value: &Value) -> Result<Value, Fault> {
        let mut nearly = None;
        for (schema, branch) in branches {
            let Ok(there) = self.encode(branch, value) else { continue };
            let fits =
                self.schemas.fits(schema, &there, &mut self.steps) && self.comes_back(branch, &there, value);
            if fits && self.accepts(schema, &there)? {
                return Ok(there);
            }
            // It breaks a bound: another one may not, and if all do this is the nearest.
            if fits && nearly.is_none() {
                nearly = Some(there);
            }
        }
        nearly.ok_or_else(|| self.fault("anyOf", "expected a value of one of the alternatives", found(value)))
    }

    /// Whether an encoding is decoded to the value that it was made of.
    fn comes_back(&mut self, codec: &Codec, there: &Value, value: &Value) -> bool {
        self.decode(codec, Written::plain(there.clone())).is_ok_and(|back| back.value == *value)
    }

    fn tagged_there(&mut self, branches: &[(String, Value, Codec)], value: &Value) -> Result<Value, Fault> {
        for (tag, schema, codec) in branches {
            let Ok(there) = self.encode(codec, value) else { continue };
            if self.accepts(schema, &there)? && self.comes_back(codec, &there, value) {
                return Ok(Value::Object(Map::from_iter([(tag.clone(), there)])));
            }
        }
        Err(self.fault("anyOf", "expected a value of one of the alternatives", found(value)))
    }

    fn items_there<'k>(
        &mut self,
        items: &[Value],
        codec: impl Fn(usize) -> &'k Codec,
    ) -> Result<Value, Fault> {
        let mut done = Vec::with_capacity(items.len());
        for (i, item) in items.iter().enumerate() {
            done.push(self.at(&i.to_string(), |work| work.encode(codec(i), item))?);
        }
        Ok(Value::Array(done))
    }

    fn object_there(&mut self, codec: &ObjectCodec, members: &Map<String, Value>) -> Result<Value, Fault> {
        let mut done = Map::new();
        for member in &codec.members {
            match members.get(&member.name) {
                Some(value) => {
                    let value = self.at(&member.name, |work| work.encode(&member.codec, value))?;
                    done.insert(member.lowered.clone(), value);
                }
                None if member.absent == Absent::AsNull => {
                    done.insert(member.lowered.clone(), Value::Null);
                }
                None => {}
            }
        }
        let others = members.iter().filter(|(key, _)| codec.named(key).is_none());
        match &codec.rest {
            Rest::Kept(codec) => {
                for (key, value) in others {
                    let value = self.at(key, |work| work.encode(codec, value))?;
                    done.insert(key.clone(), value);
                }
            }
            Rest::Entries(name, codec) => {
                let entries = self.entries_there(codec, others)?;
                done.insert(name.clone(), entries);
            }
            Rest::Refused => {
                if let Some((key, _)) = others.into_iter().next() {
                    let found = format!("the key {}", name(key));
                    return Err(self.fault("additionalProperties", "expected no other keys", found));
                }
            }
        }
        Ok(Value::Object(done))
    }

    fn entries_there<'v>(
        &mut self,
        codec: &Codec,
        members: impl Iterator<Item = (&'v String, &'v Value)>,
    ) -> Result<Value, Fault> {
        let mut entries = Vec::new();
        for (key, value) in members {
            let value = self.at(key, |work| work.encode(codec, value))?;
            entries.push(json!({"key": key, "value": value}));
        }
        Ok(Value::Array(entries))
    }

    fn tuple_there(&mut self, codec: &TupleCodec, items: &[Value]) -> Result<Value, Fault> {
        let mut done = Map::new();
        for (i, (name, codec_of_place)) in codec.places.iter().enumerate() {
            match items.get(i) {
                Some(value) => {
                    let value = self.at(&i.to_string(), |work| work.encode(codec_of_place, value))?;
                    done.insert(name.clone(), value);
                }
                None if codec.absent == Absent::AsNull => {
                    done.insert(name.clone(), Value::Null);
                }
                None => {}
            }
        }
        let others = items.get(codec.places.len()..).unwrap_or_default();
        match &codec.rest {
            Some((name, codec)) => {
                let rest = self.items_there(others, |_| codec)?;
                done.insert(name.clone(), rest);
            }
            None if others.is_empty() => {}
            None => {
                let most = format!("expected at most {} items", codec.places.len());
                return Err(self.fault("items", most, format!("{} items", items.len())));
            }
        }
        Ok(Value::Object(done))
    }
}

fn expectation(codec: &Codec) -> &'static str {
    match codec {
        Codec::Object(_) | Codec::Entries(_) => "expected an object",
        _ => "expected an array",
    }
}
