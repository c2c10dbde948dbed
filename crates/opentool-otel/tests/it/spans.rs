//! The tree of a turn: names, parents, kinds, attributes with their types, and failures.

use std::sync::Arc;

use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentool_agent::memory::{Conversations, InProcess};
use opentool_agent::{Agent, chat};
use opentool_core::ToolSet;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tracing::Instrument as _;

use crate::collector::{Collector, Span};
use crate::tools::{both, hangs, model};

fn one<'s>(spans: &'s [Span], name: &str) -> &'s Span {
    let found: Vec<&Span> = spans.iter().filter(|span| span.name == name).collect();
    assert_eq!(found.len(), 1, "{name} in {spans:#?}");
    found[0]
}

#[tokio::test]
async fn a_turn_arrives_as_a_tree_by_the_conventions() {
    let collector = Collector::start().await;
    let agent = Agent::new(model(), both()).name("adder");
    let conversations = Conversations::new(agent, InProcess::new());
    conversations.say("talk-7", "What is one and two? It is secret.").await.unwrap();
    let spans = collector.spans().await;
    assert_eq!(spans.len(), 6, "{spans:#?}");

    let turn = one(&spans, "invoke_agent adder");
    assert_eq!((turn.parent.as_str(), turn.kind, turn.is_error), ("", SpanKind::Internal, false));
    let names = [
        "gen_ai.operation.name",
        "gen_ai.provider.name",
        "gen_ai.request.model",
        "gen_ai.agent.name",
        "gen_ai.conversation.id",
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.output_tokens",
        "gen_ai.usage.cache_read.input_tokens",
    ];
    assert_eq!(
        turn.some(&names),
        json!(["invoke_agent", "_OTHER", "some-model", "adder", "talk-7", 250, 23, 40])
    );

    let asked: Vec<&Span> = spans.iter().filter(|span| span.name == "chat some-model").collect();
    assert_eq!(asked.len(), 2);
    let names = [
        "gen_ai.operation.name",
        "gen_ai.request.model",
        "gen_ai.response.model",
        "gen_ai.response.finish_reasons",
        "gen_ai.usage.input_tokens",
        "gen_ai.conversation.id",
    ];
    let first = json!(["chat", "some-model", "some-model-2026", ["tool_call"], 100, "talk-7"]);
    assert_eq!((asked[0].kind, asked[0].some(&names)), (SpanKind::Client, first));
    assert_eq!(asked[1].get("gen_ai.response.finish_reasons"), &json!(["stop"]));

    let names = [
        "gen_ai.operation.name",
        "gen_ai.tool.name",
        "gen_ai.tool.type",
        "gen_ai.tool.call.id",
        "gen_ai.tool.description",
        "error.type",
    ];
    for (name, attributes, is_error) in [
        (
            "execute_tool add",
            json!(["execute_tool", "add", "function", "call_1", "Adds two numbers.", null]),
            false,
        ),
        (
            "execute_tool fails",
            json!(["execute_tool", "fails", "function", "call_2", "Fails.", "failed"]),
            true,
        ),
        (
            "execute_tool",
            json!(["execute_tool", "invented", "function", "call_3", null, "unknown_tool"]),
            true,
        ),
    ] {
        let span = one(&spans, name);
        assert_eq!((span.some(&names), span.is_error), (attributes, is_error), "{name}");
    }
    for span in &spans {
        assert_eq!(span.trace, turn.trace);
        assert!(span.id == turn.id || span.parent == turn.id, "{span:#?}");
    }
}

#[tokio::test]
async fn nothing_that_was_said_is_in_a_trace() {
    let mut collector = Collector::start().await;
    let agent = Agent::new(model(), both()).system("You are discreet.");
    agent.run("What is one and two? It is secret.").await.unwrap();
    collector.end().await;
    assert!(collector.holds("execute_tool add"));
    for content in ["secret", "hunter2", "discreet", "It is three", "one and two", "\"a\""] {
        assert!(!collector.holds(content), "{content}");
    }
}

