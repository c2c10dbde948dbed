//! What the HTTP endpoint refuses, and how.

use std::net::SocketAddr;
use std::sync::Arc;

use opentool_mcp::{McpError, Server};
use serde_json::{Value, json};

use crate::raw::{Post, body};
use crate::support::{add, serve, set};

async fn server() -> SocketAddr {
    listening(Server::new(set([Arc::new(add())]))).await
}

async fn listening(server: Server) -> SocketAddr {
    let bound = server.bind("127.0.0.1:0").await.unwrap();
    let address = bound.local_addr();
    tokio::spawn(bound.serve());
    address
}

fn call() -> Post {
    Post::modern("tools/call", json!({"name": "add", "arguments": {"a": 2, "b": 3}}))
}

#[tokio::test]
async fn a_modern_call_is_answered_as_json_without_a_session() {
    let reply = call().send(server().await).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert!(reply.head.contains("content-type: application/json"), "{}", reply.head);
    assert!(!reply.head.contains("mcp-session-id"), "{}", reply.head);
    let result = &reply.json()["result"];
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["content"], json!([{"type": "text", "text": "5"}]));
    assert_eq!(result["structuredContent"], json!({"result": 5}));
    assert_eq!(result["isError"], false);
}

#[tokio::test]
async fn foreign_origins_and_hosts_are_forbidden() {
    let address = server().await;
    for origin in
        ["http://evil.example", "https://localhost.evil.example", "null", "http://127.0.0.1.evil.example"]
    {
        assert_eq!(call().header("Origin", origin).send(address).await.status, 403, "{origin}");
    }
    for host in ["evil.example", "evil.example:80", "localhost.evil.example", "169.254.169.254", "0.0.0.0"] {
        assert_eq!(call().header("Host", host).send(address).await.status, 403, "{host}");
    }
    for origin in ["http://localhost:5173", "http://127.0.0.1", "https://localhost", "http://[::1]:8080"] {
        assert_eq!(call().header("Origin", origin).send(address).await.status, 200, "{origin}");
    }
    for host in ["localhost:3000", "127.0.0.1", "[::1]:3000", "LOCALHOST"] {
        assert_eq!(call().header("Host", host).send(address).await.status, 200, "{host}");
    }
}

#[tokio::test]
async fn a_request_names_one_host_and_no_user() {
    let address = server().await;
    for host in [format!("evil@{address}"), "evil.example@localhost".to_owned()] {
        assert_eq!(call().header("Host", &host).send(address).await.status, 400, "{host}");
    }
    for (one, other) in
        [("localhost", "evil.example"), ("evil.example", "localhost"), ("localhost", "localhost")]
    {
        let post = call().header("Host", one).another("Host", other);
        assert_eq!(post.send(address).await.status, 400, "{one} {other}");
    }
    let sessions = call().header("Mcp-Session-Id", "one").another("Mcp-Session-Id", "other");
    assert_eq!(sessions.send(address).await.status, 400);
    let origins = call().header("Origin", "http://localhost").another("Origin", "http://evil.example");
    assert_eq!(origins.send(address).await.status, 400);
    for target in ["http://evil.example/mcp", "http://evil@localhost/mcp", "http://localhost:81/mcp"] {
        assert_eq!(call().path(target).send(address).await.status, 400, "{target}");
    }
    // As a proxy is asked, and right.
    assert_eq!(call().path("http://LOCALHOST/mcp").send(address).await.status, 200);
}

#[tokio::test]
async fn a_body_that_is_no_message_is_a_json_rpc_error() {
    let address = server().await;
    let cases = [
        ("", -32700, json!(null)),
        ("{\"jsonrpc\": \"2.0\", ", -32700, json!(null)),
        ("nonsense", -32700, json!(null)),
        ("[]", -32600, json!(null)),
        ("[{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}]", -32600, json!(null)),
        ("{\"id\": 4, \"method\": \"ping\"}", -32600, json!(4)),
        ("5", -32600, json!(null)),
    ];
    for (body, code, id) in cases {
        let reply = Post::plain(body).send(address).await;
        assert_eq!(reply.status, 400, "{body}: {}", reply.body);
        assert!(reply.head.contains("content-type: application/json"), "{}", reply.head);
        let answer = reply.json();
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &id), "{body}: {answer}");
        assert_eq!(answer["jsonrpc"], "2.0");
    }
    let deep = "[".repeat(100_000);
    assert_eq!(Post::plain(deep).send(address).await.json()["error"]["code"], -32700);
}

