//! A schema written anew with the keywords that a dialect has, and the codec for its values.
//!
//! For the dialects that understand a part of JSON Schema only. A place in a value is described by a *conjunction*:
//! all schemas that apply to it, each with its pointer, so that `allOf`, `$ref` with neighbours and alternatives
//! beside properties are one thing. It is flattened ([`flat`]), its alternatives are multiplied out ([`union`]),
//! and each type is written by its own file. What has no form at all becomes a JSON text ([`text`]). Bounds: the
//! survey's on the schema, [`Work`] on the work, [`DEEPEST`] on the stack.

mod array;
mod definitions;
mod describe;
mod flat;
mod limits;
mod node;
mod object;
mod openapi;
mod optional;
mod picture;
mod rest;
mod simplify;
mod spelled;
mod text;
mod tuple;
mod union;
mod values;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use serde_json::{Map, Value, json};

use super::codec::{Codec, Decoder};
use super::lower::{Effect, LowerError, Rewrites, Work, bytes, weight, weight_of};
use super::rules::{Rules, Types};
use crate::SchemaError;
use definitions::Definitions;
use flat::OBJECT;

/// What is said where an object or an array that does not speak of others is closed.
pub(crate) const IMPLIED: &str =
    "other keys are refused: it does not speak of them, and the provider wants closed objects";
/// How the words begin where a value can only be a JSON text.
pub(crate) const AS_TEXT: &str = "written as JSON text";
/// The name under which arguments stand that are no plain object.
const WRAPPER: &str = "arguments";

/// What one more schema costs, with all that is done for it.
const STEP: usize = 50;
/// What one listed change costs.
const NOTE: usize = 4;
/// Schemas inside each other, by whatever way; the stack has to hold them.
const DEEPEST: usize = 72;

/// A schema that applies to the value at hand.
#[derive(Debug, Clone)]
struct Sub<'r> {
    schema: &'r Value,
    pointer: Rc<str>,
}

impl<'r> Sub<'r> {
    fn get(&self, keyword: &str) -> Option<&'r Value> {
        self.schema.get(keyword)
    }

    /// The schema under a keyword.
    fn below(&self, keyword: &str, schema: &'r Value) -> Self {
        Self { schema, pointer: format!("{}/{keyword}", self.pointer).into() }
    }

    /// The schema under a keyword and a key.
    fn entry(&self, keyword: &str, key: &str, schema: &'r Value) -> Self {
        Self { schema, pointer: format!("{}/{keyword}/{}", self.pointer, super::lower::escaped(key)).into() }
    }
}

/// Where in the lowered schema something is written.
#[derive(Debug, Clone)]
struct Spot<'r> {
    /// Objects and arrays around it.
    level: usize,
    /// The targets of references that are being written out around it.
    open: Option<Rc<Open<'r>>>,
    place: Where,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Where {
    Root,
    Inside,
    /// Directly in `anyOf`.
    Union,
}

#[derive(Debug)]
struct Open<'r> {
    target: &'r Value,
    outer: Option<Rc<Open<'r>>>,
}

impl<'r> Spot<'r> {
    fn inner(&self, levels: usize) -> Self {
        Self { level: self.level.saturating_add(levels), open: self.open.clone(), place: Where::Inside }
    }

    fn in_union(&self) -> Self {
        Self { place: Where::Union, ..self.clone() }
    }

    fn with(&self, opened: &[&'r Value]) -> Self {
        let open =
            opened.iter().fold(self.open.clone(), |outer, target| Some(Rc::new(Open { target, outer })));
        Self { open, ..self.clone() }
    }

    fn is_open(&self, target: &Value) -> bool {
        let mut next = self.open.as_deref();
        while let Some(open) = next {
            if std::ptr::eq(open.target, target) {
                return true;
            }
            next = open.outer.as_deref();
        }
        false
    }
}

/// A lowered schema and the codec of its values.
#[derive(Debug, Clone, PartialEq)]
struct Made {
    schema: Map<String, Value>,
    codec: Codec,
}

impl Made {
    /// What it costs to look at all of it.
    fn weight(&self) -> usize {
        weight_of(&self.schema).saturating_add(self.codec.weight())
    }

