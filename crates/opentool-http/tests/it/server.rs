//! Servers for tests: real ones, on ports that the system chooses.

use axum::Router;
use opentool_http::Url;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// Serves `router` until the test ends; its address ends in a slash.
pub(crate) async fn serve(router: Router) -> Url {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap()).parse().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

/// Answers the first request with exactly these bytes and closes the connection.
pub(crate) async fn serve_raw(answer: &'static [u8]) -> Url {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap()).parse().unwrap();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = [0; 1024];
        let _ = stream.read(&mut request).await;
        let _ = stream.write_all(answer).await;
    });
    url
}

/// An address where nobody listens.
pub(crate) async fn nobody() -> Url {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    format!("http://{}/", listener.local_addr().unwrap()).parse().unwrap()
}
