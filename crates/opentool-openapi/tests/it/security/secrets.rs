//! A credential is on the wire, and nowhere else.

use std::fmt::{Debug, Write as _};
use std::sync::{Mutex, OnceLock};

use opentool_core::ToolError;
use opentool_openapi::{Api, Credential, OAuth, SecretSource};
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use super::wire::{Wire, call, document, given};

/// In every credential of these tests, in each way in which it may be written.
const SECRETS: [&str; 4] = ["s3cret", "czNjcmV0", "s3%63ret", "3cre"];

fn assert_hidden(text: &str) {
    for secret in SECRETS {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
}

/// An API that asks for a credential in every place.
fn api(wire: &Wire) -> Api {
    let api = document(&json!({"openapi": "3.1.0", "paths": {"/s": {"get": {"operationId": "s",
        "security": [{"header": [], "query": [], "cookie": [], "basic": []}]}}}, "components": {"securitySchemes": {
        "header": {"type": "apiKey", "in": "header", "name": "X-Key"},
        "query": {"type": "apiKey", "in": "query", "name": "key"},
        "cookie": {"type": "apiKey", "in": "cookie", "name": "sid"},
        "basic": {"type": "http", "scheme": "basic"}}}}));
    let api = api.server(&wire.url).basic("operator", "s3cret-password");
    let api = api.credential("header", Credential::text("s3cret-header"));
    let api = api.credential("query", Credential::text("s3cret-query"));
    api.credential("cookie", Credential::text("s3cret-cookie"))
}

/// An API as before, of a service that repeats every secret it was sent.
async fn echoing(status: &str) -> (Wire, Api) {
    let said = r#"{"message": "s3cret-header, s3cret-query; s3cret-cookie: s3cret-password operator:s3cret-password"}"#;
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\nlocation: /?key=s3cret-query\r\ncontent-length: {}\r\n\
         connection: close\r\n\r\n{said}",
        said.len()
    );
    let wire = Wire::answering(answer.into_bytes()).await;
    let api = api(&wire);
    (wire, api)
}

fn all(error: &ToolError) -> String {
    let mut text = format!("{error:?}\n{error}\n{}", error.for_model());
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let _ = write!(text, "\n{error}\n{error:?}");
        cause = error.source();
    }
    text
}

#[tokio::test]
async fn a_credential_in_an_error() {
    for status in ["400 Bad Request", "401 Unauthorized", "302 Found", "500 Internal Server Error"] {
        let (wire, api) = echoing(status).await;
        let error = call(&api, json!({})).await.unwrap_err();
        let heads = wire.heads();
        assert!(!heads.is_empty() && heads.iter().all(|head| head.contains("s3cret-cookie")));
        assert_hidden(&all(&error));
    }
    // Nobody answers, and answers that are none.
    let (wire, api) = echoing("no status").await;
    let nobody = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    assert_hidden(&all(&call(&api, json!({})).await.unwrap_err()));
    assert_hidden(&all(&call(&api.server(format!("http://{nobody}")), json!({})).await.unwrap_err()));
    // Credentials that cannot be sent.
    let broken = self::api(&wire).credential("header", Credential::text("s3cret\r\nX-Evil: 1"));
    assert_hidden(&all(&call(&broken, json!({})).await.unwrap_err()));
    let printed = SecretSource::command("sh", ["-c", "echo s3cret-out; echo s3cret-out >&2; exit 1"]);
    let failing = self::api(&wire).credential("header", Credential::Kept(printed));
    assert_hidden(&all(&call(&failing, json!({})).await.unwrap_err()));
    let nowhere =
        OAuth::client_credentials("me", "s3cret").token_url(format!("http://{nobody}").parse().unwrap());
    let failing = document(&json!({"openapi": "3.1.0", "paths": {"/s": {"get": {"security": [{"o": []}]}}},
        "components": {"securitySchemes": {"o": {"type": "oauth2", "flows": {}}}}}));
    let failing = failing.server(&wire.url).credential("o", Credential::OAuth(nowhere));
    assert_hidden(&all(&call(&failing, json!({})).await.unwrap_err()));
}

