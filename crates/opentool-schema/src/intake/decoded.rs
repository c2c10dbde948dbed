//! Arguments that a model wrote for a lowered schema: read, taken back to the tool's own form, then taken as always.
//!
//! The order matters. What was written is repaired first, because a decoder needs a value; it is decoded before it
//! is coerced, because the schema that coercion and validation follow is the tool's own.

use opentool_core::{Arguments, InvalidArguments};
use serde_json::{Map, Value};

use super::{
    Called, Freedom, MAX_WRAPPERS, Mending, OPENED, envelope, into_arguments, numbers, partial, refused,
    repeated,
};
use crate::change::{Change, Stage};
use crate::coerce::knows;
use crate::dialect::{Decoder, Extent};
use crate::read::{Unread, read};
use crate::repair::Written;
use crate::validator::within;
use crate::{Repairs, Validator};

/// Levels of arguments in a dialect's form, which may have twice as many as in the tool's own.
const LEVELS: usize = 256;

impl Validator {
    /// [`Validator::take`] for arguments that a model wrote for the lowered schema of a dialect
    /// ([`crate::lower()`]): `null` that stands for absent is absent again, lists of entries are maps, and so on. The
    /// decoding is on the record ([`Stage::Decode`]) where it changed something. Problems are told of what was
    /// written: places, keys and allowed values are those of the lowered schema, which is all that the model knows.
    ///
    /// # Errors
    /// Those of [`Validator::take`] and of [`Decoder::decode`].
    pub fn take_decoded(
        &self,
        written: &Value,
        decoder: &Decoder,
        repairs: Repairs,
    ) -> Result<(Arguments, Vec<Change>), InvalidArguments> {
        let mut changes = Vec::new();
        self.taken_decoded(written, decoder, repairs, None, &mut changes)
            .map(|arguments| (arguments, changes))
    }

    pub(crate) fn taken_decoded(
        &self,
        written: &Value,
        decoder: &Decoder,
        repairs: Repairs,
        called: Option<Called<'_>>,
        changes: &mut Vec<Change>,
    ) -> Result<Arguments, InvalidArguments> {
        if decoder.is_identity() {
            return self.taken(written, repairs, called, changes);
        }
        let object = object(self, written, repairs, called, changes)?;
        if repairs == Repairs::Partial {
            return decoder
                .decode_written(object, Extent::Begun)
                .map(|decoded| into_arguments(decoded.value));
        }
        self.fit_lowered(object, decoder, repairs, (called, 0), changes)
    }

