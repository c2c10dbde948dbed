//! Which findings concern which tools, so that one broken operation does not stand in the way of another.
//!
//! What an operation consists of is what stands in it, beside it for all operations of its path, and what either refers
//! to. It is looked up in the document when somebody asks, and costs nothing before.

use std::collections::HashSet;
use std::sync::Arc;

use opentool_core::Diagnostic;
use opentool_schema::Validator;
use opentool_text::pointer::{self, Pointer};
use serde_json::Value;

use crate::Api;
use crate::definition;
use crate::document::{Document, place, split};
use crate::plan::Operation;

/// Members of the root whose findings concern what uses them; those of all others concern every tool.
const SHARED: [&str; 7] =
    ["paths", "webhooks", "components", "definitions", "parameters", "responses", "securityDefinitions"];

impl Api {
    /// Those of [`Api::diagnostics`] that concern the tools of these names: that are about their operations, about
    /// what these refer to, or about the document as a whole. Names that no tool has are passed over.
    pub fn diagnostics_of<'n>(&self, tools: impl IntoIterator<Item = &'n str>) -> Vec<&Diagnostic> {
        if self.diagnostics().is_empty() {
            return Vec::new();
        }
        let mut reached = Reached::new(self.document());
        for tool in tools {
            if let Some(operation) = self.operation(tool) {
                reached.operation(operation);
            }
        }
        self.diagnostics().iter().filter(|found| reached.holds(found)).collect()
    }
}

impl Api {
    /// Which of the tools of these names are larger than the budget allows ([`Budget::max_tool_bytes`](crate::Budget)): what
    /// is never left out is more. Their definitions are built for it.
    pub fn over_budget<'n>(&self, tools: impl IntoIterator<Item = &'n str>) -> Vec<Diagnostic> {
        let Some(most) = self.most_bytes() else { return Vec::new() };
        let mut found = Vec::new();
        for operation in tools.into_iter().filter_map(|tool| self.operation(tool)) {
            let bytes = definition::bytes(&self.definition(operation));
            if bytes > most {
                let name = &operation.name;
                let message = format!(
                    "the definition of `{name}` has {bytes} bytes, and {most} are allowed: names and types of arguments alone \
                     are more"
                );
                let finding = Diagnostic::warning("tool-bytes", operation.pointer.clone(), message);
                found.push(self.placed(finding, operation).help("allow more bytes, or leave the tool out"));
            }
        }
        found
    }

    /// Which of the tools of these names cannot be called, because no validator can be made of their schema: it goes too
    /// deep, or holds what is no schema. Their definitions are built and compiled for it.
    pub fn unusable<'n>(&self, tools: impl IntoIterator<Item = &'n str>) -> Vec<Diagnostic> {
        let operations = tools.into_iter().filter_map(|tool| self.operation(tool));
        let fault = |operation: &Arc<Operation>| {
            let error = Validator::new(&self.definition(operation).input_schema).err()?;
            let message = format!("`{}` cannot be called: {error}", operation.name);
            let finding = Diagnostic::error("schema", operation.pointer.clone(), message);
            Some(self.placed(finding, operation).help("make the schema of its arguments simpler"))
        };
        operations.filter_map(fault).collect()
    }

    /// A finding at an operation, with the file in which it stands.
    fn placed(&self, finding: Diagnostic, operation: &Operation) -> Diagnostic {
        finding.file(
            operation.document.as_deref().map_or_else(|| self.address().to_string(), ToString::to_string),
        )
    }
}

/// What some operations consist of.
struct Reached<'d> {
    document: &'d Document,
    /// Places with all that is in them.
    places: HashSet<String>,
    /// Places above operations.
    above: HashSet<String>,
    /// Places whose references were not looked at yet.
    waiting: Vec<String>,
}

impl<'d> Reached<'d> {
    fn new(document: &'d Document) -> Self {
        Self { document, places: HashSet::new(), above: HashSet::new(), waiting: Vec::new() }
    }

    fn operation(&mut self, operation: &Operation) {
        let at = self.document.place(operation.document.as_deref(), &operation.pointer);
        let (path, _) = at.rsplit_once('/').unwrap_or((&at, ""));
        for shared in ["parameters", "servers", "$ref"] {
            self.reach(pointer::join(path, shared));
        }
        let mut above = path;
        while self.above.insert(above.to_owned()) {
            above = above.rsplit_once('/').map_or("", |(above, _)| above);
        }
        for scheme in operation.security.iter().flat_map(|requirement| &requirement.schemes) {
            for schemes in ["/components/securitySchemes", "/securityDefinitions"] {
                self.reach(pointer::join(schemes, &scheme.name));
            }
        }
        self.reach(at);
        while let Some(at) = self.waiting.pop() {
            let document = self.document;
            if let Some(value) = document.at(&at) {
                self.references(value, &mut Pointer::at(&at));
            }
        }
    }

    fn reach(&mut self, at: String) {
        if self.places.insert(at.clone()) {
            self.waiting.push(at);
        }
    }

    fn references(&mut self, value: &Value, at: &mut Pointer) {
        match value {
            Value::Object(members) => {
                if let Some(reference) = members.get("$ref").and_then(Value::as_str)
                    && let Ok(found) = self.document.resolve(reference, at.as_str())
                {
                    self.reach(found.pointer.into_owned());
                }
                for (key, member) in members {
                    let mark = at.enter(key);
                    self.references(member, at);
                    at.back(mark);
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    let mark = at.enter_item(index);
                    self.references(item, at);
                    at.back(mark);
                }
            }
            _ => {}
        }
    }

    fn holds(&self, found: &Diagnostic) -> bool {
        let parts = self.document.parts();
        let file = found.file.as_deref();
        let part = parts.iter().position(|part| file == Some(&*part.shown)).unwrap_or(0);
        let at = place(part, &found.pointer);
        let first = split(&at).1.split('/').nth(1).unwrap_or_default();
        if part == 0 && !SHARED.contains(&first) || self.above.contains(&at) {
            return true;
        }
        let mut within = at.as_str();
        loop {
            if self.places.contains(within) {
                return true;
            }
            match within.rsplit_once('/') {
                Some((above, _)) => within = above,
                None => return false,
            }
        }
    }
}
