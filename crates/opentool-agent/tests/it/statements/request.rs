//! S1 to S65: what a model is told of, what it may call, and what is said for one request only.

use std::sync::{Arc, Mutex};

use opentool_agent::{Agent, Dispatcher, chat};
use opentool_core::{
    AssistantMessage, BoxFuture, ChatModel, ChatReply, ChatRequest, ModelError, ParallelCalls, Strict,
    ToolCall, ToolChoice, ToolContext, ToolOutput, ToolSet, tool_fn,
};
use serde_json::{Value, json};

use crate::fixtures::{add, echo, raw, set, texts};

/// What a model was asked, in words.
#[derive(Clone, Default)]
struct Asked(Arc<Mutex<Vec<String>>>);

impl ChatModel for Asked {
    fn name(&self) -> &'static str {
        "asked"
    }

    fn reply<'a>(&'a self, request: ChatRequest<'a>) -> BoxFuture<'a, Result<ChatReply, ModelError>> {
        let names = request.tools.names().collect::<Vec<_>>().join(",");
        let words =
            format!("{names} {:?} {:?} {:?}", request.tool_choice, request.parallel_calls, request.strict);
        let mut asked = self.0.lock().unwrap();
        asked.push(words);
        let message = match asked.len() % 2 {
            1 => {
                AssistantMessage::calls([opentool_core::ToolCall::new("", "echo", json!({"n": asked.len()}))])
            }
            _ => AssistantMessage::text("ok"),
        };
        Box::pin(std::future::ready(Ok(ChatReply::new(message))))
    }
}

