//! From what a model wrote to arguments that a schema accepts, in visible stages.
//!
//! text → repaired JSON → wrappers taken off → coerced by the schema → validated. Arguments that are valid as they
//! stand pass untouched and at the cost of the validation alone: the other stages begin after its "no". What was
//! changed is recorded ([`Change`]); a text that was cut off is refused whatever could be made of it, and so is a
//! number that would be rounded. Keys that differ from a known one in case and separators only are renamed where no other
//! can be meant, on the record; of others that look like a known one, the error names that, and nothing is renamed.
//!
//! Untouched means the same values, not the same letters: numbers are handed over as numbers, so that `1.10` is 1.1 and
//! `1e3` is 1000.0. Where a schema wants text, it gets the digits as they were written.

mod decoded;
mod deepest;
mod envelope;
mod examined;
mod fault;
mod numbers;
mod partial;
mod repeated;

use std::borrow::Cow;

use opentool_core::{Arguments, InvalidArguments, Problem};
use serde_json::{Map, Value};

pub(crate) use deepest::value as deepest;
pub(crate) use envelope::Called;
pub use examined::Examined;
pub use fault::problem_code;
pub(crate) use fault::{no_number, too_deep};
pub(crate) use numbers::problem as rounded;
pub(crate) use repeated::note as note_repeated;

use crate::change::{Change, Stage};
use crate::coerce::{Freedom, coerce, knows};
use crate::exact::Look;
use crate::read::{Unread, not_an_object, read};
use crate::repair::{self, Tolerance, Written};
use crate::validator::within;
use crate::{Repairs, Validator};

/// The rule of nothing that becomes no arguments.
const NOTHING: &str = "nothing to an empty object";
/// The rule of an envelope that was opened.
const OPENED: &str = "arguments out of their envelope";
/// Texts in texts, lists around objects and envelopes that are taken off.
const MAX_WRAPPERS: usize = 6;
/// Rounds of taking out forbidden keys: each may uncover others.
const MAX_ROUNDS: usize = 8;

impl Validator {
    /// The arguments that the schema accepts, made from what a model wrote (an object, or the text of one), and
    /// every change that this took.
    ///
    /// Valid arguments come back as they are, without any change. Arguments inside a call
    /// (`{"name": "f", "arguments": {…}}`) are taken out of it, whatever its name: which other tools there are is known to
    /// [`Validator::examine_as`] and [`ToolSetExt::take`](crate::ToolSetExt::take).
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
        let mut changes = Vec::new();
        self.taken(written, repairs, None, &mut changes).map(|arguments| (arguments, changes))
    }

    /// [`Validator::take`], with the changes up to a refusal too.
    fn taken(
        &self,
        written: &Value,
        repairs: Repairs,
        called: Option<Called<'_>>,
        changes: &mut Vec<Change>,
    ) -> Result<Arguments, InvalidArguments> {
        match read(written) {
            Ok(value) if repairs != Repairs::Partial && self.accepts(&value) => {
                note_nothing(written, changes);
                Ok(into_arguments(value.into_owned()))
            }
            read => mend(self, written, read, repairs, called, changes),
        }
    }
}

/// Records that a text of nothing stands for no arguments, in all modes: providers write it so for tools without
/// parameters.
fn note_nothing(written: &Value, changes: &mut Vec<Change>) {
    if let Value::String(text) = written
        && !text.trim_start().starts_with(['{', '['])
        && matches!(text.trim(), "" | "null")
    {
        changes.push(Change::new(Stage::Repair, "", NOTHING).before_text(text).after(&Map::new().into()));
    }
}

