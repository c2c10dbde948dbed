//! The way there and back for arguments: what a schema's rewriting did to the values that fit it.
//!
//! A codec is made beside the lowered schema, by the code that rewrites it. What does not have the form that a
//! codec expects passes unchanged, so that the validator, which comes after, can say what is wrong with it: a
//! decoder is no validator.

mod decode;
mod disjoint;
mod encode;
mod fits;
mod index;
mod told;

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use opentool_core::{InvalidArguments, Problem, Schema};
use serde_json::Value;

pub(crate) use disjoint::disjoint;
use fits::Definitions;
use index::Index;

use super::lower::weight;
use crate::Validator;
use crate::repair::Written;

/// Levels of arguments in either form; the lowered one may have twice as many.
const LEVELS: usize = 256;
/// Steps of one decoding or encoding.
const STEPS: usize = 1_000_000;
/// Codecs inside each other: those of nested values, and alternatives of one value.
const DEEPEST: usize = 300;
/// Steps that it costs to have a value judged, and to make the judge.
const JUDGED: usize = 100;
const MADE: usize = 5_000;

/// How the values of one schema are written in its lowered form.
#[derive(Debug, Clone, Default, PartialEq, Hash)]
pub(crate) enum Codec {
    /// As they are.
    #[default]
    Same,
    /// As the definition of this number says.
    Definition(usize),
    /// Properties on their own.
    Object(Box<ObjectCodec>),
    /// Each item of an array.
    Items(Box<Codec>),
    /// The first items each on its own, then the others.
    Places(Vec<Codec>, Box<Codec>),
    /// An object as a list of `{key, value}`.
    Entries(Box<Codec>),
    /// An array as an object, each of the first items under a name.
    Tuple(Box<TupleCodec>),
    /// Certain values by others: lowered, original.
    Values(Vec<(Value, Value)>),
    /// Any value as the text of its JSON.
    Text,
    /// The first alternative whose lowered schema fits. No two of them overlap.
    Choice(Vec<(Value, Codec)>),
    /// One of several alternatives, under a name that says which; with their lowered schemas.
    Tagged(Vec<(String, Value, Codec)>),
    /// Under a name of an object.
    Wrapped(String, Box<Codec>),
    /// `null` by a mark, because `null` itself stands for "absent".
    NullMark(Value, Box<Codec>),
    /// Several that see the same value, each a part of it.
    All(Vec<Codec>),
}

impl Codec {
    pub(crate) fn is_same(&self) -> bool {
        matches!(self, Self::Same)
    }

    /// What it costs to look at all of it.
    pub(crate) fn weight(&self) -> usize {
        let all = |codecs: &mut dyn Iterator<Item = &Self>| {
            codecs.fold(2_usize, |sum, codec| sum.saturating_add(codec.weight()))
        };
        match self {
            Self::Same | Self::Definition(_) | Self::Text => 1,
            Self::Items(codec) | Self::Entries(codec) | Self::Wrapped(_, codec) => {
                codec.weight().saturating_add(1)
            }
            Self::NullMark(mark, codec) => weight(mark).saturating_add(codec.weight()),
            Self::Places(places, rest) => all(&mut places.iter().chain([&**rest])),
            Self::All(codecs) => all(&mut codecs.iter()),
            Self::Object(object) => {
                let rest = match &object.rest {
                    Rest::Kept(codec) | Rest::Entries(_, codec) => codec.weight(),
                    Rest::Refused => 0,
                };
                all(&mut object.members.iter().map(|member| &member.codec)).saturating_add(rest)
            }
            Self::Tuple(tuple) => {
                let rest = tuple.rest.as_ref().map_or(0, |(_, codec)| codec.weight());
                all(&mut tuple.places.iter().map(|(_, codec)| codec)).saturating_add(rest)
            }
            Self::Values(values) => {
                let both = values.iter().map(|(a, b)| weight(a).saturating_add(weight(b)));
                both.fold(2, usize::saturating_add)
            }
            Self::Choice(branches) => branches.iter().fold(2, |sum, (schema, codec)| {
                sum.saturating_add(weight(schema)).saturating_add(codec.weight())
            }),
            Self::Tagged(branches) => branches.iter().fold(2, |sum, (_, schema, codec)| {
                sum.saturating_add(weight(schema)).saturating_add(codec.weight())
            }),
        }
    }
}

/// How an object is written.
#[derive(Debug, Clone, PartialEq, Hash)]
pub(crate) struct ObjectCodec {
    pub(crate) members: Vec<MemberCodec>,
    pub(crate) rest: Rest,
    index: Index,
}

impl ObjectCodec {
    pub(crate) fn new(members: Vec<MemberCodec>, rest: Rest) -> Self {
        Self { members, rest, index: Index::default() }
    }