    /// The arguments in the dialect's form as the schema accepts them; so many wrappers were taken off.
    fn fit_lowered(
        &self,
        object: Written,
        decoder: &Decoder,
        repairs: Repairs,
        (called, wrappers): (Option<Called<'_>>, usize),
        changes: &mut Vec<Change>,
    ) -> Result<Arguments, InvalidArguments> {
        let decoded = decoder.decode_written(object.clone(), Extent::Whole);
        if !decoded.as_ref().is_ok_and(|decoded| self.accepts(&decoded.value))
            && let Some(taken) = self.in_envelope(&object, decoder, repairs, (called, wrappers), changes)
        {
            return taken;
        }
        let decoded = decoded?;
        if decoded.value != object.value {
            let change = Change::new(Stage::Decode, "", "out of the dialect's form");
            changes.push(change.before(&object.value).after(&decoded.value));
        }
        self.fit_decoded(decoded, repairs, called, changes)
            .map_err(|error| decoder.told(&object.value, error))
    }

    /// The arguments inside `{"name": …, "arguments": {…}}`, which are in the dialect's form: opened before anything is
    /// decoded, and as [`Mending::envelope`] opens one otherwise. What either schema knows by these keys is no envelope.
    fn in_envelope(
        &self,
        outer: &Written,
        decoder: &Decoder,
        repairs: Repairs,
        (called, wrappers): (Option<Called<'_>>, usize),
        changes: &mut Vec<Change>,
    ) -> Option<Result<Arguments, InvalidArguments>> {
        let freedom = match repairs {
            Repairs::Sure => Freedom::Sure,
            Repairs::Wide => Freedom::Wide,
            Repairs::Off | Repairs::Partial => return None,
        };
        if wrappers >= MAX_WRAPPERS {
            return None;
        }
        let own = self.schema().as_value();
        let inner = envelope::open(&outer.value, |key| {
            knows(own, key) || decoder.lowered().is_some_and(|schema| knows(schema, key))
        });
        // With a label beside it, what stands under the key of a wrapped whole is no such whole.
        let inner = inner.or_else(|| {
            let key =
                decoder.wrapper().filter(|_| outer.value.as_object().is_some_and(|all| all.len() > 1))?;
            envelope::open(&outer.value, |other| other != key && knows(own, other))
        })?;
        if let Some(problem) = inner.foreign(called, repairs) {
            return Some(refused(problem));
        }
        let mut marks = outer.marks.clone();
        let written = Written { value: inner.value.clone(), marks: marks.take_key(inner.key) };
        let before = changes.len();
        let change = Change::new(Stage::Repair, "", OPENED);
        changes.push(change.before(&outer.value).after(inner.value));
        let mut mending = Mending::new(self, freedom, called, changes);
        mending.wrappers = wrappers.saturating_add(1);
        let object = mending.object(written).and_then(|object| match object.marks.no_number() {
            Some(pointer) => refused(super::fault::no_number(pointer)),
            None => Ok(object),
        });
        let wrappers = mending.wrappers;
        let taken = object.and_then(|object| {
            repeated::note("", &object.value, &object.marks, changes);
            self.fit_lowered(object, decoder, repairs, (called, wrappers), changes)
        });
        if taken.is_ok() || inner.is_labelled() || envelope::is_foreign(&taken) {
            return Some(taken);
        }
        changes.truncate(before);
        None
    }

    /// The arguments in the tool's own form as the schema accepts them.
    fn fit_decoded(
        &self,
        decoded: Written,
        repairs: Repairs,
        called: Option<Called<'_>>,
        changes: &mut Vec<Change>,
    ) -> Result<Arguments, InvalidArguments> {
        let freedom = match repairs {
            Repairs::Wide => Freedom::Wide,
            Repairs::Sure => Freedom::Sure,
            Repairs::Off | Repairs::Partial => return self.taken(&decoded.value, repairs, called, changes),
        };
        let mut mending = Mending::new(self, freedom, called, changes);
        // What was wrapped may be anything.
        let decoded = mending.object(decoded)?;
        // What an envelope holds is not decoded any more.
        mending.wrappers = MAX_WRAPPERS;
        mending.fit_noted(decoded)
    }
}

/// The object that was written, and what was repaired to read it.
fn object(
    validator: &Validator,
    written: &Value,
    repairs: Repairs,
    called: Option<Called<'_>>,
    changes: &mut Vec<Change>,
) -> Result<Written, InvalidArguments> {
    let freedom = match repairs {
        Repairs::Partial => {
            let mut members = partial::partial(written)?.into_map();
            drop_begun_entry(&mut members);
            return Ok(Written::plain(members));
        }
        // A value that a program built may be deeper than anything that can be copied.
        Repairs::Off if !written.is_string() && !within(written, LEVELS) => {
            return refused(super::fault::too_deep(LEVELS));
        }
        Repairs::Off => {
            super::note_nothing(written, changes);
            let read = match read(written) {
                Ok(value) => Ok(value.into_owned()),
                Err(Unread::Repeated(value)) => numbers::reread(validator, written, Unread::Repeated(value)),
                Err(unread) => Err(unread.into()),
            };
            return read.map(Written::plain);
        }
        Repairs::Sure => Freedom::Sure,
        Repairs::Wide => Freedom::Wide,
    };
    let json = match read(written) {
        Ok(value) => Some(value),
        Err(unread) => unread.into_json(),
    };
    let object = Mending::new(validator, freedom, called, changes).reach(written, json)?;
    if let Some(pointer) = object.marks.no_number() {
        return refused(super::fault::no_number(pointer));
    }
    // Here, because decoding may leave a member out.
    repeated::note("", &object.value, &object.marks, changes);
    Ok(object)
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