    fn new(schema: Value, codec: Codec) -> Self {
        let schema = match schema {
            Value::Object(schema) => schema,
            _ => Map::new(),
        };
        Self { schema, codec }
    }
}

/// Why something was not made.
enum Stop {
    /// It leads back to what is being written out.
    Circle(Rc<str>),
    Error(LowerError),
}

impl From<LowerError> for Stop {
    fn from(error: LowerError) -> Self {
        Self::Error(error)
    }
}

/// `None`: no value can fit.
type Result<T> = std::result::Result<Option<T>, Stop>;

struct Rebuild<'r, 'w> {
    root: &'r Value,
    rules: &'w Rules,
    null_is_absent: bool,
    rewrites: &'w mut Rewrites,
    work: &'w mut Work,
    definitions: Definitions,
    /// Schemas that are being written, inside each other.
    depth: usize,
    /// Optional references that are written out inside each other.
    written_out: usize,
    /// What has been listed as lost with all that is in it.
    lost: HashSet<*const Value>,
    /// What has been spelled in a text.
    spelled: HashMap<*const Value, Rc<spelled::Spelled>>,
    /// Patterns of keys, compiled.
    patterns: HashMap<&'r str, jsonschema::Validator>,
}

/// Rebuilds the whole of a tool's schema.
pub(super) fn rebuild(
    root: &Value,
    rules: &Rules,
    null_is_absent: bool,
    rewrites: &mut Rewrites,
    work: &mut Work,
) -> std::result::Result<(Value, Decoder), LowerError> {
    let mut making = Rebuild {
        root,
        rules,
        null_is_absent,
        rewrites,
        work,
        definitions: Definitions::default(),
        depth: 0,
        written_out: 0,
        lost: HashSet::new(),
        spelled: HashMap::new(),
        patterns: HashMap::new(),
    };
    let made = making.whole().and_then(|made| {
        making.put_off()?;
        Ok(made)
    });
    let refusal = |stop| match stop {
        Stop::Error(error) => error,
        Stop::Circle(pointer) => SchemaError::Endless { pointer: (&*pointer).into() }.into(),
    };
    let made = made.map_err(refusal)?;
    let Some(made) = made else { return Err(LowerError::NeverValid { pointer: "".into() }) };
    let (schemas, codecs) = std::mem::take(&mut making.definitions).finish();
    let (codec, codecs) = simplify::simplify(made.codec, codecs);
    let mut schema = made.schema;
    if !schemas.is_empty() {
        schema.insert("$defs".to_owned(), Value::Object(schemas));
    }
    let decoder = if codec.is_same() {
        Decoder::default()
    } else {
        Decoder::new(codec, codecs, making.copied(&schema, "").map_err(refusal)?)
    };
    let mut schema = Value::Object(schema);
    if rules.objects.closed && !rules.objects.says_closed {
        openapi::open(&mut schema);
    }
    if rules.types == Types::OpenApi {
        openapi::spell(&mut schema, work)?;
    }
    Ok((schema, decoder))
}

impl<'r> Rebuild<'r, '_> {
    fn has(&self, keyword: &str) -> bool {
        self.rules.keywords.is_none_or(|keywords| keywords.contains(&keyword))
    }

    fn note(&mut self, pointer: &str, keyword: &str, effect: Effect, done: impl Into<Cow<'static, str>>) {
        self.work.owe(bytes(pointer).saturating_add(NOTE));
        self.rewrites.push(pointer, keyword, effect, done);
    }

    /// One more schema is looked at.
    fn step(&mut self, pointer: &str) -> std::result::Result<(), Stop> {
        self.spend(bytes(pointer).saturating_add(STEP), pointer)
    }

    /// Pays for work.
    fn spend(&mut self, units: usize, pointer: &str) -> std::result::Result<(), Stop> {
        self.work.spend(units, pointer).map_err(|error| Stop::Error(error.into()))
    }

    /// A copy, for a codec.
    fn copied(&mut self, schema: &Map<String, Value>, pointer: &str) -> std::result::Result<Value, Stop> {
        self.spend(weight_of(schema), pointer)?;
        Ok(Value::Object(schema.clone()))
    }

    /// Does what goes one schema deeper.
    fn deeper<T>(
        &mut self,
        run: impl FnOnce(&mut Self) -> std::result::Result<T, Stop>,
    ) -> std::result::Result<T, Stop> {
        self.depth = self.depth.saturating_add(1);
        let done = run(self);
        self.depth = self.depth.saturating_sub(1);
        done
    }

    fn is_too_deep(&self) -> bool {
        self.depth > DEEPEST
    }

    /// The root: an object, or anything else under one name.
    fn whole(&mut self) -> Result<Made> {
        let root = Sub { schema: self.root, pointer: "".into() };
        let spot = Spot {
            level: 0,
            open: Some(Rc::new(Open { target: self.root, outer: None })),
            place: Where::Root,
        };
        let mut flat = self.flatten(&[root], &spot)?;
        flat.kinds &= OBJECT;
        if flat.kinds == 0 {
            return Ok(None);
        }
        if flat.unions.is_empty() && self.values(&flat)?.is_none() {
            return self.object(&flat, &spot.with(&flat.opened));
        }
        let Some(made) = self.flat_node(flat, &spot.inner(1))? else { return Ok(None) };
        if made.schema.get("type").is_some_and(|kind| kind == "object") {
            return Ok(Some(made));
        }
        self.note("", "anyOf", Effect::Exact, format!("the whole stands under `{WRAPPER}`"));
        let mut schema = Map::new();
        schema.insert("type".to_owned(), "object".into());
        schema.insert("properties".to_owned(), single(WRAPPER, made.schema));
        schema.insert("required".to_owned(), json!([WRAPPER]));
        if self.rules.objects.closed {
            schema.insert("additionalProperties".to_owned(), false.into());
        }
        Ok(Some(Made { schema, codec: Codec::Wrapped(WRAPPER.to_owned(), Box::new(made.codec)) }))
    }
}

/// An object of one member: without copying it, as `json!` does.
fn single(key: &str, member: Map<String, Value>) -> Value {
    Value::Object(Map::from_iter([(key.to_owned(), Value::Object(member))]))
}
