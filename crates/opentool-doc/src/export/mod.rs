//! Tools of any origin as an OpenTool document: `info`, `server`, functions, and the schemas that they share.

mod alternatives;
mod convert;
mod loss;
mod merge;
mod name;
mod note;
mod schema;
mod shared;
mod tool;

use indexmap::IndexMap;
use opentool_core::ToolDefinition;

pub use loss::Loss;

use crate::{Document, Info, Server, Version};
use shared::Shared;

/// How to describe tools as a document.
///
/// ```
/// use opentool_core::ToolDefinition;
/// use opentool_doc::{Export, Info};
///
/// let tool = ToolDefinition::new("now", "The time.");
/// let exported = Export::new(Info::new("Clock", "1.0.0")).document([&tool]);
/// assert_eq!(exported.document.functions[0].name, "now");
/// assert!(exported.losses.is_empty());
/// ```
#[derive(Debug, Clone)]
pub struct Export {
    version: Version,
    base: Document,
}

/// A document made from tools.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Exported {
    /// The document. It breaks no rule that is an error.
    pub document: Document,
    /// What the tools said and the format cannot hold.
    pub losses: Vec<Loss>,
    /// The tool behind each function: the same name, unless the format does not allow the tool's.
    pub names: IndexMap<String, String>,
}

impl Export {
    /// A document with this `info`, of version 1.1.0.
    pub fn new(info: Info) -> Self {
        Self { version: Version::V1_1_0, base: Document::new(Version::V1_1_0, info) }
    }

    /// A document that is like this one but for its functions: its version, `info`, `server`, schemas and whatever else
    /// it holds. Tools that were made from it and are unchanged give the same document again.
    pub fn like(document: &Document) -> Self {
        let mut base = document.clone();
        base.functions.clear();
        Self { version: document.version().unwrap_or(Version::V1_1_0), base }
    }

    /// Sets the version to write. An older one holds less.
    pub fn version(mut self, version: Version) -> Self {
        version.as_str().clone_into(&mut self.base.opentool);
        self.version = version;
        self
    }

    /// Says where the functions are run.
    pub fn server(mut self, server: Server) -> Self {
        self.base.server = Some(server);
        self
    }

    /// Describes the tools, in order.
    ///
    /// Schemas that several tools have in common (`$defs` of the same name and content) are written once. Definitions that
    /// were made from OpenTool functions and are unchanged become those functions again, to the last member.
    pub fn document<'t>(&self, tools: impl IntoIterator<Item = &'t ToolDefinition>) -> Exported {
        let tools: Vec<&ToolDefinition> = tools.into_iter().collect();
        let mut document = self.base.clone();
        let mut losses = Vec::new();
        if self.version < Version::V1_1_0 && document.server.take().is_some() {
            losses.push(Loss {
                tool: String::new(),
                pointer: "/server".to_owned(),
                keyword: "server".to_owned(),
                message: format!("version {} has no `server`; it is left out", self.version),
            });
        }
        let mut shared = Shared::new(std::mem::take(&mut document.schemas));
        let names = name::assign(tools.iter().map(|tool| tool.name.as_str()));
        for (tool, name) in tools.into_iter().zip(names.keys()) {
            let function = tool::function(tool, name, self.version, &mut shared, &mut losses);
            document.functions.push(function);
        }
        document.schemas = shared.into_schemas();
        Exported { document, losses, names }
    }
}
