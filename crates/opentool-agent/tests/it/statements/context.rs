//! S81 to S86: what tools get to know of the host, and nobody else does.

use std::sync::{Arc, Mutex};

use opentool_agent::{Agent, AgentError, chat};
use opentool_core::{AssistantMessage, Message, Need, ToolContext, ToolOutput};
use serde_json::json;

use crate::fixtures::{raw, set, texts};

struct Tenant(&'static str);

fn whoami() -> impl opentool_core::Tool {
    raw("whoami", async |cx, _| {
        let tenant = cx.get::<Tenant>().map_or("nobody", |tenant| tenant.0);
        let value = |key| cx.get_value(key).cloned().unwrap_or_default();
        Ok(ToolOutput::text(format!("{tenant} {} {}", value("locale"), value("plan"))))
    })
}

#[tokio::test]
async fn s081_s082_s084_values_of_the_agent_and_of_the_request_are_merged_and_the_request_wins() {
    let model =
        chat::script().calls([("whoami", json!({}))]).text("ok").calls([("whoami", json!({}))]).text("ok");
    let agent = Agent::new(model, set![whoami()])
        .context(ToolContext::new().fact(Tenant("acme")).value("locale", "en").value("plan", "free"));
    let now = ToolContext::new().value("locale", "fr");
    let reply = agent.clone().extend_context(now).run("?").await.unwrap();
    assert_eq!(texts(&reply.messages), ["acme \"fr\" \"free\""], "what it does not say stays");
    let reply = agent.run("?").await.unwrap();
    assert_eq!(texts(&reply.messages), ["acme \"en\" \"free\""], "it was for that request");
}

#[tokio::test]
async fn s077_s083_nothing_of_it_is_told_to_the_model() {
    let told: Arc<Mutex<String>> = Arc::default();
    let tell = Arc::clone(&told);
    let model = chat::script().calls([("whoami", json!({}))]).then(move |request| {
        let schemas: Vec<String> =
            request.tools.definitions().map(|tool| tool.input_schema.to_string()).collect();
        *tell.lock().unwrap() = format!("{:?} {schemas:?}", &request.messages[..2]);
        AssistantMessage::text("ok")
    });
    let agent = Agent::new(model, set![whoami()])
        .context(ToolContext::new().fact(Tenant("acme")).value("locale", "secret"));
    let reply = agent.run("?").await.unwrap();
    let told = told.lock().unwrap();
    assert!(!told.contains("secret") && !told.contains("acme"), "{told}");
    assert!(!format!("{agent:?}").contains("secret"));
    let stored = serde_json::to_string(&reply.messages[..2]).unwrap();
    assert!(!stored.contains("secret"));
    assert!(matches!(reply.messages[2], Message::Tool(_)));
}

#[tokio::test]
async fn s085_what_a_tool_cannot_do_without_is_missed_before_the_model_is_asked() {
    let tools = set![
        whoami(),
        raw("orders", async |_, _| Ok(ToolOutput::new()))
            .define(|tool| tool.needs("locale").needs_fact::<Tenant>()),
    ];
    let model = chat::script().text("ok");
    let agent = Agent::new(model.clone(), tools);
    let error = agent.run("?").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the tool `orders` needs the value `locale` in its context, and the host gave none: add it with \
         `ToolContext::value(\"locale\", ..)`"
    );
    let agent = agent.extend_context(ToolContext::new().value("locale", "en"));
    let error = agent.run("?").await.unwrap_err();
    let AgentError::MissingContext(missing) = error else { panic!("{error}") };
    assert!(matches!(&missing.need, Need::Fact(_, name) if name.ends_with("Tenant")), "{missing}");
    assert_eq!(model.asked(), 0);
    agent.extend_context(ToolContext::new().fact(Tenant("acme"))).run("?").await.unwrap();
}
