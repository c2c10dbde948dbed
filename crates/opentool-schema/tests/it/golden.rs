//! Each case under `tests/golden/validation`: a schema and arguments → what the model reads, and the problems.
//! `UPDATE=1` rewrites what is expected.

use std::path::{Path, PathBuf};

use opentool_core::ToolError;
use opentool_schema::{RepairPolicy, Repairs, ToolSetExt as _};
use serde_json::{Value, json};

use crate::tools::{Scripted, call, nested, set, with_deep};

#[test]
fn explanations() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/validation");
    let mut cases: Vec<PathBuf> =
        std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).filter(|p| p.is_dir()).collect();
    cases.sort();
    assert!(cases.len() >= 80, "only {} cases found", cases.len());
    let update = std::env::var_os("UPDATE").is_some();
    let mut wrong = Vec::new();
    for case in &cases {
        let input: Value =
            serde_json::from_str(&std::fs::read_to_string(case.join("input.json")).unwrap()).unwrap();
        let mut arguments = input["arguments"].clone();
        write_out(&mut arguments);
        let tools = set(Scripted::echo(input["schema"].clone()));
        let mut asked = call("echo", arguments);
        // The words for what is wrong, not what could be made of it.
        let checked = tools.take(&asked, &RepairPolicy::new(Repairs::Off)).map(|(arguments, _)| arguments);
        with_deep(asked.arguments.take(), |_| ());
        let got = match checked {
            Ok(arguments) => json!({"arguments": arguments}),
            Err(ToolError::InvalidArguments(error)) => {
                assert!(error.problems.len() <= 21, "{}: unbounded", case.display());
                let lines: Vec<String> = error.to_string().lines().map(str::to_owned).collect();
                json!({"text": lines, "problems": error.problems})
            }
            Err(other) => json!({"error": format!("{other:?}")}),
        };
        let got = format!("{got:#}\n");
        assert!(got.len() < 30_000, "{}: unbounded text", case.display());
        let file = case.join("expected.json");
        if update {
            std::fs::write(file, got).unwrap();
        } else if std::fs::read_to_string(&file).unwrap_or_default() != got {
            wrong.push(format!("{}: now\n{got}", case.file_name().unwrap().to_string_lossy()));
        }
    }
    assert!(wrong.is_empty(), "run with UPDATE=1 and look at the difference:\n{}", wrong.join("\n"));
}

/// `{"$nest": N}` stands for N objects inside each other.
fn write_out(value: &mut Value) {
    if let Some(levels) = value.get("$nest").and_then(Value::as_u64) {
        *value = nested(usize::try_from(levels).unwrap());
        return;
    }
    match value {
        Value::Array(items) => items.iter_mut().for_each(write_out),
        Value::Object(members) => members.values_mut().for_each(write_out),
        _ => {}
    }
}
