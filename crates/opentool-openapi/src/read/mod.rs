//! From a document to plans: the walk over paths and operations.
//!
//! It never stops: an operation that cannot be understood well enough to be called is left out with a finding, and
//! everything smaller is mended with one. Schemas are only looked at, not built; see [`crate::definition`].

mod argument;
pub(crate) mod body;
pub(crate) mod credential;
mod encoding;
mod keys;
mod marks;
mod operation;
mod parameter;
pub(crate) mod response;
mod security;
mod server;
mod swagger;

use std::collections::HashMap;
use std::sync::Arc;

use opentool_core::Diagnostic;
use opentool_text::{kind, pointer};
use serde_json::{Map, Value};

use crate::document::Document;
use crate::findings::Findings;
use crate::name::{self, Naming};
use crate::plan::{Operation, Requirement, Server};
use crate::schema::reach::{self, Reach};
use crate::schema::{Converter, Direction, Knowledge, Position, definition_name};
use crate::xml::Learner;

/// How many operations are read, give or take those of one path. An operation takes a few kilobytes of memory, and a few bytes of a
/// document; the largest public one has some 12,000.
const MOST_OPERATIONS: usize = 100_000;

/// What was read.
#[derive(Debug)]
pub(crate) struct Reading {
    /// The operations in document order.
    pub(crate) operations: Vec<Operation>,
    pub(crate) knowledge: Knowledge,
    /// How many things in the document are, or want to be, operations.
    pub(crate) seen: usize,
}

/// Reads all operations.
pub(crate) fn read(document: &Document, findings: &mut Findings) -> Reading {
    let mut reader = Reader {
        document,
        findings,
        knowledge: Knowledge::default(),
        servers: None,
        security: None,
        schemes: security::Schemes::default(),
        xml: Learner::default(),
        seen: 0,
    };
    let drafts = reader.paths();
    let mut operations = reader.name(drafts);
    reader.look_at_unsupported(&operations);
    reader.look_at_schemas();
    reader.look_at_reach(&operations);
    for body in operations.iter_mut().filter_map(|operation| operation.body.as_mut()) {
        body::settle(body, document, &reader.knowledge);
    }
    for operation in &mut operations {
        let credential = credential::in_form(document, &reader.knowledge, operation);
        if let (Some(body), Some(credential)) = (&mut operation.body, credential) {
            body.credential = Some(credential);
        }
    }
    reader.look_at_disguises(&operations);
    reader.look_at_part_headers(&operations);
    reader.xml.finish();
    Reading { operations, knowledge: reader.knowledge, seen: reader.seen }
}

/// An operation without its final name, and the path as the document has it.
struct Draft {
    operation: Operation,
    path: String,
}

impl Draft {
    /// `GET /pets`.
    fn title(&self) -> String {
        format!("{} {}", self.operation.method.as_str(), self.path)
    }
}

/// The state of the walk.
struct Reader<'d> {
    document: &'d Document,
    findings: &'d mut Findings,
    knowledge: Knowledge,
    /// The document's own servers, read when first needed.
    servers: Option<Arc<[Server]>>,
    /// The document's own requirements, read when first needed.
    security: Option<Arc<[Requirement]>>,
    schemes: security::Schemes,
    /// How bodies of XML are written.
    xml: Learner,
    seen: usize,
}

/// A path item, and where things are in it.
struct PathItem<'d> {
    members: &'d Map<String, Value>,
    pointer: String,
    /// As the document has it.
    path: &'d str,
}

impl<'d> Reader<'d> {
    fn paths(&mut self) -> Vec<Draft> {
        let document = self.document;
        let mut drafts = Vec::new();
        let Some(paths) = document.at("/paths") else { return drafts };
        let (paths, at) = match document.follow(paths, "/paths") {
            Ok(found) => (found.value.as_object(), found.pointer),
            Err(broken) => {
                self.seen = 1;
                self.findings.add(broken.finding("/paths", "no path is read"));
                (None, "/paths".into())
            }
        };
        for (path, item) in paths.into_iter().flatten() {
            if path.starts_with("x-") || path == "$ref" {
                continue;
            }
            if self.is_full(&drafts) {
                continue;
            }
            let pointer = pointer::join(&at, path);
            self.look_at_path(path, &pointer);
            let beside = item
                .as_object()
                .filter(|own| own.contains_key("$ref") && own.keys().any(|key| is_method(key)));
            if let Some(members) = beside {
                // What stands beside the reference goes before what it leads to.
                self.operations(&PathItem { members, pointer: pointer.clone(), path }, None, &mut drafts);
            }
            if let Some(item) = self.path_item(path, item, pointer) {
                self.operations(&item, beside, &mut drafts);
            }
        }
        drafts
    }

