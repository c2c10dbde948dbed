//! Importing GitHub's OpenAPI document (about 13 MB, 1,223 operations) to a ready tool set, from bytes in memory. The
//! limit is one CPU-second and 250 MB; `cargo xtask corpus` prints both for it and for others. Needs what that
//! command fetches; without it, this says so and measures nothing.

#![allow(missing_docs, clippy::expect_used, clippy::indexing_slicing)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};

fn import(c: &mut Criterion) {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/corpus/documents/github.json");
    let Ok(bytes) = std::fs::read(file) else {
        println!("left out: the document is not there; `cargo xtask corpus` fetches it");
        return;
    };
    let mut group = c.benchmark_group("GitHub's document, 1,223 operations");
    group.sample_size(10);
    group.bench_function("to a tool set", |b| {
        b.iter(|| {
            let api = opentool::openapi::parse(black_box(&bytes), "github.json").expect("reads");
            assert_eq!(api.tools().expect("tools").len(), 1_223);
        });
    });
    group.bench_function("to a tool set with every input schema", |b| {
        b.iter(|| {
            let api = opentool::openapi::parse(black_box(&bytes), "github.json").expect("reads");
            let tools = api.tools().expect("tools");
            let schemas = tools.definitions().filter(|d| d.input_schema.as_value().is_object()).count();
            assert_eq!(schemas, 1_223);
        });
    });
    group.bench_function("serde_json alone, to a value", |b| {
        b.iter(|| serde_json::from_slice::<serde_json::Value>(black_box(&bytes)).expect("reads"));
    });
    group.finish();
}

criterion_group!(benches, import);
criterion_main!(benches);
