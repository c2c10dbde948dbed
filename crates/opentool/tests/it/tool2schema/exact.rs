//! The `tool2schema` profile against goldens that the library itself (2.2.0) has written.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use opentool::schema::profile::{Layout, SchemaType, save};
use serde_json::Value;

use super::functions;

const TYPES: [SchemaType; 3] = [SchemaType::OpenAiApi, SchemaType::OpenAiTune, SchemaType::AnthropicClaude];

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/tool2schema")
}

/// The names of the cases in a folder.
fn cases(folder: &Path) -> BTreeSet<String> {
    let files = std::fs::read_dir(folder).unwrap();
    files.map(|file| file.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned()).collect()
}

/// The three lines of one tool, as a Python program writes them.
fn lines(folder: &Path, definition: &opentool::ToolDefinition) -> String {
    let profile = functions::profile();
    let file = folder.join("line.json");
    let mut lines = String::new();
    for schema_type in TYPES {
        save(&file, &profile.tool2schema(definition, Some(schema_type)), Layout::Python).unwrap();
        lines += &std::fs::read_to_string(&file).unwrap();
        lines.push('\n');
    }
    lines
}

#[test]
fn every_function_gives_what_the_library_writes_byte_for_byte() {
    let tools = functions::tools().unwrap();
    let names: BTreeSet<String> = tools.names().map(str::to_owned).collect();
    assert_eq!(names, cases(&golden()), "each function has a golden file and each golden file a function");
    let folder = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    for definition in tools.definitions() {
        let expected = std::fs::read_to_string(golden().join(format!("{}.jsonl", definition.name))).unwrap();
        let written = lines(folder.path(), definition);
        if written != expected {
            wrong.push(format!("{}:\n{written}is not\n{expected}", definition.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_saved_file_is_what_save_tool_enabled_writes() {
    let tools = functions::tools().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("functions.json");
    let list = functions::profile().tool2schema_list(&tools, None);
    save(&file, &list, Layout::Python).unwrap();
    let first = |name: &str| {
        let text = std::fs::read_to_string(golden().join(format!("{name}.jsonl"))).unwrap();
        text.lines().next().unwrap().to_owned()
    };
    let expected = format!("[{}]", tools.names().map(first).collect::<Vec<_>>().join(", "));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), expected);
    let read: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(read, list);
}

/// The library itself, where `cargo xtask setup` has installed it: the goldens are what it writes today.
#[test]
fn the_library_still_writes_the_goldens() {
    let python = std::env::var("OPENTOOL_TEST_PYTHON").ok();
    let required = std::env::var("OPENTOOL_TEST_PEERS").is_ok_and(|value| value == "required");
    assert!(python.is_some() || !required, "OPENTOOL_TEST_PYTHON is not set; run `cargo xtask ci`");
    let Some(python) = python else {
        println!("left out: OPENTOOL_TEST_PYTHON is not set, see `cargo xtask setup`");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/tool2schema_cases.py");
    let status = Command::new(python).args(["-B", script]).arg(folder.path()).status().unwrap();
    assert!(status.success());
    assert_eq!(cases(folder.path()), cases(&golden()));
    for case in cases(&golden()) {
        let file = format!("{case}.jsonl");
        let (theirs, ours) = (folder.path().join(&file), golden().join(&file));
        assert_eq!(
            std::fs::read_to_string(theirs).unwrap(),
            std::fs::read_to_string(ours).unwrap(),
            "{case}"
        );
    }
}
