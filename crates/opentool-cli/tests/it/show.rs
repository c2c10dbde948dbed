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
        .failure(4, &["there is no tool `getPetByID`; did you mean `getPetById`"]);
    opentool(["show", "petstore.yaml", "xyz"])
        .end()
        .failure(4, &["there is no tool `xyz`", "help: `opentool list SOURCE`"]);
}
