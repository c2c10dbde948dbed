//! `opentool check-args`: what becomes of arguments that a model wrote.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use opentool::schema::{
    Change, Decoder, Examined, LowerError, LowerOptions, Repairs, Strict, Validator, lower, lower_all,
    problem_code,
};
use opentool::{ToolDefinition, ToolSet};
use opentool_text::printable_line;
use serde_json::{Map, Value};

use crate::args::examples;
use crate::call::standard_input;
use crate::console::{Console, STRONG};
use crate::error::CliError;
use crate::source::{Loading, Place, Selection, Source, SourceSpec, gather, load_one};
use crate::target::{self, Target};

/// The longest picture of what was written, in characters.
const SHOWN: usize = 300;

/// Check arguments that a model wrote, and show what they become
///
/// They pass the stages that a model's call passes: text that is nearly JSON is
/// repaired, values become what the tool's input schema wants where only one meaning
/// is possible, and what is left must be valid. The formats of JSON Schema are checked, but
/// for `time` and `duration`, whose usual values (`14:30`, `1h30m`) break the rules of their
/// names; those of OpenAPI (`int32`, `byte`) only say what is meant. Nothing is run or sent.
/// With `--from` the model is taken to have seen the tool in that dialect, as
/// `opentool export --to DIALECT` writes it: `null` for what is absent, and so on. Errors
/// are then told in that form; changes behind the decoding, in the tool's own. The tool
/// may then be named as the provider knows it; names are made of all tools that are
/// exported together, so choose the same ones as there (`--only` and its like). The
/// stages are shown for arguments that are refused in the end as well, up to the point
/// where that is decided.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, after_help = examples! {
    "opentool check-args petstore.yaml getPetById '{\"petId\": \"2\",}'"
    "opentool check-args petstore.yaml addPet - --mode strict < arguments.json"
    "opentool check-args petstore.yaml getPetById '{\"petId\": 2}' --from openai-strict"
    "opentool check-args petstore.yaml addPet '{\"name\": 1}' --json | jq -r '.errors[].code'"
})]
pub(crate) struct Args {
    /// Where the tool comes from: a path, an http(s) URL, or `-`; see `opentool --help`
    source: SourceSpec,
    /// The name of the tool
    tool: String,
    /// The text that the model wrote, or `-` for standard input; none is no arguments
    #[arg(value_name = "JSON | -", allow_hyphen_values = true)]
    arguments: Option<String>,
    /// How far to mend them: `strict` not at all; `default` only what can mean nothing else; `lenient` also what most
    /// probably means it, and unknown keys are dropped; `partial` is the best value so far of a text that is still
    /// being written
    #[arg(long, value_name = "MODE", default_value = "default", value_parser = modes())]
    mode: Repairs,
    /// The dialect in which the model saw the tool; without, and in an OpenTool document, it saw the tool's own schema
    #[arg(long, value_name = "DIALECT", value_parser = target::any())]
    from: Option<Target>,
    /// The `--strict` with which all tools of the source were exported
    #[arg(long, value_name = "WHICH", requires = "from", value_parser = target::strictness())]
    strict: Option<Strict>,
    #[command(flatten)]
    loading: Loading,
    #[command(flatten)]
    selection: Selection,
}

/// The modes by name: `--help` and completions list them.
fn modes() -> impl TypedValueParser<Value = Repairs> {
    let words = [Repairs::Off, Repairs::Sure, Repairs::Wide, Repairs::Partial].map(Repairs::as_str);
    PossibleValuesParser::new(words).map(|word| Repairs::named(&word).unwrap_or_default())
}

/// Shows each stage and the result, or with `--json` one object with all of it.
pub(crate) fn run(args: Args, console: &Console) -> Result<(), CliError> {
    let from_input = args.arguments.as_deref() == Some("-");
    if from_input && args.source.place == Place::StandardInput {
        return Err(CliError::usage(
            "standard input cannot be both the source and the arguments",
            "save one of them to a file",
        ));
    }
    let source = load_one(args.source, &args.loading, console)?;
    let tools = chosen(&source, &args.selection, &args.tool, console)?;
    let seen = match args.from {
        Some(Target::Dialect(dialect)) => Some(target::lowering(dialect, args.strict)),
        Some(Target::OpenTool(_)) if args.strict == Some(Strict::Always) => {
            return Err(target::has_no_strict());
        }
        Some(Target::OpenTool(_)) | None => None,
    };
    let (tool, decoder) = seen_as(&source, &tools, &args.tool, seen)?;
    let written = match args.arguments {
        Some(_) if from_input => standard_input()?,
        written => written.unwrap_or_default(),
    };
    let examined = examine(tool, &tools, &written, args.mode, &decoder)?;
    if console.is_json() {
        console.json(&Value::from(&examined))?;
    } else {
        console.styled(&page(&written, &examined, args.mode))?;
    }
    let (place, tool) = (source.spec.written(), tool.name.clone());
    examined.result.map(|_| ()).map_err(|error| CliError::Misfit { error: error.into(), place, tool })
}

