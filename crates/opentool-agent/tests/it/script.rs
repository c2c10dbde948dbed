//! The scripted model by itself.

use opentool_agent::chat;
use opentool_core::{ChatModel, ChatRequest, Message, ModelError, ToolSet};
use serde_json::json;

#[tokio::test]
async fn every_question_takes_the_next_step_and_then_the_script_has_ended() {
    let model = chat::script()
        .named("play")
        .calls([("a", json!({})), ("b", json!({}))])
        .fails(|| ModelError::RateLimited { message: "later".into(), retry_after: None })
        .calls([("c", json!({}))])
        .text("end");
    let (messages, tools) = ([Message::user("?")], ToolSet::new());
    let ask = || model.reply(ChatRequest::new(&messages, &tools));

    assert_eq!(model.name(), "play");
    let ids = |reply: opentool_core::ChatReply| -> Vec<String> {
        reply.message.tool_calls.into_iter().map(|call| call.id).collect()
    };
    assert_eq!(ids(ask().await.unwrap()), ["call_1", "call_2"]);
    assert!(matches!(ask().await, Err(ModelError::RateLimited { .. })));
    assert_eq!(ids(ask().await.unwrap()), ["call_3"]);
    assert_eq!(ask().await.unwrap().message.to_text(), "end");
    let error = ask().await.unwrap_err();
    assert!(matches!(error, ModelError::ScriptEnded(_)));
    assert_eq!(
        error.to_string(),
        "no answer is prepared for this question: all 4 steps were taken, and it is asked again after a message of the user"
    );
    assert_eq!(model.asked(), 5);
}