/// All that any library of this process logs or traces.
static LOGGED: Mutex<String> = Mutex::new(String::new());

struct Everything;

impl Everything {
    fn listen() {
        static ONCE: OnceLock<()> = OnceLock::new();
        ONCE.get_or_init(|| {
            tracing::subscriber::set_global_default(Self).unwrap();
            log::set_logger(&Self).unwrap();
            log::set_max_level(log::LevelFilter::Trace);
        });
    }

    fn note(text: std::fmt::Arguments<'_>) {
        let mut logged = LOGGED.lock().unwrap();
        let _ = writeln!(logged, "{text}");
    }
}

struct Fields;

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        Everything::note(format_args!("{field}={value:?}"));
    }
}

impl Subscriber for Everything {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        Self::note(format_args!("span {}", span.metadata().name()));
        span.record(&mut Fields);
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut Fields);
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut Fields);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

impl log::Log for Everything {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        Self::note(format_args!("{} {}", record.target(), record.args()));
    }

    fn flush(&self) {}
}

/// What was noted between two marks of a test; other tests of this process may be in it.
async fn noted(work: impl Future<Output = ()>) -> String {
    Everything::listen();
    let begin = LOGGED.lock().unwrap().len();
    work.await;
    LOGGED.lock().unwrap()[begin..].to_owned()
}

/// No line of what was noted has a secret of these tests.
fn assert_none(noted: &str) {
    let leak = |line: &&str| line.contains("s3cret-") || line.contains("czNjcmV0");
    assert_eq!(noted.lines().find(leak), None);
}

#[tokio::test]
async fn a_credential_in_a_log() {
    let logged = noted(async {
        let (_wire, api) = echoing("200 OK").await;
        let output = call(&api, json!({})).await.unwrap();
        log::debug!("{output:?} {:?}", output.metadata);
        let (_wire, api) = echoing("403 Forbidden").await;
        log::debug!("{:?}", call(&api, json!({})).await);
        let request = api.request("s", &given(json!({}))).unwrap();
        log::debug!("{request:?} {:?} {:?}", request.headers(), request.to_http().unwrap());
    })
    .await;
    // The client's own lines are among them.
    assert!(logged.contains("connect") && logged.contains("X-Key"), "{logged}");
    assert_none(&logged);
}

#[tokio::test]
async fn a_credential_in_a_span() {
    let traced = noted(async {
        let (_wire, api) = echoing("200 OK").await;
        let oauth = OAuth::refresh_token("me", "s3cret-token").client_secret("s3cret-client");
        let api =
            api.credential("o", Credential::OAuth(oauth)).bearer("s3cret-bearer").api_key("s3cret-general");
        let (settings, tools) = (api.settings(), api.tools().unwrap());
        let span = tracing::trace_span!("call", ?settings, ?api, ?tools, request = tracing::field::Empty);
        let request = api.request("s", &given(json!({}))).unwrap();
        span.record("request", tracing::field::debug(&request));
        tracing::trace!(parent: &span, http = ?request.to_http().unwrap(), "sent");
        call(&api, json!({})).await.unwrap();
    })
    .await;
    assert!(
        traced.contains("span call") && traced.contains("settings=") && traced.contains("http="),
        "{traced}"
    );
    assert_none(&traced);
}

#[tokio::test]
async fn a_credential_in_a_dry_run() {
    let wire = Wire::open().await;
    let request = api(&wire).request("s", &given(json!({}))).unwrap();
    let (json, curl) = (request.to_json().to_string(), request.to_curl());
    assert_hidden(&format!("{json}\n{curl}\n{}\n{}\n{request:?}", request.url(), request.summary()));
    assert!(json.contains("***") && curl.contains("X-Key: ***") && curl.contains("key=***"), "{curl}");
    assert_eq!(wire.heads(), [""; 0]);
    // It is in what is sent.
    call(&api(&wire), json!({})).await.unwrap();
    let head = wire.head();
    for secret in ["s3cret-header", "key=s3cret-query", "sid=s3cret-cookie", "Basic b3BlcmF0b3I6czNjcmV0"] {
        assert!(head.contains(secret), "{secret} in {head}");
    }
}

