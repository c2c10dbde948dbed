//! The manual's return direct: a result that the model does not retell.

use opentool::agent::Finish;
use opentool::chat;
use serde_json::json;

use crate::held;

// Its `main` plays the recording.
#[allow(dead_code)]
#[path = "../../src/bin/return_direct.rs"]
mod example;

#[tokio::test]
async fn s088_the_caller_gets_the_result_and_the_model_gets_the_failure() {
    let script = chat::script()
        .calls([("invoice", json!({"order": 7}))])
        .calls([("invoice", json!({"order": 8}))])
        .text("There is no order 8 yet; the last one is number 7.");
    let [whole, none] =
        held("return_direct.json", script, async |model| example::talk(model).await, |replies| replies).await;
    assert!(whole.text.starts_with("INVOICE 2026-007\n"), "{whole}");
    assert_eq!((whole.finish, whole.rounds, whole.messages.len()), (Finish::ReturnDirect, 1, 3));
    assert_eq!(none.text, "There is no order 8 yet; the last one is number 7.");
    assert_eq!((none.finish, none.rounds), (Finish::Answered, 2));
}
