//! How connections end, for whichever reason.

use opentool_listen::{Rules, Unasked};
use tokio::io::AsyncWriteExt as _;

use crate::site::{Server, get, rest, soon, until};

#[tokio::test]
async fn a_server_that_ends_gives_the_answers_that_it_is_at() {
    for unasked in [Unasked::Answered, Unasked::Cut] {
        let server = Server::new(Rules::new(10).unasked(unasked)).await;
        let mut idle = server.says(&get("/")).await;
        until(&mut idle, "request 1").await;
        let mut answered = server.says(&get("/waits")).await;
        soon(&server.seen.started).await;
        server.closing.cancel();
        assert_eq!(rest(&mut idle).await, "");
        server.seen.finish.notify_one();
        let answer = rest(&mut answered).await;
        assert!(answer.contains("finished") && answer.contains("connection: close"), "{answer}");
    }
}

#[tokio::test]
async fn a_request_that_is_on_its_way_when_the_server_ends_is_answered_or_not_as_the_rules_say() {
    for unasked in [Unasked::Answered, Unasked::Cut] {
        let server = Server::new(Rules::new(10).unasked(unasked)).await;
        let mut early = server.says(&get("/")).await;
        until(&mut early, "request 1").await;
        early
            .write_all(b"POST /length HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nbo")
            .await
            .unwrap();
        // What comes later is answered, so this is there.
        assert!(server.get("/").await.contains("request 1"));
        server.closing.cancel();
        // Nobody listens where it was cut.
        let _ = early.write_all(b"dy").await;
        assert_eq!(rest(&mut early).await.contains("4 bytes"), unasked == Unasked::Answered, "{unasked:?}");
    }
}

#[tokio::test]
async fn a_server_that_is_gone_cuts_its_connections() {
    let server = Server::new(Rules::new(10)).await;
    let mut socket = server.says(&get("/waits")).await;
    let seen = std::sync::Arc::clone(&server.seen);
    soon(&seen.started).await;
    drop(server);
    soon(&seen.stopped).await;
    assert_eq!(rest(&mut socket).await, "");
}

#[tokio::test]
async fn a_client_that_leaves_ends_its_answer() {
    let server = Server::new(Rules::new(10)).await;
    for also in ["", "GET /next HTTP/1.1\r\n"] {
        // Elsewhere than on Linux, bytes that nobody has read hide the end behind them.
        if !also.is_empty() && !cfg!(target_os = "linux") {
            continue;
        }
        let socket = server.says(&(get("/waits") + also)).await;
        soon(&server.seen.started).await;
        drop(socket);
        soon(&server.seen.stopped).await;
    }
}
