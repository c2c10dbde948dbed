//! `opentool show`.

use crate::support::{golden, opentool};

#[test]
fn one_tool_in_full() {
    golden("show/find", &opentool(["show", "petstore.yaml", "findPetsByStatus"]).end().success().to_string());
    let ran = opentool(["show", "petstore.yaml", "addPet"]).end().success();
    for text in ["addPet", "name", "required", "POST /pet", "\"inputSchema\""] {
        assert!(ran.text().contains(text), "no {text}\n{ran}");
    }
}

#[test]
fn json_is_the_entry_of_the_list() {
    let shown = opentool(["show", "shop=petstore.yaml", "shop__getPetById", "--json"]).end().success().json();
    let list = opentool(["list", "shop=petstore.yaml", "--json"]).end().success().json();
    assert!(list.as_array().unwrap().contains(&shown), "{shown}");
}

#[test]
fn an_unknown_tool_is_answered_with_what_was_meant() {
    opentool(["show", "petstore.yaml", "getPetByID"])
        .end()
        .failure(4, &["there is no tool `getPetByID` in petstore.yaml; did you mean `getPetById`"]);
    opentool(["show", "petstore.yaml", "xyz"])
        .end()
        .failure(4, &["there is no tool `xyz` in petstore.yaml", "help: `opentool list petstore.yaml`"]);
}

#[test]
fn limits_and_members_are_said_and_the_title_only_once() {
    let tools = r#"[{"name": "a", "title": "Adds it", "description": "Adds it.\n\nAnd more.", "inputSchema": {
      "type": "object", "required": ["pet"], "properties": {"n": {"type": "integer", "minimum": 1, "maximum": 9},
      "pet": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string", "maxLength": 64}}}}}}]"#;
    let ran = opentool(["show", "tools.json", "a"]).file("tools.json", tools).end().success();
    let page = ran.text();
    let start = "a  Adds it\n\n  And more.\n\nArguments:\n  pet  object, required\n    name  string, required, at most 64 \
                 characters\n  n  integer, optional, at least 1, at most 9\n";
    assert!(page.starts_with(start), "\n{ran}");
}

#[test]
fn a_name_that_was_cut_for_its_namespace_still_leads_to_the_tool() {
    let name = "a".repeat(60);
    let document = crate::support::get_document("http://127.0.0.1:9", "/x", "[]")
        .replace("\"get\",", &format!("\"{name}\","));
    let list =
        opentool(["list", "shop=api.json", "--json"]).file("api.json", &document).end().success().json();
    let cut = list[0]["name"].as_str().unwrap();
    assert_eq!(cut.len(), 64);
    let ran =
        opentool(["call", "shop=api.json", cut, "--dry-run"]).file("api.json", &document).end().success();
    assert!(ran.text().contains("http://127.0.0.1:9/x"), "\n{ran}");
}
