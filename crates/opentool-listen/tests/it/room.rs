//! Who gives way when there is no room.

use opentool_listen::{Rules, Untaken};
use tokio::time::Instant;

use crate::site::{Server, get, rest};

#[tokio::test]
async fn the_one_that_is_idle_longest_gives_way_and_one_that_is_answered_does_not() {
    let server = Server::new(Rules::new(3)).await;
    let mut answered = server.says(&get("/waits")).await;
    server.seen.started.notified().await;
    let mut first = server.says("").await;
    let mut second = server.says("GET / HTT").await;
    assert!(server.get("/").await.contains("request 1"));
    assert_eq!(rest(&mut first).await, "");
    // There is room again, for one.
    assert!(server.get("/").await.contains("request 1"));
    let _third = server.says("").await;
    assert!(server.get("/").await.contains("request 1"));
    assert_eq!(rest(&mut second).await, "");
    server.seen.finish.notify_one();
    server.closing.cancel();
    assert!(rest(&mut answered).await.contains("finished"));
}

#[tokio::test(start_paused = true)]
async fn who_does_not_take_an_answer_gives_way_or_is_waited_for_as_the_rules_say() {
    for (untaken, waits) in [(Untaken::GivesWay, 0..10), (Untaken::KeepsPlace, 30..40)] {
        let server = Server::new(Rules::new(1).untaken(untaken)).await;
        let _takes_nothing = server.says(&get("/large")).await;
        server.seen.started.notified().await;
        let began = Instant::now();
        assert!(server.get("/").await.contains("request 1"));
        let took = began.elapsed();
        assert!(waits.contains(&took.as_secs()), "{untaken:?}: {took:?}");
    }
}
