//! `opentool export`: definitions for a provider, exactly as it is sent them.

use opentool::schema::{
    LowerError, LowerOptions, LoweredSet, Refused, SchemaError, Strict, lower, lower_all,
};
use opentool::{Diagnostic, ToolDefinition, ToolSet};

use crate::args::examples;
use crate::console::{Console, counted};
use crate::describe::{self, Wanted};
use crate::error::CliError;
use crate::loss::{self, Deny, Form, Told, Word};
use crate::source::{Loading, Selection, Source, SourceSpec, gather, load_all, none_left};
use crate::target::{self, Target};

/// Print the definitions of tools in the format of a model provider or protocol
///
/// Prints what a request holds under `tools`. What the format cannot hold stands in the
/// descriptions where a model can still read it, and `--losses` lists it. A tool that
/// the provider would refuse is left out with the reason, and the exit code is 1. So it
/// is, with nothing printed, where the provider takes no request of so many tools:
/// choose some with `--only` and its like.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, after_help = examples! {
    "opentool export petstore.yaml --to openai > tools.json"
    "opentool export petstore.yaml --to anthropic --only 'find*,getPetById'"
    "opentool export petstore.yaml --to openai --strict auto --losses"
    "opentool export petstore.yaml --to gemini-openapi --deny loss"
    "opentool export petstore.yaml --to bedrock --losses json 2> losses.jsonl"
})]
pub(crate) struct Args {
    /// Where the tools come from: a path, an http(s) URL, or `-`; see `opentool --help`
    #[arg(required = true, value_name = "SOURCE")]
    sources: Vec<SourceSpec>,
    /// The format: a provider's or protocol's by name, or an OpenTool document, for which `opentool convert` has more
    /// options
    #[arg(long, value_name = "DIALECT", value_parser = target::any())]
    to: Target,
    /// Which tools are put into the provider's strict mode: `auto` those that lose no valid arguments by it, as far as
    /// one request allows; without, as the name of the dialect says
    #[arg(long, value_name = "WHICH", value_parser = target::strictness())]
    strict: Option<Strict>,
    /// Refuse to print anything if something would be lost
    #[arg(long, value_name = "WHAT")]
    deny: Option<Deny>,
    /// List on standard error what is lost, and with `--strict auto` which tools are strict and why; with `--json` it
    /// is JSON; with `--verbose` also what is written otherwise and nothing is lost by
    #[arg(long, value_name = "FORM", num_args = 0..=1, default_missing_value = "text")]
    losses: Option<Form>,
    #[command(flatten)]
    loading: Loading,
    #[command(flatten)]
    selection: Selection,
}

/// Prints the definitions as JSON, with and without `--json`.
pub(crate) fn run(args: Args, console: &Console) -> Result<(), CliError> {
    can_be_strict(&args)?;
    let sources = load_all(args.sources, &args.loading, console)?;
    let tools = gather(&sources, &args.selection, console)?;
    if tools.is_empty() {
        return Err(none_left(&sources, &args.selection));
    }
    let report = Report { form: args.losses, deny: args.deny };
    match args.to {
        Target::Dialect(dialect) => {
            let options = target::lowering(dialect, args.strict);
            dialects(&tools, &lower_all(tools.definitions(), options), &report, console)?;
        }
        Target::OpenTool(target::OpenTool(version)) => {
            let wanted = Wanted { version, ..Wanted::default() };
            let (document, losses) = describe::document(&sources, &tools, &args.selection, wanted);
            report.show(&loss::of_document(&losses), console)?;
            report.accept(losses.len(), || describe::format(&document))?;
            console.json_text(document.print())?;
        }
    }
    sources.iter().try_for_each(Source::complete)
}

/// Says before anything is read that a format has no strict mode.
fn can_be_strict(args: &Args) -> Result<(), CliError> {
    let has_none = match args.to {
        Target::OpenTool(_) => true,
        Target::Dialect(dialect) => {
            let options = LowerOptions::new(dialect).strict(Strict::Always);
            matches!(lower(&ToolDefinition::new("tool", ""), options), Err(LowerError::NoStrict { .. }))
        }
    };
    if args.strict == Some(Strict::Always) && has_none {
        return Err(target::has_no_strict());
    }
    Ok(())
}

/// Prints a request's tools.
fn dialects(tools: &ToolSet, set: &LoweredSet, report: &Report, console: &Console) -> Result<(), CliError> {
    let dialect = set.options.dialect;
    let request = set.request().map_err(|error| CliError::NoRequest { error })?;
    let mut told = loss::of_set(set, tools);
    if set.options.strict == Strict::Auto {
        told.extend(loss::strictness(set));
    }
    report.show(&told, console)?;
    let refused: Vec<Diagnostic> = set.refused.iter().map(diagnostic).collect();
    console.diagnostics(dialect.name(), &refused)?;
    report.accept(losses(&told).saturating_add(refused.len()), || format!("`{dialect}`"))?;
    if !set.tools.is_empty() {
        console.json(&request)?;
    }
    match refused.len() {
        0 => Ok(()),
        refused => Err(CliError::NotLowered { refused, tools: tools.len(), dialect }),
    }
}

/// What to say of losses, and whether they are accepted.
struct Report {
    form: Option<Form>,
    deny: Option<Deny>,
}

impl Report {
    /// Lists what is lost, or says that something is.
    fn show(&self, told: &[Told], console: &Console) -> Result<(), CliError> {
        // What is refused is always told.
        let form = self.form.or(self.deny.map(|_| Form::Text));
        match (form, losses(told)) {
            (Some(form), _) => Ok(console.losses(told, form)?),
            (None, 0) => Ok(()),
            (None, losses) => {
                let thing = counted(losses, "thing");
                let is = if losses == 1 { "is" } else { "are" };
                Ok(console.note(&format!("{thing} {is} lost in this format; `--losses` lists what"))?)
            }
        }
    }

    /// Refuses what was denied.
    fn accept(&self, losses: usize, format: impl FnOnce() -> String) -> Result<(), CliError> {
        match self.deny {
            Some(Deny::Loss) if losses > 0 => Err(CliError::WouldLose { losses, format: format() }),
            _ => Ok(()),
        }
    }
}

fn losses(told: &[Told]) -> usize {
    told.iter().filter(|told| told.word == Word::Loss).count()
}

/// A tool that was left out: which, by what rule, and where in its definition.
fn diagnostic(refused: &Refused) -> Diagnostic {
    let (code, pointer) = match &refused.error {
        LowerError::Schema(error) => {
            let code = match error {
                SchemaError::Invalid { .. } => "schema-invalid",
                SchemaError::External { .. } => "schema-external",
                SchemaError::Endless { .. } => "schema-endless",
                SchemaError::TooComplex { .. } => "schema-too-complex",
                _ => "schema",
            };
            (code, error.pointer())
        }
        LowerError::NeverValid { pointer } => ("never-valid", &**pointer),
        LowerError::OverBudget { .. } => ("over-budget", ""),
        LowerError::NoStrict { .. } => ("no-strict", ""),
        _ => ("not-lowered", ""),
    };
    // The place is shown behind the words.
    let words = refused.error.to_string().replacen(&format!(" (at {pointer})"), "", 1);
    let at = opentool_text::pointer::join("", &refused.tool) + "/inputSchema" + pointer;
    Diagnostic::error(code, at, format!("`{}` is left out: {words}", refused.tool))
}
