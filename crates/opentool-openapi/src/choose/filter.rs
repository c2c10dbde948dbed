//! A description of some operations, to take them in or to leave them out.

use serde::{Deserialize, Deserializer, Serialize};

use super::pattern::fits;
use crate::definition;
use crate::plan::Operation;

/// Some of a document's operations: those for which everything holds that is said here. Of a list, one has to hold.
/// A filter that says nothing means every operation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct Filter {
    /// Tags of the document, exactly.
    #[serde(alias = "tags", deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub tag: Vec<String>,
    /// Paths: `/pets/*` (one segment), `/admin/**` (all below).
    #[serde(alias = "paths", deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<String>,
    /// Methods, in any case.
    #[serde(alias = "methods", deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub method: Vec<String>,
    /// Names: the `operationId` or the tool's own, `list*` for all that begin so.
    #[serde(alias = "operations", deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub operation: Vec<String>,
    /// Whether it is marked as going away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<bool>,
    /// Whether HTTP says that its method changes nothing (`GET`, `HEAD`, `OPTIONS`, `TRACE`, `QUERY`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
}

impl Filter {
    /// Every operation.
    pub fn new() -> Self {
        Self::default()
    }

    /// Only those with this tag, or another that was given.
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.tag.push(tag.into());
        self
    }

    /// Only those whose path fits this pattern, or another that was given.
    pub fn path(mut self, pattern: impl Into<String>) -> Self {
        self.path.push(pattern.into());
        self
    }

    /// Only those with this method, or another that was given.
    pub fn method(mut self, method: impl Into<String>) -> Self {
        self.method.push(method.into());
        self
    }

    /// Only those whose name fits this pattern, or another that was given.
    pub fn operation(mut self, pattern: impl Into<String>) -> Self {
        self.operation.push(pattern.into());
        self
    }

    /// Only those that are, or are not, going away.
    pub fn deprecated(mut self, yes: bool) -> Self {
        self.deprecated = Some(yes);
        self
    }

    /// Only those that do, or do not, change nothing.
    pub fn read_only(mut self, yes: bool) -> Self {
        self.read_only = Some(yes);
        self
    }

    /// Whether an operation is meant.
    pub fn matches(&self, operation: &Operation) -> bool {
        let any = |list: &[String], test: &dyn Fn(&str) -> bool| {
            list.is_empty() || list.iter().any(|item| test(item))
        };
        any(&self.tag, &|tag| operation.tags.iter().any(|own| own == tag))
            && any(&self.path, &|pattern| fits(pattern, &operation.path))
            && any(&self.method, &|method| method.eq_ignore_ascii_case(operation.method.as_str()))
            && any(&self.operation, &|pattern| {
                fits(pattern, &operation.name)
                    || operation.operation_id.as_deref().is_some_and(|id| fits(pattern, id))
            })
            && self.deprecated.is_none_or(|wanted| wanted == operation.deprecated)
            && self.read_only.is_none_or(|wanted| wanted == definition::changes_nothing(&operation.method))
    }
}

/// A text, or a list of texts.
fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMany {
        One(String),
        Many(Vec<String>),
    }
    Ok(match OneOrMany::deserialize(deserializer)? {
        OneOrMany::One(text) => vec![text],
        OneOrMany::Many(texts) => texts,
    })
}
