//! What is said, in spans where the host wants it.

use opentool_agent::layers::Trace;
use opentool_agent::{Agent, SpanContent};
use opentool_core::{ToolCall, ToolContext, ToolSet};
use opentool_schema::ToolSetExt as _;
use serde_json::{Value, json};

use crate::collector::{Collector, Span};
use crate::tools::{add, both, fails, model};

fn json_of(span: &Span, name: &str) -> Value {
    serde_json::from_str(span.get(name).as_str().unwrap_or("null")).unwrap()
}

fn named<'s>(spans: &'s [Span], name: &str) -> &'s Span {
    spans.iter().find(|span| span.name == name).unwrap()
}

#[tokio::test]
async fn content_is_in_spans_where_the_agent_says_so_and_secrets_are_not() {
    let collector = Collector::start().await;
    let agent = Agent::new(model(), both()).system("Be short.").span_content(SpanContent::Recorded);
    agent.run("One and two? My key is sk-abcdefghijklmnopqrstuvwx.").await.unwrap();
    let spans = collector.spans().await;

    let turn = named(&spans, "invoke_agent");
    let asked = json!([{"role": "user", "parts": [
        {"type": "text", "content": "One and two? My key is [secret]."}
    ]}]);
    assert_eq!(
        json_of(turn, "gen_ai.system_instructions"),
        json!([{"type": "text", "content": "Be short."}])
    );
    assert_eq!(json_of(turn, "gen_ai.input.messages"), asked);
    assert_eq!(
        json_of(turn, "gen_ai.output.messages"),
        json!([{"role": "assistant", "parts": [{"type": "text", "content": "It is three."}], "finish_reason": "stop"}])
    );
    assert_eq!(json_of(turn, "gen_ai.tool.definitions")[0]["name"], "add");

    let answers: Vec<&Span> = spans.iter().filter(|span| span.name == "chat some-model").collect();
    assert_eq!(
        json_of(answers[0], "gen_ai.output.messages")[0]["parts"][0],
        json!({"type": "tool_call", "id": "call_1", "name": "add", "arguments": {"a": 1, "b": 2}})
    );
    assert_eq!(json_of(answers[1], "gen_ai.input.messages").as_array().unwrap().len(), 5);

    let call = named(&spans, "execute_tool add");
    let both = (json_of(call, "gen_ai.tool.call.arguments"), json_of(call, "gen_ai.tool.call.result"));
    assert_eq!(both, (json!({"a": 1, "b": 2}), json!(3)));
}

#[tokio::test]
async fn never_is_never() {
    let mut collector = Collector::start().await;
    let agent = Agent::new(model(), both()).span_content(SpanContent::Never);
    agent.run("One and two?").await.unwrap();
    collector.end().await;
    assert!(!collector.holds("One and two?"));
}

#[tokio::test]
async fn tools_that_a_program_calls_itself_have_spans_by_a_layer() {
    let collector = Collector::start().await;
    let call = |name: &str, arguments: Value| ToolCall::new("c", name, arguments);
    let tools = both().layer(&Trace::new().content(SpanContent::Recorded)).unwrap();
    let cx = ToolContext::new().call_id("c");
    tools.call(&cx, &call("add", json!({"a": 1, "b": 2}))).await.unwrap();
    tools.call(&cx, &call("fails", json!({}))).await.unwrap_err();
    // Within an agent it makes no second span.
    let tools = ToolSet::from_tools([add()]).unwrap().layer(&Trace::new()).unwrap();
    let tools = tools.merge(ToolSet::from_tools([fails()]).unwrap()).unwrap();
    Agent::new(model(), tools).run("?").await.unwrap();

    let spans = collector.spans().await;
    let names: Vec<&str> = spans.iter().map(|span| span.name.as_str()).collect();
    assert_eq!(names.iter().filter(|name| **name == "execute_tool add").count(), 2, "{names:?}");
    assert_eq!(
        spans[0].some(&["gen_ai.tool.call.id", "gen_ai.tool.call.arguments"]),
        json!(["c", r#"{"a":1,"b":2}"#])
    );
    assert_eq!((spans[1].is_error, spans[1].get("error.type")), (true, &json!("failed")));
}
