//! From what a model wrote to arguments that a schema accepts, in visible stages.
//!
//! text → repaired JSON → wrappers taken off → coerced by the schema → validated. Arguments that are valid as they
//! stand pass untouched and at the cost of the validation alone: the other stages begin after its "no". What was
//! changed is recorded ([`Change`]); a text that was cut off is refused whatever could be made of it, and so is a
//! number that would be rounded. It guesses no names: keys that look like a known one are suggested in the error, not renamed.

mod decoded;
mod envelope;
mod fault;
mod numbers;
mod partial;

use opentool_core::{Arguments, InvalidArguments, Problem};
use serde_json::{Map, Value};

pub use fault::problem_code;
pub(crate) use numbers::problem as rounded;

use crate::change::{Change, Stage};
use crate::coerce::{Freedom, coerce};
use crate::read::{not_an_object, read};
use crate::repair::{self, Marks, Tolerance, Written};
use crate::validator::within;
use crate::{Repairs, Validator};

/// Texts in texts, lists around objects and envelopes that are taken off.
const MAX_WRAPPERS: usize = 6;
/// Rounds of taking out forbidden keys: each may uncover others.
const MAX_ROUNDS: usize = 8;

impl Validator {
    /// The arguments that the schema accepts, made from what a model wrote (an object, or the text of one), and
    /// every change that this took.
    ///
    /// Valid arguments come back as they are, without any change.
    ///
    /// ```
    /// # use opentool_core::Schema;
    /// # use opentool_schema::{Repairs, Validator};
    /// # use serde_json::json;
    /// let schema = Schema::new(json!({"type": "object", "properties": {"days": {"type": "integer"}}}));
    /// let validator = Validator::new(&schema)?;
    /// let (arguments, changes) = validator.take(&json!("{'days': '3',}"), Repairs::Sure)?;
    /// assert_eq!(arguments["days"], 3);
    /// assert_eq!(changes.len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`InvalidArguments`] with at least one problem; [`problem_code`] says of which kind.
    pub fn take(
        &self,
        written: &Value,
        repairs: Repairs,
    ) -> Result<(Arguments, Vec<Change>), InvalidArguments> {
        match read(written) {
            Ok(value) if repairs != Repairs::Partial && self.accepts(&value) => {
                Ok((into_arguments(value.into_owned()), Vec::new()))
            }
            _ => mend(self, written, repairs),
        }
    }
}

/// [`Validator::take`] for what is known not to be valid as it stands.
pub(crate) fn mend(
    validator: &Validator,
    written: &Value,
    repairs: Repairs,
) -> Result<(Arguments, Vec<Change>), InvalidArguments> {
    match repairs {
        Repairs::Off => {
            let value = read(written).or_else(|error| numbers::reread(validator, written, error))?;
            validator.check(&value)?;
            Ok((into_arguments(value.into_owned()), Vec::new()))
        }
        Repairs::Partial => partial::partial(written).map(|arguments| (arguments, Vec::new())),
        Repairs::Sure => Mending::new(validator, Freedom::Sure).run(written),
        Repairs::Wide => Mending::new(validator, Freedom::Wide).run(written),
    }
}

fn into_arguments(value: Value) -> Arguments {
    match value {
        Value::Object(members) => members.into(),
        _ => Arguments::new(),
    }
}

fn refused<T>(problem: Problem) -> Result<T, InvalidArguments> {
    Err(InvalidArguments::new(vec![problem]))
}

type Taken = Result<(Arguments, Vec<Change>), InvalidArguments>;

/// One passage through the stages.
struct Mending<'v> {
    validator: &'v Validator,
    freedom: Freedom,
    changes: Vec<Change>,
    wrappers: usize,
}

impl<'v> Mending<'v> {
    fn new(validator: &'v Validator, freedom: Freedom) -> Self {
        Self { validator, freedom, changes: Vec::new(), wrappers: 0 }
    }

    fn run(mut self, written: &Value) -> Taken {
        let written = match written {
            Value::String(text) => self.text(text)?,
            // A value that a program built may be deeper than anything that can be copied.
            deep if !within(deep, self.validator.levels()) => {
                return refused(fault::too_deep(self.validator.levels()));
            }
            value => Written { value: value.clone(), marks: Marks::default() },
        };
        let object = self.object(written)?;
        self.fit(object)
    }

    fn tolerance(&self) -> Tolerance {
        match self.freedom {
            Freedom::Sure => Tolerance::Sure,
            Freedom::Wide => Tolerance::Wide,
        }
    }

    /// Reads a text, repaired if need be.
    fn text(&mut self, text: &str) -> Result<Written, InvalidArguments> {
        if text.trim().is_empty() {
            return Ok(empty());
        }
        let repaired = repair::read(text, self.tolerance());
        if let Ok(value) = serde_json::from_str::<Value>(text) {
            return numbers::beside(text, value, repaired.ok());
        }
        let repaired = repaired.or_else(|fault| refused(fault::problem(text, fault)))?;
        let change =
            Change::new(Stage::Repair, "", "syntax").before(&Value::from(text)).after(&repaired.value);
        self.changes.push(change);
        Ok(repaired)
    }

