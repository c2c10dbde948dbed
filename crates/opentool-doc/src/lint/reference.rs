//! Rules about `schemas` and the references to them.

use std::collections::HashSet;

use opentool_text::{Members, Tree};

use super::members::SCHEMA;
use super::{Culprit, Lint, Rule, graph, rule};
use crate::reference;
use crate::words::short;

impl<'d> Lint<'d> {
    pub(super) fn schemas(&mut self, value: &'d Tree<'d>) {
        let Tree::Object(schemas) = value else {
            let help = "write `\"schemas\": {\"Pet\": {\"type\": \"object\", \"properties\": {…}}}`";
            return self.not_a(value, "schemas", "an object", help);
        };
        for (name, schema) in schemas.iter() {
            self.within(name, |lint| {
                lint.schema_name(name);
                lint.inside = Some(name);
                lint.schema(schema, 0);
                lint.inside = None;
            });
        }
        let endless = graph::endless(schemas.keys(), |name| self.aliases.get(name).copied());
        self.second_references(schemas, &endless);
        self.unused(schemas);
        self.recursive(schemas, &endless);
    }

    fn schema_name(&mut self, name: &str) {
        if name.is_empty() {
            let help = "give the schema a name, for example `Pet`";
            self.found(rule::EMPTY_NAME, Culprit::Key, "the name is empty", help);
        } else if !name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')) {
            let message =
                format!("the schema name `{}` has characters that references must escape", short(name));
            let help = "use A-Z, a-z, 0-9, `_`, `-` and `.`";
            self.found(rule::SCHEMA_NAME, Culprit::Key, message, help);
        }
    }

    /// A schema that is a reference.
    pub(super) fn reference(&mut self, object: &'d Members<'d>, value: &'d Tree<'d>, depth: usize) {
        let siblings = object
            .keys()
            .filter(|name| !matches!(*name, "$ref" | "description" | "$schema") && !name.starts_with("x-"));
        for name in siblings {
            self.within(name, |lint| {
                let message = format!("`{}` stands beside `$ref`, and does not count", short(name));
                let help = "remove it, or write the schema out instead of referring to it";
                lint.found(rule::REF_SIBLINGS, Culprit::Key, message, help);
            });
        }
        let Tree::String(text) = value else {
            return self.within("$ref", |lint| {
                lint.not_a(value, "$ref", "a text", "write `\"$ref\": \"#/schemas/NAME\"`");
            });
        };
        self.within("$ref", |lint| {
            let Some(name) = reference::name(text) else { return lint.outside(text) };
            let Some((name, _)) = lint.schemas.and_then(|schemas| schemas.entry(&name)) else {
                return lint.not_found(&name);
            };
            lint.uses.entry(lint.inside).or_default().push(name);
            if let Some(inside) = lint.inside.filter(|_| lint.needed) {
                lint.needs.entry(inside).or_default().push(name);
            }
            if let Some(alias) = lint.inside.filter(|_| depth == 0) {
                lint.aliases.insert(alias, name);
            }
        });
    }

    fn outside(&mut self, text: &str) {
        let shown = short(text);
        let message = format!("`{shown}` leads out of `#/schemas/`; any value is accepted in its place");
        let last = text.rsplit('/').next().unwrap_or_default();
        let inside = text.strip_prefix("#/schemas/").and_then(|rest| rest.split_once('/'));
        let help = match inside {
            Some((name, _)) => format!(
                "a reference leads to a whole schema; give the part inside `{}` a name of its own",
                short(name)
            ),
            None if self.schemas.is_some_and(|schemas| schemas.contains_key(last)) => {
                format!("write `\"#/schemas/{}\"`", short(last))
            }
            None => "copy the schema to `schemas` and write `\"#/schemas/NAME\"`".to_owned(),
        };
        self.found(rule::REF_OUTSIDE, Culprit::Value, message, help);
    }

    fn not_found(&mut self, name: &str) {
        let shown = short(name);
        let message = format!("there is no schema `{shown}`; any value is accepted in its place");
        let known = self.schemas.into_iter().flat_map(Members::keys);
        let help = match self.guesses.nearest(name, known) {
            Some(known) => format!("did you mean `#/schemas/{known}`?"),
            None => format!("add it: `\"schemas\": {{\"{shown}\": {}}}`", SCHEMA.example),
        };
        self.found(rule::REF_NOT_FOUND, Culprit::Value, message, help);
    }

    /// Schemas that are only references.
    fn second_references(&mut self, schemas: &'d Members<'d>, endless: &HashSet<&'d str>) {
        for alias in schemas.keys() {
            let Some(target) = self.aliases.get(alias).copied() else { continue };
            let mark = self.at.enter(alias);
            self.at.enter("$ref");
            if endless.contains(alias) {
                let message = format!(
                    "`{}` refers to `{}`, and there is never a schema; any value is accepted in its place",
                    short(alias),
                    short(target)
                );
                self.found(
                    rule::REF_ENDLESS,
                    Culprit::Value,
                    message,
                    "write the schema out in one of the two",
                );
            } else {
                let message = format!(
                    "`{}` is only a reference to `{}`; some readers do not follow a second one",
                    short(alias),
                    short(target)
                );
                let help = format!("refer to `#/schemas/{}` where `{}` is used", short(target), short(alias));
                self.found(rule::REF_TO_REF, Culprit::Value, message, help);
            }
            self.at.back(mark);
        }
    }

    fn unused(&mut self, schemas: &'d Members<'d>) {
        let used = graph::reachable(self.uses.get(&None).into_iter().flatten().copied(), |name| {
            self.uses.get(&Some(name)).map_or(&[], Vec::as_slice)
        });
        for name in schemas.keys().filter(|name| !used.contains(*name)) {
            self.within(name, |lint| {
                let message = format!("no function uses the schema `{}`", short(name));
                lint.found(
                    rule::UNUSED_SCHEMA,
                    Culprit::Key,
                    message,
                    "remove it, or refer to it with `$ref`",
                );
            });
        }
    }

    fn recursive(&mut self, schemas: &'d Members<'d>, endless: &HashSet<&'d str>) {
        let names = || schemas.keys();
        let never_end = graph::cycles(names(), |name| self.needs.get(name).map_or(&[], Vec::as_slice));
        let cycles = graph::cycles(names(), |name| self.uses.get(&Some(name)).map_or(&[], Vec::as_slice));
        let told: HashSet<&str> = never_end.iter().flatten().copied().collect();
        for cycle in never_end {
            let help = "take one of the circle out of `required`, or make it a list, which may be empty";
            let what = "and is required all the way: no value can satisfy it";
            self.circle(rule::ENDLESS_SCHEMA, &cycle, endless, what, help);
        }
        for cycle in cycles.into_iter().filter(|cycle| !cycle.iter().any(|name| told.contains(name))) {
            let help = "that is allowed; as JSON Schema it becomes a definition that refers to itself";
            self.circle(rule::RECURSIVE_SCHEMA, &cycle, endless, "", help);
        }
    }

    fn circle(&mut self, rule: Rule, cycle: &[&'d str], endless: &HashSet<&'d str>, what: &str, help: &str) {
        // References that lead to no schema are told of already.
        let Some(first) = cycle.first().copied().filter(|first| !endless.contains(first)) else { return };
        self.within(first, |lint| {
            let mut message = format!("the schema `{}` contains itself", short(first));
            if let Some(next) = cycle.get(1) {
                message.push_str(&format!(", by way of `{}`", short(next)));
            }
            if !what.is_empty() {
                message.push_str(if cycle.len() > 1 { ", " } else { " " });
                message.push_str(what);
            }
            lint.found(rule, Culprit::Key, message, help);
        });
    }
}
