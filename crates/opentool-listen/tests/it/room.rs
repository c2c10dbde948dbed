//! Who gives way when there is no room.

use std::io::ErrorKind;

use opentool_listen::{Rules, Untaken};
use tokio::time::Instant;

use crate::site::{Server, get, rest, soon, until};

#[tokio::test]
async fn the_one_that_is_idle_longest_gives_way_and_one_that_is_answered_does_not() {
    let server = Server::new(Rules::new(3)).await;
    let mut answered = server.says(&get("/waits")).await;
    soon(&server.seen.started).await;
    let mut first = server.says("").await;
    let mut second = server.says("GET / HTT").await;
    assert!(server.get("/").await.contains("request 1"));
    assert_eq!(rest(&mut first).await, "");
    let more = second.try_read(&mut [0]).map_err(|error| error.kind());
    assert_eq!(more, Err(ErrorKind::WouldBlock), "it has been there for less long");
    // There is room again, for one.
    assert!(server.get("/").await.contains("request 1"));
    let _third = server.says("").await;
    assert!(server.get("/").await.contains("request 1"));
    assert_eq!(rest(&mut second).await, "");
    server.seen.finish.notify_one();
    server.closing.cancel();
    assert!(rest(&mut answered).await.contains("finished"));
}

#[tokio::test]
async fn a_request_that_begins_while_its_connection_is_chosen_is_answered() {
    let server = Server::new(Rules::new(1)).await;
    let mut chosen = server.says(&get("/")).await;
    until(&mut chosen, "request 1").await;
    // Both before the server looks at either.
    let _other = std::net::TcpStream::connect(server.address).unwrap();
    chosen.try_write(get("/waits").as_bytes()).unwrap();
    soon(&server.seen.started).await;
    server.seen.finish.notify_one();
    until(&mut chosen, "finished").await;
}

#[tokio::test(start_paused = true)]
async fn who_does_not_take_an_answer_gives_way_or_is_waited_for_as_the_rules_say() {
    for (untaken, waits) in [(Untaken::GivesWay, 0..10), (Untaken::KeepsPlace, 30..40)] {
        let server = Server::new(Rules::new(1).untaken(untaken)).await;
        let _takes_nothing = server.says(&get("/large")).await;
        soon(&server.seen.started).await;
        let began = Instant::now();
        assert!(server.get("/").await.contains("request 1"));
        let took = began.elapsed();
        assert!(waits.contains(&took.as_secs()), "{untaken:?}: {took:?}");
    }
}
