//! `opentool demo`: the main job, played with no key and no network.
//!
//! A pet shop opens inside this process, its OpenAPI document becomes tools, two Rust functions join them, and a
//! conversation calls them through the loop. Only the model is a script, and the text says so.

mod event;
mod layout;
mod next;
mod screen;
mod script;
mod serve;
mod stage;
mod story;
mod tools;

use opentool::ToolSet;
use opentool::openapi::{self, OpenApiError};
use opentool_petshop::{API_KEY, PETSTORE_YAML, PetShop};

use crate::args::examples;
use crate::console::Console;
use crate::error::CliError;
use crate::listen::Listen;
use crate::runtime;

/// Play the whole story: a real API becomes tools, and a conversation calls them
///
/// Opens a small pet shop API inside this process, imports its OpenAPI document, adds two Rust functions, and plays
/// a conversation that calls them. It needs no key and no network: the model is a script, everything else is real.
#[derive(Debug, clap::Args)]
#[command(after_help = examples! {
    "opentool demo"
    "OPENAI_API_KEY=... opentool demo --model gpt-5"
    "OPENAI_BASE_URL=http://localhost:11434/v1 opentool demo --model qwen3"
    "opentool demo --serve --http 127.0.0.1:4000"
    "opentool demo --document | opentool list -"
})]
pub(crate) struct Args {
    /// Let this model of OpenAI, or of the server in OPENAI_BASE_URL, hold the conversation
    ///
    /// The key is read from OPENAI_API_KEY. A server of your own, such as Ollama, needs none.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["serve", "document"])]
    model: Option<String>,
    /// Keep the pet shop open and serve its tools over MCP until Ctrl-C
    #[arg(long, conflicts_with = "document")]
    serve: bool,
    /// Where the MCP server listens: `HOST:PORT` or `PORT`; 127.0.0.1:3000 if nothing is said, or a free port where
    /// that one is in use
    #[arg(long, value_name = "ADDR", requires = "serve")]
    http: Option<Listen>,
    /// Print the OpenAPI document of the pet shop and do nothing else
    #[arg(long)]
    document: bool,
}

/// Plays the story.
pub(crate) fn run(args: Args, console: &Console) -> Result<(), CliError> {
    if args.document {
        let printed = if console.is_json() {
            console.json(&serde_json::json!({"document": PETSTORE_YAML}))
        } else {
            console.data(PETSTORE_YAML.as_bytes())
        };
        return printed.map_err(CliError::from);
    }
    if args.serve {
        return runtime::serve(serve::serve(args.http.as_ref(), console));
    }
    runtime::wait_for(story::play(args.model.as_deref(), console))
}

/// The operations of an open shop and the two functions, as one set.
fn all_tools(shop: &PetShop) -> Result<ToolSet, CliError> {
    let imported = operations_of(shop).map_err(|error| CliError::server(&error))?;
    let own = opentool::tools![tools::today, tools::adoption_fee];
    imported.merge(own).map_err(|clash| CliError::Clash(Box::new(clash)))
}

fn operations_of(shop: &PetShop) -> Result<ToolSet, OpenApiError> {
    openapi::parse(PETSTORE_YAML, "examples/petstore.yaml")?.server(shop.base_url()).api_key(API_KEY).tools()
}
