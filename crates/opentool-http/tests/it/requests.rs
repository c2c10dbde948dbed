//! What arrives is what was asked for.

use axum::Router;
use axum::body::Bytes as Body;
use axum::routing::{get, post};
use opentool_http::{Client, HeaderMap, HeaderName, HttpError, Options, Request};
use secrecy::SecretString;
use serde_json::json;

use crate::server::serve;

#[tokio::test]
async fn posts_json_with_a_bearer_token() {
    async fn echo(headers: HeaderMap, body: Body) -> String {
        let header = |name: &str| headers.get(name).map(|value| value.to_str().unwrap().to_owned());
        json!({
            "agent": header("user-agent"),
            "type": header("content-type"),
            "accept": header("accept"),
            "authorization": header("authorization"),
            "x": header("x-extra"),
            "body": String::from_utf8(body.to_vec()).unwrap(),
        })
        .to_string()
    }
    let url = serve(Router::new().route("/chat", post(echo))).await.join("chat").unwrap();
    let mut headers = HeaderMap::new();
    headers.insert("x-extra", "1".parse().unwrap());
    let secret = Request::get(url.clone()).bearer(&SecretString::from("s3cret")).unwrap();
    headers.extend(secret.headers);

    let response = Client::default().post_json(&url, &headers, &json!({"a": 1})).await.unwrap();

    let seen: serde_json::Value = serde_json::from_str(&response.text()).unwrap();
    assert_eq!(
        seen,
        json!({
            "agent": concat!("opentool/", env!("CARGO_PKG_VERSION")),
            "type": "application/json",
            "accept": "application/json",
            "authorization": "Bearer s3cret",
            "x": "1",
            "body": r#"{"a":1}"#,
        })
    );
}

#[tokio::test]
async fn any_status_is_an_answer() {
    let router = Router::new().route("/", get(async || (axum::http::StatusCode::BAD_GATEWAY, "no")));
    let response = Client::default().send(Request::get(serve(router).await)).await.unwrap();
    assert_eq!((response.status.as_u16(), &*response.text()), (502, "no"));
    assert_eq!(response.content_type(), Some("text/plain; charset=utf-8"));
}

#[tokio::test]
async fn a_body_can_be_read_part_by_part() {
    async fn body() -> axum::body::Body {
        let parts = ["one ", "two"].map(Ok::<_, std::io::Error>);
        axum::body::Body::from_stream(futures_util::stream::iter(parts))
    }
    let url = serve(Router::new().route("/", get(body))).await;
    let mut incoming = Client::default().open(Request::get(url)).await.unwrap();
    assert_eq!(incoming.status().as_u16(), 200);
    let mut read = Vec::new();
    while let Some(chunk) = incoming.chunk().await.unwrap() {
        read.extend_from_slice(&chunk);
    }
    assert_eq!(read, b"one two");
}

#[test]
fn debug_hides_secrets_and_line_ends_are_refused() {
    let request = Request::get("http://a.test/".parse().unwrap());
    let shown = format!("{:?}", request.clone().bearer(&SecretString::from("s3cret")).unwrap());
    assert!(!shown.contains("s3cret"), "{shown}");

    let name = HeaderName::from_static("x-key");
    let error = request.secret_header(name, &SecretString::from("s3\r\nX-Evil: 1")).unwrap_err();
    assert!(matches!(error, HttpError::Header { .. }), "{error:?}");
    assert!(!format!("{error:?} {error}").contains("s3"), "{error:?}");
}

#[test]
fn a_client_keeps_its_options() {
    let client = Client::new(Options::new().body_limit(7).user_agent("me/1"));
    assert_eq!(client.options().body_limit, 7);
    assert_eq!(client.options().user_agent, "me/1");
    // Errors travel in results all the way up.
    assert!(std::mem::size_of::<HttpError>() <= 64);
}
