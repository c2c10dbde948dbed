//! A server written by others: the Python SDK's.
//!
//! It runs where `cargo xtask setup` has installed it: `OPENTOOL_TEST_PYTHON` names the interpreter. Without this variable
//! the test says that it did nothing, unless `OPENTOOL_TEST_PEERS=required`, as in `cargo xtask ci`.

use std::process::Stdio;

use opentool_core::{ToolContext, ToolError, ToolSet};
use opentool_mcp::{connect, spawn};
use opentool_schema::ToolSetExt as _;
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;

use super::http::{Heard, call};
use crate::support::soon;

fn python() -> Option<String> {
    let found = std::env::var("OPENTOOL_TEST_PYTHON").ok();
    let required = std::env::var("OPENTOOL_TEST_PEERS").is_ok_and(|value| value == "required");
    assert!(found.is_some() || !required, "OPENTOOL_TEST_PYTHON is not set; run `cargo xtask ci`");
    if found.is_none() {
        println!("left out: OPENTOOL_TEST_PYTHON is not set, see `cargo xtask setup`");
    }
    found
}

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/server.py");

/// What every transport must give.
async fn check(tools: &ToolSet) {
    assert_eq!(tools.names().collect::<Vec<_>>(), ["add", "fail", "count", "variables"]);
    let add = tools.definitions().next().unwrap();
    assert_eq!((add.title.as_deref(), &*add.description), (Some("Adder"), "Adds two numbers."));
    let cx = ToolContext::new();
    let sum = tools.call(&cx, &call("add", json!({"a": 2, "b": 3}))).await.unwrap();
    assert_eq!((sum.to_text().as_str(), sum.structured), ("5", Some(json!({"result": 5}))));
    let wrong = tools.call(&cx, &call("add", json!({"a": "x", "b": 3}))).await.unwrap_err();
    assert!(matches!(wrong, ToolError::InvalidArguments(_)), "{wrong:?}");
    let failed = tools.call(&cx, &call("fail", json!({"why": "rain"}))).await.unwrap();
    assert!(failed.is_error && failed.to_text().contains("rain"), "{failed:?}");
    let heard = Heard::default();
    let counted =
        tools.call(&ToolContext::new().events(heard.clone()), &call("count", json!({"to": 5}))).await;
    assert_eq!(counted.unwrap().to_text(), "done");
    let done: Vec<f64> = heard.0.lock().unwrap().iter().map(|progress| progress.done).collect();
    assert_eq!(done, [1.0, 2.0, 3.0, 4.0, 5.0]);
}

#[tokio::test]
async fn the_python_sdk_as_a_program() {
    let Some(python) = python() else { return };
    let client = spawn(python).arg(SCRIPT).arg("stdio").await.unwrap();
    let (tools, diagnostics) = client.tools().await.unwrap();
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    check(&tools).await;
    let variables = tools.call(&ToolContext::new(), &call("variables", json!({}))).await.unwrap();
    assert!(variables.to_text().contains("PATH") && !variables.to_text().contains("CARGO"), "{variables:?}");
}

#[tokio::test]
async fn the_python_sdk_over_http() {
    let Some(python) = python() else { return };
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut server = Command::new(python)
        .args([SCRIPT, "http", &port.to_string()])
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut said = BufReader::new(server.stderr.take().unwrap()).lines();
    soon("the server", async {
        while !said.next_line().await.unwrap().expect("it ended").contains("Uvicorn running on") {}
    })
    .await;
    tokio::spawn(async move { while let Ok(Some(_)) = said.next_line().await {} });
    let client = connect(format!("http://127.0.0.1:{port}/mcp")).await.unwrap();
    let (tools, diagnostics) = client.tools().await.unwrap();
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    check(&tools).await;
}
