//! A function tool called with JSON in and JSON out: ours through a `ToolSet` with validation, beside rig-core's tool
//! trait, which does not validate. The limit is 3 µs; the aim is to be faster than the peer although it checks less.
//!
//! Both sides get what they take of a model's message: ours the `ToolCall`, which stays where it is, the peer's trait a
//! text of its own. What they are given is made outside of the measurement, few at a time, so that it is the call which
//! is measured and not the way to far memory. After the times of each, both are compared in pairs of turns.

#![allow(missing_docs, clippy::expect_used, clippy::indexing_slicing)]

use std::convert::Infallible;
use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use futures_util::FutureExt as _;
use opentool::{ToolCall, ToolContext, ToolSetExt as _, tool, tools};
use opentool_benches::pairs::compare;
use rig_core::tool::{DynamicTool, ErasedTool, Tool, ToolContext as RigContext, ToolOutput as RigOutput};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

const TEXT: &str = r#"{"a":20,"b":22}"#;

/// How many inputs are made at a time.
const FEW: u64 = 100;

const BATCH: BatchSize = BatchSize::NumIterations(FEW);

/// Adds two numbers.
#[tool]
fn add(
    /// The first.
    a: i64,
    /// The second.
    b: i64,
) -> i64 {
    a + b
}

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

struct RigAdd;

impl Tool for RigAdd {
    const NAME: &'static str = "add";
    type Args = Add;
    type Output = i64;
    type Error = Infallible;

    fn description(&self) -> String {
        "Adds two numbers.".to_owned()
    }

    fn parameters(&self) -> Value {
        schemars::schema_for!(Add).to_value()
    }

    async fn call(&self, _: &mut RigContext, add: Add) -> Result<i64, Self::Error> {
        Ok(add.a + add.b)
    }
}

/// The result as a value, from arguments that are a value.
fn values(c: &mut Criterion) {
    let tools = tools![add];
    let cx = ToolContext::new();
    let arguments = json!({"a": 20, "b": 22});
    let dynamic = DynamicTool::new(
        rig_core::message::ToolName::new("add").expect("a name"),
        "Adds two numbers.",
        schemars::schema_for!(Add).to_value(),
        |arguments: Value| {
            Box::pin(async move {
                let add: Add = serde_json::from_value(arguments).expect("fits");
                Ok(RigOutput::json(json!(add.a + add.b)))
            })
        },
    );
    let call = || ToolCall::new("1", "add", arguments.clone());
    let ours = |call: &mut ToolCall| {
        let output = tools.call(&cx, &*call).now_or_never().expect("no waiting").expect("adds");
        assert_eq!(black_box(output.structured), Some(json!(42)));
    };
    let theirs = |arguments: &mut Value| {
        let mut cx = RigContext::new();
        // Its trait takes the text of the arguments.
        let running = ErasedTool::execute(&RigAdd, arguments.to_string(), &mut cx);
        let result = running.now_or_never().expect("no waiting");
        assert_eq!(black_box(result.output().as_json()), Some(&json!(42)));
    };
    let theirs_dynamic = |arguments: &mut Value| {
        let output = dynamic.execute(arguments.take()).now_or_never().expect("no waiting").expect("adds");
        assert_eq!(black_box(output.as_json()), Some(&json!(42)));
    };
    let mut group = c.benchmark_group("add, value in, value out");
    group.bench_function("opentool, validated", |b| b.iter_batched_ref(call, ours, BATCH));
    group.bench_function("rig-core 0.44, Tool, not validated", |b| {
        b.iter_batched_ref(|| arguments.clone(), theirs, BATCH);
    });
    group.bench_function("rig-core 0.44, DynamicTool, not validated", |b| {
        b.iter_batched_ref(|| arguments.clone(), theirs_dynamic, BATCH);
    });
    group.finish();
    compare(|| turn(|| arguments.clone(), theirs), || turn(call, ours));
}

/// The result as a text, from arguments that are the text that a model wrote.
fn texts(c: &mut Criterion) {
    let tools = tools![add];
    let cx = ToolContext::new();
    let call = || ToolCall::new("1", "add", TEXT);
    let ours = |call: &mut ToolCall| {
        let output = tools.call(&cx, &*call).now_or_never().expect("no waiting").expect("adds");
        assert_eq!(black_box(output.to_text()), "42");
    };
    let theirs = |text: &mut String| {
        let mut cx = RigContext::new();
        let running = ErasedTool::execute(&RigAdd, std::mem::take(text), &mut cx);
        let result = running.now_or_never().expect("no waiting");
        assert_eq!(black_box(result.output().render()), "42");
    };
    let mut group = c.benchmark_group("add, text in, text out");
    group.bench_function("opentool, validated", |b| b.iter_batched_ref(call, ours, BATCH));
    group.bench_function("rig-core 0.44, Tool, not validated", |b| {
        b.iter_batched_ref(|| TEXT.to_owned(), theirs, BATCH);
    });
    group.finish();
    compare(|| turn(|| TEXT.to_owned(), theirs), || turn(call, ours));
}

/// How long many calls take, what they are given not counted.
fn turn<I>(mut make: impl FnMut() -> I, mut run: impl FnMut(&mut I)) -> Duration {
    const BATCHES: u32 = 50;
    let mut took = Duration::ZERO;
    for _ in 0..BATCHES {
        let mut inputs: Vec<I> = (0..FEW).map(|_| make()).collect();
        let start = Instant::now();
        inputs.iter_mut().for_each(&mut run);
        took += start.elapsed();
    }
    took
}

criterion_group!(benches, values, texts);
criterion_main!(benches);
