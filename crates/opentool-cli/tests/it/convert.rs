//! `opentool convert`, and documents as a format of `export`.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{golden, opentool};

const WEATHER: &str = include_str!("../../templates/opentool.json");

/// As the program itself writes it: what comes back must be the same bytes.
fn printed(document: &str) -> String {
    let ran = opentool(["convert", "-", "--to", "opentool"]).input(document).end().success();
    ran.text().to_owned()
}

#[test]
fn an_api_becomes_a_document_that_passes_the_check() {
    let ran = opentool(["convert", "petstore.yaml", "--to", "opentool", "--only", "getPetById,addPet"]).end();
    golden("convert/petstore", &ran.to_string());
    let checked = opentool(["check", "-", "--deny", "warnings"]).input(&ran.stdout).end();
    checked.success();
    let whole = opentool(["convert", "petstore.yaml", "--to", "opentool"]).end().success();
    assert_eq!(whole.json()["info"]["title"], "Pet shop");
    opentool(["check", "-", "--deny", "warnings"]).input(&whole.stdout).end().success();
}

#[test]
fn a_document_comes_back_as_it_was() {
    let document = printed(WEATHER);
    assert_eq!(
        serde_json::from_str::<Value>(&document).unwrap(),
        serde_json::from_str::<Value>(WEATHER).unwrap()
    );
    assert_eq!(printed(&document), document);
    // Also what the format does not define, what nothing uses, and numbers to the last digit.
    let odd = r##"{"x-b": 1, "opentool": "1.0.0", "functions": [{"parameters": [], "name": "f", "x-a": 1.10,
 "description": "F."}], "info": {"version": "1", "title": "T", "x-c": null}, "schemas": {"S": {"type": "string"}}}"##;
    let again = opentool(["convert", "-", "--to", "opentool"]).input(odd).end().success();
    assert_eq!(again.json(), serde_json::from_str::<Value>(odd).unwrap(), "\n{again}");
    let keys: Vec<String> = again.json().as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["x-b", "opentool", "functions", "info", "schemas"]);
    let exported = opentool(["export", "-", "--to", "opentool"]).input(&document).end().success();
    assert_eq!(exported.text(), document);
}

#[test]
fn an_older_version_says_what_it_cannot_hold() {
    let convert = |words: &[&str]| {
        let words = ["convert", "weather.json", "--to", "opentool@1.0.0"].iter().chain(words);
        opentool(words).file("weather.json", WEATHER).end()
    };
    let ran = convert(&[]).success();
    assert_eq!((&ran.json()["opentool"], ran.json().get("server")), (&json!("1.0.0"), None), "\n{ran}");
    assert!(ran.stderr.contains("loss: /server: version 1.0.0 has no `server`"), "\n{ran}");
    convert(&["--deny", "loss"])
        .failure(1, &["1 thing would be lost", "loss: /server", "nothing was written"]);
    let ran = convert(&["--losses", "json"]).success();
    let loss: Value = serde_json::from_str(ran.stderr.lines().next().unwrap()).unwrap();
    assert_eq!(loss["loss"]["pointer"], "/server", "\n{ran}");
}

#[test]
fn losses_that_many_tools_share_are_told_once_and_in_json_each() {
    let convert = |words: &[&str]| {
        opentool(["convert", "petstore.yaml", "--to", "opentool"].iter().chain(words)).end().success()
    };
    let (brief, each, json) = (convert(&["--losses"]), convert(&["-v"]), convert(&["--losses", "json"]));
    assert_eq!(brief.stderr.matches("loss: /tags of").count(), 1, "\n{brief}");
    let each = each.stderr.matches("loss: ").count();
    let losses: Vec<Value> = json.stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(each, losses.len(), "\n{json}");
    let tools = losses.iter().filter(|loss| loss["loss"]["pointer"] == "/tags").count();
    assert!(brief.stderr.contains(&format!("loss: /tags of {tools} tools (findPetsByStatus, ")), "\n{brief}");
}

#[test]
fn a_choice_of_functions_takes_only_the_schemas_that_it_needs() {
    let document = r##"{"opentool": "1.1.0", "info": {"title": "T", "version": "1.0.0"}, "functions": [
 {"name": "a", "description": "A.", "parameters": [{"name": "x", "schema": {"$ref": "#/schemas/A"}, "required": true}]},
 {"name": "b", "description": "B.", "parameters": [{"name": "x", "schema": {"$ref": "#/schemas/B"}, "required": true}]}],
 "schemas": {"A": {"type": "string"}, "B": {"type": "string"}}}"##;
    let ran = opentool(["convert", "-", "--to", "opentool", "--only", "b"]).input(document).end().success();
    assert_eq!(ran.json()["schemas"], json!({"B": {"type": "string"}}), "\n{ran}");
    assert_eq!(ran.json()["functions"].as_array().unwrap().len(), 1, "\n{ran}");
    let named =
        ["convert", "my=doc.json", "--to", "opentool", "--title", "Mine", "--server-url", "http://h:1/o"];
    let ran = opentool(named).file("doc.json", document).end().success();
    assert_eq!(ran.json()["functions"][1]["name"], "my__b", "\n{ran}");
    assert_eq!(
        (&ran.json()["info"]["title"], &ran.json()["server"]["url"]),
        (&json!("Mine"), &json!("http://h:1/o"))
    );
}

