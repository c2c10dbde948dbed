//! Tokens that are fetched: from where, how often, and that nobody sees the secrets.

use std::sync::{Arc, Mutex};

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{get, post};
use axum::{Json, Router};
use futures_util::future::join_all;
use opentool_core::{Arguments, Tool, ToolContext, ToolError, ToolOutput};
use opentool_http::Url;
use opentool_openapi::{Address, Api, ClientAuthentication, Credential, OAuth, SecretSource};
use serde_json::{Value, json};

use super::exchange::{chain, serve};

const SECRET: &str = "cl13nt-s3cret:&";

/// What the token endpoint is told, and what it answers.
#[derive(Clone, Default)]
struct Provider {
    asked: Arc<Mutex<Vec<(String, String)>>>,
    answer: Arc<Mutex<Option<(u16, Value)>>>,
    /// The tokens that the API refuses.
    refused: Arc<Mutex<Vec<String>>>,
}

impl Provider {
    fn asked(&self) -> Vec<(String, String)> {
        self.asked.lock().unwrap().clone()
    }

    fn answers(&self, status: u16, body: Value) {
        *self.answer.lock().unwrap() = Some((status, body));
    }

    fn refuses(&self, token: &str) {
        self.refused.lock().unwrap().push(format!("Bearer {token}"));
    }

    /// Serves the endpoint, the discovery and the API.
    async fn serve(&self) -> Url {
        async fn token(
            State(provider): State<Provider>,
            headers: HeaderMap,
            body: String,
        ) -> (StatusCode, Json<Value>) {
            let who = headers.get("authorization").map_or("", |value| value.to_str().unwrap());
            let mut asked = provider.asked.lock().unwrap();
            asked.push((who.to_owned(), body));
            let usual = json!({"access_token": format!("tok-{}", asked.len()), "token_type": "Bearer", "expires_in": 3600});
            let (status, body) = provider.answer.lock().unwrap().clone().unwrap_or((200, usual));
            (StatusCode::from_u16(status).unwrap(), Json(body))
        }
        async fn api(State(provider): State<Provider>, headers: HeaderMap) -> (StatusCode, String) {
            let token = headers["authorization"].to_str().unwrap().to_owned();
            match provider.refused.lock().unwrap().contains(&token) {
                true => (StatusCode::UNAUTHORIZED, "no".to_owned()),
                false => (StatusCode::OK, token.replace("tok-", "number ")),
            }
        }
        async fn configuration(headers: HeaderMap) -> Json<Value> {
            let host = headers["host"].to_str().unwrap();
            Json(json!({"issuer": format!("http://{host}"), "token_endpoint": format!("http://{host}/token"),
                        "token_endpoint_auth_methods_supported": ["client_secret_post"]}))
        }
        let router = Router::new()
            .route("/token", post(token))
            .route("/.well-known/openid-configuration", get(configuration))
            .fallback(api)
            .with_state(self.clone());
        serve(router).await
    }
}

fn document(url: &Url, token_url: &str) -> String {
    json!({
        "openapi": "3.1.0",
        "servers": [{"url": url.as_str()}],
        "components": {"securitySchemes": {
            "robot": {"type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": token_url, "scopes": {}}}},
            "person": {"type": "oauth2", "flows": {"authorizationCode":
                {"authorizationUrl": "/a", "tokenUrl": "https://nowhere.test/", "refreshUrl": token_url, "scopes": {}}}},
            "oidc": {"type": "openIdConnect", "openIdConnectUrl": url.join(".well-known/openid-configuration").unwrap().as_str()},
            "key": {"type": "apiKey", "in": "query", "name": "key"},
        }},
        "paths": {
            "/read": {"get": {"operationId": "read", "security": [{"robot": ["r"]}]}},
            "/write": {"post": {"operationId": "write", "security": [{"robot": ["w", "r"]}]}},
            "/person": {"get": {"operationId": "person", "security": [{"person": ["r"]}]}},
            "/oidc": {"get": {"operationId": "oidc", "security": [{"oidc": ["r"]}]}},
            "/both": {"get": {"operationId": "both", "security": [{}, {"key": []}, {"robot": ["r"]}]}},
        },
    })
    .to_string()
}

fn api_at(url: &Url, token_url: &str) -> Api {
    opentool_openapi::parse(document(url, token_url), Address::Named("api.json".to_owned())).unwrap()
}

fn api(url: &Url) -> Api {
    api_at(url, url.join("token").unwrap().as_str())
}

