//! Tools for people: a table of many, a page about one.

use std::fmt::Write as _;

use opentool::{Annotations, ToolDefinition, ToolSet};
use opentool_text::{printable, printable_json};
use serde_json::{Value, json};

use super::text::{first_line, shorten, wrap};
use super::{Column, table, type_words};
use crate::console::{FAINT, STRONG};

/// The most columns that a name takes: what any protocol allows. In a table it pads every row.
const NAME: usize = 128;
/// The most that the arguments, or the source, of one tool take in a table of many.
const CELL: usize = 100;
/// The most that a type or a default takes on the page about one tool, where the schema itself follows.
const WORDS: usize = 300;

/// The tools as a table: name, arguments (`?` marks those that can be left out), what each does. With
/// `origins`, where each comes from as well.
pub(crate) fn tools(tools: &ToolSet, origins: bool, limit: Option<usize>) -> String {
    let name = Column::whole("NAME", STRONG).most(NAME);
    let mut columns = vec![name, Column::narrowed("ARGUMENTS", 16).most(CELL)];
    if origins {
        columns.push(Column::narrowed("SOURCE", 12).most(CELL));
    }
    columns.push(Column::narrowed("DESCRIPTION", 24));
    let rows: Vec<Vec<String>> = tools
        .definitions()
        .map(|definition| {
            let mut row = vec![one_line(&definition.name), arguments(definition)];
            if origins {
                row.push(one_line(definition.origin.location.as_deref().unwrap_or(&definition.origin.kind)));
            }
            row.push(one_line(&first_line(&definition.description)));
            row
        })
        .collect();
    table(&columns, &rows, limit)
}

fn arguments(definition: &ToolDefinition) -> String {
    let schema = &definition.input_schema;
    // What must be given comes first.
    let (needed, optional): (Vec<_>, Vec<_>) =
        schema.properties().map(|(name, _)| name).partition(|name| schema.requires(name));
    let optional = optional.into_iter().map(|name| format!("{name}?"));
    one_line(&needed.into_iter().map(str::to_owned).chain(optional).collect::<Vec<_>>().join(", "))
}

fn one_line(text: &str) -> String {
    printable(text).replace(['\n', '\t'], " ")
}

/// One tool in full.
pub(crate) fn tool(definition: &ToolDefinition, limit: Option<usize>) -> String {
    let mut page = String::new();
    let written = write_tool(&mut page, definition, limit);
    debug_assert!(written.is_ok(), "writing to a String does not fail");
    page
}

fn write_tool(page: &mut String, definition: &ToolDefinition, limit: Option<usize>) -> std::fmt::Result {
    let short = |text: &str, limit: usize| shorten(&one_line(text), limit);
    write!(page, "{STRONG}{}{STRONG:#}", short(&definition.name, NAME))?;
    if let Some(title) = &definition.title {
        write!(page, "  {}", short(title, WORDS))?;
    }
    writeln!(page)?;
    if !definition.description.trim().is_empty() {
        writeln!(page, "\n{}", wrap(&printable(&definition.description), 2, limit))?;
    }
    write_arguments(page, definition, limit)?;
    writeln!(page)?;
    let facts = [
        ("Source", definition.origin.to_string()),
        ("Hints", hints(&definition.annotations)),
        ("Tags", definition.tags.join(", ")),
    ];
    for (word, fact) in facts.iter().filter(|(_, fact)| !fact.is_empty()) {
        writeln!(page, "{STRONG}{:<7}{STRONG:#} {}", format!("{word}:"), one_line(fact))?;
    }
    // A title, hints and the schema of the result go to hosts, hardly ever to models.
    let seen = json!({
        "name": definition.name,
        "description": definition.description,
        "inputSchema": definition.input_schema.as_value(),
    });
    write_json(page, "As a model sees it", &seen)?;
    match &definition.output_schema {
        Some(schema) => write_json(page, "The result", schema.as_value()),
        None => Ok(()),
    }
}

fn write_json(page: &mut String, heading: &str, value: &Value) -> std::fmt::Result {
    writeln!(page, "\n{STRONG}{heading}:{STRONG:#}\n{}", printable_json(&format!("{value:#}")))
}

fn write_arguments(page: &mut String, definition: &ToolDefinition, limit: Option<usize>) -> std::fmt::Result {
    let schema = &definition.input_schema;
    writeln!(page, "\n{STRONG}Arguments:{STRONG:#}")?;
    if schema.properties().next().is_none() {
        let open = schema.as_value().get("additionalProperties") != Some(&Value::Bool(false));
        return writeln!(page, "  {FAINT}{}{FAINT:#}", if open { "any" } else { "none" });
    }
    for (name, property) in schema.properties() {
        let words = type_words(property, schema.as_value());
        let needed = if schema.requires(name) { "required" } else { "optional" };
        let short = |text: &str, limit: usize| shorten(&one_line(text), limit);
        write!(page, "  {STRONG}{}{STRONG:#}  {FAINT}{}, {needed}", short(name, NAME), short(&words, WORDS))?;
        if let Some(default) = property.get("default") {
            write!(page, ", default {}", short(&default.to_string(), WORDS))?;
        }
        writeln!(page, "{FAINT:#}")?;
        if let Some(description) = property.get("description").and_then(Value::as_str) {
            let text = wrap(&printable(description), 6, limit);
            writeln!(page, "{text}")?;
        }
    }
    Ok(())
}

/// The hints in words. What is said to be false is worth a word only where the default is a worry.
fn hints(annotations: &Annotations) -> String {
    let mut words = Vec::new();
    match annotations.read_only {
        Some(true) => words.push("changes nothing"),
        Some(false) => words.push("changes something"),
        None => {}
    }
    if annotations.read_only != Some(true) {
        match annotations.destructive {
            Some(true) => words.push("may destroy or overwrite"),
            Some(false) => words.push("destroys nothing"),
            None => {}
        }
        if annotations.idempotent == Some(true) {
            words.push("can be repeated safely");
        }
    }
    if annotations.open_world == Some(true) {
        words.push("reaches other systems");
    }
    words.join(", ")
}
