//! Services that repeat the secrets they were sent: nobody reads them.

use axum::Router;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::IntoResponse as _;
use axum::routing::{any, get};
use opentool_core::{Content, ToolError, ToolOutput};
use opentool_openapi::plan::{Operation, Place, SecurityScheme};
use opentool_openapi::request::{Credential, MissingCredentials, Settings};
use serde_json::json;

use super::exchange::{call, chain, serve};
use super::plans::{operation, secured};

const TOKEN: &str = "tok-en/42\"é&+=";

fn key(place: Place, name: &str) -> SecurityScheme {
    SecurityScheme::ApiKey { place, name: name.to_owned() }
}

fn with_bearer(token: &str) -> Settings {
    let mut settings = Settings::new();
    settings.bearer = Some(token.into());
    settings
}

/// All that a program, a model or an operator gets.
fn all(result: &Result<ToolOutput, ToolError>) -> String {
    match result {
        Ok(output) => {
            let metadata = serde_json::to_string(&output.metadata).unwrap();
            let structured = serde_json::to_string(&output.structured).unwrap();
            format!("{output:?}\n{}\n{structured}\n{metadata}", output.to_text())
        }
        Err(error) => format!("{error:?}\n{}\n{}", error.for_model(), chain(error)),
    }
}

async fn answered(
    status: u16,
    mime: &'static str,
    body: impl Into<Vec<u8>>,
    settings: Settings,
) -> Result<ToolOutput, ToolError> {
    let body = body.into();
    let status = StatusCode::from_u16(status).unwrap();
    let respond = move || async move { (status, [("content-type", mime)], body).into_response() };
    let url = serve(Router::new().route("/s", get(respond))).await;
    call(&url, operation("GET /s"), json!({}), settings).await
}

/// Every kind of credential in every place.
fn everything() -> (Operation, Settings) {
    let places = [
        ("h", key(Place::Header, "X-Key")),
        ("q", key(Place::Query, "key")),
        ("c", key(Place::Cookie, "sid")),
        ("b", SecurityScheme::Basic),
    ];
    let mut settings = Settings::new();
    settings.basic = Some(("operator".to_owned(), "pass:word".into()));
    settings.credentials.insert("h".to_owned(), Credential::text("in-a-header"));
    settings.credentials.insert("q".to_owned(), Credential::text("in a/query&é"));
    settings.credentials.insert("c".to_owned(), Credential::text("in-a-cookie"));
    (secured(operation("GET /s"), &[&places]), settings)
}

#[tokio::test]
async fn what_an_echo_repeats_is_covered() {
    for (status, mime) in
        [(401, "application/json"), (500, "text/plain"), (200, "application/json"), (200, "text/plain")]
    {
        let echo = move |uri: Uri, headers: HeaderMap| async move {
            let header = |name: &str| headers[name].to_str().unwrap().to_owned();
            let body = json!({
                "message": format!("no access with {}", header("x-key")),
                "url": uri.to_string(),
                "query": "in a/query&é",
                "headers": [header("cookie"), header("authorization")],
                "decoded": {"operator:pass:word": "pass:word", "user": "operator", "kept": 1.50},
            });
            (StatusCode::from_u16(status).unwrap(), [("content-type", mime)], body.to_string())
        };
        let url = serve(Router::new().fallback(any(echo))).await;
        let (operation, settings) = everything();
        let result = call(&url, operation, json!({}), settings).await;
        let seen = all(&result);
        for secret in ["in-a-", "in a", "in%20a", "pass:word", "b3BlcmF0b3I6cGFzczp3b3Jk"] {
            assert!(!seen.contains(secret), "{status} {mime}: {secret} in {seen}");
        }
        assert!(seen.contains("Basic ***") && seen.contains("sid=***") && seen.contains("1.5"), "{seen}");
        if let Ok(Some(value)) = result.map(|output| output.structured) {
            assert_eq!(value["url"], "/s?key=***");
            assert_eq!(value["decoded"], json!({"***": "***", "user": "operator", "kept": 1.5}));
        }
    }
}

