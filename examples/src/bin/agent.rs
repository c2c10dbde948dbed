//! The tool-calling loop, with a scripted model so that it runs without a key. `chat::openai("gpt-5")?` in its place
//! reads `OPENAI_API_KEY` (and `OPENAI_BASE_URL`, for every compatible server).

use opentool::{Agent, chat, tool, tools};
use serde_json::json;

/// Tomorrow's chance of rain in a city, from 0 to 1.
#[tool(read_only)]
async fn rain(
    /// The city.
    city: String,
) -> Result<f64, String> {
    match city.as_str() {
        "Paris" => Ok(0.8),
        "Cairo" => Ok(0.0),
        other => Err(format!("no forecast for {other}")),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = chat::script()
        .calls([("rain", json!({"city": "Paris"})), ("rain", json!({"city": "Cairo"}))])
        .then(|request| {
            let chances: Vec<String> = chat::last_results(request).map(|r| r.output.to_text()).collect();
            opentool::AssistantMessage::text(format!("Chances of rain: {}", chances.join(" and ")))
        });
    let agent =
        Agent::new(model, tools![rain]).system("Answer briefly.").observe(|event| println!("{event:?}"));
    let reply = agent.run("Do I need an umbrella in Paris, or in Cairo?").await?;
    println!("{reply}");
    assert_eq!(reply.text, "Chances of rain: 0.8 and 0.0");
    Ok(())
}
