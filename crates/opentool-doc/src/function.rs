//! A function: what it is called, what it takes, what it gives.

use indexmap::IndexMap;

use crate::{Extra, Schema};

/// A function of a document.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Function {
    /// Its name: at most 64 of `A-Z a-z 0-9 _ -`, unique in the document.
    pub name: String,
    /// What it does. A model decides by this text.
    pub description: String,
    /// What it takes, in order.
    pub parameters: Vec<Parameter>,
    /// What it gives; `None` for nothing.
    pub returns: Option<Return>,
    /// What a streaming call of it emits, by the name of the event. Since 2.0.0.
    pub stream: IndexMap<String, Return>,
    /// Everything else.
    pub extra: Extra,
}

impl Function {
    /// A function without parameters that gives nothing.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self { name: name.into(), description: description.into(), ..Self::default() }
    }

    /// Adds a parameter.
    pub fn parameter(mut self, parameter: Parameter) -> Self {
        self.parameters.push(parameter);
        self
    }

    /// Sets what it gives.
    pub fn returns(mut self, returns: Return) -> Self {
        self.returns = Some(returns);
        self
    }

    /// Adds an event that a streaming call emits.
    pub fn event(mut self, event: impl Into<String>, data: Return) -> Self {
        self.stream.insert(event.into(), data);
        self
    }

    /// All schemas that stand in the function itself.
    pub(crate) fn schemas_mut(&mut self) -> impl Iterator<Item = &mut Schema> {
        let parameters = self.parameters.iter_mut().map(|parameter| &mut parameter.schema);
        let returns = self.returns.iter_mut().chain(self.stream.values_mut());
        parameters.chain(returns.map(|returns| &mut returns.schema))
    }

    /// The same, to look at.
    pub(crate) fn schemas(&self) -> impl Iterator<Item = &Schema> {
        let parameters = self.parameters.iter().map(|parameter| &parameter.schema);
        let returns = self.returns.iter().chain(self.stream.values());
        parameters.chain(returns.map(|returns| &returns.schema))
    }
}

/// One parameter of a function.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Parameter {
    /// Its name, unique in the function.
    pub name: String,
    /// What it means.
    pub description: Option<String>,
    /// Which values it takes.
    pub schema: Schema,
    /// Whether every call must give it.
    pub required: bool,
    /// Everything else.
    pub extra: Extra,
}

impl Parameter {
    /// A parameter that every call must give.
    pub fn required(name: impl Into<String>, schema: Schema) -> Self {
        Self { required: true, ..Self::optional(name, schema) }
    }

    /// A parameter that a call may leave out.
    pub fn optional(name: impl Into<String>, schema: Schema) -> Self {
        Self { name: name.into(), schema, ..Self::default() }
    }

    /// Sets what it means.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }
}

/// What a function gives, or what an event of a stream holds.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Return {
    /// Its name.
    pub name: String,
    /// What it means.
    pub description: Option<String>,
    /// Which values it has.
    pub schema: Schema,
    /// Everything else.
    pub extra: Extra,
}

impl Return {
    /// Values of this schema, under this name.
    pub fn new(name: impl Into<String>, schema: Schema) -> Self {
        Self { name: name.into(), schema, ..Self::default() }
    }

    /// Sets what it means.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }
}