#[tokio::test]
async fn a_secret_is_found_however_it_is_written() {
    let ways = [
        TOKEN,
        "tok-en%2F42%22%C3%A9%26%2B%3D",
        "tok-en/42%22%c3%a9&+=",
        r#"tok-en\/42\"\u00e9&+="#,
        r#"\u0074ok-en/42\"é\u0026+="#,
        "tok-en/42&quot;é&amp;+=",
        "tok-en&#x2F;42&#34;&#233;&amp;+=",
    ];
    for way in ways {
        let text = format!("<{way}>, <{way}>");
        let output = answered(200, "text/plain", text, with_bearer(TOKEN)).await.unwrap();
        assert_eq!(output.to_text(), "<***>, <***>", "{way}");
        let json = json!({ way: [format!("\\{way}\n")], "n": 1 });
        let output = answered(200, "application/json", json.to_string(), with_bearer(TOKEN)).await.unwrap();
        assert_eq!(output.structured.unwrap(), json!({"***": ["\\***\n"], "n": 1}), "{way}");
    }
    let escaped = "[ \"\\\\u0074 \\u0074ok-en\\/42\\\"\\u00e9&+=\", 12e1 ]";
    let output = answered(200, "application/json", escaped, with_bearer(TOKEN)).await.unwrap();
    assert_eq!(output.to_text(), r#"[ "\\u0074 ***", 12e1 ]"#);
    // One with quotes does not take those of JSON with it.
    let quoted = r#"["s3cret-x","\"s3cret-x\""]"#;
    let output = answered(200, "application/json", quoted, with_bearer("\"s3cret-x\"")).await.unwrap();
    assert_eq!(output.structured.unwrap(), json!(["s3cret-x", "***"]));
    // A number, and bytes that are no text.
    let output =
        answered(200, "application/json", "[1234567,12345678]", with_bearer("1234567")).await.unwrap();
    assert_eq!(output.to_text(), r#"["***",12345678]"#);
    let bytes = b"\xff\x00s3cret-x\xff".to_vec();
    let output = answered(200, "application/octet-stream", bytes, with_bearer("s3cret-x")).await.unwrap();
    let Content::BlobResource { data, .. } = &output.content[0] else { panic!("{output:?}") };
    assert_eq!(&data[..], b"\xff\x00********\xff");
}

#[tokio::test]
async fn headers_that_are_passed_on_are_covered() {
    let respond = || async { (StatusCode::CREATED, [("location", "/new?key=s3cret-x")]) };
    let url = serve(Router::new().route("/s", get(respond))).await;
    let output = call(&url, operation("GET /s"), json!({}), with_bearer("s3cret-x")).await.unwrap();
    assert_eq!(output.to_text(), "Done. Location: /new?key=***");
    let respond =
        || async { (StatusCode::FOUND, [("location", "https://s3cret-x.evil.localhost/?key=s3cret-x")]) };
    let url = serve(Router::new().route("/s", any(respond))).await;
    for method in ["GET", "PUT"] {
        let result = call(&url, operation(&format!("{method} /s")), json!({}), with_bearer("s3cret-x")).await;
        assert!(result.is_err() && !all(&result).contains("s3cret"), "{}", all(&result));
        assert!(all(&result).contains("redirected to https://***.evil.localhost"), "{}", all(&result));
    }
}

#[tokio::test]
async fn a_short_secret_is_covered_in_messages_and_left_in_data() {
    let said = r#"{"detail":"key abc12 is bad"}"#;
    let error = answered(403, "application/json", said, with_bearer("abc12")).await.unwrap_err();
    assert_eq!(error.for_model(), "HTTP 403 Forbidden: key *** is bad");
    let output = answered(200, "application/json", said, with_bearer("abc12")).await.unwrap();
    assert_eq!(output.to_text(), said);
    let error = answered(200, "application/json", "{abc12", with_bearer("abc12")).await.unwrap_err();
    assert!(error.for_model().ends_with("It begins: {***"), "{error}");
}

#[tokio::test]
async fn a_user_without_a_password_is_the_secret() {
    let mut settings = Settings::new();
    settings.basic = Some(("sk_live_1".to_owned(), "".into()));
    let output = answered(200, "text/plain", "sk_live_1, c2tfbGl2ZV8xOg==", settings).await.unwrap();
    assert_eq!(output.to_text(), "***, ***");
}

#[tokio::test]
async fn an_empty_credential_is_none() {
    let refused = |operation: Operation, settings: Settings| async move {
        let url = serve(Router::new().fallback(any(async || "seen"))).await;
        call(&url, operation, json!({}), settings)
            .await
            .map(|output| output.to_text())
            .map_err(|e| e.for_model())
    };
    let plain = || operation("GET /s");
    let error = refused(plain(), with_bearer("")).await.unwrap_err();
    assert!(error.contains("the bearer token is set, but empty"), "{error}");
    let declared = secured(plain(), &[&[("token", SecurityScheme::Bearer)]]);
    let error = refused(declared.clone(), with_bearer(" ")).await.unwrap_err();
    assert!(
        error.contains("a bearer token for the scheme `token`") && error.contains("but empty"),
        "{error}"
    );
    let keyed = secured(plain(), &[&[("k", key(Place::Header, "X"))]]);
    let mut settings = Settings::new();
    settings.credentials.insert("k".to_owned(), Credential::api_key(""));
    let error = refused(keyed, settings).await.unwrap_err();
    assert!(error.contains("an API key for the scheme `k`") && error.contains("but empty"), "{error}");
    let mut settings = with_bearer("");
    settings.missing_credentials = MissingCredentials::SendWithout;
    assert_eq!(refused(plain(), settings.clone()).await.unwrap(), "seen");
    assert_eq!(refused(declared, settings).await.unwrap(), "seen");
}

#[tokio::test]
async fn a_redirect_to_an_address_without_an_origin_names_its_scheme() {
    let respond = || async { (StatusCode::FOUND, [("location", "file:///etc/passwd")]) };
    let url = serve(Router::new().route("/s", get(respond))).await;
    let error = call(&url, operation("GET /s"), json!({}), Settings::new()).await.unwrap_err();
    let text = error.for_model();
    assert!(text.contains("redirects to an address of the scheme `file`, which is not followed"), "{text}");
}
