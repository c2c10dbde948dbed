//! `tools/list`: what is shown, in which order, in which pages.

use std::sync::Arc;

use opentool_core::{Annotations, LiveTools, Tool, ToolDefinition, ToolOutput, ToolSet};
use opentool_mcp::Server;
use rmcp::model::{ErrorCode, PaginatedRequestParams};
use rmcp::service::ServiceError;
use serde_json::json;

use crate::support::{ALL, Client, Era, Way, defined, set, tool};

fn many(count: usize) -> ToolSet {
    ToolSet::from_tools((0..count).map(|i| tool(&format!("tool_{i}"), |_, _| async { Ok("".into()) })))
        .unwrap()
}

async fn page(
    client: &Client,
    cursor: Option<String>,
) -> Result<(Vec<String>, Option<String>), ServiceError> {
    let request = PaginatedRequestParams::default().with_cursor(cursor);
    let page = client.service.list_tools(Some(request)).await?;
    Ok((page.tools.into_iter().map(|tool| tool.name.into_owned()).collect(), page.next_cursor))
}

#[tokio::test]
async fn a_thousand_tools_fit_in_one_page_and_keep_their_order() {
    let tools = many(1_000);
    let client = Client::of(Server::new(tools.clone()), Way::Http, Era::Modern).await;
    let (names, next) = page(&client, None).await.unwrap();
    assert!(names.iter().map(String::as_str).eq(tools.names()));
    assert_eq!(next, None);
}

#[tokio::test]
async fn pages_hold_every_tool_once_in_order() {
    let tools = many(1_000);
    for (way, era) in ALL {
        let client = Client::of(Server::new(tools.clone()).page_size(64), way, era).await;
        let (first, next) = page(&client, None).await.unwrap();
        assert_eq!((first.len(), next.is_some()), (64, true));
        let names: Vec<_> = client.tools().await.into_iter().map(|tool| tool.name).collect();
        assert!(names.iter().map(|name| &**name).eq(tools.names()), "{way:?} {era:?}");
    }
}

#[tokio::test]
async fn a_full_last_page_has_no_next() {
    let client = Client::of(Server::new(many(4)).page_size(2), Way::Stream, Era::Legacy).await;
    let (_, next) = page(&client, None).await.unwrap();
    let (names, next) = page(&client, next).await.unwrap();
    assert_eq!((names.len(), next), (2, None));
}

#[tokio::test]
async fn pages_of_large_definitions_stay_within_message_limits() {
    let large = "x".repeat(1024 * 1024);
    let tools = (0..6).map(|i| {
        let definition = ToolDefinition::new(format!("tool_{i}"), large.clone());
        defined(definition, |_, _| async { Ok(ToolOutput::new()) })
    });
    let client = Client::of(Server::new(ToolSet::from_tools(tools).unwrap()), Way::Stream, Era::Legacy).await;
    let (names, next) = page(&client, None).await.unwrap();
    assert_eq!(names.len(), 3);
    let (names, next) = page(&client, next).await.unwrap();
    assert_eq!((names.len(), next), (3, None));
}

#[tokio::test]
async fn a_strange_cursor_is_invalid_params() {
    let client = Client::of(Server::new(many(3)), Way::Http, Era::Modern).await;
    for cursor in ["", "0", "nonsense", "MTpub3BlCg", "MTp0b29s", "\u{1F600}", &"A".repeat(100_000)] {
        match page(&client, Some(cursor.to_owned())).await {
            Err(ServiceError::McpError(error)) => {
                assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
                assert!(error.message.contains("List again"), "{}", error.message);
            }
            other => panic!("{cursor}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn a_cursor_outlives_tools_that_are_added() {
    let live = LiveTools::new(many(4));
    let client = Client::of(Server::new(live.clone()).page_size(2), Way::Stream, Era::Modern).await;
    let (_, next) = page(&client, None).await.unwrap();
    live.replace(set([Arc::new(tool("new", |_, _| async { Ok("".into()) }))]).merge(many(4)).unwrap());
    let (names, _) = page(&client, next).await.unwrap();
    assert_eq!(names, ["tool_2", "tool_3"]);
}

#[tokio::test]
async fn a_definition_is_shown_as_it_is_without_the_hosts_part() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": {"$anchor": "address", "type": "object"}},
        "properties": {"z": {"$ref": "#/$defs/address"}, "a": {"type": "string", "x-mcp-header": "Region"}},
        "if": {"required": ["a"]}, "then": {"required": ["z"]},
        "additionalProperties": false
    });
    let definition = ToolDefinition::new("shows", "Shows things.")
        .title("Show")
        .input_schema(schema.clone())
        .annotations(Annotations::new().read_only(true).open_world(false))
        .tag("secret-tag")
        .metadata("owner", "secret-owner");
    let shows: Arc<dyn Tool> = Arc::new(defined(definition, |_, _| async { Ok("".into()) }));
    let client = Client::of(Server::new(set([shows])), Way::Http, Era::Modern).await;
    let tool = client.tools().await.remove(0);
    assert_eq!(
        serde_json::to_string(&tool).unwrap(),
        json!({
            "name": "shows", "title": "Show", "description": "Shows things.", "inputSchema": schema,
            "annotations": {"readOnlyHint": true, "openWorldHint": false}
        })
        .to_string()
    );
}

#[tokio::test]
async fn an_input_schema_that_forgets_its_type_gets_one() {
    for schema in [json!({"properties": {}}), json!(true)] {
        let definition = ToolDefinition::new("it", "").input_schema(schema);
        let it = defined(definition, |_, _| async { Ok("".into()) });
        let client = Client::of(Server::new(set([Arc::new(it)])), Way::Stream, Era::Legacy).await;
        let tool = client.tools().await.remove(0);
        assert_eq!(tool.input_schema["type"], "object");
        assert_eq!(tool.description, None);
    }
}