#[test]
fn sources_of_several_kinds_become_one_document() {
    let tools = r#"[{"name": "a.b", "description": "A.", "inputSchema": {"type": "object"}}]"#;
    let words = ["convert", "petstore.yaml", "weather.json", "tools.json", "--to", "opentool"];
    let run = opentool(words).file("weather.json", WEATHER).file("tools.json", tools).end();
    let document = run.success().json();
    assert_eq!(document["info"], json!({"title": "Pet shop, Weather", "version": "1.0.0"}));
    let names: Vec<&str> =
        document["functions"].as_array().unwrap().iter().map(|f| f["name"].as_str().unwrap()).collect();
    assert!(
        names.contains(&"getPetById") && names.contains(&"get_weather") && names.contains(&"a_b"),
        "{names:?}"
    );
}

#[test]
fn a_file_is_written_as_a_whole_and_replaced_only_when_wanted() {
    let convert =
        |words: &[&str]| opentool(["convert", "weather.json", "--to", "opentool", "-o"].iter().chain(words));
    let run = convert(&["out.json"]).file("weather.json", WEATHER);
    let directory = run.directory().to_owned();
    let out = directory.join("out.json");
    let mut child = run.start();
    assert!(child.wait().unwrap().success());
    assert_eq!(std::fs::read_to_string(&out).unwrap(), printed(WEATHER));
    assert_eq!(std::fs::metadata(&out).unwrap().permissions().mode() & 0o600, 0o600);
    let left: Vec<_> =
        std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 3, "no temporary file stays: {left:?}");
    let again = |words: &[&str]| convert(words).file("weather.json", WEATHER).file("out.json", "mine").end();
    again(&["out.json"]).failure(7, &["out.json: there is a file of this name", "--force"]);
    let ran = again(&["out.json", "--force"]).success();
    assert!(ran.stderr.contains("Wrote out.json: 1 function, nothing lost"), "\n{ran}");
    let ran = again(&["out.json", "--force", "--json"]).success();
    assert_eq!(ran.json(), json!({"file": "out.json", "functions": 1, "losses": 0}));
    let ran = again(&["-"]).success();
    assert_eq!(ran.text(), printed(WEATHER));
    again(&["/dev/null"]).success();
}

#[test]
fn a_link_stays_a_link_and_what_is_denied_writes_nothing() {
    let run = opentool(["convert", "petstore.yaml", "--to", "opentool", "-o", "link.json", "--force"]);
    let run = run.file("real.json", "old");
    let at = |name: &str| run.directory().join(name);
    symlink(Path::new("real.json"), at("link.json")).unwrap();
    std::fs::set_permissions(at("real.json"), std::fs::Permissions::from_mode(0o640)).unwrap();
    assert!(run.start().wait().unwrap().success());
    assert!(std::fs::symlink_metadata(at("link.json")).unwrap().is_symlink());
    assert!(std::fs::read_to_string(at("real.json")).unwrap().contains("getPetById"));
    assert_eq!(std::fs::metadata(at("real.json")).unwrap().permissions().mode() & 0o777, 0o640);
    let run = opentool(["convert", "petstore.yaml", "--to", "opentool", "-o", "out.json", "--deny", "loss"]);
    let out = run.directory().join("out.json");
    assert_eq!(run.start().wait().unwrap().code(), Some(1));
    assert!(!out.exists());
}

#[test]
fn other_formats_are_refused_with_what_writes_them() {
    opentool(["convert", "petstore.yaml", "--to", "openai"])
        .end()
        .failure(2, &["`opentool export SOURCE --to openai` writes definitions"]);
    opentool(["convert", "petstore.yaml", "--to", "opentool@3"]).end().failure(2, &["opentool@1.1.0"]);
    opentool(["convert", "petstore.yaml"]).end().failure(2, &["--to <FORMAT>"]);
    opentool(["convert", "petstore.yaml", "--to", "opentool", "--server-url", "x"])
        .end()
        .failure(2, &["expected an http(s) address"]);
    opentool(["convert", "petstore.yaml", "--to", "opentool", "--tag", "none"])
        .end()
        .failure(2, &["no tool is left"]);
}

