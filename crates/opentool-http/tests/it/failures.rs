//! Errors say what happened and where, and never show what may be a secret.

use opentool_http::{Client, HttpError, Request, Url};

use crate::server::{nobody, serve, serve_raw};

#[tokio::test]
async fn nobody_listens() {
    let url = nobody().await;
    let error = Client::default().send(Request::get(url.join("a?key=s3cret").unwrap())).await.unwrap_err();
    assert!(matches!(error, HttpError::Connect { .. }), "{error:?}");
    assert_eq!(error.to_string(), format!("cannot connect to {}", url.as_str().trim_end_matches('/')));
    let chain = chain(&error);
    assert!(chain.contains("refused"), "{chain}");
    assert!(!chain.contains("s3cret") && !format!("{error:?}").contains("s3cret"), "{chain}");
}

#[tokio::test]
async fn tls_to_a_server_that_speaks_none() {
    let mut url = serve(axum::Router::new()).await;
    url.set_scheme("https").unwrap();
    // On a machine without any certificates the error is `Tls`; it is never a panic for want of a provider.
    let error = Client::default().send(Request::get(url)).await.unwrap_err();
    assert!(matches!(error, HttpError::Connect { .. } | HttpError::Tls { .. }), "{error:?}");
}

#[tokio::test]
async fn what_comes_is_not_http() {
    let url = serve_raw(b"SSH-2.0-OpenSSH_9.9\r\n").await;
    let error = Client::default().send(Request::get(url)).await.unwrap_err();
    assert!(matches!(error, HttpError::Broken { .. }), "{error:?}");
}

#[tokio::test]
async fn the_connection_ends_in_mid_body() {
    let url = serve_raw(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf").await;
    let error = Client::default().send(Request::get(url)).await.unwrap_err();
    assert!(matches!(error, HttpError::Broken { .. }), "{error:?}");
    assert!(error.to_string().ends_with("broke off"), "{error}");
}

#[tokio::test]
async fn addresses_that_cannot_be_asked() {
    for (url, why) in [("file:///etc/passwd", "scheme"), ("ftp://user:pw@a.test/x?key=s3", "scheme")] {
        let url: Url = url.parse().unwrap();
        let error = Client::default().send(Request::get(url)).await.unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, HttpError::Address { .. }), "{error:?}");
        assert!(text.contains(why) && !text.contains("pw") && !text.contains("s3"), "{text}");
    }
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    text
}
