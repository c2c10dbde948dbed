//! The graceful end of the HTTP server.

use std::sync::Arc;
use std::time::Duration;

use opentool_mcp::Server;
use rmcp::model::SubscriptionFilter;
use serde_json::json;
use tokio::sync::{Notify, oneshot};

use crate::support::{Client, Endless, Era, failed, request, set, soon, text, tool};

#[tokio::test]
async fn a_running_call_finishes() {
    for era in [Era::Modern, Era::Legacy] {
        let (started, finish) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let (began, goes_on) = (Arc::clone(&started), Arc::clone(&finish));
        let waits = tool("waits", move |_, _| {
            let (began, goes_on) = (Arc::clone(&began), Arc::clone(&goes_on));
            async move {
                began.notify_one();
                goes_on.notified().await;
                Ok("finished".into())
            }
        });
        let bound = Server::new(set([Arc::new(waits)])).bind("127.0.0.1:0").await.unwrap();
        let address = bound.local_addr();
        let client = {
            let url = bound.url();
            let (stop, stopped) = oneshot::channel::<()>();
            let serving = tokio::spawn(bound.serve_until(async { _ = stopped.await }));
            let client = Client::at(&url, era).await;
            let peer = client.service.peer().clone();
            let call = tokio::spawn(async move { peer.call_tool_once(request("waits", json!({}))).await });
            soon("the start", started.notified()).await;
            stop.send(()).unwrap();
            // Nobody new gets in.
            soon("the closed door", async {
                while tokio::net::TcpStream::connect(address).await.is_ok() {
                    tokio::task::yield_now().await;
                }
            })
            .await;
            finish.notify_one();
            let answer = soon("the answer", call).await.unwrap().unwrap();
            let rmcp::model::CallToolResponse::Complete(result) = answer else { panic!("{answer:?}") };
            assert_eq!(text(&result), "finished", "{era:?}");
            soon("the end", serving).await.unwrap().unwrap();
            client
        };
        drop(client);
    }
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_given_up() {
    let (endless, seen) = Endless::new();
    let server = Server::new(set([Arc::new(endless)])).grace(Duration::from_millis(50));
    let bound = server.bind("127.0.0.1:0").await.unwrap();
    let url = bound.url();
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = tokio::spawn(bound.serve_until(async { _ = stopped.await }));
    let client = Client::at(&url, Era::Modern).await;
    let peer = client.service.peer().clone();
    let call = tokio::spawn(async move { peer.call_tool_once(request("endless", json!({}))).await });
    soon("the start", seen.started.notified()).await;
    stop.send(()).unwrap();
    soon("the end of the tool", seen.stopped.notified()).await;
    let answer = soon("the answer", call).await.unwrap().unwrap();
    let rmcp::model::CallToolResponse::Complete(result) = answer else { panic!("{answer:?}") };
    assert!(failed(&result));
    soon("the end", serving).await.unwrap().unwrap();
}

#[tokio::test]
async fn open_streams_do_not_keep_the_server() {
    let bound = Server::new(set([])).bind("127.0.0.1:0").await.unwrap();
    let url = bound.url();
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = tokio::spawn(bound.serve_until(async { _ = stopped.await }));
    let _legacy = Client::at(&url, Era::Legacy).await;
    let modern = Client::at(&url, Era::Modern).await;
    let mut wanted = SubscriptionFilter::default();
    wanted.tools_list_changed = Some(true);
    let mut stream = modern.service.listen(wanted).await.unwrap();
    stop.send(()).unwrap();
    // The subscription ends with a result, as the protocol wants it.
    assert!(soon("the end of the subscription", stream.next()).await.unwrap().is_none());
    assert!(
        matches!(stream.end(), Some(rmcp::service::SubscriptionEnd::Graceful { .. })),
        "{:?}",
        stream.end()
    );
    soon("the end", serving).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_dropped_server_stops_its_tools() {
    let (endless, seen) = Endless::new();
    let bound = Server::new(set([Arc::new(endless)])).bind("127.0.0.1:0").await.unwrap();
    let url = bound.url();
    let serving = tokio::spawn(bound.serve());
    let client = Client::at(&url, Era::Modern).await;
    let peer = client.service.peer().clone();
    let _call = tokio::spawn(async move { peer.call_tool_once(request("endless", json!({}))).await });
    soon("the start", seen.started.notified()).await;
    serving.abort();
    soon("the end of the tool", seen.stopped.notified()).await;
}
