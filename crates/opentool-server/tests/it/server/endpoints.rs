//! What every endpoint answers when all is well.

use std::sync::Arc;

use opentool_core::{LiveTools, ToolDefinition, ToolOutput, ToolSet};
use opentool_doc::{Document, Function, Info, Return, Schema, SchemaType, Version};
use opentool_schema::{RepairPolicy, Repairs};
use opentool_server::server::{Server, Stop};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use super::raw::{Ask, end};
use super::support::{add, serve, set, start, tool};

#[tokio::test]
async fn a_call_is_answered() {
    let server = serve([Arc::new(add()) as _]).await;
    let reply = Ask::call("add", json!({"a": 2, "b": 3})).send(server.address).await;
    assert_eq!(reply.status, 200);
    assert_eq!(reply.header("content-type"), Some("application/json"));
    assert_eq!(reply.body, r#"{"jsonrpc":"2.0","result":{"result":5},"id":"callId-0"}"#);
}

#[tokio::test]
async fn ids_come_back_as_they_were() {
    let server =
        serve([tool("id", |cx, _| async move { Ok(ToolOutput::json(json!({"id": cx.id()}))) })]).await;
    for (id, seen) in [
        (json!("a\"b\u{1f600}"), json!("a\"b\u{1f600}")),
        (json!(7), json!("7")),
        (json!(-7.5), json!("-7.5")),
        (json!(u64::MAX), json!("18446744073709551615")),
        (json!(""), json!("")),
        (json!(null), json!(null)),
    ] {
        let body = json!({"jsonrpc": "2.0", "method": "id", "id": id});
        let reply = Ask::post("/opentool/call", body.to_string()).send(server.address).await;
        assert_eq!(reply.json(), json!({"jsonrpc": "2.0", "result": {"id": seen}, "id": id}));
    }
    let reply = Ask::post("/opentool/call", r#"{"jsonrpc":"2.0","method":"id"}"#).send(server.address).await;
    assert_eq!(reply.json()["id"], Value::Null, "a call without an id is answered, too");
}

#[tokio::test]
async fn parameters_may_be_missing_or_null_and_the_version_may_be_longer() {
    let echo = || tool("echo", |_, arguments| async move { Ok(ToolOutput::json(arguments)) });
    let server = serve([echo()]).await;
    for body in [
        r#"{"jsonrpc":"2.0","method":"echo","id":"1"}"#,
        r#"{"jsonrpc":"2.0.0","method":"echo","params":null,"id":"1"}"#,
        r#" {"id":"1","params":{},"method":"echo","jsonrpc":"2.0","extra":[1]} "#,
    ] {
        let reply = Ask::post("/opentool/call", body).send(server.address).await;
        assert_eq!(reply.json(), json!({"jsonrpc": "2.0", "result": {}, "id": "1"}), "{body}");
    }
    let reply = Ask::post("/opentool/call", r#"{"jsonrpc":"2.0","method":"echo","id":"1"}"#)
        .header("Content-Type", "Application/JSON; charset=utf-8")
        .send(server.address)
        .await;
    assert_eq!(reply.status, 200);
}

#[tokio::test]
async fn a_result_is_always_an_object() {
    let tools = [
        tool("text", |_, _| async { Ok("Done.".into()) }),
        tool("list", |_, _| async { Ok(ToolOutput::json(json!([1, 2]))) }),
        tool("nothing", |_, _| async { Ok(ToolOutput::new()) }),
        tool("object", |_, _| async { Ok(ToolOutput::json(json!({"a": null}))) }),
    ];
    let server = serve(tools).await;
    for (function, result) in [
        ("text", json!({"result": "Done."})),
        ("list", json!({"result": [1, 2]})),
        ("nothing", json!({})),
        ("object", json!({"a": null})),
    ] {
        let reply = Ask::call(function, json!({})).send(server.address).await;
        assert_eq!(reply.json()["result"], result, "{function}");
    }
}

#[tokio::test]
async fn the_document_says_what_the_tools_are_and_what_results_are_called() {
    let server = start(Server::new(set([Arc::new(add()) as _])).info("Sums", "2.3.4")).await;
    let document = Ask::get("/opentool/load").send(server.address).await.json();
    assert_eq!(document["info"], json!({"title": "Sums", "version": "2.3.4"}));
    assert_eq!(document["functions"][0]["name"], "add");
    let parsed = opentool_doc::parse(document.to_string().as_bytes(), "load");
    assert!(parsed.is_ok_and(|parsed| !parsed.has_errors()), "it is a document: {document}");
    let version = Ask::get("/opentool/version").send(server.address).await.json();
    assert_eq!(version, json!({"version": "2.3.4"}));
    let name = document["functions"][0]["return"]["name"].as_str().unwrap();
    let result = Ask::call("add", json!({"a": 1, "b": 1})).send(server.address).await.json();
    assert_eq!(result["result"][name], 2, "the member is the one that the document names");
}

#[tokio::test]
async fn a_document_of_the_operator_is_served_and_names_the_results() {
    let sum = Return::new("sum", Schema::of(SchemaType::Integer));
    let document = Document::new(Version::V1_0_0, Info::new("Own", "9.9.9"))
        .function(Function::new("add", "Adds.").returns(sum));
    let expected = document.to_value();
    let server = start(Server::new(set([Arc::new(add()) as _])).document(document)).await;
    assert_eq!(Ask::get("/opentool/load").send(server.address).await.json(), expected);
    let reply = Ask::call("add", json!({"a": 2, "b": 3})).send(server.address).await;
    assert_eq!(reply.json()["result"], json!({"sum": 5}));
    assert_eq!(Ask::get("/opentool/version").send(server.address).await.json(), json!({"version": "9.9.9"}));
}

#[tokio::test]
async fn there_may_be_no_document() {
    let server = start(Server::new(ToolSet::new()).no_document()).await;
    assert_eq!(Ask::get("/opentool/load").send(server.address).await.body, "{}");
    let version = Ask::get("/opentool/version").send(server.address).await.json();
    assert_eq!(version, json!({"version": "1.0.0"}));
}

#[tokio::test]
async fn a_tool_whose_name_the_format_does_not_allow_is_called_by_its_function_name() {
    let tools = set([tool("shop.find all", |_, _| async { Ok("found".into()) })]);
    // Nor is it mended: the name is one that the document gave.
    let server = start(Server::new(tools).repairs(RepairPolicy::new(Repairs::Off))).await;
    let document = Ask::get("/opentool/load").send(server.address).await.json();
    let function = document["functions"][0]["name"].as_str().unwrap();
    assert_ne!(function, "shop.find all");
    for name in [function, "shop.find all"] {
        let reply = Ask::call(name, json!({})).send(server.address).await;
        assert_eq!(reply.json()["result"], json!({"result": "found"}), "{name}");
    }
}

#[tokio::test]
async fn tools_that_change_count_from_the_next_request_on() {
    let live = LiveTools::new(set([tool("old", |_, _| async { Ok("old".into()) })]));
    let server = start(Server::new(live.clone())).await;
    assert_eq!(Ask::get("/opentool/load").send(server.address).await.json()["functions"][0]["name"], "old");
    live.replace(set([tool("new", |_, _| async { Ok("new".into()) })]));
    assert_eq!(Ask::get("/opentool/load").send(server.address).await.json()["functions"][0]["name"], "new");
    assert!(Ask::call("new", json!({})).send(server.address).await.json().get("error").is_none());
    assert_eq!(Ask::call("old", json!({})).send(server.address).await.json()["error"]["code"], 405);
}

#[tokio::test]
async fn a_head_is_a_get_without_a_body() {
    let server = serve([]).await;
    for path in ["/opentool/version", "/opentool/load"] {
        let got = Ask::get(path).send(server.address).await;
        let head = Ask::get(path).method("HEAD").send(server.address).await;
        assert_eq!((head.status, head.body.as_str()), (200, ""));
        assert_eq!(head.header("content-length"), got.header("content-length"));
    }
}

#[tokio::test]
async fn a_client_stops_the_server_only_where_that_is_allowed() {
    let server = serve([]).await;
    let refused = Ask::post("/opentool/stop", "").send(server.address).await;
    assert_eq!((refused.status, refused.json()["code"].clone()), (403, json!(403)));
    assert_eq!(Ask::get("/opentool/version").send(server.address).await.status, 200, "it goes on");

    let server = start(Server::new(ToolSet::new()).allow_stop(Stop::Allowed)).await;
    let stopped = Ask::get("/opentool/stop").send(server.address).await;
    assert_eq!(stopped.status, 405, "a link cannot stop it");
    let stopped = Ask::post("/opentool/stop", "").send(server.address).await;
    assert_eq!((stopped.status, stopped.body.as_str()), (200, r#"{"status":"stopped"}"#));
    server.ended().await;
}

#[tokio::test]
async fn the_base_path_is_the_operators() {
    let tools = || set([Arc::new(add()) as _]);
    for (base, call) in [("/tools/v1/", "/tools/v1/call"), ("/", "/call")] {
        let bound = Server::new(tools()).base_path(base).bind("127.0.0.1:0").await.unwrap();
        assert!(bound.url().ends_with(call.trim_end_matches("/call")), "{}", bound.url());
        let server = super::support::Served::start(bound);
        let ask = |path: &str| Ask::post(path, super::raw::body("add", json!({"a": 1, "b": 1})));
        assert_eq!(ask(call).send(server.address).await.status, 200, "{call}");
        assert_eq!(ask("/opentool/call").send(server.address).await.status, 404, "{base}");
    }
    let error = Server::new(tools()).base_path("tools").bind("127.0.0.1:0").await.unwrap_err();
    assert!(error.to_string().contains("begins with a slash"), "{error}");
}

#[tokio::test]
async fn other_routes_stand_beside_the_endpoints() {
    let beside = axum::Router::new().route("/health", axum::routing::get(async || "well"));
    let bound = Server::new(ToolSet::new()).api_key("key").bind("127.0.0.1:0").await.unwrap().beside(beside);
    let server = super::support::Served::start(bound);
    assert_eq!(Ask::get("/health").send(server.address).await.body, "well");
    assert_eq!(Ask::get("/opentool/version").send(server.address).await.status, 401);
    assert_eq!(Ask::get("/opentool/nothing").send(server.address).await.status, 401);

    // And the other way round: the endpoints in a server of somebody else.
    let router = Server::new(ToolSet::new()).router().unwrap();
    let router = router.route("/health", axum::routing::get(async || "well"));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(axum::serve(listener, router).into_future());
    assert_eq!(Ask::get("/health").send(address).await.body, "well");
    assert_eq!(Ask::get("/opentool/version").send(address).await.json(), json!({"version": "1.0.0"}));
}

#[tokio::test]
async fn an_address_in_use_is_an_error_before_anything_is_served() {
    let first = Server::new(ToolSet::new()).bind("127.0.0.1:0").await.unwrap();
    let error = Server::new(ToolSet::new()).bind(first.local_addr()).await.unwrap_err();
    assert!(error.to_string().contains("is in use"), "{error}");
    let error = Server::new(ToolSet::new()).bind("nowhere").await.unwrap_err();
    assert!(error.to_string().contains("looks like"), "{error}");
}

#[tokio::test]
async fn what_the_host_keeps_with_a_tool_is_not_served() {
    let definition = ToolDefinition::new("quiet", "Says nothing.").metadata("secret", "hidden-fact");
    struct Quiet(ToolDefinition);
    impl opentool_core::Tool for Quiet {
        fn definition(&self) -> &ToolDefinition {
            &self.0
        }
        fn call<'a>(
            &'a self,
            _: &'a opentool_core::ToolContext,
            _: opentool_core::Arguments,
        ) -> opentool_core::BoxFuture<'a, Result<ToolOutput, opentool_core::ToolError>> {
            Box::pin(async { Ok(ToolOutput::text("ok").metadata("cost", "hidden-fact")) })
        }
    }
    let server = serve([Arc::new(Quiet(definition)) as _]).await;
    let document = Ask::get("/opentool/load").send(server.address).await;
    let reply = Ask::call("quiet", json!({})).send(server.address).await;
    assert!(!document.body.contains("hidden-fact") && !reply.body.contains("hidden-fact"));
}

#[tokio::test]
async fn the_end_of_a_stream_of_the_old_protocol_is_that_of_its_connection() {
    let server = serve([Arc::new(add()) as _]).await;
    let ask = Ask::stream("add", json!({"a": 1, "b": 2})).header("Connection", "keep-alive");
    let request = String::from_utf8(ask.bytes()).unwrap();
    let mut socket = TcpStream::connect(server.address).await.unwrap();
    socket.write_all(request.replacen("HTTP/1.1", "HTTP/1.0", 1).as_bytes()).await.unwrap();
    let reply = end(socket).await;
    assert_eq!((reply.status, reply.header("connection")), (200, Some("close")), "{reply:?}");
    assert!(reply.body.contains("event:done"), "{reply:?}");
}
