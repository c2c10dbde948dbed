//! A tool → its definition in a dialect, what was changed, and the way back for its arguments.
//!
//! What all dialects share: the schema is looked over, brought to today's draft, kept or rebuilt by the dialect's
//! rules; names are made to fit and stay apart; strictness is decided. Nothing here knows a dialect by name.

#[cfg(test)]
mod bombs;
mod circle;
mod direct;
mod error;
mod form;
mod kept;
mod modern;
mod names;
mod renamed;
mod rewrite;
mod root;
mod set;
mod sizes;
mod survey;
#[cfg(test)]
mod tests;
mod work;

use opentool_core::ToolDefinition;
use serde_json::Value;

pub use error::LowerError;
pub(crate) use form::decoder_of;
pub use names::NameMap;
pub use opentool_core::Strict;
pub use rewrite::{Effect, Rewrite};
pub use set::{LoweredSet, Refused, lower_all};

pub(crate) use modern::modernise;
pub(crate) use names::fitting;
pub(crate) use rewrite::Rewrites;
pub(crate) use root::excludes_objects;
pub(crate) use sizes::{Count, count};
pub(crate) use work::{Work, bytes, weight, weight_of};

use super::codec::Decoder;
use super::rebuild::rebuild;
use super::rules::{Form, Rules};
use super::{Dialect, Entry};
use crate::SchemaError;

/// What to lower to. A [`Dialect`] alone will do: `openai-strict` and its like are strict, the others are not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct LowerOptions {
    /// The dialect.
    pub dialect: Dialect,
    /// Strictness.
    pub strict: Strict,
}

impl LowerOptions {
    /// The dialect, as strict as its name says.
    pub fn new(dialect: Dialect) -> Self {
        let strict = match dialect {
            Dialect::OpenAiStrict
            | Dialect::OpenAiResponsesStrict
            | Dialect::AnthropicStrict
            | Dialect::DeepSeekStrict => Strict::Always,
            _ => Strict::Never,
        };
        Self { dialect, strict }
    }

    /// Sets the strictness.
    pub fn strict(mut self, strict: Strict) -> Self {
        self.strict = strict;
        self
    }
}

impl From<Dialect> for LowerOptions {
    fn from(dialect: Dialect) -> Self {
        Self::new(dialect)
    }
}

/// Whether a tool is strict, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Strictness {
    /// Whether it is.
    pub strict: bool,
    /// What decided, in a sentence without a full stop.
    pub reason: String,
}

impl Strictness {
    fn new(strict: bool, reason: impl Into<String>) -> Self {
        Self { strict, reason: reason.into() }
    }
}

/// A tool in a dialect.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Lowered {
    /// The tool's own name.
    pub tool: String,
    /// The name that the provider is told, and that calls come back with.
    pub name: String,
    /// The definition: one entry of what a request holds.
    pub definition: Value,
    /// All that was changed, in the order in which it was met.
    pub rewrites: Vec<Rewrite>,
    /// The way back for arguments.
    pub decoder: Decoder,
    /// Whether it is strict, and why.
    pub strict: Strictness,
    /// What it holds, for the budgets of a request.
    count: Count,
}

impl Lowered {
    /// The changes by which something is lost: not the exact ones.
    pub fn losses(&self) -> impl Iterator<Item = &Rewrite> {
        self.rewrites.iter().filter(|rewrite| rewrite.is_loss())
    }
}

/// One tool in a dialect. Several of one request are lowered together, by [`lower_all`]: their names must stay
/// apart.
///
/// # Errors
/// [`LowerError`]: the schema cannot be used, or the provider would refuse what could be made of it.
pub fn lower(tool: &ToolDefinition, options: impl Into<LowerOptions>) -> Result<Lowered, LowerError> {
    let options = options.into();
    let name = fitting(&tool.name, &options.dialect.loose().names, |_| false);
    named(tool, options, name)
}

/// Lowers a tool whose name is settled.
fn named(tool: &ToolDefinition, options: LowerOptions, name: String) -> Result<Lowered, LowerError> {
    let dialect = options.dialect;
    if options.strict == Strict::Always && dialect.strict().is_none() {
        return Err(LowerError::NoStrict { dialect });
    }
    let mut making = Making::of(tool, dialect, name)?;
    let Some(rules) = dialect.strict().filter(|_| options.strict != Strict::Never) else {
        let reason = match options.strict {
            Strict::Auto => format!("`{dialect}` has no strict mode for a tool"),
            _ => "not asked for".to_owned(),
        };
        return making.loose(reason);
    };
    if options.strict == Strict::Always {
        return making.by(rules).and_then(|lowered| set::alone(lowered, rules.request));
    }
    let reason = match making.by(rules) {
        Ok(lowered) => match against(&lowered) {
            None => return Ok(lowered),
            Some(reason) => reason,
        },
        Err(error @ LowerError::Schema(_)) => return Err(error),
        Err(error) => error.to_string(),
    };
    making.loose(reason)
}

/// The tool without strict, for a reason.
fn loose(
    tool: &ToolDefinition,
    dialect: Dialect,
    name: String,
    reason: String,
) -> Result<Lowered, LowerError> {
    Making::of(tool, dialect, name)?.loose(reason)
}

/// Why a tool is better off without strict.
fn against(lowered: &Lowered) -> Option<String> {
    let place = |rewrite: &Rewrite| {
        if rewrite.pointer.is_empty() { "the root".to_owned() } else { format!("`{}`", rewrite.pointer) }
    };
    lowered.rewrites.iter().find_map(|rewrite| {
        // An object that does not speak of other keys is meant to have none.
        let implied = rewrite.effect == Effect::Narrower && rewrite.done == super::rebuild::IMPLIED;
        match rewrite.effect {
            Effect::Narrower if !implied => {
                Some(format!("{} would lose valid arguments: {}", place(rewrite), rewrite.done))
            }
            _ if rewrite.done.starts_with(super::rebuild::AS_TEXT) => {
                Some(format!("{} could only be {}", place(rewrite), rewrite.done))
            }
            _ => None,
        }
    })
}

