//! What the mock says of a request holds no credential.

use serde_json::json;

use super::{document, send};

#[test]
fn faults_and_targets_show_no_credential() {
    let form = |name: &str, schema: serde_json::Value| {
        json!({"required": true, "content": {"application/x-www-form-urlencoded": {"schema": {"type": "object",
            "properties": {name: schema, "n": {"type": "integer"}}}}}})
    };
    let mock = document(json!({"openapi": "3.1.0",
    "components": {"securitySchemes": {"oa": {"type": "http", "scheme": "bearer"},
        "k": {"type": "apiKey", "in": "query", "name": "key"}}},
    "paths": {
        "/two": {"post": {"operationId": "two", "security": [{"oa": []}],
            "requestBody": form("token", json!({"type": "string", "pattern": "^xox"}))}},
        "/three": {"post": {"operationId": "three", "security": [{"k": []}], "requestBody": form("key", json!({"type": "integer"}))}},
        "/tok": {"get": {"operationId": "tok", "security": [{"oa": []}]}},
        "/login": {"post": {"operationId": "login", "requestBody": {"content": {"application/json": {"schema": {"type": "object",
            "properties": {"password": {"type": "integer"}, "pageToken": {"type": "integer"}}}}}}}},
    }}));
    let urlencoded = ("content-type", "application/x-www-form-urlencoded");
    let bearer = ("authorization", "Bearer s3cret-own");
    let json = ("content-type", "application/json");
    for (method, target, headers, body, hidden) in [
        ("POST", "/two", &[urlencoded, bearer][..], "token=s3cret-own", "/body/token"),
        ("POST", "/two", &[urlencoded, bearer], "n=s3cret-own", "/body/n"),
        ("POST", "/three?key=s3cret", &[urlencoded], "key=s3cret", "/body/key"),
        ("GET", "/tok?access_token=s3cret", &[bearer], "", "/query/access_token"),
        ("GET", "/tok?api_key=s3cret", &[bearer], "", "/query/api_key"),
        ("GET", "/nowhere?access_token=s3cret", &[bearer], "", "/path"),
        ("POST", "/login", &[json], r#"{"password": "s3cret"}"#, "/body/password"),
    ] {
        let answer = send(&mock, method, target, headers, body.as_bytes());
        let faults: Vec<String> = answer.faults().iter().map(ToString::to_string).collect();
        let answered = String::from_utf8_lossy(answer.response().body());
        let shown = format!("{} {faults:?} {answered}", answer.target());
        assert!(!shown.contains("s3cret"), "{shown}");
        assert!(faults.iter().any(|fault| fault.starts_with(hidden)), "{faults:?}");
    }
    // What is no secret helps whoever looks for a mistake.
    let answer = send(&mock, "POST", "/login", &[json], br#"{"pageToken": "nine"}"#);
    assert!(answer.faults()[0].to_string().contains("nine"), "{:?}", answer.faults());
}
