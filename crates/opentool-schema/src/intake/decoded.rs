//! Arguments that a model wrote for a lowered schema: read, taken back to the tool's own form, then taken as always.
//!
//! The order matters. What was written is repaired first, because a decoder needs a value; it is decoded before it
//! is coerced, because the schema that coercion and validation follow is the tool's own.

use opentool_core::{Arguments, InvalidArguments};
use serde_json::{Map, Value};

use super::{Freedom, Mending, into_arguments, numbers, partial, refused, repeated};
use crate::change::{Change, Stage};
use crate::dialect::Decoder;
use crate::read::{Unread, read};
use crate::{Repairs, Validator};

impl Validator {
    /// [`Validator::take`] for arguments that a model wrote for the lowered schema of a dialect
    /// ([`crate::lower()`]): `null` that stands for absent is absent again, lists of entries are maps, and so on. The
    /// decoding is on the record ([`Stage::Decode`]) where it changed something.
    ///
    /// # Errors
    /// Those of [`Validator::take`] and of [`Decoder::decode`]; and a number that would be rounded is refused before
    /// it is decoded.
    pub fn take_decoded(
        &self,
        written: &Value,
        decoder: &Decoder,
        repairs: Repairs,
    ) -> Result<(Arguments, Vec<Change>), InvalidArguments> {
        let mut changes = Vec::new();
        self.taken_decoded(written, decoder, repairs, &mut changes).map(|arguments| (arguments, changes))
    }

    pub(super) fn taken_decoded(
        &self,
        written: &Value,
        decoder: &Decoder,
        repairs: Repairs,
        changes: &mut Vec<Change>,
    ) -> Result<Arguments, InvalidArguments> {
        if decoder.is_identity() {
            return self.taken(written, repairs, changes);
        }
        let object = object(self, written, repairs, changes)?;
        let decoded = decoder.decode(object.clone())?;
        if repairs == Repairs::Partial {
            return Ok(into_arguments(decoded));
        }
        if decoded != object {
            changes.push(
                Change::new(Stage::Decode, "", "out of the dialect's form").before(&object).after(&decoded),
            );
        }
        self.taken(&decoded, repairs, changes)
    }
}

/// The object that was written, and what was repaired to read it.
fn object(
    validator: &Validator,
    written: &Value,
    repairs: Repairs,
    changes: &mut Vec<Change>,
) -> Result<Value, InvalidArguments> {
    let freedom = match repairs {
        Repairs::Partial => {
            let mut members = partial::partial(written)?.into_map();
            drop_begun_entry(&mut members);
            return Ok(Value::Object(members));
        }
        Repairs::Off => {
            return match read(written) {
                Ok(value) => Ok(value.into_owned()),
                Err(Unread::Repeated(value)) => numbers::reread(validator, written, Unread::Repeated(value)),
                Err(unread) => Err(unread.into()),
            };
        }
        Repairs::Sure => Freedom::Sure,
        Repairs::Wide => Freedom::Wide,
    };
    let json = match read(written) {
        Ok(value) => return Ok(value.into_owned()),
        Err(unread) => unread.into_json(),
    };
    let object = Mending::new(validator, freedom, changes).reach(written, json)?;
    if let Some((pointer, digits)) = object.marks.lost().first() {
        return refused(numbers::problem(pointer, digits, false));
    }
    if let Some(pointer) = object.marks.no_number() {
        return refused(super::fault::no_number(pointer));
    }
    repeated::note("", &object.value, &object.marks, changes);
    Ok(object.value)
}

/// Takes the entry of a map out of which the key is there and the value is not yet: until it is whole, nothing tells
/// the list of entries from any other list.
fn drop_begun_entry(members: &mut Map<String, Value>) {
    // What is still being written is the last of the last, all the way down.
    let mut last = members.values_mut().last();
    while let Some(value) = last {
        last = match value {
            Value::Array(items) => {
                let is_begun = |item: &Value| {
                    item.as_object().is_some_and(|entry| {
                        entry.is_empty()
                            || (entry.len() == 1 && entry.get("key").is_some_and(Value::is_string))
                    })
                };
                if items.last().is_some_and(is_begun) {
                    items.pop();
                    return;
                }
                items.last_mut()
            }
            Value::Object(members) => members.values_mut().last(),
            _ => None,
        };
    }
}
