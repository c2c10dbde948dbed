//! The walk over one schema. What a keyword becomes is decided in the neighbouring files.

use std::collections::HashSet;

use opentool_core::Diagnostic;
use opentool_text::kind;
use opentool_text::pointer::{self, Pointer};
use serde_json::{Map, Value, json};

use super::{Knowledge, definition_name, keyword};
use crate::document::Document;
use crate::findings::Findings;
use crate::reference::Broken;
use crate::version::Version;

/// Which way the values go that a schema describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    /// To the server: what is read-only does not exist.
    Input,
    /// From the server: what is write-only does not exist.
    Output,
}

/// How a schema stands to another that it is a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Position {
    /// It describes the same value: `allOf`, `not`, … A reference here may close a circle without end.
    InPlace,
    /// It describes a part of the value: `properties`, `items`, …
    Inside,
}

/// Whether the walk is the first one, which learns and reports, or a later one, which builds.
enum Mode<'k> {
    Learn { knowledge: &'k mut Knowledge, findings: &'k mut Findings, from: Option<String> },
    Build { knowledge: &'k Knowledge, cuts: Option<&'k HashSet<String>> },
}

/// A walk over schemas of a document.
pub(crate) struct Converter<'d, 'k> {
    pub(super) document: &'d Document,
    pub(super) direction: Direction,
    pub(super) at: Pointer,
    /// How the schema at hand stands to the one where the walk began.
    position: Position,
    mode: Mode<'k>,
}

impl<'d, 'k> Converter<'d, 'k> {
    /// A first walk over the schema at `pointer`.
    pub(crate) fn learn(
        document: &'d Document,
        direction: Direction,
        pointer: &str,
        knowledge: &'k mut Knowledge,
        findings: &'k mut Findings,
    ) -> Self {
        let mode = Mode::Learn { knowledge, findings, from: None };
        Self { document, direction, at: Pointer::at(pointer), position: Position::InPlace, mode }
    }

    /// The walk is over a schema that others refer to, so its in-place references can close a circle.
    pub(crate) fn referenced(mut self) -> Self {
        if let Mode::Learn { from, .. } = &mut self.mode {
            *from = Some(self.at.as_str().to_owned());
        }
        self
    }

    /// A later walk over the schema at `pointer`.
    pub(crate) fn build(
        document: &'d Document,
        direction: Direction,
        pointer: &str,
        knowledge: &'k Knowledge,
    ) -> Self {
        let mode = Mode::Build { knowledge, cuts: knowledge.cuts.get(pointer) };
        Self { document, direction, at: Pointer::at(pointer), position: Position::InPlace, mode }
    }

    /// The schema in 2020-12 terms: an object, except where only a boolean says it.
    pub(crate) fn schema(&mut self, schema: &Value, position: Position) -> Value {
        // Once inside a part of the value, everything further is about that part.
        let around = self.position;
        if position == Position::Inside {
            self.position = Position::Inside;
        }
        let converted = self.convert(schema);
        self.position = around;
        converted
    }

    fn convert(&mut self, schema: &Value) -> Value {
        match schema {
            Value::Object(members) => self.object(members),
            Value::Bool(true) => json!({}),
            // Not every reader of schemas knows `false`.
            Value::Bool(false) => json!({"not": {}}),
            other => {
                let message = format!("a schema is {}; anything is allowed here", kind(other));
                self.warn("schema-not-object", message, "write an object, `{}` for anything");
                json!({})
            }
        }
    }

    fn object(&mut self, schema: &Map<String, Value>) -> Value {
        let mut out = Map::new();
        let mut only_notes = false;
        if let Some(reference) = schema.get("$ref") {
            // Before 3.1 what stands beside a reference is to be ignored. Its notes are kept: they do no harm, and
            // writers mean them.
            only_notes = self.document.version_at(self.at.as_str()) != Version::V3_1;
            if let Some(name) = self.reference("$ref", reference) {
                out.insert("$ref".to_owned(), Value::String(format!("#/$defs/{name}")));
            }
        } else if let Some(reference) = schema.get("$dynamicRef")
            && let Some(name) = self.reference("$dynamicRef", reference)
        {
            out.insert("$ref".to_owned(), Value::String(format!("#/$defs/{name}")));
        }
        for (keyword, value) in schema {
            if !only_notes || keyword::is_note(keyword) {
                let mark = self.at.enter(keyword);
                self.keyword(schema, keyword, value, &mut out);
                self.at.back(mark);
            }
        }
        self.fit_enum(&mut out);
        self.fit_default(&mut out);
        self.drop_hidden_required(schema, &mut out);
        self.constrain_by_discriminator(schema, &mut out);
        self.allow_null(schema, out)
    }

    /// A keyword's value as a schema.
    pub(super) fn member(&mut self, member: &str, schema: &Value, position: Position) -> Value {
        let mark = self.at.enter(member);
        let converted = self.schema(schema, position);
        self.at.back(mark);
        converted
    }

    /// The name in `$defs` of what a reference means; nothing if it leads nowhere.
    fn reference(&mut self, keyword: &str, reference: &Value) -> Option<String> {
        let place = self.at.as_str().to_owned();
        let found = match reference.as_str() {
            None => Err(Broken::NotText(kind(reference))),
            Some(text) if keyword == "$dynamicRef" => self.document.resolve_dynamic(text, &place),
            Some(text) => self.document.resolve(text, &place),
        };
        let pointer = match found {
            Ok(found) => found.pointer.into_owned(),
            Err(broken) => {
                let mut finding = broken.finding(&place, "anything is allowed here");
                finding.pointer = pointer::join(&place, keyword);
                self.report(finding);
                return None;
            }
        };
        let name = definition_name(self.document, &pointer);
        match &mut self.mode {
            Mode::Learn { knowledge, from, .. } => {
                knowledge.refer(&name, &pointer);
                if let (Position::InPlace, Some(from)) = (self.position, from) {
                    knowledge.edges.push((from.clone(), pointer));
                }
            }
            Mode::Build { cuts, .. } => {
                if self.position == Position::InPlace && cuts.is_some_and(|cuts| cuts.contains(&pointer)) {
                    return None;
                }
            }
        }
        Some(name)
    }

    /// Whether the validator takes a regular expression.
    pub(super) fn is_pattern(&mut self, pattern: &str) -> bool {
        match &mut self.mode {
            Mode::Learn { knowledge, .. } => knowledge.is_pattern(pattern),
            Mode::Build { knowledge, .. } => {
                knowledge.patterns.get(pattern).copied().unwrap_or_else(|| super::compiles(pattern))
            }
        }
    }

    /// Whether this is the first walk.
    pub(super) fn is_learning(&self) -> bool {
        matches!(self.mode, Mode::Learn { .. })
    }

    /// Something was read in another way than it was written, at the place where the walk is.
    pub(super) fn warn(&mut self, code: &'static str, message: impl Into<String>, help: &str) {
        if self.is_learning() {
            let finding = Diagnostic::warning(code, self.at.as_str(), message).help(help);
            self.report(finding);
        }
    }

    fn report(&mut self, finding: Diagnostic) {
        if let Mode::Learn { findings, .. } = &mut self.mode {
            findings.add(finding);
        }
    }
}
