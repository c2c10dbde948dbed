//! The host's configuration of a document's tools, as a value that a file can hold.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use opentool_core::Diagnostic;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::read::Written;
use super::{Budget, Filter};
use crate::OpenApiError;

/// What a host says about the tools of a document. Can be read from any format that serde knows; a field that does not
/// exist is refused, since a misspelt `exclude` would let everything in.
///
/// ```
/// let config: opentool_openapi::Config = serde_json::from_str(r#"{
///     "include": [{"tag": "pets"}, {"path": "/stores/**", "read-only": true}],
///     "exclude": [{"deprecated": true}],
///     "operations": {
///         "listPets": {"name": "pets", "description": "The pets that can be bought today."},
///         "DELETE /pets/{petId}": {"exclude": true}
///     },
///     "budget": {"max-tool-bytes": 8000}
/// }"#)?;
/// # let text = r#"{"openapi": "3.1.0", "paths": {"/pets": {"get": {"operationId": "listPets", "tags": ["pets"]}},
/// #     "/pets/{petId}": {"delete": {"tags": ["pets"]}}}}"#;
/// let api = opentool_openapi::parse(text, "petstore.json")?.configure(&config)?;
/// assert!(api.operation("pets").is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct Config {
    /// What becomes a tool. Default: every operation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<Filter>,
    /// What does not, of that.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<Filter>,
    /// What `x-opentool` and `x-mcp` in the document mean. Default: they are respected.
    pub marked: Marked,
    /// What is said about operations, by `operationId`, by the tool's name, or by `GET /pets/{petId}`; in all of these `*` stands
    /// for anything (in a path for one segment, `**` for any number), and `* /pets/**` for every method. What is said under
    /// an operation's own key counts before what patterns say, and of these the first that says something counts, member by
    /// member. A key that means no operation is an error.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub operations: IndexMap<String, OperationConfig>,
    /// What models see of JSON results, where [`OperationConfig::result`] does not say it for the operation. Default: all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub result: Vec<String>,
    /// How large definitions may be.
    pub budget: Budget,
    /// The text that it was read from.
    #[serde(skip)]
    written: Written,
}

/// What marks of a document mean. `x-opentool` counts before `x-mcp`, an operation's own mark before that of its path and
/// that before that of the document. A mark is `true`, `false`, or an object with `enabled`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Marked {
    /// What is marked as no tool is none.
    #[default]
    Respect,
    /// Marks choose nothing.
    Ignore,
    /// Only what is marked as a tool is one.
    Only,
}

/// What a host says about one operation. Everything that is absent stays as the document has it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct OperationConfig {
    /// Leaves it out. It counts before all filters, as does `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclude: Option<bool>,
    /// The tool's name: 1 to 64 letters, digits, `_` and `-`, a letter or `_` first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it does and when to use it. Never cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether it changes nothing, whatever its method says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// Whether it may destroy something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
    /// Whether a repeated call changes nothing more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
    /// As which of the document's media types bodies are sent. Default: JSON, then forms, then text, then the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// What is said about single arguments, by their names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub arguments: BTreeMap<String, ArgumentConfig>,
    /// What the model sees of a JSON result, as JSON Pointers: `/items/*/name` is the name of each item, as `/0` is the
    /// first of a list. Default: all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub result: Vec<String>,
}

/// What a host says about one argument.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct ArgumentConfig {
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Models neither see nor set it. Without a [`value`](Self::value) it is not sent at all. Default: they do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hide: Option<bool>,
    /// What is sent for it in every call; models neither see nor set it. A text that names a place (`env:VARIABLE`, `file:PATH`,
    /// `command:WORDS`, as [`SecretSource::parse`](crate::SecretSource::parse) reads it) is a secret: it is read there when a call needs it, and covered wherever the
    /// request or its answer is shown. Every other value is shown as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
}

impl ArgumentConfig {
    /// Whether only the host says what is sent for it.
    pub(crate) fn is_hidden(&self) -> bool {
        self.value.is_some() || self.hide == Some(true)
    }
}

