//! Everything that must pass before a change lands. A failed step does not hide the others.

use std::process::Command;
use std::time::Instant;

use crate::run::{output, root, visible};
use crate::{corpus, peers};

type Step = (&'static str, fn() -> Result<(), String>);

const STEPS: &[Step] = &[
    ("fmt", || cargo(&["fmt", "--all", "--check"])),
    ("clippy", || cargo(&["clippy", "--quiet", "--workspace", "--all-targets", "--", "--deny", "warnings"])),
    ("tests", tests),
    ("docs", docs),
    ("each feature alone", features),
    ("examples", examples),
    ("corpus", || corpus::run(&[])),
];

/// Runs all steps, then says which failed.
pub(crate) fn run() -> Result<(), String> {
    components()?;
    let start = Instant::now();
    let mut failed = Vec::new();
    for (name, step) in STEPS {
        println!("\n=== {name}");
        let begun = Instant::now();
        match step() {
            Ok(()) => println!("=== {name}: ok ({:.0} s)", begun.elapsed().as_secs_f32()),
            Err(message) => {
                println!("=== {name}: FAILED: {message}");
                failed.push(*name);
            }
        }
    }
    println!("\n{} steps in {:.0} s", STEPS.len(), start.elapsed().as_secs_f32());
    println!("steps: {} passed, {} failed", STEPS.len() - failed.len(), failed.len());
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(", "))) }
}

/// Cargo, for a tree that is built once: what the next build would use is most of what fills a disk.
fn once(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).env("CARGO_INCREMENTAL", "0");
    command
}

fn cargo(arguments: &[&str]) -> Result<(), String> {
    visible(&mut once(arguments))
}

/// A minimal toolchain comes without these.
fn components() -> Result<(), String> {
    for (program, component) in [("cargo-fmt", "rustfmt"), ("cargo-clippy", "clippy")] {
        if Command::new(program).arg("--version").output().is_err() {
            println!("installing the toolchain component {component}");
            output(Command::new("rustup").args(["component", "add", component]))?;
        }
    }
    Ok(())
}

fn tests() -> Result<(), String> {
    let peers = peers::install()?;
    let mut command = once(&["test", "--workspace", "--no-fail-fast"]);
    command
        // The tests with real clients are skipped without these, and say so; here they must run.
        .env("OPENTOOL_TEST_PYTHON", peers.python)
        .env("OPENTOOL_TEST_SDKS", peers.sdks)
        .env("OPENTOOL_TEST_NODE", peers.node)
        .env("OPENTOOL_TEST_PEERS", "required")
        // What is generated is the same in every run here, so that what turns red is the change. `cargo test` by hand, and
        // the fuzz targets, go on to look for what nobody thought of.
        .env("PROPTEST_RNG_SEED", "20261121");
    visible(&mut command)
}

fn docs() -> Result<(), String> {
    visible(
        once(&["doc", "--quiet", "--workspace", "--no-deps", "--document-private-items"])
            .env("RUSTDOCFLAGS", "--deny warnings --allow rustdoc::private_intra_doc_links"),
    )
}

/// Every optional feature of every package compiles without the others, and so does none at all.
fn features() -> Result<(), String> {
    let metadata = output(
        Command::new("cargo").args(["metadata", "--no-deps", "--format-version", "1"]).current_dir(root()),
    )?;
    let metadata: serde_json::Value = serde_json::from_str(&metadata).map_err(|e| e.to_string())?;
    let packages =
        metadata.get("packages").and_then(|p| p.as_array()).ok_or("cargo metadata has no packages")?;
    for package in packages {
        let name = package.get("name").and_then(|n| n.as_str()).unwrap_or_default();
        let Some(features) = package.get("features").and_then(|f| f.as_object()).filter(|f| !f.is_empty())
        else {
            continue;
        };
        let check = ["check", "--quiet", "--package", name, "--no-default-features"];
        cargo(&check)?;
        for feature in features.keys().filter(|feature| *feature != "default") {
            cargo(&[&check[..], &["--features", feature]].concat())?;
        }
    }
    Ok(())
}

/// Every example runs offline and ends by itself.
fn examples() -> Result<(), String> {
    let folder = root().join("examples/src/bin");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .map_err(|e| format!("{}: {e}", folder.display()))?
        .filter_map(|entry| entry.ok()?.path().file_stem()?.to_str().map(str::to_owned))
        .collect();
    names.sort();
    for name in names {
        cargo(&["run", "--quiet", "--package", "opentool-examples", "--bin", &name])?;
    }
    Ok(())
}
