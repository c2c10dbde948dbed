//! Calls and their failures, seen by clients of every revision over every transport.

use std::sync::Arc;
use std::time::Duration;

use opentool_core::{Content, Failure, ToolContext, ToolError, ToolOutput};
use opentool_mcp::Server;
use rmcp::model::{ContentBlock, ErrorCode, ResourceContents};
use serde_json::json;

use crate::support::{ALL, Client, Endless, Era, Way, add, failed, set, soon, text, tool};

#[tokio::test]
async fn every_client_lists_and_calls() {
    for (way, era) in ALL {
        let client = Client::of(Server::new(set([Arc::new(add())])).name("sums"), way, era).await;
        let tools = client.tools().await;
        assert_eq!(tools.len(), 1, "{way:?} {era:?}");
        assert_eq!(tools[0].name, "add");
        assert_eq!(tools[0].description.as_deref(), Some("Adds two numbers."));
        assert_eq!(tools[0].input_schema["required"], json!(["a", "b"]));
        let result = client.result("add", json!({"a": 2, "b": 3})).await;
        assert!(!failed(&result));
        assert_eq!(text(&result), "5");
        assert_eq!(result.structured_content, Some(json!({"result": 5})));
        assert_eq!(client.service.peer_info().unwrap().server_info.as_ref().unwrap().name, "sums");
    }
}

#[tokio::test]
async fn an_unknown_tool_is_a_protocol_error_with_a_suggestion() {
    for (way, era) in ALL {
        let client = Client::of(Server::new(set([Arc::new(add())])), way, era).await;
        let error = client.refused("ad", json!({})).await;
        assert_eq!(error.code, ErrorCode::INVALID_PARAMS, "{way:?} {era:?}");
        assert_eq!(error.message, "Unknown tool: ad. Did you mean `add`?");
        let error = client.refused("subtract_it_all", json!({})).await;
        assert_eq!(error.message, "Unknown tool: subtract_it_all");
    }
}

#[tokio::test]
async fn a_name_of_a_megabyte_is_not_compared_with_anything() {
    let client = Client::of(Server::new(set([Arc::new(add())])), Way::Stream, Era::Legacy).await;
    let error = client.refused(&"a".repeat(1024 * 1024), json!({})).await;
    assert!(error.message.len() < 100, "{}", error.message);
}

#[tokio::test]
async fn invalid_arguments_are_a_result_that_a_model_can_mend() {
    for (way, era) in ALL {
        let client = Client::of(Server::new(set([Arc::new(add())])), way, era).await;
        let result = client.result("add", json!({"a": "two", "c": 1})).await;
        assert!(failed(&result), "{way:?} {era:?}");
        let text = text(&result);
        assert!(
            text.contains("/a") && text.contains('b') && text.contains('c'),
            "all problems at once: {text}"
        );
        assert_eq!(result.structured_content, None);
    }
}

#[tokio::test]
async fn a_failure_tells_the_model_its_text_and_not_its_cause() {
    let failing = tool("failing", |_, _| async {
        let cause = std::io::Error::other("password=hunter2");
        Err(Failure::new("the shelf is empty").source(cause).into())
    });
    let client = Client::of(Server::new(set([Arc::new(failing)])), Way::Http, Era::Modern).await;
    let result = client.result("failing", json!({})).await;
    assert!(failed(&result));
    assert_eq!(text(&result), "the shelf is empty");
    assert!(!serde_json::to_string(&result).unwrap().contains("hunter2"));
}

#[tokio::test]
async fn a_panic_is_answered_and_the_server_lives() {
    for (way, era) in ALL {
        let panics = tool("panics", |_, _| async { panic!("secret detail") });
        let client = Client::of(Server::new(set([Arc::new(panics), Arc::new(add())])), way, era).await;
        let result = client.result("panics", json!({})).await;
        assert!(failed(&result), "{way:?} {era:?}");
        assert!(!text(&result).contains("secret"), "{}", text(&result));
        assert_eq!(text(&client.result("add", json!({"a": 1, "b": 1})).await), "2");
    }
}

#[tokio::test]
async fn a_tool_that_panics_while_it_is_dropped_is_answered() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("while dropped");
        }
    }
    let bomb = tool("bomb", |_, _| async {
        let _bomb = Bomb;
        std::future::pending().await
    });
    let server = Server::new(set([Arc::new(bomb), Arc::new(add())])).timeout(Duration::from_millis(20));
    let client = Client::of(server, Way::Stream, Era::Legacy).await;
    assert!(failed(&client.result("bomb", json!({})).await));
    assert_eq!(text(&client.result("add", json!({"a": 1, "b": 1})).await), "2");
}

