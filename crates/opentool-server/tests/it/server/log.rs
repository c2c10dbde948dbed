//! What the operator reads, and what stays out of it.

use std::io::Write;
use std::sync::{Arc, Mutex};

use opentool_core::ToolError;
use opentool_server::server::Server;
use serde_json::json;
use tracing::Level;

use super::raw::Ask;
use super::support::{Slow, add, set, soon, start, tool};

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn every_request_is_logged_without_its_arguments_and_keys() {
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(Level::DEBUG)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    // The test and its server share one thread.
    let _here = tracing::subscriber::set_default(subscriber);
    let fails = tool("fails", |_, _| async {
        let disk = std::io::Error::new(std::io::ErrorKind::StorageFull, "disk full at x=argument-4715");
        Err(ToolError::from(opentool_core::Failure::new("not stored: argument-4715").source(disk)))
    });
    // As tools over HTTP do: the cause names the address, and that the arguments.
    let asks = tool("asks", |_, _| async {
        let request = std::io::Error::other("the request was GET http://host/?tags=argument-4718");
        let upstream = opentool_core::Upstream::new("no: argument-4718").status(422).source(request);
        Err(ToolError::from(upstream))
    });
    let panics = tool("panics", |_, _| async { panic!("met argument-4719") });
    let server =
        start(Server::new(set([Arc::new(add()) as _, fails, asks, panics])).api_key("key-4711")).await;
    let keyed = |ask: Ask| ask.header("Authorization", "Bearer key-4711");
    keyed(Ask::call("add", json!({"a": 471_200_471_200_u64, "b": 1}))).send(server.address).await;
    keyed(Ask::call("add", json!({"a": "argument-4713"}))).send(server.address).await;
    keyed(Ask::call("function-4714", json!({}))).send(server.address).await;
    keyed(Ask::call("fails", json!({"x": "argument-4715"}))).send(server.address).await;
    keyed(Ask::call("asks", json!({"x": "argument-4718"}))).send(server.address).await;
    keyed(Ask::call("panics", json!({"x": "argument-4719"}))).send(server.address).await;
    keyed(Ask::get("/opentool/load?token=query-4716")).send(server.address).await;
    Ask::call("add", json!({})).header("Authorization", "Bearer wrong-4717").send(server.address).await;

    let log = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    // Long enough to be no part of a time.
    let arguments = [4713, 4715, 4718, 4719].map(|number| format!("argument-{number}"));
    let others = ["key-4711", "471200471200", "function-4714", "query-4716", "wrong-4717"].map(str::to_owned);
    for secret in arguments.iter().chain(&others) {
        assert!(!log.contains(secret.as_str()), "{secret} in {log}");
    }
    let requests = |text: &str| log.lines().filter(|line| line.contains(text)).count();
    assert_eq!(requests("endpoint=\"call\" status=200"), 6, "{log}");
    assert_eq!(requests("endpoint=\"load\" status=200"), 1, "{log}");
    assert_eq!(requests("endpoint=\"call\" status=401"), 1, "{log}");
    for kind in ["StorageFull", "status=422", "panicked"] {
        assert!(log.contains(kind), "the operator reads the kind of the cause: {log}");
    }
}

#[tokio::test]
async fn a_call_whose_client_leaves_is_logged_too() {
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(Level::DEBUG)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    let _here = tracing::subscriber::set_default(subscriber);
    let (slow, seen) = Slow::new();
    let server = start(Server::new(set([slow]))).await;
    let socket = Ask::call("slow", json!({})).open(server.address).await;
    soon("the call", seen.started.notified()).await;
    drop(socket);
    soon("the end of the tool", seen.stopped.notified()).await;
    let log = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    assert!(log.contains("call stopped: nobody waits for it function=\"slow\""), "{log}");
    assert!(log.contains("request without an answer"), "{log}");
}
