//! Credentials: which are sent, where, and that nobody sees them.

use opentool_core::ToolError;
use opentool_openapi::plan::{Operation, Place, SecurityScheme};
use opentool_openapi::request::{Credential, MissingCredentials, Request, Settings, build};
use serde_json::{Value, json};

use super::plans::{arguments, operation, parameter, secured, with};

const SECRET: &str = "s3cr t&/é";

fn key(place: Place, name: &str) -> SecurityScheme {
    SecurityScheme::ApiKey { place, name: name.to_owned() }
}

fn oauth() -> SecurityScheme {
    SecurityScheme::OAuth2 { flows: Value::Null, named_by: None }
}

fn with_credential(name: &str, credential: Credential) -> Settings {
    let mut settings = Settings::new();
    settings.credentials.insert(name.to_owned(), credential);
    settings
}

fn send(operation: &Operation, settings: &Settings) -> Result<Request, ToolError> {
    build(operation, &arguments(json!({})), settings)
}

/// What is sent besides `Accept`: the address and the headers.
fn sent(operation: &Operation, settings: &Settings) -> (String, Value) {
    let mut sent = send(operation, settings).unwrap().to_json_with_secrets();
    let headers = sent["headers"].as_object_mut().unwrap();
    headers.remove("Accept");
    (sent["url"].as_str().unwrap().to_owned(), sent["headers"].clone())
}

#[test]
fn every_scheme_has_its_place() {
    let get = || operation("GET /s");
    let plain = "https://api.test/s";
    let encoded = "https://api.test/s?key=s3cr%20t%26%2F%C3%A9";
    let basic = "Basic dGVzdDoxMjPCow==";
    for (scheme, credential, url, headers) in [
        (key(Place::Header, "X-Key"), Credential::api_key("k"), plain, json!({"X-Key": "k"})),
        (key(Place::Query, "key"), Credential::api_key(SECRET), encoded, json!({})),
        (key(Place::Cookie, "sid"), Credential::text("k"), plain, json!({"Cookie": "sid=k"})),
        (SecurityScheme::Bearer, Credential::bearer("t"), plain, json!({"Authorization": "Bearer t"})),
        (oauth(), Credential::text("t"), plain, json!({"Authorization": "Bearer t"})),
        (SecurityScheme::Basic, Credential::basic("test", "123£"), plain, json!({"Authorization": basic})),
        (SecurityScheme::Basic, Credential::text("test:123£"), plain, json!({"Authorization": basic})),
    ] {
        let operation = secured(get(), &[&[("s", scheme)]]);
        let settings = with_credential("s", credential);
        assert_eq!(sent(&operation, &settings), (url.to_owned(), headers));
    }
}

#[test]
fn two_schemes_for_one_place_are_refused_and_not_overwritten() {
    let both = [("b", SecurityScheme::Basic), ("t", SecurityScheme::Bearer)];
    let mut settings = with_credential("b", Credential::basic("me", "pw"));
    for name in ["t", "o"] {
        settings.credentials.insert(name.to_owned(), Credential::bearer("token"));
    }
    let error = send(&secured(operation("GET /s"), &[&both]), &settings).unwrap_err().to_string();
    assert!(
        error.contains("the schemes `b` and `t` together") && error.contains("header `Authorization`"),
        "{error}"
    );
    // Another alternative is taken, and one token may stand for two schemes.
    let alone = [("t", SecurityScheme::Bearer)];
    let (_, headers) = sent(&secured(operation("GET /s"), &[&both, &alone]), &settings);
    assert_eq!(headers, json!({"Authorization": "Bearer token"}));
    let twice = [("o", oauth()), ("t", SecurityScheme::Bearer)];
    let (_, headers) = sent(&secured(operation("GET /s"), &[&twice]), &settings);
    assert_eq!(headers, json!({"Authorization": "Bearer token"}));
}

#[test]
fn the_first_alternative_that_can_be_satisfied_is_used_whole() {
    let both = &[("a", key(Place::Header, "A")), ("b", key(Place::Query, "b"))][..];
    let token = &[("t", oauth())][..];
    let operation = secured(operation("GET /s"), &[both, token]);

    let mut settings = with_credential("a", Credential::api_key("1"));
    settings.bearer = Some("t".into());
    let expected = json!({"Authorization": "Bearer t"});
    assert_eq!(sent(&operation, &settings), ("https://api.test/s".to_owned(), expected));

    settings.credentials.insert("b".to_owned(), Credential::api_key("2"));
    assert_eq!(sent(&operation, &settings), ("https://api.test/s?b=2".to_owned(), json!({"A": "1"})));

    // One general key is one key: it does not stand for two.
    let mut general = Settings::new();
    general.api_key = Some("k".into());
    assert!(send(&secured(operation.clone(), &[both]), &general).is_err());
    let one = &[("a", key(Place::Header, "A"))][..];
    assert_eq!(sent(&secured(operation, &[one]), &general).1, json!({"A": "k"}));
}

