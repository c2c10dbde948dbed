//! Documents from files and from URLs.

use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::response::Redirect;
use axum::routing::get;
use opentool_http::{Client, Options};
use opentool_openapi::{OpenApiError, load, load_with};
use serde_json::json;

use super::with_operation;

/// A server on a free port of this machine; its address without a slash at the end.
pub(super) async fn server(router: Router) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    format!("http://{address}")
}

#[tokio::test]
async fn a_document_is_read_from_a_file() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/petstore/document.yaml");
    let api = load(path).await.unwrap();
    assert_eq!(api.title(), Some("Pet shop"));
    let tools = api.tools().unwrap();
    let origin = tools.find("listPets").unwrap().definition().origin.to_string();
    assert_eq!(origin, format!("openapi {path} GET /pets"));
}

#[tokio::test]
async fn files_that_cannot_be_read_say_why() {
    let error = load("does/not/exist.yaml").await.unwrap_err();
    assert!(matches!(error, OpenApiError::NotFound { .. }));
    assert_eq!(error.to_string(), "does/not/exist.yaml: not found (there is no such file)");
    let error = load(env!("CARGO_MANIFEST_DIR")).await.unwrap_err();
    assert!(matches!(error, OpenApiError::Unreachable { .. }));
    assert!(error.to_string().contains("it is a directory"), "{error}");
}

#[tokio::test]
async fn a_document_is_read_from_a_url_and_its_servers_are_relative_to_it() {
    let router = Router::new().route("/moved", get(async || Redirect::temporary("/v1/openapi.json"))).route(
        "/v1/openapi.json",
        get(async || with_operation(&json!({"operationId": "a", "servers": [{"url": "api"}]}))),
    );
    let base = server(router).await;
    let api = load(format!("{base}/moved")).await.unwrap();
    let request = api.request("a", &Default::default()).unwrap();
    assert_eq!(request.to_json()["url"], format!("{base}/v1/api/a"));
    // From which machine it came stays known, whatever the host sets.
    let api = api.with(opentool_openapi::Settings::default());
    assert_eq!(api.settings().document_peer, Some(std::net::Ipv4Addr::LOCALHOST.into()));
}

#[tokio::test]
async fn addresses_that_give_no_document_say_why() {
    let router = Router::new()
        .route("/html", get(async || axum::response::Html("<html>docs</html>")))
        .route("/denied", get(async || StatusCode::UNAUTHORIZED))
        .route("/broken", get(async || (StatusCode::INTERNAL_SERVER_ERROR, "oops")))
        .route("/silent", get(std::future::pending::<String>));
    let base = server(router).await;
    let client = Client::new(Options::new().timeout(Duration::from_millis(300)));
    let ask = async |path: &str| load_with(format!("{base}{path}"), &client).await.unwrap_err();

    let missing = ask("/missing").await;
    assert!(matches!(missing, OpenApiError::NotFound { .. }));
    assert_eq!(missing.to_string(), format!("{base}/missing: not found (the server answers 404 Not Found)"));
    let html = ask("/html").await;
    assert!(matches!(html, OpenApiError::Syntax(_)));
    assert!(html.to_string().contains("this is an HTML or XML page"), "{html}");
    assert!(ask("/denied").await.to_string().contains("fetched without credentials"));
    assert!(ask("/broken").await.to_string().contains("the server answers 500 Internal Server Error"));
    let silent = ask("/silent?key=secret").await;
    assert!(matches!(silent, OpenApiError::Unreachable { .. }));
    assert!(silent.to_string().contains("within 300 ms"), "{silent}");
    assert!(!silent.to_string().contains("secret"), "{silent}");
}

#[tokio::test]
async fn an_address_that_refuses_says_so() {
    // Bound and let go: nobody listens there.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let error = load(format!("http://{address}/openapi.json")).await.unwrap_err();
    assert!(matches!(error, OpenApiError::Unreachable { .. }));
    assert!(error.to_string().contains("cannot connect to"), "{error}");
}
