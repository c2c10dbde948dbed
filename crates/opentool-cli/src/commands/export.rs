//! `opentool export`: definitions for a provider.

use opentool::schema::export;

use crate::args::examples;
use crate::console::Console;
use crate::describe::{self, Wanted};
use crate::error::CliError;
use crate::source::{Loading, Selection, Source, SourceSpec, gather, load_all, none_left};
use crate::target::{self, Target};

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
    /// The format: a provider's or protocol's by name, or an OpenTool document, for which `opentool convert` has more
    /// options
    #[arg(long, value_name = "DIALECT", value_parser = target::any())]
    to: Target,
    #[command(flatten)]
    loading: Loading,
    #[command(flatten)]
    selection: Selection,
}

/// Prints the definitions as JSON, with and without `--json`.
pub(crate) fn run(args: Args, console: &Console) -> Result<(), CliError> {
    let sources = load_all(args.sources, &args.loading, console)?;
    let tools = gather(&sources, &args.selection, console)?;
    if tools.is_empty() {
        return Err(none_left(&sources, &args.selection));
    }
    match args.to {
        Target::Dialect(dialect) => console.json(&export(&tools, dialect))?,
        Target::OpenTool(target::OpenTool(version)) => {
            let wanted = Wanted { version, ..Wanted::default() };
            let (document, losses) = describe::document(&sources, &tools, &args.selection, wanted);
            console.losses(&losses, console.is_json())?;
            console.json_text(document.print())?;
        }
    }
    sources.iter().try_for_each(Source::complete)
}
