//! What is sent again and what is not, idempotency keys, and the addresses that a document may name.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{any, get};
use opentool_core::{Tool as _, ToolContext, ToolDefinition, ToolError, ToolOutput};
use opentool_http::{Addresses, Client, Url};
use opentool_openapi::execute::OperationTool;
use opentool_openapi::plan::{Operation, Place};
use opentool_openapi::{Retries, Settings};
use serde_json::{Value, json};

use super::exchange::{call, chain, serve};
use super::plans::{arguments, operation, parameter, server, with};

type Seen = Arc<Mutex<Vec<HeaderMap>>>;
type Answer = (u16, Option<String>);

/// A service that gives these answers one after the other, and then 200.
async fn failing(answers: &[Answer]) -> (Url, Seen) {
    async fn answer(
        State((answers, seen)): State<(Arc<[Answer]>, Seen)>,
        headers: HeaderMap,
    ) -> (StatusCode, HeaderMap, &'static str) {
        let mut seen = seen.lock().unwrap();
        let (status, after) = answers.get(seen.len()).cloned().unwrap_or((200, None));
        seen.push(headers);
        let after = after.map(|after| ("retry-after".parse().unwrap(), after.parse().unwrap()));
        (StatusCode::from_u16(status).unwrap(), after.into_iter().collect(), "said")
    }
    let seen = Seen::default();
    let state = (Arc::from(answers), Arc::clone(&seen));
    (serve(Router::new().fallback(any(answer)).with_state(state)).await, seen)
}

fn quick() -> Settings {
    let mut settings = Settings::new();
    settings.retries = Retries::default().first_wait(Duration::from_millis(2));
    settings
}

async fn outcome(
    line: &str,
    answers: &[Answer],
    settings: Settings,
) -> (Result<ToolOutput, ToolError>, Seen) {
    let (url, seen) = failing(answers).await;
    (call(&url, operation(line), json!({}), settings).await, seen)
}

fn count(seen: &Seen) -> usize {
    seen.lock().unwrap().len()
}

#[tokio::test]
async fn what_failed_for_the_moment_is_sent_again() {
    for status in [429, 502, 503, 504] {
        for line in ["GET /s", "PUT /s", "DELETE /s"] {
            let (output, seen) = outcome(line, &[(status, None), (status, None)], quick()).await;
            let output = output.unwrap();
            assert_eq!((output.to_text().as_str(), count(&seen)), ("said", 3), "{line} {status}");
            assert_eq!(output.metadata["http.attempts"], 3);
        }
    }
    let (output, seen) = outcome("GET /s", &[const { (503, None) }; 9], quick()).await;
    let error = output.unwrap_err();
    assert_eq!((error.for_model().as_str(), count(&seen)), ("HTTP 503 Service Unavailable: said", 3));
    assert!(chain(&error).contains("(sent 3 times)"), "{}", chain(&error));
}

#[tokio::test]
async fn what_may_have_taken_effect_is_not() {
    for line in ["POST /s", "PATCH /s"] {
        let (output, seen) = outcome(line, &[(503, None)], quick()).await;
        assert!(output.is_err() && count(&seen) == 1, "{line}");
    }
    // No status that says that the request is wrong.
    for status in [400, 401, 404, 409, 500, 501] {
        let (output, seen) = outcome("GET /s", &[(status, None)], quick()).await;
        assert!(output.is_err() && count(&seen) == 1, "{status}");
    }
    let mut settings = quick();
    settings.retries = Retries::none();
    assert_eq!(count(&outcome("GET /s", &[(503, None)], settings).await.1), 1);
    // A `GET` that writes says so itself.
    let (url, seen) = failing(&[(503, None)]).await;
    let mut writing = operation("GET /s");
    writing.marks.writes = true;
    assert!(call(&url, writing, json!({}), quick()).await.is_err() && count(&seen) == 1);
}

#[tokio::test]
async fn a_service_that_says_how_long_is_waited_for_if_there_is_time() {
    let begun = Instant::now();
    let (output, seen) = outcome("GET /s", &[(429, Some("1".to_owned()))], quick()).await;
    assert!(output.is_ok() && count(&seen) == 2);
    assert!(begun.elapsed() >= Duration::from_secs(1), "{:?}", begun.elapsed());

    let past = httpdate::fmt_http_date(SystemTime::UNIX_EPOCH);
    let (output, seen) = outcome("GET /s", &[(503, Some(past))], quick()).await;
    assert!(output.is_ok() && count(&seen) == 2);

    // Longer than the host waits, or than the call has: the answer is given at once.
    let begun = Instant::now();
    let date = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(600));
    for after in ["600", &date] {
        let (output, seen) = outcome("GET /s", &[(503, Some(after.to_owned()))], quick()).await;
        let error = output.unwrap_err().for_model();
        assert!(error.contains(&format!("retry after {after}")) && count(&seen) == 1, "{error}");
    }
    let mut settings = quick();
    settings.timeout = Some(Duration::from_secs(5));
    let (output, seen) = outcome("GET /s", &[(503, Some("20".to_owned()))], settings).await;
    assert!(output.is_err() && count(&seen) == 1);
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn a_declared_idempotency_key_makes_sending_again_safe() {
    let keyed = with(operation("POST /s"), [parameter(Place::Header, "Idempotency-Key")]);
    let (url, seen) = failing(&[(503, None)]).await;
    call(&url, keyed.clone(), json!({}), quick()).await.unwrap();
    call(&url, keyed.clone(), json!({"Idempotency-Key": "mine"}), quick()).await.unwrap();
    let keys: Vec<String> = seen
        .lock()
        .unwrap()
        .iter()
        .map(|headers| headers["idempotency-key"].to_str().unwrap().to_owned())
        .collect();
    let [first, again, mine] = keys.as_slice() else { panic!("{keys:?}") };
    assert_eq!(first, again);
    assert_eq!((first.len(), &first[14..15], mine.as_str()), (36, "4", "mine"));

    // Another call, another key; and none in a query.
    let (url, seen) = failing(&[]).await;
    call(&url, keyed, json!({}), quick()).await.unwrap();
    assert_ne!(seen.lock().unwrap()[0]["idempotency-key"], first.as_str());
    let elsewhere = with(operation("POST /s"), [parameter(Place::Query, "Idempotency-Key")]);
    let (url, seen) = failing(&[(503, None)]).await;
    assert!(call(&url, elsewhere, json!({}), quick()).await.is_err() && count(&seen) == 1);
}

