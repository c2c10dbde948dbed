//! A call that is written down as `{"name": .., "arguments": ..}`: read, checked, and not yet run.
//!
//! For hosts that get calls as JSON and run the tools themselves. What a model's message looks like is a matter of the
//! dialects; here the object is all there is.

use std::sync::Arc;

use opentool_core::{Arguments, InvalidArguments, Problem, Tool, ToolCall, ToolError, ToolSet};
use serde_json::Value;

use crate::text::found;
use crate::{Change, RepairPolicy, Stage, ToolSetExt};

/// What becomes of arguments that the tool does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Unexpected {
    /// The call is refused, and the error names them. The default.
    #[default]
    Refuse,
    /// They are taken out, and each is recorded as a change. Only the tool's own arguments are meant, not what is
    /// inside of them.
    Drop,
}

/// Whether arguments are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Validation {
    /// Against the tool's schema. The default.
    #[default]
    On,
    /// Not at all: the arguments come back as they are written. The tool is still found, and the text must be JSON.
    Off,
}

/// How calls are parsed. The default checks, refuses what is unexpected, and mends what is sure.
#[derive(Debug, Clone, Default)]
pub struct Parsing {
    unexpected: Unexpected,
    validation: Validation,
    policy: RepairPolicy,
}

impl Parsing {
    /// The default.
    pub fn new() -> Self {
        Self::default()
    }

    /// What becomes of arguments that the tool does not have.
    pub fn unexpected(mut self, unexpected: Unexpected) -> Self {
        self.unexpected = unexpected;
        self
    }

    /// Whether arguments are checked.
    pub fn validation(mut self, validation: Validation) -> Self {
        self.validation = validation;
        self
    }

    /// How far arguments are mended before they are checked.
    pub fn repairs(mut self, policy: RepairPolicy) -> Self {
        self.policy = policy;
        self
    }
}

/// A call that may run.
#[derive(Clone)]
#[non_exhaustive]
pub struct ParsedCall {
    /// The tool.
    pub tool: Arc<dyn Tool>,
    /// Its arguments.
    pub arguments: Arguments,
    /// What was changed between what was written and the arguments.
    pub changes: Vec<Change>,
}

impl std::fmt::Debug for ParsedCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Arguments may hold what no log should.
        f.debug_struct("ParsedCall").field("tool", &self.tool.definition().name).finish_non_exhaustive()
    }
}

/// Reads a call: an object with `name` and `arguments`, or the text of one. The arguments are an object, or the text of
/// one. Other keys are passed over; `written` is not changed.
///
/// ```
/// use opentool_core::{ToolSet, tool_fn};
/// use opentool_schema::profile::{Parsing, Unexpected, parse_call};
/// use serde_json::json;
///
/// # #[derive(serde::Deserialize, schemars::JsonSchema)]
/// # struct Query { text: String }
/// let find = tool_fn("find", "Finds pages.", async |query: Query| Ok::<_, String>(query.text));
/// let tools = ToolSet::from_tools([find])?;
/// let written = json!({"name": "find", "arguments": "{\"text\": \"tea\", \"mood\": \"good\"}"});
/// assert!(parse_call(&tools, &written, &Parsing::new()).is_err());
/// let call = parse_call(&tools, &written, &Parsing::new().unexpected(Unexpected::Drop))?;
/// assert_eq!(serde_json::to_value(&call.arguments)?, json!({"text": "tea"}));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ToolError::UnknownTool`]; [`ToolError::InvalidArguments`] with all problems at once, those of the object itself at
/// `/name` and `/arguments`, those of the arguments with pointers into the arguments.
pub fn parse_call(tools: &ToolSet, written: &Value, how: &Parsing) -> Result<ParsedCall, ToolError> {
    let mut call = read(written)?;
    let mut changes = Vec::new();
    let text = call.arguments.as_str();
    if let Some(read @ Value::Object(_)) = text.and_then(|text| serde_json::from_str(text).ok())
        // Numbers that would be rounded stay text: the check refuses them.
        && text.is_some_and(|text| crate::inexact_number(text).is_none())
    {
        call.arguments = read;
    }
    if how.validation == Validation::Off {
        let tool = Arc::clone(tools.find(&call.name)?);
        let Value::Object(arguments) = call.arguments else {
            let expected = "expected a JSON object, or the text of one";
            return Err(refused([Problem::new("/arguments", "type")
                .expected(expected)
                .found(found(&call.arguments))]));
        };
        return Ok(ParsedCall { tool, arguments: arguments.into(), changes });
    }
    if how.unexpected == Unexpected::Drop {
        changes = drop_unexpected(tools, &mut call);
    }
    let (arguments, mended) = tools.take(&call, &how.policy)?;
    let renamed =
        mended.iter().find(|change| change.stage == Stage::Name).and_then(|change| change.after.as_ref());
    let tool = Arc::clone(tools.find(renamed.and_then(Value::as_str).unwrap_or(&call.name))?);
    changes.extend(mended);
    Ok(ParsedCall { tool, arguments, changes })
}

