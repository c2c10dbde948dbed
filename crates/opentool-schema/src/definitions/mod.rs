//! Definitions from elsewhere: a list that somebody exported becomes tools that can be shown, not run.
//!
//! The form is recognised entry by entry, so a list may mix them. Reading never stops at a bad entry.

mod container;
mod known;

use opentool_core::visible::{clean_schema, code_points, hidden_texts, without_hidden};
use opentool_core::{Diagnostic, Origin, ToolDefinition, ToolSet};
use serde_json::{Map, Value};

use crate::Validator;
use crate::dialect::lower::excludes_objects;
use crate::dialect::raised::Raising;
use crate::dialect::{anthropic, listing, mcp, openai};
use crate::text::{found, name};

pub use container::DefinitionsError;
use known::Known;

/// What a list of definitions held.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ParsedDefinitions {
    /// The tools, in the order of the list. They can be listed, shown and exported; a call is
    /// [`opentool_core::ToolError::Refused`].
    pub tools: ToolSet,
    /// What was not understood or left out, with JSON Pointers into the value that was read.
    pub diagnostics: Vec<Diagnostic>,
}

/// After so many findings no more entries are read: a hostile list could hold a fault every few bytes.
const MOST_FINDINGS: usize = 5_000;

/// Reads tool definitions in any of these forms, also mixed:
///
/// * what [`crate::list`] writes (`opentool list --json`), and MCP's tools;
/// * OpenAI's: Chat Completions, the flat form of Responses, the bare functions of old;
/// * Anthropic's.
///
/// The value is an array of them; an object that holds the array under `tools` or `functions` (a request to a
/// provider, the result of `tools/list`); a whole JSON-RPC answer to `tools/list`; or one definition.
///
/// An entry that cannot be read, or whose name is taken, is left out and reported. A schema that cannot be compiled
/// is reported, and its tool stays: it can still be looked at and exported.
///
/// # Errors
/// [`DefinitionsError`] if the value is none of these.
pub fn parse_definitions(value: &Value) -> Result<ParsedDefinitions, DefinitionsError> {
    let (entries, pointer) = container::entries(value)?;
    let mut parsed = ParsedDefinitions::default();
    for (i, entry) in entries.iter().enumerate() {
        if parsed.diagnostics.len() >= MOST_FINDINGS {
            let message = format!(
                "{} further entries are not read, after so many faults",
                entries.len().saturating_sub(i)
            );
            parsed.diagnostics.push(Diagnostic::error(
                "too-many-findings",
                format!("{pointer}/{i}"),
                message,
            ));
            break;
        }
        // A definition that stands alone has no index.
        let pointer = if std::ptr::eq(entry, value) { String::new() } else { format!("{pointer}/{i}") };
        let Some(mut definition) = raise(entry, &pointer, &mut parsed.diagnostics) else { continue };
        if definition.origin.kind.is_empty() {
            definition.origin = Origin::new(listing::KIND);
        }
        clean(&mut definition, entry, &pointer, &mut parsed.diagnostics);
        check_schema(&definition, entry, &pointer, &mut parsed.diagnostics);
        if let Err(clash) = parsed.tools.insert(Known::new(definition)) {
            let message = format!("a second definition named {} is left out", name(&clash.name));
            parsed.diagnostics.push(
                Diagnostic::error("duplicate-name", pointer, message).help("give one of them another name"),
            );
        }
    }
    Ok(parsed)
}

