//! Histograms: how long, how many tokens, what failed, under labels that nobody can invent.

use std::collections::BTreeMap;

use opentool_agent::Agent;
use serde_json::{Value, json};

use crate::collector::{Collector, Point};
use crate::tools::{both, model};

fn labels(value: Value) -> BTreeMap<String, Value> {
    value.as_object().unwrap().clone().into_iter().collect()
}

fn of<'p>(points: &'p [Point], metric: &str) -> Vec<&'p Point> {
    points.iter().filter(|point| point.metric == metric).collect()
}

#[tokio::test]
async fn durations_tokens_and_failures_arrive_with_bounded_labels() {
    let collector = Collector::start().await;
    let agent = Agent::new(model(), both()).name("adder");
    agent.run("?").await.unwrap();
    let points = collector.points().await;

    let chat = of(&points, "gen_ai.client.operation.duration");
    let asked = labels(json!({
        "gen_ai.operation.name": "chat", "gen_ai.provider.name": "_OTHER", "gen_ai.request.model": "some-model",
    }));
    assert_eq!((chat.len(), chat[0].count, chat[0].unit.as_str(), &chat[0].labels), (1, 2, "s", &asked));
    assert_eq!((chat[0].bounds[0], chat[0].bounds.len()), (0.01, 14));

    let tokens = of(&points, "gen_ai.client.token.usage");
    let sums: BTreeMap<&str, (f64, u64)> = tokens
        .iter()
        .map(|point| (point.labels["gen_ai.token.type"].as_str().unwrap(), (point.sum, point.count)))
        .collect();
    assert_eq!(sums, BTreeMap::from([("input", (250.0, 2)), ("output", (23.0, 2))]));
    assert_eq!(tokens[0].unit, "{token}");

    let tools = of(&points, "gen_ai.execute_tool.duration");
    let mut found: Vec<(&Value, Option<&Value>, u64)> = tools
        .iter()
        .map(|point| (&point.labels["gen_ai.tool.name"], point.labels.get("error.type"), point.count))
        .collect();
    found.sort_by_key(|(name, ..)| name.to_string());
    assert_eq!(
        found,
        [
            (&json!("_OTHER"), Some(&json!("unknown_tool")), 1),
            (&json!("add"), None, 1),
            (&json!("fails"), Some(&json!("failed")), 1),
        ]
    );
    assert!(tools.iter().all(|point| point.labels["gen_ai.agent.name"] == "adder"), "{tools:?}");

    let turns = of(&points, "gen_ai.invoke_agent.duration");
    let turn = labels(json!({"gen_ai.agent.name": "adder", "gen_ai.request.model": "some-model"}));
    assert_eq!((turns.len(), turns[0].count, &turns[0].labels), (1, 1, &turn));
    assert!(!format!("{points:?}").contains("invented"));
}