fn refused(problems: impl IntoIterator<Item = Problem>) -> ToolError {
    InvalidArguments::new(problems.into_iter().collect()).into()
}

/// The name and the arguments.
fn read(written: &Value) -> Result<ToolCall, ToolError> {
    let parsed;
    let object = match written {
        Value::String(text) => {
            parsed = serde_json::from_str::<Value>(text).map_err(|error| {
                refused([Problem::new("", "json").expected(format!("a call is JSON, but {error}"))])
            })?;
            &parsed
        }
        other => other,
    };
    let Value::Object(members) = object else {
        let expected = "expected an object with `name` and `arguments`";
        return Err(refused([Problem::new("", "type").expected(expected).found(found(object))]));
    };
    let mut problems = Vec::new();
    let missing =
        |key: &str| Problem::new(format!("/{key}"), "required").expected("required in a call but missing");
    let name = match members.get("name") {
        Some(Value::String(name)) if !name.is_empty() => Some(name),
        Some(other) => {
            problems.push(
                Problem::new("/name", "type").expected("expected the name of a tool").found(found(other)),
            );
            None
        }
        None => {
            problems.push(missing("name"));
            None
        }
    };
    let arguments = match members.get("arguments") {
        Some(given @ (Value::Object(_) | Value::String(_))) => Some(given),
        Some(other) => {
            let expected = "expected an object, or the text of one";
            problems.push(Problem::new("/arguments", "type").expected(expected).found(found(other)));
            None
        }
        None => {
            problems.push(missing("arguments"));
            None
        }
    };
    match (name, arguments) {
        (Some(name), Some(arguments)) => Ok(ToolCall::new("", name, arguments.clone())),
        _ => Err(refused(problems)),
    }
}

/// Takes out the arguments that the tool does not have, where its schema forbids others.
fn drop_unexpected(tools: &ToolSet, call: &mut ToolCall) -> Vec<Change> {
    let Some(tool) = tools.get(&call.name) else { return Vec::new() };
    let schema = tool.definition().input_schema.as_value();
    let closed = ["additionalProperties", "unevaluatedProperties"]
        .into_iter()
        .any(|keyword| schema.get(keyword) == Some(&Value::Bool(false)));
    // Where branches or patterns give further names, only the check itself knows which are expected.
    let plain = ["patternProperties", "oneOf", "anyOf", "allOf", "$ref", "if", "dependentSchemas"]
        .into_iter()
        .all(|keyword| schema.get(keyword).is_none());
    let (true, Value::Object(members)) = (closed && plain, &mut call.arguments) else { return Vec::new() };
    let known: Vec<&str> = tool.definition().input_schema.properties().map(|(name, _)| name).collect();
    let mut changes = Vec::new();
    members.retain(|name, value| {
        let expected = known.contains(&name.as_str());
        if !expected {
            let pointer = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
            changes.push(Change::new(Stage::Drop, pointer, "unknown key").before(value));
        }
        expected
    });
    changes
}
