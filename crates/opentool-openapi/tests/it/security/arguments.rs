//! Credentials are no arguments, also where a document lists them among its parameters.

use opentool_openapi::{Api, parse};
use serde_json::{Value, json};

fn api(schemes: Value, security: Value, parameters: Value) -> Api {
    let mut document = json!({
        "openapi": "3.0.3",
        "servers": [{"url": "https://api.test"}],
        "components": {"securitySchemes": schemes},
        "paths": {"/a": {"get": {"operationId": "get", "parameters": parameters}}}
    });
    if !security.is_null() {
        document["paths"]["/a"]["get"]["security"] = security;
    }
    parse(document.to_string(), "keys.json").unwrap()
}

fn arguments(api: &Api) -> Vec<String> {
    let schema = api.tools().unwrap().definitions().next().unwrap().input_schema.as_value().clone();
    schema["properties"].as_object().unwrap().keys().cloned().collect()
}

fn parameter(place: &str, name: &str, required: bool) -> Value {
    json!({"name": name, "in": place, "required": required, "schema": {"type": "string"}})
}

#[test]
fn the_key_of_a_scheme_is_no_argument() {
    for (place, name, listed) in
        [("header", "X-Key", "x-key"), ("query", "key", "key"), ("cookie", "sid", "sid")]
    {
        let schemes = json!({"k": {"type": "apiKey", "in": place, "name": name}});
        // Asked for; asked for if one likes; and declared but never asked for.
        for (security, required) in [
            (json!([{"k": []}]), true),
            (json!([{}, {"k": []}]), false),
            (Value::Null, true),
            (Value::Null, false),
        ] {
            let parameters = json!([parameter(place, listed, required), parameter("query", "q", false)]);
            let api = api(schemes.clone(), security, parameters);
            assert_eq!(arguments(&api), ["q"], "{place}");
            let nothing = Default::default();
            assert_eq!(api.request("get", &nothing).is_err(), required, "{place}");
            let request = api.api_key("s3cret").request("get", &nothing).unwrap();
            assert!(request.to_json_with_secrets().to_string().contains("s3cret"), "{place}");
        }
    }
    // A parameter of another place is one, and so is every parameter of an operation that asks for nothing.
    let schemes = json!({"k": {"type": "apiKey", "in": "header", "name": "key"}});
    let query = json!([parameter("query", "key", false)]);
    assert_eq!(arguments(&api(schemes.clone(), json!([{"k": []}]), query)), ["key"]);
    let header = json!([parameter("header", "key", false)]);
    assert_eq!(arguments(&api(schemes, json!([]), header)), ["key"]);
}

#[test]
fn tokens_and_keys_that_documents_of_google_list_are_the_hosts() {
    let schemes = json!({"o": {"type": "oauth2", "flows": {}}});
    let mut key = parameter("query", "key", false);
    key["description"] = json!("API key. Your API key identifies your project.");
    let parameters = json!([
        key,
        parameter("query", "access_token", false),
        parameter("query", "oauth_token", false),
        parameter("query", "fields", false)
    ]);
    let api = api(schemes, json!([{"o": ["read"]}]), parameters);
    assert_eq!(arguments(&api), ["fields"]);
    let told: Vec<&str> = api.diagnostics().iter().map(|found| found.code).collect();
    assert_eq!(told, ["credential-parameter"]);
    let nothing = Default::default();
    let with_key = api.clone().api_key("k3y").request("get", &nothing).unwrap().to_json_with_secrets();
    assert_eq!(with_key["url"], "https://api.test/a?key=k3y");
    let with_token =
        api.bearer("t0ken").api_key("k3y").request("get", &nothing).unwrap().to_json_with_secrets();
    assert_eq!(with_token["headers"]["Authorization"], "Bearer t0ken");
    assert_eq!(with_token["url"], "https://api.test/a");
}

#[test]
fn tokens_that_are_described_as_such_and_signatures_are_the_hosts() {
    let described = |place: &str, words: &str| {
        let mut token = parameter(place, "token", true);
        token["description"] = json!(words);
        token
    };
    let oauth = || json!({"o": {"type": "oauth2", "flows": {}}});
    let slack = "Authentication token. Requires scope: `admin`";
    for (place, words, security, expected) in [
        ("header", slack, json!([{"o": []}]), &["q"][..]),
        ("query", slack, json!([{"o": []}]), &["q"]),
        ("query", "The token of the next page.", json!([{"o": []}]), &["token", "q"]),
        ("query", slack, json!([]), &["token", "q"]),
    ] {
        let parameters = json!([described(place, words), parameter("query", "q", false)]);
        assert_eq!(arguments(&api(oauth(), security, parameters)), expected, "{place} {words}");
    }
    let signed = ["X-Amz-Credential", "X-Amz-Signature", "X-Amz-Security-Token", "X-Amz-Target"];
    let parameters: Vec<Value> = signed.iter().map(|name| parameter("header", name, false)).collect();
    let hmac = json!({"hmac": {"type": "apiKey", "in": "header", "name": "Authorization"}});
    let api = api(hmac, json!([{"hmac": []}]), parameters.into());
    assert_eq!(arguments(&api), ["X-Amz-Target"]);
    let told: Vec<&str> = api.diagnostics().iter().map(|found| found.code).collect();
    assert_eq!(told, ["credential-parameter"]);
}

#[test]
fn a_parameter_that_only_sounds_like_a_credential_is_an_argument() {
    let parameters = json!([
        parameter("query", "key", false),
        parameter("query", "access_token", true),
        parameter("header", "X-Api-Key", false)
    ]);
    let api = api(json!({}), Value::Null, parameters);
    assert_eq!(arguments(&api), ["key", "access_token", "X-Api-Key"]);
}
