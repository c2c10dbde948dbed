//! `opentool check`.

use serde_json::json;

use crate::support::{Ran, golden, opentool};

/// Two errors, a warning and a note.
const BROKEN: &str = r##"{
  "opentool": "1.1.0",
  "info": { "title": "Weather", "version": "1.0.0" },
  "functions": [
    {
      "name": "get weather",
      "description": "The weather of a city.",
      "parameters": [
        { "name": "city", "schema": { "type": "sting" }, "required": true }
      ]
    }
  ],
  "schemas": { "Unused": { "type": "string" } }
}
"##;

/// A warning and nothing worse.
const ODD: &str = "opentool: 1.1.0\ninfo: {title: Clock, version: 1.0.0}\nfunctions:\n  - name: now\n    description: ''\n    parameters: []\n";

fn check<'a>(words: impl IntoIterator<Item = &'a str>) -> Ran {
    let run = opentool(["check"].into_iter().chain(words));
    let run = run.file("broken.json", BROKEN).file("odd.yaml", ODD);
    run.file("good.json", include_str!("../../templates/opentool.json")).end()
}

#[test]
fn each_fault_is_shown_with_its_line_and_what_to_write() {
    golden("check/broken", &check(["broken.json"]).to_string());
    golden("check/odd", &check(["odd.yaml"]).to_string());
    golden("check/good", &check(["good.json"]).to_string());
    golden("check/several", &check(["good.json", "nowhere.json", "broken.json", "odd.yaml"]).to_string());
}

#[test]
fn the_exit_code_says_what_was_found() {
    for (words, code) in [
        (&["good.json"][..], 0),
        (&["odd.yaml"], 0),
        (&["odd.yaml", "--deny", "warnings"], 1),
        (&["good.json", "--deny", "warnings"], 0),
        (&["broken.json"], 1),
        (&["broken.json", "good.json"], 1),
        (&["nowhere.json"], 3),
        (&["broken.json", "nowhere.json"], 3),
    ] {
        let ran = check(words.iter().copied());
        assert_eq!(ran.code, code, "\n{ran}");
    }
    let denied = check(["odd.yaml", "--deny", "warnings"]);
    assert!(denied.stderr.contains("1 warning, which `--deny warnings` does not accept"), "\n{denied}");
}

#[test]
fn one_bad_file_hides_no_other() {
    let ran = check(["nowhere.json", "odd.yaml", "broken.json"]);
    assert!(ran.stderr.contains("nowhere.json: there is no such file"), "\n{ran}");
    assert!(ran.text().contains("empty-description") && ran.text().contains("function-name"), "\n{ran}");
    assert!(ran.stderr.contains("in 2 of 2 files; 1 file cannot be read"), "\n{ran}");
}

#[test]
fn programs_get_all_of_it_in_one_object() {
    let ran = check(["broken.json", "good.json", "--json"]);
    let report = ran.json();
    assert_eq!(ran.code, 1);
    assert_eq!((&report["errors"], &report["warnings"]), (&json!(2), &json!(1)), "\n{ran}");
    let file = &report["files"][0];
    assert_eq!((&file["file"], &file["kind"]), (&json!("broken.json"), &json!("opentool")));
    let name = &file["diagnostics"][0];
    assert_eq!((&name["code"], &name["pointer"]), (&json!("function-name"), &json!("/functions/0/name")));
    assert_eq!(name["location"], json!({"line": 6, "column": 15}));
    assert_eq!(report["files"][1]["diagnostics"], json!([]));
    let error: serde_json::Value = serde_json::from_str(&ran.stderr).unwrap();
    assert_eq!((&error["error"]["code"], &error["error"]["exit"]), (&json!("check_failed"), &json!(1)));
}

#[test]
fn standard_input_is_a_file_too() {
    let ran = opentool(["check", "-"]).input(BROKEN).end();
    assert!(ran.code == 1 && ran.text().contains("--> standard input:6:15"), "\n{ran}");
    opentool(["check", "-", "-"]).end().failure(2, &["standard input can be one source only"]);
}