impl Asked {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

#[tokio::test]
async fn s001_s002_s003_the_model_says_what_is_to_be_called_and_the_host_calls_it() {
    let model = chat::script()
        .then(|request| {
            let told: Vec<(&str, &str, &Value)> = request
                .tools
                .definitions()
                .map(|tool| {
                    (tool.name.as_str(), tool.description.as_str(), &tool.input_schema.as_value()["required"])
                })
                .collect();
            assert_eq!(told, [("add", "Adds two numbers.", &json!(["a", "b"]))]);
            AssistantMessage::calls([opentool_core::ToolCall::new("1", "add", r#"{"a": 1, "b": 2}"#)])
        })
        .then(|request| {
            let result = chat::last_results(request).next().expect("the result goes back");
            AssistantMessage::text(format!("It is {}.", result.output.to_text()))
        });
    let reply = Agent::new(model.clone(), set![add()]).run("1 + 2?").await.unwrap();
    assert_eq!((reply.text.as_str(), model.asked()), ("It is 3.", 2));
}

#[tokio::test]
async fn s004_s005_a_tool_that_tells_and_one_that_acts_are_driven_to_the_end() {
    let alarm: Arc<Mutex<Option<u64>>> = Arc::default();
    let rings = Arc::clone(&alarm);
    let now =
        tool_fn("now", "The time in minutes of the day.", async |(): ()| Ok::<_, std::io::Error>(600_u64));
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Alarm {
        minute: u64,
    }
    let set_alarm = tool_fn("set_alarm", "Sets an alarm.", move |at: Alarm| {
        *rings.lock().unwrap() = Some(at.minute);
        async { Ok::<(), std::io::Error>(()) }
    });
    let model = chat::script()
        .calls([("now", json!({}))])
        .then(|request| {
            let now = chat::last_results(request).next().expect("a result").output.structured.clone();
            let minute = now.and_then(|now| now.as_u64()).expect("a time") + 10;
            AssistantMessage::calls([opentool_core::ToolCall::new(
                "2",
                "set_alarm",
                json!({"minute": minute}),
            )])
        })
        .text("It rings at 10:10.");
    let reply = Agent::new(model, set![now, set_alarm]).run("Wake me in ten minutes.").await.unwrap();
    assert_eq!(*alarm.lock().unwrap(), Some(610));
    assert_eq!(texts(&reply.messages), ["600", "Done."]);
}

#[tokio::test]
async fn s006_what_is_not_in_the_request_cannot_be_called() {
    let model = chat::script().calls([("echo", json!({}))]).text("no");
    let agent = Agent::new(model, set![add(), echo()]);
    let only = agent.tools().only(["add"]).unwrap();
    let reply = agent.replace_tools(only).run("?").await.unwrap();
    assert!(texts(&reply.messages)[0].starts_with("there is no tool `echo`"));
}

#[tokio::test]
async fn s007_s030_s066_s067_any_tool_is_one_trait_whoever_wrote_it() {
    let own = raw("own", async |cx, arguments| {
        Ok(ToolOutput::text(format!("{:?} {}", cx.get_value("tenant"), arguments.len())))
    });
    let tools: ToolSet = set![add(), own];
    let names: Vec<&str> = tools.iter().map(|tool| tool.definition().name.as_str()).collect();
    assert_eq!(names, ["add", "own"]);
    // Without a context and with one; `add` takes no notice of it.
    let told = |cx: ToolContext, name: &'static str, arguments: Value| {
        let dispatcher = Dispatcher::new(tools.clone()).context(cx);
        async move { dispatcher.call(&ToolCall::new("call_1", name, arguments)).await.output.to_text() }
    };
    let tenant = || ToolContext::new().value("tenant", "acme");
    assert_eq!(told(ToolContext::new(), "own", json!({"n": 1})).await, "None 1");
    assert_eq!(told(tenant(), "own", json!({})).await, "Some(String(\"acme\")) 0");
    for cx in [ToolContext::new(), tenant()] {
        assert_eq!(told(cx, "add", json!({"a": 1, "b": 2})).await, "3");
    }
}

#[test]
fn s012_s013_two_tools_of_one_name_are_refused_before_any_model_is_asked() {
    let clash = set![add()].merge(set![add()]).unwrap_err();
    assert_eq!(clash.name, "add");
    let agent = Agent::new(chat::script(), set![add()]);
    assert!(agent.extend_tools(set![echo(), add()]).is_err());
}

#[tokio::test]
async fn s029_s032_s033_s034_s035_s036_s046_s057_tools_are_added_or_replaced_and_it_is_said_which() {
    let asked = Asked::default();
    let agent = Agent::new(asked.clone(), set![echo()]);
    agent.clone().extend_tools(set![add()]).unwrap().run("?").await.unwrap();
    agent.clone().replace_tools(set![add()]).run("?").await.unwrap();
    agent.clone().replace_tools(ToolSet::new()).run("?").await.unwrap();
    agent.run("?").await.unwrap();
    let names: Vec<String> = asked
        .take()
        .into_iter()
        .map(|words| words.split(' ').next().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(names, ["echo,add", "echo,add", "add", "add", "", "", "echo", "echo"]);
}

#[tokio::test]
async fn what_a_request_says_of_calls_reaches_the_model_and_a_must_holds_once() {
    let asked = Asked::default();
    let agent = Agent::new(asked.clone(), set![echo()])
        .parallel_calls(ParallelCalls::One)
        .strict(Strict::Auto)
        .tool_choice(ToolChoice::Required);
    agent.run("?").await.unwrap();
    assert_eq!(asked.take(), ["echo Required One Auto", "echo Auto One Auto"]);
    for (choice, first, then) in [
        (ToolChoice::tool("echo"), r#"Tool("echo")"#, "Auto"),
        (ToolChoice::one_of(["echo"]), r#"OneOf(["echo"])"#, r#"Among(["echo"])"#),
        (ToolChoice::among(["echo"]), r#"Among(["echo"])"#, r#"Among(["echo"])"#),
        (ToolChoice::None, "None", "None"),
    ] {
        agent.clone().tool_choice(choice).run("?").await.unwrap();
        assert_eq!(asked.take(), [format!("echo {first} One Auto"), format!("echo {then} One Auto")]);
    }
}

#[tokio::test]
async fn s009_s062_s063_s064_s065_tools_are_given_as_values_and_by_names_and_a_name_without_a_tool_is_an_error()
 {
    let all = set![add(), echo()];
    assert_eq!(all.only(["echo", "echo"]).unwrap().names().collect::<Vec<_>>(), ["echo"], "not there twice");
    let unknown = all.only(["ehco"]).unwrap_err();
    assert_eq!(unknown.to_string(), "there is no tool `ehco`; did you mean `echo`?");
    // Values beside names, by default and for one request; one that is both is there once, or is a clash that is named.
    let own = || raw("own", async |_, _| Ok(ToolOutput::text("own")));
    let by_name = all.only(["echo"]).unwrap();
    let asked = Asked::default();
    let agent = Agent::new(asked.clone(), set![own()].merge(by_name.clone()).unwrap());
    let reply = agent.run("?").await.unwrap();
    assert_eq!(texts(&reply.messages), [r#"{"n":1}"#], "what was found by its name is run");
    assert_eq!(agent.clone().extend_tools(by_name).unwrap_err().name, "echo");
    agent.clone().extend_tools(all.only(["add"]).unwrap()).unwrap().run("?").await.unwrap();
    agent.replace_tools(all.only(["add"]).unwrap()).run("?").await.unwrap();
    let told: Vec<String> =
        asked.take().iter().map(|words| words.split(' ').next().unwrap_or_default().to_owned()).collect();
    assert_eq!(told, ["own,echo", "own,echo", "own,echo,add", "own,echo,add", "add", "add"]);
}
