//! The manual's memory: what was asked earlier.

use opentool::{AssistantMessage, ChatRequest, chat};
use serde_json::json;

use crate::{first_words, held, results};

// Its `main` plays the recording.
#[allow(dead_code)]
#[path = "../../src/bin/memory.rs"]
mod example;

/// The model's part: what a person said before the last question.
fn recalls(request: &ChatRequest<'_>) -> AssistantMessage {
    let before = request.messages.split_last().map(|(_, before)| before).unwrap_or_default();
    AssistantMessage::text(match first_words(before) {
        Some(asked) => format!("You asked: {asked}"),
        None => "This is the first thing that you ask me.".to_owned(),
    })
}

#[tokio::test]
async fn s102_what_was_asked_earlier_is_answered_from_memory() {
    let script = chat::script()
        .calls([("multiply", json!({"a": 6, "b": 8}))])
        .text("It is 48.")
        .then(recalls)
        .then(recalls);
    let replies =
        held("memory.json", script, async |model| example::talk(model).await, |replies| replies).await;
    let texts: Vec<&str> = replies.iter().map(|reply| reply.text.as_str()).collect();
    assert_eq!(texts, ["It is 48.", "You asked: What is 6 * 8?", "This is the first thing that you ask me."]);
    assert_eq!(results(&replies[1]), [("multiply", "48".to_owned())], "results are kept as well");
}
