//! Two questions in a pet shop, and a purchase that nobody approved.

use opentool::agent::{Finish, Reply};
use opentool::{AssistantMessage, ChatRequest, chat};
use serde_json::{Value, json};

use crate::{held, results};

// Its `main` plays the recording.
#[allow(dead_code)]
#[path = "../../src/bin/pet_shop.rs"]
mod example;

/// The last result as a value.
fn found(request: &ChatRequest<'_>) -> Value {
    let result = chat::last_results(request).next().expect("a result");
    serde_json::from_str(&result.output.to_text()).expect("the shop answers JSON")
}

fn script() -> chat::Script {
    chat::script()
        .calls([("findPetsByStatus", json!({"status": ["pending"]}))])
        .then(|request| {
            let pets = found(request);
            let names: Vec<String> = pets
                .as_array()
                .into_iter()
                .flatten()
                .map(|pet| format!("no. {}, {}", pet["id"], pet["name"].as_str().unwrap_or_default()))
                .collect();
            AssistantMessage::text(format!("Yes: {}.", names.join("; ")))
        })
        .calls([("getPetById", json!({"petId": 2}))])
        .then(|request| {
            let pet = found(request);
            let text = |key: &str| pet[key].as_str().unwrap_or_default().to_owned();
            AssistantMessage::text(format!(
                "{} is a {}, born on {}, and {}.",
                text("name"),
                text("species"),
                text("born"),
                text("status")
            ))
        })
        .calls([("placeOrder", json!({"petId": 2}))])
        .then(|request| {
            let why = chat::last_results(request).next().expect("a result").output.to_text();
            AssistantMessage::text(format!("I have not bought it: {why}."))
        })
}

#[tokio::test]
async fn the_shop_answers_and_nothing_is_bought_without_approval() {
    let replies: Vec<Reply> =
        held("pet_shop.json", script(), async |model| example::talk(model).await, |replies| replies).await;
    let texts: Vec<&str> = replies.iter().map(|reply| reply.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "Yes: no. 2, Miso; no. 5, Pepper.",
            "Miso is a cat, born on 2025-03-14, and pending.",
            "I have not bought it: the call was refused: the owner of the card did not agree.",
        ]
    );
    assert!(replies.iter().all(|reply| reply.finish == Finish::Answered));
    let names: Vec<&str> = results(&replies[2]).iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["findPetsByStatus", "getPetById", "placeOrder"], "one conversation");
}