/// One tool on its way into a dialect, strict and not.
struct Making<'t> {
    tool: &'t ToolDefinition,
    dialect: Dialect,
    name: String,
    work: Work,
}

impl<'t> Making<'t> {
    fn of(tool: &'t ToolDefinition, dialect: Dialect, name: String) -> Result<Self, LowerError> {
        let schema = tool.input_schema.as_value();
        crate::validator::size(schema)?;
        Ok(Self { tool, dialect, name, work: Work::of(schema) })
    }

    /// Without strict, for a reason.
    fn loose(&mut self, reason: String) -> Result<Lowered, LowerError> {
        let mut lowered = self.by(self.dialect.loose())?;
        lowered.strict.reason = reason;
        Ok(lowered)
    }

    /// By one table of rules.
    fn by(&mut self, rules: &Rules) -> Result<Lowered, LowerError> {
        let Self { tool, dialect, work, .. } = self;
        let dialect = *dialect;
        let is_strict = !std::ptr::eq(rules, dialect.loose());
        let mut rewrites = Rewrites::default();
        if self.name != tool.name {
            rewrites.push("", "name", Effect::Exact, format!("is `{}` for the provider", self.name));
        }
        let description = description(&tool.description, rules, &mut rewrites);
        let original = tool.input_schema.as_value();
        let survey = survey::survey(original, rules.properties.as_ref(), work)?;
        if root::excludes_objects(original) {
            return Err(LowerError::NoObject);
        }
        let (schema, decoder) = match rules.form {
            Form::AsIs => root::as_it_is(original, &mut rewrites),
            Form::Kept if *original == Value::Bool(false) => {
                return Err(LowerError::NeverValid { pointer: "".into() });
            }
            Form::Kept => {
                let written;
                let schema = if survey.old {
                    written = modern(original, &survey, &mut rewrites, work)?;
                    modern::checked_contents(original, &mut |pointer, keyword| {
                        let done = "only told in Draft 2020-12, where an older draft checks it";
                        rewrites.push(pointer, keyword, Effect::Wider, done);
                    });
                    &written
                } else {
                    original
                };
                kept::kept(schema, rules, &survey, &mut rewrites)
            }
            Form::Rebuilt => {
                let mut schema = std::borrow::Cow::Borrowed(original);
                if survey.old {
                    schema = std::borrow::Cow::Owned(modern(original, &survey, &mut rewrites, work)?);
                }
                if survey.indirect {
                    schema = std::borrow::Cow::Owned(direct::direct(&schema, work)?);
                }
                // A `null` is no value of a Rust parameter that may be left out: both are `None`.
                let null_is_absent = tool.origin.kind == "rust";
                rebuild(&schema, rules, null_is_absent, &mut rewrites, work)?
            }
        };
        let count = count(&schema, rules)?;
        let mut definition = dialect.entry(Entry {
            name: self.name.clone(),
            description,
            schema,
            strict: is_strict.then_some(true),
            definition: tool,
        });
        super::mcp::fit(dialect, &mut definition, &mut rewrites);
        let rewrites = rewrites.finish(original);
        let closed = rewrites.iter().any(|rewrite| rewrite.done == super::rebuild::IMPLIED);
        let reason = match (is_strict, closed) {
            (false, _) => "not asked for",
            (true, false) => "nothing speaks against it",
            (true, true) => {
                "nothing speaks against it but that strict wants closed objects: other keys are refused"
            }
        };
        Ok(Lowered {
            tool: tool.name.clone(),
            name: self.name.clone(),
            definition,
            rewrites,
            decoder,
            strict: Strictness::new(is_strict, reason),
            count,
        })
    }
}

fn modern(
    original: &Value,
    survey: &survey::Survey,
    rewrites: &mut Rewrites,
    work: &mut Work,
) -> Result<Value, SchemaError> {
    let mut schema = original.clone();
    modern::modernise(&mut schema);
    if schema != *original {
        rewrites.push("", "$schema", Effect::Exact, "written in Draft 2020-12");
        // What is written elsewhere, or left out because it says nothing, is not where a reference may look for it.
        if survey.refers {
            survey::survey(&schema, None, work)?;
        }
    }
    Ok(schema)
}

/// The description, cut to the provider's limit.
fn description(text: &str, rules: &Rules, rewrites: &mut Rewrites) -> String {
    let Some(most) = rules.description else { return text.to_owned() };
    if text.len() <= most || text.chars().count() <= most {
        return text.to_owned();
    }
    rewrites.push("", "description", Effect::Hint, format!("cut to {most} characters"));
    crate::text::shorten(text, most.saturating_sub(1))
}

/// A schema that needs no decoder.
fn plain(schema: Value) -> (Value, Decoder) {
    (schema, Decoder::default())
}

/// A key as a segment of a JSON Pointer.
pub(crate) fn escaped(key: &str) -> std::borrow::Cow<'_, str> {
    if key.contains(['~', '/']) { key.replace('~', "~0").replace('/', "~1").into() } else { key.into() }
}

/// The JSON Pointer of a reference into its own document.
pub(crate) fn pointed(reference: &str) -> Option<String> {
    let pointer = reference.strip_prefix('#')?;
    (pointer.is_empty() || pointer.starts_with('/')).then(|| crate::refs::percent_decoded(pointer))
}
