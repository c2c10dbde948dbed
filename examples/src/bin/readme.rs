//! The Rust snippets of the README, compiled. A tidy test holds the two together; what needs no network runs.

use std::error::Error;

use opentool::ToolSet;

mod weather {
    use opentool::Agent;
    use opentool::{tool, tools};

    /// Current weather for a city.
    #[tool]
    async fn weather(
        /// City name, for example `Paris`.
        city: String,
        /// How many days ahead, today if absent.
        days: Option<u8>,
    ) -> Result<Forecast, WeatherError> {
        forecast(&city, days.unwrap_or(0)).await
    }

    #[derive(serde::Serialize, schemars::JsonSchema)]
    struct Forecast {
        rain: f64,
    }

    #[derive(Debug, thiserror::Error)]
    #[error("no forecast for {0}")]
    struct WeatherError(String);

    async fn forecast(city: &str, days: u8) -> Result<Forecast, WeatherError> {
        if city.is_empty() {
            return Err(WeatherError(city.to_owned()));
        }
        Ok(Forecast { rain: f64::from(days) / 10.0 })
    }

    pub(super) fn all() -> opentool::ToolSet {
        tools![weather]
    }

    pub(super) async fn mcp() -> Result<(), Box<dyn std::error::Error>> {
        // Serve it over MCP.
        opentool::mcp::serve_stdio(tools![weather]).await?;
        Ok(())
    }

    pub(super) async fn served() -> Result<(), Box<dyn std::error::Error>> {
        opentool::server::serve(tools![weather], "127.0.0.1:17001").await?;
        Ok(())
    }

    pub(super) async fn asked() -> Result<(), Box<dyn std::error::Error>> {
        let _otel = opentool::otel::init()?; // OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SERVICE_NAME, …

        let model = opentool::chat::openai("gpt-5")?; // key from the environment; `chat::model("gpt-5")` also asks again
        let reply = Agent::new(model, tools![weather]).run("Do I need an umbrella in Paris?").await?;
        println!("{reply}");
        Ok(())
    }

    pub(super) async fn imported(token: String) -> Result<opentool::ToolSet, Box<dyn std::error::Error>> {
        let petstore = opentool::openapi::load("petstore.yaml").await?.bearer(token).tools()?;
        let tools = tools![weather].merge(petstore)?;
        Ok(tools)
    }
}

mod methods {
    use opentool::{ToolContext, ToolSet, tool};

    struct Customer(u64);

    struct Shop {
        orders: Vec<(u64, String)>,
    }

    #[tool]
    impl Shop {
        /// Orders of the signed-in customer.
        async fn orders(&self, cx: &ToolContext, limit: Option<u32>) -> Vec<String> {
            let Some(Customer(id)) = cx.get() else { return Vec::new() }; // from the host, never from the model
            let theirs = self.orders.iter().filter(|(customer, _)| customer == id);
            theirs.take(limit.unwrap_or(10) as usize).map(|(_, order)| order.clone()).collect()
        }
    }

    pub(super) fn all() -> ToolSet {
        let tools = ToolSet::from(Shop { orders: vec![(7, "tea".into())] });
        assert!(tools.contains("orders"));
        tools
    }
}

async fn connected(key: String) -> Result<ToolSet, Box<dyn Error>> {
    let remote = opentool::client::connect("http://127.0.0.1:17001/opentool").api_key(key).await?;
    let (tools, diagnostics) = remote.tools().await?;
    eprintln!("{} problems", diagnostics.len());
    Ok(tools)
}

fn listed(tools: &ToolSet) {
    for tool in tools.iter() {
        println!("{}", tool.definition().name);
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    match std::env::args().nth(1).as_deref() {
        Some("mcp") => return weather::mcp().await,
        Some("server") => return weather::served().await,
        Some("ask") => return weather::asked().await,
        Some("client") => listed(&connected(String::new()).await?),
        Some("api") => listed(&weather::imported(String::new()).await?),
        _ => listed(&weather::all().merge(methods::all())?),
    }
    Ok(())
}
