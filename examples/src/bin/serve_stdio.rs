//! A tool served over MCP on standard input and output: the command for an MCP host's configuration.

use opentool::{tool, tools};

/// Adds two numbers.
#[tool(read_only, idempotent)]
fn add(
    /// The first number.
    a: i32,
    /// The second number.
    b: i32,
) -> i64 {
    i64::from(a) + i64::from(b)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Ends when the host closes the input.
    opentool::mcp::serve_stdio(tools![add]).await?;
    Ok(())
}
