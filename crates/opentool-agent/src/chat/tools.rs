//! The tools of a conversation under the names and in the forms that the server takes.
//!
//! A tool whose name or schema the server would refuse is sent in a form that it takes, and calls find the way back;
//! what the model wrote before is shown to it in the same form. Arguments that are no JSON stay as they are: mending
//! them is the business of whoever runs the tool.

use std::sync::{Arc, Mutex, PoisonError};

use opentool_core::{AssistantMessage, ChatRequest, ModelError, Strict, ToolCall, ToolChoice, ToolSet};
use opentool_schema::{Dialect, LowerOptions, LoweredSet, holds_all, lower_all};
use serde_json::Value;

/// How many tool sets stay lowered.
const KEPT: usize = 4;

/// Tool sets that were lowered for one dialect: a conversation asks with the same set again and again.
#[derive(Debug, Default)]
pub(super) struct Cache(Mutex<Vec<(ToolSet, Strict, Arc<LoweredSet>)>>);

impl Cache {
    fn lowered(&self, tools: &ToolSet, dialect: Dialect, strict: Strict) -> Arc<LoweredSet> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = |(set, how, _): &&(ToolSet, Strict, Arc<LoweredSet>)| set.same(tools) && *how == strict;
        if let Some((_, _, lowered)) = lock().iter().find(known) {
            return Arc::clone(lowered);
        }
        let lowered = Arc::new(lower_all(tools.definitions(), LowerOptions::new(dialect).strict(strict)));
        for refused in &lowered.refused {
            tracing::warn!(tool = %refused.tool, error = %refused.error, "the model is not told of a tool");
        }
        let mut kept = lock();
        kept.truncate(KEPT.saturating_sub(1));
        kept.insert(0, (tools.clone(), strict, Arc::clone(&lowered)));
        lowered
    }
}

/// The tools of one request, and what it says about their use.
pub(super) struct WireTools {
    set: Arc<LoweredSet>,
    choice: Choice,
}

/// A [`ToolChoice`] with the provider's names, checked against the tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Choice {
    Auto,
    Required,
    None,
    Tool(String),
    Among(Vec<String>),
    OneOf(Vec<String>),
}

impl WireTools {
    /// The tools of a request in a dialect.
    pub(super) fn of(request: &ChatRequest<'_>, dialect: Dialect, cache: &Cache) -> Result<Self, ModelError> {
        let set = cache.lowered(request.tools, dialect, request.strict);
        let unsupported = |text: String| Err(ModelError::Unsupported(text.into()));
        if let (Strict::Always, Some(refused)) = (request.strict, set.refused.first()) {
            return unsupported(format!("the tool `{}` cannot be strict: {}", refused.tool, refused.error));
        }
        let unknown = |name: &String| request.tools.get(name).is_none() || set.names.provider(name).is_none();
        if let Some(name) = request.tool_choice.names().into_iter().flatten().find(|name| unknown(name)) {
            return unsupported(format!("the tool choice names `{name}`, which is no tool of the request"));
        }
        let wire = |name: &String| set.names.provider(name).unwrap_or(name).to_owned();
        let all = |names: &[String]| names.iter().map(wire).collect();
        let choice = match request.tool_choice {
            ToolChoice::Required if set.tools.is_empty() => {
                return unsupported("a call is required, and there is no tool".to_owned());
            }
            ToolChoice::OneOf(names) if names.is_empty() => {
                return unsupported("a call is required, of no tool".to_owned());
            }
            ToolChoice::Required => Choice::Required,
            ToolChoice::None => Choice::None,
            ToolChoice::Tool(name) => Choice::Tool(wire(name)),
            // None of the tools may be called.
            ToolChoice::Among(names) if names.is_empty() => Choice::None,
            ToolChoice::Among(names) => Choice::Among(all(names)),
            ToolChoice::OneOf(names) => Choice::OneOf(all(names)),
            _ => Choice::Auto,
        };
        Ok(Self { set, choice })
    }

    /// What the request holds; `None` without tools, because some servers refuse an empty list.
    pub(super) fn definitions(&self) -> Option<Value> {
        (!self.set.tools.is_empty()).then(|| self.set.definitions())
    }

    /// Only those definitions that may be called, for providers that cannot be told so otherwise, and the choice
    /// that is left then.
    pub(super) fn limited(&self) -> (Option<Value>, Choice) {
        let (names, left) = match &self.choice {
            Choice::Among(names) => (names, Choice::Auto),
            Choice::OneOf(names) => (names, Choice::Required),
            other => return (self.definitions(), other.clone()),
        };
        let mut set = LoweredSet::clone(&self.set);
        set.tools.retain(|tool| names.contains(&tool.name));
        ((!set.tools.is_empty()).then(|| set.definitions()), left)
    }

    /// What the request says about the use of tools.
    pub(super) fn choice(&self) -> &Choice {
        &self.choice
    }

