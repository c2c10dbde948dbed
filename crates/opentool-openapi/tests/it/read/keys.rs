//! Keys that mean nothing where they stand: what a slip of the pen loses is told.

use opentool_openapi::parse;
use serde_json::json;

fn told(document: &serde_json::Value) -> Vec<String> {
    let api = parse(document.to_string(), "a.json").unwrap();
    api.diagnostics().iter().map(|found| format!("{} {}", found.pointer, found.message)).collect()
}

#[test]
fn what_a_misspelt_key_loses_is_told() {
    let told = told(&json!({"openapi": "3.1.0", "info": {}, "paths": {"/a": {
        "x-own": 1,
        "Put": {"responses": {}},
        "psot": {"responses": {}},
        "fetch": {"responses": {}},
        "get": {"requestbody": {}, "paramters": [], "colour": 1, "x-own": 1, "responses": {}},
    }}}));
    for expected in [
        "/paths/~1a/psot `psot` is no method (did you mean `post`?); what it describes is no tool",
        "/paths/~1a/fetch `fetch` is no method; what it describes is no tool",
        "/paths/~1a/get/requestbody an operation has no member `requestbody`, which is ignored; did you mean `requestBody`?",
        "/paths/~1a/get/paramters an operation has no member `paramters`, which is ignored; did you mean `parameters`?",
        "/paths/~1a/get/colour an operation has no member `colour`, which is ignored",
    ] {
        assert!(told.iter().any(|told| told == expected), "{expected}: {told:#?}");
    }
    assert!(!told.iter().any(|told| told.contains("x-own")), "{told:#?}");
}

#[test]
fn a_server_that_goes_where_its_own_list_forbids_is_told() {
    let told = told(&json!({"openapi": "3.1.0", "info": {}, "paths": {"/a": {"get": {"responses": {}}}},
        "servers": [{"url": "https://{region}.example.com",
            "variables": {"region": {"default": "mars", "enum": ["eu", "us"]}}}]}));
    let expected = "/servers/0/variables/region/default the default `mars` is none of the variable's `enum` (`eu`, `us`)";
    assert!(told.iter().any(|told| told.starts_with(expected)), "{told:#?}");
}
