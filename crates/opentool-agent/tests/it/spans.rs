//! Spans of runs: their names, their order, their fields, and what is not in them.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use opentool_agent::{Agent, chat};
use opentool_core::{AssistantMessage, ChatReply, ModelError, ToolCall, ToolError, ToolOutput, Usage};
use serde_json::json;
use tracing::Subscriber;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing_subscriber::layer::{Context, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;

use crate::fixtures::{add, raw, set};

#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    pub(crate) name: &'static str,
    parent: Option<&'static str>,
    pub(crate) fields: BTreeMap<&'static str, String>,
}

impl Visit for Seen {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.fields.insert(field.name(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.fields.insert(field.name(), format!("{value:?}"));
    }
}

/// Keeps the spans of our target, in the order in which they began.
#[derive(Clone, Default)]
struct Keep(Arc<Mutex<Vec<(Id, Seen)>>>);

impl<S: Subscriber + for<'s> LookupSpan<'s>> tracing_subscriber::Layer<S> for Keep {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let metadata = attributes.metadata();
        if metadata.target() != "opentool::gen_ai" {
            return;
        }
        let parent = context.span(id).and_then(|span| span.parent()).map(|parent| parent.name());
        let mut seen = Seen { name: metadata.name(), parent, ..Seen::default() };
        attributes.record(&mut seen);
        self.0.lock().unwrap().push((id.clone(), seen));
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, _: Context<'_, S>) {
        if let Some((_, seen)) = self.0.lock().unwrap().iter_mut().find(|(span, _)| span == id) {
            values.record(seen);
        }
    }
}

/// The spans of what the future does.
pub(crate) async fn traced<T>(work: impl Future<Output = T>) -> Vec<Seen> {
    let keep = Keep::default();
    let _guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(keep.clone()));
    work.await;
    let spans = keep.0.lock().unwrap();
    spans.iter().map(|(_, seen)| seen.clone()).collect()
}

/// The spans of one turn.
async fn spans(agent: Agent) -> Vec<Seen> {
    traced(agent.run("The question is secret.")).await
}

#[tokio::test]
async fn s123_s124_s125_a_turn_is_a_tree_of_spans_with_the_names_of_the_conventions() {
    let calls = [
        ToolCall::new("call_1", "add", json!({"a": 1, "b": 2})),
        ToolCall::new("call_2", "fails", json!({"key": "hunter2"})),
        ToolCall::new("call_3", "invented".repeat(20), json!({})),
        ToolCall::new("call_4", "add", json!({"a": "x"})),
        ToolCall::new("call_5", "says_no", json!({})),
    ];
    let asks = ChatReply::new(AssistantMessage::calls(calls)).usage(Usage::new(100, 20));
    let ends = ChatReply::new(AssistantMessage::text("Three.")).usage(Usage::new(150, 3));
    let model = chat::script().named("some-model").answers(asks).answers(ends);
    let fails = raw("fails", async |_, _| Err(ToolError::failed("secret words")));
    let says_no = raw("says_no", async |_, _| Ok(ToolOutput::error("no")));
    let spans = spans(Agent::new(model, set![add(), fails, says_no])).await;

    let tree: Vec<(&str, Option<&str>)> = spans.iter().map(|span| (span.name, span.parent)).collect();
    let inner = Some("invoke_agent");
    let mut expected = vec![("invoke_agent", None), ("chat", inner)];
    expected.extend([("execute_tool", inner); 5]);
    expected.push(("chat", inner));
    assert_eq!(tree, expected);

    let field = |span: usize, name: &str| spans[span].fields.get(name).map_or("", String::as_str).to_owned();
    let fields = |span: usize, names: &[&str]| names.iter().map(|name| field(span, name)).collect::<Vec<_>>();
    let usage = ["gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"];
    assert_eq!(fields(0, &["gen_ai.operation.name", "gen_ai.request.model"]), ["invoke_agent", "some-model"]);
    assert_eq!(
        (fields(0, &usage), fields(1, &usage)),
        (vec!["250".into(), "23".into()], vec!["100".into(), "20".into()])
    );
    let names =
        ["otel.name", "otel.kind", "gen_ai.operation.name", "gen_ai.response.finish_reasons", "error.type"];
    assert_eq!(fields(1, &names), ["chat some-model", "client", "chat", "tool_call", ""]);
    assert_eq!(field(7, "gen_ai.response.finish_reasons"), "stop");

    let names = [
        "otel.name",
        "gen_ai.tool.name",
        "gen_ai.tool.call.id",
        "gen_ai.tool.type",
        "error.type",
        "otel.status_code",
    ];
    let mut tools: Vec<Vec<String>> = (2..7).map(|span| fields(span, &names)).collect();
    tools.sort_by(|a, b| a[2].cmp(&b[2]));
    assert_eq!(tools[0], ["execute_tool add", "add", "call_1", "function", "", ""]);
    assert_eq!(tools[1], ["execute_tool fails", "fails", "call_2", "function", "failed", "ERROR"]);
    assert_eq!(tools[2][0], "execute_tool", "what a model invents is no name of a span");
    assert_eq!((tools[2][1].len(), tools[2][4].as_str()), (64, "unknown_tool"));
    assert_eq!(tools[3][4], "invalid_arguments");
    assert_eq!(tools[4][4], "tool_error");

    let all = format!("{spans:?}");
    for content in ["hunter2", "secret", "Three", "\"x\""] {
        assert!(!all.contains(content), "{content} in {all}");
    }
}

#[tokio::test]
async fn what_stops_a_turn_is_on_its_span() {
    let model = chat::script().fails(|| ModelError::Rejected { status: 400, message: "secret".into() });
    let spans = spans(Agent::new(model, set![])).await;
    for span in &spans {
        assert_eq!(
            (span.fields["error.type"].as_str(), span.fields["otel.status_code"].as_str()),
            ("rejected", "ERROR")
        );
    }
    assert_eq!(spans.len(), 2);
    assert!(!format!("{spans:?}").contains("secret"));
}

#[tokio::test]
async fn a_call_that_a_limit_refused_is_a_span_that_failed() {
    let model =
        chat::script().calls([("add", json!({"a": 1, "b": 2})), ("add", json!({"a": 2, "b": 2}))]).text("ok");
    let limits = opentool_agent::Limits::new().calls_per_tool(opentool_agent::Limit::tell(1));
    let spans = spans(Agent::new(model, set![add()]).limits(limits)).await;
    let calls: Vec<&Seen> = spans.iter().filter(|span| span.name == "execute_tool").collect();
    let failed: Vec<Option<&String>> = calls.iter().map(|span| span.fields.get("error.type")).collect();
    assert_eq!(failed, [Some(&"limit_reached".to_owned()), None]);
    assert_eq!(calls[0].fields["otel.name"], "execute_tool add");
    assert_eq!(calls[0].parent, Some("invoke_agent"));
}
