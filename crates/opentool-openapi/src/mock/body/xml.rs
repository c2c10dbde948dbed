//! XML bodies, by the document's `xml` objects.
//!
//! There are no entities but the five that XML itself has: a document type is refused.

use quick_xml::Reader;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use serde_json::{Map, Value};

use super::super::contract::WantedMedia;
use super::super::view::View;
use crate::xml::{Kind, Node, XmlForm};

/// How deep elements may nest.
const DEEPEST: usize = 128;

/// An element as it came. Prefixes are not part of the names.
#[derive(Debug, Default)]
struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    children: Vec<Element>,
    text: String,
}

/// The value of a document; nothing where the schema says nothing about what is in it.
pub(super) fn read(media: &WantedMedia, text: &str) -> Result<Option<Value>, String> {
    if media.judge.is_silent() {
        return parse(text).map(|_| None);
    }
    part(&media.xml.clone().unwrap_or_default(), &media.judge.view(), text)
}

/// The value of a document that is a part of a body.
pub(super) fn part(form: &XmlForm, view: &View<'_>, text: &str) -> Result<Option<Value>, String> {
    let root = parse(text)?;
    if view.allows("string") && !view.allows("object") && !view.allows("array") {
        return Ok(None);
    }
    let none = Node::default();
    let node = form.root().unwrap_or(&none);
    let named = node.name.as_deref().or(node.component.as_deref());
    if let Some(expected) = named.filter(|expected| *expected != root.name) {
        return Err(format!("expected the root element `{expected}`, found `{}`", root.name));
    }
    let reading = Reading { form };
    Ok(Some(match view.allows("array") && !view.allows("object") {
        // A document has one root, so that of a list stands around its items.
        true => reading.items(node, view, root.children.iter()),
        false => reading.value(node, view, &root),
    }))
}

struct Reading<'f> {
    form: &'f XmlForm,
}

impl Reading<'_> {
    fn items<'e>(&self, node: &Node, view: &View<'_>, elements: impl Iterator<Item = &'e Element>) -> Value {
        let none = Node::default();
        let item = node.items.and_then(|index| self.form.node(index)).unwrap_or(&none);
        let items = view.items();
        elements.map(|element| self.value(item, &items, element)).collect()
    }

    fn value(&self, node: &Node, view: &View<'_>, element: &Element) -> Value {
        let nil = |(name, value): &(String, String)| name == "nil" && value == "true";
        if element.attributes.iter().any(nil) && element.children.is_empty() {
            return Value::Null;
        }
        let structured =
            !element.children.is_empty() || element.attributes.iter().any(|(name, _)| name != "xmlns");
        let is_object = view.allows("object") || !node.members.is_empty();
        if is_object && (structured || !view.allows_scalar()) || structured && view.is_anything() {
            return self.object(node, view, element);
        }
        view.scalar(&element.text)
    }

    fn object(&self, node: &Node, view: &View<'_>, element: &Element) -> Value {
        let none = Node::default();
        let mut object = Map::new();
        let mut taken: Vec<&str> = Vec::new();
        for (name, index) in &node.members {
            let member = self.form.node(*index).unwrap_or(&none);
            let property = view.property(name);
            let own = member.name.as_deref().unwrap_or(name);
            let found = match member.kind {
                Some(Kind::Attribute) => {
                    let attribute = element.attributes.iter().find(|(known, _)| known == own);
                    attribute.map(|(_, text)| match property.allows("array") && !property.allows_scalar() {
                        true => text.split_whitespace().map(|word| property.items().scalar(word)).collect(),
                        false => property.scalar(text),
                    })
                }
                Some(Kind::Text | Kind::Cdata) => {
                    (!element.text.is_empty()).then(|| property.scalar(&element.text))
                }
                Some(Kind::None) if member.items.is_none() => Some(self.object(member, &property, element))
                    .filter(|value| value.as_object().is_some_and(|members| !members.is_empty())),
                _ if member.items.is_some() && !member.is_wrapped() => {
                    let item = member.items.and_then(|index| self.form.node(index)).unwrap_or(&none);
                    let item_name = item.item_name(own);
                    taken.push(item_name);
                    let mut own = element.children.iter().filter(|child| child.name == item_name).peekable();
                    own.peek().is_some().then(|| self.items(member, &property, own))
                }
                _ => {
                    taken.push(own);
                    element.children.iter().find(|child| child.name == own).map(|child| {
                        match member.items.is_some() {
                            true => self.items(member, &property, child.children.iter()),
                            false => self.value(member, &property, child),
                        }
                    })
                }
            };
            if let Some(value) = found {
                object.insert(name.clone(), value);
            }
        }
        let rest = node.rest.and_then(|index| self.form.node(index)).unwrap_or(&none);
        for child in element.children.iter().filter(|child| !taken.contains(&child.name.as_str())) {
            let value = self.value(rest, &view.property(&child.name), child);
            match object.get_mut(&child.name) {
                Some(Value::Array(items)) => items.push(value),
                Some(first) => *first = Value::Array(vec![first.take(), value]),
                None => {
                    object.insert(child.name.clone(), value);
                }
            }
        }
        Value::Object(object)
    }
}

