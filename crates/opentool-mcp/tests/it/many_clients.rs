//! Clients that share a server and use equal request ids.

use std::sync::Arc;

use opentool_mcp::Server;
use serde_json::json;

use crate::support::{Client, Era, serve, set, text, tool};

/// Rounds of each client; both have the same ids, because both count from the same number.
const ROUNDS: usize = 200;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn answers_reach_the_client_that_asked() {
    for (one, other) in [(Era::Modern, Era::Modern), (Era::Legacy, Era::Legacy), (Era::Modern, Era::Legacy)] {
        let echo = tool("echo", |_, arguments| async move {
            tokio::task::yield_now().await;
            Ok(arguments["say"].as_str().unwrap_or_default().into())
        });
        let url = serve(Server::new(set([Arc::new(echo)]))).await;
        let talk = |who: &'static str, era| {
            let url = url.clone();
            tokio::spawn(async move {
                let client = Client::at(&url, era).await;
                let calls = (0..ROUNDS).map(|round| {
                    let say = format!("{who} {round}");
                    let client = &client;
                    async move {
                        let result = client.result("echo", json!({"say": say})).await;
                        assert_eq!(text(&result), say);
                    }
                });
                // Eight at a time, so that calls of one client overlap too.
                let mut calls =
                    futures_util::stream::StreamExt::buffer_unordered(futures_util::stream::iter(calls), 8);
                while futures_util::stream::StreamExt::next(&mut calls).await.is_some() {}
            })
        };
        let (one, other) = tokio::join!(talk("one", one), talk("other", other));
        one.unwrap();
        other.unwrap();
    }
}
