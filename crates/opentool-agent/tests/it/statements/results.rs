//! S78 to S80, and B18: what a model reads of what a tool returns.

use opentool_agent::{Dispatcher, ToolRules};
use opentool_core::{BoxError, Content, ToolCall, ToolOutput, ToolReturn, ToolSet, tool_fn};
use serde_json::json;

use crate::fixtures::set;

async fn read<T: ToolReturn + Clone + Send + Sync + 'static>(value: T) -> ToolOutput {
    let tool = tool_fn("give", "Gives it.", move |(): ()| {
        let value = value.clone();
        async move { Ok::<_, BoxError>(value) }
    });
    Dispatcher::new(set![tool]).call(&ToolCall::new("1", "give", json!({}))).await.output
}

#[tokio::test]
async fn s022_s078_s079_text_stays_text_and_everything_else_is_json() {
    assert_eq!(read("Paris: rain".to_owned()).await.to_text(), "Paris: rain");
    assert_eq!(read(vec![1, 2]).await.to_text(), "[1,2]");
    assert_eq!(read(Some(true)).await.to_text(), "true");
    assert_eq!(read(None::<bool>).await.to_text(), "null");
    assert_eq!(read(()).await.to_text(), "Done.");
    let picture = ToolOutput::from(Content::image(&b"png"[..], "image/png"));
    assert_eq!(read(picture.clone()).await, picture, "a picture stays one");
}

#[tokio::test]
async fn s016_s080_s041_a_tool_may_have_its_own_converter() {
    let tool = tool_fn("sum", "A sum.", async |(): ()| Ok::<_, BoxError>(3));
    let tools: ToolSet = set![tool];
    let call = ToolCall::new("1", "sum", json!({}));
    let shout = ToolRules::new().convert(|output| ToolOutput::text(format!("{}!", output.to_text())));
    assert_eq!(Dispatcher::new(tools.clone()).call(&call).await.output.to_text(), "3");
    assert_eq!(Dispatcher::new(tools).rules("sum", shout).call(&call).await.output.to_text(), "3!");
}
