//! `opentool convert`: tools of any source as a document of another format, with what that format cannot hold.

use serde_json::json;
use url::Url;

use crate::args::examples;
use crate::console::{Console, counted};
use crate::describe::{self, Wanted};
use crate::error::CliError;
use crate::loss::{self, Deny, Form};
use crate::source::{Loading, Selection, Source, SourceSpec, gather, load_all, none_left};
use crate::{target, write};

/// Write the tools of sources as a document, and say what it cannot hold
///
/// What the format cannot hold (bounds, defaults, alternatives, hints) is listed on
/// standard error, each with its place in the definition that `opentool list --json`
/// prints. An OpenTool document that nothing is taken from comes back as it is.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, after_help = examples! {
    "opentool convert petstore.yaml --to opentool -o petstore.opentool.json"
    "opentool convert weather.opentool.json --to opentool@1.0.0 --deny loss"
    "opentool convert petstore.yaml --to opentool --losses json 2> losses.jsonl"
})]
pub(crate) struct Args {
    /// Where the tools come from: a path, an http(s) URL, or `-`; see `opentool --help`
    #[arg(required = true, value_name = "SOURCE")]
    sources: Vec<SourceSpec>,
    /// The format; without a version that of the source, or 1.1.0
    #[arg(long, value_name = "FORMAT", value_parser = target::document())]
    to: target::OpenTool,
    #[command(flatten)]
    target: write::Target,
    /// Refuse to write anything if something would be lost
    #[arg(long, value_name = "WHAT")]
    deny: Option<Deny>,
    /// How to list what is lost; with `--json` it is JSON
    #[arg(long, value_name = "FORM", default_value = "text", num_args = 0..=1, default_missing_value = "text")]
    losses: Form,
    /// The title of the document, instead of the source's
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// The address of the OpenTool server that runs the functions, base path included
    #[arg(long, value_name = "URL", value_parser = address)]
    server_url: Option<Url>,
    #[command(flatten)]
    loading: Loading,
    #[command(flatten)]
    selection: Selection,
}

fn address(text: &str) -> Result<Url, &'static str> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    url.ok_or("expected an http(s) address, such as `http://127.0.0.1:17001/opentool`")
}

/// Writes the document, unless something was denied.
pub(crate) fn run(args: Args, console: &Console) -> Result<(), CliError> {
    args.target.check()?;
    let sources = load_all(args.sources, &args.loading, console)?;
    let tools = gather(&sources, &args.selection, console)?;
    if tools.is_empty() {
        return Err(none_left(&sources, &args.selection));
    }
    let wanted = Wanted { version: args.to.0, title: args.title, server: args.server_url };
    let (document, losses) = describe::document(&sources, &tools, &args.selection, wanted);
    console.losses(&loss::of_document(&losses), args.losses)?;
    if args.deny == Some(Deny::Loss) && !losses.is_empty() {
        return Err(CliError::WouldLose { losses: losses.len(), format: describe::format(&document) });
    }
    match args.target.file() {
        None => console.json_text(document.print())?,
        Some(file) => {
            args.target.write(file, &document.print())?;
            let file = file.display();
            let functions = counted(document.functions.len(), "function");
            if console.is_json() {
                let (functions, losses) = (document.functions.len(), losses.len());
                console.json(&json!({"file": file.to_string(), "functions": functions, "losses": losses}))?;
            } else {
                console.aside(&format!("Wrote {file}: {functions}, {} lost", things(losses.len())))?;
            }
        }
    }
    sources.iter().try_for_each(Source::complete)
}

fn things(n: usize) -> String {
    if n == 0 { "nothing".to_owned() } else { counted(n, "thing") }
}
