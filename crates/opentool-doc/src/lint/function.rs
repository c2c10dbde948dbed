//! Rules about functions, their parameters and what they give.

use std::collections::HashMap;

use opentool_text::{Members, Tree};

use super::document::present;
use super::members::{FUNCTION, PARAMETER, RETURN};
use super::{Culprit, Lint, Rule, rule};
use crate::Version;
use crate::words::short;

/// The names that were seen, and where.
type Seen<'d> = HashMap<&'d str, usize>;

impl<'d> Lint<'d> {
    pub(super) fn functions(&mut self, value: &'d Tree<'d>) {
        let Tree::Array(functions) = value else {
            return self.not_a(
                value,
                "functions",
                "a list",
                "write `\"functions\": [{…}]`, one object for each function",
            );
        };
        if functions.is_empty() {
            let message = "the document describes no function, so there is nothing to call";
            let help = format!("add one: `{}`", FUNCTION.example);
            self.found(rule::NO_FUNCTIONS, Culprit::Key, message, help);
        }
        let mut seen = Seen::new();
        for (index, function) in functions.iter().enumerate() {
            self.within_item(index, |lint| lint.function(function, index, &mut seen));
        }
    }

    fn function(&mut self, value: &'d Tree<'d>, index: usize, seen: &mut Seen<'d>) {
        let Some(object) = self.object(value, &FUNCTION) else { return };
        if let Some(name) = self.text(object, "name") {
            self.within("name", |lint| {
                lint.function_name(name);
                lint.unique(rule::DUPLICATE_FUNCTION, name, index, seen, "functions");
            });
        }
        self.description(object);
        if let Some(parameters) = present(object, "parameters") {
            self.within("parameters", |lint| lint.parameters(parameters));
        }
        if let Some(returns) = present(object, "return") {
            self.within("return", |lint| lint.returns(returns));
        }
        if let Some(stream) = present(object, "stream") {
            self.within("stream", |lint| lint.stream(stream));
        }
    }

    fn parameters(&mut self, value: &'d Tree<'d>) {
        let Tree::Array(parameters) = value else {
            let help =
                format!("write a list, empty if there are none: `\"parameters\": [{}]`", PARAMETER.example);
            return self.not_a(value, "parameters", "a list", help);
        };
        let mut seen = Seen::new();
        for (index, parameter) in parameters.iter().enumerate() {
            self.within_item(index, |lint| lint.parameter(parameter, index, &mut seen));
        }
    }

    fn parameter(&mut self, value: &'d Tree<'d>, index: usize, seen: &mut Seen<'d>) {
        let Some(object) = self.object(value, &PARAMETER) else { return };
        let name = self.plain_name(object, "city");
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            self.within("name", |lint| {
                lint.unique(rule::DUPLICATE_PARAMETER, name, index, seen, "parameters")
            });
        }
        let described = self.description(object).is_some() || self.is_described(object.get("schema"));
        if let (Some(name), false) = (name, described) {
            let message = format!("nothing says what `{}` means, and a model has to fill it in", short(name));
            self.found(
                rule::NO_DESCRIPTION,
                Culprit::Key,
                message,
                "add `\"description\": \"What it means.\"`",
            );
        }
        self.member_schema(object);
        if let Some(required) = present(object, "required")
            && required.as_bool().is_none()
        {
            self.within("required", |lint| {
                lint.not_a(
                    required,
                    "required",
                    "true or false",
                    "write `\"required\": true` or `\"required\": false`",
                );
            });
        }
    }

    /// Whether a schema, or the one that it refers to, has a description.
    fn is_described(&self, schema: Option<&Tree<'_>>) -> bool {
        let Some(schema) = schema.and_then(Tree::as_object) else { return false };
        let referred = schema
            .get("$ref")
            .and_then(Tree::as_str)
            .and_then(crate::reference::name)
            .and_then(|name| self.schemas?.get(&name));
        schema.contains_key("description")
            || referred.is_some_and(|schema| schema.get("description").is_some())
    }

    fn stream(&mut self, value: &'d Tree<'d>) {
        self.since(Version::V2_0_0, "stream");
        let Tree::Object(events) = value else {
            let help = format!("write an object of events: `\"stream\": {{\"data\": {}}}`", RETURN.example);
            return self.not_a(value, "stream", "an object", help);
        };
        for (event, data) in events.iter() {
            self.within(event, |lint| lint.returns(data));
        }
    }

    fn returns(&mut self, value: &'d Tree<'d>) {
        let Some(object) = self.object(value, &RETURN) else { return };
        self.plain_name(object, "weather");
        self.description(object);
        self.member_schema(object);
    }

    fn member_schema(&mut self, object: &'d Members<'d>) {
        if let Some(schema) = present(object, "schema") {
            self.within("schema", |lint| lint.schema(schema, 0));
        }
    }

    fn unique(&mut self, rule: Rule, name: &'d str, index: usize, seen: &mut Seen<'d>, list: &str) {
        if let Some(first) = seen.get(name) {
            let shown = short(name);
            let message = format!("the name `{shown}` is taken: `{list}/{first}` has it");
            self.found(rule, Culprit::Value, message, "rename one of the two");
        } else {
            seen.insert(name, index);
        }
    }
}
