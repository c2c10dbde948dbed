//! `opentool list`: the tools of sources.

use opentool::schema;

use crate::args::examples;
use crate::console::{Console, counted};
use crate::error::CliError;
use crate::render;
use crate::source::{Loading, Selection, Source, SourceSpec, gather, load_all, why_none};

/// List the tools of one or more sources
#[derive(Debug, clap::Args)]
#[command(after_help = examples! {
    "opentool list petstore.yaml"
    "opentool list https://example.com/openapi.json --read-only"
    "opentool list shop=petstore.yaml mine=tools.json --without 'shop__delete*'"
    "opentool list petstore.yaml --json | jq -r '.[].name'"
})]
pub(crate) struct Args {
    /// Where the tools come from: a path, an http(s) URL, or `-`; see `opentool --help`
    #[arg(required = true, value_name = "SOURCE")]
    sources: Vec<SourceSpec>,
    #[command(flatten)]
    loading: Loading,
    #[command(flatten)]
    selection: Selection,
}

/// Prints the tools as a table, or with `--json` as an array.
pub(crate) fn run(args: Args, console: &Console) -> Result<(), CliError> {
    let sources = load_all(args.sources, &args.loading, console)?;
    let tools = gather(&sources, &args.selection, console)?;
    if console.is_json() {
        console.json(&schema::list(&tools))?;
    } else {
        if !tools.is_empty() {
            console.styled(&render::tools(&tools, sources.len() > 1, console.width()))?;
        }
        console.aside(&counted(tools.len(), "tool"))?;
    }
    if let Some(why) = tools.is_empty().then(|| why_none(&sources, &args.selection)).flatten() {
        console.note(&why)?;
    }
    sources.iter().try_for_each(Source::complete)
}
