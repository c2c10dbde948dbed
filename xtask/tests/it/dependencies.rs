//! Who may depend on whom, and how heavy the core is.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use crate::{expect_none, root};

/// For each of our crates, the ones of ours that it may name in `[dependencies]`.
const ALLOWED: &[(&str, &[&str])] = &[
    ("opentool-core", &[]),
    ("opentool-macros", &[]),
    ("opentool-http", &[]),
    ("opentool-listen", &[]),
    ("opentool-schema", &["opentool-core"]),
    ("opentool-text", &["opentool-core"]),
    ("opentool-doc", &["opentool-core", "opentool-text"]),
    ("opentool-openapi", &["opentool-core", "opentool-http", "opentool-schema", "opentool-text"]),
    ("opentool-mcp", &["opentool-core", "opentool-http", "opentool-listen", "opentool-schema"]),
    ("opentool-agent", &["opentool-core", "opentool-http", "opentool-schema", "opentool-text"]),
    (
        "opentool-server",
        &[
            "opentool-core",
            "opentool-doc",
            "opentool-http",
            "opentool-listen",
            "opentool-schema",
            "opentool-text",
        ],
    ),
    // Its tests run everything whose spans it exports.
    ("opentool-otel", &["opentool-http"]),
    ("opentool-petshop", &[]),
];
/// These stand at the end of the chain and may name all.
const ALL: &[&str] =
    &["opentool", "opentool-cli", "opentool-examples", "opentool-benches", "opentool-fuzz", "xtask"];

const CORE_LIMIT: usize = 30;

fn metadata() -> serde_json::Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    serde_json::from_slice(&output.stdout).expect("cargo prints JSON")
}

#[test]
fn every_binary_has_a_name_of_its_own() {
    // They all land in one folder, where the last to be built replaces the others.
    let metadata = metadata();
    let mut owners: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in metadata["packages"].as_array().expect("packages") {
        for target in package["targets"].as_array().expect("targets") {
            if target["kind"].as_array().expect("kinds").iter().any(|kind| kind == "bin") {
                let owner = package["name"].as_str().expect("a name");
                owners.entry(target["name"].as_str().expect("a name")).or_default().push(owner);
            }
        }
    }
    let twice = owners.iter().filter(|(_, owners)| owners.len() > 1);
    expect_none(
        &twice
            .map(|(name, owners)| format!("the binary `{name}` is built by {}", owners.join(" and by ")))
            .collect::<Vec<_>>(),
    );
}

#[test]
fn dependencies_point_in_one_direction() {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("packages");
    let ours: BTreeSet<&str> = packages.iter().map(|p| p["name"].as_str().expect("a name")).collect();
    let allowed: BTreeMap<&str, &[&str]> = ALLOWED.iter().copied().collect();
    let mut findings = Vec::new();
    for package in packages {
        let name = package["name"].as_str().expect("a name");
        if ALL.contains(&name) {
            continue;
        }
        let Some(may) = allowed.get(name) else {
            findings.push(format!("{name} is not in the table of xtask/tests/it/dependencies.rs"));
            continue;
        };
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            let on = dependency["name"].as_str().expect("a name");
            // Tests may reach for anything.
            if dependency["kind"] != "dev" && ours.contains(on) && !may.contains(&on) {
                findings.push(format!("{name} must not depend on {on}"));
            }
        }
    }
    expect_none(&findings);
}

#[test]
fn the_core_is_light() {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--package", "opentool-core", "--edges", "normal", "--prefix", "none", "--locked"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let text = String::from_utf8(output.stdout).expect("names are Unicode");
    let crates: BTreeSet<&str> = text.lines().filter_map(|line| line.split(' ').next()).collect();
    let crates: Vec<&str> = crates.into_iter().filter(|name| *name != "opentool-core").collect();
    assert!(!crates.is_empty(), "cargo tree printed nothing");
    assert!(crates.len() <= CORE_LIMIT, "opentool-core brings {} crates: {crates:?}", crates.len());
    for heavy in ["tokio", "reqwest", "axum", "hyper", "jsonschema", "rmcp"] {
        assert!(!crates.contains(&heavy), "opentool-core must not bring {heavy}");
    }
}