/// [`Validator::take`] for what is known not to be valid as it stands. `read` is what [`read()`] made of `written`, so
/// that nothing is parsed twice.
pub(crate) fn mend(
    validator: &Validator,
    written: &Value,
    read: Result<Cow<'_, Value>, Unread<'_>>,
    repairs: Repairs,
    called: Option<Called<'_>>,
    changes: &mut Vec<Change>,
) -> Result<Arguments, InvalidArguments> {
    let freedom = match repairs {
        Repairs::Off => {
            let value = match read {
                Ok(value) => value,
                Err(unread) => Cow::Owned(numbers::reread(validator, written, unread)?),
            };
            // First of all: what is too deep cannot even be copied.
            validator.check(&value)?;
            note_nothing(written, changes);
            return Ok(into_arguments(value.into_owned()));
        }
        Repairs::Partial => return partial::partial(written),
        Repairs::Sure => Freedom::Sure,
        Repairs::Wide => Freedom::Wide,
    };
    let json = match read {
        Ok(value) => Some(value),
        Err(unread) => unread.into_json(),
    };
    Mending::new(validator, freedom, called, changes).run(written, json)
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

type Taken = Result<Arguments, InvalidArguments>;

/// One passage through the stages.
struct Mending<'v, 'c> {
    validator: &'v Validator,
    freedom: Freedom,
    called: Option<Called<'v>>,
    changes: &'c mut Vec<Change>,
    wrappers: usize,
}

impl<'v, 'c> Mending<'v, 'c> {
    fn new(
        validator: &'v Validator,
        freedom: Freedom,
        called: Option<Called<'v>>,
        changes: &'c mut Vec<Change>,
    ) -> Self {
        Self { validator, freedom, called, changes, wrappers: 0 }
    }

    /// `json` is the value of a text that is JSON, or `written` itself.
    fn run(mut self, written: &Value, json: Option<Cow<'_, Value>>) -> Taken {
        let object = self.reach(written, json)?;
        self.fit(object)
    }

    /// The object that was written.
    fn reach(&mut self, written: &Value, json: Option<Cow<'_, Value>>) -> Result<Written, InvalidArguments> {
        note_nothing(written, self.changes);
        let written = match (written, json) {
            (Value::String(text), Some(json)) => self.json(text, json.into_owned())?,
            (Value::String(text), None) => self.repaired(text)?,
            // A value that a program built may be deeper than anything that can be copied.
            (deep, _) if !within(deep, self.validator.levels()) => {
                return refused(fault::too_deep(self.validator.levels()));
            }
            (value, _) => Written::plain(value.clone()),
        };
        self.object(written)
    }

    fn tolerance(&self) -> Tolerance {
        match self.freedom {
            Freedom::Sure => Tolerance::Sure,
            Freedom::Wide => Tolerance::Wide,
        }
    }

    fn repairs(&self) -> Repairs {
        match self.freedom {
            Freedom::Sure => Repairs::Sure,
            Freedom::Wide => Repairs::Wide,
        }
    }

    /// Reads a text, repaired if need be.
    fn text(&mut self, text: &str) -> Result<Written, InvalidArguments> {
        if text.trim().is_empty() {
            return Ok(empty());
        }
        match serde_json::from_str(text).ok().or_else(|| deepest(text)) {
            Some(value) => self.json(text, value),
            None => self.repaired(text),
        }
    }

    /// What was written in a text that is JSON and has this value.
    fn json(&mut self, text: &str, value: Value) -> Result<Written, InvalidArguments> {
        let look = Look::at(text);
        let repeats = look.repeats_keys(&value);
        if look.is_plain() && !repeats {
            return Ok(Written::plain(value));
        }
        let written = numbers::beside(text, value, repair::read(text, self.tolerance()).ok())?;
        if repeats && written.marks.repeated().is_empty() {
            // Nobody knows where.
            self.changes.push(Change::new(Stage::Repair, "", repeated::RULE));
        }
        Ok(written)
    }

    /// Reads a text that is no JSON.
    fn repaired(&mut self, text: &str) -> Result<Written, InvalidArguments> {
        let repaired =
            repair::read(text, self.tolerance()).or_else(|fault| refused(fault::problem(text, fault)))?;
        if let Some(problem) = envelope::foreign_around(text, self.called, self.repairs()) {
            return refused(problem);
        }
        self.changes.push(Change::new(Stage::Repair, "", "syntax").before_text(text).after(&repaired.value));
        Ok(repaired)
    }

    /// The object inside: of a text in a text, of a list of one.
    fn object(&mut self, mut written: Written) -> Result<Written, InvalidArguments> {
        loop {
            let refusal = |value: &Value| refused(not_an_object(value));
            if self.wrappers >= MAX_WRAPPERS {
                return refusal(&written.value);
            }
            if let Value::Object(_) = written.value {
                return Ok(written);
            }
            // As it is before anything is taken out of it.
            let change = Change::new(Stage::Repair, "", NOTHING).before(&written.value);
            let (rule, inner) = match &mut written.value {
                Value::Null => return Ok(empty()),
                Value::String(text) if text.trim().is_empty() => (NOTHING, empty()),
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
            self.changes.push(Change { rule, ..change }.after(&inner.value));
            written = inner;
        }
    }

    /// Makes the object one that the schema accepts.
    fn fit(&mut self, written: Written) -> Taken {
        if let Some(pointer) = written.marks.no_number() {
            return refused(fault::no_number(pointer));
        }
        repeated::note("", &written.value, &written.marks, self.changes);
        self.fit_noted(written)
    }

    /// [`Mending::fit`], with the keys that stand twice on the record already.
    fn fit_noted(&mut self, written: Written) -> Taken {
        let levels = self.validator.levels();
        if !within(&written.value, levels) {
            return refused(fault::too_deep(levels));
        }
        if self.validator.accepts_shallow(&written.value) {
            numbers::settle(self.validator, &written.value, &written.marks, Ok(()))?;
            return Ok(into_arguments(written.value));
        }
        if let Some(taken) = self.envelope(&written) {
            return taken;
        }
        let Written { mut value, marks } = coerce(self.validator, written, self.freedom, self.changes);
        let checked = match self.freedom {
            Freedom::Sure => self.validator.check(&value),
            Freedom::Wide => self.drop_forbidden(&mut value),
        };
        numbers::settle(self.validator, &value, &marks, checked)?;
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
        Ok(into_arguments(value))
    }

    /// The arguments inside `{"name": …, "arguments": {…}}`, if it names this tool, and the schema accepts them and knows
    /// none of these keys. Where it is beyond doubt an envelope, the problems inside are those that count.
    fn envelope(&mut self, outer: &Written) -> Option<Taken> {
        let schema = self.validator.schema().as_value();
        let inner = envelope::open(&outer.value, |key| knows(schema, key))?;
        if self.wrappers >= MAX_WRAPPERS {
            return None;
        }
        if let Some(problem) = inner.foreign(self.called, self.repairs()) {
            return Some(refused(problem));
        }
        let mut marks = outer.marks.clone();
        let written = Written { value: inner.value.clone(), marks: marks.take_key(inner.key) };
        let before = self.changes.len();
        let change = Change::new(Stage::Repair, "", OPENED);
        self.changes.push(change.before(&outer.value).after(inner.value));
        let mut mending = Mending::new(self.validator, self.freedom, self.called, self.changes);
        mending.wrappers = self.wrappers.saturating_add(1);
        let taken = match mending.object(written) {
            Ok(object) => mending.fit(object),
            Err(error) => Err(error),
        };
        if taken.is_ok() || inner.is_labelled() || envelope::is_foreign(&taken) {
            return Some(taken);
        }
        self.changes.truncate(before);
        None
    }

    /// Takes out the keys that the schema forbids, as the validator names them.
    /// What it says of the rest.
    fn drop_forbidden(&mut self, value: &mut Value) -> Result<(), InvalidArguments> {
        for _ in 0..MAX_ROUNDS {
            let Err(error) = self.validator.check(value) else { return Ok(()) };
            let mut any = false;
            for problem in &error.problems {
                let forbidden =
                    matches!(problem.rule.as_str(), "additionalProperties" | "unevaluatedProperties");
                let Some((place, key)) = problem.pointer.rsplit_once('/').filter(|_| forbidden) else {
                    continue;
                };
                let key = key.replace("~1", "/").replace("~0", "~");
                let members = value.pointer_mut(place).and_then(Value::as_object_mut);
                if let Some(gone) = members.and_then(|members| members.shift_remove(&key)) {
                    any = true;
                    let change = Change::new(Stage::Drop, problem.pointer.as_str(), "unknown key");
                    self.changes.push(change.before(&gone));
                }
            }
            if !any {
                return Err(error);
            }
        }
        self.validator.check(value)
    }
}

fn empty() -> Written {
    Written::plain(Map::new())
}
