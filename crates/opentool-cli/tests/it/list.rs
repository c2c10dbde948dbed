//! `opentool list`.

use serde_json::Value;

use crate::support::{golden, opentool};

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[test]
fn a_table_for_people_and_an_array_for_programs() {
    golden("list/petstore", &opentool(["list", "petstore.yaml"]).end().success().to_string());
    let list = opentool(["list", "petstore.yaml", "--json"]).end().success().json();
    let tool = list.as_array().unwrap().iter().find(|tool| tool["name"] == "getPetById").unwrap();
    assert_eq!(tool["inputSchema"]["required"], serde_json::json!(["petId"]));
    assert_eq!(tool["annotations"]["readOnlyHint"], true);
    assert_eq!(tool["tags"], serde_json::json!(["pets"]));
    assert_eq!(tool["source"], "openapi petstore.yaml GET /pet/{petId}");
    assert!(!tool["description"].as_str().unwrap().is_empty());
}

#[test]
fn what_list_prints_is_a_source_itself() {
    let first = opentool(["list", "petstore.yaml", "--json"]).end().success();
    let again = opentool(["list", "tools.json", "--json"]).file("tools.json", &first.stdout).end().success();
    assert_eq!(names(&first.json()), names(&again.json()));
    let schemas = |list: &Value| -> Vec<Value> {
        list.as_array().unwrap().iter().map(|tool| tool["inputSchema"].clone()).collect()
    };
    assert_eq!(schemas(&first.json()), schemas(&again.json()));
    assert_eq!(first.json(), again.json(), "where tools first came from stays");
    let piped = opentool(["list", "-"]).input(&first.stdout).end().success();
    assert!(piped.text().contains("getPetById"), "\n{piped}");
}

#[test]
fn the_kind_is_recognised_from_the_content_and_can_be_said() {
    let document = opentool_petshop::PETSTORE_YAML;
    let from_pipe = opentool(["list", "-", "--json"]).input(document).end().success();
    let said = opentool(["list", "openapi:-", "--json"]).input(document).end().success();
    assert_eq!(names(&from_pipe.json()), names(&said.json()));
    opentool(["list", "definitions:petstore.yaml"])
        .end()
        .failure(3, &["petstore.yaml:1:1: this is not JSON"]);
    let mcp = r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}}"#;
    let openai = r#"[{"type":"function","function":{"name":"b","parameters":{"type":"object"}}}]"#;
    let ran = opentool(["list", "mcp.json", "openai.json", "--json"])
        .file("mcp.json", mcp)
        .file("openai.json", openai)
        .end()
        .success();
    assert_eq!(names(&ran.json()), ["a", "b"]);
}

#[test]
fn two_sources_with_the_same_name_are_an_error_until_one_is_named() {
    let run = |words: &[&str]| {
        opentool(["list", "--json"].iter().chain(words))
            .file("other.yaml", opentool_petshop::PETSTORE_YAML)
            .end()
    };
    let clash =
        opentool(["list", "petstore.yaml", "other.yaml"]).file("other.yaml", opentool_petshop::PETSTORE_YAML);
    clash.end().failure(
        3,
        &["findPetsByStatus", "petstore.yaml and other.yaml", "shop=SOURCE", "--without findPetsByStatus"],
    );
    let list = run(&["petstore.yaml", "other=other.yaml"]).success().json();
    assert!(names(&list).contains(&"getPetById") && names(&list).contains(&"other__getPetById"));
    let list = run(&["a=petstore.yaml", "b=other.yaml", "--only", "*__getPetById"]).success().json();
    assert_eq!(names(&list), ["a__getPetById", "b__getPetById"]);
    run(&["a=petstore.yaml", "a=other.yaml"]).failure_json("usage");
    let list = run(&["petstore.yaml", "other.yaml", "--without", "*"]).success().json();
    assert_eq!(names(&list), [""; 0], "what is left out cannot clash");
}

