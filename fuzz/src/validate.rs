//! Any schema and any value: a verdict that the other parts agree with, and an explanation of every "no".
//!
//! The bytes grow into both; bytes that begin with `{` are the text of `{"schema": …, "value": …}`, which is how cases
//! are written by hand.

use jsonschema::{Draft, PatternOptions};
use opentool_core::Schema;
use opentool_schema::{Repairs, Validator};
use serde_json::Value;

use crate::grow::Seed;
use crate::repair::told;

pub(crate) fn run(input: &[u8]) {
    let (schema, values) = match serde_json::from_slice::<Value>(input) {
        Ok(Value::Object(mut case)) if input.starts_with(b"{") => {
            let schema = case.remove("schema").unwrap_or_default();
            (schema, vec![case.remove("value").unwrap_or_default()])
        }
        _ => {
            let mut seed = Seed::new(input);
            let schema = seed.schema();
            let values = vec![seed.fitting(&schema), Value::Object(seed.object())];
            (schema, values)
        }
    };
    let validator = match Validator::new(&Schema::new(schema.clone())) {
        Ok(validator) => validator,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let case = Case { other: other(&schema), validator, schema };
    for value in values {
        case.verdict(&value);
        case.mended(&value);
    }
}

/// A schema that can be used.
struct Case {
    schema: Value,
    validator: Validator,
    other: Option<jsonschema::Validator>,
}

impl Case {
    /// The verdict is one, whoever is asked.
    fn verdict(&self, value: &Value) -> bool {
        let accepts = self.validator.accepts(value);
        let case = || format!("value {value}, schema {}", self.schema);
        match self.validator.check(value) {
            Ok(()) => assert!(accepts, "checked, and not accepted: {}", case()),
            Err(error) => {
                assert!(!accepts, "accepted, and refused with {error:?}: {}", case());
                assert!((1..=21).contains(&error.problems.len()), "{} problems", error.problems.len());
                for problem in &error.problems {
                    told(problem);
                    let pointer = &problem.pointer;
                    assert!(pointer.is_empty() || pointer.starts_with('/'), "{pointer}: {}", case());
                }
            }
        }
        // The shortcut for plain schemas never accepts more; the other side asserts the same formats.
        if let Some(other) = &self.other {
            assert!(!accepts || other.is_valid(value), "accepted, and refused by the schema: {}", case());
        }
        accepts
    }

    /// What is made of a value is accepted; what is valid stays as it is.
    fn mended(&self, value: &Value) {
        let text = Value::from(value.to_string());
        for mode in [Repairs::Off, Repairs::Sure, Repairs::Wide] {
            for written in [value, &text] {
                let case = || format!("{mode:?}: {written}, schema {}", self.schema);
                match self.validator.take(written, mode) {
                    Ok((arguments, changes)) => {
                        let taken = Value::Object(arguments.into_map());
                        assert!(self.verdict(&taken), "{taken} is not accepted: {}", case());
                        if value.is_object() && self.validator.accepts(value) {
                            assert_eq!(taken, *value, "what is valid is untouched: {}", case());
                            assert!(changes.is_empty(), "{changes:?}: {}", case());
                        }
                    }
                    Err(error) => error.problems.iter().for_each(told),
                }
            }
        }
    }
}

/// The schema as its plain compiler understands it, where both can be held against each other.
fn other(schema: &Value) -> Option<jsonschema::Validator> {
    if schema.get("$schema").is_some() {
        return None;
    }
    // Times and durations are told to models and not asserted.
    let options = jsonschema::options()
        .offline()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(true)
        .with_format("time", |_: &str| true)
        .with_format("duration", |_: &str| true);
    let linear = PatternOptions::regex().size_limit(2 << 20);
    let bounded = PatternOptions::fancy_regex().size_limit(2 << 20).backtrack_limit(20_000);
    let compiled = options.clone().with_pattern_options(linear).build(schema);
    compiled.or_else(|_| options.with_pattern_options(bounded).build(schema)).ok()
}
