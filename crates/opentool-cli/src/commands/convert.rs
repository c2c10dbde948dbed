//! `opentool convert`: tools of any source as a document of another format, with what that format cannot hold.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::path::Path;

use serde_json::{Value, json};
use url::Url;

use crate::args::examples;
use crate::console::{Console, counted};
use crate::describe::{self, Wanted};
use crate::error::CliError;
use crate::loss::{self, Deny, Form, Told};
use crate::source::{Loading, Selection, Source, SourceSpec, gather, load_all, none_left};
use crate::{render, target, write};

/// Write the tools of sources as a document, and say what it cannot hold
///
/// What the format cannot hold (bounds, defaults, alternatives, hints) is listed on
/// standard error, each with its place in the definition that `opentool list --json`
/// prints. An OpenTool document that nothing is taken from comes back as it is: in JSON,
/// also from YAML, with numbers in their shortest form (`1.50` as `1.5`); converting the
/// result again changes nothing. Many losses are told by keyword; `--losses` lists each.
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
    /// How to list what is lost, each thing by itself: `text`, which is what happens without it where there is not much, or
    /// `json`, which `--json` means too
    #[arg(long, value_name = "FORM", num_args = 0..=1, default_missing_value = "text")]
    losses: Option<Form>,
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

/// More lines than this are told by keyword, unless each is asked for.
const MANY: usize = 40;

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
    let mut told = loss::of_document(&losses);
    let lost = told.len();
    if args.losses.is_none()
        && render::losses(&told, false).len() > MANY
        && console.verbosity() == 0
        && !console.is_json()
    {
        told = by_keyword(&told);
    }
    console.losses(&told, args.losses.unwrap_or(Form::Text))?;
    if args.deny == Some(Deny::Loss) && lost > 0 {
        return Err(CliError::WouldLose { losses: lost, format: describe::format(&document) });
    }
    if args.deny == Some(Deny::Loss) {
        // What the reader left out or changed is lost as well.
        sources.iter().try_for_each(Source::complete)?;
    }
    match args.target.file() {
        None => console.json_text(document.print())?,
        Some(file) => {
            keep_faulty(&sources, file)?;
            args.target.write(file, &document.print())?;
            let file = file.display();
            let functions = counted(document.functions.len(), "function");
            if console.is_json() {
                let functions = document.functions.len();
                console.json(&json!({"file": file.to_string(), "functions": functions, "losses": lost}))?;
            } else {
                console.aside(&format!("Wrote {file}: {functions}, {} lost", things(lost)))?;
            }
        }
    }
    sources.iter().try_for_each(Source::complete)
}

/// Refuses to replace a source by what was understood of it: the rest of it would be gone.
fn keep_faulty(sources: &[Source], file: &Path) -> Result<(), CliError> {
    let Ok(target) = std::fs::canonicalize(file) else { return Ok(()) };
    let is_target = |source: &&Source| {
        let place = source.spec.place.file();
        place.and_then(|place| std::fs::canonicalize(place).ok()).is_some_and(|place| place == target)
    };
    for source in sources.iter().filter(is_target) {
        if let Err(CliError::Incomplete { place, faults }) = source.complete() {
            return Err(CliError::usage(
                format!(
                    "{place} has {}, and would be replaced by what was understood of it; nothing was written",
                    counted(faults, "error")
                ),
                format!("mend it first: `opentool check {place}`; or write to another file"),
            ));
        }
    }
    Ok(())
}

/// One entry for each keyword and what becomes of it, the most frequent first.
fn by_keyword(told: &[Told]) -> Vec<Told> {
    let mut groups: Vec<(&str, Vec<&Told>)> = Vec::new();
    let mut index = HashMap::new();
    for entry in told {
        let keyword = entry.json.pointer("/loss/keyword").and_then(Value::as_str).unwrap_or_default();
        let group = *index.entry((keyword, &entry.message)).or_insert(groups.len());
        match groups.get_mut(group) {
            Some((_, entries)) => entries.push(entry),
            None => groups.push((keyword, vec![entry])),
        }
    }
    // Stable: of equal ones the first comes first.
    groups.sort_by_key(|(_, entries)| Reverse(entries.len()));
    let one = |(keyword, entries): (&str, Vec<&Told>)| {
        let tools: HashSet<&str> = entries.iter().map(|entry| entry.tool.as_str()).collect();
        let first = entries.first().copied().cloned()?;
        match entries.len() {
            1 => Some(first),
            several => Some(Told {
                tool: String::new(),
                pointer: format!("{keyword} ({several} times in {})", counted(tools.len(), "tool")),
                ..first
            }),
        }
    };
    groups.into_iter().filter_map(one).collect()
}

fn things(n: usize) -> String {
    if n == 0 { "nothing".to_owned() } else { counted(n, "thing") }
}
