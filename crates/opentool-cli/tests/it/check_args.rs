//! `opentool check-args`, and the cases of `conformance/argument-repair.jsonl` through it and `parse-calls`.

#[path = "../../../../conformance/argument_repair.rs"]
mod cases;

use opentool::schema::{Repairs, resolve_name};
use serde_json::{Value, json};

use crate::support::{Ran, golden, opentool};
use cases::{Case, Kind, Outcome, TOOL};

/// The command line that `conformance/README.md` describes.
fn arguments(case: &Case, schema: &Value) -> Result<(), String> {
    let definitions = json!([{"name": TOOL, "inputSchema": schema}]).to_string();
    let line = ["check-args", "tools.json", TOOL, "-", "--json", "--mode", case.mode.as_str()];
    let ran = opentool(line).file("tools.json", definitions).input(&case.input).end();
    let report = ran.json();
    let errors = report["errors"].as_array().unwrap();
    // Exit code, value and errors say the same.
    let agree = match ran.code {
        0 => errors.is_empty() && report["value"].is_object(),
        4 => !errors.is_empty() && report["value"].is_null(),
        _ => false,
    };
    if !agree {
        return Err(ran.to_string());
    }
    case.judge_arguments(&if errors.is_empty() {
        let changes = report["changes"].as_array().unwrap().iter();
        let text = |change: &Value, key: &str| change[key].as_str().unwrap().to_owned();
        Outcome::Taken {
            value: report["value"].clone(),
            changes: changes.map(|change| (text(change, "stage"), text(change, "pointer"))).collect(),
        }
    } else {
        let codes = errors.iter().map(|error| error["code"].as_str().unwrap().to_owned()).collect();
        Outcome::Refused { codes, text: report["errors"].to_string() }
    })
}

fn calls(case: &Case) -> Result<(), String> {
    let ran = opentool(["parse-calls", "--from", "text"]).input(&case.input).end();
    if ran.code != 0 {
        return Err(ran.to_string());
    }
    let found: Vec<(String, Value)> = ran
        .json()
        .as_array()
        .unwrap()
        .iter()
        .map(|call| (call["name"].as_str().unwrap().to_owned(), call["arguments"].clone()))
        .collect();
    case.judge_calls(&found)
}

fn verdict(case: &Case) -> Result<(), String> {
    match &case.kind {
        Kind::Arguments { schema } => arguments(case, schema),
        Kind::TextCalls => calls(case),
        // A person writes names out; the library finds those that models meant.
        Kind::ToolName { tools } => {
            let mode = Repairs::named(&case.mode).unwrap();
            let found = resolve_name(&case.input, tools.iter().map(String::as_str), mode);
            case.judge_name(found.as_ref().map(|name| *name).map_err(|unknown| unknown.nearest.as_slice()))
        }
    }
}

