//! Arguments that a model wrote for a lowered schema: read, taken back to the tool's own form, then taken as always.
//!
//! The order matters. What was written is repaired first, because a decoder needs a value; it is decoded before it
//! is coerced, because the schema that coercion and validation follow is the tool's own.

use opentool_core::{Arguments, InvalidArguments};
use serde_json::Value;

use super::{Freedom, Mending, empty, into_arguments, numbers, partial, refused};
use crate::change::{Change, Stage};
use crate::dialect::Decoder;
use crate::read::read;
use crate::repair::{Marks, Written};
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
        if decoder.is_identity() {
            return self.take(written, repairs);
        }
        let (object, mut changes) = object(self, written, repairs)?;
        let decoded = decoder.decode(object.clone())?;
        if decoded != object {
            changes.push(
                Change::new(Stage::Decode, "", "out of the dialect's form").before(&object).after(&decoded),
            );
        }
        if repairs == Repairs::Partial {
            return Ok((into_arguments(decoded), changes));
        }
        let (arguments, more) = self.take(&decoded, repairs)?;
        changes.extend(more);
        Ok((arguments, changes))
    }
}

/// The object that was written, and what was repaired to read it.
fn object(
    validator: &Validator,
    written: &Value,
    repairs: Repairs,
) -> Result<(Value, Vec<Change>), InvalidArguments> {
    let freedom = match repairs {
        Repairs::Partial => {
            return partial::partial(written)
                .map(|arguments| (Value::Object(arguments.into_map()), Vec::new()));
        }
        Repairs::Off => return Ok((read(written)?.into_owned(), Vec::new())),
        Repairs::Sure => Freedom::Sure,
        Repairs::Wide => Freedom::Wide,
    };
    if let Ok(value) = read(written) {
        return Ok((value.into_owned(), Vec::new()));
    }
    let mut mending = Mending::new(validator, freedom);
    let read = match written {
        Value::String(text) => mending.text(text)?,
        Value::Null => empty(),
        value => Written { value: value.clone(), marks: Marks::default() },
    };
    let object = mending.object(read)?;
    if let Some((pointer, digits)) = object.marks.lost().first() {
        return refused(numbers::problem(pointer, digits, false));
    }
    if let Some(pointer) = object.marks.no_number() {
        return refused(super::fault::no_number(pointer));
    }
    Ok((object.value, mending.changes))
}
