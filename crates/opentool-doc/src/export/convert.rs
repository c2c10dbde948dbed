//! A JSON Schema on its way to schemas of the format: where it is, what was lost, which definitions are needed.

use std::collections::HashSet;

use indexmap::IndexMap;
use opentool_text::Pointer;
use serde_json::Value;

use super::schema::SILENT;
use crate::{Schema, SchemaType};

/// The deepest schema that is looked at. Real ones have a tenth of it, and each level takes stack.
pub(super) const MAX_DEPTH: usize = 64;

/// How many schemas are looked at for one tool. Merging references (`allOf`) writes them out anew, and a hostile schema
/// could make that grow without end.
const MAX_STEPS: usize = 200_000;

/// A pointer, a keyword, and what was done.
pub(super) type Lost = (String, String, String);

pub(super) struct Converter<'s> {
    root: &'s Value,
    pub(super) at: Pointer,
    pub(super) depth: usize,
    steps: usize,
    lost: Vec<Lost>,
    seen: HashSet<(String, String)>,
    /// The definitions that are referred to: pointer in the root → name.
    names: IndexMap<String, String>,
    /// The pointers of the references that are being written out.
    pub(super) expanding: Vec<String>,
    /// The pointer of the arguments: that nothing else is allowed goes without saying there.
    pub(super) arguments: Option<String>,
    /// Whether what has no keyword is told in descriptions; not in alternatives, of which none holds for sure.
    pub(super) tells: bool,
}

/// What a conversion gives beside the schema itself.
pub(super) struct Finished {
    pub(super) lost: Vec<Lost>,
    pub(super) definitions: IndexMap<String, Schema>,
}

impl<'s> Converter<'s> {
    /// For this schema, which stands at this pointer of the definition.
    pub(super) fn new(root: &'s Value, pointer: &str) -> Self {
        Self {
            root,
            at: Pointer::at(pointer),
            depth: 0,
            steps: 0,
            lost: Vec::new(),
            seen: HashSet::new(),
            names: IndexMap::new(),
            expanding: Vec::new(),
            arguments: None,
            tells: true,
        }
    }

    /// The whole schema.
    pub(super) fn root(&mut self) -> Schema {
        let schema = self.partial(self.root);
        self.finished(schema)
    }

    /// The whole schema as an object of arguments. Its description is for the function's.
    pub(super) fn arguments(&mut self) -> Schema {
        self.arguments = Some(self.at.as_str().to_owned());
        let mut arguments = self.partial(self.root);
        if arguments.reference.is_some() {
            arguments = self.written_out(arguments);
        }
        let kind = *arguments.kind.get_or_insert(SchemaType::Object);
        if kind != SchemaType::Object {
            self.lose(
                "type",
                format!("arguments are an object, and this is `{kind}`; the function has no parameters"),
            );
            return Schema::object();
        }
        if arguments.description.take().is_some() {
            let keyword = if self.root.get("description").is_some() { "description" } else { "$ref" };
            self.lose(keyword, "parameters as a whole have no description; it is left out");
        }
        self.finished(arguments)
    }

    /// Converts the definitions that the schema refers to, and those that they refer to.
    pub(super) fn finish(mut self, schema: &Schema) -> Finished {
        self.arguments = None;
        let mut definitions = IndexMap::new();
        let mut next = Vec::new();
        references(schema, &mut next);
        next.reverse();
        while let Some(name) = next.pop() {
            let Some((pointer, target)) = self.named(&name).filter(|_| !definitions.contains_key(&name))
            else {
                continue;
            };
            let root = self.go_to(&pointer);
            self.expanding.push(pointer);
            let schema = self.partial(target);
            // Some readers do not follow a second reference.
            let schema = self.written_out(schema);
            let schema = self.finished(schema);
            self.expanding.pop();
            self.at = root;
            let mut more = Vec::new();
            references(&schema, &mut more);
            next.extend(more.into_iter().rev());
            definitions.insert(name, schema);
        }
        Finished { lost: self.lost, definitions }
    }

    /// Goes to a pointer of the root; gives the place to come back to.
    pub(super) fn go_to(&mut self, pointer: &str) -> Pointer {
        let place = Pointer::at(format!("{}{pointer}", self.prefix()));
        std::mem::replace(&mut self.at, place)
    }

