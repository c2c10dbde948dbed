//! The executor against real servers: what arrives, and what comes of servers that misbehave.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::routing::{any, get};
use opentool_core::{
    BoxFuture, EventSink, Tool as _, ToolContext, ToolDefinition, ToolError, ToolEvent, ToolOutput,
};
use opentool_http::{Client, HeaderName, Url};
use opentool_openapi::execute::OperationTool;
use opentool_openapi::plan::{Operation, Place, SecurityScheme};
use opentool_openapi::request::Settings;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::plans::{arguments, operation, parameter, secured, server, with, with_body};

/// Serves `router` until the test ends.
pub(super) async fn serve(router: Router) -> Url {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

pub(super) async fn call(
    url: &Url,
    mut operation: Operation,
    value: Value,
    settings: Settings,
) -> Result<ToolOutput, ToolError> {
    call_in(&ToolContext::new(), url, &mut operation, value, settings).await
}

async fn call_in(
    cx: &ToolContext,
    url: &Url,
    operation: &mut Operation,
    value: Value,
    settings: Settings,
) -> Result<ToolOutput, ToolError> {
    operation.servers = [server(url.as_str())].into();
    // A client with limits of its own: those of the settings hold all the same.
    let client = Client::default();
    let definition = ToolDefinition::new("op", "An operation.");
    let tool = OperationTool::new(definition, Arc::new(operation.clone()), Arc::new(settings), client);
    tool.call(cx, arguments(value)).await
}

/// All that an operator reads.
pub(super) fn chain(error: &ToolError) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text.push_str(&format!("\n{cause}"));
        source = cause.source();
    }
    text
}

#[tokio::test]
async fn what_leaves_arrives() {
    async fn echo(method: Method, uri: Uri, headers: HeaderMap, body: String) -> String {
        let header = |name: &str| headers.get(name).map(|value| value.to_str().unwrap());
        json!({
            "request": format!("{method} {uri}"),
            "key": header("x-key") == Some("s3cret"),
            "headers": [header("content-type"), header("x-a"), header("cookie"),
                        header("accept"), header("user-agent").map(|agent| &agent[..9])],
            "names": headers.len(),
            "body": body,
        })
        .to_string()
    }
    let url = serve(Router::new().fallback(any(echo))).await;
    let parameters = [
        parameter(Place::Path, "id"),
        parameter(Place::Query, "q"),
        parameter(Place::Header, "X-A"),
        parameter(Place::Cookie, "c"),
    ];
    let operation =
        with_body(with(operation("PUT /pet/{id}"), parameters), "application/json", json!({}), Value::Null);
    let key = SecurityScheme::ApiKey { place: Place::Header, name: "X-Key".to_owned() };
    let operation = secured(operation, &[&[("k", key)]]);
    let mut settings = Settings::new();
    settings.api_key = Some("s3cret".into());
    let given = json!({"id": "a/b", "q": ["1", "x&y"], "X-A": "v", "c": "z", "body": {"n": 1}});

    let output = call(&url, operation, given, settings).await.unwrap();

    let seen: Value = serde_json::from_str(&output.to_text()).unwrap();
    assert_eq!(
        seen,
        json!({
            "request": "PUT /pet/a%2Fb?q=1&q=x%26y",
            "key": true,
            "headers": ["application/json", "v", "c=z", "application/json, */*;q=0.8", "opentool/"],
            // And `Host`, and `Content-Length`.
            "names": 9,
            "body": r#"{"n":1}"#,
        })
    );
    assert_eq!(output.metadata["http.status"], 200);
    assert_eq!(output.metadata["http.request"], format!("PUT {url}pet/a%2Fb?q=1&q=x%26y"));
    assert!(output.metadata["http.duration_ms"].is_u64());
    let kept = serde_json::to_string(&output.metadata).unwrap();
    assert!(!kept.contains("s3cret"), "{kept}");
}

#[tokio::test]
async fn nothing_leaves_where_an_argument_is_refused() {
    let count = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&count);
    let seen = move || {
        counter.fetch_add(1, Ordering::Relaxed);
        async { "seen" }
    };
    let url = serve(Router::new().fallback(any(seen))).await;
    let operation = with(operation("GET /pet/{id}"), [parameter(Place::Path, "id")]);
    for id in ["../../admin", "", "%2e%2e", "a\0"] {
        let refused = call(&url, operation.clone(), json!({"id": id}), Settings::new()).await.unwrap_err();
        assert!(matches!(refused, ToolError::InvalidArguments(_)), "{refused:?}");
    }
    assert_eq!(count.load(Ordering::Relaxed), 0);
    call(&url, operation, json!({"id": "1"}), Settings::new()).await.unwrap();
    assert_eq!(count.load(Ordering::Relaxed), 1);
}

/// The requests that the host was told of.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<Vec<String>>>);