#[tokio::test]
async fn a_tool_that_overruns_its_time_is_stopped_and_answered() {
    for (way, era) in ALL {
        let (endless, seen) = Endless::new();
        let server = Server::new(set([Arc::new(endless)])).timeout(Duration::from_millis(50));
        let client = Client::of(server, way, era).await;
        let result = client.result("endless", json!({})).await;
        assert!(failed(&result), "{way:?} {era:?}");
        assert_eq!(text(&result), "the tool gave no answer within 50 ms");
        soon("the end of the tool", seen.stopped.notified()).await;
        soon("the signal", seen.signalled.notified()).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_tool_that_blocks_its_thread_cannot_keep_the_client_waiting() {
    let (release, blocked) = std::sync::mpsc::channel::<()>();
    let blocked = std::sync::Mutex::new(blocked);
    let blocking = tool("blocking", move |_, _| {
        let _ = blocked.lock().unwrap().recv();
        async { Ok(ToolOutput::text("late")) }
    });
    let server = Server::new(set([Arc::new(blocking)])).timeout(Duration::from_millis(50));
    let client = Client::of(server, Way::Http, Era::Modern).await;
    let result = client.result("blocking", json!({})).await;
    assert!(failed(&result) && text(&result).contains("50 ms"), "{}", text(&result));
    drop(release);
}

#[tokio::test]
async fn all_kinds_of_content_reach_the_client() {
    let shows = tool("shows", |_, _| async {
        Ok(ToolOutput::text("look:")
            .block(Content::image(&b"png"[..], "image/png"))
            .block(Content::audio(&b"wav"[..], "audio/wav"))
            .block(Content::Json(json!({"a": [1, 2.50]})))
            .block(Content::TextResource {
                uri: "test://t".into(),
                mime: Some("text/plain".into()),
                text: "T".into(),
            })
            .block(Content::BlobResource { uri: "test://b".into(), mime: None, data: (&b"\xff"[..]).into() })
            .block(Content::ResourceLink { uri: "test://l".into(), name: "link".into(), mime: None }))
    });
    let client = Client::of(Server::new(set([Arc::new(shows)])), Way::Http, Era::Legacy).await;
    let result = client.result("shows", json!({})).await;
    let wire = serde_json::to_value(&result.content).unwrap();
    assert_eq!(
        wire,
        json!([
            {"type": "text", "text": "look:"},
            {"type": "image", "data": "cG5n", "mimeType": "image/png"},
            {"type": "audio", "data": "d2F2", "mimeType": "audio/wav"},
            {"type": "text", "text": "{\"a\":[1,2.5]}"},
            {"type": "resource", "resource": {"uri": "test://t", "mimeType": "text/plain", "text": "T"}},
            {"type": "resource", "resource": {"uri": "test://b", "blob": "/w=="}},
            {"type": "resource_link", "uri": "test://l", "name": "link"},
        ])
    );
    assert!(matches!(
        &result.content[4],
        ContentBlock::Resource(resource)
            if matches!(&resource.resource, ResourceContents::TextResourceContents { .. })
    ));
}

#[tokio::test]
async fn a_tool_finds_the_hosts_facts_its_id_and_its_deadline() {
    struct Shop(&'static str);
    let looks = tool("looks", |cx: ToolContext, _| async move {
        let shop = cx.get::<Shop>().map_or("none", |shop| shop.0);
        let left = cx.ends_at().map(|at| at.saturating_duration_since(std::time::Instant::now()));
        let timely = left.is_some_and(|left| left <= Duration::from_secs(5) && !left.is_zero());
        Ok(ToolOutput::text(format!("{shop} {timely} {}", cx.id().is_some())))
    });
    let server = Server::new(set([Arc::new(looks)]))
        .context(ToolContext::new().fact(Shop("pets")))
        .timeout(Duration::from_secs(5));
    let client = Client::of(server, Way::Stream, Era::Modern).await;
    assert_eq!(text(&client.result("looks", json!({})).await), "pets true true");
}

#[tokio::test]
async fn an_endless_time_limit_is_none() {
    let looks = tool("looks", |cx: ToolContext, _| async move {
        if cx.ends_at().is_some() { Err(ToolError::failed("there is a deadline")) } else { Ok("none".into()) }
    });
    let server = Server::new(set([Arc::new(looks)])).timeout(Duration::MAX);
    let client = Client::of(server, Way::Stream, Era::Modern).await;
    assert_eq!(text(&client.result("looks", json!({})).await), "none");
}