#[test]
fn every_case() {
    let cases = cases::cases();
    // Starting a program takes longer than what it does.
    let lanes = std::thread::available_parallelism().map_or(2, usize::from);
    let verdicts = std::thread::scope(|scope| {
        let workers: Vec<_> = cases
            .chunks(cases.len().div_ceil(lanes))
            .map(|chunk| {
                scope.spawn(move || {
                    chunk.iter().map(|case| (case.id.clone(), verdict(case))).collect::<Vec<_>>()
                })
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect::<Vec<_>>()
    });
    cases::settle(&verdicts);
}

fn check(tool: &str, arguments: &str, options: &[&str]) -> Ran {
    opentool(["check-args", "petstore.yaml", tool, arguments].iter().chain(options)).end()
}

/// The arguments were refused because of what stands there, and the stages up to that are on standard output.
#[track_caller]
fn refused(ran: &Ran, pointer: &str) {
    assert_eq!(ran.code, 4, "\n{ran}");
    assert!(ran.text().starts_with("written  ") && ran.text().contains("\nrefused  "), "\n{ran}");
    assert!(ran.stderr.contains(&format!("\n  {pointer}: ")), "\n{ran}");
}

#[test]
fn each_stage_is_shown() {
    let written = "Sure: {'name': 'Rex', 'species': 'Dog', 'tags': '[\"good\"]', 'colour': null,}";
    golden("check-args/mended", &check("addPet", written, &["--mode", "lenient"]).to_string());
    golden("check-args/as-written", &check("getPetById", "{\"petId\": 2}", &[]).success().to_string());
    golden(
        "check-args/refused",
        &check("addPet", "{\"name\": 5, \"species\": \"cow\"}", &["--mode", "strict"]).to_string(),
    );
    golden(
        "check-args/partial",
        &check("addPet", "{\"name\": \"Re", &["--mode", "partial"]).success().to_string(),
    );
}

#[test]
fn programs_get_the_value_the_record_and_codes() {
    let ran = check("getPetById", "{'petId': '2'}", &["--json"]).success();
    assert_eq!(
        ran.json(),
        json!({
            "value": {"petId": 2},
            "changes": [
                {"stage": "repair", "rule": "syntax", "pointer": "", "before": "{'petId': '2'}", "after": {"petId": "2"}},
                {"stage": "coerce", "rule": "text to integer", "pointer": "/petId", "before": "2", "after": 2},
            ],
            "errors": [],
        })
    );
    // What came before a refusal is shown as well, to people and programs.
    let ran = check("getPetById", "{'petId': '2', 'x': 1,}", &[]);
    assert_eq!(ran.code, 4, "\n{ran}");
    assert!(ran.text().contains("\ncoerce   /petId: text to integer, \"2\" → 2\n"), "\n{ran}");
    assert!(ran.text().ends_with("\nrefused  unknown_property\n"), "\n{ran}");
    let ran = check("getPetById", "{'petId': '2', 'x': 1,}", &["--json"]);
    let stages: Vec<Value> =
        ran.json()["changes"].as_array().unwrap().iter().map(|change| change["stage"].clone()).collect();
    assert_eq!(stages, ["repair", "coerce"], "\n{ran}");
    assert_eq!(ran.json()["errors"][0]["code"], "unknown_property");
    // One vocabulary: standard error has the same code and the same pointer.
    assert!(ran.stderr.contains("{\"code\":\"unknown_property\",\"pointer\":\"/x\","), "\n{ran}");
    let ran = check("getPetById", "{\"petId\": ", &["--json"]);
    assert_eq!(ran.code, 4, "\n{ran}");
    let report = ran.json();
    assert_eq!((&report["value"], &report["errors"][0]["code"]), (&Value::Null, &json!("truncated")));
    // The same on standard error, as of every command.
    assert!(ran.stderr.contains("\"code\":\"invalid_arguments\""), "\n{ran}");
}

#[test]
fn what_was_written_for_a_dialect_is_taken_back() {
    let written = "{\"name\": \"Rex\", \"species\": \"dog\", \"born\": null, \"tags\": null, \"photoUrls\": null, \"status\": null,}";
    golden("check-args/from", &check("addPet", written, &["--from", "openai-strict"]).success().to_string());
    // The tool's own schema knows no null there, and the default mending drops it too; strictly it is wrong.
    refused(&check("addPet", &written.replace(",}", "}"), &["--mode", "strict"]), "/born");
    let ran = check("addPet", &written.replace(",}", "}"), &["--mode", "strict", "--from", "openai-strict"]);
    assert!(ran.success().text().ends_with("valid    {\"name\":\"Rex\",\"species\":\"dog\"}\n"));
    check("addPet", "{}", &["--from", "opnai"]).failure(2, &["opnai"]);
    check("addPet", "{}", &["--from", "gemini", "--strict", "always"])
        .failure(3, &["`gemini` has no strict mode"]);
    check("addPet", "{}", &["--strict", "auto"]).failure(2, &["--from"]);
}

#[test]
fn a_tool_may_be_named_as_the_provider_knows_it() {
    let definitions = json!([
        {"name": "order create", "inputSchema": {"type": "object", "properties": {"id": {"type": "integer"}, "note": {"type": "string"}}, "required": ["id"]}},
    ])
    .to_string();
    let run = |words: &[&str]| {
        opentool(["check-args", "tools.json"].iter().chain(words))
            .file("tools.json", definitions.as_str())
            .end()
    };
    let written = "{\"id\": 1, \"note\": null}";
    let words = ["order_create", written, "--from", "openai", "--strict", "auto", "--mode", "strict"];
    let ran = run(&words).success();
    assert!(ran.text().ends_with("valid    {\"id\":1}\n"), "\n{ran}");
    // Under its own name too; without strict, `null` is wrong.
    run(&["order create", written, "--from", "openai", "--strict", "always", "--mode", "strict"]).success();
    refused(&run(&["order_create", written, "--from", "openai", "--mode", "strict"]), "/note");
    // Nobody calls it so who saw the tool's own name.
    run(&["order_create", written]).failure(4, &["did you mean `order create`"]);
}

#[test]
fn errors_are_told_in_the_form_that_was_written() {
    let schema = json!({
        "type": "object",
        "properties": {
            "labels": {"type": "object", "additionalProperties": {"type": "integer"}},
            "days old": {"type": "integer"},
        },
        "required": ["days old"],
    });
    let definitions = json!([{"name": "t", "inputSchema": schema}]).to_string();
    let errors = |from: &str, written: &str| -> Vec<Value> {
        let line = ["check-args", "tools.json", "t", written, "--json", "--from", from];
        let ran = opentool(line).file("tools.json", definitions.as_str()).end();
        assert_eq!(ran.code, 4, "\n{ran}");
        ran.json()["errors"].as_array().unwrap().clone()
    };
    let wrong = r#"{"labels": [{"key": "a", "value": "many"}], "days old": 1}"#;
    assert_eq!(errors("openai-strict", wrong)[0]["pointer"], "/labels/0/value");
    let missing = json!({
        "code": "missing_required",
        "pointer": "/days_old",
        "message": "/days_old: required but missing, expected an integer",
    });
    assert_eq!(errors("anthropic", "{}"), [missing]);
    // In these the model saw the tool's own form.
    for own in ["opentool", "opentool@1.1.0", "json-schema", "mcp", "mcp-2026-07-28", "mcp-2024-11-05"] {
        assert_eq!(errors(own, "{}")[0]["pointer"], "/days old", "{own}");
    }
    let line = ["check-args", "tools.json", "t", "{}", "--from", "opentool", "--strict", "always"];
    opentool(line).file("tools.json", definitions.as_str()).end().failure(2, &["no strict mode"]);
}

#[test]
fn names_are_those_of_the_same_export() {
    let schema = |property: &str| json!({"type": "object", "properties": {property: {"type": "integer"}}, "additionalProperties": false});
    let definitions = json!([
        {"name": "order create", "inputSchema": schema("id")},
        {"name": "order.create", "inputSchema": schema("number")},
    ])
    .to_string();
    let run = |words: &[&str]| opentool(words).file("tools.json", definitions.as_str()).end();
    let only = ["--only", "order.create"];
    let exported = run(&[&["export", "tools.json", "--to", "openai"], &only[..]].concat()).success();
    assert_eq!(exported.json()[0]["function"]["name"], "order_create");
    let line = ["check-args", "tools.json", "order_create", "{\"number\": 1}", "--from", "openai"];
    run(&[&line[..], &only].concat()).success();
    // Without, it is the name of the other one.
    refused(&run(&line), "/number");
    run(&[&["check-args", "tools.json", "order create", "{}"], &only[..]].concat())
        .failure(4, &["`order create` is not among the tools that were chosen"]);
}

#[test]
fn a_text_may_look_like_an_option_or_be_missing() {
    let ran = check("getPetById", "-1", &["--json"]);
    assert_eq!(ran.json()["errors"][0]["code"], "type_mismatch", "\n{ran}");
    let ran = opentool(["check-args", "petstore.yaml", "getInventory"]).end().success();
    assert!(ran.text().starts_with("written  (nothing)\n"), "\n{ran}");
}

#[test]
fn what_a_model_wrote_cannot_drive_the_terminal() {
    let ran = check("addPet", "{\"name\": \"\u{1b}[2Jx\", \"species\": \"dog\"}", &[]).success();
    assert!(!ran.text().contains('\u{1b}'), "\n{ran}");
}

#[test]
fn mistakes_are_told_apart() {
    check("getPet", "{}", &[])
        .failure(4, &["there is no tool `getPet` in petstore.yaml; did you mean `getPetById`"]);
    check("getPetById", "{}", &["--mode", "brutal"]).failure(2, &["brutal", "lenient"]);
    opentool(["check-args", "-", "tool", "-"]).end().failure(2, &["standard input cannot be both"]);
    let broken = json!([{"name": "t", "inputSchema": {"type": "objekt"}}]).to_string();
    opentool(["check-args", "tools.json", "t", "{}"])
        .file("tools.json", broken)
        .end()
        .failure(3, &["the tool's input schema cannot be used"]);
}
