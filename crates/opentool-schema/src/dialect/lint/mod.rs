//! Whether a provider would take a definition: its rules, applied to what was written, however it came to be.
//!
//! It shares the tables of rules with the lowering, and no code: it is what the lowering is judged by.

mod node;
mod request;

use serde_json::{Map, Value};

use super::Dialect;
use super::rules::{Form, Rules};

pub use request::lint_request;

/// Something that a provider would refuse.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The JSON Pointer of the culprit in what was judged.
    pub pointer: String,
    /// The rule in short, for programs: `name`, `keyword`, `closed`.
    pub rule: &'static str,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl Finding {
    fn new(pointer: impl Into<String>, rule: &'static str, message: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), rule, message: message.into() }
    }
}

/// `{pointer, rule, message}`.
impl From<&Finding> for Value {
    fn from(finding: &Finding) -> Self {
        let mut members = Map::new();
        members.insert("pointer".to_owned(), finding.pointer.as_str().into());
        members.insert("rule".to_owned(), finding.rule.into());
        members.insert("message".to_owned(), finding.message.as_str().into());
        Value::Object(members)
    }
}

/// Judges one definition: one entry of what a request holds. An entry that says `strict: true` is judged by the
/// rules of the strict mode.
pub fn lint(dialect: Dialect, definition: &Value) -> Vec<Finding> {
    let mut findings = Vec::new();
    let Some(parts) = Parts::of(dialect, definition) else {
        findings.push(Finding::new("", "form", format!("this is no entry of `{dialect}`")));
        return findings;
    };
    let rules = parts.rules(dialect);
    match parts.name {
        Some(name) if !rules.names.fits(name) => {
            let message = format!("the name has to be {}", rules.names.words());
            findings.push(Finding::new(format!("{}/{}", parts.place, parts.name_key), "name", message));
        }
        Some(_) => {}
        None => findings.push(Finding::new(parts.place, "name", "there has to be a name")),
    }
    if let (Some(most), Some(text)) = (rules.description, parts.description)
        && text.chars().count() > most
    {
        let message = format!("the description has more than {most} characters");
        findings.push(Finding::new(format!("{}/description", parts.place), "description", message));
    }
    if let Value::Object(members) = definition {
        for member in super::mcp::unknown(dialect, members) {
            let message = format!("`{member}` has no place in this revision");
            findings.push(Finding::new(format!("/{member}"), "member", message));
        }
    }
    match parts.schema {
        Some(schema) => {
            let place = format!("{}{}", parts.place, parts.schema_place);
            node::judge(schema, &place, rules, &mut findings);
        }
        // Gemini wants no schema where there are no arguments.
        None if matches!(dialect, Dialect::Gemini | Dialect::GeminiOpenApi) => {}
        None => findings.push(Finding::new(parts.place, "form", "there has to be a schema of the arguments")),
    }
    findings
}

/// What an entry consists of.
struct Parts<'v> {
    name: Option<&'v str>,
    name_key: &'static str,
    description: Option<&'v str>,
    schema: Option<&'v Value>,
    strict: bool,
    /// The pointer of the object that holds the name.
    place: &'static str,
    /// From there the pointer of the schema.
    schema_place: &'static str,
}

impl<'v> Parts<'v> {
    fn of(dialect: Dialect, entry: &'v Value) -> Option<Self> {
        let (place, schema_place) = match dialect {
            Dialect::OpenAiFinetuneFunctions | Dialect::OpenAiResponses | Dialect::OpenAiResponsesStrict => {
                ("", "/parameters")
            }
            Dialect::Anthropic | Dialect::AnthropicStrict => ("", "/input_schema"),
            Dialect::Gemini => ("", "/parametersJsonSchema"),
            Dialect::GeminiOpenApi => ("", "/parameters"),
            Dialect::Bedrock => ("/toolSpec", "/inputSchema/json"),
            Dialect::Mcp
            | Dialect::Mcp20251125
            | Dialect::Mcp20250618
            | Dialect::Mcp20250326
            | Dialect::Mcp20241105 => ("", "/inputSchema"),
            Dialect::JsonSchema => ("", ""),
            _ => ("/function", "/parameters"),
        };
        let holder = entry.pointer(place).filter(|holder| holder.is_object())?;
        let name_key = if dialect == Dialect::JsonSchema { "title" } else { "name" };
        Some(Self {
            name: holder.get(name_key).and_then(Value::as_str),
            name_key,
            description: holder.get("description").and_then(Value::as_str),
            schema: holder.pointer(schema_place),
            strict: holder.get("strict") == Some(&Value::Bool(true)),
            place,
            schema_place,
        })
    }

    fn rules(&self, dialect: Dialect) -> &'static Rules {
        match dialect.strict() {
            Some(rules) if self.strict => rules,
            _ => dialect.loose(),
        }
    }
}

/// Whether the root has to be an object and nothing but one.
fn wants_plain_root(rules: &Rules) -> bool {
    rules.form != Form::AsIs
}