impl Told {
    fn so_far(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

impl EventSink for Told {
    fn send(&self, event: ToolEvent) -> BoxFuture<'_, ()> {
        let ToolEvent::Sent(request) = event else { panic!("{event:?}") };
        self.0.lock().unwrap().push(request);
        Box::pin(std::future::ready(()))
    }
}

#[tokio::test]
async fn the_host_is_told_of_a_request_before_the_service_has_it() {
    let told = Told::default();
    let heard = told.clone();
    // The service answers with what the host knew when the request came.
    let service = move || async move { heard.so_far().join(", ") };
    let url = serve(Router::new().fallback(any(service))).await;
    let key = SecurityScheme::ApiKey { place: Place::Query, name: "key".to_owned() };
    let operation = with(operation("GET /pet/{id}"), [parameter(Place::Path, "id")]);
    let mut operation = secured(operation, &[&[("k", key)]]);
    let mut settings = Settings::new();
    settings.api_key = Some("s3cret".into());
    let cx = ToolContext::new().events(told.clone());

    let refused = call_in(&cx, &url, &mut operation, json!({"id": "../admin"}), settings.clone()).await;
    assert!(refused.is_err() && told.so_far().is_empty(), "nothing left: {:?}", told.so_far());

    let output = call_in(&cx, &url, &mut operation, json!({"id": 2}), settings).await.unwrap();
    assert_eq!(output.to_text(), format!("GET {url}pet/2?key=***"));
    assert_eq!(
        told.so_far(),
        [output.metadata["http.request"].as_str().unwrap()],
        "once, as in the metadata"
    );
}

#[tokio::test]
async fn who_only_asks_follows_to_another_origin_without_credentials() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let storage = move |headers: HeaderMap| {
        log.lock().unwrap().push(headers);
        async { "the file" }
    };
    let other = serve(Router::new().fallback(any(storage))).await;
    let location = format!("{other}file?signature=1");
    let redirect = move || async move { (StatusCode::FOUND, [("location", location)]) };
    let url = serve(Router::new().route("/s", any(redirect))).await;
    let mut settings = Settings::new();
    settings.bearer = Some("s3cret".into());
    settings.headers.push((HeaderName::from_static("x-own"), "s3cret-too".into()));

    let output = call(&url, operation("GET /s"), json!({}), settings.clone()).await.unwrap();
    assert_eq!(output.to_text(), "the file");
    let headers = seen.lock().unwrap().pop().unwrap();
    assert!(headers.get("authorization").is_none() && headers.get("x-own").is_none(), "{headers:?}");

    // What may change something goes nowhere else, and the model is not told where that would be.
    let error = call(&url, operation("DELETE /s"), json!({}), settings).await.unwrap_err();
    assert!(seen.lock().unwrap().is_empty());
    let ToolError::Upstream(upstream) = &error else { panic!("{error:?}") };
    assert_eq!(upstream.status, Some(302));
    let text = error.for_model();
    assert!(
        text.starts_with("HTTP 302 Found: the service redirects to another server, which is not"),
        "{text}"
    );
    let origin = other.as_str().trim_end_matches('/');
    assert!(chain(&error).contains(&format!(", redirected to {origin}")), "{}", chain(&error));
    assert!(!format!("{error:?}").contains("s3cret"));
}

#[tokio::test]
async fn a_redirect_into_the_hosts_network_is_not_followed_and_not_named() {
    let inner = serve(Router::new().fallback(any(async || "metadata"))).await;
    // A name, which could lead anywhere.
    let location = format!("http://localhost:{}/latest", inner.port().unwrap());
    let redirect = move || async move { (StatusCode::FOUND, [("location", location)]) };
    let url = serve(Router::new().route("/s", get(redirect))).await;
    let error = call(&url, operation("GET /s"), json!({}), Settings::new()).await.unwrap_err();
    let text = error.for_model();
    assert!(
        text.contains("redirected to an address that is not public") && !text.contains("localhost"),
        "{text}"
    );
    assert!(chain(&error).contains("redirected to http://localhost:"), "{}", chain(&error));
}

#[tokio::test]
async fn a_server_that_hangs() {
    let url = serve(Router::new().route("/s", get(std::future::pending::<()>))).await;
    let mut settings = Settings::new();
    settings.timeout = Some(Duration::from_millis(50));
    let error = call(&url, operation("GET /s"), json!({}), settings).await.unwrap_err();
    assert!(matches!(error, ToolError::Upstream(_)), "{error:?}");
    let text = error.for_model();
    assert!(text.contains(url.authority()) && text.contains("gave no") && text.contains("within"), "{text}");
    assert!(chain(&error).contains(&format!("the request was GET {url}s")), "{}", chain(&error));

    // The host's own deadline is the host's own error.
    let cx = ToolContext::new().deadline(Instant::now() + Duration::from_millis(50));
    let error = call_in(&cx, &url, &mut operation("GET /s"), json!({}), Settings::new()).await.unwrap_err();
    assert!(matches!(error, ToolError::TimedOut(after) if after < Duration::from_secs(10)), "{error:?}");
}

