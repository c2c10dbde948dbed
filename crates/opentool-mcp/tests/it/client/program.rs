//! Servers that are programs: this test binary, run a second time with a variable that says what it is to be.

use std::io::{BufRead as _, Write as _};
use std::sync::Arc;

use opentool_core::{ToolContext, ToolError, ToolOutput};
use opentool_mcp::client::{ClientError, SpawnBuilder};
use opentool_mcp::{serve_stdio, spawn};
use opentool_schema::ToolSetExt as _;
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;

use super::http::{Heard, call};
use super::opened;
use crate::support::{add, set, soon, tool};

const ROLE: &str = "OPENTOOL_TEST_ROLE";

/// An address to which the program keeps a connection, as long as it lives.
pub(super) const WATCHED: &str = "OPENTOOL_TEST_WATCHED";

/// The program in a role.
pub(super) fn program(role: &str) -> SpawnBuilder {
    spawn(std::env::current_exe().unwrap())
        .args(["--exact", "client::program::a_program_in_its_role", "--nocapture"])
        .env(ROLE, role)
}

/// No test: what the others start.
#[tokio::test]
async fn a_program_in_its_role() {
    let _watched = std::env::var(WATCHED).map(std::net::TcpStream::connect);
    match std::env::var(ROLE).as_deref() {
        Ok("server") => {
            let variables = tool("variables", |_, _| async {
                let names: Vec<String> = std::env::vars().map(|(name, _)| name).collect();
                Ok(ToolOutput::json(json!(names)))
            });
            let process =
                tool("process", |_, _| async { Ok(ToolOutput::text(std::process::id().to_string())) });
            let large = tool("large", |_, _| async { Ok(ToolOutput::text("x".repeat(3_000_000))) });
            let exit = tool("exit", |_, _| async { std::process::exit(7) });
            let counts = tool("counts", |cx, _| async move {
                for done in 1..=50 {
                    cx.progress(f64::from(done)).await;
                }
                Ok(ToolOutput::text("done"))
            });
            let tools = set([
                Arc::new(add()),
                Arc::new(variables),
                Arc::new(process),
                Arc::new(large),
                Arc::new(exit),
                Arc::new(counts),
            ]);
            serve_stdio(tools).await.unwrap();
            std::process::exit(0);
        }
        Ok("dies") => {
            eprintln!("no such database: hunter2-hunter2");
            std::process::exit(3);
        }
        // It knows `initialize` only, and ends at anything else before it.
        Ok("older") => older(false),
        // Such a server, which has one tool more after each call.
        Ok("grows") => older(true),
        // It does not end with its input.
        Ok("stubborn") => {
            tokio::spawn(serve_stdio(set([Arc::new(add())])));
            std::future::pending().await
        }
        _ => {}
    }
}

fn older(grows: bool) -> ! {
    let (mut begun, mut tools) = (false, vec![json!({"name": "old", "inputSchema": {"type": "object"}})]);
    for line in std::io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let result = match message["method"].as_str().unwrap() {
            "initialize" => {
                begun = true;
                json!({"protocolVersion": "2024-11-05", "capabilities": {}, "serverInfo": {"name": "o", "version": "1"}})
            }
            _ if !begun => std::process::exit(1),
            "tools/list" => json!({"tools": tools}),
            "tools/call" if grows => {
                tools.push(json!({"name": "young", "inputSchema": {"type": "object"}}));
                println!("{}", json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}));
                json!({"content": []})
            }
            "tools/call" => json!({"content": [{"type": "text", "text": "old enough"}]}),
            _ => continue,
        };
        println!("{}", json!({"jsonrpc": "2.0", "id": message["id"], "result": result}));
        std::io::stdout().flush().unwrap();
    }
    std::process::exit(0)
}

