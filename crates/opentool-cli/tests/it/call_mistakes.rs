//! Calls that cannot be made: nothing is sent, and the error says what to write.

use crate::support::{Upstream, golden, opentool};

/// Calls the shop's document with these words; asserts that no request left.
#[track_caller]
fn refused(words: &[&str], texts: &[&str]) {
    let upstream = Upstream::answering("200 OK", "application/json", "{}");
    let server = ["--server", upstream.url.as_str()];
    opentool(["call", "petstore.yaml"].iter().chain(words).chain(&server)).end().failure(4, texts);
    assert_eq!(upstream.requests(), [""; 0], "{words:?}");
}

#[test]
fn unknown_tools_come_with_suggestions() {
    refused(&["getPetByID", "petId=2"], &["there is no tool `getPetByID`", "`getPetById`"]);
}

#[test]
fn arguments_that_cannot_be_read_are_named() {
    refused(
        &["getPetById", "{petId: 2}"],
        &["the argument is not JSON", "line 1 column 2", "help: arguments are"],
    );
    refused(&["getPetById", "[2]"], &["`[2]` is a JSON array, and the arguments are an object"]);
    refused(&["getPetById", "2"], &["`2` is neither a JSON object nor `key=value`"]);
    refused(&["getPetById", "petId:=two"], &["the value of `petId:=` is not JSON"]);
    refused(&["getPetById", "petId=@nowhere.txt"], &["the file for `petId`, nowhere.txt, cannot be read"]);
}

#[test]
fn a_number_that_is_none_is_named() {
    for word in [r#"{"petId": 1e400}"#, "petId=1e400", "petId:=-1e400"] {
        refused(&["getPetById", word], &["beyond what a number can be"]);
    }
    let run = opentool(["call", "petstore.yaml", "addPet", "name=1e400", "species=cat", "--dry-run"]);
    assert!(run.end().success().text().contains("1e400"), "it is a text where a text is wanted");
}

#[test]
fn a_number_that_would_be_rounded_is_not_sent() {
    for word in
        [r#"{"petId": 99999999999999999999}"#, "petId=99999999999999999999", "petId:=99999999999999999999"]
    {
        refused(
            &["getPetById", word],
            &["would be rounded: 99999999999999999999", "help: integers have at most 64 bits"],
        );
    }
    refused(&["getPetById", "petId:=1e20"], &["expected an integer of at most 64 bits"]);
}

#[test]
fn arguments_that_do_not_fit_are_all_listed() {
    refused(
        &["getPetById", "petId=two"],
        &["/petId", "integer", "\"two\"", "help: `opentool show petstore.yaml getPetById`"],
    );
    refused(&["getPetById"], &["petId"]);
    refused(&["getPetById", "petId=2", "petid=2"], &["petid"]);
    refused(&["addPet", "species=fish", "name:={}"], &["/species", "\"cat\"", "/name"]);
    let ran = opentool(["call", "petstore.yaml", "addPet", "species=kat", "nam=Rex", "born=tomorrow"]).end();
    golden("call/invalid", &ran.failure(4, &[]).to_string());
}

#[test]
fn what_a_person_wrote_is_not_mended() {
    for words in [&[r#"{"petID": 2}"#][..], &["PETID=2"], &[r#"{"petId": "2"}"#], &[r#"petId:="2""#]] {
        refused(&[&["getPetById"], words].concat(), &["/pet"]);
        refused(&[&["getPetById", "--dry-run"], words].concat(), &["nothing was sent"]);
    }
    refused(&["getPetById", r#"{"petID": 2}"#], &["/petID: unknown key", "did you mean `petId`"]);
    refused(&["getPetById", "PETID=2"], &["/PETID: unknown key", "did you mean `petId`"]);
    refused(&["getPetById", r#"{"petId": "2"}"#], &["/petId: expected an integer, found the string \"2\""]);
    refused(&["GetPetById", "petId=2"], &["there is no tool `GetPetById`", "`getPetById`"]);
}

#[test]
fn with_json_the_error_is_one_object() {
    let ran = opentool(["call", "petstore.yaml", "getPetById", "petId=two", "--json"]).end();
    assert_eq!((ran.code, ran.text()), (4, ""), "\n{ran}");
    let error: serde_json::Value = serde_json::from_str(&ran.stderr).unwrap();
    assert_eq!(error["error"]["code"], "invalid_arguments");
    assert_eq!(error["error"]["problems"][0]["pointer"], "/petId");
    assert_eq!(error["error"]["exit"], 4);
}

#[test]
fn definitions_are_not_called() {
    let tools = r#"[{"name":"a","description":"A.","inputSchema":{"type":"object","properties":{}}}]"#;
    opentool(["call", "tools.json", "a"])
        .file("tools.json", tools)
        .end()
        .failure(4, &["refused", "definition"]);
    opentool(["call", "tools.json", "a", "--dry-run"])
        .file("tools.json", tools)
        .end()
        .failure(4, &["refused", "definition"]);
}

#[test]
fn standard_input_has_one_use() {
    opentool(["call", "-", "getPetById", "-"]).end().failure(2, &["standard input cannot be both"]);
    opentool(["list", "-", "-"]).end().failure(2, &["standard input can be one source only"]);
    opentool(["serve", "-"]).end().failure(2, &["standard input cannot be both"]);
}

#[test]
fn a_wrong_server_is_refused_without_repeating_secrets() {
    let ran = opentool(["call", "petstore.yaml", "getInventory", "--server", "shop.example"]).end();
    ran.failure(2, &["`--server` is not an http(s) address"]);
    let ran = opentool(["call", "petstore.yaml", "getInventory", "--basic", "hunter2"]).end();
    let ran = ran.failure(2, &["--basic USER:PASSWORD"]);
    assert!(!ran.stderr.contains("hunter2"), "\n{ran}");
}