#[test]
fn optional_credentials_are_sent_where_there_are_any() {
    let operation = secured(operation("GET /s"), &[&[], &[("b", SecurityScheme::Bearer)]]);
    let mut settings = Settings::new();
    assert_eq!(sent(&operation, &settings).1, json!({}));
    settings.bearer = Some("t".into());
    assert_eq!(sent(&operation, &settings).1, json!({"Authorization": "Bearer t"}));
    // An operation that says that it needs none gets none.
    assert_eq!(sent(&secured(operation, &[&[]]), &settings).1, json!({}));
}

#[test]
fn without_a_word_in_the_document_the_token_goes_where_tokens_go() {
    let operation = operation("GET /s");
    let mut settings = Settings::new();
    settings.basic = Some(("u".to_owned(), "p".into()));
    assert_eq!(sent(&operation, &settings).1, json!({"Authorization": "Basic dTpw"}));
    settings.bearer = Some("t".into());
    assert_eq!(sent(&operation, &settings).1, json!({"Authorization": "Bearer t"}));
}

#[test]
fn missing_credentials_stop_the_call() {
    let alternatives: &[&[_]] = &[
        &[("petstore_auth", oauth())],
        &[("k", key(Place::Header, "X")), ("tls", SecurityScheme::MutualTls)],
    ];
    let operation = secured(operation("GET /s"), alternatives);
    let mut settings = with_credential("k", Credential::api_key(SECRET));
    let error = send(&operation, &settings).unwrap_err();
    assert_eq!(
        error.to_string(),
        "nothing was sent: the operation needs a credential that the operator has not set: \
         an OAuth 2 access token for the scheme `petstore_auth`, or \
         a client certificate for the scheme `tls`"
    );
    settings.missing_credentials = MissingCredentials::SendWithout;
    assert_eq!(sent(&operation, &settings).1, json!({}));
}

#[test]
fn arguments_cannot_replace_credentials() {
    let parameters = [
        parameter(Place::Header, "x-key"),
        parameter(Place::Query, "key"),
        parameter(Place::Cookie, "sid"),
        parameter(Place::Header, "cookie"),
    ];
    let schemes = [
        ("h", key(Place::Header, "X-Key")),
        ("q", key(Place::Query, "key")),
        ("c", key(Place::Cookie, "sid")),
    ];
    let operation = secured(with(operation("GET /s"), parameters), &[&schemes]);
    let mut settings = Settings::new();
    for name in ["h", "q", "c"] {
        settings.credentials.insert(name.to_owned(), Credential::text("mine"));
    }
    let given = json!({"x-key": "evil", "key": "evil", "sid": "evil", "cookie": "sid=evil"});
    let sent = build(&operation, &arguments(given), &settings).unwrap().to_json_with_secrets();
    assert!(!sent.to_string().contains("evil"), "{sent}");
    assert_eq!(sent["headers"]["Cookie"], "sid=mine");
}

#[test]
fn secrets_are_never_shown() {
    let places = [
        ("h", key(Place::Header, "X-Key")),
        ("q", key(Place::Query, "key")),
        ("c", key(Place::Cookie, "sid")),
        ("b", SecurityScheme::Bearer),
    ];
    let operation = secured(with(operation("GET /s"), [parameter(Place::Cookie, "mine")]), &[&places]);
    let mut settings = Settings::new();
    settings.bearer = Some("s3cret".into());
    settings.basic = Some(("user".to_owned(), "s3cret".into()));
    for name in ["h", "q", "c"] {
        settings.credentials.insert(name.to_owned(), Credential::text("s3cret"));
    }
    let request = build(&operation, &arguments(json!({"mine": 1})), &settings).unwrap();
    assert_eq!(
        request.to_json(),
        json!({
            "method": "GET",
            "url": "https://api.test/s?key=***",
            "headers": {
                "X-Key": "***",
                "Authorization": "Bearer ***",
                "Cookie": "mine=1; sid=***",
                "Accept": "application/json, */*;q=0.8",
            },
            "body": null,
            "body_kind": "none",
        })
    );
    let http = request.to_http().unwrap();
    assert_eq!(http.headers["x-key"], "s3cret");
    let shown = [
        format!("{request:?}"),
        format!("{:?}", request.headers()),
        request.to_curl(),
        request.summary(),
        request.url().to_owned(),
        format!("{settings:?}"),
        format!("{:?}", http.headers),
    ];
    for text in shown {
        assert!(!text.contains("s3cret"), "{text}");
    }

    // A secret that cannot be sent is not shown either.
    settings.bearer = Some("s3cret\n".into());
    let error = build(&operation, &arguments(json!({})), &settings).unwrap_err();
    assert!(error.to_string().contains("the credential for `Authorization` holds a line end"), "{error}");
    assert!(!format!("{error:?}").contains("s3cret"), "{error:?}");
}
