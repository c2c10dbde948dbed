//! Forms that ask for the operation's credential once more, and members that only look as if they did.

use opentool_openapi::{Api, Config, MissingCredentials};
use serde_json::{Value, json};

use super::wire::{Wire, call, document, given};

const OWN: &str = "hosts-own-secret";

/// An API that takes a bearer token, or a key of the query.
fn api(security: Value, path: &str, operation: Value) -> Api {
    document(&json!({"openapi": "3.0.3", "servers": [{"url": "https://a.test"}], "security": security,
        "components": {"securitySchemes": {"oa": {"type": "http", "scheme": "bearer"},
            "k": {"type": "apiKey", "in": "query", "name": "key"}}},
        "paths": {path: {"post": operation}}}))
    .bearer(OWN)
    .api_key(OWN)
}

fn bearer() -> Value {
    json!([{"oa": []}])
}

/// A schema of a form with these texts, all of them required.
fn fields(fields: Value) -> Value {
    let fields = fields.as_object().unwrap();
    let properties =
        fields.iter().map(|(name, about)| (name.clone(), json!({"type": "string", "description": about})));
    json!({"type": "object", "required": fields.keys().collect::<Vec<_>>(),
        "properties": properties.collect::<serde_json::Map<_, _>>()})
}

fn form(schema: &Value) -> Value {
    json!({"operationId": "s", "requestBody": {"required": true,
        "content": {"application/x-www-form-urlencoded": {"schema": schema}}}})
}

fn configured(api: Api, arguments: Value) -> Api {
    let config = json!({"operations": {"s": {"arguments": arguments}}});
    api.configure(&serde_json::from_value::<Config>(config).unwrap()).unwrap()
}

fn names(api: &Api) -> Vec<String> {
    let tools = api.tools().unwrap();
    let schema = &tools.find("s").unwrap().definition().input_schema;
    schema.properties().map(|(name, _)| name.to_owned()).collect()
}

fn sent(api: &Api, arguments: Value) -> String {
    let request = api.request("s", &given(arguments)).unwrap();
    let shown = format!("{request:?} {} {}", request.to_curl(), request.to_json());
    assert!(!shown.contains("hosts-own"), "{shown}");
    let open = request.to_json_with_secrets();
    format!(
        "{} {}",
        open["url"].as_str().unwrap(),
        open["body"].as_str().map_or(open["body"].to_string(), str::to_owned)
    )
}

#[test]
fn the_credential_of_a_form_is_covered_beside_secret_arguments() {
    let schema = fields(json!({"token": "Authentication token.", "text": "Words."}));
    let api =
        configured(api(bearer(), "/post", form(&schema)), json!({"text": {"value": "env:NOT_SET_ANYWHERE"}}));
    let request = api.request("s", &given(json!({}))).unwrap();
    assert_eq!(request.to_json()["body"], "text=***&token=***");
    let shown = format!("{request:?} {} {}", request.to_curl(), request.summary());
    assert!(!shown.contains(OWN), "{shown}");
}

/// The host's own token goes only where nothing else can be meant: sent as data it may be the one that is revoked.
#[test]
fn a_token_that_is_data_is_an_argument() {
    for (path, about, is_filled) in [
        ("/chat.postMessage", "Authentication token. Requires scope: `chat:write`", true),
        ("/chat.postMessage", "authentication token bearing required scopes.", true),
        ("/oauth/revoke", "Access token to revoke.", false),
        ("/oauth/revoke", "Authentication token.", false),
        ("/token/introspection", "Authentication token.", false),
        ("/tokens/verification", "Authentication token.", false),
        ("/OAuthRevokeToken", "Authentication token.", false),
        ("/oauth2/tokenCheck", "Authentication token.", false),
        ("/checktoken", "Authentication token.", false),
        ("/user/logOut", "Authentication token.", false),
        ("/token_info", "Authentication token.", false),
        ("/tokens.invalidate", "Authentication token.", false),
        // Words that only hold such a word.
        ("/admin.users.session.invalidate", "Authentication token.", true),
        ("/checkout", "Authentication token.", true),
        ("/checklists/items", "Authentication token.", true),
        ("/pages", "Access token of the page.", false),
        ("/pages", "The authentication token.", false),
    ] {
        let of_form = api(bearer(), path, form(&fields(json!({"token": about}))));
        let query = json!({"operationId": "s", "parameters": [
            {"name": "token", "in": "query", "required": true, "description": about, "schema": {"type": "string"}}]});
        let of_query = api(bearer(), path, query);
        let expected: &[&str] = if is_filled { &[] } else { &["token"] };
        assert_eq!(names(&of_form), expected, "{path} {about}");
        assert_eq!(names(&of_query), expected, "{path} {about}");
        if !is_filled {
            assert_eq!(sent(&of_form, json!({"token": "mine"})), format!("https://a.test{path} token=mine"));
            assert!(sent(&of_query, json!({"token": "mine"})).contains("?token=mine"));
        }
    }
    // What RFC 6750 sends in a query is what is asked about here.
    let query = json!({"operationId": "s", "parameters": [
        {"name": "access_token", "in": "query", "required": true, "schema": {"type": "string"}}]});
    assert_eq!(names(&api(bearer(), "/oauth/introspect", query.clone())), ["access_token"]);
    assert_eq!(names(&api(bearer(), "/me", query)), [""; 0]);
    // Without a scheme there is nothing that could be said once more.
    let unsecured = api(json!([]), "/post", form(&fields(json!({"token": "Authentication token."}))));
    assert_eq!(names(&unsecured), ["token"]);
    // A token is no key.
    let either = api(json!([{"oa": []}, {"k": []}]), "/post", form(&fields(json!({"key": "A key."}))));
    assert_eq!(names(&either), ["key"]);
    assert_eq!(sent(&either, json!({"key": "mine"})), "https://a.test/post key=mine");
}