/// The tree of a document.
fn parse(text: &str) -> Result<Element, String> {
    let mut reader = Reader::from_str(text);
    let mut open: Vec<Element> = Vec::new();
    let mut root = None;
    let wrong = |error: &dyn std::fmt::Display| format!("expected XML: {error}");
    loop {
        let event = reader.read_event().map_err(|error| wrong(&error))?;
        match event {
            Event::Start(start) => {
                if open.len() >= DEEPEST {
                    return Err(format!("expected at most {DEEPEST} elements in each other"));
                }
                open.push(element(&start)?);
            }
            Event::Empty(start) => close(element(&start)?, &mut open, &mut root)?,
            Event::End(_) => {
                // The reader knows that it was open.
                let Some(done) = open.pop() else { return Err(wrong(&"an element ends twice")) };
                close(done, &mut open, &mut root)?;
            }
            Event::Text(text) => add(&text.xml10_content(), &mut open)?,
            Event::CData(text) => add(&text.xml10_content(), &mut open)?,
            Event::GeneralRef(reference) => {
                let resolved = reference.resolve_char_ref().map_err(|error| wrong(&error))?;
                let name = reference.xml10_content();
                let predefined = quick_xml::escape::resolve_predefined_entity(&name).map(str::to_owned);
                let text = resolved.map(String::from).or(predefined);
                add(&text.ok_or_else(|| wrong(&format!("there is no entity `{name}`")))?, &mut open)?;
            }
            Event::DocType(_) => return Err("expected XML without a document type".to_owned()),
            Event::Eof if open.is_empty() => return root.ok_or_else(|| wrong(&"there is no element")),
            Event::Eof => return Err(wrong(&"an element does not end")),
            Event::Decl(_) | Event::PI(_) | Event::Comment(_) => {}
        }
    }
}

fn element(start: &BytesStart<'_>) -> Result<Element, String> {
    let mut element = Element { name: local(start.name().into_inner()), ..Element::default() };
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| format!("expected XML: {error}"))?;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0);
        let value = value.map_err(|error| format!("expected XML: {error}"))?;
        let name = attribute.key.into_inner();
        let name = if name.starts_with("xmlns") { "xmlns".to_owned() } else { local(name) };
        element.attributes.push((name, value.into_owned()));
    }
    Ok(element)
}

/// A name without its prefix.
fn local(name: &str) -> String {
    name.rsplit(':').next().unwrap_or(name).to_owned()
}

fn close(done: Element, open: &mut [Element], root: &mut Option<Element>) -> Result<(), String> {
    match open.last_mut() {
        Some(around) => around.children.push(done),
        None if root.is_none() => *root = Some(done),
        None => return Err("expected one root element".to_owned()),
    }
    Ok(())
}

fn add(text: &str, open: &mut [Element]) -> Result<(), String> {
    match open.last_mut() {
        Some(element) => element.text.push_str(text),
        None if text.trim().is_empty() => {}
        None => return Err("expected no text outside the root element".to_owned()),
    }
    Ok(())
}
