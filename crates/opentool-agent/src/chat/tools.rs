//! The tools of a conversation under the names and in the forms that the server takes.
//!
//! A tool whose name or schema the server would refuse is sent in a form that it takes, and calls find the way back;
//! what the model wrote before is shown to it in the same form. What it writes stays as it is, marked with its form: to
//! mend it and to take it back to the tool's own form is the business of whoever runs the tool.

use std::sync::{Arc, Mutex, PoisonError};

use opentool_core::{AssistantMessage, ChatRequest, ModelError, Strict, ToolCall, ToolChoice, ToolSet};
use opentool_schema::{Dialect, LowerOptions, Lowered, LoweredSet, ToolSetExt as _, holds_all, lower_all};
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
    tools: ToolSet,
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
        Ok(Self { tools: request.tools.clone(), set, choice })
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
            if let Some(lowered) = self.set.get(&name) {
                self.write(lowered, call);
            }
            call.name = name;
        }
        answer
    }

    /// Writes the arguments of a call in the form of these definitions. What is in it already stays as the model wrote it.
    fn write(&self, lowered: &Lowered, call: &mut ToolCall) {
        let from = call.dialect.take();
        if from == self.set.form(lowered) {
            return;
        }
        let read = match &call.arguments {
            // What would be another value, or is no JSON, is shown as it was.
            Value::String(text) => serde_json::from_str(text).ok().filter(|value| holds_all(text, value)),
            other => Some(other.clone()),
        };
        let own = read.and_then(|written| match from {
            Some(form) => self.tools.decoder(&lowered.tool, &form).ok()?.decode(written).ok(),
            None => Some(written),
        });
        if let Some(written) = own.and_then(|own| lowered.decoder.encode(&own).ok()) {
            call.arguments = written;
        }
    }

    /// A new answer with the tools' own names. Arguments stay as the model wrote them; each call says in which form that is,
    /// and whoever checks it goes back from there, with everything that this changes on the record.
    pub(super) fn back(&self, mut answer: AssistantMessage) -> AssistantMessage {
        for call in &mut answer.tool_calls {
            let Some(tool) = self.set.names.tool(&call.name).map(str::to_owned) else { continue };
            call.dialect = self.set.get(&call.name).and_then(|lowered| self.set.form(lowered));
            call.name = tool;
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use opentool_core::{
        Arguments, BoxFuture, Schema, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput,
    };
    use opentool_schema::{Change, RepairPolicy, Stage};
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

    /// What the tool gets of what a model wrote for it.
    fn got(
        dialect: Dialect,
        strict: Strict,
        schema: &Value,
        text: &str,
    ) -> Result<(Value, Vec<Change>), ToolError> {
        let definition = ToolDefinition::new("f", "F.").input_schema(Schema::new(schema.clone()));
        let set = ToolSet::from_tools([Known(definition)]).unwrap();
        let request = ChatRequest::new(&[], &set).strict(strict);
        let tools = WireTools::of(&request, dialect, &Cache::default()).unwrap();
        let answer = tools.back(AssistantMessage::calls([ToolCall::new("1", "f", text)]));
        let call = &answer.tool_calls[0];
        assert_eq!(call.arguments, json!(text), "as it was written");
        // As it is kept, too.
        let kept: ToolCall = serde_json::from_value(serde_json::to_value(call).unwrap()).unwrap();
        assert_eq!(kept, *call);
        let (arguments, changes) = set.take(&kept, &RepairPolicy::default())?;
        Ok((Value::Object(arguments.into_map()), changes))
    }

    #[test]
    fn what_was_written_is_mended_before_it_is_taken_back_and_all_is_on_the_record() {
        let odd = json!({"type": "object", "properties": {"x y": {"type": "integer"}, "account": {"type": "string"},
            "mode": {"enum": [1, "1", true]}}, "additionalProperties": false});
        let free = json!({"type": "object", "properties": {"x": {}, "s": {"type": ["string", "null"]},
            "a": {"type": "integer"}}});
        let (gemini, openai) = ((Dialect::Gemini, Strict::Never), (Dialect::OpenAi, Strict::Always));
        for ((dialect, strict), schema, text, expected) in [
            (gemini, &odd, r#"{"mode":"1","account":"7"}"#, json!({"mode": 1, "account": "7"})),
            (
                gemini,
                &odd,
                r#"{"mode":"1","account":12345678901234567890123,"x_y":3}"#,
                json!({"mode": 1, "account": "12345678901234567890123", "x y": 3}),
            ),
            (openai, &free, r#"{'x': '{"a":1}', 's': null, 'a': null,}"#, json!({"x": {"a": 1}})),
            (openai, &free, r#"{"x": null, "s": null, "a": null}"#, json!({})),
        ] {
            let (arguments, changes) = got(dialect, strict, schema, text).unwrap();
            assert!(changes.iter().any(|change| change.stage == Stage::Decode), "{text}: {changes:?}");
            assert_eq!(arguments, expected, "{text}");
        }
        let twice = got(openai.0, openai.1, &free, r#"{"a": 1, "a": null}"#);
        assert!(!twice.is_ok_and(|(_, changes)| changes.iter().all(|change| change.stage == Stage::Decode)));
    }

    #[test]
    fn what_one_model_wrote_is_shown_to_another_in_its_own_form() {
        let schema =
            json!({"type": "object", "properties": {"a b": {"type": "integer"}, "c": {"type": "integer"}}});
        let definition = ToolDefinition::new("f", "F.").input_schema(Schema::new(schema));
        let set = ToolSet::from_tools([Known(definition)]).unwrap();
        let wire = |dialect, strict| {
            WireTools::of(&ChatRequest::new(&[], &set).strict(strict), dialect, &Cache::default()).unwrap()
        };
        let (gemini, openai) = (wire(Dialect::Gemini, Strict::Never), wire(Dialect::OpenAi, Strict::Always));
        let written = r#"{"a_b": 1}"#;
        let answer = gemini.back(AssistantMessage::calls([ToolCall::new("1", "f", written)]));
        assert_eq!(gemini.there(&answer).tool_calls[0].arguments, json!(written), "as it wrote it");
        let there = openai.there(&answer).tool_calls[0].clone();
        assert_eq!((there.arguments, there.dialect), (json!({"a b": 1, "c": null}), None));
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
        let back = tools.back(answer.clone());
        let (arguments, _) = set.take(&back.tool_calls[0], &RepairPolicy::default()).unwrap();
        assert_eq!((back.tool_calls[0].name.as_str(), &arguments["id"]), ("shop/pets.find", &json!(7)));
        assert_eq!(tools.there(&back), answer);
        let own = AssistantMessage::calls([ToolCall::new("a", "shop/pets.find", json!({"id": 7}))]);
        let call = ToolCall::new("a", "shop_pets_find", json!({"arguments": {"id": 7}}));
        assert_eq!(tools.there(&own), AssistantMessage::calls([call]));

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
