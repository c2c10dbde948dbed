//! A value as an XML document.
//!
//! There is never a document type, and so there are no entities; every text is escaped, and a value that XML cannot hold (a
//! control character, a name with a space) is refused rather than changed.

use serde_json::{Map, Value};

use super::name::{attribute, cdata, escaped, is_name, is_text};
use super::{Kind, Node, XmlForm};

/// The namespace of `xsi:nil`, by which schemas of XML say `null`.
const INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// What cannot be written: the names of the members that lead to it, and why.
#[derive(Debug)]
pub(crate) struct Unwritable {
    pub(crate) path: Vec<String>,
    pub(crate) expected: &'static str,
}

type Written = Result<(), Unwritable>;

/// The document of a value.
pub(crate) fn write(form: &XmlForm, value: &Value) -> Result<String, Unwritable> {
    write_named(form, "root", value)
}

/// The same, with this name of the root element where the document names none.
pub(crate) fn write_named(form: &XmlForm, name: &str, value: &Value) -> Result<String, Unwritable> {
    let mut writer = Writer { form, out: String::new(), scope: Vec::new(), path: Vec::new() };
    writer.out.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let none = Node::default();
    let root = form.root().unwrap_or(&none);
    match value {
        // A document has one element, so the items of a list stand in one.
        Value::Array(items) => writer.wrapped(root, root.root_name(name), items)?,
        value => writer.element(root, root.root_name(name), value)?,
    }
    Ok(writer.out)
}

struct Writer<'f> {
    form: &'f XmlForm,
    out: String,
    /// Prefixes (the empty one is the default) and what they stand for, the nearest last.
    scope: Vec<(String, String)>,
    /// Where the writer is, for errors.
    path: Vec<String>,
}

