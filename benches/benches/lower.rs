//! Lowering GitHub's 1,223 tools to each dialect, their schemas being there. The limit is 150 ms. Needs what
//! `cargo xtask corpus` fetches; without it, this says so and measures nothing.

#![allow(missing_docs, clippy::expect_used)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use opentool::schema::{Dialect, lower_all};

fn lower(c: &mut Criterion) {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/corpus/documents/github.json");
    let Ok(bytes) = std::fs::read(file) else {
        println!("left out: the document is not there; `cargo xtask corpus` fetches it");
        return;
    };
    let api = opentool::openapi::parse(&bytes, "github.json").expect("reads");
    let tools = api.tools().expect("tools");
    assert_eq!(tools.definitions().filter(|tool| tool.input_schema.as_value().is_object()).count(), 1_223);
    let mut group = c.benchmark_group("GitHub's 1,223 tools");
    group.sample_size(10);
    for dialect in Dialect::all() {
        group.bench_function(dialect.name(), |b| {
            b.iter(|| {
                let set = lower_all(black_box(tools.definitions()), *dialect);
                set.tools.len().saturating_add(set.refused.len())
            });
        });
    }
    group.finish();
}

criterion_group!(benches, lower);
criterion_main!(benches);
