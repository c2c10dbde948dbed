//! What is tried again, and what never is; counted at the server.

use std::time::{Duration, Instant};

use super::raw::{Do, Raw, answer, refusing};
use futures_util::future::{join, join_all};
use opentool_http::HttpError;
use opentool_server::client::{self, ClientError, FunctionCall};

const VERSION: &str = r#"{"version":"1.0.0"}"#;

#[tokio::test]
async fn a_connection_that_nobody_takes_is_tried_again() {
    let (socket, url) = refusing();

    let begun = Instant::now();
    let error = client::connect(&url).retries(2).await.unwrap_err();
    assert!(matches!(error, ClientError::NoAccess { .. }), "{error}");
    assert!(begun.elapsed() >= Duration::from_millis(300), "two more tries, after 100 ms and 200 ms");

    // A server that starts a moment later is found, and asked once.
    let (client, server) = join(async { client::connect(&url).retries(50).await }, async {
        tokio::task::yield_now().await;
        Raw::serve(socket.listen(16).unwrap(), |_| vec![answer(200, VERSION)])
    })
    .await;
    client.unwrap();
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn time_that_is_up_ends_the_tries() {
    let (_socket, url) = refusing();
    let limit = Duration::from_millis(250);
    let error = client::connect(&url).retries(1_000_000).timeout(limit).await.unwrap_err();
    assert!(matches!(error, ClientError::NoAccess { .. }), "{error}");
}

#[tokio::test]
async fn a_call_that_was_sent_is_never_sent_again() {
    for end in [
        vec![Do::Close],
        vec![Do::Send(b"HTTP/1.1 200 OK\r\nContent-Le".to_vec()), Do::Close],
        vec![Do::Send(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"result\"".to_vec()), Do::Close],
    ] {
        let server = Raw::start(move |_| end.clone()).await;
        let client = client::connect(&server.url).retries(5).build().unwrap();
        let error = client.call(&FunctionCall::new("1", "pay")).await.unwrap_err();
        assert!(matches!(error, ClientError::Http(HttpError::Broken { .. })), "{error}");
        assert!(!error.not_run());
        assert_eq!((server.connections(), server.asked().len()), (1, 1));
    }
}

#[tokio::test]
async fn a_call_that_was_sent_on_a_kept_connection_is_not_sent_again() {
    // The first request is answered; on the second the server dies after it has read it.
    let server = Raw::start(|asked| match asked.line.as_str() {
        "GET /opentool/version" => vec![answer(200, VERSION)],
        _ => vec![Do::Close],
    })
    .await;
    let client = client::connect(&server.url).retries(5).await.unwrap();
    let error = client.call(&FunctionCall::new("1", "pay")).await.unwrap_err();
    assert!(matches!(error, ClientError::Http(HttpError::Broken { .. })), "{error}");
    assert_eq!(server.connections(), 1, "it went on the kept connection");
    assert_eq!(server.asked().iter().filter(|asked| asked.line.starts_with("POST")).count(), 1);
}

#[tokio::test]
async fn a_kept_connection_that_was_closed_costs_no_call() {
    let server = Raw::start(|_| vec![answer(200, VERSION), Do::Close]).await;
    let client = client::connect(&server.url).await.unwrap();
    server.gone().await;
    for _ in 0..3 {
        // The client sees the end of the connection once it looks at its sockets. A call that leaves at the very moment
        // at which the server closes is another matter: it may have run, and fails.
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        client.version().await.unwrap();
        server.gone().await;
    }
    assert_eq!((server.connections(), server.asked().len()), (4, 4));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_four_calls_at_once_keep_their_connections() {
    let server = Raw::start(|asked| {
        let id = asked.body()["id"].as_str().unwrap().to_owned();
        vec![answer(200, &format!(r#"{{"jsonrpc":"2.0","result":{{"id":"{id}"}},"id":"{id}"}}"#))]
    })
    .await;
    let client = client::connect(&server.url).build().unwrap();
    for round in 0..4 {
        let calls = (0..64).map(|n| {
            let client = client.clone();
            tokio::spawn(async move {
                let id = format!("{round}-{n}");
                let returned = client.call(&FunctionCall::new(&id, "f")).await.unwrap();
                assert_eq!(returned.result["id"], id.as_str(), "every call gets its own answer");
            })
        });
        for done in join_all(calls).await {
            done.unwrap();
        }
    }
    assert_eq!(server.asked().len(), 256);
    let connections = server.connections();
    assert!(connections <= 64, "{connections} connections for 256 calls");
}
