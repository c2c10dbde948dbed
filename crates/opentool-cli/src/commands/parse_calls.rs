//! `opentool parse-calls`: the calls in a provider's answer.

use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use opentool::schema::{Dialect, MessageFormat, parse_calls, parse_calls_of, problem_code};
use opentool::{Diagnostic, Problem};

use crate::args::examples;
use crate::console::{Console, counted};
use crate::error::CliError;
use crate::source::{Place, read};

/// How long an answer at an address may take.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Read the calls that a model asks for from a provider's answer
///
/// The answer is the whole body of the response, the assistant's message, the list of
/// calls or one call; with `--from text` the words of a model that writes its calls
/// into its text. Prints `[{"id", "name", "arguments"}]`, and `[]` where there are none.
/// A call that cannot be read, was cut off or has no name does not hide the others: it
/// is reported and not printed, and the exit code is 1. In text, what stands behind
/// a call without an end may be a part of it: nothing there is read as one.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, after_help = examples! {
    "opentool parse-calls --from openai response.json"
    "curl … https://api.anthropic.com/v1/messages | opentool parse-calls --from anthropic"
    "opentool parse-calls --from text answer.txt | jq -r '.[].name'"
})]
pub(crate) struct Args {
    /// The format of the answer; every dialect of a provider has the same
    #[arg(long, value_name = "DIALECT", value_parser = formats())]
    from: MessageFormat,
    /// With `--from text`, the name of a tool that the model has, as often as there are tools; calls of these are also
    /// found without the marks of a template, where the text ends with one in a fence, in backticks or as bare JSON
    #[arg(long = "tool", value_name = "NAME")]
    tools: Vec<String>,
    /// A path, an http(s) URL, or `-` for standard input
    #[arg(value_name = "FILE", default_value = "-")]
    file: Place,
}

/// The formats and all dialects that have one, by name: `--help` and completions list them. The others are known, and
/// refused with what to write instead.
fn formats() -> impl TypedValueParser<Value = MessageFormat> {
    let formats: Vec<&str> = MessageFormat::all().iter().map(|format| format.name()).collect();
    let with_one = |dialect: &&Dialect| MessageFormat::of(**dialect).is_some();
    let others = Dialect::all().iter().filter(with_one).map(|dialect| dialect.name());
    let others = others.filter(|name| !formats.contains(name)).collect::<Vec<_>>();
    let none = Dialect::all().iter().filter(|dialect| !with_one(dialect)).map(|dialect| dialect.name());
    let none = none.chain(["opentool"]).map(|name| PossibleValue::new(name).hide(true));
    let names = formats.into_iter().chain(others).map(|name| match name {
        "mcp" => PossibleValue::new(name).alias("mcp-2026-07-28"),
        name => PossibleValue::new(name),
    });
    PossibleValuesParser::new(names.chain(none)).try_map(|name| {
        let dialect = || name.parse::<Dialect>().ok().and_then(MessageFormat::of);
        MessageFormat::named(&name).or_else(dialect).ok_or_else(|| {
            format!(
                "`{name}` is a form of definitions, and no provider answers in it: name the provider whose answer it \
                 is, or `text`"
            )
        })
    })
}

/// Prints the calls as JSON, with and without `--json`, and what is wrong on standard error.
pub(crate) fn run(args: Args, console: &Console) -> Result<(), CliError> {
    let place = args.file.to_string();
    let (bytes, ..) = read(&args.file, TIMEOUT, None)?;
    let text = String::from_utf8(bytes)
        .map_err(|_| CliError::argument(format!("{place} is not text"), "an answer is UTF-8"))?;
    if args.from != MessageFormat::Text && !args.tools.is_empty() {
        return Err(CliError::usage(
            "`--tool` goes with `--from text`",
            "in the other formats a call has a place of its own, whatever its name",
        ));
    }
    let read = match args.from {
        MessageFormat::Text if !args.tools.is_empty() => {
            Ok(parse_calls_of(&text, args.tools.iter().map(String::as_str)))
        }
        format => parse_calls(format, &text),
    };
    let parsed = match read {
        Ok(parsed) => parsed,
        Err(error) => {
            // Whoever reads the calls finds that there are none.
            console.json(&[(); 0])?;
            return Err(CliError::NoAnswer { place, error });
        }
    };
    let problems: Vec<Diagnostic> =
        parsed.problems.iter().map(|problem| diagnostic(problem).file(place.as_str())).collect();
    console.diagnostics(&place, &problems)?;
    let list = parsed.to_list();
    console.json(&list)?;
    if problems.is_empty() {
        return Ok(());
    }
    let (found, calls) =
        (counted(problems.len(), "problem"), counted(list.as_array().map_or(0, Vec::len), "call"));
    Err(CliError::Checked { words: format!("{found} in the answer; {calls} read"), unreadable: 0 })
}

fn diagnostic(problem: &Problem) -> Diagnostic {
    let mut message =
        problem.expected.clone().unwrap_or_else(|| format!("breaks the rule `{}`", problem.rule));
    if let Some(found) = &problem.found {
        message.push_str(", found ");
        message.push_str(found);
    }
    Diagnostic::error(problem_code(problem), problem.pointer.clone(), message)
}