#[tokio::test]
async fn a_cursor_that_is_not_a_string_is_an_error_in_every_revision() {
    let address = server().await;
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}
    }});
    let reply = Post::plain(hello).send(address).await;
    let session = reply.head.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap();
    let list = |params: Option<Value>| {
        let mut body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
        if let Some(params) = params {
            body["params"] = params;
        }
        Post::plain(body).header("Mcp-Session-Id", session)
    };
    for cursor in [json!(5), json!(["a"]), json!({}), json!(true)] {
        let modern = Post::modern("tools/list", json!({"cursor": cursor})).send(address).await;
        assert_eq!(modern.json()["error"]["code"], -32602, "{}", modern.body);
        let legacy = list(Some(json!({"cursor": cursor}))).send(address).await;
        assert_eq!(event(&legacy.body)["error"]["code"], -32602, "{}", legacy.body);
    }
    assert!(Post::modern("tools/list", json!({})).send(address).await.json()["result"]["tools"].is_array());
    for params in [None, Some(json!({})), Some(json!({"cursor": null})), Some(json!({"_meta": {}}))] {
        let reply = list(params).send(address).await;
        assert!(event(&reply.body)["result"]["tools"].is_array(), "{}", reply.body);
    }
}

#[tokio::test]
async fn hosts_and_origins_can_be_added() {
    let server = Server::new(set([Arc::new(add())]))
        .allow_host("tools.example:8080")
        .allow_origin("https://app.example");
    let address = listening(server).await;
    let status = async |name: &str, value: &str| call().header(name, value).send(address).await.status;
    assert_eq!(status("Host", "tools.example:8080").await, 200);
    assert_eq!(status("Host", "tools.example:8081").await, 403);
    assert_eq!(status("Origin", "https://app.example").await, 200);
    assert_eq!(status("Origin", "https://app.example:8443").await, 403);
    assert_eq!(status("Origin", "http://app.example").await, 403);
    assert_eq!(status("Origin", "http://tools.example:8080").await, 200);
}

#[tokio::test]
async fn wrong_hosts_and_origins_are_found_at_the_start() {
    let server = || Server::new(set([Arc::new(add())]));
    let error = server().allow_host("https://tools.example/mcp").bind("127.0.0.1:0").await.unwrap_err();
    assert!(matches!(&error, McpError::InvalidHost { host } if &**host == "https://tools.example/mcp"));
    let error = server().allow_origin("app.example").router().unwrap_err();
    assert!(
        matches!(&error, McpError::InvalidOrigin { .. }) && error.to_string().contains("https://"),
        "{error}"
    );
}

#[tokio::test]
async fn an_unsupported_version_names_the_supported_ones() {
    let post = Post::plain(body("tools/list", json!({}), "1900-01-01"))
        .header("MCP-Protocol-Version", "1900-01-01")
        .header("Mcp-Method", "tools/list");
    let reply = post.send(server().await).await;
    assert_eq!(reply.status, 400, "{}", reply.body);
    let error = &reply.json()["error"];
    assert_eq!(error["code"], -32022);
    assert_eq!(
        error["data"]["supported"],
        json!(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"])
    );
}

#[tokio::test]
async fn headers_have_to_agree_with_the_body() {
    let address = server().await;
    for (name, value) in
        [("Mcp-Name", "bad"), ("Mcp-Method", "tools/list"), ("MCP-Protocol-Version", "2025-11-25")]
    {
        let reply = call().header(name, value).send(address).await;
        assert_eq!((reply.status, reply.json()["error"]["code"].as_i64()), (400, Some(-32020)), "{name}");
    }
}

#[tokio::test]
async fn requests_that_are_not_mcp_are_refused_with_a_reason() {
    let address = server().await;
    assert_eq!(call().header("Accept", "application/json").send(address).await.status, 406);
    assert_eq!(call().header("Content-Type", "text/plain").send(address).await.status, 415);
    assert_eq!(call().method("PUT").send(address).await.status, 405);
    let lost = call().path("/").send(address).await;
    assert_eq!(lost.status, 404);
    assert!(lost.body.contains("/mcp"), "{}", lost.body);
    let unknown = Post::modern("tools/frobnicate", json!({})).send(address).await;
    assert_eq!((unknown.status, unknown.json()["error"]["code"].as_i64()), (404, Some(-32601)));
    // Parameters of the wrong form.
    let wrong = Post::modern("tools/call", json!({"name": "add", "arguments": "a=1"})).send(address).await;
    assert_eq!(wrong.json()["error"]["code"], -32602, "{}", wrong.body);
    assert!(wrong.body.contains("arguments"), "{}", wrong.body);
}

#[tokio::test]
async fn a_request_that_is_too_large_is_refused() {
    let address = listening(Server::new(set([Arc::new(add())])).max_request_bytes(10_000)).await;
    let big = json!({"name": "add", "arguments": {"a": 2, "b": "x".repeat(20_000)}});
    assert_eq!(Post::modern("tools/call", big).send(address).await.status, 413);
    assert_eq!(call().send(address).await.status, 200);
}

#[tokio::test]
async fn a_parameter_header_has_to_agree_with_the_argument() {
    let schema = json!({
        "type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}
    });
    let definition = opentool_core::ToolDefinition::new("where", "").input_schema(schema);
    let tool = crate::support::defined(definition, |_, arguments| async move {
        Ok(opentool_core::ToolOutput::json(arguments))
    });
    let address = listening(Server::new(set([Arc::new(tool)]))).await;
    let call = || Post::modern("tools/call", json!({"name": "where", "arguments": {"region": "eu"}}));
    assert_eq!(call().header("Mcp-Param-Region", "eu").send(address).await.status, 200);
    for reply in [call().send(address).await, call().header("Mcp-Param-Region", "us").send(address).await] {
        assert_eq!((reply.status, reply.json()["error"]["code"].as_i64()), (400, Some(-32020)));
    }
}

#[tokio::test]
async fn a_legacy_session_begins_works_and_ends() {
    let address = server().await;
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}
        }});
        let reply = Post::plain(hello).send(address).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        assert_eq!(event(&reply.body)["result"]["protocolVersion"], version);
        let session = reply.head.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap();
        let post = |body: Value| {
            Post::plain(body).header("Mcp-Session-Id", session).header("MCP-Protocol-Version", version)
        };
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(post(ready).send(address).await.status, 202);
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "add", "arguments": {"a": 2, "b": 3}
        }});
        let reply = post(call.clone()).send(address).await;
        let result = &event(&reply.body)["result"];
        assert_eq!(result["structuredContent"], json!({"result": 5}), "{version}: {}", reply.body);
        assert_eq!(result.get("resultType"), None, "{version}");
        assert_eq!(post(json!({})).method("DELETE").send(address).await.status, 202);
        assert_eq!(post(call).send(address).await.status, 404);
    }
}