#[test]
fn tools_are_chosen_by_name_tag_and_harmlessness() {
    let list = |words: &[&str]| {
        let ran = opentool(["list", "petstore.yaml", "--json"].iter().chain(words)).end().success();
        names(&ran.json()).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(list(&["--only", "getPetById,findPetsByTags"]), ["findPetsByTags", "getPetById"]);
    assert!(list(&["--without", "*Pet*"]).iter().all(|name| !name.contains("Pet")));
    assert!(list(&["--tag", "orders"]).contains(&"placeOrder".to_owned()));
    assert!(!list(&["--tag", "orders"]).contains(&"getPetById".to_owned()));
    assert!(!list(&["--read-only"]).contains(&"deletePet".to_owned()));
    assert!(list(&["--read-only"]).contains(&"getPetById".to_owned()));
    opentool(["list", "petstore.yaml", "--without", "delPet"])
        .end()
        .failure(4, &["there is no tool `delPet`", "`deletePet`"]);
    let none = opentool(["list", "petstore.yaml", "--tag", "nope"]).end().success();
    assert!(none.stderr.contains("no tool bears the tag `nope`; the tags are `pets`, "), "\n{none}");
    opentool(["export", "petstore.yaml", "--to", "mcp", "--tag", "nope"])
        .end()
        .failure(2, &["the tags are `pets`"]);
    let some = opentool(["list", "petstore.yaml", "--tag", "pets,nope"]).end().success();
    assert!(some.text().contains("getPetById"), "\n{some}");
    assert!(some.stderr.contains("warning: no tool bears the tag `nope`; the tags are"), "\n{some}");
    let none = opentool(["list", "petstore.yaml", "--tag", "pets", "--only", "placeOrder"]).end().success();
    assert!(none.stderr.contains("note: the choice of tools leaves none"), "\n{none}");
    opentool(["list", "petstore.yaml", "--only", "x*"]).end().failure(2, &["no tool has a name like `x*`"]);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let many: Vec<Value> = (0..5_000)
        .map(|n| serde_json::json!({"name": format!("tool_{n}"), "description": "d".repeat(100), "inputSchema": {"type": "object"}}))
        .collect();
    for arguments in [&["list", "many.json"][..], &["list", "many.json", "--json"]] {
        let run = opentool(arguments).file("many.json", serde_json::to_vec(&many).unwrap());
        let mut child = run.start();
        // The reading side of the pipe closes before a byte was read.
        drop(child.stdout.take());
        drop(child.stdin.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error() {
    let run = opentool(["list", "petstore.yaml"]);
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let ran = run.into(full);
    assert_eq!(ran.code, 7, "\n{ran}");
    assert!(ran.stderr.contains("error: the output cannot be written"), "\n{ran}");
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_an_error_too() {
    for line in [&["--help"][..], &["--version"], &["help", "list"], &["list", "-h"]] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let ran = opentool(line).into(full);
        assert_eq!(ran.code, 7, "\n{ran}");
        assert!(ran.stderr.contains("error: the output cannot be written"), "\n{ran}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_argument_that_is_not_text_is_named() {
    use std::os::unix::ffi::OsStrExt as _;

    let name = std::ffi::OsStr::from_bytes(b"my\xff.yaml");
    let output =
        std::process::Command::new(env!("CARGO_BIN_EXE_opentool")).arg("list").arg(name).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains(r#"the argument "my\xFF.yaml" is not UTF-8"#), "{said}");
}

#[test]
fn a_document_cannot_drive_the_terminal() {
    let evil =
        r#"[{"name":"a","description":"\u001b[2Jgone \u202egpj.exe","inputSchema":{"type":"object"}}]"#;
    for arguments in [&["list", "evil.json"][..], &["show", "evil.json", "a"]] {
        let ran =
            opentool(arguments.iter().chain(&["--color", "never"])).file("evil.json", evil).end().success();
        assert!(!ran.text().contains(['\x1b', '\u{202e}']), "\n{ran}");
        assert!(ran.text().contains("[2Jgone gpj.exe"), "\n{ran}");
    }
}

#[test]
fn what_is_odd_about_a_document_is_counted_and_shown_when_asked() {
    let odd = r##"{"openapi": "3.0.3", "info": {"title": "t", "version": "1"}, "paths": {
      "/a": {"get": {"operationId": "a", "responses": {"200": {"$ref": "#/components/responses/Nowhere"}}}},
      "/b": {"get": {"operationId": "b", "responses": {"200": {"description": "ok"}}}}}}"##;
    let run = |more: &[&str]| {
        opentool(["list", "odd.json"].iter().chain(more)).file("odd.json", odd).end().success()
    };
    let short = run(&[]);
    assert!(short.stderr.contains("odd.json:2:") || short.stderr.contains("--verbose"), "\n{short}");
    let long = run(&["-v"]);
    assert!(long.stderr.contains("odd.json:2:"), "\n{long}");
    assert!(long.stderr.contains("/paths/~1a/get/responses/200"), "\n{long}");
    let json = run(&["--json"]);
    let line: Value = serde_json::from_str(json.stderr.lines().next().unwrap()).unwrap();
    assert_eq!(line["diagnostic"]["location"]["line"], 2, "\n{json}");
}