/// A secret in another charset is the same secret.
#[tokio::test]
async fn a_secret_in_an_answer_that_is_not_utf_8() {
    let said = r#"{"you sent": "s3cret-query", "ü": 1}"#;
    let marked = format!("\u{feff}{said}");
    let wide =
        |text: &str, bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
    let long = |text: &str| text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect::<Vec<u8>>();
    let latin: Vec<u8> = said.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    for (media_type, body) in [
        ("application/json; charset=utf-16", wide(&marked, u16::to_le_bytes)),
        ("application/json; charset=\"UTF-16LE\"", wide(said, u16::to_le_bytes)),
        ("application/json", wide(said, u16::to_be_bytes)),
        ("application/json; charset=utf-16be", wide(said, u16::to_be_bytes)),
        ("application/json; charset=utf-32", long(said)),
        ("application/json; charset=iso-8859-1", latin),
        ("application/json; charset=utf-16", said.into()),
    ] {
        for status in ["200 OK", "400 Bad Request"] {
            let head =
                format!("HTTP/1.1 {status}\r\ncontent-type: {media_type}\r\nconnection: close\r\n\r\n");
            let wire = Wire::answering([head.into_bytes(), body.clone()].concat()).await;
            let text = match call(&api(&wire), json!({})).await {
                Ok(output) => output.to_text(),
                Err(error) => error.for_model(),
            };
            assert!(
                text.contains(r#""you sent":"#) && text.contains("***") && text.contains('ü'),
                "{media_type}: {text}"
            );
            assert_hidden(&text);
        }
    }
}

/// Many services take a refresh token once: whoever gave it has to know that there is another.
#[tokio::test]
async fn a_refresh_token_that_was_replaced() {
    let new = r#"{"access_token": "a", "expires_in": 0, "refresh_token": "s3cret-new"}"#;
    let answer =
        format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{new}", new.len());
    let wire = Wire::answering(answer.into_bytes()).await;
    let api =
        document(&json!({"openapi": "3.1.0", "paths": {"/s": {"get": {"security": [{"rotating": []}]}}},
        "components": {"securitySchemes": {"rotating": {"type": "oauth2", "flows": {}}}}}));
    let api = api.server(&wire.url);
    let person = |token: &str| OAuth::refresh_token("me", token).token_url(wire.url.clone());
    let told = async |oauth: OAuth| {
        let api = api.clone().credential("rotating", Credential::OAuth(oauth));
        let logged = noted(async {
            call(&api, json!({})).await.unwrap();
            call(&api, json!({})).await.unwrap();
        });
        let logged = logged.await;
        assert_none(&logged);
        logged.matches("replaced the refresh token of the scheme `rotating`").count()
    };
    assert_eq!(told(person("s3cret-old")).await, 1);
    assert_eq!(told(person("s3cret-new")).await, 0, "it sent the same one");
    let kept = std::sync::Arc::<Mutex<Vec<String>>>::default();
    let keep = std::sync::Arc::clone(&kept);
    let keeping = person("s3cret-old").on_rotation(move |token| {
        keep.lock().unwrap().push(secrecy::ExposeSecret::expose_secret(token).to_owned());
    });
    assert_eq!(told(keeping).await, 0);
    assert_eq!(*kept.lock().unwrap(), ["s3cret-new"]);
}

#[test]
fn short_headers_that_are_named_like_a_secret() {
    let mut settings = opentool_openapi::Settings::new();
    for (name, value) in
        [("x-api-key", "12345"), ("authorization", "Bearer abc"), ("x-token", "123456"), ("x-tenant", "a")]
    {
        settings.headers.push((name.parse().unwrap(), value.into()));
    }
    let uncovered: Vec<&str> = settings.uncovered_headers().map(|name| name.as_str()).collect();
    assert_eq!(uncovered, ["x-api-key", "authorization"]);
}
