//! The tools of one moment, and the document that describes them.

use std::collections::HashMap;
use std::sync::OnceLock;

use bytes::Bytes;
use opentool_core::ToolSet;
use opentool_doc::{Document, Export};

use super::settings::Shown;

/// What a value that is not an object is called in a result where nobody gave it a name.
const RESULT: &str = "result";

/// The tools, and what is said of them.
pub(super) struct Catalog {
    tools: ToolSet,
    shown: Shown,
    /// Made when somebody asks: a thousand tools are a large document.
    described: OnceLock<Described>,
}

struct Described {
    json: Bytes,
    /// Functions whose tool has another name.
    tools: HashMap<String, String>,
    /// What tools call their result, if not [`RESULT`].
    results: HashMap<String, String>,
}

impl Catalog {
    pub(super) fn new(tools: ToolSet, shown: Shown) -> Self {
        Self { tools, shown, described: OnceLock::new() }
    }

    pub(super) fn tools(&self) -> &ToolSet {
        &self.tools
    }

    /// The document as JSON; `{}` if there is none.
    pub(super) fn document(&self) -> Bytes {
        self.described().json.clone()
    }

    /// The name of the tool behind the function of this name. Where a tool's name is not one that a document may hold,
    /// its function has another.
    pub(super) fn tool_name<'a>(&'a self, function: &'a str) -> &'a str {
        if self.tools.contains(function) {
            return function;
        }
        self.described().tools.get(function).map_or(function, String::as_str)
    }

    /// What a result of the function is called if it is not an object: the name that the document gives to the
    /// function's return value.
    pub(super) fn result_name(&self, function: &str) -> &str {
        self.described().results.get(self.tool_name(function)).map_or(RESULT, String::as_str)
    }

    fn described(&self) -> &Described {
        self.described.get_or_init(|| match &self.shown {
            Shown::Nothing => {
                Described { json: Bytes::from_static(b"{}"), tools: HashMap::new(), results: HashMap::new() }
            }
            Shown::Given(document) => described(document, |name| name.to_owned()),
            Shown::Export(info) => {
                let exported = Export::new(info.clone()).document(self.tools.definitions());
                if !exported.losses.is_empty() {
                    let losses = exported.losses.len();
                    tracing::debug!(losses, "the document does not hold all that the tools say");
                }
                let names = exported.names;
                described(&exported.document, |name| names.get(name).map_or(name, String::as_str).to_owned())
            }
        })
    }
}

fn described(document: &Document, tool_of: impl Fn(&str) -> String) -> Described {
    let mut tools = HashMap::new();
    let mut results = HashMap::new();
    for function in &document.functions {
        let tool = tool_of(&function.name);
        if let Some(returns) = &function.returns
            && !returns.name.is_empty()
            && returns.name != RESULT
        {
            results.insert(tool.clone(), returns.name.clone());
        }
        if tool != function.name {
            tools.insert(function.name.clone(), tool);
        }
    }
    Described { json: document.to_value().to_string().into(), tools, results }
}
