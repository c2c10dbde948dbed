//! The tools of one moment, in MCP's terms: made once per tool set, shared by all requests.
//!
//! Everything in it is made when first needed: a server that is only called never builds the list.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use opentool_core::{ToolDefinition, ToolSet};
use rmcp::ErrorData;
use rmcp::model::{JsonObject, ListToolsResult, Tool};

use crate::host::Settings;
use crate::output_schema::{OutputSchema, OutputSchemas};
use crate::{cursor, definition};

/// The most bytes of definitions in a page, unless one tool alone has more.
const PAGE_BYTES: usize = 4 * 1024 * 1024;

/// A snapshot of the tools.
pub(crate) struct Catalog {
    tools: ToolSet,
    output_schemas: OutputSchemas,
    page_size: usize,
    positions: HashMap<String, usize>,
    entries: Vec<Entry>,
    sizes: OnceLock<Vec<usize>>,
}

/// One tool as clients see it.
#[derive(Default)]
struct Entry {
    input: OnceLock<Arc<JsonObject>>,
    headers: OnceLock<bool>,
    output: OnceLock<OutputSchema>,
}

impl Catalog {
    pub(crate) fn new(tools: ToolSet, settings: &Settings) -> Self {
        Self {
            positions: tools.names().enumerate().map(|(i, name)| (name.to_owned(), i)).collect(),
            entries: tools.iter().map(|_| Entry::default()).collect(),
            output_schemas: settings.output_schemas,
            page_size: settings.page_size,
            sizes: OnceLock::new(),
            tools,
        }
    }

    pub(crate) fn tools(&self) -> &ToolSet {
        &self.tools
    }

    /// The input schema of a tool whose arguments travel in headers too; `None` for all others, so that their
    /// calls are not held against a schema that says nothing about headers.
    pub(crate) fn input_with_headers(&self, name: &str) -> Option<Arc<JsonObject>> {
        let entry = self.entry(name)?;
        let input = entry.input(self.tools.get(name)?.definition());
        let annotated = *entry.headers.get_or_init(|| definition::has_header_annotation(input));
        annotated.then(|| Arc::clone(input))
    }

    /// How the structured results of a tool travel.
    pub(crate) fn output(&self, name: &str) -> Option<&OutputSchema> {
        let entry = self.entry(name)?;
        Some(entry.output(self.tools.get(name)?.definition(), self.output_schemas))
    }

    /// A page of the list.
    ///
    /// # Errors
    /// Invalid parameters if the cursor is not one of ours, or if its tool is gone.
    pub(crate) fn page(&self, cursor: Option<&str>) -> Result<ListToolsResult, ErrorData> {
        let start = match cursor {
            None => 0,
            Some(cursor) => {
                let last = cursor::parse(cursor).and_then(|name| self.positions.get(&name).copied());
                let unknown = || {
                    ErrorData::invalid_params(
                        "Invalid cursor: it is not from this list, or the list has changed. \
                         List again without a cursor.",
                        None,
                    )
                };
                last.ok_or_else(unknown)?.saturating_add(1)
            }
        };
        let listed = self.tools.definitions().zip(&self.entries).zip(self.sizes()).skip(start);
        let mut result = ListToolsResult::default();
        let mut bytes = 0_usize;
        for ((definition, entry), size) in listed {
            bytes = bytes.saturating_add(*size);
            if result.tools.len() >= self.page_size || (bytes > PAGE_BYTES && !result.tools.is_empty()) {
                result.next_cursor = result.tools.last().map(|last| cursor::after(&last.name));
                break;
            }
            result.tools.push(self.listed(definition, entry));
        }
        Ok(result)
    }

    fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.get(*self.positions.get(name)?)
    }

    fn listed(&self, definition: &ToolDefinition, entry: &Entry) -> Tool {
        let output = entry.output(definition, self.output_schemas).announced().cloned();
        definition::listed(definition, Arc::clone(entry.input(definition)), output)
    }

    /// The length of each definition on the wire.
    fn sizes(&self) -> &[usize] {
        self.sizes.get_or_init(|| {
            let listed = self.tools.definitions().zip(&self.entries);
            listed
                .map(|(definition, entry)| {
                    // What cannot be written fails when it is sent, not here.
                    serde_json::to_vec(&self.listed(definition, entry)).map_or(0, |json| json.len())
                })
                .collect()
        })
    }
}

impl Entry {
    fn input(&self, definition: &ToolDefinition) -> &Arc<JsonObject> {
        self.input.get_or_init(|| Arc::new(definition::input_schema(definition)))
    }

    fn output(&self, definition: &ToolDefinition, which: OutputSchemas) -> &OutputSchema {
        self.output.get_or_init(|| OutputSchema::new(definition, which))
    }
}