#[tokio::test]
async fn an_agent_that_is_a_tool_is_a_branch_of_the_same_trace() {
    let collector = Collector::start().await;
    let inner = Agent::new(chat::script().text("42"), ToolSet::new()).as_tool("research", "Looks things up.");
    let outer = chat::script().calls([("research", json!({"prompt": "Six times seven?"}))]).text("42.");
    Agent::new(outer, ToolSet::from_tools([inner]).unwrap()).run("?").await.unwrap();
    let spans = collector.spans().await;
    let call = one(&spans, "execute_tool research");
    let inner = one(&spans, "invoke_agent research");
    assert_eq!((&inner.parent, &inner.trace), (&call.id, &call.trace));
    assert_eq!(one(&spans, "invoke_agent").parent, "");
}

#[tokio::test]
async fn what_stops_a_turn_is_an_error_on_its_span_and_on_that_of_the_model() {
    let collector = Collector::start().await;
    let refused = || opentool_core::ModelError::Rejected { status: 400, message: "secret".into() };
    Agent::new(chat::script().fails(refused), ToolSet::new()).run("?").await.unwrap_err();
    let spans = collector.spans().await;
    assert_eq!(spans.len(), 2);
    for span in &spans {
        assert_eq!((span.is_error, span.get("error.type")), (true, &json!("rejected")), "{span:#?}");
    }
}

#[tokio::test]
async fn what_is_given_up_is_an_error_too() {
    let collector = Collector::start().await;
    let begun = Arc::new(Notify::new());
    let model = chat::script().calls([("hangs", json!({}))]).text("Never.");
    let agent = Agent::new(model, ToolSet::from_tools([hangs(Arc::clone(&begun))]).unwrap());
    tokio::select! {
        _ = agent.run("?") => panic!("it hangs"),
        () = begun.notified() => {}
    }
    let spans = collector.spans().await;
    for name in ["execute_tool hangs", "invoke_agent"] {
        let span = one(&spans, name);
        assert_eq!((span.is_error, span.get("error.type")), (true, &json!("cancelled")), "{name}");
    }
    assert!(!one(&spans, "chat script").is_error);
}

#[tokio::test]
async fn an_answer_that_comes_in_pieces_says_when_the_first_came() {
    let collector = Collector::start().await;
    let agent = Agent::new(chat::script().text("Yes."), ToolSet::new());
    agent.stream("?").reply().await.unwrap();
    let spans = collector.spans().await;
    let asked = one(&spans, "chat script");
    assert_eq!(asked.get("gen_ai.request.stream"), &json!(true));
    assert!(
        asked.get("gen_ai.response.time_to_first_chunk").as_f64().is_some_and(|s| (0.0..5.0).contains(&s))
    );
}

#[tokio::test]
async fn spans_of_the_host_are_exported_where_it_says_so_and_their_events_are_not() {
    for (named, expected) in [(false, 1), (true, 2)] {
        let change = |export: opentool_otel::Export| if named { export.spans_of("shop") } else { export };
        let collector = Collector::with(change).await;
        let agent = Agent::new(chat::script().text("Yes."), ToolSet::new());
        let order = tracing::info_span!(target: "shop::orders", "order", number = 7);
        async {
            tracing::warn!(target: "shop::orders", "secret event");
            agent.run("?").await.unwrap();
        }
        .instrument(order)
        .await;
        let spans = collector.spans().await;
        let turn = one(&spans, "invoke_agent");
        let roots: Vec<&str> =
            spans.iter().filter(|s| s.parent.is_empty()).map(|s| s.name.as_str()).collect();
        assert_eq!(spans.len(), expected + 1);
        if named {
            let order = one(&spans, "order");
            assert_eq!(
                (&turn.parent, order.get("number"), roots),
                (&order.id, &Value::from(7), vec!["order"])
            );
        } else {
            assert_eq!(roots, ["invoke_agent"]);
        }
    }
}