    /// The member that is written under a name.
    fn written_as(&self, lowered: &str) -> Option<&MemberCodec> {
        self.index.lowered.find(&self.members, |member| &member.lowered, lowered)
    }

    /// The member of the tool's own name.
    fn named(&self, name: &str) -> Option<&MemberCodec> {
        self.index.names.find(&self.members, |member| &member.name, name)
    }
}

/// How one property is written.
#[derive(Debug, Clone, PartialEq, Hash)]
pub(crate) struct MemberCodec {
    pub(crate) name: String,
    pub(crate) lowered: String,
    pub(crate) codec: Codec,
    pub(crate) absent: Absent,
}

/// How an absent property is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Absent {
    AsAbsent,
    AsNull,
}

/// How properties that have no place of their own are written.
#[derive(Debug, Clone, PartialEq, Hash)]
pub(crate) enum Rest {
    /// Under their own names.
    Kept(Codec),
    /// As a list of `{key, value}` under this name.
    Entries(String, Codec),
    /// Not at all.
    Refused,
}

/// How a tuple is written.
#[derive(Debug, Clone, PartialEq, Hash)]
pub(crate) struct TupleCodec {
    pub(crate) places: Vec<(String, Codec)>,
    /// How many of them are always there.
    pub(crate) least: usize,
    /// How the others are written where they are not.
    pub(crate) absent: Absent,
    /// Where the items beyond the places are.
    pub(crate) rest: Option<(String, Codec)>,
}

/// Takes arguments that a model wrote for a lowered schema back to the tool's own form, and there again.
///
/// Cheap to clone. `decode(encode(x))` is `x` for every value that the tool's schema accepts and that no listed
/// loss of the effect [`crate::Effect::Narrower`] keeps out.
#[derive(Debug, Clone, Default)]
pub struct Decoder(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    codec: Codec,
    definitions: Vec<Codec>,
    /// The lowered schema, for the judges of alternatives and for words about what is wrong.
    schema: Option<Schema>,
    misfits: Misfits,
    /// The lowered schema compiled, once somebody has to be told what is wrong; `None` if it cannot be.
    seen: OnceLock<Option<Validator>>,
}

/// What is done with a value of another form than a codec is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Misfits {
    /// It has no encoding.
    #[default]
    Refused,
    /// It is its own: the schema was kept, and its alternatives with it.
    Kept,
}

impl Decoder {
    /// `schema` is the lowered one, with its definitions.
    pub(crate) fn new(codec: Codec, definitions: Vec<Codec>, schema: Value) -> Self {
        Self::made(codec, definitions, schema, Misfits::Refused)
    }

    /// For a schema that was kept but for some names.
    pub(crate) fn of_kept(codec: Codec, definitions: Vec<Codec>, schema: Value) -> Self {
        Self::made(codec, definitions, schema, Misfits::Kept)
    }

    fn made(codec: Codec, definitions: Vec<Codec>, schema: Value, misfits: Misfits) -> Self {
        let schema = Some(Schema::new(schema));
        Self(Arc::new(Inner { codec, definitions, schema, misfits, seen: OnceLock::new() }))
    }

    /// Whether arguments pass unchanged.
    pub fn is_identity(&self) -> bool {
        self.0.codec.is_same()
    }

    /// The lowered schema, where arguments do not pass unchanged.
    pub(crate) fn lowered(&self) -> Option<&Value> {
        self.0.schema.as_ref().map(Schema::as_value)
    }

    /// The name of an object under which the whole stands.
    pub(crate) fn wrapper(&self) -> Option<&str> {
        match &self.0.codec {
            Codec::Wrapped(key, _) => Some(key),
            _ => None,
        }
    }

    /// Arguments as a model wrote them for the lowered schema → arguments of the tool.
    ///
    /// What does not have the form of the lowered schema passes as it is: validation follows.
    ///
    /// # Errors
    /// [`InvalidArguments`], written for the model, where there is no telling what was meant: a key twice in a
    /// list of entries, a JSON text with a number that would be rounded, more than 256 levels.
    pub fn decode(&self, arguments: Value) -> Result<Value, InvalidArguments> {
        if self.is_identity() {
            return Ok(arguments);
        }
        self.decode_written(Written::plain(arguments), Extent::Whole).map(|written| written.value)
    }

    /// [`Decoder::decode`] of what is known to have been written, with how it was written.
    pub(crate) fn decode_written(
        &self,
        written: Written,
        extent: Extent,
    ) -> Result<Written, InvalidArguments> {
        let mut work = self.work(&written.value)?;
        work.extent = extent;
        work.decode(&self.0.codec, written).map_err(Fault::into)
    }

