//! The root of a document, and what it says about itself.

use indexmap::IndexMap;
use serde::{Serialize, Serializer};

use crate::{Extra, Function, Schema, Version, print};

/// An OpenTool document.
///
/// It is a plain value: change its fields, then [`Document::print`] it. Whether it follows the rules is for
/// [`Document::lint`] to say.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Document {
    /// The version of the format, as it is written.
    pub opentool: String,
    /// What the document says about itself.
    pub info: Info,
    /// Where the functions are run. Since 1.1.0.
    pub server: Option<Server>,
    /// The functions, in order.
    pub functions: Vec<Function>,
    /// Schemas that `#/schemas/NAME` refers to.
    pub schemas: IndexMap<String, Schema>,
    /// Everything else.
    pub extra: Extra,
}

impl Document {
    /// A document of this version without functions.
    pub fn new(version: Version, info: Info) -> Self {
        Self {
            opentool: version.as_str().to_owned(),
            info,
            server: None,
            functions: Vec::new(),
            schemas: IndexMap::new(),
            extra: Extra::new(),
        }
    }

    /// Sets where the functions are run.
    pub fn server(mut self, server: Server) -> Self {
        self.server = Some(server);
        self
    }

    /// Adds a function.
    pub fn function(mut self, function: Function) -> Self {
        self.functions.push(function);
        self
    }

    /// Adds a schema that `#/schemas/NAME` refers to.
    pub fn schema(mut self, name: impl Into<String>, schema: Schema) -> Self {
        self.schemas.insert(name.into(), schema);
        self
    }

    /// The version whose rules the document is read by: for one that is not known, the newest that is not newer; `None`
    /// if what it says is not a version.
    pub fn version(&self) -> Option<Version> {
        Version::rules_for(&self.opentool)
    }

    /// The function of this name.
    pub fn find(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|function| function.name == name)
    }

    /// The document as JSON, indented by two spaces, with a line end at its end. The same document always gives the
    /// same text, and members stand in the order in which they were read.
    pub fn print(&self) -> String {
        format!("{:#}\n", self.to_value())
    }

    /// The document as a JSON value.
    pub fn to_value(&self) -> serde_json::Value {
        print::document(self)
    }
}

impl Serialize for Document {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_value().serialize(serializer)
    }
}

/// What a document says about itself.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Info {
    /// Its title.
    pub title: String,
    /// More about it.
    pub description: Option<String>,
    /// The version of the document, or of what it describes; not that of the format.
    pub version: String,
    /// Everything else.
    pub extra: Extra,
}

impl Info {
    /// This title, and this version of the document.
    pub fn new(title: impl Into<String>, version: impl Into<String>) -> Self {
        Self { title: title.into(), version: version.into(), ..Self::default() }
    }

    /// Sets the description.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }
}

/// Where the functions of a document are run.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Server {
    /// The address, base path included: `http://127.0.0.1:17001/opentool`.
    pub url: String,
    /// More about it.
    pub description: Option<String>,
    /// Everything else.
    pub extra: Extra,
}

impl Server {
    /// At this address.
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), ..Self::default() }
    }

    /// Sets the description.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }
}