/// The one message of an event stream, which has no event without data.
fn event(stream: &str) -> Value {
    let mut data = stream.lines().filter_map(|line| line.strip_prefix("data:"));
    let message = data.next().unwrap_or_else(|| panic!("no event in {stream}"));
    assert_eq!(data.next(), None, "{stream}");
    serde_json::from_str(message).unwrap()
}

#[tokio::test]
async fn a_port_in_use_is_said_so() {
    let first = Server::new(set([Arc::new(add())])).bind("127.0.0.1:0").await.unwrap();
    let address = first.local_addr().to_string();
    let error = Server::new(set([Arc::new(add())])).bind(&*address).await.unwrap_err();
    assert!(matches!(&error, McpError::AddressInUse { address: in_use } if **in_use == *address));
    assert!(error.to_string().contains("in use") && error.to_string().contains(&address), "{error}");
    for wrong in ["nonsense", "127.0.0.1", "127.0.0.1:99999", "192.0.2.1:80"] {
        let error = opentool_mcp::serve_http(set([Arc::new(add())]), wrong).await.unwrap_err();
        assert!(matches!(error, McpError::Bind { .. }), "{wrong}: {error}");
    }
    assert!(std::mem::size_of::<McpError>() <= 64);
}

#[tokio::test]
async fn other_routes_live_beside_the_endpoint() {
    let routes = axum::Router::new().route("/hello", axum::routing::get(|| async { "hello" }));
    let bound = Server::new(set([Arc::new(add())])).bind("127.0.0.1:0").await.unwrap().beside(routes);
    let address = bound.local_addr();
    tokio::spawn(bound.serve());
    assert_eq!(call().send(address).await.status, 200);
    let hello = call().method("GET").path("/hello").send(address).await;
    assert_eq!((hello.status, &*hello.body), (200, "hello"));

    // And the other way round: the endpoint in a server of somebody else.
    let router = Server::new(set([Arc::new(add())])).router().unwrap();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(axum::serve(listener, router).into_future());
    assert_eq!(call().send(address).await.status, 200);
}

#[tokio::test]
async fn the_url_is_one_that_works() {
    let url = serve(Server::new(set([Arc::new(add())]))).await;
    assert!(url.starts_with("http://127.0.0.1:") && url.ends_with("/mcp"), "{url}");
    let all = Server::new(set([Arc::new(add())])).bind("0.0.0.0:0").await.unwrap();
    assert!(all.url().starts_with("http://127.0.0.1:"), "{}", all.url());
}
