//! Tools that change while a source follows them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use opentool_core::{LiveTools, ToolContext, ToolError, ToolOutput, ToolSource as _};
use opentool_mcp::client::Source;
use opentool_mcp::{Server, connect};
use opentool_schema::ToolSetExt as _;
use serde_json::json;
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;

use super::http::call;
use super::program::{WATCHED, program};
use super::scripted::{Scripted, entry, listed};
use crate::support::{Client, Era, Way, add, serve, set, soon, tool};

fn names(source: &Source) -> Vec<String> {
    source.tools().names().map(str::to_owned).collect()
}

#[tokio::test]
async fn what_a_server_changes_is_there_for_the_next_run_and_told_on() {
    let greets = |name| Arc::new(tool(name, |_, _| async { Ok(ToolOutput::text("hello")) }));
    let live = LiveTools::new(set([Arc::new(add()), greets("greet")]));
    let url = serve(Server::new(live.clone())).await;
    let source = connect(url).await.unwrap().source().await.unwrap();
    let before = source.tools();
    assert_eq!((names(&source), source.diagnostics()), (vec!["add".to_owned(), "greet".to_owned()], vec![]));
    // Another client, of a server that serves the source on.
    let mut far = Client::of(Server::new(source.clone()), Way::Stream, Era::Legacy).await;
    assert_eq!(far.tools().await.len(), 2);

    live.replace(set([greets("greets"), greets("waves"), Arc::new(add())]));
    soon("the change", source.changed(&before)).await;
    assert_eq!(names(&source), ["greets", "waves", "add"]);
    soon("the notification", far.changed.recv()).await.unwrap();
    assert_eq!(far.tools().await.len(), 3);

    // A run that began before keeps its tools; what is gone is said to be.
    let cx = ToolContext::new();
    let sum = before.call(&cx, &call("add", json!({"a": 1, "b": 2}))).await.unwrap();
    assert_eq!(sum.to_text(), "3");
    let gone = before.call(&cx, &call("greet", json!({}))).await.unwrap_err();
    assert!(matches!(gone, ToolError::UnknownTool(_)), "{gone:?}");
    assert!(gone.for_model().contains("`greets`"), "{}", gone.for_model());
    let waves = source.tools().call(&cx, &call("waves", json!({}))).await.unwrap();
    assert_eq!(waves.to_text(), "hello");
}

#[tokio::test]
async fn a_server_of_an_older_revision_tells_unasked() {
    let source = program("grows").await.unwrap().source().await.unwrap();
    let before = source.tools();
    assert_eq!(names(&source), ["old"]);
    before.call(&ToolContext::new(), &call("old", json!({}))).await.unwrap();
    soon("the change", source.changed(&before)).await;
    assert_eq!(names(&source), ["old", "young"]);
    assert!(soon("the list", source.latest()).await.same(&source.tools()));
}

#[tokio::test]
async fn the_list_is_asked_for_again_where_the_connection_was_made_anew() {
    let watch = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let program = program("server").env(WATCHED, watch.local_addr().unwrap().to_string());
    let source = program.await.unwrap().source().await.unwrap();
    let (before, cx) = (source.tools(), ToolContext::new());
    drop(soon("the program", watch.accept()).await.unwrap());
    soon("the end", before.call(&cx, &call("exit", json!({})))).await.unwrap_err();
    let sum = soon("the answer", before.call(&cx, &call("add", json!({"a": 1, "b": 2})))).await.unwrap();
    assert_eq!(sum.to_text(), "3");
    soon("the change", source.changed(&before)).await;
    assert_eq!(source.tools().len(), before.len());

    // With the last that needs it the program ends; nothing goes on in secret.
    let mut process = soon("the second program", watch.accept()).await.unwrap().0;
    drop((source, before));
    let ended = soon("the end of the program", process.read(&mut [0])).await;
    assert!(matches!(ended, Ok(0) | Err(_)), "{ended:?}");
}

#[tokio::test]
async fn a_server_that_does_not_tell_is_asked_when_the_host_wants_it() {
    let lists = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&lists);
    let server = Scripted::modern(move |method, _| match method {
        "tools/list" if counted.fetch_add(1, Ordering::Relaxed) < 1 => listed(json!([entry("one")])),
        "tools/list" => listed(json!([entry("one"), entry("two"), 7])),
        other => panic!("{other}"),
    })
    .await;
    let source = connect(server.url.clone()).await.unwrap().source().await.unwrap();
    assert_eq!(names(&source), ["one"]);
    source.refresh().await.unwrap();
    assert_eq!(names(&source), ["one", "two"]);
    assert_eq!(source.diagnostics().len(), 1);
    assert_eq!(lists.load(Ordering::Relaxed), 2);
}
