//! One file a command, and the frame around them: arguments in, exit code out.

pub(crate) mod ask;
pub(crate) mod call;
pub(crate) mod chat;
pub(crate) mod check;
pub(crate) mod check_args;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod export;
pub(crate) mod list;
pub(crate) mod mock;
pub(crate) mod new;
pub(crate) mod parse_calls;
pub(crate) mod serve;
pub(crate) mod show;

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::error::ErrorKind;
use serde_json::json;

use crate::args::{self, Cli, Command, Preview};
use crate::console::{Console, Reader};
use crate::demo;
use crate::error::CliError;
use crate::exit::Exit;
use crate::telemetry::exported;

/// The whole program.
pub(crate) fn main() -> ExitCode {
    let preview = Preview::of_process();
    preview.color.apply();
    let cli = match args::parse(&preview) {
        Ok(cli) => cli,
        Err(error) => return refuse(&error, &preview),
    };
    let reader = if cli.global.json { Reader::Program } else { Reader::Person };
    let console = Console::new(reader, cli.global.verbose);
    match run(cli, &console) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read the output has seen enough of it.
        Err(CliError::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing can be said where standard error is gone too.
            let _ = console.error(&error);
            error.exit().into()
        }
    }
}

fn run(cli: Cli, console: &Console) -> Result<(), CliError> {
    match cli.command {
        Command::List(args) => list::run(args, console),
        Command::Show(args) => show::run(args, console),
        Command::Call(args) => exported(console, |spans| {
            spans.listen();
            call::run(*args, console)
        }),
        Command::Ask(args) => exported(console, |spans| {
            spans.listen();
            ask::run(*args, console)
        }),
        Command::Chat(args) => exported(console, |spans| {
            spans.listen();
            chat::run(*args, console)
        }),
        Command::Serve(args) => exported(console, |spans| serve::run(*args, spans, console)),
        Command::Mock(args) => mock::run(*args, console),
        Command::Export(args) => export::run(args, console),
        Command::Check(args) => check::run(args, console),
        Command::CheckArgs(args) => check_args::run(args, console),
        Command::ParseCalls(args) => parse_calls::run(args, console),
        Command::Convert(args) => convert::run(args, console),
        Command::New(args) => new::run(args, console),
        Command::Completions(args) => completions::run(args, console),
        Command::Demo(args) => demo::run(args, console),
    }
}

/// Ends the run as clap wants it: help and version on standard output, everything else is a usage error.
fn refuse(error: &clap::Error, preview: &Preview) -> ExitCode {
    let reader = if preview.json { Reader::Program } else { Reader::Person };
    let console = Console::new(reader, 0);
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return match error.print().and_then(|()| io::stdout().flush()) {
            // A reader that went away has seen enough of the help.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                let _ = console.error(&CliError::Output(error));
                Exit::Output.into()
            }
            _ => ExitCode::SUCCESS,
        };
    }
    // clap says that there is one, and not which.
    let not_text = std::env::args_os().skip(1).find(|argument| argument.to_str().is_none());
    if let Some(argument) = not_text.filter(|_| error.kind() == ErrorKind::InvalidUtf8) {
        let message = format!("the argument {argument:?} is not UTF-8");
        let help = "rename the file, or link to it by a name that is";
        let _ = console.error(&CliError::usage(message, help));
        return Exit::Usage.into();
    }
    if preview.json {
        let text = error.render().to_string();
        let (message, help) = sentence(text.trim().trim_start_matches("error: "));
        let error =
            json!({"error": {"code": "usage", "message": message, "help": help, "exit": Exit::Usage.code()}});
        eprintln!("{error}");
        return Exit::Usage.into();
    }
    let _ = error.print();
    Exit::Usage.into()
}

/// The first sentence of clap's text, and the rest of it: what could have been written. A sentence that announces a list
/// goes on with it.
fn sentence(text: &str) -> (String, String) {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let (list, rest) = match first.ends_with(':') {
        true => rest.split_once("\n\n").unwrap_or((rest, "")),
        false => ("", rest),
    };
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines = rest.lines().map(words).filter(|line| !line.is_empty());
    (words(&format!("{first} {list}")), lines.collect::<Vec<_>>().join("; "))
}