#[test]
fn what_the_host_configures_counts_before_its_credential() {
    let about = json!({"token": "Authentication token."});
    let of_form = || api(bearer(), "/post", form(&fields(about.clone())));
    let of_query = || {
        let query = json!({"operationId": "s", "parameters": [
            {"name": "token", "in": "query", "required": true, "description": "Authentication token.",
                "schema": {"type": "string"}}]});
        api(bearer(), "/post", query)
    };
    for (api, expected) in
        [(of_form(), "https://a.test/post token=own"), (of_query(), "https://a.test/post?token=own null")]
    {
        let own = configured(api.clone(), json!({"token": {"value": "own"}}));
        assert_eq!(names(&own), [""; 0]);
        assert_eq!(sent(&own, json!({})), expected);
        let shown = configured(api, json!({"token": {"hide": false}}));
        assert_eq!(names(&shown), ["token"]);
        assert_eq!(sent(&shown, json!({"token": "own"})), expected);
    }
    let hidden = configured(of_form(), json!({"token": {"hide": true}}));
    assert_eq!(sent(&hidden, json!({})), "https://a.test/post ");
}

/// However the body stands among the arguments.
#[test]
fn models_neither_see_nor_set_the_credential_of_a_form() {
    let key = json!([{"k": []}]);
    let schema = fields(json!({"key": "A key.", "text": "Words."}));
    let mut optional = form(&schema);
    optional["requestBody"]["required"] = json!(false);
    let whole = api(key.clone(), "/post", optional);
    let tools = whole.tools().unwrap();
    let input = tools.find("s").unwrap().definition().input_schema.as_value().clone();
    assert_eq!(input.pointer("/properties/body/required"), Some(&json!(["text"])), "{input}");
    assert_eq!(input.pointer("/properties/body/properties/key"), None, "{input}");
    let body = sent(&whole, json!({"body": {"text": "a", "key": "made"}}));
    assert!(!body.contains("made") && body.contains("key=hosts-own-secret"), "{body}");
    // A body that is left out stays out.
    assert_eq!(sent(&whole, json!({})), "https://a.test/post?key=hosts-own-secret null");

    let schema = fields(json!({"token": "Authentication token.", "text": "Words."}));
    let both = json!({"operationId": "s", "requestBody": {"required": true, "content": {
        "multipart/form-data": {"schema": schema}, "application/json": {"schema": schema}}}});
    let both = api(bearer(), "/post", both);
    assert_eq!(names(&both), ["text"]);
    let body = sent(&both, json!({"text": "a", "token": "made"}));
    assert_eq!(body, r#"https://a.test/post {"text":"a","token":"hosts-own-secret"}"#);
    // A body of JSON alone is nobody's form.
    let json_alone = json!({"operationId": "s", "requestBody": {"required": true, "content": {"application/json": {"schema": schema}}}});
    assert_eq!(names(&api(bearer(), "/post", json_alone)), ["token", "text"]);
    // Who has no credential asks the model for it.
    let without = whole.with(Default::default()).missing_credentials(MissingCredentials::SendWithout);
    assert!(sent(&without, json!({"body": {"text": "a", "key": "made"}})).contains("key=made"));
}

/// What a service repeats of a form.
#[tokio::test]
async fn a_service_that_repeats_a_form_gives_no_credential_away() {
    let said = format!("no {OWN}");
    let answer = format!(
        "HTTP/1.1 400 Bad\r\ncontent-type: text/plain\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{said}",
        said.len()
    );
    let wire = Wire::answering(answer.into_bytes()).await;
    let schema = fields(json!({"token": "Authentication token.", "text": "Words."}));
    let api = api(bearer(), "/post", form(&schema)).server(&wire.url);
    let error = call(&api, json!({"text": "a"})).await.unwrap_err();
    assert_eq!(error.for_model(), "HTTP 400 Bad Request: no ***");
}
