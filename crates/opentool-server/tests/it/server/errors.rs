//! What is answered to calls that fail, and to what is no call.

use std::sync::Arc;

use opentool_core::{ToolError, ToolOutput, Upstream};
use opentool_schema::{RepairPolicy, Repairs};
use opentool_server::server::Server;
use serde_json::{Value, json};

use super::raw::Ask;
use super::support::{add, serve, set, start, tool};

#[tokio::test]
async fn a_function_that_does_not_exist_is_405() {
    let server = serve([Arc::new(add()) as _]).await;
    let reply = Ask::call("subtract", json!({})).send(server.address).await;
    assert_eq!(reply.status, 200);
    let error = json!({"code": 405, "message": "Function Not Supported: subtract"});
    assert_eq!(reply.json(), json!({"jsonrpc": "2.0", "result": {}, "error": error, "id": "callId-0"}));
    let reply = Ask::call("addd", json!({})).send(server.address).await.json();
    assert_eq!(reply["error"]["message"], "Function Not Supported: addd; did you mean `add`?");
    let reply = Ask::call(&"x".repeat(100_000), json!({})).send(server.address).await;
    assert!(reply.json()["error"]["code"] == 405 && reply.body.len() < 1_000, "{}", reply.body.len());
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_400_with_all_their_problems() {
    let server = serve([Arc::new(add()) as _]).await;
    let reply = Ask::call("add", json!({"a": "x", "c": 1})).send(server.address).await.json();
    assert_eq!((&reply["result"], &reply["error"]["code"]), (&json!({}), &json!(400)));
    let message = reply["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("Invalid Arguments: nothing was run\n- "), "{message}");
    assert!(message.contains("/a: ") && message.contains("/b: "), "{message}");
}

#[tokio::test]
async fn the_operator_decides_how_far_arguments_are_mended() {
    let call = || Ask::call("add", json!({"a": "2", "b": 3}));
    let server = serve([Arc::new(add()) as _]).await;
    assert_eq!(call().send(server.address).await.json()["result"], json!({"result": 5}));
    let strict = Server::new(set([Arc::new(add()) as _])).repairs(RepairPolicy::new(Repairs::Off));
    let server = start(strict).await;
    assert_eq!(call().send(server.address).await.json()["error"]["code"], 400);
}

#[tokio::test]
async fn a_number_that_would_be_rounded_is_refused() {
    let server = serve([tool("echo", |_, arguments| async move { Ok(ToolOutput::json(arguments)) })]).await;
    let body = r#"{"jsonrpc":"2.0","method":"echo","params":{"n":123456789012345678901234567890},"id":1}"#;
    let reply = Ask::post("/opentool/call", body).send(server.address).await.json();
    assert_eq!(reply["error"]["code"], 400, "{reply}");
}

#[tokio::test]
async fn failures_are_500_with_the_words_for_the_model_and_no_others() {
    let tools = [
        tool("fails", |_, _| async {
            let error = std::io::Error::other("secret-path");
            Err(ToolError::from(opentool_core::Failure::new("no such order").source(error)))
        }),
        tool("upstream", |_, _| async {
            Err(Upstream::new("the shop is closed").source(std::io::Error::other("secret-path")).into())
        }),
        tool("refuses", |_, _| async { Err(ToolError::Refused("not today".into())) }),
        tool("says", |_, _| async { Ok(ToolOutput::error("it went wrong")) }),
        tool("panics", |_, _| async { panic!("secret-path") }),
    ];
    let server = serve(tools).await;
    for (function, message) in [
        ("fails", "no such order"),
        ("upstream", "the shop is closed"),
        ("refuses", "the call was refused: not today"),
        ("says", "it went wrong"),
        ("panics", "the tool failed with an internal error; its operator has the details"),
    ] {
        let reply = Ask::call(function, json!({})).send(server.address).await;
        assert_eq!(reply.status, 200, "{function}");
        let error = json!({"code": 500, "message": message});
        assert_eq!(reply.json(), json!({"jsonrpc": "2.0", "result": {}, "error": error, "id": "callId-0"}));
    }
}

/// Status 400 and a JSON-RPC error of this code, with this id.
fn assert_refused(reply: &super::raw::Reply, code: i64, id: Value, what: &str) {
    assert_eq!(reply.status, 400, "{what}: {reply:?}");
    assert_eq!(reply.header("content-type"), Some("application/json"), "{what}");
    let body = reply.json();
    assert_eq!(body["jsonrpc"], "2.0", "{what}");
    assert_eq!(body["error"]["code"], code, "{what}: {body}");
    assert!(body["error"]["message"].as_str().is_some_and(|message| message.len() > 10), "{what}: {body}");
    assert_eq!(body["id"], id, "{what}");
}

#[tokio::test]
async fn a_body_that_is_no_call_is_told_why() {
    let server = serve([Arc::new(add()) as _]).await;
    for path in ["/opentool/call", "/opentool/streamCall"] {
        for body in ["", "nonsense", "{", "[]", "null", "\"add\"", "7", r#"["2.0","add",{},"1"]"#, "{'a':1}"]
        {
            let reply = Ask::post(path, body).send(server.address).await;
            assert_refused(&reply, -32700, Value::Null, body);
        }
        let reply = Ask::post(path, b"{\"method\":\"\xff\"}".to_vec()).send(server.address).await;
        assert_refused(&reply, -32700, Value::Null, "not UTF-8");
        for (body, id) in [
            ("{}", Value::Null),
            (r#"{"jsonrpc":"2.0","id":"1"}"#, json!("1")),
            (r#"{"jsonrpc":"2.0","method":5,"id":1}"#, json!(1)),
            (r#"{"jsonrpc":"1.1","method":"add","id":"1"}"#, json!("1")),
            (r#"{"jsonrpc":"2.0","method":"add","id":{}}"#, Value::Null),
            (r#"{"jsonrpc":"2.0","method":"add","method":"add","id":"1"}"#, Value::Null),
        ] {
            let reply = Ask::post(path, body).send(server.address).await;
            assert_refused(&reply, -32600, id, body);
        }
        let reply = Ask::post(path, r#"{"jsonrpc":"2.0","method":"add","params":[1,2],"id":"1"}"#);
        assert_refused(&reply.send(server.address).await, -32602, json!("1"), "a list");
        let long = json!({"jsonrpc": "2.0", "method": "add", "id": "i".repeat(2_000)}).to_string();
        assert_refused(&Ask::post(path, long).send(server.address).await, -32600, Value::Null, "a long id");
    }
}

#[tokio::test]
async fn another_content_type_is_400() {
    let server = serve([Arc::new(add()) as _]).await;
    let call = || Ask::call("add", json!({"a": 1, "b": 1}));
    for content_type in
        ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "", "text/json"]
    {
        let reply = call().header("Content-Type", content_type).send(server.address).await;
        assert_refused(&reply, -32600, Value::Null, content_type);
    }
    let reply = call().without("Content-Type").send(server.address).await;
    assert_refused(&reply, -32600, Value::Null, "none");
}

#[tokio::test]
async fn other_methods_and_paths_are_told_what_there_is() {
    let server = serve([]).await;
    for (path, allowed, wrong) in [
        ("/opentool/version", "get, head", "POST"),
        ("/opentool/load", "get, head", "DELETE"),
        ("/opentool/call", "post", "GET"),
        ("/opentool/streamCall", "post", "HEAD"),
        ("/opentool/stop", "post", "GET"),
        ("/opentool/call", "post", "OPTIONS"),
    ] {
        let reply = Ask::get(path).method(wrong).send(server.address).await;
        assert_eq!((reply.status, reply.header("allow")), (405, Some(allowed)), "{wrong} {path}");
        if wrong != "HEAD" {
            assert_eq!(reply.json()["code"], 405);
        }
    }
    for path in [
        "/",
        "/opentool",
        "/opentool/",
        "/opentool/call/",
        "/opentool/call/x",
        "/opentool/Call",
        "/x",
        "/opentoolx",
    ] {
        let reply = Ask::get(path).send(server.address).await;
        assert_eq!((reply.status, reply.json()["code"].clone()), (404, json!(404)), "{path}");
    }
}

#[tokio::test]
async fn a_body_that_is_not_in_the_chunks_that_it_says_is_told_so() {
    let server = serve([Arc::new(add()) as _]).await;
    // It says its length as well, which does not count then.
    let ask = Ask::call("add", json!({"a": 1, "b": 2})).header("Transfer-Encoding", "chunked");
    let reply = ask.send(server.address).await;
    assert!(
        reply.status == 400 && reply.body.contains("is not in chunks as `Transfer-Encoding` says"),
        "{reply:?}"
    );
}