#[tokio::test]
async fn a_server_that_sends_too_much() {
    let body = || async {
        let part = Bytes::from_static(&[b' '; 1024 * 1024]);
        let parts = std::iter::repeat_n(part, 100).map(Ok::<_, std::io::Error>);
        ([("content-type", "application/json")], Body::from_stream(futures_util::stream::iter(parts)))
    };
    let url = serve(Router::new().route("/s", get(body))).await;
    let error = call(&url, operation("GET /s"), json!({}), Settings::new()).await.unwrap_err();
    assert!(matches!(error, ToolError::Upstream(_)), "{error:?}");
    assert!(error.for_model().ends_with("is larger than the limit of 10485760 bytes"), "{error}");

    let mut settings = Settings::new();
    settings.body_limit = Some(5);
    let url = serve(Router::new().route("/s", get(async || "123456"))).await;
    let error = call(&url, operation("GET /s"), json!({}), settings).await.unwrap_err();
    assert!(error.for_model().ends_with("limit of 5 bytes"), "{error}");
}

#[test]
fn the_client_of_the_settings_has_their_limits() {
    let mut settings = Settings::new();
    settings.timeout = Some(Duration::from_secs(300));
    settings.body_limit = Some(7);
    let client = settings.client();
    assert_eq!((client.options().timeout, client.options().body_limit), (settings.timeout, 7));
    // Five minutes for an answer are five minutes of silence before it.
    assert_eq!(client.options().idle_timeout, settings.timeout);
}

#[tokio::test]
async fn nobody_listens() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url: Url = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
    drop(listener);
    let key = SecurityScheme::ApiKey { place: Place::Query, name: "key".to_owned() };
    let operation = secured(operation("GET /s"), &[&[("k", key)]]);
    let mut settings = Settings::new();
    settings.api_key = Some("s3cret".into());
    let error = call(&url, operation, json!({}), settings).await.unwrap_err();
    assert_eq!(error.for_model(), format!("cannot connect to http://{}", url.authority()));
    let chain = chain(&error);
    assert!(chain.contains("s?key=***") && chain.contains("refused"), "{chain}");
    assert!(!format!("{error:?}{chain}").contains("s3cret"), "{error:?}");
}

#[tokio::test]
async fn the_operators_server_is_not_named_to_the_model() {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let silent: Url = format!("http://{}", free.local_addr().unwrap()).parse().unwrap();
    drop(free);
    let answering = serve(
        Router::new()
            .route("/s", get(|| async { ([("content-type", "application/zip")], "PK") }))
            .route("/large", get(|| async { "x".repeat(100) }))
            .fallback(|headers: axum::http::HeaderMap| async move {
                let host = headers["host"].to_str().unwrap();
                (axum::http::StatusCode::CREATED, [("location", format!("http://{host}/made/7?a=1"))])
            }),
    )
    .await;
    let ask = async |server: &Url, line: &str| {
        let mut settings = Settings::new();
        settings.server = Some(server.clone());
        settings.body_limit = Some(50);
        call(&"http://api.example.com".parse().unwrap(), operation(line), json!({}), settings).await
    };
    let error = ask(&silent, "GET /s").await.unwrap_err();
    assert_eq!(error.for_model(), "cannot connect to the service");
    assert!(chain(&error).contains(silent.authority()), "{}", chain(&error));
    let error = ask(&answering, "GET /large").await.unwrap_err();
    assert_eq!(error.for_model(), "the answer of the service is larger than the limit of 50 bytes");
    let output = ask(&answering, "GET /s").await.unwrap();
    let [opentool_core::Content::BlobResource { uri, .. }] = &output.content[..] else {
        panic!("{output:?}")
    };
    assert_eq!(uri, "result:/s");
    assert_eq!(ask(&answering, "GET /made").await.unwrap().to_text(), "Done. Location: /made/7?a=1");
}

#[tokio::test]
async fn a_call_that_is_dropped_closes_its_connection() {
    /// Tells when the server's side of the call is dropped.
    struct Gone(Option<tokio::sync::oneshot::Sender<()>>);
    impl Drop for Gone {
        fn drop(&mut self) {
            let _ = self.0.take().unwrap().send(());
        }
    }
    let (started, has_started) = tokio::sync::oneshot::channel();
    let (gone, is_gone) = tokio::sync::oneshot::channel();
    let once = Arc::new(std::sync::Mutex::new(Some((started, Gone(Some(gone))))));
    let hang = move || {
        let (started, gone) = once.lock().unwrap().take().unwrap();
        async move {
            let _guard = gone;
            started.send(()).unwrap();
            std::future::pending::<()>().await;
        }
    };
    let url = serve(Router::new().route("/s", get(hang))).await;
    let calling =
        tokio::spawn(async move { call(&url, operation("GET /s"), json!({}), Settings::new()).await });
    has_started.await.unwrap();
    calling.abort();
    is_gone.await.unwrap();
}