    /// The object inside: of a text in a text, of a list of one.
    fn object(&mut self, mut written: Written) -> Result<Written, InvalidArguments> {
        loop {
            let refusal = |value: &Value| refused(not_an_object(value));
            if self.wrappers >= MAX_WRAPPERS {
                return refusal(&written.value);
            }
            let (rule, inner) = match &mut written.value {
                Value::Object(_) => return Ok(written),
                Value::Null => return Ok(empty()),
                Value::String(text) if text.trim().is_empty() => ("nothing to an empty object", empty()),
                Value::String(text) => {
                    let before = self.changes.len();
                    let inner = match self.text(text) {
                        Ok(inner) => inner,
                        // A text that is not even meant to be JSON is the wrong kind of value.
                        Err(error) if error.problems.iter().all(|problem| problem.rule == "json") => {
                            return refusal(&written.value);
                        }
                        Err(error) => return Err(error),
                    };
                    self.changes.truncate(before);
                    ("text in text", inner)
                }
                Value::Array(items) => match items.as_mut_slice() {
                    [] if self.freedom == Freedom::Wide => ("empty list to object", empty()),
                    [one @ (Value::Object(_) | Value::String(_))] => {
                        let value = one.take();
                        if let Value::String(text) = &value
                            && !text.trim_start().starts_with('{')
                        {
                            return refusal(&Value::Array(vec![value]));
                        }
                        ("list of one to its item", Written { value, marks: written.marks.take_item(0) })
                    }
                    _ => return refusal(&written.value),
                },
                _ => return refusal(&written.value),
            };
            self.wrappers = self.wrappers.saturating_add(1);
            let change = Change::new(Stage::Repair, "", rule).before(&written.value).after(&inner.value);
            self.changes.push(change);
            written = inner;
        }
    }

    /// Makes the object one that the schema accepts.
    fn fit(mut self, written: Written) -> Taken {
        let levels = self.validator.levels();
        if !within(&written.value, levels) {
            return refused(fault::too_deep(levels));
        }
        if let Some(pointer) = written.marks.no_number() {
            return refused(fault::no_number(pointer));
        }
        if self.validator.accepts(&written.value) {
            numbers::check(self.validator, &written.value, &written.marks)?;
            return Ok((into_arguments(written.value), self.changes));
        }
        if let Some(taken) = self.envelope(&written) {
            return taken;
        }
        let schema = self.validator.schema().as_value();
        let (Written { mut value, marks }, changes) = coerce(schema, written, self.freedom, levels);
        self.changes.extend(changes);
        if self.freedom == Freedom::Wide {
            self.drop_forbidden(&mut value);
        }
        numbers::check(self.validator, &value, &marks)?;
        if !value.is_object() {
            // The schema accepts what arguments cannot be, and an object was made into that.
            return refused(
                Problem::new("", "type")
                    .expected(
                        "expected arguments that the tool's input schema accepts, but it accepts no object",
                    )
                    .found("an object"),
            );
        }
        Ok((into_arguments(value), self.changes))
    }

    /// The arguments inside `{"name": …, "arguments": {…}}`, if the schema accepts them and knows none of these
    /// keys. Where it is beyond doubt an envelope, the problems inside are those that count.
    fn envelope(&self, outer: &Written) -> Option<Taken> {
        let schema = self.validator.schema().as_value();
        let inner = envelope::open(&outer.value, schema)?;
        if self.wrappers >= MAX_WRAPPERS {
            return None;
        }
        let mut marks = outer.marks.clone();
        let written = Written { value: inner.value.clone(), marks: marks.take_key(inner.key) };
        let mut mending = Mending::new(self.validator, self.freedom);
        mending.wrappers = self.wrappers.saturating_add(1);
        let change = Change::new(Stage::Repair, "", "arguments out of their envelope");
        mending.changes.clone_from(&self.changes);
        mending.changes.push(change.before(&outer.value).after(inner.value));
        let taken = match mending.object(written) {
            Ok(object) => mending.fit(object),
            Err(error) => Err(error),
        };
        (taken.is_ok() || inner.labelled).then_some(taken)
    }

    /// Takes out the keys that the schema forbids, as the validator names them.
    fn drop_forbidden(&mut self, value: &mut Value) {
        for _ in 0..MAX_ROUNDS {
            let Err(error) = self.validator.check(value) else { return };
            let mut any = false;
            for problem in error.problems {
                let forbidden =
                    matches!(problem.rule.as_str(), "additionalProperties" | "unevaluatedProperties");
                let Some((place, key)) = problem.pointer.rsplit_once('/').filter(|_| forbidden) else {
                    continue;
                };
                let key = key.replace("~1", "/").replace("~0", "~");
                let members = value.pointer_mut(place).and_then(Value::as_object_mut);
                if let Some(gone) = members.and_then(|members| members.shift_remove(&key)) {
                    any = true;
                    self.changes.push(Change::new(Stage::Drop, problem.pointer, "unknown key").before(&gone));
                }
            }
            if !any {
                return;
            }
        }
    }
}

fn empty() -> Written {
    Written { value: Value::Object(Map::new()), marks: Marks::default() }
}
