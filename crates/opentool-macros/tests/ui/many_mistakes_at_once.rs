use opentool::{tool, tools};

#[tool(titel = "Weather")]
async fn weather<T>(
    city: &str,
    #[arg(default = "x")] days: u8,
    other: impl Into<String>,
) -> String {
    let _ = (days, other.into());
    city.to_owned()
}

fn set() -> opentool::ToolSet {
    tools![weather]
}

fn main() {}