#[test]
fn what_was_left_out_of_a_source_is_no_success() {
    let twice = r#"{"opentool": "1.1.0", "info": {"title": "T", "version": "1.0.0"}, "functions": [
 {"name": "a", "description": "A.", "parameters": []}, {"name": "a", "description": "B.", "parameters": []}]}"#;
    let ran = opentool(["list", "-"]).input(twice).end();
    assert!(
        ran.code == 3 && ran.text().contains("A.") && ran.stderr.contains("error[duplicate-function]"),
        "\n{ran}"
    );
    let ran = opentool(["convert", "-", "--to", "opentool"]).input(twice).end();
    assert_eq!(ran.code, 3, "\n{ran}");
}

#[test]
fn a_number_that_cannot_be_kept_is_refused_where_nothing_may_be_lost() {
    let long = WEATHER.replacen('{', r#"{"x-n": 12345678901234567890123,"#, 1);
    let convert = |words: &[&str]| {
        let words = ["convert", "weather.json", "--to", "opentool"].iter().chain(words);
        opentool(words).file("weather.json", &long).end()
    };
    let ran = convert(&["--deny", "loss"]);
    assert!(ran.stdout.is_empty() && ran.stderr.contains("inexact-number"), "\n{ran}");
    let ran = opentool(["check", "weather.json"]).file("weather.json", &long).end();
    assert!(ran.text().contains("12345678901234567890123 cannot be kept"), "\n{ran}");
    assert!(ran.text().contains("write it as a string") && ran.stderr.contains("1 error"), "\n{ran}");
}

#[test]
fn a_folder_that_is_missing_is_named() {
    opentool(["convert", "weather.json", "--to", "opentool", "-o", "no/where.json"])
        .file("weather.json", WEATHER)
        .end()
        .failure(7, &["there is no folder `no`"]);
}

#[test]
fn many_losses_are_told_by_keyword_unless_each_is_wanted() {
    let properties: serde_json::Map<String, Value> =
        (0..60).map(|n| (format!("p{n}"), json!({"type": "integer", "minimum": n}))).collect();
    let tools = json!([{"name": "f", "description": "F.", "inputSchema": {
        "type": "object", "properties": properties, "additionalProperties": true}}]);
    let convert = |words: &[&str]| {
        let words = ["convert", "tools.json", "--to", "opentool"].iter().chain(words);
        opentool(words).file("tools.json", tools.to_string()).end().success()
    };
    let ran = convert(&[]);
    assert!(ran.stderr.contains("minimum (60 times in 1 tool)"), "\n{ran}");
    assert!(ran.stderr.contains("/inputSchema/additionalProperties"), "\n{ran}");
    assert_eq!(ran.stderr.matches("loss:").count(), 2, "\n{ran}");
    assert_eq!(convert(&["--losses"]).stderr.matches("loss:").count(), 61);
}

#[test]
fn what_no_model_reads_of_a_definition_is_lost_and_told() {
    let tools = json!([{"name": "f", "description": "F.", "inputSchema": {"type": "object"},
        "icons": [{"src": "a.png"}], "_meta": {"a/b": 1}, "execution": {"taskSupport": "optional"}}]);
    let ran =
        opentool(["convert", "tools.json", "--to", "opentool"]).file("tools.json", tools.to_string()).end();
    for member in ["icons", "_meta", "execution"] {
        let told = format!("loss: f /{member}: functions have no `{member}`; it is left out");
        assert!(ran.stderr.contains(&told), "{told}\n{ran}");
    }
}

#[test]
fn a_faulty_source_is_not_replaced_by_what_was_understood_of_it() {
    let twice = r#"{"opentool": "1.1.0", "info": {"title": "T", "version": "1.0.0"}, "functions": [
 {"name": "a", "description": "A.", "parameters": []}, {"name": "a", "description": "B.", "parameters": []}]}"#;
    let run = opentool(["convert", "doc.json", "--to", "opentool", "-o", "./doc.json", "--force"]);
    let run = run.file("doc.json", twice);
    let file = run.directory().join("doc.json");
    let mut child = run.start();
    assert_eq!(child.wait().unwrap().code(), Some(2));
    assert_eq!(std::fs::read_to_string(file).unwrap(), twice);
    let run = opentool(["convert", "doc.json", "--to", "opentool", "-o", "doc.json", "--force"]);
    let mended = twice.replacen("\"a\"", "\"b\"", 1);
    run.file("doc.json", &mended).end().success();
    opentool(["convert", "doc.json", "--to", "opentool", "-o", "doc.json", "--force"])
        .file("doc.json", twice)
        .end()
        .failure(
            2,
            &[
                "doc.json has 1 error, and would be replaced",
                "nothing was written",
                "opentool check doc.json",
            ],
        );
}
