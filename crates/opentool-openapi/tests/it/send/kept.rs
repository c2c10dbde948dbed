//! Credentials that are kept elsewhere, and client certificates.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::any;
use opentool_core::{ToolError, ToolOutput};
use opentool_http::Url;
use opentool_openapi::plan::{Operation, Place, SecurityScheme};
use opentool_openapi::{Credential, Identity, OpenApiError, SecretSource, Settings};
use serde_json::json;

use super::exchange::{call, chain, serve};
use super::plans::{operation, secured};

const KEY: &str = "X-Key";

/// A service that takes these keys and refuses others with 401, and the keys that it was sent.
async fn service(takes: &'static [&'static str]) -> (Url, Arc<Mutex<Vec<String>>>) {
    let seen = Arc::<Mutex<Vec<String>>>::default();
    let kept = Arc::clone(&seen);
    let answer = move |headers: HeaderMap| async move {
        let sent = [KEY, "authorization"].iter().find_map(|name| headers.get(*name));
        let sent = sent.map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default();
        let status = if takes.contains(&sent.as_str()) { StatusCode::OK } else { StatusCode::UNAUTHORIZED };
        kept.lock().unwrap().push(sent);
        (status, "said")
    };
    (serve(Router::new().fallback(any(answer))).await, seen)
}

fn keyed() -> Operation {
    let key = SecurityScheme::ApiKey { place: Place::Header, name: KEY.to_owned() };
    secured(operation("GET /s"), &[&[("k", key)]])
}

fn with_key(credential: Credential) -> Settings {
    let mut settings = Settings::new();
    settings.credentials.insert("k".to_owned(), credential);
    settings
}

/// A command that runs these lines.
fn script(lines: &str) -> SecretSource {
    SecretSource::command("sh", ["-c", lines])
}

/// A command that notes each run in a file and prints the number of it.
fn counting(folder: &Path) -> String {
    let log = folder.join("runs");
    format!("echo run >> '{0}'; echo key-$(grep -c run '{0}')", log.display())
}

async fn ask(url: &Url, settings: &Settings) -> Result<ToolOutput, ToolError> {
    call(url, keyed(), json!({}), settings.clone()).await
}

fn take(seen: &Mutex<Vec<String>>) -> Vec<String> {
    std::mem::take(&mut *seen.lock().unwrap())
}

#[tokio::test]
async fn a_file_is_read_when_a_call_needs_it() {
    let (url, seen) = service(&["first-key", "second-key"]).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("key");
    let settings = with_key(Credential::file(&file));
    let missing = ask(&url, &settings).await.unwrap_err();
    assert!(chain(&missing).contains("No such file"), "{}", chain(&missing));
    std::fs::write(&file, "first-key\r\n").unwrap();
    ask(&url, &settings).await.unwrap();
    // It is not read for every call.
    std::fs::write(&file, "second-key").unwrap();
    ask(&url, &settings).await.unwrap();
    assert_eq!(take(&seen), ["first-key", "first-key"]);
    let settings = with_key(Credential::Kept(SecretSource::file(&file).lifetime(Duration::ZERO)));
    ask(&url, &settings).await.unwrap();
    std::fs::write(&file, "first-key").unwrap();
    ask(&url, &settings).await.unwrap();
    assert_eq!(take(&seen), ["second-key", "first-key"]);
}

#[tokio::test]
async fn a_secret_that_is_refused_is_read_once_more() {
    let folder = tempfile::tempdir().unwrap();
    let (url, seen) = service(&["key-2"]).await;
    let settings = with_key(Credential::Kept(script(&counting(folder.path()))));
    ask(&url, &settings).await.unwrap();
    ask(&url, &settings).await.unwrap();
    assert_eq!(take(&seen), ["key-1", "key-2", "key-2"]);

    let (url, seen) = service(&[]).await;
    let error = ask(&url, &settings).await.unwrap_err();
    assert_eq!(error.for_model(), "HTTP 401 Unauthorized: said");
    assert_eq!(take(&seen), ["key-2", "key-3"], "once, and not for ever");
}

