//! Lists of strangers: pages, bad entries, texts that hide something, tools that go.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use opentool_core::{Severity, ToolContext, ToolError};
use opentool_mcp::client::ClientError;
use opentool_mcp::connect;
use opentool_schema::ToolSetExt as _;
use serde_json::{Value, json};

use super::http::call;
use super::opened;
use super::scripted::{Scripted, entry, listed};

#[tokio::test]
async fn all_pages_are_read_and_bad_entries_are_told() {
    let server = Scripted::modern(|method, params| {
        assert_eq!(method, "tools/list");
        match params["cursor"].as_str() {
            None => {
                let mut page = listed(json!([
                    {"name": "one", "description": "First\u{200b}.", "inputSchema": {"type": "object",
                        "properties": {"x": {"type": "string", "description": "An\u{202e} x."}}},
                        "icons": [{"src": "https://tools.example/i.png"}], "_meta": {"vendor": 1}},
                    {"name": "odd", "inputSchema": "not a schema"},
                    {"description": "nobody"},
                ]));
                page["result"]["nextCursor"] = json!("2");
                page
            }
            Some(_) => listed(json!([entry("two"), entry("one"), 7])),
        }
    })
    .await;
    let client = connect(server.url.clone()).await.unwrap();
    let (tools, diagnostics) = client.tools().await.unwrap();
    assert!(tools.contains("one") && tools.contains("two"), "{:?}", tools.names().collect::<Vec<_>>());
    let one = tools.definitions().next().unwrap();
    assert_eq!(one.description, "First.");
    assert_eq!(one.input_schema.as_value()["properties"]["x"]["description"], "An x.");
    assert_eq!(one.metadata["mcp.members"]["_meta"], json!({"vendor": 1}));
    let told: Vec<(&str, &str)> =
        diagnostics.iter().map(|found| (found.code, found.pointer.as_str())).collect();
    for expected in [
        ("hidden-characters", "/tools/0/description"),
        ("hidden-characters", "/tools/0/inputSchema/properties/x/description"),
        ("duplicate-name", "/tools/4"),
        ("not-a-definition", "/tools/5"),
    ] {
        assert!(told.contains(&expected), "{expected:?} is not among {told:?}");
    }
    assert!(told.iter().any(|(_, pointer)| pointer.starts_with("/tools/1")), "{told:?}");
    assert!(told.iter().any(|(_, pointer)| pointer.starts_with("/tools/2")), "{told:?}");
    assert_eq!(client.instructions().await.as_deref(), Some("Be kind."));
}

#[tokio::test]
async fn a_list_that_never_ends_has_an_end() {
    let server = Scripted::modern(|_, _| {
        let mut page = listed(json!([entry("again")]));
        page["result"]["nextCursor"] = json!("same");
        page
    })
    .await;
    let (tools, diagnostics) = opened(connect(server.url.clone())).await.unwrap().tools().await.unwrap();
    assert_eq!(tools.len(), 1);
    let circle = diagnostics.iter().find(|found| found.code == "page-not-read").unwrap();
    assert_eq!(circle.severity, Severity::Error);
    assert!(circle.message.contains("circles"), "{circle}");
}

#[tokio::test]
async fn a_later_page_that_fails_leaves_the_earlier_ones() {
    let server = Scripted::modern(|_, params| match params["cursor"].as_str() {
        None => {
            let mut page = listed(json!([entry("one")]));
            page["result"]["nextCursor"] = json!("2");
            page
        }
        Some(_) => json!({"error": {"code": -32603, "message": "out\u{200b} of paper"}}),
    })
    .await;
    let (tools, diagnostics) = connect(server.url.clone()).await.unwrap().tools().await.unwrap();
    assert_eq!(tools.len(), 1);
    assert!(
        diagnostics[0].message.contains("after 1 tools") && diagnostics[0].message.contains("out of paper")
    );

    let broken = Scripted::modern(|_, _| json!({"error": {"code": -32603, "message": "no"}})).await;
    let error = connect(broken.url.clone()).await.unwrap().tools().await.unwrap_err();
    assert!(matches!(error, ClientError::Refused { code: -32603, .. }), "{error:?}");
}

#[tokio::test]
async fn a_tool_that_was_renamed_is_unknown_and_the_new_name_is_suggested() {
    let renamed = Arc::new(AtomicBool::new(false));
    let now = Arc::clone(&renamed);
    let server = Scripted::modern(move |method, params: &Value| {
        let name = if now.load(Ordering::Relaxed) { "weather_now" } else { "weather" };
        match method {
            "tools/list" => listed(json!([entry(name)])),
            _ if params["name"] == name && params["arguments"]["city"] == "" => {
                json!({"error": {"code": -32602, "message": "city is empty"}})
            }
            _ if params["name"] == name => json!({"result": {"content": [{"type": "text", "text": "rain"}]}}),
            _ => json!({"error": {"code": -32602, "message": "Unknown tool: weather"}}),
        }
    })
    .await;
    let (tools, _) = connect(server.url.clone()).await.unwrap().tools().await.unwrap();
    let (cx, weather) = (ToolContext::new(), call("weather", json!({"city": "Paris"})));
    assert_eq!(tools.call(&cx, &weather).await.unwrap().to_text(), "rain");
    let refused = tools.call(&cx, &call("weather", json!({"city": ""}))).await.unwrap_err();
    assert!(matches!(refused, ToolError::InvalidArguments(_)), "{refused:?}");
    assert!(refused.for_model().contains("city is empty"), "{}", refused.for_model());

    renamed.store(true, Ordering::Relaxed);
    let gone = tools.call(&cx, &weather).await.unwrap_err();
    assert!(matches!(gone, ToolError::UnknownTool(_)), "{gone:?}");
    assert!(gone.for_model().contains("`weather_now`"), "{}", gone.for_model());
}
