//! Which redirects are followed, and what goes along.

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::routing::any;
use opentool_http::{Client, HttpError, Redirects, Request, Url};
use secrecy::SecretString;

use crate::server::serve;

/// Sends everything to `target`, with the status in the path.
async fn redirecting_to(target: &str) -> Url {
    async fn redirect(
        State(target): State<String>,
        axum::extract::Path(status): axum::extract::Path<u16>,
    ) -> (StatusCode, [(header::HeaderName, String); 1]) {
        (StatusCode::from_u16(status).unwrap(), [(header::LOCATION, target)])
    }
    let router = Router::new()
        .route("/to/{status}", any(redirect))
        .route("/end", any(seen))
        .with_state(target.to_owned());
    serve(router).await
}

/// Tells what arrived.
async fn seen(method: Method, headers: HeaderMap, body: String) -> String {
    let authorization = headers.get("authorization").map_or("nobody", |value| value.to_str().unwrap());
    format!("{method} {authorization} {body}").trim().to_owned()
}

fn request(url: &Url, method: Method, status: u16) -> Request {
    Request::new(method, url.join(&format!("to/{status}")).unwrap())
        .bearer(&SecretString::from("t"))
        .unwrap()
        .body("hello")
}

#[tokio::test]
async fn within_the_origin_the_method_decides() {
    let url = redirecting_to("/end").await;
    let client = Client::default();
    let cases = [
        (Method::GET, 301, Some("GET Bearer t hello")),
        (Method::POST, 301, None),
        (Method::POST, 302, None),
        (Method::POST, 303, Some("GET Bearer t")),
        (Method::POST, 307, Some("POST Bearer t hello")),
        (Method::DELETE, 308, Some("DELETE Bearer t hello")),
        (Method::GET, 304, None),
    ];
    for (method, status, expected) in cases {
        let response = client.send(request(&url, method.clone(), status)).await.unwrap();
        match expected {
            Some(expected) => assert_eq!(response.text(), expected, "{method} {status}"),
            None => assert_eq!(response.status.as_u16(), status, "{method}"),
        }
    }
}

#[tokio::test]
async fn another_origin_is_not_asked() {
    let other = serve(Router::new().route("/end", any(seen))).await;
    let url = redirecting_to(other.join("end").unwrap().as_str()).await;
    let client = Client::default();

    let response = client.send(request(&url, Method::GET, 302)).await.unwrap();
    assert_eq!(response.status, 302);
    assert_eq!(response.url.origin(), url.origin());

    // Where any redirect is followed, the secret stays behind.
    let response = client.send(request(&url, Method::GET, 302).redirects(Redirects::Any)).await.unwrap();
    assert_eq!(response.text(), "GET nobody hello");
    assert_eq!(response.url.origin(), other.origin());
}

#[tokio::test]
async fn a_server_cannot_choose_the_credentials_or_the_scheme() {
    let url = redirecting_to("/end").await;
    let with_user = format!("http://eve:pw@{}/end", url.authority());
    let url = redirecting_to(&with_user).await;
    let request_to = Request::get(url.join("to/302").unwrap()).redirects(Redirects::Any);
    let response = Client::default().send(request_to).await.unwrap();
    assert_eq!(response.text(), "GET nobody");

    let url = redirecting_to("file:///etc/passwd").await;
    let request_to = Request::get(url.join("to/302").unwrap()).redirects(Redirects::Any);
    assert_eq!(Client::default().send(request_to).await.unwrap().status, 302);
}

#[tokio::test]
async fn a_circle_ends() {
    let url = redirecting_to("/to/302").await;
    let client = Client::default();
    let error = client.send(request(&url, Method::GET, 302)).await.unwrap_err();
    assert!(matches!(error, HttpError::TooManyRedirects { limit: 10, .. }), "{error:?}");

    let none = request(&url, Method::GET, 302).redirects(Redirects::None);
    assert_eq!(client.send(none).await.unwrap().status, 302);
}

#[tokio::test]
async fn a_key_in_a_header_of_any_name_stays_with_its_origin() {
    async fn names(headers: HeaderMap) -> String {
        let mut names: Vec<&str> = headers.keys().map(|name| name.as_str()).collect();
        names.sort_unstable();
        names.join(" ")
    }
    let other = serve(Router::new().route("/names", any(names))).await;
    let send = async |url: Url| {
        let mut request = Request::get(url.join("to/302").unwrap()).redirects(Redirects::Any);
        for name in ["x-api-key", "api_key", "x-auth", "authorization", "cookie", "accept", "accept-language"]
        {
            request = request.header(name.parse().unwrap(), "k".parse().unwrap());
        }
        Client::default().send(request).await.unwrap().text().into_owned()
    };
    let plain = redirecting_to(other.join("names").unwrap().as_str()).await;
    assert_eq!(send(plain).await, "accept accept-encoding accept-language host user-agent");
}
