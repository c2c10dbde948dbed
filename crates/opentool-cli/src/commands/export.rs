//! `opentool export`: definitions for a provider.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use opentool::schema::{Dialect, export};

use crate::args::examples;
use crate::console::Console;
use crate::error::CliError;
use crate::source::{Loading, Selection, Source, SourceSpec, gather, load_all, none_left};

/// Print the definitions of tools in the format of a model provider or protocol
#[derive(Debug, clap::Args)]
#[command(after_help = examples! {
    "opentool export petstore.yaml --to openai > tools.json"
    "opentool export petstore.yaml --to anthropic --only 'find*,getPetById'"
})]
pub(crate) struct Args {
    /// Where the tools come from: a path, an http(s) URL, or `-`; see `opentool --help`
    #[arg(required = true, value_name = "SOURCE")]
    sources: Vec<SourceSpec>,
    /// The format: OpenAI's Chat Completions, Anthropic's Messages, or MCP's `tools/list`
    #[arg(long, value_name = "DIALECT", value_parser = dialects())]
    to: Dialect,
    #[command(flatten)]
    loading: Loading,
    #[command(flatten)]
    selection: Selection,
}

/// The dialects by name: `--help` and completions list them.
fn dialects() -> impl TypedValueParser<Value = Dialect> {
    PossibleValuesParser::new(Dialect::all().iter().map(|dialect| dialect.name()))
        .try_map(|name| name.parse::<Dialect>())
}

/// Prints the definitions as JSON, with and without `--json`.
pub(crate) fn run(args: Args, console: &Console) -> Result<(), CliError> {
    let sources = load_all(args.sources, &args.loading, console)?;
    let tools = gather(&sources, &args.selection)?;
    if tools.is_empty() {
        return Err(none_left(&sources, &args.selection));
    }
    console.json(&export(&tools, args.to))?;
    sources.iter().try_for_each(Source::complete)
}
