//! How values are written as XML: what the `xml` objects of a document's schemas say, and the writer by it.
//!
//! JSON Schema has no attributes, no wrappers and no namespaces, and so the `xml` objects do not survive the way to the schemas
//! that tools carry. They are kept here instead, one node a schema, shared by all operations of a document and as circular as
//! the schemas are. Writing needs them only where a body is XML.
//!
//! Documents before 3.2 say `attribute` and `wrapped`, 3.2 says `nodeType`; both are read everywhere.

mod learn;
mod name;
mod write;

use std::sync::{Arc, OnceLock};

pub(crate) use learn::Learner;
pub(crate) use write::{Unwritable, write, write_named};

/// How the values of one schema are written as XML.
#[derive(Debug, Clone, Default)]
pub struct XmlForm {
    nodes: Arc<OnceLock<Vec<Node>>>,
    root: usize,
}

/// What is known about the values of one schema.
#[derive(Debug, Clone, Default)]
pub(crate) struct Node {
    /// The name that the `xml` object gives.
    pub(crate) name: Option<String>,
    /// The name of the schema among the document's components.
    pub(crate) component: Option<String>,
    pub(crate) namespace: Option<String>,
    pub(crate) prefix: Option<String>,
    /// What it becomes; nothing where the document says nothing.
    pub(crate) kind: Option<Kind>,
    /// The properties, in the order of the document, which is the order in which they are written.
    pub(crate) members: Vec<(String, usize)>,
    pub(crate) items: Option<usize>,
    /// The properties that are not described.
    pub(crate) rest: Option<usize>,
}

/// What a value becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An element; of a list, one around its items.
    Element,
    /// An attribute of the element around it.
    Attribute,
    /// Text of the element around it.
    Text,
    /// The same in a CDATA section.
    Cdata,
    /// Nothing of its own: what is in it belongs to the element around it.
    None,
}

impl XmlForm {
    /// The node of the whole value.
    pub(crate) fn root(&self) -> Option<&Node> {
        self.node(self.root)
    }

    /// The form of a member of the value; one that says nothing where the member is not described.
    pub(crate) fn member(&self, name: &str) -> Self {
        let members = self.root().map(|node| node.members.as_slice()).unwrap_or_default();
        self.at(members.iter().find(|(own, _)| own == name).map(|(_, index)| *index))
    }

    /// The form of the items of the value.
    pub(crate) fn items(&self) -> Self {
        self.at(self.root().and_then(|node| node.items))
    }

    fn at(&self, index: Option<usize>) -> Self {
        index.map_or_else(Self::default, |root| Self { nodes: Arc::clone(&self.nodes), root })
    }

    pub(crate) fn node(&self, index: usize) -> Option<&Node> {
        self.nodes.get()?.get(index)
    }
}

impl Node {
    /// The name of the root element, where the document names none `otherwise`.
    pub(crate) fn root_name<'n>(&'n self, otherwise: &'n str) -> &'n str {
        self.name.as_deref().or(self.component.as_deref()).unwrap_or(otherwise)
    }

    /// The name of the element of each item, in a list whose own is `outer`.
    pub(crate) fn item_name<'n>(&'n self, outer: &'n str) -> &'n str {
        self.name.as_deref().unwrap_or(outer)
    }

    /// Whether a list has an element of its own around its items.
    pub(crate) fn is_wrapped(&self) -> bool {
        self.kind == Some(Kind::Element)
    }
}
