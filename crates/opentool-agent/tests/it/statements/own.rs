//! S126: the places to plug in, each with one's own part in it.

use std::sync::{Arc, Mutex};

use opentool_agent::memory::{Conversations, InProcess, Memory, MemoryError, Place};
use opentool_agent::{Agent, Approvals, ErrorPolicy, OnError, StopWhen, ToolRules, Verdict, chat};
use opentool_core::{
    Arguments, BoxFuture, ChatModel, ChatReply, ChatRequest, Message, ModelError, Tool, ToolContext,
    ToolDefinition, ToolError, ToolOutput, ToolSet, ToolSource,
};
use serde_json::json;

use crate::fixtures::{set, texts};

/// One's own of everything, each of which leaves its mark.
#[derive(Clone, Default)]
struct Marks(Arc<Mutex<Vec<&'static str>>>);

impl Marks {
    fn leave(&self, mark: &'static str) {
        self.0.lock().unwrap().push(mark);
    }

    fn take(&self) -> Vec<&'static str> {
        let mut marks = std::mem::take(&mut *self.0.lock().unwrap());
        marks.sort_unstable();
        marks.dedup();
        marks
    }
}

struct OwnTool(ToolDefinition, Marks);

impl Tool for OwnTool {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn call<'a>(
        &'a self,
        cx: &'a ToolContext,
        _arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        self.1.leave("tool");
        if cx.get_value("tenant").is_some() {
            self.1.leave("context");
        }
        let failed = self.0.name == "fails";
        Box::pin(
            async move { if failed { Err(ToolError::failed("no")) } else { Ok(ToolOutput::text("plain")) } },
        )
    }
}

struct OwnSource(Marks);

impl ToolSource for OwnSource {
    fn tools(&self) -> ToolSet {
        self.0.leave("source");
        let own = |name: &str, text: &str| {
            let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
            OwnTool(ToolDefinition::new(name, text).input_schema(schema), self.0.clone())
        };
        set![own("own", "Of the source."), own("fails", "Of the source.")]
    }

    fn changed<'a>(&'a self, _seen: &'a ToolSet) -> BoxFuture<'a, ()> {
        Box::pin(std::future::pending())
    }
}

struct OwnModel(chat::Script, Marks);

impl ChatModel for OwnModel {
    fn name(&self) -> &str {
        "own"
    }

    fn reply<'a>(&'a self, request: ChatRequest<'a>) -> BoxFuture<'a, Result<ChatReply, ModelError>> {
        self.1.leave("model");
        self.0.reply(request)
    }
}

#[derive(Clone)]
struct OwnMemory(InProcess, Marks);

impl Memory for OwnMemory {
    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Vec<Message>, MemoryError>> {
        self.1.leave("memory");
        self.0.load(id)
    }

    fn append<'a>(
        &'a self,
        id: &'a str,
        place: Place,
        messages: &'a [Message],
    ) -> BoxFuture<'a, Result<(), MemoryError>> {
        self.0.append(id, place, messages)
    }

    fn replace<'a>(
        &'a self,
        id: &'a str,
        place: Place,
        messages: &'a [Message],
    ) -> BoxFuture<'a, Result<(), MemoryError>> {
        self.0.replace(id, place, messages)
    }

    fn forget<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), MemoryError>> {
        self.0.forget(id)
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<String>, MemoryError>> {
        self.0.list()
    }
}

#[tokio::test]
async fn s126_each_of_the_twelve_places_takes_ones_own() {
    let marks = Marks::default();
    let mark = |name: &'static str| {
        let marks = marks.clone();
        move || marks.leave(name)
    };
    let tools = OwnSource(marks.clone()).tools();
    let described = tools.get("own").unwrap().definition();
    assert_eq!(
        described.description, "Of the source.",
        "the definition is one's own, and so is its metadata"
    );

    let model = chat::script()
        .calls([("own", json!({"n": 1})), ("fails", json!({"n": 2})), ("elsewhere", json!({}))])
        .text("never asked for: the rule ends the turn");
    let (convert, judge, stop) = (mark("converter"), mark("predicate"), mark("rule about the turn"));
    let (errors, resolve, observe) = (mark("errors"), mark("resolver"), mark("observation"));
    let (layer, around) = (mark("layer of a tool"), marks.clone());
    let layered = move |inner: Arc<dyn Tool>| -> Arc<dyn Tool> {
        layer();
        inner
    };
    let agent = Agent::new(OwnModel(model, marks.clone()), tools.layer(&layered).unwrap())
        .rules(
            "own",
            ToolRules::new().convert(move |output| {
                convert();
                ToolOutput::text(format!("{}!", output.to_text()))
            }),
        )
        .approvals(Approvals::new().rule(move |_| {
            judge();
            Some(Verdict::Allow)
        }))
        .stop_when(StopWhen::new(move |_| {
            stop();
            true
        }))
        .errors(ErrorPolicy::new().rule(move |_, _| {
            errors();
            Some(OnError::tell_as("Not now."))
        }))
        .resolver(move |name: &str| {
            resolve();
            let tool = OwnTool(ToolDefinition::new(name, "Found."), around.clone());
            Some(Arc::new(tool) as Arc<dyn Tool>)
        })
        .observe(move |_| observe())
        .context(ToolContext::new().value("tenant", "acme"));
    let talks = Conversations::new(agent, OwnMemory(InProcess::new(), marks.clone()));
    let reply = talks.say("ada", "?").await.unwrap();
    assert_eq!(texts(&reply.messages), ["plain!", "Not now.", "plain"]);
    assert_eq!(
        marks.take(),
        [
            "context",
            "converter",
            "errors",
            "layer of a tool",
            "memory",
            "model",
            "observation",
            "predicate",
            "resolver",
            "rule about the turn",
            "source",
            "tool",
        ],
        "and the manager: `s093` does without one"
    );
}
