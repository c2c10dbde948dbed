//! A compiled input schema that checks arguments and says what is wrong with them.
//!
//! The verdict is the compiled schema's alone; the words come from [`crate::explain`], which runs only when the
//! verdict is "no". Nothing is ever fetched, and both the schema and the arguments are taken to be hostile: what
//! could run for ever or overflow the stack is refused first. Arguments are never changed here.

mod compile;
mod complexity;
mod depth;
mod plain;

use std::sync::{Mutex, PoisonError};

use opentool_core::{BoxError, InvalidArguments, Problem, Schema, ToolDefinition};
use serde_json::Value;

pub(crate) use compile::{build, draft_of};
pub(crate) use complexity::size;
pub(crate) use depth::within;
use plain::Plain;

use crate::SchemaError;
use crate::dialect::{Decoder, decoder_of};
use crate::explain::{Probes, explain, is_huge, misfits};

/// How deep arguments may nest: the limit of `serde_json`'s own reader.
const MAX_DEPTH: usize = 128;
/// Levels of arguments times schemas in a row at one level: a bound on the stack that one check takes.
const MAX_FRAMES: usize = 1024;
/// For so many forms of a schema the way back is kept: a conversation seldom goes through more models.
const KEPT_DECODERS: usize = 4;

/// Whether there is a number that only a double can hold. The depth is checked before.
fn has_huge(value: &Value) -> bool {
    match value {
        Value::Number(number) => is_huge(number),
        Value::Array(items) => items.iter().any(has_huge),
        Value::Object(members) => members.values().any(has_huge),
        _ => false,
    }
}

/// A compiled schema. Make it once per tool and share it.
///
/// # What is asserted
/// All keywords of the draft that `$schema` names (draft-04 to 2020-12; 2020-12 without or with an unknown
/// `$schema`; forms of older drafts in a schema without one are taken for what they are). Of the formats: those of JSON
/// Schema for texts, but for `time` and `duration`, which authors use loosely (`time` without an offset, `duration` as
/// `30s`); all others, as `int32` and `byte` of OpenAPI, are annotations.
///
/// # Limits
/// Integers: 64 bits. A schema: 128 levels, 100,000 values, no reference out of itself, no endless reference, no alternatives that
/// multiply beyond reason, no pattern that compiles to more than 2 MiB. Arguments: 128 levels.
#[derive(Debug)]
pub struct Validator {
    compiled: jsonschema::Validator,
    plain: Option<Plain>,
    schema: Schema,
    /// The schema in today's draft, where it is written in an older one without saying so.
    modern: Option<Value>,
    depth: usize,
    /// What explanations and mending ask of single keywords.
    probes: Probes,
    /// The ways back from the forms in which arguments came so far, made once each.
    decoders: Mutex<Vec<(String, Decoder)>>,
}

impl Validator {
    /// Compiles the schema. Nothing is ever fetched: a `$ref` to another document is an error.
    ///
    /// # Errors
    /// [`SchemaError`] by what is wrong with the schema, with a pointer into it where there is one.
    pub fn new(schema: &Schema) -> Result<Self, SchemaError> {
        let mut reach = complexity::measure(schema.as_value())?;
        let one_draft = compile::one_draft(schema.as_value());
        let value = one_draft.as_ref().unwrap_or(schema.as_value());
        let mut modern = None;
        let compiled = match compile::compile(value) {
            Ok(compiled) => compiled,
            Err(error) => {
                let written = compile::modern(value).ok_or(error)?;
                reach = complexity::measure(&written)?;
                let compiled = compile::compile(&written)?;
                modern = Some(written);
                compiled
            }
        };
        let depth = MAX_FRAMES.checked_div(reach).unwrap_or(MAX_DEPTH).min(MAX_DEPTH);
        let plain = Plain::of(modern.as_ref().unwrap_or(value));
        let modern = modern.or(one_draft);
        Ok(Self {
            compiled,
            plain,
            schema: schema.clone(),
            modern,
            depth,
            probes: Probes::default(),
            decoders: Mutex::default(),
        })
    }

    /// [`Validator::new`] for what calls are checked by: the whole of a schema that was cut for models
    /// ([`Schema::whole`]), or what is shown of it where that whole cannot be compiled.
    ///
    /// # Errors
    /// Those of [`Validator::new`].
    pub fn of_calls(schema: &Schema) -> Result<Self, SchemaError> {
        Self::new(schema.whole()).or_else(|_| Self::new(schema))
    }

    /// The way back from a form of the schema of this tool, which is that of the validator.
    pub(crate) fn decoder(&self, tool: &ToolDefinition, form: &str) -> Result<Decoder, BoxError> {
        let known = || self.decoders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, decoder)) = known().iter().find(|(known, _)| known == form) {
            return Ok(decoder.clone());
        }
        let decoder = decoder_of(tool, form)?;
        let mut known = known();
        known.truncate(KEPT_DECODERS.saturating_sub(1));
        known.insert(0, (form.to_owned(), decoder.clone()));
        Ok(decoder)
    }

    /// The schema, as it came.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The schema that arguments are judged by.
    fn judged(&self) -> &Value {
        self.modern.as_ref().unwrap_or(self.schema.as_value())
    }

    pub(crate) fn probes(&self) -> &Probes {
        &self.probes
    }

    /// Levels of arguments that are checked at all.
    pub(crate) fn levels(&self) -> usize {
        self.depth
    }

    /// Whether the schema accepts the arguments. The fast question: nothing is explained.
    pub fn accepts(&self, arguments: &Value) -> bool {
        self.surely_accepts(arguments)
            || (depth::within(arguments, self.depth) && self.accepts_shallow(arguments))
    }

    /// [`Validator::accepts`] for arguments that are known to be within [`Validator::levels`].
    pub(crate) fn accepts_shallow(&self, arguments: &Value) -> bool {
        self.compiled.is_valid(arguments) && self.rounded(arguments).is_empty()
    }

    /// Checks arguments and reports every problem at once.
    ///
    /// The pointer of a problem is that of the argument; for a missing one, the place where it should be. The
    /// rule is the schema's keyword, or `depth` for arguments that nest too deep. At most 20 problems are
    /// reported, and a last one with the rule `more` where there are more. No text of a problem is longer than
    /// 500 characters.
    ///
    /// # Errors
    /// [`InvalidArguments`] with at least one problem.
    pub fn check(&self, arguments: &Value) -> Result<(), InvalidArguments> {
        if self.surely_accepts(arguments) {
            return Ok(());
        }
        if !depth::within(arguments, self.depth) {
            let problem = Problem::new("", "depth")
                .expected(format!("expected at most {} levels of nested arrays and objects", self.depth))
                .found("more");
            return Err(InvalidArguments::new(vec![problem]));
        }
        let problems = if self.compiled.is_valid(arguments) {
            self.rounded(arguments)
        } else {
            explain(self.judged(), &self.compiled, &self.probes, arguments)
        };
        if problems.is_empty() { Ok(()) } else { Err(InvalidArguments::new(problems)) }
    }

    /// The integers of arguments that the compiled schema accepts and that are too large to be one: whoever read
    /// them made a double of them, and may have rounded.
    fn rounded(&self, arguments: &Value) -> Vec<Problem> {
        if has_huge(arguments) { misfits(self.judged(), &self.probes, arguments) } else { Vec::new() }
    }

    fn surely_accepts(&self, arguments: &Value) -> bool {
        match (&self.plain, arguments) {
            (Some(plain), Value::Object(members)) => plain.accepts(members),
            _ => false,
        }
    }
}
