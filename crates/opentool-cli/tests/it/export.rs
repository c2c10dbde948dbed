//! `opentool export`.

use opentool::schema::Dialect;
use serde_json::{Value, json};

use crate::support::{Ran, golden, opentool};

/// Definitions that no provider takes as they are, and two that none can be given.
const ODD: &str = include_str!("../files/odd.json");

fn petstore(words: &[&str]) -> Ran {
    opentool(["export", "petstore.yaml"].iter().chain(words)).end()
}

fn odd(words: &[&str]) -> Ran {
    opentool(["export", "odd.json"].iter().chain(words)).file("odd.json", ODD).end()
}

fn lines(ran: &Ran) -> Vec<Value> {
    ran.stderr.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{ran}"))).collect()
}

#[test]
fn each_dialect_has_its_own_form() {
    let names = Dialect::all().iter().map(|dialect| dialect.name()).chain(["opentool"]);
    for name in names {
        let words = ["--to", name, "--only", "findPetsByStatus,addPet", "--losses"];
        golden(&format!("export/petstore/{name}"), &petstore(&words).success().to_string());
        golden(&format!("export/odd/{name}"), &odd(&["--to", name, "--losses"]).to_string());
    }
}

#[test]
fn the_same_comes_out_every_time() {
    for dialect in Dialect::all() {
        let words = ["--to", dialect.name(), "--losses", "json"];
        let (first, second) = (petstore(&words), petstore(&words));
        assert_eq!(first.stdout, second.stdout, "{dialect}");
        assert_eq!(first.stderr, second.stderr, "{dialect}");
    }
}

#[test]
fn what_is_exported_can_be_read_and_exported_again() {
    let openai = opentool(["export", "petstore.yaml", "--to", "openai"]).end().success();
    let direct = opentool(["export", "petstore.yaml", "--to", "anthropic"]).end().success();
    let through = opentool(["export", "-", "--to", "anthropic"]).input(&openai.stdout).end().success();
    assert_eq!(direct.json(), through.json());
}

#[test]
fn losses_are_counted_listed_or_refused() {
    // Nothing is lost, and nothing is said.
    let ran = petstore(&["--to", "openai", "--deny", "loss"]).success();
    assert_eq!(ran.stderr, "", "\n{ran}");
    let bedrock = ["--to", "gemini-openapi", "--only", "addPet"];
    let with = |words: &[&str]| petstore(&[&bedrock, words].concat());
    let listed = lines(&with(&["--losses", "json"]).success());
    assert!(listed.iter().all(|line| line["loss"]["tool"] == "addPet"), "{listed:?}");
    let format = listed.iter().find(|line| line["loss"]["keyword"] == "format").unwrap();
    assert_eq!(
        format["loss"],
        json!({
            "tool": "addPet", "pointer": "/inputSchema/properties/born/format", "keyword": "format",
            "message": "moved to the description", "effect": "wider",
        })
    );
    let n = listed.len();
    let ran = with(&[]).success();
    assert_eq!(ran.stderr, format!("note: {n} things are lost in this format; `--losses` lists what\n"));
    let place = "loss: addPet /inputSchema/properties/born/format: moved to the description";
    with(&["--deny", "loss"]).failure(1, &[place, &format!("{n} things would be lost in `gemini-openapi`")]);
    with(&["--deny", "loss", "--json"]).failure_json("would_lose");
    petstore(&["--to", "opentool", "--deny", "loss"]).failure(1, &["an OpenTool document of version 1.1.0"]);
}

#[test]
fn what_is_only_written_otherwise_is_told_when_asked_for() {
    let brief = odd(&["--to", "openai", "--losses"]);
    let verbose = odd(&["--to", "openai", "--losses", "-v"]);
    let renamed = "change: order.create now! /name: is `";
    assert!(!brief.stderr.contains("change:") && verbose.stderr.contains(renamed), "\n{brief}\n{verbose}");
}

#[test]
fn each_tool_is_strict_or_not_for_a_reason() {
    let ran = odd(&["--to", "openai", "--strict", "auto", "--losses", "--json"]);
    let strict: Vec<Value> = lines(&ran).iter().filter_map(|line| line.get("strict").cloned()).collect();
    assert_eq!(strict[0]["tool"], "order.create now!", "\n{ran}");
    for entry in &strict {
        assert!(!entry["reason"].as_str().unwrap().is_empty(), "\n{ran}");
        let definitions = ran.json();
        let marks = definitions.as_array().unwrap().iter().filter(|tool| tool["function"]["strict"] == true);
        let said = strict.iter().filter(|entry| entry["strict"] == true);
        assert_eq!(marks.count(), said.count(), "\n{ran}");
    }
    golden("export/strict-auto", &odd(&["--to", "anthropic", "--strict", "auto", "--losses"]).to_string());
    golden(
        "export/strict-always",
        &petstore(&["--to", "openai", "--strict", "always", "--only", "addPet"]).to_string(),
    );
    // Taken back from a dialect that is strict by its name.
    let loose = petstore(&["--to", "openai-strict", "--strict", "never"]).success();
    assert_eq!(loose.json(), petstore(&["--to", "openai"]).json());
    for dialect in ["gemini", "mcp", "opentool"] {
        petstore(&["--to", dialect, "--strict", "always"]).failure(2, &["no strict mode", "--strict auto"]);
        petstore(&["--to", dialect, "--strict", "auto"]).success();
    }
}

