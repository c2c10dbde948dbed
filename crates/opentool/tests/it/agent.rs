//! The call sites that the facade promises: a tool, a set, an agent.

use opentool::{Agent, Message, chat, tool, tools};
use serde_json::json;

/// Current weather for a city.
#[tool]
async fn weather(city: String) -> String {
    format!("{city}: rain")
}

#[test]
fn an_agent_runs_a_function_and_reports_the_answer() {
    let model = chat::script().calls([("weather", json!({"city": "Paris"}))]).text("Take an umbrella.");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let agent = Agent::new(model, tools![weather]);
    let reply = runtime.block_on(agent.run("Do I need an umbrella in Paris?")).unwrap();
    assert_eq!(reply.to_string(), "Take an umbrella.");
    let results: Vec<String> = reply
        .messages
        .iter()
        .filter_map(|message| match message {
            Message::Tool(result) => Some(result.output.to_text()),
            _ => None,
        })
        .collect();
    assert_eq!(results, ["Paris: rain"]);
}