/// The tools that the model is taken to have seen.
fn chosen(
    source: &Source,
    selection: &Selection,
    tool: &str,
    console: &Console,
) -> Result<ToolSet, CliError> {
    let tools = source.tools()?;
    if selection.is_everything() {
        return Ok(tools);
    }
    let chosen = gather(std::slice::from_ref(source), selection, console)?;
    if tools.contains(tool) && !chosen.contains(tool) {
        let message = format!("`{tool}` is not among the tools that were chosen");
        return Err(CliError::argument(message, "leave `--only` and its like out, or choose it too"));
    }
    Ok(chosen)
}

/// The tool, by its own name or by that which the provider knows, and the way back for arguments written for it.
fn seen_as<'t>(
    source: &Source,
    tools: &'t ToolSet,
    name: &str,
    options: Option<LowerOptions>,
) -> Result<(&'t ToolDefinition, Decoder), CliError> {
    let Some(options) = options else {
        return Ok((source.find(tools, name)?.definition(), Decoder::default()));
    };
    let unseen = |error: &LowerError| CliError::Checked {
        words: format!("no model sees the tool in the dialect `{}`: {error}", options.dialect),
        unreadable: 1,
    };
    let own = tools.get(name).map(|tool| tool.definition());
    if let (Some(tool), false) = (own, options.strict == Strict::Auto) {
        return lower(tool, options).map(|lowered| (tool, lowered.decoder)).map_err(|error| unseen(&error));
    }
    // What a name became, and which tools a request's budget lets be strict, is known of all tools together only.
    let mut set = lower_all(tools.definitions(), options);
    let name = if own.is_some() { name } else { set.names.tool(name).unwrap_or(name) };
    let tool = source.find(tools, name)?.definition();
    if let Some(refused) = set.refused.iter().find(|refused| refused.tool == name) {
        return Err(unseen(&refused.error));
    }
    let lowered = set.tools.iter().position(|lowered| lowered.tool == name);
    Ok((tool, lowered.map(|place| set.tools.swap_remove(place).decoder).unwrap_or_default()))
}

fn examine(
    tool: &ToolDefinition,
    tools: &ToolSet,
    written: &str,
    mode: Repairs,
    decoder: &Decoder,
) -> Result<Examined, CliError> {
    let validator = Validator::of_calls(&tool.input_schema).map_err(|error| CliError::Checked {
        words: format!("no call can be checked, because the tool's input schema cannot be used: {error}"),
        unreadable: 1,
    })?;
    Ok(validator.examine_as(&tool.name, tools, &Value::from(written), decoder, mode))
}

/// One line a stage.
fn page(written: &str, examined: &Examined, mode: Repairs) -> String {
    let mut page = String::new();
    let mut line = |stage: &str, text: &str| {
        page.push_str(&format!("{STRONG}{stage:8}{STRONG:#} {}\n", printable_line(text)));
    };
    let shown = if written.trim().is_empty() { "(nothing)".to_owned() } else { one_line(written) };
    line("written", &shown);
    for change in &examined.changes {
        line(change.stage.as_str(), &words(change));
    }
    match &examined.result {
        Ok(arguments) => {
            let result = Value::Object(Map::clone(arguments)).to_string();
            line(if mode == Repairs::Partial { "so far" } else { "valid" }, &result);
        }
        // The words of each problem are those of the error, which follows.
        Err(error) => {
            let mut codes: Vec<&str> = error.problems.iter().map(problem_code).collect();
            codes.dedup();
            line("refused", &codes.join(", "));
        }
    }
    page
}

/// What was changed: `/days: text to integer, "3" → 3`.
fn words(change: &Change) -> String {
    let mut words = String::new();
    if !change.pointer.is_empty() {
        words.push_str(&format!("{}: ", change.pointer));
    }
    words.push_str(change.rule);
    let picture = |value: &Value| one_line(&value.to_string());
    // The whole text stands in the first line already.
    let before = change.before.as_ref().filter(|_| !change.pointer.is_empty());
    match (before, &change.after) {
        (Some(before), Some(after)) => {
            words.push_str(&format!(", {} → {}", picture(before), picture(after)));
        }
        (None, Some(after)) => words.push_str(&format!(" → {}", picture(after))),
        (Some(before), None) => words.push_str(&format!(", it was {}", picture(before))),
        (None, None) => {}
    }
    words
}

/// The text on one line, shortened.
fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}
