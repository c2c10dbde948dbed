//! A value does not become a second header, a second cookie or another host.

use opentool_openapi::Api;
use serde_json::{Value, json};

use super::wire::{Wire, call, document};

fn with_parameter(parameter: Value) -> Api {
    document(&json!({"openapi": "3.2.0", "paths": {"/s": {"get": {"parameters": [parameter]}}}}))
}

#[tokio::test]
async fn header_injection() {
    let wire = Wire::open().await;
    let api = with_parameter(json!({"name": "X-Tag", "in": "header", "schema": {}})).server(&wire.url);
    for value in ["a\r\nX-Evil: 1", "a\nX-Evil: 1", "a\rb", "a\0b", "a\u{1b}[2J", "a\u{7f}", "a\u{9b}2J"] {
        for argument in [json!(value), json!([value]), json!({"k": value}), json!({value: 1})] {
            assert!(call(&api, json!({"X-Tag": argument})).await.is_err(), "{argument}");
            assert_eq!(wire.heads(), [""; 0], "{argument}");
        }
    }
    call(&api, json!({"X-Tag": "a: b\u{e9}"})).await.unwrap();
    let head = wire.head();
    assert!(head.to_lowercase().contains("\r\nx-tag: a: b\u{e9}\r\n"), "{head}");
}

#[tokio::test]
async fn cookie_injection() {
    let wire = Wire::open().await;
    let form = with_parameter(json!({"name": "c", "in": "cookie", "schema": {}})).server(&wire.url);
    call(&form, json!({"c": "a; admin=1\r\nX-Evil: 1"})).await.unwrap();
    let head = wire.head();
    assert!(head.contains(": c=a%3B%20admin%3D1%0D%0AX-Evil%3A%201\r\n"), "{head}");
    let raw = with_parameter(json!({"name": "c", "in": "cookie", "style": "cookie", "schema": {}}));
    let raw = raw.server(&wire.url);
    for value in [json!("a; admin=1"), json!("a\r\nX-Evil: 1"), json!({"a=1; b": 1}), json!(["x", ";"])] {
        assert!(call(&raw, json!({"c": value})).await.is_err(), "{value}");
        assert_eq!(wire.heads(), [""; 0], "{value}");
    }
}

#[tokio::test]
async fn server_variable_takeover() {
    let api = document(&json!({
        "openapi": "3.1.0",
        "servers": [{"url": "https://{tenant}.api.test/{base}",
                     "variables": {"tenant": {"default": "demo"}, "base": {"default": "v1"}}}],
        "paths": {"/s": {"get": {"operationId": "s", "parameters": [
            {"name": "tenant", "in": "query", "schema": {}}]}}}
    }));
    let url = |name: &str, value: &str| {
        let api = api.clone().server_variable(name, value);
        api.request("s", &super::wire::given(json!({"tenant": "evil.test/"}))).map(|r| r.url().to_owned())
    };
    // An argument of the same name is an argument.
    assert_eq!(url("base", "v2/eu").unwrap(), "https://demo.api.test/v2/eu/s?tenant=evil.test%2F");
    for value in [
        "evil.test/",
        "evil.test#",
        "evil.test?",
        "x@evil.test",
        "evil.test\\",
        "evil.test:1/",
        "a b",
        "a\r\nb",
    ] {
        assert!(url("tenant", value).is_err(), "{value}");
    }
    for value in ["..", "a/../..", "%2e%2e", "?x", "#x", "\\..", "\u{ff0e}\u{ff0e}"] {
        assert!(url("base", value).is_err(), "{value}");
    }
}

/// The key that the operator set is the only one of its name, whichever parameter writes into the same place.
#[tokio::test]
async fn arguments_that_set_the_key_of_the_operator() {
    let wire = Wire::open().await;
    let with = |path: &str, scheme: &str, parameter: Value| {
        let api = document(&json!({"openapi": "3.2.0", "components": {"securitySchemes": {
            "query": {"type": "apiKey", "in": "query", "name": "key"},
            "cookie": {"type": "apiKey", "in": "cookie", "name": "sid"}}},
            "paths": {path: {"get": {"security": [{scheme: []}], "parameters": [parameter]}}}}));
        api.server(&wire.url).api_key("0perator")
    };
    let form = json!({"application/x-www-form-urlencoded": {"schema": {"type": "object"}}});
    let whole = with("/s", "query", json!({"name": "f", "in": "querystring", "content": form}));
    for (given, expected) in [
        (json!({"key": "EVIL"}), "GET /s?key=0perator"),
        (json!({"a": "1", "key": ["EVIL", "key=EVIL"], " key": "EVIL"}), "GET /s?a=1&key=0perator"),
        (json!({"a": "&key=EVIL"}), "GET /s?a=%26key%3DEVIL&key=0perator"),
    ] {
        call(&whole, json!({"f": given})).await.unwrap();
        assert_eq!(wire.target(), expected, "{given}");
    }
    let path = json!({"name": "x", "in": "path", "required": true, "schema": {}});
    let template = with("/s?a=1&key={x}", "query", path);
    call(&template, json!({"x": "EVIL"})).await.unwrap();
    assert_eq!(wire.target(), "GET /s?a=1&key=0perator");

    let cookie = |explode| {
        let raw = json!({"name": "x", "in": "cookie", "style": "cookie", "explode": explode, "schema": {}});
        with("/s", "cookie", raw)
    };
    for (explode, given) in [
        (true, json!({"sid": "EVIL"})),
        (true, json!({" sid": "EVIL"})),
        (true, json!({"\"sid\"": "EVIL"})),
        (true, json!({"\u{a0}sid": "EVIL"})),
        (true, json!({"a,sid": "EVIL"})),
        (false, json!("1, sid=EVIL")),
        (false, json!(["1", "sid=EVIL"])),
    ] {
        // Refused, or not sent.
        let done = call(&cookie(explode), json!({"x": given})).await;
        let heads = wire.heads().concat();
        assert_eq!(done.is_err(), heads.is_empty(), "{given}");
        assert!(!heads.contains("EVIL"), "{given}: {heads}");
        assert!(heads.is_empty() || heads.contains("sid=0perator"), "{given}: {heads}");
    }
    call(&cookie(true), json!({"x": {"a": "1", "b": "2, 3"}})).await.unwrap();
    assert!(wire.head().contains(": a=1; b=2, 3; sid=0perator\r\n"));
}
