//! Schemas of three kilobytes that stand for enormous ones, lowered to each dialect or refused by it. The limits are 50 ms
//! and 64 MB for each.
//!
//! They are those of the tests of `opentool-schema`, which count the work; here it is time and memory. All of them are
//! lowered once, and the slowest and the largest of each dialect told; the slowest is then measured. Memory is what is
//! asked for beside what was there before: the allocator counts, which is why this is no part of `lower`.

#![allow(missing_docs, clippy::expect_used, clippy::indexing_slicing)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use opentool::schema::{Dialect, lower};
use opentool::{Schema, ToolDefinition};
use peak_alloc::PeakAlloc;

#[path = "../../crates/opentool-schema/src/dialect/lower/bombs.rs"]
mod bombs;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// The most bytes of a schema.
const SIZE: usize = 3_000;

const MOST_TIME: Duration = Duration::from_millis(50);
const MOST_MEGABYTES: f64 = 64.0;

/// Every bomb by name, as large as it may be.
fn tools() -> Vec<(&'static str, ToolDefinition)> {
    let mut fitting = Vec::new();
    for n in 1..200 {
        let mut any = false;
        for (place, (name, schema)) in bombs::bombs(n).into_iter().enumerate() {
            if schema.to_string().len() > SIZE {
                continue;
            }
            any = true;
            let tool = ToolDefinition::new("bomb", "").input_schema(Schema::new(schema));
            match fitting.get_mut(place) {
                Some(smaller) => *smaller = (name, tool),
                None => fitting.push((name, tool)),
            }
        }
        if !any {
            break;
        }
    }
    fitting
}

/// What lowering one costs: time, and megabytes beside what was there.
fn cost(tool: &ToolDefinition, dialect: Dialect) -> (Duration, f64) {
    let before = ALLOCATOR.current_usage_as_mb();
    ALLOCATOR.reset_peak_usage();
    let begun = Instant::now();
    let lowered = black_box(lower(black_box(tool), dialect));
    let took = begun.elapsed();
    drop(lowered);
    (took, f64::from(ALLOCATOR.peak_usage_as_mb() - before))
}

fn lower_bombs(c: &mut Criterion) {
    let tools = tools();
    println!("{} schemas of up to {SIZE} bytes\n", tools.len());
    println!("{:<26} {:>8}  {:<36} {:>8}  largest", "dialect", "ms", "slowest", "MB");
    let mut slowest = Vec::new();
    for dialect in Dialect::all() {
        let costs: Vec<_> = tools
            .iter()
            .map(|(name, tool)| {
                // The first time may pay for what others share.
                let (first, megabytes) = cost(tool, *dialect);
                (first.min(cost(tool, *dialect).0), megabytes, *name, tool)
            })
            .collect();
        let slow = costs.iter().max_by_key(|(took, ..)| *took).expect("there are some");
        let large = costs.iter().max_by(|one, other| one.1.total_cmp(&other.1)).expect("there are some");
        let (ms, megabytes) = (slow.0.as_secs_f64() * 1_000.0, large.1);
        let over = if slow.0 > MOST_TIME || megabytes > MOST_MEGABYTES { "  OVER THE LIMIT" } else { "" };
        println!("{:<26} {ms:>8.2}  {:<36} {megabytes:>8.1}  {}{over}", dialect.name(), slow.2, large.2);
        slowest.push((*dialect, slow.3));
    }
    println!();
    let mut group = c.benchmark_group("the slowest bomb of three kilobytes");
    group.sample_size(10);
    for (dialect, tool) in slowest {
        group.bench_function(dialect.name(), |b| b.iter(|| lower(black_box(tool), dialect)));
    }
    group.finish();
}

criterion_group!(benches, lower_bombs);
criterion_main!(benches);
