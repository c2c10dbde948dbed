//! Progress and partial outputs.

use std::sync::Arc;

use opentool_core::{Progress, ToolOutput};
use opentool_mcp::Server;
use serde_json::json;

use crate::raw::Post;
use crate::support::{ALL, Client, Era, Way, set, soon, text, tool};

#[tokio::test]
async fn progress_arrives_in_order_before_the_answer() {
    for (way, era) in ALL {
        let counts = tool("counts", |cx, _| async move {
            for done in [0.0, 50.0, 100.0] {
                cx.progress(Progress::new(done).total(100.0).message(format!("at {done}"))).await;
            }
            Ok("counted".into())
        });
        let mut client = Client::of(Server::new(set([Arc::new(counts)])), way, era).await;
        assert_eq!(text(&client.result("counts", json!({})).await), "counted");
        for done in [0.0, 50.0, 100.0] {
            let heard = soon("progress", client.progress.recv()).await.unwrap();
            assert_eq!((heard.progress, heard.total), (done, Some(100.0)), "{way:?} {era:?}");
            assert_eq!(heard.message, Some(format!("at {done}")));
        }
    }
}

#[tokio::test]
async fn numbers_always_grow_and_partial_outputs_are_messages() {
    let wild = tool("wild", |cx, _| async move {
        cx.progress(5.0).await;
        cx.progress(5.0).await;
        cx.progress(f64::NAN).await;
        cx.progress(Progress::new(1.0).message("back")).await;
        cx.partial(ToolOutput::text("first part")).await;
        cx.progress(6.0).await;
        Ok("done".into())
    });
    let mut client = Client::of(Server::new(set([Arc::new(wild)])), Way::Http, Era::Modern).await;
    client.result("wild", json!({})).await;
    let mut last = f64::NEG_INFINITY;
    let mut messages = Vec::new();
    while last < 6.0 {
        let heard = soon("progress", client.progress.recv()).await.unwrap();
        assert!(heard.progress > last, "{} after {last}", heard.progress);
        last = heard.progress;
        messages.extend(heard.message);
    }
    assert_eq!(messages, ["back", "first part"]);
}

#[tokio::test]
async fn without_a_token_nothing_is_sent_and_the_answer_is_json() {
    let counts = tool("counts", |cx, _| async move {
        cx.progress(1.0).await;
        cx.partial("part").await;
        Ok("counted".into())
    });
    let bound = Server::new(set([Arc::new(counts)])).bind("127.0.0.1:0").await.unwrap();
    let address = bound.local_addr();
    tokio::spawn(bound.serve());
    let reply = Post::modern("tools/call", json!({"name": "counts"})).send(address).await;
    assert_eq!(reply.json()["result"]["content"][0]["text"], "counted");
}

#[tokio::test]
async fn requests_to_services_are_not_told_to_clients() {
    let asks = tool("asks", |cx, _| async move {
        cx.sent("GET http://db-7.internal/").await;
        cx.progress(1.0).await;
        cx.sent("GET http://db-8.internal/").await;
        Ok("done".into())
    });
    let mut client = Client::of(Server::new(set([Arc::new(asks)])), Way::Http, Era::Modern).await;
    client.result("asks", json!({})).await;
    let heard = soon("progress", client.progress.recv()).await.unwrap();
    assert_eq!((heard.progress, heard.message), (1.0, None));
    assert!(client.progress.try_recv().is_err(), "one report, and nothing of the requests");
}

#[tokio::test]
async fn nothing_is_sent_after_the_answer() {
    let (late, mut told) = tokio::sync::mpsc::unbounded_channel();
    let gossips = tool("gossips", move |cx, _| {
        let late = late.clone();
        async move {
            let signal = cx.cancel_signal().clone();
            tokio::spawn(async move {
                signal.cancelled().await;
                cx.progress(9.0).await;
                let _ = late.send(());
            });
            std::future::pending().await
        }
    });
    let server = Server::new(set([Arc::new(gossips)])).timeout(std::time::Duration::from_millis(20));
    let mut client = Client::of(server, Way::Stream, Era::Legacy).await;
    client.result("gossips", json!({})).await;
    soon("the late report", told.recv()).await;
    client.result("gossips", json!({})).await;
    assert!(client.progress.try_recv().is_err());
}