#[tokio::test]
async fn many_calls_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let (url, seen) = service(&["key-1"]).await;
    let settings = with_key(Credential::Kept(script(&counting(folder.path()))));
    let calls = (0..20).map(|_| ask(&url, &settings));
    assert!(futures_util::future::join_all(calls).await.iter().all(Result::is_ok));
    assert_eq!(take(&seen), vec!["key-1"; 20]);
}

#[tokio::test]
async fn a_command_says_how_long_its_token_lives() {
    let folder = tempfile::tempdir().unwrap();
    let print = |seconds: u32| {
        let log = folder.path().join("runs");
        script(&format!(
            "echo run >> '{0}'; echo '{{\"access_token\": \"key-'$(grep -c run '{0}')'\", \"expires_in\": {seconds}}}'",
            log.display()
        ))
    };
    let (url, seen) = service(&["key-1", "key-2", "key-3"]).await;
    let over = with_key(Credential::Kept(print(0)));
    ask(&url, &over).await.unwrap();
    ask(&url, &over).await.unwrap();
    let lives = with_key(Credential::Kept(print(3600).lifetime(Duration::ZERO)));
    ask(&url, &lives).await.unwrap();
    ask(&url, &lives).await.unwrap();
    assert_eq!(take(&seen), ["key-1", "key-2", "key-3", "key-3"]);
}

#[tokio::test]
async fn no_shell_reads_the_words_of_a_command() {
    let (url, _) = service(&["$HOME;`id`|x"]).await;
    let settings = with_key(Credential::command("printf", ["%s\n", "$HOME;`id`|x"]));
    ask(&url, &settings).await.unwrap();
}

#[tokio::test]
async fn a_command_that_fails_tells_the_operator_and_no_secret() {
    let (url, seen) = service(&[]).await;
    let lines = "echo s3cret-part; printf 'log in\\033[31m first: s3cret-part' >&2; exit 3";
    let error = ask(&url, &with_key(Credential::Kept(script(lines)))).await.unwrap_err();
    assert_eq!(
        error.for_model(),
        "nothing was sent: the credential for the scheme `k` cannot be read where it is kept; its operator has the \
         details"
    );
    let told = chain(&error);
    assert!(
        told.contains("the command `sh` cannot be used: it failed (exit status: 3): log in [31m first: ***"),
        "{told}"
    );
    assert!(!format!("{told}{error:?}").contains("s3cret"), "{told} {error:?}");
    let cause = std::error::Error::source(&error).unwrap().downcast_ref();
    assert!(matches!(cause, Some(OpenApiError::Credential { .. })), "{error:?}");
    assert!(take(&seen).is_empty());
}

#[tokio::test]
async fn what_is_no_credential_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty");
    std::fs::write(&empty, "\n").unwrap();
    let large = folder.path().join("large");
    std::fs::write(&large, "x".repeat(70_000)).unwrap();
    let bytes = folder.path().join("bytes");
    std::fs::write(&bytes, b"\xff\xfe").unwrap();
    for (source, expected) in [
        (SecretSource::file(&empty), "it is empty"),
        (SecretSource::file(&large), "larger than 64 KiB"),
        (SecretSource::file(&bytes), "it is no UTF-8 text"),
        (SecretSource::file(folder.path()), "it is not a regular file"),
        (SecretSource::environment("OPENTOOL_TEST_THAT_NOBODY_SETS"), "it is not set"),
        (SecretSource::command("yes", ["s3cret"]), "prints more than 64 KiB"),
        (SecretSource::command("opentool-no-such-program", [""; 0]), "it cannot be started"),
        (script("true"), "it is empty"),
        (script("cat"), "it is empty"),
        (script("echo '{\"error\": \"s3cret\"}'"), "a JSON object without a token"),
        (
            SecretSource::command("sleep", ["600"]).timeout(Duration::from_millis(20)),
            "did not end within 20 ms",
        ),
    ] {
        let error = source.read().await.unwrap_err();
        let text = format!("{error} {error:?}");
        assert!(text.contains(expected) && !text.contains("s3cret"), "{source:?}: {text}");
    }
}

