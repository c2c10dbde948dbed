//! `opentool export`.

use crate::support::{golden, opentool};

#[test]
fn each_dialect_has_its_own_form() {
    for (dialect, schema) in
        [("openai", "/0/function/parameters"), ("anthropic", "/0/input_schema"), ("mcp", "/0/inputSchema")]
    {
        let ran =
            opentool(["export", "petstore.yaml", "--to", dialect, "--only", "getPetById"]).end().success();
        assert_eq!(ran.json().pointer(schema).unwrap()["required"], serde_json::json!(["petId"]), "\n{ran}");
        golden(&format!("export/{dialect}"), &ran.to_string());
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
fn an_unknown_dialect_and_an_empty_choice_are_errors() {
    opentool(["export", "petstore.yaml", "--to", "openia"])
        .end()
        .failure(2, &["[possible values: openai, ", ", opentool]", "'openai'"]);
    opentool(["export", "petstore.yaml"]).end().failure(2, &["--to <DIALECT>"]);
    opentool(["export", "petstore.yaml", "--to", "mcp", "--tag", "nothing"])
        .end()
        .failure(2, &["no tool is left"]);
}
