//! A profile applied to tools: narrower definitions, the same calls behind them.

use std::sync::Arc;

use opentool_core::{
    Arguments, BoxFuture, Schema, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput, ToolSet,
};
use serde_json::Value;

use super::names::Names;
use super::{EnumStyle, Ignore, Profile, ProfileError, Settings};
use crate::nearest::nearest;

impl Profile {
    /// The same tools as the profile shows them. Calls are checked against what is shown; what is not shown is not
    /// taken from a model either, and names of variants become the values that the tool reads.
    ///
    /// # Errors
    /// [`ProfileError`].
    pub fn apply(&self, tools: &ToolSet) -> Result<ToolSet, ProfileError> {
        let mut shown: Vec<Arc<dyn Tool>> = Vec::with_capacity(tools.len());
        let mut any = false;
        for tool in tools {
            let name = &tool.definition().name;
            self.check_names(tool.definition())?;
            shown.push(match Shown::new(tool, &self.settings_of(name))? {
                Some(narrower) => {
                    any = true;
                    Arc::new(narrower)
                }
                None => Arc::clone(tool),
            });
        }
        if !any {
            return Ok(tools.clone());
        }
        // No name has changed, so none can clash.
        Ok(ToolSet::from_tools(shown).unwrap_or_default())
    }

    /// Whether the parameters that the tool's own settings name are there; a list for all tools fits some of them.
    fn check_names(&self, definition: &ToolDefinition) -> Result<(), ProfileError> {
        let Some(own) = self.tools.get(&definition.name) else { return Ok(()) };
        for parameter in own.ignored.iter().flatten() {
            let known = || definition.input_schema.properties().map(|(name, _)| name);
            if !known().any(|name| name == parameter) {
                return Err(ProfileError::UnknownParameter {
                    tool: definition.name.as_str().into(),
                    parameter: parameter.as_str().into(),
                    nearest: nearest(parameter, known()).map(Into::into),
                });
            }
        }
        Ok(())
    }
}

/// A tool as a profile shows it. It has no shortcut for texts: that one would ask the schema of the inner tool.
struct Shown {
    definition: ToolDefinition,
    inner: Arc<dyn Tool>,
    hidden: Vec<String>,
    names: Option<Names>,
}

impl Shown {
    /// `None` if the settings change nothing about the tool.
    fn new(tool: &Arc<dyn Tool>, settings: &Settings) -> Result<Option<Self>, ProfileError> {
        let before = tool.definition();
        let mut definition = before.clone();
        if settings.description == Some(Ignore::Yes) {
            definition.description.clear();
        }
        let hidden = hidden(before, settings);
        if let Some(parameter) = hidden.iter().find(|name| before.input_schema.requires(name)) {
            return Err(ProfileError::Required {
                tool: before.name.as_str().into(),
                parameter: parameter.as_str().into(),
            });
        }
        let mute = settings.parameter_descriptions == Some(Ignore::Yes);
        let mut names = None;
        let by_name = settings.enums == Some(EnumStyle::Names);
        if !hidden.is_empty() || mute || by_name {
            let mut schema = if by_name {
                let named = Names::of(before.input_schema.as_named());
                let schema = named.shown();
                names = Some(named).filter(|names| !names.is_empty());
                schema
            } else {
                before.input_schema.as_value().clone()
            };
            narrow(&mut schema, &hidden, mute);
            definition.input_schema = Schema::new(schema);
        }
        let same = definition.description == before.description
            && definition.input_schema == before.input_schema
            && names.is_none();
        Ok((!same).then(|| Self { definition, inner: Arc::clone(tool), hidden, names }))
    }
}

/// The parameters that are there and not shown.
fn hidden(definition: &ToolDefinition, settings: &Settings) -> Vec<String> {
    let all = settings.all_parameters == Some(Ignore::Yes);
    let listed = |name: &str| settings.ignored.iter().flatten().any(|ignored| ignored == name);
    let names = definition.input_schema.properties().map(|(name, _)| name);
    names.filter(|name| all || listed(name)).map(str::to_owned).collect()
}

fn narrow(schema: &mut Value, hidden: &[String], mute: bool) {
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else { return };
    properties.retain(|name, _| !hidden.contains(name));
    if mute {
        for property in properties.values_mut().filter_map(Value::as_object_mut) {
            property.shift_remove("description");
        }
    }
}

impl Tool for Shown {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn call<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        let mut members = arguments.into_map();
        // A schema that allows further properties lets them through under any name.
        members.retain(|name, _| !self.hidden.contains(name));
        let mut value = Value::Object(members);
        if let Some(names) = &self.names {
            names.read(&mut value);
        }
        let arguments = match value {
            Value::Object(members) => members.into(),
            _ => Arguments::new(),
        };
        self.inner.call(cx, arguments)
    }
}