#[tokio::test]
async fn a_program_is_called_and_gets_no_variable_that_the_host_does_not_give() {
    let client = opened(program("server").env("GIVEN", "1").pass_env("CARGO_MANIFEST_DIR")).await.unwrap();
    let (tools, diagnostics) = client.tools().await.unwrap();
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let cx = ToolContext::new();
    let sum = tools.call(&cx, &call("add", json!({"a": 1, "b": 2}))).await.unwrap();
    assert_eq!(sum.to_text(), "3");
    let variables = tools.call(&cx, &call("variables", json!({}))).await.unwrap();
    let mut names: Vec<String> = serde_json::from_str(&variables.to_text()).unwrap();
    names.sort();
    let mut expected = vec!["GIVEN", ROLE, "PATH"];
    expected.extend(std::env::var_os("CARGO_MANIFEST_DIR").map(|_| "CARGO_MANIFEST_DIR"));
    expected.sort_unstable();
    assert_eq!(names, expected);
    let heard = Heard::default();
    tools.call(&ToolContext::new().events(heard.clone()), &call("counts", json!({}))).await.unwrap();
    assert_eq!(heard.0.lock().unwrap().len(), 50);
}

#[tokio::test]
async fn an_answer_that_is_too_large_fails_its_call_and_no_other() {
    let client = opened(program("server").answer_limit(100_000)).await.unwrap();
    let (tools, _) = client.tools().await.unwrap();
    let cx = ToolContext::new();
    let error = soon("the failure", tools.call(&cx, &call("large", json!({})))).await.unwrap_err();
    assert!(error.for_model().contains("larger than 100000 bytes"), "{}", error.for_model());
    let sum = tools.call(&cx, &call("add", json!({"a": 1, "b": 2}))).await.unwrap();
    assert_eq!(sum.to_text(), "3");
}

#[tokio::test]
async fn a_program_that_ends_is_started_anew_by_the_next_call() {
    let (tools, _) = opened(program("server")).await.unwrap().tools().await.unwrap();
    let cx = ToolContext::new();
    let lost = soon("the end", tools.call(&cx, &call("exit", json!({})))).await.unwrap_err();
    assert!(matches!(lost, ToolError::Upstream(_)), "{lost:?}");
    assert!(lost.for_model().contains("the call may have run"), "{}", lost.for_model());
    assert!(lost.chain().contains("exit code 7"), "{}", lost.chain());
    let sum = soon("the answer", tools.call(&cx, &call("add", json!({"a": 1, "b": 2})))).await.unwrap();
    assert_eq!(sum.to_text(), "3");
}

#[tokio::test]
async fn why_a_program_does_not_start_is_said() {
    let missing = spawn("opentool-no-such-program").await.unwrap_err();
    assert!(matches!(missing, ClientError::Spawn { .. }) && missing.not_run(), "{missing:?}");
    assert!(missing.to_string().contains("no such program on `PATH`"), "{missing}");
    let died = opened(program("dies").env("KEY", "hunter2-hunter2")).await.unwrap_err();
    assert!(died.to_string().contains("exit code 3"), "{died}");
    assert!(died.to_string().contains("no such database: ***"), "{died}");
}

#[tokio::test]
async fn a_program_that_ends_at_what_it_does_not_know_is_met_as_an_older_one() {
    let (tools, _) = opened(program("older")).await.unwrap().tools().await.unwrap();
    let output = tools.call(&ToolContext::new(), &call("old", json!({}))).await.unwrap();
    assert_eq!(output.to_text(), "old enough");
}

#[tokio::test]
async fn a_program_ends_with_the_last_that_needs_it() {
    for role in ["server", "stubborn"] {
        let watch = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let program = program(role).env(WATCHED, watch.local_addr().unwrap().to_string());
        let (client, mut process) = (opened(program).await.unwrap(), watch.accept().await.unwrap().0);
        let (tools, _) = client.tools().await.unwrap();
        let mut byte = [0];
        drop(client);
        let sum = tools.call(&ToolContext::new(), &call("add", json!({"a": 1, "b": 2}))).await.unwrap();
        assert_eq!(sum.to_text(), "3");
        drop(tools);
        // The system closes it with the process.
        let ended = soon(&format!("the end of {role}"), process.read(&mut byte)).await;
        assert!(matches!(ended, Ok(0) | Err(_)), "{ended:?}");
    }
}
