//! `opentool show`: one tool in full.

use opentool::schema;

use crate::args::examples;
use crate::console::Console;
use crate::error::CliError;
use crate::render;
use crate::source::{Loading, SourceSpec, load_holding};

/// Show one tool in full: what it takes, where it came from, and what a model is told
#[derive(Debug, clap::Args)]
#[command(after_help = examples! {
    "opentool show petstore.yaml getPetById"
    "opentool show petstore.yaml getPetById --json | jq .inputSchema"
})]
pub(crate) struct Args {
    /// Where the tool comes from: a path, an http(s) URL, or `-`; see `opentool --help`
    source: SourceSpec,
    /// The name of the tool
    tool: String,
    #[command(flatten)]
    loading: Loading,
}

/// Prints the tool as a page, or with `--json` as one object of the array that `list --json` prints.
pub(crate) fn run(args: Args, console: &Console) -> Result<(), CliError> {
    let source = load_holding(&args.tool, args.source, &args.loading, console)?;
    let tools = source.tools()?;
    let tool = source.find(&tools, &args.tool)?.definition();
    if console.is_json() {
        console.json(&schema::list_entry(tool))?;
    } else {
        console.styled(&render::tool(tool, console.width()))?;
    }
    source.complete()
}
