//! The loop's own cost per tool call: a scripted model, a tool that does nothing, nobody watching. The limit is 15 µs; the
//! aim is to be faster than rig-agent, whose loop runs the same script beside it.
//!
//! What a model answers and the agents themselves are made outside of the measurement. The peer's scripted model gets its
//! documents ready made, so that neither side writes JSON only to have a model. Measured on two busy cores: 6 µs a call in
//! rounds of one and 11 µs in a round of a hundred, the peer 170 µs and 30 µs. The last figure is no cost of ours: a
//! hundred calls that each wait 50 ms, which should take little more than 50 ms.

#![allow(missing_docs, clippy::expect_used)]

use std::convert::Infallible;
use std::time::Duration;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use opentool::agent::{Agent, Limit, Limits, chat};
use opentool::{AssistantMessage, ToolCall, tool, tools};
use rig_agent::AgentBuilder;
use rig_core::message::{AssistantContent, ToolCall as RigCall, ToolFunction, ToolName};
use rig_core::test_utils::{MockCompletionModel, MockTurn};
use rig_core::tool::{Tool, ToolContext as RigContext};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

/// Does nothing.
#[tool]
fn nothing(
    /// The number of the call.
    n: u32,
) {
    let _ = n;
}

/// Waits.
#[tool]
async fn wait(
    /// The number of the call.
    n: u32,
) {
    let _ = n;
    tokio::time::sleep(Duration::from_millis(50)).await;
}

#[derive(Deserialize, JsonSchema)]
struct Numbered {
    /// The number of the call.
    n: u32,
}

struct RigNothing;

impl Tool for RigNothing {
    const NAME: &'static str = "nothing";
    type Args = Numbered;
    type Output = String;
    type Error = Infallible;

    fn description(&self) -> String {
        "Does nothing.".to_owned()
    }

    fn parameters(&self) -> Value {
        schemars::schema_for!(Numbered).to_value()
    }

    async fn call(&self, _: &mut RigContext, numbered: Numbered) -> Result<String, Self::Error> {
        let _ = numbered.n;
        Ok("Done.".to_owned())
    }
}

/// Rounds of so many calls each, and then a word.
fn ours(name: &str, rounds: u32, at_once: u32) -> Agent {
    let mut model = chat::script();
    for round in 0..rounds {
        let calls = (0..at_once).map(|n| {
            let n = round * at_once + n;
            ToolCall::new(format!("call_{n}"), name, json!({"n": n}))
        });
        model = model.answers(opentool::ChatReply::new(AssistantMessage::calls(calls)));
    }
    let limits = Limits::new().rounds(rounds + 1).calls_per_tool(Limit::none());
    Agent::new(model.text("done"), tools![nothing, wait]).limits(limits)
}

fn theirs(rounds: u32, at_once: u32) -> rig_agent::Agent {
    let mut turns: Vec<MockTurn> = (0..rounds)
        .map(|round| {
            MockTurn::from_contents((0..at_once).map(|n| {
                let n = round * at_once + n;
                let function = ToolFunction::new(ToolName::new("nothing").expect("a name"), json!({"n": n}));
                AssistantContent::ToolCall(RigCall::from_wire(format!("call_{n}"), function))
            }))
        })
        .collect();
    turns.push(MockTurn::text("done"));
    let turns = turns.into_iter().map(|turn| turn.with_raw(json!({})));
    AgentBuilder::new(MockCompletionModel::from_turns(turns))
        .tool(RigNothing)
        .default_max_turns(rounds as usize + 2)
        .build()
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_time().build().expect("a runtime")
}

fn loops(c: &mut Criterion) {
    let runtime = runtime();
    for (words, rounds, at_once) in [("20 rounds of one call", 20, 1), ("one round of 100 calls", 1, 100)] {
        let mut group = c.benchmark_group(words);
        // Time per element is time per call.
        group.throughput(Throughput::Elements(u64::from(rounds * at_once)));
        group.bench_function("opentool, validated", |b| {
            b.iter_batched(
                || ours("nothing", rounds, at_once),
                |agent| {
                    let reply = runtime.block_on(agent.run("Go on.")).expect("answers");
                    assert_eq!(reply.text, "done");
                    reply
                },
                BatchSize::SmallInput,
            );
        });
        group.bench_function("rig-agent 0.44, not validated", |b| {
            b.iter_batched(
                || theirs(rounds, at_once),
                |agent| {
                    let reply = runtime.block_on(async { agent.prompt("Go on.").await }).expect("answers");
                    assert_eq!(reply.output(), "done");
                    reply
                },
                BatchSize::SmallInput,
            );
        });
        group.finish();
    }
}

fn waiting(c: &mut Criterion) {
    let runtime = runtime();
    let mut group = c.benchmark_group("100 calls that each wait 50 ms");
    group.sample_size(10);
    group.bench_function("opentool, all at once", |b| {
        b.iter_batched(
            || ours("wait", 1, 100).concurrency(100),
            |agent| runtime.block_on(agent.run("Go on.")).expect("answers"),
            BatchSize::SmallInput,
        );
    });
    group.finish();
}

criterion_group!(benches, loops, waiting);
criterion_main!(benches);