impl Config {
    /// Everything as the document has it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in what a filter means, and what others do that were given.
    pub fn include(mut self, filter: Filter) -> Self {
        self.include.push(filter);
        self
    }

    /// Leaves out what a filter means.
    pub fn exclude(mut self, filter: Filter) -> Self {
        self.exclude.push(filter);
        self
    }

    /// Says what marks of the document mean.
    pub fn marked(mut self, marked: Marked) -> Self {
        self.marked = marked;
        self
    }

    /// Says something about one operation, or about all that fit a pattern.
    pub fn operation(mut self, key: impl Into<String>, config: OperationConfig) -> Self {
        self.operations.insert(key.into(), config);
        self
    }

    /// Adds a part of all results that models see.
    pub fn result(mut self, pointer: impl Into<String>) -> Self {
        self.result.push(pointer.into());
        self
    }

    /// Says how large definitions may be.
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// The same, read from this text.
    pub(super) fn written(mut self, written: Written) -> Self {
        self.written = written;
        self
    }

    /// What is odd at a pointer, with its line where the configuration was read from a text.
    pub(super) fn odd(&self, pointer: &str, message: &str) -> Diagnostic {
        self.written.located(Diagnostic::warning("config", pointer, message))
    }

    /// What is wrong at a pointer, with its line where the configuration was read from a text.
    pub(super) fn refused(&self, pointer: &str, reason: String) -> OpenApiError {
        self.written.refused(pointer, reason)
    }
}

impl ArgumentConfig {
    /// This, and what another says about what this does not.
    fn or(self, other: Self) -> Self {
        // Whoever shows an argument does not want the value of another.
        let value = if self.hide == Some(false) { self.value } else { self.value.or(other.value) };
        Self { description: self.description.or(other.description), hide: self.hide.or(other.hide), value }
    }
}

impl OperationConfig {
    /// This, and what another says about what this does not.
    pub(super) fn or(mut self, other: Self) -> Self {
        for (name, argument) in other.arguments {
            let own = self.arguments.remove(&name).unwrap_or_default();
            self.arguments.insert(name, own.or(argument));
        }
        Self {
            exclude: self.exclude.or(other.exclude),
            name: self.name.or(other.name),
            title: self.title.or(other.title),
            description: self.description.or(other.description),
            read_only: self.read_only.or(other.read_only),
            destructive: self.destructive.or(other.destructive),
            idempotent: self.idempotent.or(other.idempotent),
            media_type: self.media_type.or(other.media_type),
            arguments: self.arguments,
            result: if self.result.is_empty() { other.result } else { self.result },
        }
    }

    /// Everything as the document has it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Leaves it out, or takes it in whatever filters say.
    pub fn exclude(mut self, yes: bool) -> Self {
        self.exclude = Some(yes);
        self
    }

    /// Sets the tool's name.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the name for people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets what it does and when to use it.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Says as which of the document's media types bodies are sent.
    pub fn media_type(mut self, media_type: impl Into<String>) -> Self {
        self.media_type = Some(media_type.into());
        self
    }

    /// Says what an argument is for.
    pub fn argument(mut self, name: impl Into<String>, description: impl Into<String>) -> Self {
        self.arguments.entry(name.into()).or_default().description = Some(description.into());
        self
    }

    /// Leaves an argument out: models do not see it, and it is not sent.
    pub fn hide_argument(mut self, name: impl Into<String>) -> Self {
        self.arguments.entry(name.into()).or_default().hide = Some(true);
        self
    }

    /// Sets what is sent for an argument in every call; models do not see it. A secret is named by its place:
    /// [`ArgumentConfig::value`].
    pub fn set_argument(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.arguments.entry(name.into()).or_default().value = Some(value.into());
        self
    }

    /// Says whether it changes nothing.
    pub fn read_only(mut self, yes: bool) -> Self {
        self.read_only = Some(yes);
        self
    }

    /// Adds a part of the result that the model sees.
    pub fn result(mut self, pointer: impl Into<String>) -> Self {
        self.result.push(pointer.into());
        self
    }
}