    /// The name that the provider knows a tool by.
    pub(super) fn provider_name<'a>(&'a self, tool: &'a str) -> &'a str {
        self.set.names.provider(tool).unwrap_or(tool)
    }

    /// A tool's own name.
    pub(super) fn own_name<'a>(&'a self, name: &'a str) -> &'a str {
        self.set.names.tool(name).unwrap_or(name)
    }

    /// An earlier answer as the server knows its calls.
    pub(super) fn there(&self, answer: &AssistantMessage) -> AssistantMessage {
        let mut answer = answer.clone();
        for call in &mut answer.tool_calls {
            let Some(name) = self.set.names.provider(&call.name).map(str::to_owned) else { continue };
            self.change(&name, call, |decoder, arguments| decoder.encode(&arguments).ok());
            call.name = name;
        }
        answer
    }

    /// A new answer with the tools' own names and arguments.
    pub(super) fn back(&self, mut answer: AssistantMessage) -> AssistantMessage {
        for call in &mut answer.tool_calls {
            let name = call.name.clone();
            let Some(tool) = self.set.names.tool(&name).map(str::to_owned) else { continue };
            self.change(&name, call, |decoder, arguments| decoder.decode(arguments).ok());
            call.name = tool;
        }
        answer
    }

    fn change(
        &self,
        name: &str,
        call: &mut ToolCall,
        change: impl FnOnce(&opentool_schema::Decoder, Value) -> Option<Value>,
    ) {
        let Some(lowered) = self.set.get(name).filter(|lowered| !lowered.decoder.is_identity()) else {
            return;
        };
        let read = match &call.arguments {
            // A number that would be rounded, or a key that stands twice, is for the check behind this to judge, as it
            // was written.
            Value::String(text) => serde_json::from_str(text).ok().filter(|value| holds_all(text, value)),
            other => Some(other.clone()),
        };
        if let Some(changed) = read.and_then(|arguments| change(&lowered.decoder, arguments)) {
            call.arguments = changed;
        }
    }
}

#[cfg(test)]
mod tests {
    use opentool_core::{
        Arguments, BoxFuture, Schema, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput,
    };
    use serde_json::json;

    use super::*;

    struct Known(ToolDefinition);

    impl Tool for Known {
        fn definition(&self) -> &ToolDefinition {
            &self.0
        }

        fn call<'a>(
            &'a self,
            _cx: &'a ToolContext,
            _arguments: Arguments,
        ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
            Box::pin(async { Ok(ToolOutput::new()) })
        }
    }

    #[test]
    fn a_key_that_stands_twice_is_left_for_the_check() {
        let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}}});
        let definition = ToolDefinition::new("f", "F.").input_schema(Schema::new(schema));
        let set = ToolSet::from_tools([Known(definition)]).unwrap();
        let request = ChatRequest::new(&[], &set).strict(Strict::Always);
        let tools = WireTools::of(&request, Dialect::OpenAi, &Cache::default()).unwrap();
        let back = |text: &str| {
            let call = ToolCall::new("1", "f", json!(text));
            tools.back(AssistantMessage::calls(vec![call])).tool_calls[0].arguments.clone()
        };
        assert_eq!(back("{\"a\": 1, \"a\": null}"), json!("{\"a\": 1, \"a\": null}"));
        assert_eq!(back("{\"a\": null}"), json!({}));
    }

    #[test]
    fn names_and_arguments_go_there_and_back() {
        let either = json!({"oneOf": [
            {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]},
            {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
        ]});
        let definition = ToolDefinition::new("shop/pets.find", "Find.").input_schema(Schema::new(either));
        let set = ToolSet::from_tools([Known(definition)]).unwrap();
        let request = ChatRequest::new(&[], &set);
        let tools = WireTools::of(&request, Dialect::OpenAi, &Cache::default()).unwrap();
        let function = &tools.definitions().unwrap()[0]["function"];
        assert_eq!(function["name"], "shop_pets_find");
        assert_eq!(function["parameters"]["type"], "object");

        let written = r#"{"arguments":{"id":7}}"#;
        let answer = AssistantMessage::calls([ToolCall::new("a", "shop_pets_find", written)]);
        let own = AssistantMessage::calls([ToolCall::new("a", "shop/pets.find", json!({"id": 7}))]);
        let back = tools.back(answer);
        assert_eq!(back, own);
        let there = tools.there(&back);
        let call = ToolCall::new("a", "shop_pets_find", json!({"arguments": {"id": 7}}));
        assert_eq!(there, AssistantMessage::calls([call]));

        // What nobody can read, and whom nobody knows, stays.
        let odd = AssistantMessage::calls([
            ToolCall::new("a", "shop_pets_find", "{broken"),
            ToolCall::new("b", "other", json!({})),
        ]);
        let back = tools.back(odd);
        assert_eq!(back.tool_calls[0].arguments, json!("{broken"));
        assert_eq!(back.tool_calls[1].name, "other");
    }
}