#[test]
fn what_a_document_is_decides_how_it_is_checked() {
    let ran = check(["petstore.yaml"]).success();
    assert!(ran.stderr.contains("nothing to mend"), "\n{ran}");
    let api = r##"{"openapi": "3.0.3", "info": {"title": "t", "version": "1"}, "paths": {
 "/a": {"get": {"operationId": "a", "parameters": [{"$ref": "#/nowhere"}]}}, "/b": {"get": {"operationId": "b"}}}}"##;
    let ran = opentool(["check", "api.json"]).file("api.json", api).end();
    assert!(ran.code == 1 && ran.text().contains("--> api.json:2:"), "\n{ran}");
    let definitions = "[\n  {\"name\": \"a\", \"inputSchema\": {\"type\": \"object\"}},\n  5\n]";
    let ran = opentool(["check", "tools.json"]).file("tools.json", definitions).end();
    assert!(ran.code == 1 && ran.text().contains("--> tools.json:3:3"), "\n{ran}");
    let ran = check(["opentool:petstore.yaml"]);
    assert!(ran.code == 1 && ran.text().contains("this is an OpenAPI document"), "\n{ran}");
    for (text, said) in [
        ("", "the document is empty"),
        ("{\"a\": 1}", "it has no `opentool` member"),
        ("<html>", "an HTML or XML page"),
        ("{\"opentool\": \"1.1.0\",", "--> x.json:1:"),
    ] {
        let ran = opentool(["check", "x.json"]).file("x.json", text).end();
        assert!(ran.code == 1 && ran.text().contains(said), "{text}\n{ran}");
    }
    let ran = opentool(["check", "x.json"]).file("x.json", b"{\"opentool\": \"\xff\"}").end();
    assert!(ran.code == 1 && ran.text().contains("0xFF is no UTF-8"), "\n{ran}");
}

#[test]
fn colours_are_there_only_when_wanted() {
    let coloured = check(["broken.json", "--color", "always"]);
    assert!(coloured.text().contains("\u{1b}[1m\u{1b}[31merror[function-name]:"), "\n{coloured}");
    assert!(!check(["broken.json"]).text().contains('\u{1b}'));
    let hostile = BROKEN.replace("get weather", "get\u{1b}[31m\u{202e}weather\u{200b}");
    let ran = opentool(["check", "-"]).input(hostile).end();
    assert!(!ran.text().contains(['\u{1b}', '\u{202e}', '\u{200b}']), "\n{ran}");
    assert!(ran.text().contains("\\u{202e}"), "\n{ran}");
}

#[test]
fn documents_of_every_version_are_checked_also_where_nothing_is_usable() {
    for (text, said) in [
        (
            "swagger: '2.0'\ninfo: {title: t, version: '1'}\npaths:\n  /a:\n    get: {parameters: [{name: a, in: query, type: text}]}\n",
            "--> x.yaml:5:",
        ),
        (
            "openapi: 3.2.0\ninfo: {title: t, version: '1'}\npaths:\n  /a:\n    query: {operationId: a, parameters: [{$ref: '#/nowhere'}]}\n    get: {}\n",
            "--> x.yaml:5:",
        ),
        ("openapi: 3.1.0\npaths:\n  /a: {get: 5}\n  /b: {post: [1]}\n", "--> x.yaml:4:"),
        ("openapi: 3.1.0\npaths:\n  /a: {get: 5}\n  /b: {post: [1]}\n", "error: 2 errors"),
        ("openapi: 4.0.0\npaths: {}\n", "--> x.yaml:1:"),
    ] {
        let ran = opentool(["check", "x.yaml"]).file("x.yaml", text).end();
        assert!(ran.to_string().contains(said), "{said}\n{ran}");
        assert!(ran.text().contains('^'), "\n{ran}");
    }
}

#[test]
fn a_configuration_is_checked_against_its_document() {
    let check = |config: &str| {
        let run = opentool(["check", "petstore.yaml", "--config", "shop.yaml"]);
        run.file("shop.yaml", config).end()
    };
    golden(
        "check/config",
        &check("include:\n  - tag: pets\n  - tag: petz\noperations:\n  addPet: {name: add}\n").to_string(),
    );
    golden("check/config-broken", &check("operations:\n  getPet: {exclude: true}\n").to_string());
    golden("check/config-unknown-key", &check("exclud: []\n").to_string());
    check("operations: {addPet: {exclude: true}}\n").success();
    opentool(["check", "good.json", "--config", "shop.yaml"])
        .file("good.json", include_str!("../../templates/opentool.json"))
        .file("shop.yaml", "{}")
        .end()
        .failure(2, &["none of the files is one"]);
    opentool(["check", "petstore.yaml", "--config", "nowhere.yaml"])
        .end()
        .failure(2, &["nowhere.yaml cannot be read"]);
}

#[test]
fn a_list_of_nothing_is_no_document() {
    let check = |text: &str| opentool(["check", "-"]).input(text).end();
    let ran = check("[]");
    assert!(
        ran.code == 1 && ran.text().contains("this is an empty list, which is no document of any kind"),
        "\n{ran}"
    );
    let ran = check(r#"{"tools": []}"#);
    assert!(ran.code == 0 && ran.text().contains("warning[no-definitions]"), "\n{ran}");
}
