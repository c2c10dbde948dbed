//! Each case under `tests/golden/messages`: an answer in the form of the documentation that `source` names, and
//! outputs → what is read, how the turn is written anew, and the results behind the turn as it came.
//! `UPDATE=1` rewrites what is expected.

use std::path::{Path, PathBuf};

use opentool_core::ToolOutput;
use opentool_schema::{MessageFormat, ParsedCalls, parse_calls, write_calls};
use serde_json::{Value, json};

fn picture(parsed: &ParsedCalls) -> Value {
    let problems: Vec<String> =
        parsed.problems.iter().map(|problem| format!("{} [{}]", problem, problem.rule)).collect();
    json!({"calls": parsed.calls, "text": parsed.text, "problems": problems})
}

#[test]
fn documented_messages() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/messages");
    let mut cases: Vec<PathBuf> =
        std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).filter(|p| p.is_dir()).collect();
    cases.sort();
    assert!(cases.len() >= 30, "only {} cases found", cases.len());
    let update = std::env::var_os("UPDATE").is_some();
    let mut wrong = Vec::new();
    let mut formats = std::collections::HashSet::new();
    for path in &cases {
        let case: Value =
            serde_json::from_str(&std::fs::read_to_string(path.join("case.json")).unwrap()).unwrap();
        assert!(case["source"].as_str().unwrap().starts_with("https://"), "{}", path.display());
        let format = MessageFormat::named(case["format"].as_str().unwrap()).unwrap();
        formats.insert(format);
        let outputs: Vec<ToolOutput> = serde_json::from_value(case["outputs"].clone()).unwrap();
        let got = match parse_calls(format, &case["reply"]) {
            Err(error) => json!({"error": error.to_string()}),
            Ok(parsed) => json!({
                "read": picture(&parsed),
                "replay": parsed.replay,
                "results": parsed.results(&outputs),
                "written": write_calls(format, &parsed.into_message()),
            }),
        };
        let got = format!("{got:#}\n");
        let file = path.join("expected.json");
        if update {
            std::fs::write(file, got).unwrap();
        } else if std::fs::read_to_string(&file).unwrap_or_default() != got {
            wrong.push(format!("{}: now\n{got}", path.file_name().unwrap().to_string_lossy()));
        }
    }
    assert!(wrong.is_empty(), "run with UPDATE=1 and look at the difference:\n{}", wrong.join("\n"));
    let without: Vec<_> = MessageFormat::all().iter().filter(|format| !formats.contains(*format)).collect();
    assert!(without.is_empty(), "no example of {without:?}");
}
