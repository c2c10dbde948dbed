//! The methods of a value become tools: owned parameters come from the model, `&self` and the context from the host.

use std::sync::Mutex;

use opentool::{ToolCall, ToolContext, ToolSet, ToolSetExt, tool};
use serde_json::json;

/// Who is signed in: a fact of the host, never an argument.
struct Customer(&'static str);

#[derive(Default)]
struct Shop {
    orders: Mutex<Vec<String>>,
}

#[tool]
impl Shop {
    /// Places an order for the signed-in customer.
    #[tool(destructive = false)]
    async fn order(
        &self,
        cx: &ToolContext,
        /// What to order.
        item: String,
    ) -> Result<usize, String> {
        let Customer(name) = cx.get().ok_or("nobody is signed in")?;
        let mut orders = self.orders.lock().map_err(|_| "the order book is damaged")?;
        orders.push(format!("{item} for {name}"));
        Ok(orders.len())
    }

    /// All orders so far.
    #[tool(read_only)]
    fn orders(&self) -> Vec<String> {
        self.orders.lock().map(|orders| orders.clone()).unwrap_or_default()
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tools = ToolSet::from(Shop::default());
    let cx = ToolContext::new().fact(Customer("Ada"));
    tools.call(&cx, &ToolCall::new("1", "order", json!({"item": "tea"}))).await?;
    let orders = tools.call(&cx, &ToolCall::new("2", "orders", json!({}))).await?;
    println!("{}", orders.to_text());
    Ok(())
}