#[test]
fn a_required_idempotency_key_is_not_asked_of_the_model() {
    let text = r#"{"openapi": "3.1.0", "servers": [{"url": "https://api.test"}], "paths": {"/o": {"post": {
        "operationId": "order", "parameters": [
            {"name": "Idempotency-Key", "in": "header", "required": true, "schema": {"type": "string"}},
            {"name": "n", "in": "query", "required": true, "schema": {"type": "integer"}}]}}}}"#;
    let api = opentool_openapi::parse(text, "shop.json").unwrap();
    let definition = api.definition(&api.operations()[0]);
    assert_eq!(definition.input_schema.as_value()["required"], json!(["n"]));
    let request = api.request("order", &arguments(json!({"n": 1}))).unwrap().to_json();
    assert_eq!(request["headers"]["Idempotency-Key"].as_str().unwrap().len(), 36);
}

/// The tool of an operation whose document was fetched from `document`.
async fn fetched(document: &str, url: &Url, settings: Settings) -> Result<ToolOutput, ToolError> {
    let mut operation: Operation = operation("GET /s");
    operation.servers = [server(url.as_str())].into();
    let definition = ToolDefinition::new("op", "An operation.");
    let tool = OperationTool::new(definition, Arc::new(operation), Arc::new(settings), Client::default())
        .fetched_from(Some(Arc::new(document.parse().unwrap())));
    tool.call(&ToolContext::new(), arguments(json!({}))).await
}

#[tokio::test]
async fn a_document_of_strangers_does_not_lead_into_the_own_network() {
    let (url, seen) = failing(&[]).await;
    let refused = fetched("https://docs.example.com/openapi.json", &url, quick()).await.unwrap_err();
    assert!(refused.for_model().contains("leads to a loopback address"), "{refused}");
    let by_name: Url = format!("http://localhost:{}", url.port().unwrap()).parse().unwrap();
    let refused = fetched("https://docs.example.com/openapi.json", &by_name, quick()).await.unwrap_err();
    assert!(refused.for_model().contains("leads to a loopback address"), "{refused}");
    assert_eq!(count(&seen), 0);

    // The operator decides otherwise: for all addresses, or by naming the server.
    let mut settings = quick();
    settings.addresses = Some(Addresses::Any);
    assert!(fetched("https://docs.example.com/openapi.json", &url, settings).await.is_ok());
    let mut settings = quick();
    settings.server = Some(url.clone());
    assert!(fetched("https://docs.example.com/openapi.json", &url, settings).await.is_ok());
    // A document from this machine names this machine.
    assert!(fetched("http://localhost:1/openapi.json", &url, quick()).await.is_ok());
    assert_eq!(count(&seen), 3);
    // And the operator can be stricter with documents of the own.
    let mut settings = quick();
    settings.addresses = Some(Addresses::Public);
    assert!(call(&url, operation("GET /s"), json!({}), settings).await.is_err());
    assert_eq!(count(&seen), 3);
}

#[tokio::test]
async fn the_address_of_a_document_decides_whom_it_may_name() {
    let (url, seen) = failing(&[]).await;
    let text = json!({"openapi": "3.2.0", "$self": url.as_str(), "servers": [{"url": url.as_str()}],
                      "paths": {"/s": {"get": {"operationId": "s"}}}});
    let call = async |address: opentool_openapi::Address| {
        let tools = opentool_openapi::parse(text.to_string(), address).unwrap().tools().unwrap();
        let tool = tools.get("s").unwrap().clone();
        tool.call(&ToolContext::new(), arguments(json!({}))).await
    };
    // What a document says of its own address is no proof.
    let stranger: Url = "https://docs.example.com/openapi.json".parse().unwrap();
    assert!(call(opentool_openapi::Address::Url(stranger)).await.is_err());
    assert_eq!(count(&seen), 0);
    assert!(call(opentool_openapi::Address::File("openapi.json".into())).await.is_ok());
    assert!(call(opentool_openapi::Address::Url(url.join("openapi.json").unwrap())).await.is_ok());
}

#[tokio::test]
async fn an_empty_connection_is_tried_again() {
    // The first connection is closed before a byte of an answer, the second is answered.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url: Url = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
    tokio::spawn(async move {
        drop(listener.accept().await.unwrap());
        axum::serve(listener, Router::new().fallback(get(|| async { "second" }))).await
    });
    let output = call(&url, operation("GET /s"), Value::Object(Default::default()), quick()).await.unwrap();
    assert_eq!(output.to_text(), "second");
}