#[test]
fn a_tool_that_a_provider_would_refuse_costs_the_others_nothing() {
    let ran = odd(&["--to", "openai-strict", "--json"]);
    assert_eq!(ran.code, 1, "\n{ran}");
    assert_eq!(ran.json().as_array().unwrap().len(), 2, "\n{ran}");
    let said = lines(&ran);
    let faults: Vec<(&Value, &Value)> = said
        .iter()
        .filter_map(|line| line.get("diagnostic"))
        .filter(|fault| fault["severity"] == "error")
        .map(|fault| (&fault["code"], &fault["pointer"]))
        .collect();
    let expected = [
        (json!("never-valid"), json!("/never/inputSchema")),
        (json!("schema-external"), json!("/elsewhere/inputSchema/properties/a")),
    ];
    assert_eq!(faults, expected.iter().map(|(code, pointer)| (code, pointer)).collect::<Vec<_>>(), "\n{ran}");
    ran.failure_json("not_lowered");
    // Denied, not even the others come out; and without others nothing does.
    odd(&["--to", "openai", "--deny", "loss"]).failure(1, &["`elsewhere` is left out"]);
    odd(&["--to", "openai-strict", "--only", "elsewhere"])
        .failure(1, &["1 of 1 tool cannot be written for `openai-strict`"]);
}

#[test]
fn schemas_that_lead_back_to_themselves_end() {
    let circles = include_str!("../files/circles.json");
    for dialect in Dialect::all() {
        for strict in ["auto", "never"] {
            let words = ["export", "circles.json", "--to", dialect.name(), "--strict", strict, "--json"];
            let ran = opentool(words).file("circles.json", circles).end();
            let left_out =
                lines(&ran).iter().filter(|line| line["diagnostic"]["severity"] == "error").count();
            assert!(ran.code == i32::from(left_out > 0), "\n{ran}");
        }
    }
}

#[test]
fn more_tools_than_a_request_may_have_are_refused() {
    let tools: Vec<Value> = (0..600)
        .map(|n| json!({"name": format!("t{n}"), "description": "T.", "inputSchema": {"type": "object"}}))
        .collect();
    let export = |count: usize, words: &[&str]| {
        let line = ["export", "-", "--to"].iter().chain(words);
        opentool(line).input(json!(tools[..count]).to_string()).end()
    };
    let printed = |count: usize, words: &[&str]| {
        let ran = export(count, words).success();
        ran.json().as_array().unwrap().len()
    };
    for (dialect, most) in
        [("openai", 128), ("openai-responses", 128), ("gemini", 512), ("anthropic-strict", 20)]
    {
        export(most, &[dialect]).success();
        let ran = export(most + 1, &[dialect]);
        let (found, most) = (format!("there are {} ", most + 1), format!("a request may have {most}; "));
        ran.failure(
            1,
            &[&format!("`{dialect}` does not take these tools as one request"), &found, &most, "--only"],
        );
    }
    export(21, &["anthropic-strict"]).failure(1, &["--strict auto"]);
    assert_eq!(printed(21, &["anthropic-strict", "--strict", "auto"]), 21);
    assert_eq!(printed(600, &["openai", "--only", "t10*"]), 11);
    for dialect in ["anthropic", "mcp", "json-schema", "bedrock"] {
        assert_eq!(printed(600, &[dialect]), 600);
    }
    let error = export(129, &["openai", "--json"]);
    assert!(error.stdout.is_empty() && error.stderr.contains(r#""code":"not_one_request""#), "\n{error}");
}

#[test]
fn arguments_written_for_what_was_exported_are_taken_back() {
    // The name of a dialect means the same on the way out and on the way back.
    for dialect in Dialect::all() {
        let exported = odd(&["--to", dialect.name()]);
        assert!(!exported.stdout.is_empty(), "\n{exported}");
        let line = [
            "check-args",
            "odd.json",
            "order.create now!",
            "{\"id\": 2}",
            "--from",
            dialect.name(),
            "--json",
        ];
        let ran = opentool(line).file("odd.json", ODD).end();
        assert_eq!(ran.json()["value"], json!({"id": 2}), "\n{ran}");
    }
}

#[test]
fn an_unknown_dialect_and_an_empty_choice_are_errors() {
    opentool(["export", "petstore.yaml", "--to", "openia"])
        .end()
        .failure(2, &["[possible values: openai, ", ", opentool]", "'openai'"]);
    opentool(["export", "petstore.yaml"]).end().failure(2, &["--to <DIALECT>"]);
    opentool(["export", "petstore.yaml", "--to", "mcp", "--tag", "nothing"])
        .end()
        .failure(2, &["no tool is left"]);
    // The newest revision has two names.
    let (short, dated) = (petstore(&["--to", "mcp"]), petstore(&["--to", "mcp-2026-07-28"]).success());
    assert_eq!(short.stdout, dated.stdout);
}