impl<'f> Writer<'f> {
    fn node(&self, index: Option<usize>) -> Option<&'f Node> {
        self.form.node(index?)
    }

    /// Something that belongs into the element that is open.
    fn member(&mut self, node: &Node, name: &str, value: &Value) -> Written {
        match value {
            Value::Array(items) if node.is_wrapped() => self.wrapped(node, name, items),
            Value::Array(items) => self.items(node, node.name.as_deref().unwrap_or(name), items),
            value => match node.kind {
                None | Some(Kind::Element) => self.element(node, name, value),
                // Written with the element around it.
                Some(Kind::Attribute) => Ok(()),
                Some(Kind::Text) => self.text(value, escaped),
                Some(Kind::Cdata) => self.text(value, cdata),
                Some(Kind::None) => self.content(node, value),
            },
        }
    }

    /// A list with an element of its own.
    fn wrapped(&mut self, node: &Node, name: &str, items: &[Value]) -> Written {
        let outer = node.name.as_deref().unwrap_or(name);
        let (open, mark) = self.open(node, outer, None)?;
        self.out.push('>');
        self.items(node, outer, items)?;
        self.close(&open, mark);
        Ok(())
    }

    /// The items of a list, one element each.
    fn items(&mut self, list: &Node, outer: &str, items: &[Value]) -> Written {
        let none = Node::default();
        let node = self.node(list.items).unwrap_or(&none);
        for (index, item) in items.iter().enumerate() {
            self.path.push(index.to_string());
            self.member(node, node.item_name(outer), item)?;
            self.path.pop();
        }
        Ok(())
    }

    fn element(&mut self, node: &Node, name: &str, value: &Value) -> Written {
        let name = node.name.as_deref().unwrap_or(name);
        let (open, mark) = self.open(node, name, Some(value))?;
        let begin = self.out.len();
        self.out.push('>');
        self.content(node, value)?;
        if self.out.len() == begin.saturating_add(1) {
            self.out.truncate(begin);
            self.out.push_str("/>");
            self.scope.truncate(mark);
        } else {
            self.close(&open, mark);
        }
        Ok(())
    }

    fn content(&mut self, node: &Node, value: &Value) -> Written {
        match value {
            Value::Null => Ok(()),
            Value::Object(members) => self.members(node, members),
            Value::Array(items) => self.items(node, node.name.as_deref().unwrap_or("item"), items),
            scalar => self.text(scalar, escaped),
        }
    }

    /// The members of an object: those that are described in the document's order, as sequences of XML schemas are, then
    /// the others.
    fn members(&mut self, node: &Node, members: &Map<String, Value>) -> Written {
        let none = Node::default();
        for (name, index) in &node.members {
            if let Some(value) = members.get(name) {
                self.path.push(name.clone());
                let node = self.node(Some(*index)).unwrap_or(&none);
                self.member(node, name, value)?;
                self.path.pop();
            }
        }
        let rest = self.node(node.rest).unwrap_or(&none);
        for (name, value) in members {
            if !node.members.iter().any(|(known, _)| known == name) {
                self.path.push(name.clone());
                if name.contains(':') {
                    return Err(self.unwritable(
                        "expected a member whose name has no `:`: it is the name of an element",
                    ));
                }
                self.member(rest, name, value)?;
                self.path.pop();
            }
        }
        Ok(())
    }

    fn text(&mut self, value: &Value, write: fn(&str) -> String) -> Written {
        let Some(text) = scalar(value) else {
            return Err(
                self.unwritable("expected a text, a number or a boolean: it is the text of an element")
            );
        };
        if !is_text(&text) {
            return Err(self.unwritable("expected text without control characters: XML has none"));
        }
        self.out.push_str(&write(&text));
        Ok(())
    }

    /// Opens an element up to the `>`, with its namespaces and attributes; its name, and how far the scope was.
    fn open(
        &mut self,
        node: &Node,
        name: &str,
        value: Option<&Value>,
    ) -> Result<(String, usize), Unwritable> {
        let mark = self.scope.len();
        let mut declared = String::new();
        let full = self.qualified(node, name, &mut declared)?;
        let mut attributes = String::new();
        match value {
            Some(Value::Object(members)) => self.attributes(node, members, &mut declared, &mut attributes)?,
            Some(Value::Null) => {
                self.declare("xsi", INSTANCE, &mut declared);
                attributes.push_str(" xsi:nil=\"true\"");
            }
            _ => {}
        }
        self.out.push('<');
        self.out.push_str(&full);
        self.out.push_str(&declared);
        self.out.push_str(&attributes);
        Ok((full, mark))
    }

    fn close(&mut self, name: &str, mark: usize) {
        self.out.push_str("</");
        self.out.push_str(name);
        self.out.push('>');
        self.scope.truncate(mark);
    }

    fn attributes(
        &mut self,
        node: &Node,
        members: &Map<String, Value>,
        declared: &mut String,
        attributes: &mut String,
    ) -> Written {
        for (name, index) in &node.members {
            let Some(member) = self.node(Some(*index)) else { continue };
            let Some(value) = members.get(name).filter(|value| !value.is_null()) else { continue };
            if member.kind == Some(Kind::None)
                && let Value::Object(inner) = value
            {
                self.attributes(member, inner, declared, attributes)?;
            }
            if member.kind != Some(Kind::Attribute) {
                continue;
            }
            self.path.push(name.clone());
            let full = self.qualified(member, member.name.as_deref().unwrap_or(name), declared)?;
            // A list in an attribute is a list of XML schemas: words between spaces.
            let text = match value {
                Value::Array(items) => {
                    items.iter().map(scalar).collect::<Option<Vec<_>>>().map(|all| all.join(" "))
                }
                value => scalar(value),
            };
            let text = text.ok_or_else(|| {
                self.unwritable("expected a text, a number or a boolean: it is an attribute")
            })?;
            if !is_text(&text) {
                return Err(self.unwritable("expected text without control characters: XML has none"));
            }
            attributes.push_str(&format!(" {full}=\"{}\"", attribute(&text)));
            self.path.pop();
        }
        Ok(())
    }

    /// The name with its prefix, whose namespace is declared where it is not yet.
    fn qualified(&mut self, node: &Node, name: &str, declared: &mut String) -> Result<String, Unwritable> {
        if !is_name(name) {
            return Err(self.unwritable("expected a name that XML allows: letters, digits, `_`, `-` and `.`"));
        }
        let prefix = node.prefix.as_deref().filter(|prefix| is_name(prefix) && !prefix.contains(':'));
        match (&node.namespace, prefix) {
            (Some(namespace), prefix) if is_text(namespace) => {
                let is_attribute = node.kind == Some(Kind::Attribute);
                // A default namespace is not one of attributes.
                if prefix.is_some() || !is_attribute {
                    self.declare(prefix.unwrap_or_default(), namespace, declared);
                }
            }
            // A prefix that nobody has declared would make the document unreadable.
            (_, Some(prefix)) if !self.scope.iter().any(|(known, _)| known == prefix) => {
                return Ok(name.to_owned());
            }
            _ => {}
        }
        Ok(prefix.map_or_else(|| name.to_owned(), |prefix| format!("{prefix}:{name}")))
    }

    fn declare(&mut self, prefix: &str, namespace: &str, declared: &mut String) {
        let nearest = self.scope.iter().rev().find(|(known, _)| known == prefix);
        if nearest.is_some_and(|(_, known)| known == namespace) {
            return;
        }
        let colon = if prefix.is_empty() { "" } else { ":" };
        declared.push_str(&format!(" xmlns{colon}{prefix}=\"{}\"", attribute(namespace)));
        self.scope.push((prefix.to_owned(), namespace.to_owned()));
    }

    fn unwritable(&self, expected: &'static str) -> Unwritable {
        Unwritable { path: self.path.clone(), expected }
    }
}

/// A value that is a text in XML; none for lists, objects and `null`.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
