//! Every failure is told apart, and none of them repeats a secret.

use std::error::Error as _;
use std::time::Duration;

use opentool_core::{Cancellation, ToolCall, ToolContext, ToolError};
use opentool_schema::ToolSetExt as _;
use opentool_server::client::{self, Client, ClientError, FunctionCall, KeyGiven};
use serde_json::json;

use super::foreign::document;
use super::raw::{Do, Raw, answer, refusing, stream};

async fn failure(status: u16, body: &'static str) -> ClientError {
    let server = Raw::start(move |_| vec![answer(status, body)]).await;
    let client = client::connect(&server.url).api_key("very-secret-key").build().unwrap();
    let error = client.call(&FunctionCall::new("1", "f")).await.unwrap_err();
    assert!(!format!("{error} {error:?}").contains("very-secret-key"), "{error:?}");
    error
}

/// The text that a model reads of a failed call.
async fn for_model(client: &Client) -> String {
    let document = opentool_doc::Document::read(&document()).unwrap().document;
    let tools = client::document_tools(&document, client);
    let output = tools.answer(&ToolContext::new(), ToolCall::new("1", "add", json!({"a": 1, "b": 2}))).await;
    assert!(output.is_error);
    output.to_text()
}

#[tokio::test]
async fn the_five_failures_are_five_variants() {
    for body in [
        r#"{"jsonrpc":"2.0","result":null,"error":null,"id":"1"}"#,
        r#"{"jsonrpc":"2.0","id":"1"}"#,
        "null",
        "",
    ] {
        let error = failure(200, body).await;
        assert!(matches!(error, ClientError::ResponseNull { status: 200, .. }), "{body}: {error}");
    }
    for body in [r#"{"jsonrpc":"2.0","result":{},"error":null,"id":"1"}"#, "", "<html>broken</html>", "{}"] {
        let error = failure(500, body).await;
        assert!(matches!(error, ClientError::ErrorNull { status: 500, .. }), "{body}: {error}");
    }
    let error = failure(401, r#"{"error":"very-secret-key is wrong"}"#).await;
    assert!(matches!(error, ClientError::Unauthorized { key: KeyGiven::Yes, .. }), "{error}");
    let error = failure(404, "Route not found").await;
    assert!(matches!(error, ClientError::NoAccess { .. }), "{error}");
    assert!(error.to_string().contains("is the path right?") && error.not_run(), "{error}");
    let error = failure(200, r#"{"result":{},"error":{"code":500,"message":"broken"},"id":"1"}"#).await;
    assert!(matches!(&error, ClientError::Call { code: 500, message } if &**message == "broken"), "{error}");
    assert!(!error.not_run());
}

#[tokio::test]
async fn errors_come_with_any_status() {
    for (status, body, expected) in [
        (400, r#"{"result":{},"error":{"code":-32700,"message":"Parse error"},"id":null}"#, -32700),
        (403, r#"{"code":403,"message":"Forbidden"}"#, 403),
        (500, r#"{"error":"broken"}"#, 500),
    ] {
        let error = failure(status, body).await;
        assert!(matches!(error, ClientError::Call { code, .. } if code == expected), "{error}");
    }
    let server = Raw::start(|_| {
        let head = "HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n";
        vec![Do::Send(head.as_bytes().to_vec())]
    })
    .await;
    let error = client::connect(&server.url).await.unwrap_err();
    assert!(
        matches!(error, ClientError::Busy { retry_after: Some(wait), .. } if wait == Duration::from_secs(7)),
        "{error}"
    );
    assert_eq!(server.asked().len(), 1, "what a busy server did is not known, so it is not asked again");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_and_asked_about() {
    let (_socket, url) = refusing();
    let client = client::connect(&url).retries(0).build().unwrap();
    let error = client.version().await.unwrap_err();
    assert!(matches!(error, ClientError::NoAccess { .. }), "{error}");
    assert!(
        error.to_string().contains("is the server running?") && error.to_string().contains(&url),
        "{error}"
    );
    let cause = error.source().expect("the operator gets the cause");
    assert!(
        cause.to_string().contains("refused") && cause.source().is_none(),
        "one, the innermost: {cause:?}"
    );
    let text = for_model(&client).await;
    assert_eq!(text, "the server behind the tool cannot be reached; nothing was run");
}

#[tokio::test]
async fn a_key_is_missing_wrong_or_no_key() {
    let server = Raw::start(|_| vec![answer(401, "{}")]).await;
    let error = client::connect(&server.url).await.unwrap_err();
    assert!(matches!(error, ClientError::Unauthorized { key: KeyGiven::No, .. }), "{error}");
    let client = client::connect(&server.url).api_key("wrong").build().unwrap();
    let text = for_model(&client).await;
    assert!(text.contains("only its operator can mend that"), "{text}");

    for key in ["", " ", "key\n", "a\r\nHost: b", "clé", "a\tb"] {
        let error = client::connect(&server.url).api_key(key).build().unwrap_err();
        assert!(matches!(error, ClientError::ApiKey { .. }), "{key:?}: {error}");
    }
}

#[tokio::test]
async fn a_failure_is_told_once() {
    let server =
        Raw::start(|_| vec![answer(200, r#"{"error":{"code":400,"message":"boom"},"id":"1"}"#)]).await;
    let client = client::connect(&server.url).build().unwrap();
    let document = opentool_doc::Document::read(&document()).unwrap().document;
    let tools = client::document_tools(&document, &client);
    let call = ToolCall::new("1", "add", json!({"a": 1, "b": 2}));
    let error = tools.call(&ToolContext::new(), call).await.unwrap_err();
    assert_eq!(error.to_string(), "boom");
    let cause = error.source().expect("a cause");
    assert_eq!(cause.to_string(), "the call failed (400)");
    assert!(matches!(cause.downcast_ref(), Some(ClientError::Call { code: 400, .. })), "{cause:?}");
}

#[tokio::test]
async fn an_answer_of_another_kind_is_no_success_of_a_function_that_gives_nothing() {
    for body in [r#"{"a":1}"#, "{}"] {
        let server = Raw::start(move |_| vec![answer(200, body)]).await;
        let client = client::connect(&server.url).build().unwrap();
        let mut document = opentool_doc::Document::read(&document()).unwrap().document;
        document.functions[0].returns = None;
        let tools = client::document_tools(&document, &client);
        let call = ToolCall::new("1", "add", json!({"a": 1, "b": 2}));
        let error = tools.call(&ToolContext::new(), call).await.unwrap_err();
        let cause = error.source().expect("a cause");
        assert!(matches!(cause.downcast_ref(), Some(ClientError::NotOpenTool { .. })), "{body}: {cause}");
    }
}

#[tokio::test]
async fn what_is_not_opentool_is_told_from_a_failure() {
    for body in
        ["<html>Welcome</html>", "[]", "\"ok\"", "{}", r#"{"a":1}"#, "{\"result\":", "\u{0}\u{1}\u{2}"]
    {
        let error = failure(200, body).await;
        assert!(matches!(error, ClientError::NotOpenTool { .. }), "{body}: {error}");
    }
    let server = Raw::start(|_| vec![Do::Send(b"SSH-2.0-OpenSSH_9.6\r\n".to_vec()), Do::Close]).await;
    let error = client::connect(&server.url).await.unwrap_err();
    assert!(matches!(error, ClientError::NotOpenTool { .. }), "{error}");
    assert!(error.to_string().contains("write https://"), "{error}");
    // Some other program's answer to `/version`.
    for body in ["{}", "{\"version\":7}", "Hello"] {
        let server = Raw::start(move |_| vec![answer(200, body)]).await;
        let error = client::connect(&server.url).await.unwrap_err();
        assert!(matches!(error, ClientError::NotOpenTool { .. }), "{body}: {error}");
    }
}

#[tokio::test]
async fn a_document_that_is_none_is_told_with_its_fault() {
    let server = Raw::start(|_| vec![answer(200, r#"{"openapi":"3.1.0","info":{},"paths":{}}"#)]).await;
    let error = client::connect(&server.url).build().unwrap().load().await.unwrap_err();
    assert!(matches!(error, ClientError::Document { .. }), "{error}");
    // A broken function costs that function, and is told.
    let server = Raw::start(|_| {
        let mut document = document();
        document["functions"].as_array_mut().unwrap().push(json!({"description": "no name"}));
        vec![answer(200, &document.to_string())]
    })
    .await;
    let (tools, diagnostics) = client::connect(&server.url).build().unwrap().tools().await.unwrap();
    assert_eq!((tools.len(), diagnostics.is_empty()), (1, false));
}

#[tokio::test]
async fn the_key_stays_with_its_server() {
    let other = Raw::start(|_| vec![answer(200, r#"{"version":"1.0.0"}"#)]).await;
    let target = other.url.clone();
    for status in [301, 302, 303, 307, 308] {
        let target = target.clone();
        let server = Raw::start(move |_| {
            let head =
                format!("HTTP/1.1 {status} Moved\r\nLocation: {target}/call\r\nContent-Length: 0\r\n\r\n");
            vec![Do::Send(head.into_bytes())]
        })
        .await;
        let client = client::connect(&server.url).api_key("very-secret-key").build().unwrap();
        let error = client.call(&FunctionCall::new("1", "f")).await.unwrap_err();
        assert!(matches!(error, ClientError::Redirected { .. }), "{error}");
        let origin = other.url.trim_end_matches("/opentool");
        assert!(error.to_string().contains(origin), "{error}");
    }
    assert_eq!(other.connections(), 0);
}

#[tokio::test]
async fn what_a_server_repeats_of_the_key_is_covered() {
    let server = Raw::start(|asked| match asked.body()["method"].as_str() {
        Some("fail") => {
            vec![answer(200, r#"{"error":{"code":500,"message":"bad key very-secret-key"}}"#)]
        }
        _ => vec![answer(200, r#"{"result":{"echo":"Bearer very-secret-key"}}"#)],
    })
    .await;
    let client = client::connect(&server.url).api_key("very-secret-key").build().unwrap();
    let error = client.call(&FunctionCall::new("1", "fail")).await.unwrap_err();
    assert_eq!(error.to_string(), "the call failed (500): bad key ***");
    let returned = client.call(&FunctionCall::new("1", "echo")).await.unwrap();
    assert_eq!(returned.result, json!({"echo": "Bearer ***"}));
    assert!(!format!("{client:?}").contains("very-secret-key"));

    let body = "event:start\ndata:{\"start\":\"very-secret-key\"}\n\n\
        event:data\ndata:{\"result\":{\"echo\":\"very-secret-key\"}}\n\n\
        event:error\ndata:{\"code\":500,\"message\":\"very-secret-key\"}\n\n";
    let server = Raw::start(move |_| stream(body)).await;
    let client = client::connect(&server.url).api_key("very-secret-key").build().unwrap();
    let mut events = client.stream_call(FunctionCall::new("1", "echo"));
    let mut told = String::new();
    while let Some(event) = events.next().await {
        told += &format!("{event:?}");
    }
    assert_eq!((told.contains("very-secret-key"), told.matches("***").count()), (false, 3), "{told}");
}

#[tokio::test]
async fn a_host_that_gives_up_closes_the_connection() {
    let server = Raw::start(|_| vec![Do::Hang]).await;
    let client = client::connect(&server.url).build().unwrap();
    let document = opentool_doc::Document::read(&document()).unwrap().document;
    let tools = client::document_tools(&document, &client);
    let signal = Cancellation::new();
    let cx = ToolContext::new().cancellation(signal.clone());
    let call = tools.call(&cx, ToolCall::new("1", "add", json!({"a": 1, "b": 2})));
    let (called, ()) = futures_util::future::join(call, async {
        while server.asked().is_empty() {
            tokio::task::yield_now().await;
        }
        signal.cancel();
    })
    .await;
    assert!(matches!(called, Err(ToolError::Cancelled)), "{called:?}");
    server.gone().await;
}

#[tokio::test]
async fn the_deadline_of_a_context_ends_a_call() {
    let server = Raw::start(|_| vec![Do::Hang]).await;
    let client = client::connect(&server.url).build().unwrap();
    let document = opentool_doc::Document::read(&document()).unwrap().document;
    let tools = client::document_tools(&document, &client);
    let end = std::time::Instant::now() + Duration::from_millis(50);
    let cx = ToolContext::new().deadline(end);
    let error = tools.call(&cx, ToolCall::new("1", "add", json!({"a": 1, "b": 2}))).await.unwrap_err();
    assert!(matches!(error, ToolError::TimedOut(_)), "{error}");
    server.gone().await;
}

#[tokio::test]
async fn a_long_message_is_cut_for_the_model() {
    let server = Raw::start(|_| {
        let message = "\u{1b}[31m".to_owned() + &"x".repeat(1_000_000);
        vec![answer(200, &json!({"error": {"code": 500, "message": message}}).to_string())]
    })
    .await;
    let client = client::connect(&server.url).build().unwrap();
    let error = client.call(&FunctionCall::new("1", "f")).await.unwrap_err();
    assert!(error.to_string().len() < 2_100);
    let text = for_model(&client).await;
    assert!(text.len() < 2_100 && !text.contains('\u{1b}'), "{} bytes", text.len());
}
