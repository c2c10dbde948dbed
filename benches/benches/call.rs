//! A function tool called with JSON text in and JSON text out: ours with validation, beside rig-core's tool
//! trait without. The limit is 3 µs; the aim is to be faster than the peer although it checks less.

use criterion::{Criterion, criterion_group, criterion_main};
use futures_util::FutureExt as _;
use opentool::{ToolCall, ToolContext, ToolSet, ToolSetExt as _, tool_fn};
use rig_core::tool::{ErasedTool, Tool, ToolContext as RigContext};
use schemars::JsonSchema;
use serde::Deserialize;
use std::hint::black_box;

const ARGUMENTS: &str = r#"{"a":20,"b":22}"#;

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
    type Error = std::convert::Infallible;

    fn description(&self) -> String {
        "Adds two numbers.".to_owned()
    }

    fn parameters(&self) -> serde_json::Value {
        schemars::schema_for!(Add).to_value()
    }

    async fn call(&self, _: &mut RigContext, add: Add) -> Result<i64, Self::Error> {
        Ok(add.a + add.b)
    }
}

fn call(c: &mut Criterion) {
    let tools = ToolSet::from_tools([tool_fn("add", "Adds two numbers.", async |add: Add| {
        Ok::<_, std::convert::Infallible>(add.a + add.b)
    })])
    .expect("one tool");
    let cx = ToolContext::new();

    let mut group = c.benchmark_group("add, text in, text out");
    group.bench_function("opentool, validated", |b| {
        b.iter(|| {
            let call = ToolCall::new("1", "add", black_box(ARGUMENTS));
            let output = tools.call(&cx, &call).now_or_never().expect("no waiting").expect("adds");
            assert_eq!(black_box(output.to_text()), "42");
        });
    });
    group.bench_function("rig-core 0.44, not validated", |b| {
        b.iter(|| {
            let mut cx = RigContext::new();
            let running = ErasedTool::execute(&RigAdd, black_box(ARGUMENTS).to_owned(), &mut cx);
            let result = running.now_or_never().expect("no waiting");
            assert_eq!(black_box(result.output().render()), "42");
        });
    });
    group.finish();
}

criterion_group!(benches, call);
criterion_main!(benches);