#[tokio::test]
async fn general_credentials_can_be_kept_elsewhere_too() {
    let name = std::env::var("CARGO_PKG_NAME").unwrap();
    let own = || Some(SecretSource::environment("CARGO_PKG_NAME"));
    let (url, seen) = service(&[]).await;
    let send = async |operation: Operation, settings: &Settings| {
        let _ = call(&url, operation, json!({}), settings.clone()).await;
    };
    let mut settings = Settings::new();
    (settings.bearer_from, settings.api_key_from) = (own(), own());
    settings.basic_from = Some(script("echo user:pass:word"));
    send(operation("GET /s"), &settings).await;
    send(keyed(), &settings).await;
    send(secured(operation("GET /s"), &[&[("b", SecurityScheme::Basic)]]), &settings).await;
    send(secured(operation("GET /s"), &[&[("t", SecurityScheme::Bearer)]]), &settings).await;
    settings.bearer_from = None;
    send(operation("GET /s"), &settings).await;
    // What the host says itself goes first.
    settings.bearer = Some("own".into());
    settings.bearer_from = own();
    send(operation("GET /s"), &settings).await;
    let mut seen = take(&seen);
    // Each refusal is followed by one more try, except where nothing was read.
    seen.dedup();
    let basic = "Basic dXNlcjpwYXNzOndvcmQ=".to_owned();
    let bearer = format!("Bearer {name}");
    assert_eq!(seen, [&bearer, &name, &basic, &bearer, &basic, "Bearer own"]);
}

#[test]
fn nothing_is_read_to_show_a_request() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("mark");
    let touch = SecretSource::command("touch", [&mark]);
    assert_eq!(format!("{touch:?}"), "SecretSource(the command `touch`)");
    let settings = with_key(Credential::Kept(touch));
    let request = opentool_openapi::request::build(&keyed(), &super::plans::arguments(json!({})), &settings);
    assert!(request.unwrap().to_curl().contains("'X-Key: ***'"));
    assert!(!mark.exists());
}

/// A certificate of its own making, with its key.
fn identity() -> Identity {
    let made = rcgen::generate_simple_self_signed(["client.test".to_owned()]).unwrap();
    Identity::from_pem(made.cert.pem(), made.signing_key.serialize_pem()).unwrap()
}

#[test]
fn a_client_certificate_satisfies_mutual_tls() {
    let both = secured(
        operation("GET /s"),
        &[&[("tls", SecurityScheme::MutualTls), ("token", SecurityScheme::Bearer)]],
    );
    let mut settings = Settings::new();
    settings.bearer = Some("s3cret".into());
    let build = |operation: &Operation, settings: &Settings| {
        opentool_openapi::request::build(operation, &super::plans::arguments(json!({})), settings)
    };
    let error = build(&both, &settings).unwrap_err().for_model();
    assert!(error.ends_with("not set: a client certificate for the scheme `tls`"), "{error}");
    settings.credentials.insert("tls".to_owned(), Credential::Certificate(identity()));
    let request = build(&both, &settings).unwrap();
    assert!(request.to_http().unwrap().identity.is_some());
    assert!(request.to_curl().contains("--cert '***'"), "{}", request.to_curl());
    assert!(!format!("{settings:?}{request:?}").contains("s3cret"));

    // No other scheme takes a certificate, and this one takes nothing else.
    let keyed = build(&keyed(), &with_key(Credential::Certificate(identity())));
    assert!(keyed.is_err());
    settings.credentials.insert("tls".to_owned(), Credential::text("s3cret"));
    assert!(build(&both, &settings).is_err());

    // A general one goes along wherever it can be seen.
    let mut settings = Settings::new();
    settings.identity = Some(identity());
    let tls = secured(operation("GET /s"), &[&[("tls", SecurityScheme::MutualTls)]]);
    for operation in [&tls, &operation("GET /s")] {
        assert!(build(operation, &settings).unwrap().to_http().unwrap().identity.is_some());
    }
    let plain = |mut operation: Operation| {
        operation.servers = [super::plans::server("http://api.test")].into();
        build(&operation, &settings)
    };
    assert!(plain(operation("GET /s")).unwrap().to_http().unwrap().identity.is_none());
    let error = plain(tls).unwrap_err().for_model();
    assert!(error.contains("is shown over https only, and its server is http://api.test"), "{error}");
}
