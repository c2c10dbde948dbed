//! What becomes of definitions on their way into another format, in one notation for all formats.
//!
//! Whatever is lost is named by the tool, its place in the definition that `opentool list --json` prints, the keyword
//! and what was done instead. This decides nothing and writes nothing: the libraries say what is lost, the console
//! shows it.

use clap::ValueEnum;
use opentool::schema::{Lowered, LoweredSet, Rewrite};
use opentool::{ToolDefinition, ToolSet, doc};
use serde_json::{Map, Value, json};

/// What is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Deny {
    // What is written would say less than the tools.
    Loss,
}

/// How losses are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    // A line for each, or for several tools that lose the same.
    Text,
    // One object a line.
    Json,
}

/// What is said about a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Word {
    /// Something is lost.
    Loss,
    /// Something is written otherwise, and nothing is lost.
    Change,
    /// The tool is strict.
    Strict,
    /// The tool is not strict.
    NotStrict,
}

impl Word {
    /// What a line begins with.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Loss => "loss",
            Self::Change => "change",
            Self::Strict => "strict",
            Self::NotStrict => "not strict",
        }
    }
}

/// One entry of the report.
#[derive(Debug, Clone)]
pub(crate) struct Told {
    /// What it says.
    pub(crate) word: Word,
    /// The tool; empty for a whole document.
    pub(crate) tool: String,
    /// The place in the tool's definition as it is listed; empty for all of it.
    pub(crate) pointer: String,
    /// What was done, or why.
    pub(crate) message: String,
    /// The same for programs.
    pub(crate) json: Value,
}

/// What a document cannot hold.
pub(crate) fn of_document(losses: &[doc::Loss]) -> Vec<Told> {
    let told = |loss: &doc::Loss| Told {
        word: Word::Loss,
        tool: loss.tool.clone(),
        pointer: loss.pointer.clone(),
        message: loss.message.clone(),
        json: json!({"loss": loss}),
    };
    losses.iter().map(told).collect()
}

/// What a dialect cannot hold, and what it writes otherwise.
pub(crate) fn of_set(set: &LoweredSet, tools: &ToolSet) -> Vec<Told> {
    let of_tool = |lowered: &Lowered| -> Vec<Told> {
        let Some(tool) = tools.get(&lowered.tool) else { return Vec::new() };
        lowered.rewrites.iter().map(|rewrite| of_rewrite(tool.definition(), rewrite)).collect()
    };
    set.tools.iter().flat_map(of_tool).collect()
}

/// Which tools are strict, and why.
pub(crate) fn strictness(set: &LoweredSet) -> Vec<Told> {
    let told = |lowered: &Lowered| {
        let (tool, strict) = (&lowered.tool, &lowered.strict);
        Told {
            word: if strict.strict { Word::Strict } else { Word::NotStrict },
            tool: tool.clone(),
            pointer: String::new(),
            message: strict.reason.clone(),
            json: json!({"strict": {"tool": tool, "strict": strict.strict, "reason": strict.reason}}),
        }
    };
    set.tools.iter().map(told).collect()
}

fn of_rewrite(tool: &ToolDefinition, rewrite: &Rewrite) -> Told {
    let word = if rewrite.is_loss() { Word::Loss } else { Word::Change };
    let pointer = place(tool, rewrite);
    let mut members = Map::new();
    members.insert("tool".to_owned(), tool.name.as_str().into());
    members.insert("pointer".to_owned(), pointer.as_str().into());
    members.insert("keyword".to_owned(), rewrite.keyword.as_str().into());
    members.insert("message".to_owned(), rewrite.done.as_ref().into());
    // What it means for calls: only dialects know.
    members.insert("effect".to_owned(), rewrite.effect.as_str().into());
    Told {
        word,
        tool: tool.name.clone(),
        pointer,
        message: rewrite.done.clone().into_owned(),
        json: Value::Object(Map::from_iter([(word.as_str().to_owned(), Value::Object(members))])),
    }
}

/// Where in the definition: the keyword if it is written there, else the schema that was changed.
fn place(tool: &ToolDefinition, rewrite: &Rewrite) -> String {
    let schema = &rewrite.pointer;
    let keyword = opentool_text::pointer::join(schema, &rewrite.keyword);
    let is_written = tool.input_schema.as_value().pointer(&keyword).is_some();
    match rewrite.keyword.as_str() {
        // The tool's own, and not a keyword of its schema.
        own @ ("name" | "outputSchema") if schema.is_empty() => format!("/{own}"),
        own @ ("description" | "title" | "annotations") if schema.is_empty() && !is_written => {
            format!("/{own}")
        }
        _ if is_written => format!("/inputSchema{keyword}"),
        _ => format!("/inputSchema{schema}"),
    }
}