/// One entry, by its form.
fn raise(entry: &Value, pointer: &str, diagnostics: &mut Vec<Diagnostic>) -> Option<ToolDefinition> {
    let Value::Object(members) = entry else {
        let message = format!("an entry is left out: it is {}", found(entry));
        diagnostics.push(Diagnostic::error("not-a-definition", pointer, message).help("write an object"));
        return None;
    };
    if openai::is_nested(members)
        && let Some(Value::Object(inner)) = members.get("function")
    {
        let pointer = format!("{pointer}/function");
        return openai::raise(Raising { members: inner, pointer, diagnostics });
    }
    let raising = Raising { members, pointer: pointer.to_owned(), diagnostics };
    if listing::is(members) {
        listing::raise(raising)
    } else if mcp::is(members) {
        mcp::raise(raising)
    } else if anthropic::is(members) {
        anthropic::raise(raising)
    } else if openai::is_flat(members) {
        openai::raise(raising)
    } else {
        other(members, raising)
    }
}

/// An entry without a schema: a tool that runs at the provider, or a tool without arguments.
fn other(members: &Map<String, Value>, mut raising: Raising<'_, '_>) -> Option<ToolDefinition> {
    if let Some(kind) = members.get("type").and_then(Value::as_str).filter(|kind| *kind != "custom") {
        let message = format!("a tool of the type {} is left out: it runs at the provider", name(kind));
        raising.diagnostics.push(Diagnostic::warning("hosted-tool", raising.pointer, message));
        return None;
    }
    if !members.contains_key("name") {
        let message = "an entry is left out: it has neither a name nor a schema in a known place";
        raising.diagnostics.push(
            Diagnostic::error("not-a-definition", raising.pointer, message)
                .help("write `name` and `inputSchema`, `input_schema` or `parameters`"),
        );
        return None;
    }
    let definition = raising.definition("inputSchema")?;
    let message =
        format!("{} has no schema, and is taken as a tool without arguments", name(&definition.name));
    raising
        .diagnostics
        .push(Diagnostic::warning("no-schema", raising.pointer, message).help("give it an `inputSchema`"));
    Some(definition)
}

/// Takes out of a definition's texts what no reader sees and a model obeys, and says where it was.
fn clean(definition: &mut ToolDefinition, entry: &Value, pointer: &str, diagnostics: &mut Vec<Diagnostic>) {
    let found = hidden_texts(entry);
    if found.is_empty() {
        return;
    }
    for (place, chars) in found {
        let message = format!(
            "this text has characters that no reader sees ({}), and is read without them",
            code_points(&chars)
        );
        let at = format!("{pointer}{place}");
        diagnostics.push(Diagnostic::warning("hidden-characters", at, message).help("remove them"));
    }
    definition.description = without_hidden(&definition.description).into_owned();
    definition.title = definition.title.take().map(|title| without_hidden(&title).into_owned());
    for schema in
        [Some(&mut definition.input_schema), definition.output_schema.as_mut()].into_iter().flatten()
    {
        let mut clean = schema.as_value().clone();
        clean_schema(&mut clean);
        *schema = clean.into();
    }
}

/// Says where a schema cannot be used. The place is found by looking which member holds it.
fn check_schema(
    definition: &ToolDefinition,
    entry: &Value,
    pointer: &str,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let error = Validator::new(&definition.input_schema).err();
    if error.is_none() && !excludes_objects(definition.input_schema.as_value()) {
        return;
    }
    let places = ["function/parameters", "inputSchema", "input_schema", "parameters"];
    let place = places.iter().find(|place| entry.pointer(&format!("/{place}")).is_some());
    let at = place.map_or_else(|| pointer.to_owned(), |place| format!("{pointer}/{place}"));
    let tool = name(&definition.name);
    diagnostics.push(match error {
        Some(error) => {
            // The diagnostic itself says where.
            let words = error.to_string().replacen(&format!(" (at {})", error.pointer()), "", 1);
            let at = if place.is_some() { format!("{at}{}", error.pointer()) } else { at };
            let message = format!("{tool} cannot be called with this schema: {words}");
            Diagnostic::warning("schema-invalid", at, message)
        }
        None => {
            let message =
                format!("{tool} cannot be called: arguments are an object, and this schema takes none");
            Diagnostic::warning("schema-no-object", at, message).help("let `type` allow `object`")
        }
    });
}