    /// Arguments of the tool → as a model would write them for the lowered schema: for conversations that are
    /// shown to a provider again, and for examples.
    ///
    /// # Errors
    /// [`InvalidArguments`] where the lowered schema has no place for something in them.
    pub fn encode(&self, arguments: &Value) -> Result<Value, InvalidArguments> {
        if self.is_identity() {
            return Ok(arguments.clone());
        }
        let mut work = self.work(arguments)?;
        work.encode(&self.0.codec, arguments).map_err(Fault::into)
    }

    /// What it costs to look at all of it.
    #[cfg(test)]
    pub(crate) fn weight(&self) -> usize {
        let definitions = self.0.definitions.iter().map(Codec::weight).sum::<usize>();
        self.0.codec.weight() + definitions + self.0.schema.as_ref().map_or(0, |s| weight(s.as_value()))
    }

    fn work(&self, arguments: &Value) -> Result<Work<'_>, InvalidArguments> {
        let schemas = self.0.schema.as_ref().and_then(|schema| schema.as_value().get("$defs")?.as_object());
        let work = Work {
            definitions: &self.0.definitions,
            schemas: Definitions(schemas),
            misfits: self.0.misfits,
            path: String::new(),
            steps: STEPS,
            depth: 0,
            judges: HashMap::new(),
            extent: Extent::Whole,
            absent: false,
        };
        if crate::validator::within(arguments, LEVELS) {
            return Ok(work);
        }
        let expected = format!("expected at most {LEVELS} levels of nested arrays and objects");
        Err(work.fault("depth", expected, "more").into())
    }
}

/// How much of the arguments is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    Whole,
    /// They are still being written.
    Begun,
}

/// One decoding or encoding.
struct Work<'c> {
    definitions: &'c [Codec],
    schemas: Definitions<'c>,
    misfits: Misfits,
    /// The JSON Pointer of the value at hand.
    path: String,
    steps: usize,
    depth: usize,
    /// The judges of alternatives, by the address of their schema.
    judges: HashMap<*const Value, Option<jsonschema::Validator>>,
    extent: Extent,
    /// The value that was decoded last is not there yet.
    absent: bool,
}

/// Why a value cannot be taken there or back.
struct Fault(Problem);

impl From<Fault> for InvalidArguments {
    fn from(fault: Fault) -> Self {
        Self::new(vec![fault.0])
    }
}

impl<'c> Work<'c> {
    fn fault(&self, rule: &str, expected: impl Into<String>, found: impl Into<String>) -> Fault {
        Fault(Problem::new(self.path.as_str(), rule).expected(expected).found(found))
    }

    fn spend(&mut self, steps: usize) -> Result<(), Fault> {
        match self.steps.checked_sub(steps) {
            Some(left) => {
                self.steps = left;
                Ok(())
            }
            None => {
                self.steps = 0;
                Err(self.fault("complexity", "expected arguments with fewer alternatives to try", "more"))
            }
        }
    }

    /// Goes one codec deeper.
    fn enter(&mut self) -> Result<(), Fault> {
        if self.depth >= DEEPEST {
            return Err(self.fault(
                "complexity",
                "expected arguments with fewer alternatives in a row",
                "more",
            ));
        }
        self.depth = self.depth.saturating_add(1);
        Ok(())
    }

    fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// The codec that a definition is, however many lead to it.
    fn defined<'k>(&mut self, mut codec: &'k Codec) -> Result<&'k Codec, Fault>
    where
        'c: 'k,
    {
        self.spend(1)?;
        while let Codec::Definition(number) = codec {
            self.spend(1)?;
            codec = self.definition(*number);
        }
        Ok(codec)
    }

    /// Whether the schema of an alternative accepts a value in every respect.
    fn accepts(&mut self, schema: &Value, value: &Value) -> Result<bool, Fault> {
        if !self.schemas.fits(schema, value, &mut self.steps) {
            return Ok(false);
        }
        self.spend(JUDGED)?;
        let address = std::ptr::from_ref(schema);
        if !self.judges.contains_key(&address) {
            self.spend(MADE)?;
            self.judges.insert(address, self.schemas.judge(schema));
        }
        Ok(self.judges.get(&address).and_then(Option::as_ref).is_some_and(|judge| judge.is_valid(value)))
    }

    /// Does the work for a part of the value.
    fn at<T>(&mut self, key: &str, run: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        let length = self.path.len();
        self.path.push('/');
        self.path.push_str(&crate::dialect::lower::escaped(key));
        let done = run(self);
        self.path.truncate(length);
        done
    }

    fn definition(&self, number: usize) -> &'c Codec {
        const SAME: &Codec = &Codec::Same;
        self.definitions.get(number).unwrap_or(SAME)
    }
}
