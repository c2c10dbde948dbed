//! Our client and our server: what goes in at one end comes out at the other.

use futures_util::future::join_all;
use opentool_core::{
    Arguments, BoxFuture, Cancellation, Tool, ToolCall, ToolContext, ToolDefinition, ToolError, ToolOutput,
    ToolSet, tool_fn,
};
use opentool_doc::Document;
use opentool_schema::ToolSetExt as _;
use opentool_server::client::{self, Client, ClientError, FunctionCall, StreamEvent};
use opentool_server::mock;
use opentool_server::server::{Server, Stop};
use serde_json::json;

use super::streams::{Parts, streaming_document};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Add {
    /// A summand.
    a: i64,
    /// The other.
    b: i64,
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Sum {
    sum: i64,
}

fn sums() -> ToolSet {
    let mut tools = ToolSet::new();
    tools
        .insert(tool_fn("add", "Adds two numbers.", async |add: Add| {
            add.a.checked_add(add.b).map(|sum| Sum { sum }).ok_or("the sum is too large")
        }))
        .unwrap();
    tools.insert(tool_fn("large", "20 MB.", async |_: ()| Ok::<_, String>("x".repeat(20_000_000)))).unwrap();
    tools
}

/// A client of a server that runs until the test ends.
async fn client(server: Server) -> Client {
    let bound = server.bind("127.0.0.1:0").await.unwrap();
    let url = bound.url();
    tokio::spawn(bound.serve());
    client::connect(url).api_key("right-key").await.unwrap()
}

#[tokio::test]
async fn a_tool_is_called_through_the_wire_as_it_is_called_here() {
    let client = client(Server::new(sums()).api_key("right-key")).await;
    let (tools, diagnostics) = client.tools().await.unwrap();
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    assert_eq!(tools.names().collect::<Vec<_>>(), ["add", "large"]);
    let cx = ToolContext::new();
    let output = tools.call(&cx, ToolCall::new("1", "add", json!({"a": 1, "b": 2}))).await.unwrap();
    assert_eq!(output.structured, Some(json!({"sum": 3})));
    let output = tools.answer(&cx, ToolCall::new("1", "add", json!({"a": i64::MAX, "b": 2}))).await;
    assert!(output.is_error);
    assert_eq!(output.to_text(), "the sum is too large");
    let output = tools.call(&cx, ToolCall::new("1", "large", json!({}))).await.unwrap();
    assert_eq!(output.structured.unwrap().to_string().len(), r#"{"result":""}"#.len() + 20_000_000);
}

#[tokio::test]
async fn the_server_validates_what_the_protocol_sends() {
    let client = client(Server::new(sums()).api_key("right-key")).await;
    let error = client.call(&FunctionCall::new("1", "add").argument("a", 1)).await.unwrap_err();
    assert!(matches!(&error, ClientError::Call { code: 400, message } if message.contains("/b")), "{error}");
    let error = client.call(&FunctionCall::new("1", "divide")).await.unwrap_err();
    assert!(matches!(error, ClientError::Call { code: 405, .. }), "{error}");
    let wrong = client::connect(client.url()).api_key("wrong-key").await.unwrap_err();
    assert!(matches!(wrong, ClientError::Unauthorized { .. }), "{wrong}");
    let error = client::connect(format!("{}/more", client.url())).api_key("right-key").await.unwrap_err();
    assert!(matches!(error, ClientError::NoAccess { .. }), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_four_at_once_get_their_own_answers() {
    let client = client(Server::new(sums()).api_key("right-key")).await;
    let calls = (0..64).map(|n| {
        let client = client.clone();
        async move {
            let call = FunctionCall::new(n.to_string(), "add").argument("a", n).argument("b", 1);
            client.call(&call).await.unwrap()
        }
    });
    for (n, returned) in join_all(calls).await.into_iter().enumerate() {
        assert_eq!((returned.id, returned.result), (n.to_string(), json!({"sum": n + 1})));
    }
}

/// Tells its numbers as it counts, and waits after the last one where it is to count for ever.
struct Count {
    definition: ToolDefinition,
    left: Cancellation,
}

impl Tool for Count {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn call<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            /// Tells that the call is over, however it ends.
            struct Left<'a>(&'a Cancellation);
            impl Drop for Left<'_> {
                fn drop(&mut self) {
                    self.0.cancel();
                }
            }
            let _left = Left(&self.left);
            let to = arguments.get("to").and_then(serde_json::Value::as_i64).unwrap_or_default();
            for n in 1..=to {
                cx.partial(ToolOutput::json(json!({ "n": n }))).await;
            }
            match to {
                13 => Err(ToolError::failed("unlucky")),
                99 => std::future::pending().await,
                _ => Ok(ToolOutput::json(json!({"n": to + 1}))),
            }
        })
    }
}

