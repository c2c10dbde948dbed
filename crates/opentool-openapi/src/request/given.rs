//! The arguments of one request, borrowed from whoever gave them, by the parameters that they are for.
//!
//! It exists because a request is built for every call: sorting by place must not copy what the model wrote. What a host
//! keeps, or sorts by hand, is [`Located`].

use std::borrow::Cow;

use opentool_core::{Arguments, ToolError};
use serde_json::{Map, Value};

use super::located::{Located, unknown};
use super::problems::Problems;
use crate::plan::{BodyArguments, Operation, Parameter};

/// Values by parameter, and the whole body.
#[derive(Debug)]
pub(super) struct Given<'a> {
    values: Vec<(&'a Parameter, &'a Value)>,
    pub(super) body: Option<Cow<'a, Value>>,
    /// As which of the declared media types the body is sent, where the caller says so.
    pub(super) media_type: Option<&'a str>,
}

impl<'a> Given<'a> {
    /// Sorts the arguments of the operation's tool.
    ///
    /// # Errors
    /// [`ToolError::InvalidArguments`] if there is an argument that the operation does not have.
    pub(super) fn from_arguments(
        operation: &'a Operation,
        arguments: &'a Arguments,
    ) -> Result<Self, ToolError> {
        let values = Vec::with_capacity(operation.parameters.len());
        let mut given = Self { values, body: None, media_type: None };
        let mut problems = Problems::default();
        let mut properties = Map::new();
        for (name, value) in arguments.iter() {
            if let Some(parameter) = operation.parameters.iter().find(|p| p.argument == *name) {
                given.values.push((parameter, value));
                continue;
            }
            match operation.body.as_ref().map(|body| &body.arguments) {
                Some(BodyArguments::Whole(body)) if body == name => given.body = Some(Cow::Borrowed(value)),
                Some(BodyArguments::Properties(names)) if names.contains(name) => {
                    properties.insert(name.clone(), value.clone());
                }
                _ => problems.add(unknown(name)),
            }
        }
        problems.finish()?;
        if let Some(body) = &operation.body
            && matches!(body.arguments, BodyArguments::Properties(_))
            && (body.required || !properties.is_empty())
        {
            given.body = Some(Cow::Owned(Value::Object(properties)));
        }
        given.add_defaults(operation);
        Ok(given)
    }

    /// What was sorted before.
    pub(super) fn from_located(operation: &'a Operation, located: &'a Located) -> Self {
        let of = |parameter: &'a Parameter| Some((parameter, located.get(parameter)?));
        let mut given = Self {
            values: operation.parameters.iter().filter_map(of).collect(),
            body: located.body.as_ref().map(Cow::Borrowed),
            media_type: located.media_type.as_deref(),
        };
        given.add_defaults(operation);
        given
    }

    /// What has to be sent and was left out, where the document says what it is then.
    fn add_defaults(&mut self, operation: &'a Operation) {
        for parameter in &operation.parameters {
            if let Some(default) = parameter.sent_default()
                && self.get(parameter).is_none()
            {
                self.values.push((parameter, default));
            }
        }
    }

    /// The value of a parameter of the operation.
    pub(super) fn get(&self, parameter: &Parameter) -> Option<&'a Value> {
        self.values.iter().find(|(known, _)| std::ptr::eq(*known, parameter)).map(|(_, value)| *value)
    }

    /// The same as a host would keep it.
    pub(super) fn into_located(self) -> Located {
        let mut located = Located::default();
        for (parameter, value) in self.values {
            located.insert(parameter.place, &parameter.name, value.clone());
        }
        located.body = self.body.map(Cow::into_owned);
        located
    }
}
