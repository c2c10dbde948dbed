//! The manual's customers: the tenant is in the context, never in what the model sees.

use opentool::{AssistantMessage, chat};
use serde_json::json;

use crate::{held, results};

// Its `main` plays the recording.
#[allow(dead_code)]
#[path = "../../src/bin/tenant.rs"]
mod example;

#[tokio::test]
async fn s083_each_tenant_hears_of_its_own_customer_and_the_model_of_no_tenant() {
    let answers = |script: chat::Script| {
        script.calls([("customer", json!({"id": 42}))]).then(|request| {
            let found = chat::last_results(request).next().expect("a result").output.to_text();
            AssistantMessage::text(format!("I found this: {found}"))
        })
    };
    let script = answers(answers(answers(chat::script())));
    let replies =
        held("tenant.json", script, async |model| example::talk(model).await, |replies| replies).await;
    let found: Vec<String> = replies.iter().map(|reply| results(reply).remove(0).1).collect();
    assert_eq!(
        found,
        [
            r#"{"name":"Ada Lovelace","city":"London"}"#,
            r#"{"name":"Grace Hopper","city":"New York"}"#,
            "there is no customer 42",
        ]
    );
    let said = serde_json::to_string(&replies).unwrap();
    for tenant in ["acme", "globex", "initech"] {
        assert!(!said.contains(tenant), "{tenant} in {said}");
    }
}