    /// Whether no more operations are read; then there is one that is left out.
    fn is_full(&mut self, drafts: &[Draft]) -> bool {
        if drafts.len() < MOST_OPERATIONS {
            return false;
        }
        self.seen = self.seen.saturating_add(1);
        let message = format!("there are more than {MOST_OPERATIONS} operations; the others are left out");
        let found = Diagnostic::error("too-many-operations", "/paths", message);
        self.findings.add(found.help("split the document"));
        true
    }

    /// Says in which other way a path is read than it is written.
    fn look_at_path(&mut self, path: &str, pointer: &str) {
        if !path.trim().starts_with('/') {
            self.warn(
                "path-slash",
                pointer,
                "the path does not begin with `/`; one is put before it",
                "add it",
            );
        }
        if path.contains('#') {
            // Documents that do this do it everywhere, so it is said once.
            let message =
                "paths have fragments (`#…`), which are never sent; they only tell operations apart";
            self.findings.add(Diagnostic::note("path-fragment", "/paths", message));
        }
    }

    /// What a path item means, through references.
    fn path_item(&mut self, path: &'d str, item: &'d Value, pointer: String) -> Option<PathItem<'d>> {
        let found = match self.document.follow(item, &pointer) {
            Ok(found) => found,
            Err(broken) => {
                // Operations can stand beside the reference; they were read before.
                let has_operations =
                    item.as_object().is_some_and(|members| members.keys().any(|key| is_method(key)));
                let outcome =
                    if has_operations { "the reference is ignored" } else { "the path is left out" };
                self.findings.add(broken.finding(&pointer, outcome));
                self.seen = self.seen.saturating_add(usize::from(!has_operations));
                return None;
            }
        };
        // Null is how some writers say "nothing yet".
        if found.value.is_null() {
            return None;
        }
        let Some(members) = found.value.as_object() else {
            self.seen = self.seen.saturating_add(1);
            let message =
                format!("the path is {}, not an object of operations; it is left out", kind(found.value));
            self.findings.add(
                Diagnostic::error("path-item", pointer, message)
                    .help("write `get: {…}` or another method below it"),
            );
            return None;
        };
        Some(PathItem { members, pointer: found.pointer.into_owned(), path })
    }

    fn operations(
        &mut self,
        item: &PathItem<'d>,
        replaced_by: Option<&Map<String, Value>>,
        drafts: &mut Vec<Draft>,
    ) {
        let lost = keys::of_path(item.members, &item.pointer, self.findings);
        self.seen = self.seen.saturating_add(lost);
        for (key, value) in item.members {
            let Some(method) = operation::method(key) else { continue };
            if replaced_by.is_some_and(|own| own.contains_key(key)) {
                continue;
            }
            let pointer = pointer::join(&item.pointer, key);
            self.seen = self.seen.saturating_add(1);
            if key.chars().any(|c| c.is_ascii_uppercase()) {
                let message = format!("methods are written in small letters; `{key}` is read as one");
                self.warn("method-case", pointer.as_str(), message, "write it in small letters");
            }
            match self.operation(item, method, value, pointer) {
                Ok(operation) => drafts.push(Draft { operation, path: item.path.to_owned() }),
                Err(finding) => self.findings.add(*finding),
            }
        }
        // OpenAPI 3.2: methods without a key of their own.
        let further = item.members.get("additionalOperations").and_then(Value::as_object);
        for (key, value) in further.into_iter().flatten() {
            if self.is_full(drafts) {
                continue;
            }
            let pointer = pointer::join(&pointer::join(&item.pointer, "additionalOperations"), key);
            self.seen = self.seen.saturating_add(1);
            let Ok(method) = http::Method::from_bytes(key.as_bytes()) else {
                let key: String = key.chars().take(40).collect();
                let message = format!("`{key}` is no method; `{key} {}` is left out", item.path);
                self.findings.add(
                    Diagnostic::error("method", pointer, message)
                        .help("write a word of letters, for example `COPY`"),
                );
                continue;
            };
            match self.operation(item, method, value, pointer) {
                Ok(operation) => drafts.push(Draft { operation, path: item.path.to_owned() }),
                Err(finding) => self.findings.add(*finding),
            }
        }
    }

    /// Gives every operation its name.
    fn name(&mut self, mut drafts: Vec<Draft>) -> Vec<Operation> {
        let namings: Vec<Naming<'_>> = drafts
            .iter()
            .map(|draft| Naming {
                operation_id: draft
                    .operation
                    .marks
                    .name
                    .as_deref()
                    .or(draft.operation.operation_id.as_deref()),
                method: draft.operation.method.as_str(),
                path: &draft.path,
            })
            .collect();
        let names = name::assign(&namings);
        self.look_at_ids(&drafts, &names);
        for (draft, name) in drafts.iter_mut().zip(names) {
            draft.operation.name = name;
        }
        drafts.into_iter().map(|draft| draft.operation).collect()
    }

    /// Says of each operation whose `operationId` another has too what it is named instead, and who the other is.
    fn look_at_ids(&mut self, drafts: &[Draft], names: &[String]) {
        let mut same: HashMap<&str, Vec<(&Draft, &str)>> = HashMap::new();
        let mut order = Vec::new();
        for (draft, name) in drafts.iter().zip(names) {
            // Whose name the document gives otherwise does not need an id of its own.
            let own = draft.operation.marks.name.is_none();
            if let Some(id) = draft.operation.operation_id.as_deref().filter(|_| own) {
                let group = same.entry(id).or_default();
                group.push((draft, name));
                if group.len() == 2 {
                    order.push(id);
                }
            }
        }
        for (id, group) in order.into_iter().filter_map(|id| same.get_key_value(id)) {
            // The one that has the name that the others would have too; it is not always the first.
            let keeper = group.iter().min_by_key(|(_, name)| name.len()).map(|(draft, _)| *draft);
            for (draft, name) in group {
                let Some(keeper) = keeper.filter(|keeper| !std::ptr::eq(*keeper, *draft)) else { continue };
                let message = format!(
                    "`{}` is named `{name}`, because `{}` has the `operationId` `{id}` too",
                    draft.title(),
                    keeper.title()
                );
                let operation = &draft.operation;
                let at = self.document.place(operation.document.as_deref(), &operation.pointer);
                let at = pointer::join(&at, "operationId");
                self.findings.add(
                    Diagnostic::warning("duplicate-operation-id", at, message)
                        .help("give each operation its own"),
                );
            }
        }
    }

    /// A schema in 2020-12 terms, with findings.
    fn schema(&mut self, schema: &Value, pointer: &str, direction: Direction) -> Value {
        Converter::learn(self.document, direction, pointer, &mut self.knowledge, self.findings)
            .schema(schema, Position::InPlace)
    }

    /// Looks once at every schema that is referred to, so that all findings are there when the reading is over, and
    /// all circles are known.
    fn look_at_schemas(&mut self) {
        while let Some(pointer) = self.knowledge.next() {
            let Some(schema) = self.document.at(&pointer) else { continue };
            let converted = Converter::learn(
                self.document,
                Direction::Output,
                &pointer,
                &mut self.knowledge,
                self.findings,
            )
            .referenced()
            .schema(schema, Position::InPlace);
            let name = definition_name(self.document, &pointer);
            self.knowledge.note_reach(name, schema, &converted);
        }
        for (from, to) in self.knowledge.cut_cycles() {
            let message =
                format!("the schema refers to `#{to}`, which refers back to it, with nothing between");
            self.findings.add(
                Diagnostic::error("ref-cycle", from, format!("{message}; that reference allows anything"))
                    .help("let one of them say what the value is"),
            );
        }
    }

    /// Says which tools carry less than they refer to.
    fn look_at_reach(&mut self, operations: &[Operation]) {
        let mut reach = Reach::default();
        let mut cut: Vec<&str> = Vec::new();
        for operation in operations {
            let body = operation.body.as_ref().and_then(|body| body.preferred());
            let parameters = operation.parameters.iter().map(|parameter| &parameter.schema);
            if reach.is_too_much(parameters.chain(body.map(|media| &media.schema)), &self.knowledge) {
                cut.push(&operation.name);
            }
        }
        if let Some(first) = cut.first() {
            let message = format!(
                "the arguments of {} tools, such as `{first}`, reach more schemas than a tool carries ({} of them, or {} KiB); \
                 what is farthest away allows anything",
                cut.len(),
                reach::MOST,
                reach::MOST_BYTES / 1024
            );
            let note = Diagnostic::note("large-tool", "", message);
            self.findings
                .add(note.help("the service checks what is not checked here; a budget sets another limit"));
        }
        self.knowledge.settle();
    }

    fn warn(
        &mut self,
        code: &'static str,
        pointer: impl Into<String>,
        message: impl Into<String>,
        help: &str,
    ) {
        self.findings.add(Diagnostic::warning(code, pointer, message).help(help));
    }
}

fn is_method(key: &str) -> bool {
    operation::method(key).is_some()
}
