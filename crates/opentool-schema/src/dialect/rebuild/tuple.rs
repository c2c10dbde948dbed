//! Tuples as objects: `item_0`, `item_1`, … and `other_items`.

use serde_json::{Map, Value, json};

use super::array::Places;
use super::describe::MOVED;
use super::flat::Flat;
use super::{IMPLIED, Made, Rebuild, Result, Spot};
use crate::dialect::codec::{Absent, Codec, TupleCodec};
use crate::dialect::lower::Effect;

/// The places that are written so far.
#[derive(Default)]
struct Written {
    properties: Map<String, Value>,
    required: Vec<String>,
    codecs: Vec<(String, Codec)>,
    /// Nothing can follow.
    ended: bool,
}

impl<'r> Rebuild<'r, '_> {
    // In pieces, as for objects: each frame stands on the stack.
    pub(super) fn tuple(&mut self, flat: &Flat<'r>, places: &Places<'r>, spot: &Spot<'r>) -> Result<Made> {
        let least = self.tightest(flat, "minItems").unwrap_or_default();
        let most = self.tightest(flat, "maxItems").unwrap_or(u64::MAX);
        if least > most {
            return Ok(None);
        }
        let mut written = Written::default();
        for (i, all) in places.first.iter().enumerate() {
            let i = i as u64;
            if i >= most {
                written.ended = true;
                break;
            }
            match self.node(all, &spot.inner(1))? {
                Some(made) => self.place(&mut written, made, (i, least), all, spot)?,
                None if i < least => return Ok(None),
                None => {
                    written.ended = true;
                    break;
                }
            }
        }
        let count = written.codecs.len() as u64;
        let mut rest = None;
        if !written.ended && places.implied && most > count {
            self.note(&flat.pointer(), "items", Effect::Narrower, IMPLIED);
        } else if !written.ended && most > count {
            rest = self.node(&places.rest, &spot.inner(2))?;
        }
        if least > count && rest.is_none() {
            return Ok(None);
        }
        if count == 0 && rest.is_none() && !self.rules.objects.empty {
            return Ok(Some(self.only_empty_array(flat)));
        }
        Ok(Some(self.written_tuple(written, rest, flat, (least, most))))
    }

    /// Adds a place, of which so many are always there.
    fn place(
        &mut self,
        written: &mut Written,
        mut made: Made,
        (i, least): (u64, u64),
        all: &[super::Sub<'r>],
        spot: &Spot<'r>,
    ) -> std::result::Result<(), super::Stop> {
        let all_required = self.rules.objects.all_required;
        let name = format!("item_{i}");
        if i >= least && all_required {
            made = self.optional_place(made, all, spot)?;
        }
        if i < least || all_required {
            written.required.push(name.clone());
        }
        written.properties.insert(name.clone(), Value::Object(made.schema));
        written.codecs.push((name, made.codec));
        Ok(())
    }

    /// The empty array, as a word.
    fn only_empty_array(&mut self, flat: &Flat<'r>) -> Made {
        let codec = Codec::Values(vec![(json!("[]"), json!([]))]);
        let mut schema = Map::new();
        schema.insert("type".to_owned(), "string".into());
        self.tell(&mut schema, flat, &codec, Vec::new());
        schema.insert("enum".to_owned(), json!(["[]"]));
        self.note(&flat.pointer(), "prefixItems", Effect::Exact, "the empty array is written as a string");
        Made { schema, codec }
    }

    /// The tuple of which all places are written.
    fn written_tuple(
        &mut self,
        written: Written,
        rest: Option<Made>,
        flat: &Flat<'r>,
        (least, most): (u64, u64),
    ) -> Made {
        let Written { mut properties, mut required, codecs, .. } = written;
        let count = codecs.len() as u64;
        let (rest, rest_codec) = match rest {
            Some(rest) => (Some(rest.schema), Some(("other_items".to_owned(), rest.codec))),
            None => (None, None),
        };
        let codec = Codec::Tuple(Box::new(TupleCodec {
            places: codecs,
            least: usize::try_from(least).unwrap_or(usize::MAX),
            absent: if self.rules.objects.all_required { Absent::AsNull } else { Absent::AsAbsent },
            rest: rest_codec,
        }));
        let mut notes = Vec::new();
        for sub in &flat.subs {
            for keyword in ["uniqueItems", "contains", "minContains", "maxContains"] {
                if let Some(value) = sub.get(keyword).filter(|value| **value != Value::Bool(false)) {
                    notes.push((keyword, value));
                    self.note(&sub.pointer, keyword, Effect::Wider, MOVED);
                }
            }
            if sub.get("prefixItems").is_some() {
                let done = "written as an object, one property an item";
                self.note(&sub.pointer, "prefixItems", Effect::Exact, done);
            }
        }
        let mut schema = Map::new();
        schema.insert("type".to_owned(), "object".into());
        if let Some(rest) = rest {
            let mut list = Map::from_iter([
                ("type".to_owned(), Value::from("array")),
                ("items".to_owned(), Value::Object(rest)),
            ]);
            for (keyword, value, wanted) in [
                ("minItems", least.saturating_sub(count), least > count),
                ("maxItems", most.saturating_sub(count), most != u64::MAX),
            ] {
                let small = keyword == "maxItems" || self.rules.min_items.is_none_or(|cap| value <= cap);
                if wanted && self.has(keyword) && small {
                    list.insert(keyword.to_owned(), value.into());
                } else if wanted {
                    for sub in &flat.subs {
                        if let Some(value) = sub.get(keyword) {
                            notes.push((keyword, value));
                            self.note(&sub.pointer, keyword, Effect::Wider, MOVED);
                        }
                    }
                }
            }
            properties.insert("other_items".to_owned(), Value::Object(list));
            required.push("other_items".to_owned());
        }
        // Places that may be absent are absent from the end only, which no keyword says.
        if least.saturating_add(1) < count {
            for sub in flat.subs.iter().filter(|sub| sub.get("prefixItems").is_some()) {
                self.note(
                    &sub.pointer,
                    "prefixItems",
                    Effect::Wider,
                    "a place may be left out before another",
                );
            }
        }
        self.tell(&mut schema, flat, &codec, notes);
        schema.insert("properties".to_owned(), Value::Object(properties));
        if !required.is_empty() {
            schema.insert("required".to_owned(), required.into());
        }
        schema.insert("additionalProperties".to_owned(), false.into());
        Made { schema, codec }
    }

    fn optional_place(
        &mut self,
        made: Made,
        all: &[super::Sub<'r>],
        spot: &Spot<'r>,
    ) -> std::result::Result<Made, super::Stop> {
        // `null` in a list is an item, whatever it is for a property.
        let kept = std::mem::replace(&mut self.null_is_absent, false);
        let made = self.optional(made, all, spot);
        self.null_is_absent = kept;
        made
    }
}
