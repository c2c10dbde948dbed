//! The tools of a conversation under the names and in the forms that the server takes.
//!
//! A tool whose name or schema the server would refuse is sent in a form that it takes, and calls find the way back;
//! what the model wrote before is shown to it in the same form. Arguments that are no JSON stay as they are: mending
//! them is the business of whoever runs the tool.

use opentool_core::{AssistantMessage, ToolCall, ToolSet};
use opentool_schema::{Dialect, LoweredSet, lower_all};
use serde_json::Value;

/// The tools of one request.
pub(super) struct WireTools(LoweredSet);

impl WireTools {
    pub(super) fn of(tools: &ToolSet) -> Self {
        let set = lower_all(tools.definitions(), Dialect::OpenAi);
        for refused in &set.refused {
            tracing::warn!(tool = %refused.tool, error = %refused.error, "the model is not told of a tool");
        }
        Self(set)
    }

    /// What the request holds; `None` without tools, because some servers refuse an empty list.
    pub(super) fn definitions(&self) -> Option<Value> {
        (!self.0.tools.is_empty()).then(|| self.0.definitions())
    }

    /// An earlier answer as the server knows its calls.
    pub(super) fn there(&self, answer: &AssistantMessage) -> AssistantMessage {
        let mut answer = answer.clone();
        for call in &mut answer.tool_calls {
            let Some(name) = self.0.names.provider(&call.name).map(str::to_owned) else { continue };
            self.change(&name, call, |decoder, arguments| decoder.encode(&arguments).ok());
            call.name = name;
        }
        answer
    }

    /// A new answer with the tools' own names and arguments.
    pub(super) fn back(&self, mut answer: AssistantMessage) -> AssistantMessage {
        for call in &mut answer.tool_calls {
            let name = call.name.clone();
            let Some(tool) = self.0.names.tool(&name).map(str::to_owned) else { continue };
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
        let Some(lowered) = self.0.get(name).filter(|lowered| !lowered.decoder.is_identity()) else { return };
        let read = match &call.arguments {
            Value::String(text) => serde_json::from_str(text).ok(),
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
    fn names_and_arguments_go_there_and_back() {
        let either = json!({"oneOf": [
            {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]},
            {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
        ]});
        let definition = ToolDefinition::new("shop/pets.find", "Find.").input_schema(Schema::new(either));
        let tools = WireTools::of(&ToolSet::from_tools([Known(definition)]).unwrap());
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
