//! The time to start the binary: `opentool --version`, from nothing to its end. The limit is 15 ms. Beside it stands
//! `true`, which is what starting any process costs here.

#![allow(missing_docs, clippy::expect_used, clippy::indexing_slicing)]

use std::path::Path;
use std::process::{Command, Stdio};

use criterion::{Criterion, criterion_group, criterion_main};

fn start(c: &mut Criterion) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let built = Command::new(env!("CARGO"))
        .args(["build", "--release", "--quiet", "--package", "opentool-cli"])
        .current_dir(&root)
        .status()
        .expect("cargo runs");
    assert!(built.success());
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), Into::into);
    let binary = target.join("release/opentool");
    let mut group = c.benchmark_group("start");
    group.bench_function("opentool --version", |b| b.iter(|| run(Command::new(&binary).arg("--version"))));
    group.bench_function("true", |b| b.iter(|| run(&mut Command::new("true"))));
    group.finish();
}

fn run(command: &mut Command) {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status().expect("starts");
    assert!(status.success());
}

criterion_group!(benches, start);
criterion_main!(benches);
