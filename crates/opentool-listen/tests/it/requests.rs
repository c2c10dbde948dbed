//! What is said on a connection.

use opentool_listen::Rules;
use tokio::io::AsyncWriteExt as _;

use crate::site::{Server, get, rest, until};

#[tokio::test]
async fn the_requests_of_a_connection_share_what_belongs_to_it() {
    let server = Server::new(Rules::new(10)).await;
    let mut socket = server.says(&(get("/") + &get("/"))).await;
    until(&mut socket, "request 2").await;
    socket.write_all(get("/").as_bytes()).await.unwrap();
    until(&mut socket, "request 3").await;
    assert!(server.get("/").await.contains("request 1"));
}

#[tokio::test]
async fn a_stream_of_http_1_0_says_that_it_ends_with_its_connection() {
    let server = Server::new(Rules::new(10)).await;
    let mut socket = server.says("GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").await;
    let answer = rest(&mut socket).await;
    assert!(answer.contains("connection: close"), "{answer}");
    assert!(answer.ends_with("\r\n\r\none two"), "{answer}");
    let mut kept = server.says("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").await;
    until(&mut kept, "request 1").await;
    kept.write_all(get("/").as_bytes()).await.unwrap();
    until(&mut kept, "request 2").await;
}

#[tokio::test]
async fn a_head_has_a_bound() {
    let server = Server::new(Rules::new(10)).await;
    let long = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(100_000));
    let answer = rest(&mut server.says(&long).await).await;
    assert!(!answer.contains("request 1"), "{answer}");
}
