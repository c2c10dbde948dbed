//! The command line as a whole: what every command shares, and the list of commands.

use clap::{ArgAction, Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};

use crate::commands::{
    ask, call, chat, check, check_args, completions, convert, export, list, mock, new, parse_calls, serve,
    show,
};
use crate::{demo, exit};

/// Examples below the options of a command's `--help`, in the look of clap's own headings.
macro_rules! examples {
    ($($line:literal)*) => { concat!("\x1b[1m\x1b[4mExamples:\x1b[0m\n" $(, "  ", $line, "\n")*) };
}
pub(crate) use examples;

/// Define a tool once, call it from any model, over any protocol.
///
/// Turns APIs into tools, shows them, calls them, exports their definitions, and serves them to models.
#[derive(Debug, Parser)]
#[command(
    name = "opentool",
    version,
    max_term_width = 100,
    arg_required_else_help = true,
    after_help = "`opentool --help` also says what a SOURCE is and what the exit codes mean."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command takes.
#[derive(Debug, Clone, Args)]
pub(crate) struct Global {
    /// Print JSON for machines: results on standard output; errors, warnings and notes on standard error, one
    /// object a line
    #[arg(long, global = true, help_heading = "Output")]
    pub(crate) json: bool,
    /// Use colours; `auto` does on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub(crate) color: Color,
    /// Say more: what was odd in a document; twice: what the libraries do
    #[arg(short, long, global = true, action = ArgAction::Count, help_heading = "Output")]
    pub(crate) verbose: u8,
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    // Not doc comments, which would make every `--help` five lines longer.
    // On a terminal, unless `NO_COLOR` is set.
    Auto,
    Always,
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    List(list::Args),
    Show(show::Args),
    Call(Box<call::Args>),
    Ask(Box<ask::Args>),
    Chat(Box<chat::Args>),
    Serve(Box<serve::Args>),
    Mock(Box<mock::Args>),
    Export(export::Args),
    Convert(convert::Args),
    Check(check::Args),
    CheckArgs(check_args::Args),
    ParseCalls(parse_calls::Args),
    New(new::Args),
    Demo(demo::Args),
    Completions(completions::Args),
}

/// The end of `opentool --help`, before the exit codes.
const SOURCES: &str = concat!(
    "\x1b[1m\x1b[4mSources:\x1b[0m\n",
    "  A SOURCE is a path, an http(s) URL, or `-` for standard input. What it is, is\n",
    "  recognised from its content; a directory is all OpenAPI documents in it, and with\n",
    "  several of them `pets/openapi.yaml` has the tools `pets__…`:\n",
    "    an OpenAPI document  3.x or Swagger 2.0, JSON or YAML; each operation is a tool\n",
    "    an OpenTool document 1.0.0 to 2.0.0, JSON or YAML; each function is a tool, run at\n",
    "                         the `server` that the document names\n",
    "    an OpenTool server   the URL with its base path: http://127.0.0.1:17001/opentool\n",
    "    an MCP server        `mcp:http://127.0.0.1:3000/mcp`, or a program that is one:\n",
    "                         `'mcp+stdio:npx -y some-server'`, run without a shell\n",
    "    tool definitions     JSON: what `list --json` prints, MCP's `tools` array, or\n",
    "                         OpenAI's; can be listed, shown and exported, not called\n",
    "  `openapi:SOURCE`, `opentool:SOURCE` and `definitions:SOURCE` say it instead.\n",
    "  `NAME=SOURCE` gives the source a name, and its tools are named `NAME__tool`: so\n",
    "  two sources can have tools of the same name. With several APIs `--server` and\n",
    "  credentials need the name too: `--bearer NAME=TOKEN`, or in the environment\n",
    "  OPENTOOL_NAME_BEARER, OPENTOOL_NAME_API_KEY, OPENTOOL_NAME_BASIC.\n",
    "  (A file whose name looks like `a=b.yaml` is written `./a=b.yaml`.)\n\n",
    "\x1b[1m\x1b[4mTraces and metrics:\x1b[0m\n",
    "  Where OTEL_EXPORTER_OTLP_ENDPOINT is set, such as http://localhost:4318, `ask`, `chat`,\n",
    "  `call` and `serve` export them to that OpenTelemetry collector, over HTTP. What is\n",
    "  said, and what tools get and give, is in them only with\n",
    "  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true.\n",
);

impl Color {
    /// Makes the choice that of all output from here on.
    pub(crate) fn apply(self) {
        let choice = match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
    }
}

/// Reads the command line.
///
/// # Errors
/// clap's, which are also how `--help` and `--version` come back.
pub(crate) fn parse(preview: &Preview) -> Result<Cli, clap::Error> {
    let color = match preview.color {
        Color::Auto => clap::ColorChoice::Auto,
        Color::Always => clap::ColorChoice::Always,
        Color::Never => clap::ColorChoice::Never,
    };
    let command = Cli::command().color(color);
    let after = format!("{SOURCES}\n{}", exit::HELP);
    Cli::from_arg_matches(&command.after_long_help(after).try_get_matches()?)
}

/// What has to be known before the command line is read: how to speak about its faults.
pub(crate) struct Preview {
    /// `--json` is there.
    pub(crate) json: bool,
    /// What `--color` says.
    pub(crate) color: Color,
}

impl Preview {
    /// Looks at the arguments of this process.
    pub(crate) fn of_process() -> Self {
        let mut preview = Self { json: false, color: Color::Auto };
        let mut arguments = std::env::args_os()
            .map(|argument| argument.to_string_lossy().into_owned())
            .skip(1)
            .take_while(|argument| argument != "--")
            .peekable();
        while let Some(argument) = arguments.next() {
            let color = match argument.as_str() {
                "--json" => {
                    preview.json = true;
                    continue;
                }
                "--color" => arguments.peek().map(String::as_str),
                other => other.strip_prefix("--color="),
            };
            if let Some(Ok(color)) = color.map(|value| Color::from_str(value, false)) {
                preview.color = color;
            }
        }
        preview
    }
}
