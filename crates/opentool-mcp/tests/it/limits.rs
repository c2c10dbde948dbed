//! The bound on calls at once.

use std::sync::Arc;
use std::time::Duration;

use opentool_mcp::Server;
use serde_json::json;

use crate::support::{Client, Endless, Era, Way, add, failed, request, set, soon, text};

#[tokio::test]
async fn a_call_waits_for_a_place_and_gives_up_in_time() {
    let (endless, seen) = Endless::new();
    let server = Server::new(set([Arc::new(endless), Arc::new(add())]))
        .max_calls(1)
        .timeout(Duration::from_millis(100));
    let client = Client::of(server, Way::Stream, Era::Legacy).await;
    let peer = client.service.peer().clone();
    let first = tokio::spawn(async move { peer.call_tool_once(request("endless", json!({}))).await });
    soon("the start", seen.started.notified()).await;
    // The first call ends by its time limit; this one gets the place or is told that there is none.
    let result = client.result("add", json!({"a": 1, "b": 2})).await;
    if failed(&result) {
        assert!(text(&result).contains("busy"), "{}", text(&result));
    } else {
        assert_eq!(text(&result), "3");
    }
    soon("the end of the first", first).await.unwrap().unwrap();
    // The place is free again.
    assert_eq!(text(&client.result("add", json!({"a": 1, "b": 2})).await), "3");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_tool_that_does_not_stop_keeps_its_place() {
    let (release, blocked) = std::sync::mpsc::channel::<()>();
    let blocked = std::sync::Mutex::new(blocked);
    let blocking = crate::support::tool("blocking", move |_, _| {
        let _ = blocked.lock().unwrap().recv();
        async { Ok("late".into()) }
    });
    let server = Server::new(set([Arc::new(blocking), Arc::new(add())]))
        .max_calls(1)
        .timeout(Duration::from_millis(50));
    let client = Client::of(server, Way::Stream, Era::Modern).await;
    assert!(failed(&client.result("blocking", json!({})).await));
    let result = client.result("add", json!({"a": 1, "b": 2})).await;
    assert!(failed(&result) && text(&result).contains("busy"), "{}", text(&result));
    drop(release);
}