fn robot() -> OAuth {
    OAuth::client_credentials("me:1", SECRET)
}

fn tool(api: &Api, name: &str) -> Arc<dyn Tool> {
    Arc::clone(api.tools().unwrap().get(name).unwrap())
}

async fn call(api: &Api, name: &str) -> Result<ToolOutput, ToolError> {
    tool(api, name).call(&ToolContext::new(), Arguments::new()).await
}

async fn text(api: &Api, name: &str) -> String {
    call(api, name).await.unwrap().to_text()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_calls_fetch_one_token() {
    let provider = Provider::default();
    let api = api(&provider.serve().await).credential("robot", Credential::OAuth(robot()));
    let read = tool(&api, "read");
    let cx = ToolContext::new();
    let outputs = join_all((0..100).map(|_| read.call(&cx, Arguments::new()))).await;
    // What the service repeats of the token is covered.
    assert!(outputs.into_iter().all(|output| output.unwrap().to_text() == "Bearer number 1"));
    // `me:1` and the secret are written as in a form, each for itself.
    let who = "Basic bWUlM0ExOmNsMTNudC1zM2NyZXQlM0ElMjY=";
    let asked = |scope: &str| (who.to_owned(), format!("grant_type=client_credentials&scope={scope}"));
    assert_eq!(provider.asked(), [asked("r")]);

    // Other scopes, another token; tools that are made anew keep both.
    assert_eq!(text(&api, "write").await, "Bearer number 2");
    assert_eq!(text(&api.clone(), "read").await, "Bearer number 1");
    assert_eq!(provider.asked(), [asked("r"), asked("r+w")]);
}

#[tokio::test]
async fn a_refused_token_is_renewed_once() {
    let provider = Provider::default();
    let api = api(&provider.serve().await).credential("robot", Credential::OAuth(robot()));
    provider.refuses("tok-1");
    assert_eq!(text(&api, "write").await, "Bearer number 2");
    assert_eq!(provider.asked().len(), 2);
    provider.refuses("tok-2");
    provider.refuses("tok-3");
    let error = call(&api, "write").await.unwrap_err();
    assert!(error.for_model().starts_with("HTTP 401"), "{error}");
    assert_eq!(provider.asked().len(), 3);
    // A token that the host gave cannot be renewed.
    let given = api.credential("robot", Credential::bearer("tok-1"));
    assert!(call(&given, "write").await.is_err());
    assert_eq!(provider.asked().len(), 3);
}

#[tokio::test]
async fn a_token_is_renewed_before_it_expires() {
    let provider = Provider::default();
    let api = api(&provider.serve().await).credential("robot", Credential::OAuth(robot()));
    provider.answers(200, json!({"access_token": "short", "expires_in": "0"}));
    text(&api, "read").await;
    provider.answers(200, json!({"access_token": "longer", "expires_in": 30.5}));
    text(&api, "read").await;
    text(&api, "read").await;
    assert_eq!(provider.asked().len(), 2);
    // Nothing is said: it is used until it is refused.
    provider.refuses("longer");
    provider.answers(200, json!({"access_token": "for ever", "token_type": "bearer"}));
    text(&api, "read").await;
    text(&api, "read").await;
    assert_eq!(provider.asked().len(), 3);
}

#[tokio::test]
async fn a_refresh_token_is_exchanged_and_replaced() {
    let provider = Provider::default();
    let person = OAuth::refresh_token("app", "refr3sh-one");
    let api = api(&provider.serve().await).credential("person", Credential::OAuth(person));
    provider.answers(200, json!({"access_token": "a1", "expires_in": 0, "refresh_token": "refr3sh-two"}));
    text(&api, "person").await;
    text(&api, "person").await;
    let bodies: Vec<String> = provider.asked().into_iter().map(|(who, body)| who + &body).collect();
    assert_eq!(
        bodies,
        [
            "grant_type=refresh_token&refresh_token=refr3sh-one&client_id=app",
            "grant_type=refresh_token&refresh_token=refr3sh-two&client_id=app",
        ]
    );
}

#[tokio::test]
async fn a_refresh_token_that_died_is_looked_for_where_the_first_was_kept() {
    let provider = Provider::default();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("refresh");
    std::fs::write(&path, "refr3sh-one").unwrap();
    let person = OAuth::refresh_token_from("app", SecretSource::file(&path));
    let api = api(&provider.serve().await).credential("person", Credential::OAuth(person));
    provider.answers(200, json!({"access_token": "a1", "expires_in": 0, "refresh_token": "refr3sh-two"}));
    text(&api, "person").await;
    // What is refused for another reason stays.
    provider.answers(400, json!({"error": "invalid_scope"}));
    assert!(call(&api, "person").await.is_err());
    std::fs::write(&path, "refr3sh-new").unwrap();
    provider.answers(400, json!({"error": "invalid_grant"}));
    assert!(call(&api, "person").await.is_err());
    let shown: Vec<String> = provider.asked().into_iter().map(|(_, body)| body).collect();
    let expected = ["one", "two", "two", "new"]
        .map(|name| format!("grant_type=refresh_token&refresh_token=refr3sh-{name}&client_id=app"));
    assert_eq!(shown, expected);
}

#[tokio::test]
async fn discovery_names_the_endpoint_and_how_it_is_asked() {
    let provider = Provider::default();
    let url = provider.serve().await;
    let oidc = |oauth: OAuth| api(&url).credential("oidc", Credential::OAuth(oauth));
    assert_eq!(
        text(&oidc(robot().scopes(["openid"]).parameter("audience", "x y")), "oidc").await,
        "Bearer number 1"
    );
    let body = "grant_type=client_credentials&scope=openid&audience=x+y&client_id=me%3A1&client_secret=cl13nt-s3cret%3A%26";
    assert_eq!(provider.asked(), [(String::new(), body.to_owned())]);
    // The host knows better.
    text(&oidc(robot().authentication(ClientAuthentication::Basic)), "oidc").await;
    assert!(provider.asked()[1].0.starts_with("Basic "));
    assert!(!provider.asked()[1].1.contains("s3cret"));
}

#[tokio::test]
async fn secrets_go_nowhere_but_to_the_endpoint() {
    let provider = Provider::default();
    let url = provider.serve().await;
    let with = |api: Api| api.credential("robot", Credential::OAuth(robot()));

    let shown = format!("{:?}", robot());
    assert!(!shown.contains("s3cret"), "{shown}");
    let dry = with(api(&url)).request("read", &Arguments::new()).unwrap();
    assert_eq!(dry.to_json()["headers"]["Authorization"], "Bearer ***");
    assert!(provider.asked().is_empty(), "a dry run asks nobody");

    // An endpoint that repeats what it was told.
    provider
        .answers(400, json!({"error": "invalid_client", "error_description": format!("wrong: {SECRET}")}));
    let error = call(&with(api(&url)), "read").await.unwrap_err();
    let text = chain(&error);
    assert!(text.contains("HTTP 400: invalid_client: wrong: ***") && text.contains("`robot`"), "{text}");
    assert!(!text.contains("s3cret"), "{text}");

    // Or who it was told: all of the header.
    let header = "Basic bWUlM0ExOmNsMTNudC1zM2NyZXQlM0ElMjY=";
    for repeated in [header, header.trim_end_matches('=')] {
        provider.answers(401, json!({"error": "invalid_client", "error_description": repeated}));
        let text = chain(&call(&with(api(&url)), "read").await.unwrap_err());
        assert!(text.contains("invalid_client: Basic ***") && !text.contains("bWUlM0Ex"), "{text}");
    }
    *provider.asked.lock().unwrap() = vec![Default::default()];

    // Not over plain http to another machine, and not to an address that the document of a stranger may not name.
    let error = call(&with(api_at(&url, "http://login.example.com/token")), "read").await.unwrap_err();
    assert!(error.for_model().contains("over https"), "{error}");
    let stranger: Url = "https://docs.example.com/openapi.json".parse().unwrap();
    let text = document(&url, url.join("token").unwrap().as_str());
    let fetched = with(opentool_openapi::parse(text, Address::Url(stranger)).unwrap());
    let error = call(&fetched, "read").await.unwrap_err();
    assert!(error.for_model().contains("loopback"), "{error}");
    assert_eq!(provider.asked().len(), 1);

    for (body, expected) in [
        (json!({}), "no `access_token`"),
        (json!({"access_token": "t", "token_type": "DPoP"}), "only bearer tokens"),
        (json!({"access_token": "t\r\nX: 1"}), "control character"),
        (json!({"access_token": "a".repeat(100_000)}), "more than 64 KiB"),
    ] {
        provider.answers(200, body);
        let error = call(&with(api(&url)), "read").await.unwrap_err();
        assert!(error.for_model().contains(expected), "{error}");
    }
}

#[tokio::test]
async fn a_redirect_does_not_take_the_secret_along() {
    let provider = Provider::default();
    let other = provider.serve().await;
    let target = other.join("token").unwrap().to_string();
    let away = move || {
        let target = target.clone();
        async move { (StatusCode::TEMPORARY_REDIRECT, [("location", target)]) }
    };
    let url = serve(Router::new().route("/token", post(away))).await;
    let error = call(&api(&url).credential("robot", Credential::OAuth(robot())), "read").await.unwrap_err();
    assert!(error.for_model().contains("HTTP 307"), "{error}");
    assert!(provider.asked().is_empty());
}

#[tokio::test]
async fn no_token_is_fetched_that_is_not_sent() {
    let provider = Provider::default();
    let url = provider.serve().await;
    let both = api(&url)
        .credential("robot", Credential::OAuth(robot()))
        .credential("key", Credential::api_key("k1234567"));
    // The first alternative that can be satisfied is the key; the service wants a header, and has none.
    assert!(call(&both, "both").await.is_err());
    assert!(provider.asked().is_empty());
    let robot_only = api(&url).credential("robot", Credential::OAuth(robot()));
    assert_eq!(text(&robot_only, "both").await, "Bearer number 1");
    // Empty is a variable that was not set.
    let empty = api(&url).credential("robot", Credential::OAuth(OAuth::client_credentials("me", "")));
    assert!(call(&empty, "read").await.unwrap_err().for_model().contains("set, but empty"));
    assert_eq!(provider.asked().len(), 1);
}

#[tokio::test]
async fn secrets_of_a_client_are_read_where_they_are_kept() {
    let provider = Provider::default();
    let url = provider.serve().await;
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        SecretSource::file(path)
    };
    let kept = OAuth::client_credentials_from("me", file("secret", "first\n"));
    let api_of = |oauth: OAuth, scheme: &str| api(&url).credential(scheme, Credential::OAuth(oauth));
    let robot = api_of(kept, "robot");
    // A dry run reads nothing.
    robot.request("read", &Arguments::new()).unwrap();
    assert_eq!(text(&robot, "read").await, "Bearer number 1");
    assert_eq!(provider.asked()[0].0, "Basic bWU6Zmlyc3Q=");

    // One that was replaced is found when the old one is refused, and only then is the endpoint asked again.
    provider.answers(401, json!({"error": "invalid_client"}));
    std::fs::write(folder.path().join("secret"), "second").unwrap();
    assert!(call(&robot, "write").await.is_err());
    let who: Vec<String> = provider.asked().into_iter().map(|(who, _)| who).collect();
    assert_eq!(who[1..], ["Basic bWU6Zmlyc3Q=", "Basic bWU6c2Vjb25k"]);
    assert!(call(&robot, "write").await.is_err());
    assert_eq!(provider.asked().len(), 4, "nothing has changed, so there is no second try");

    provider.answers(200, json!({"access_token": "a1"}));
    let refresh = OAuth::refresh_token_from("app", file("refresh", "refr3sh"))
        .client_secret_from(file("client", "s3cret"));
    text(&api_of(refresh, "person"), "person").await;
    let (who, body) = provider.asked().pop().unwrap();
    assert_eq!(
        (who.as_str(), body.as_str()),
        ("Basic YXBwOnMzY3JldA==", "grant_type=refresh_token&refresh_token=refr3sh")
    );

    let gone = SecretSource::file(folder.path().join("gone"));
    let error = call(&api_of(OAuth::client_credentials_from("me", gone), "robot"), "read").await.unwrap_err();
    assert!(
        error.for_model().contains("the secret of the client for the scheme `robot` cannot be read"),
        "{error}"
    );
    assert!(!error.for_model().contains("gone") && chain(&error).contains("gone"), "{}", chain(&error));
    assert_eq!(provider.asked().len(), 5);
}

/// What a discovery says is said by a stranger, also where the operator's own document names it.
#[tokio::test]
async fn a_discovered_endpoint_is_not_in_the_network_of_the_host() {
    let discovery = async || Json(json!({"token_endpoint": "https://10.11.12.13/token"}));
    let url = serve(Router::new().route("/.well-known/openid-configuration", get(discovery))).await;
    let error = call(&api(&url).credential("oidc", Credential::OAuth(robot())), "oidc").await.unwrap_err();
    assert!(error.for_model().contains("leads to a private address"), "{error}");
}
