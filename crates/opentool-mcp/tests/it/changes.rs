//! A tool set that changes while clients are connected.

use std::sync::Arc;

use opentool_core::LiveTools;
use opentool_mcp::Server;
use rmcp::model::{ServerNotification, SubscriptionFilter};
use rmcp::service::ServiceError;
use serde_json::json;

use crate::support::{Client, Era, Way, add, failed, set, soon, text, tool};

fn grown() -> opentool_core::ToolSet {
    set([Arc::new(add()), Arc::new(tool("new", |_, _| async { Ok("here".into()) }))])
}

#[tokio::test]
async fn a_legacy_client_is_told_and_sees_the_new_tools() {
    for way in [Way::Stream, Way::Http] {
        let live = LiveTools::new(set([Arc::new(add())]));
        let mut client = Client::of(Server::new(live.clone()), way, Era::Legacy).await;
        assert_eq!(client.tools().await.len(), 1);
        live.replace(grown());
        soon("the notification", client.changed.recv()).await.unwrap();
        assert_eq!(client.tools().await.len(), 2);
        assert_eq!(text(&client.result("new", json!({})).await), "here");
        live.replace(set([Arc::new(add())]));
        soon("the second notification", client.changed.recv()).await.unwrap();
        assert_eq!(client.refused("new", json!({})).await.message, "Unknown tool: new");
    }
}

#[tokio::test]
async fn a_modern_client_is_told_where_it_listens_and_nowhere_else() {
    for way in [Way::Stream, Way::Http] {
        let live = LiveTools::new(set([Arc::new(add())]));
        let source = live.clone();
        // A change in the middle of a call must not land on the call's own response.
        let changes = tool("changes", move |cx, _| {
            let source = source.clone();
            async move {
                source.replace(grown());
                cx.progress(1.0).await;
                Ok("changed".into())
            }
        });
        live.replace(set([Arc::new(changes)]));
        let mut client = Client::of(Server::new(live.clone()), way, Era::Modern).await;
        let mut wanted = SubscriptionFilter::default();
        wanted.tools_list_changed = Some(true);
        wanted.prompts_list_changed = Some(true);
        let mut stream = soon("the subscription", client.service.listen(wanted)).await.unwrap();
        assert_eq!(stream.acknowledged().tools_list_changed, Some(true));
        assert_eq!(stream.acknowledged().prompts_list_changed, None, "there are no prompts");
        client.result("changes", json!({})).await;
        let told = soon("the notification", stream.next()).await.unwrap();
        assert!(
            matches!(told, Some(ServerNotification::ToolListChangedNotification(_))),
            "{way:?}: {told:?}"
        );
        assert_eq!(client.tools().await.len(), 2);
        assert!(client.changed.try_recv().is_err(), "{way:?}: outside of the subscription");
        soon("the end", stream.cancel()).await.unwrap();
    }
}

#[tokio::test]
async fn a_legacy_client_cannot_listen() {
    let client = Client::of(Server::new(set([Arc::new(add())])), Way::Stream, Era::Legacy).await;
    let mut wanted = SubscriptionFilter::default();
    wanted.tools_list_changed = Some(true);
    assert!(matches!(client.service.listen(wanted).await, Err(ServiceError::McpError(_))));
}

#[tokio::test]
async fn a_call_goes_on_with_the_tool_it_began_with() {
    let live = LiveTools::default();
    let source = live.clone();
    let leaves = tool("leaves", move |_, _| {
        let source = source.clone();
        async move {
            source.replace(set([Arc::new(add())]));
            Ok("left".into())
        }
    });
    live.replace(set([Arc::new(leaves)]));
    let client = Client::of(Server::new(live), Way::Http, Era::Modern).await;
    let result = client.result("leaves", json!({})).await;
    assert_eq!((failed(&result), text(&result)), (false, "left"));
}