fn counting(left: &Cancellation) -> Server {
    let document = Document::read(&streaming_document()).unwrap().document;
    let definition = document.definitions().remove(0);
    let tools = ToolSet::from_tools([Count { definition, left: left.clone() }]).unwrap();
    Server::new(tools).document(document).api_key("right-key")
}

#[tokio::test]
async fn a_stream_goes_through_the_wire_part_by_part() {
    let client = client(counting(&Cancellation::new())).await;
    let mut events = client.stream_call(FunctionCall::new("1", "count").argument("to", 2));
    let mut told = Vec::new();
    while let Some(event) = events.next().await {
        told.push(event.unwrap());
    }
    let datum = |n| StreamEvent::Data(json!({ "n": n }));
    assert_eq!(told, [StreamEvent::Start("count".into()), datum(1), datum(2), datum(3), StreamEvent::Done]);

    let mut events = client.stream_call(FunctionCall::new("1", "count").argument("to", 13));
    let mut last = None;
    while let Some(event) = events.next().await {
        last = Some(event);
    }
    let error = last.unwrap().unwrap_err();
    assert_eq!(error.to_string(), "the call failed (500): unlucky");
}

#[tokio::test]
async fn a_stream_goes_through_two_servers_without_repeating_itself() {
    let far = client(counting(&Cancellation::new())).await;
    let (tools, _) = far.tools().await.unwrap();
    let document = far.load().await.unwrap().unwrap();
    let near = client(Server::new(tools).document(document).api_key("right-key")).await;
    let (tools, _) = near.tools().await.unwrap();
    let parts = Parts::default();
    let cx = ToolContext::new().events(parts.clone());
    let output = tools.call(&cx, ToolCall::new("1", "count", json!({"to": 2}))).await.unwrap();
    assert_eq!(parts.take()[1..], [r#"{"n":1}"#, r#"{"n":2}"#, r#"{"n":3}"#]);
    assert_eq!(output.structured, Some(json!([{"n": 1}, {"n": 2}, {"n": 3}])));
}

#[tokio::test]
async fn who_gives_up_stops_the_tool_at_the_other_end() {
    let left = Cancellation::new();
    let client = client(counting(&left)).await;
    let mut events = client.stream_call(FunctionCall::new("1", "count").argument("to", 99));
    assert!(matches!(events.next().await, Some(Ok(StreamEvent::Start(_)))));
    assert!(matches!(events.next().await, Some(Ok(StreamEvent::Data(_)))));
    drop(events);
    left.cancelled().await;
}

#[tokio::test]
async fn a_server_is_stopped_only_where_that_is_allowed() {
    let refusing = client(Server::new(sums()).api_key("right-key")).await;
    let error = refusing.stop().await.unwrap_err();
    assert!(matches!(error, ClientError::Call { .. } | ClientError::NoAccess { .. }), "{error}");
    refusing.version().await.unwrap();

    let bound =
        Server::new(sums()).allow_stop(Stop::Allowed).base_path("/").bind("127.0.0.1:0").await.unwrap();
    let url = bound.url();
    let served = tokio::spawn(bound.serve());
    let client = client::connect(url).base_path("/").await.unwrap();
    client.stop().await.unwrap();
    served.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_document_is_the_same_after_its_way_through_mock_server_and_client() {
    let document = Document::read(&streaming_document()).unwrap().document;
    let server = Server::new(mock::tools(&document)).document(document.clone()).api_key("right-key");
    let client = client(server).await;
    let loaded = client.load().await.unwrap().unwrap();
    assert_eq!(loaded.print(), document.print());
    let (tools, _) = client.tools().await.unwrap();
    let exported = opentool_doc::Export::like(&document).document(tools.definitions());
    assert_eq!(exported.document.print(), document.print());
    assert!(exported.losses.is_empty());
    let output =
        tools.call(&ToolContext::new(), ToolCall::new("1", "count", json!({"to": 1}))).await.unwrap();
    assert_eq!(output.structured, Some(json!({"n": 1})));
}
