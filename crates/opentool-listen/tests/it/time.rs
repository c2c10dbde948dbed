//! What a client has to do, and how long it may take.

use std::time::Duration;

use opentool_listen::Rules;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{Instant, advance};

use crate::site::{LARGE, Server, get, rest, until};

#[tokio::test(start_paused = true)]
async fn heads_and_idle_connections_have_their_time() {
    let server = Server::new(Rules::new(10).first_head(Duration::from_secs(5))).await;
    for (said, lasts) in [(String::new(), 5), ("GET / HTTP/1.1\r\nHo".to_owned(), 5), (get("/"), 30)] {
        let began = Instant::now();
        let mut socket = server.says(&said).await;
        assert_eq!(rest(&mut socket).await.contains("request 1"), said.ends_with("\r\n\r\n"));
        let took = began.elapsed().as_secs();
        assert!((lasts..lasts + 2).contains(&took), "{said:?}: {took} s");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_may_take_as_long_as_it_takes() {
    let server = Server::new(Rules::new(1)).await;
    let mut socket = server.says(&get("/waits")).await;
    server.seen.started.notified().await;
    advance(Duration::from_secs(1_000)).await;
    server.seen.finish.notify_one();
    until(&mut socket, "finished").await;
    // And the next one has its time from there.
    advance(Duration::from_secs(20)).await;
    socket.write_all(get("/").as_bytes()).await.unwrap();
    until(&mut socket, "request 2").await;
}

#[tokio::test(start_paused = true)]
async fn a_client_that_takes_its_answer_slowly_gets_all_of_it() {
    let server = Server::new(Rules::new(1)).await;
    let mut socket = server.says(&get("/large")).await;
    server.seen.started.notified().await;
    // Longer than an idle connection may be, and shorter each time than one may take nothing.
    let mut part = vec![0; LARGE / 8];
    for _ in 0..2 {
        socket.read_exact(&mut part).await.unwrap();
        advance(Duration::from_secs(20)).await;
    }
    for _ in 2..8 {
        socket.read_exact(&mut part).await.unwrap();
    }
    assert!(part.ends_with(b"xx"));
}
