//! A client that gives up a call, or goes away in the middle of one.

use std::sync::Arc;

use opentool_mcp::Server;
use rmcp::model::{CallToolRequest, ClientRequest};
use rmcp::service::PeerRequestOptions;
use serde_json::json;
use tokio::io::AsyncReadExt as _;

use crate::raw::Post;
use crate::support::{ALL, Client, Endless, Era, add, request, set, soon, text, tool};

#[tokio::test]
async fn a_cancelled_call_stops_the_tool() {
    for (way, era) in ALL {
        let (endless, seen) = Endless::new();
        let server = Server::new(set([Arc::new(endless), Arc::new(add())]));
        let client = Client::of(server, way, era).await;
        let call = ClientRequest::CallToolRequest(CallToolRequest::new(request("endless", json!({}))));
        let options = PeerRequestOptions::no_options();
        let call = client.service.send_cancellable_request(call, options).await.unwrap();
        soon("the start", seen.started.notified()).await;
        call.cancel(Some("enough".to_owned())).await.unwrap();
        soon(&format!("{way:?} {era:?}: the end of the tool"), seen.stopped.notified()).await;
        soon("the signal", seen.signalled.notified()).await;
        assert_eq!(text(&client.result("add", json!({"a": 1, "b": 2})).await), "3");
    }
}

#[tokio::test]
async fn a_modern_client_that_goes_away_stops_the_tool() {
    let (endless, seen) = Endless::new();
    let bound = Server::new(set([Arc::new(endless)])).bind("127.0.0.1:0").await.unwrap();
    let address = bound.local_addr();
    tokio::spawn(bound.serve());
    let socket = Post::modern("tools/call", json!({"name": "endless"})).open(address).await;
    soon("the start", seen.started.notified()).await;
    drop(socket);
    soon("the end of the tool", seen.stopped.notified()).await;
}

#[tokio::test]
async fn a_modern_client_that_goes_away_from_a_stream_stops_the_tool() {
    let (ended, seen) = Endless::new();
    let ended = Arc::new(ended);
    let reports = tool("reports", move |cx, arguments| {
        let ended = Arc::clone(&ended);
        async move {
            cx.progress(1.0).await;
            opentool_core::Tool::call(&*ended, &cx, arguments.as_object().cloned().unwrap().into()).await
        }
    });
    let bound = Server::new(set([Arc::new(reports)])).bind("127.0.0.1:0").await.unwrap();
    let address = bound.local_addr();
    tokio::spawn(bound.serve());
    let mut post = json!({"name": "reports", "arguments": {}});
    post["_meta"] = json!({});
    let mut body = crate::raw::body("tools/call", post, "2026-07-28");
    body["params"]["_meta"]["progressToken"] = json!("p");
    let mut socket = Post::plain(body)
        .header("MCP-Protocol-Version", "2026-07-28")
        .header("Mcp-Method", "tools/call")
        .header("Mcp-Name", "reports")
        .open(address)
        .await;
    soon("the start", seen.started.notified()).await;
    let mut head = vec![0; 1024];
    let read = soon("the head", socket.read(&mut head)).await.unwrap();
    let head = String::from_utf8_lossy(&head[..read]).to_ascii_lowercase();
    assert!(head.contains("text/event-stream"), "{head}");
    drop(socket);
    soon("the end of the tool", seen.stopped.notified()).await;
}

#[tokio::test]
async fn a_stream_client_that_goes_away_stops_the_tool_and_the_server() {
    for era in [Era::Modern, Era::Legacy] {
        let (endless, seen) = Endless::new();
        let server = Server::new(set([Arc::new(endless)])).grace(std::time::Duration::from_millis(50));
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (read, write) = tokio::io::split(theirs);
        let serving = tokio::spawn(server.serve_stream(read, write));
        let client = Client::over(ours, era).await;
        let peer = client.service.peer().clone();
        let calling = tokio::spawn(async move { peer.call_tool_once(request("endless", json!({}))).await });
        soon("the start", seen.started.notified()).await;
        client.service.cancel().await.unwrap();
        soon("the end of the tool", seen.stopped.notified()).await;
        soon("the end of the server", serving).await.unwrap().unwrap();
        calling.abort();
    }
}