    /// Where the root stands.
    fn prefix(&self) -> String {
        let pointer = self.at.as_str();
        pointer.split('/').nth(1).map_or_else(String::new, |first| format!("/{first}"))
    }

    /// Notes that a keyword of the schema where the conversion is was lost; without a keyword, the schema itself.
    pub(super) fn lose(&mut self, keyword: &str, message: impl Into<String>) {
        let pointer = match keyword {
            "" => self.at.as_str().to_owned(),
            keyword => opentool_text::pointer::join(self.at.as_str(), keyword),
        };
        let message = message.into();
        // What is written out in several places loses the same again.
        if self.seen.insert((pointer.clone(), message.clone())) {
            self.lost.push((pointer, keyword.to_owned(), message));
        }
    }

    /// Notes that a keyword has no counterpart.
    pub(super) fn lose_plainly(&mut self, keyword: &str) {
        self.lose(keyword, format!("schemas of the format have no `{keyword}`; it is left out"));
    }

    /// Converts something that does not hold for all values: nothing of it is told in descriptions.
    pub(super) fn untold<T>(&mut self, convert: impl FnOnce(&mut Self) -> T) -> T {
        let told = std::mem::replace(&mut self.tells, false);
        let result = convert(self);
        self.tells = told;
        result
    }

    /// Converts something inside a member.
    pub(super) fn within<T>(&mut self, member: &str, convert: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.at.enter(member);
        let result = convert(self);
        self.at.back(mark);
        result
    }

    /// Counts a schema; says whether it may be looked at.
    pub(super) fn step(&mut self) -> bool {
        self.steps = self.steps.saturating_add(1);
        self.depth < MAX_DEPTH && self.steps < MAX_STEPS
    }

    /// The pointer that a reference leads to, if there is a schema.
    pub(super) fn target(&self, reference: &str) -> Option<(String, &'s Value)> {
        let pointer = reference.strip_prefix('#')?;
        let pointer = percent_encoding::percent_decode_str(pointer).decode_utf8().ok()?.into_owned();
        let target = self.root.pointer(&pointer)?;
        (target.is_object() || target.is_boolean()).then_some((pointer, target))
    }

    /// The same for a reference that may lead to a schema that is nothing but a reference, and so on.
    pub(super) fn last_target(&self, reference: &str) -> Option<(String, &'s Value)> {
        let mut found = self.target(reference)?;
        for _ in 0..MAX_DEPTH {
            let only = found.1.as_object().filter(|members| members.keys().all(|keyword| leads_on(keyword)));
            match only.and_then(|members| members.get("$ref")?.as_str()) {
                Some(next) => found = self.target(next)?,
                None => return Some(found),
            }
        }
        None
    }

    /// The definition of a name that [`Self::definition`] gave.
    pub(super) fn named(&self, name: &str) -> Option<(String, &'s Value)> {
        let (pointer, _) = self.names.iter().find(|(_, given)| *given == name)?;
        Some((pointer.clone(), self.root.pointer(pointer)?))
    }

    /// The name of the definition at a pointer of the root.
    pub(super) fn definition(&mut self, pointer: &str) -> String {
        if let Some(name) = self.names.get(pointer) {
            return name.clone();
        }
        let last = opentool_text::pointer::members(pointer).last().unwrap_or_default();
        let base = match last.as_str() {
            "" if pointer.is_empty() && self.prefix() == "/outputSchema" => "Result".to_owned(),
            "" if pointer.is_empty() => "Arguments".to_owned(),
            _ => last,
        };
        let taken: HashSet<&str> = self.names.values().map(String::as_str).collect();
        let mut name = base.clone();
        let mut number = 2_u64;
        while taken.contains(name.as_str()) {
            name = format!("{base}_{number}");
            number = number.saturating_add(1);
        }
        self.names.insert(pointer.to_owned(), name.clone());
        name
    }
}

/// Keywords of a schema that only leads to another one.
fn leads_on(keyword: &str) -> bool {
    keyword == "$ref" || SILENT.contains(&keyword)
}

/// The names that a schema refers to, in order.
fn references(schema: &Schema, names: &mut Vec<String>) {
    names.extend(schema.referred().map(std::borrow::Cow::into_owned));
    schema.inner().for_each(|inner| references(inner, names));
}
