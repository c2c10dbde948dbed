//! A value in a path stays in its segment, or nothing is sent.

use opentool_core::ToolError;
use opentool_openapi::Api;
use serde_json::{Value, json};

use super::wire::{Wire, call, document};

async fn pets() -> (Wire, Api) {
    let api = document(&json!({"openapi": "3.1.0", "paths": {"/v1/pets/{pet}/toys": {"get": {
        "parameters": [{"name": "pet", "in": "path", "required": true, "schema": {"type": "string"}}]}}}}));
    let wire = Wire::open().await;
    let api = api.server(&wire.url);
    (wire, api)
}

/// What is sent for the value.
async fn sent(value: &str) -> String {
    let (wire, api) = pets().await;
    call(&api, json!({"pet": value})).await.unwrap();
    wire.target()
}

async fn refused(values: &[&str]) {
    let (wire, api) = pets().await;
    for value in values {
        let error = call(&api, json!({"pet": value})).await.expect_err(value);
        assert!(matches!(error, ToolError::InvalidArguments(_)), "{value}: {error:?}");
        assert_eq!(wire.heads(), [""; 0], "{value}");
    }
    // What a list or an object brings together is looked at as well.
    let climbing: Value = json!({"pet": ["a", "/../../admin"]});
    assert!(call(&api, climbing).await.is_err() && wire.heads().is_empty());
}

#[tokio::test]
async fn slash() {
    assert_eq!(sent("a/b").await, "GET /v1/pets/a%2Fb/toys");
    assert_eq!(sent("/").await, "GET /v1/pets/%2F/toys");
    assert_eq!(sent("//evil.test/x").await, "GET /v1/pets/%2F%2Fevil.test%2Fx/toys");
    assert_eq!(sent("a\\b").await, "GET /v1/pets/a%5Cb/toys");
}

#[tokio::test]
async fn dot_dot() {
    refused(&["..", ".", "../../admin", "a/../../b", "..\\admin", "..;x=1", ".. "]).await;
    assert_eq!(sent("...").await, "GET /v1/pets/.../toys");
    assert_eq!(sent("a..b").await, "GET /v1/pets/a..b/toys");
}

#[tokio::test]
async fn percent_2e_percent_2e() {
    refused(&["%2e%2e", "%2E%2E%2Fadmin", ".%2e", "%252e%252e", "%252e%252e%252fadmin"]).await;
    // An escape in a value is text, and stays that.
    assert_eq!(sent("%41%2F").await, "GET /v1/pets/%2541%252F/toys");
}

#[tokio::test]
async fn question_mark() {
    assert_eq!(sent("1?admin=true&x").await, "GET /v1/pets/1%3Fadmin%3Dtrue%26x/toys");
}

#[tokio::test]
async fn hash() {
    assert_eq!(sent("1#top").await, "GET /v1/pets/1%23top/toys");
}

#[tokio::test]
async fn null_bytes() {
    refused(&["\0", "1\0", "1\0.png", ".\0.", "1\r\nX-Evil: 1", "1\u{7f}", "1\u{85}"]).await;
}

#[tokio::test]
async fn unicode_tricks() {
    refused(&[
        "\u{ff0e}\u{ff0e}",
        "\u{2024}\u{2024}",
        "\u{2025}",
        "..\u{ff0f}admin",
        "..\u{2044}admin",
        "..\u{2215}admin",
        "..\u{ff3c}admin",
        "%ef%bc%8e%ef%bc%8e",
        "%c0%ae%c0%ae",
        "..%c0%afadmin",
    ])
    .await;
    assert_eq!(sent("a\u{202e}b\u{200b}").await, "GET /v1/pets/a%E2%80%AEb%E2%80%8B/toys");
    assert_eq!(sent("pet\u{ff1f}x\u{ff03}").await, "GET /v1/pets/pet%EF%BC%9Fx%EF%BC%83/toys");
}
