//! Tools for people: a table of many, a page about one.

use std::fmt::Write as _;

use opentool::{Annotations, ToolDefinition, ToolSet};
use opentool_text::{printable, printable_json};
use serde_json::{Value, json};

use super::text::{shorten, summary, wrap};
use super::{Column, fitting, limits, reference, type_words};
use crate::console::{FAINT, STRONG};

/// The most columns that a name takes: what any protocol allows. In a table it pads every row.
const NAME: usize = 128;
/// The most that the arguments, or the source, of one tool take in a table of many.
const CELL: usize = 60;
/// The most that a type or a default takes on the page about one tool, where the schema itself follows.
const WORDS: usize = 300;

/// The least that a description is given beside a name.
const DESCRIPTION: usize = 24;
/// What stands before the second line of a tool.
const INDENT: &str = "    ";

/// The tools as a table: name, arguments (`?` marks those that can be left out), what each does. With
/// `origins`, where each comes from as well.
pub(crate) fn tools(tools: &ToolSet, origins: bool, limit: Option<usize>) -> String {
    let name = || Column::whole("NAME", STRONG).most(NAME);
    let description = || Column::narrowed("DESCRIPTION", DESCRIPTION);
    let source = || Column::narrowed("SOURCE", 12).most(CELL);
    let place = |definition: &ToolDefinition| {
        let origin = &definition.origin;
        one_line(&origin.location.clone().unwrap_or_else(|| origin.to_string()))
    };
    let said = |definition: &ToolDefinition| one_line(&summary(&definition.description));
    let all = || tools.definitions();
    // The arguments give way first, then the place beside the name.
    for shown in [&[0, 1, 2, 3][..], &[0, 2, 3]] {
        let shown = |n: usize| shown.contains(&n) && (n != 2 || origins);
        let columns: Vec<Column> =
            [name(), Column::narrowed("ARGUMENTS", 16).most(CELL), source(), description()]
                .into_iter()
                .enumerate()
                .filter_map(|(n, column)| shown(n).then_some(column))
                .collect();
        let rows: Vec<Vec<String>> = all()
            .map(|definition| {
                let cells =
                    [one_line(&definition.name), arguments(definition), place(definition), said(definition)];
                cells.into_iter().enumerate().filter_map(|(n, cell)| shown(n).then_some(cell)).collect()
            })
            .collect();
        if let Some(table) = fitting(&columns, &rows, limit) {
            return table;
        }
    }
    let limit = limit.unwrap_or(usize::MAX);
    let mut text = String::new();
    for definition in all() {
        let name = shorten(&one_line(&definition.name), limit);
        let said = shorten(&said(definition), limit.saturating_sub(INDENT.len()));
        text.push_str(&format!("{STRONG}{name}{STRONG:#}\n"));
        if !said.is_empty() {
            text.push_str(&format!("{INDENT}{said}\n"));
        }
    }
    text
}

fn arguments(definition: &ToolDefinition) -> String {
    let schema = &definition.input_schema;
    // What must be given comes first.
    let (needed, optional): (Vec<_>, Vec<_>) =
        schema.properties().map(|(name, _)| name).partition(|name| schema.requires(name));
    let optional = optional.into_iter().map(|name| format!("{name}?"));
    one_line(&needed.into_iter().map(str::to_owned).chain(optional).collect::<Vec<_>>().join(", "))
}

/// The description without a first line that only says the title again.
fn beside_title<'d>(description: &'d str, title: Option<&str>) -> &'d str {
    let same = |line: &str| {
        Some(line.trim().trim_end_matches('.')) == title.map(|title| title.trim().trim_end_matches('.'))
    };
    match description.trim_start().split_once('\n') {
        Some((line, rest)) if same(line) => rest.trim_start(),
        None if same(description) => "",
        _ => description,
    }
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
    let description = beside_title(&definition.description, definition.title.as_deref());
    if !description.trim().is_empty() {
        writeln!(page, "\n{}", wrap(&printable(description), 2, limit))?;
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
    write_members(page, schema.as_value(), schema.as_value(), 1, limit)
}

/// How deep members of arguments are shown before the schema itself has to be read.
const LEVELS: usize = 3;
/// How many members of one object are shown. Documents are hostile.
const MEMBERS: usize = 60;

/// The members of an object, those that must be given first, each with its limits and its own members.
fn write_members(
    page: &mut String,
    object: &Value,
    root: &Value,
    level: usize,
    limit: Option<usize>,
) -> std::fmt::Result {
    let Some(members) = object.get("properties").and_then(Value::as_object) else { return Ok(()) };
    let required = object.get("required").and_then(Value::as_array);
    let is_required =
        |name: &str| required.is_some_and(|names| names.iter().any(|required| required == name));
    let (needed, optional): (Vec<_>, Vec<_>) = members.iter().partition(|(name, _)| is_required(name));
    let short = |text: &str, limit: usize| shorten(&one_line(text), limit);
    let indent = level.saturating_mul(2);
    for (name, property) in needed.into_iter().chain(optional).take(MEMBERS) {
        let words = type_words(property, root);
        let needed = if is_required(name) { "required" } else { "optional" };
        let (name, words) = (short(name, NAME), short(&words, WORDS));
        write!(page, "{:indent$}{STRONG}{name}{STRONG:#}  {FAINT}{words}, {needed}", "")?;
        for word in limits(property, root) {
            write!(page, ", {}", short(&word, WORDS))?;
        }
        if let Some(default) = property.get("default") {
            write!(page, ", default {}", short(&default.to_string(), WORDS))?;
        }
        writeln!(page, "{FAINT:#}")?;
        if let Some(description) = property.get("description").and_then(Value::as_str) {
            writeln!(page, "{}", wrap(&printable(description), indent.saturating_add(4), limit))?;
        }
        if level < LEVELS {
            let meant = reference(property, root).unwrap_or(property);
            let item = meant.get("items").map(|items| reference(items, root).unwrap_or(items));
            write_members(page, item.unwrap_or(meant), root, level.saturating_add(1), limit)?;
        }
    }
    match members.len().checked_sub(MEMBERS) {
        None | Some(0) => Ok(()),
        Some(more) => writeln!(page, "{:indent$}{FAINT}and {more} more{FAINT:#}", ""),
    }
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
