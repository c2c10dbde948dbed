//! An OpenTool document as a source: its functions are tools.

use opentool::doc::Document;
use opentool::{Arguments, BoxFuture, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput, ToolSet};

/// An OpenTool document, and its functions as tools.
pub(crate) struct OpenTool {
    document: Document,
    tools: ToolSet,
}

impl OpenTool {
    /// The functions of the document, with nothing behind them yet. The place is where the document is, for people.
    pub(crate) fn new(document: Document, place: &str) -> Self {
        let mut tools = ToolSet::new();
        for mut definition in document.definitions() {
            definition.origin = definition.origin.location(place);
            let added = tools.insert(Described { definition });
            debug_assert!(added.is_ok(), "the names of a document's definitions are unique");
        }
        Self { document, tools }
    }

    /// The document, as it was read.
    pub(crate) fn document(&self) -> &Document {
        &self.document
    }

    /// Its functions.
    pub(crate) fn tools(&self) -> &ToolSet {
        &self.tools
    }
}

/// A function that nothing runs.
struct Described {
    definition: ToolDefinition,
}

impl Tool for Described {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn call<'a>(
        &'a self,
        _cx: &'a ToolContext,
        _arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        let why = format!("nothing is there to run `{}`: its document names no server", self.definition.name);
        Box::pin(std::future::ready(Err(ToolError::Refused(why.into()))))
    }
}
