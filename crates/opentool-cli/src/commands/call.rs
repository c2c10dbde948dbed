//! `opentool call`: run a tool, or show what would be sent.

use std::io::{self, IsTerminal as _};
use std::time::Instant;

use opentool::client::Client;
use opentool::openapi::Settings;
use opentool::openapi::plan::SecurityScheme;
use opentool::schema::{RepairPolicy, Repairs, ToolSetExt as _};
use opentool::{ToolCall, ToolContext, ToolError, ToolOutput, UnknownTool};

use serde_json::Value;
use url::Url;

use crate::args::examples;
use crate::call::{ByLocation, DryRun, Events};
use crate::console::Console;
use crate::credentials::Access;
use crate::error::CliError;
use crate::render::{self, Answer};
use crate::source::{Content, Loading, Place, SourceSpec, load_holding};
use crate::{call, credentials, runtime, telemetry};

/// Run a tool
///
/// Arguments are one JSON object, or words of these forms, which the tool's input
/// schema gives their types:
///   key=value   text stays text; numbers, booleans, lists and objects are read as
///               JSON; a key that comes again adds to a list
///   key:=json   always JSON
///   key=@file   the text of a file, or its bytes where a file is uploaded;
///               `key:=@file` reads JSON
///   -           a JSON object from standard input
/// They are checked before anything is sent, and never mended as a model's are.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, after_help = examples! {
    "opentool call petstore.yaml getPetById petId=2"
    "opentool call petstore.yaml findPetsByStatus status=pending --json | jq .structured"
    "OPENTOOL_API_KEY=$KEY opentool call http://127.0.0.1:17001/opentool get_weather city=Paris"
    "opentool call petstore.yaml addPet '{\"name\": \"Rex\", \"species\": \"dog\"}' --dry-run"
    "OPENTOOL_BEARER=$TOKEN opentool call https://example.com/openapi.json createIssue title=Hello"
})]
pub(crate) struct Args {
    /// Where the tool comes from: a path, an http(s) URL, or `-`; see `opentool --help`
    source: SourceSpec,
    /// The name of the tool
    tool: String,
    /// A JSON object, `-`, or `key=value` …
    #[arg(value_name = "JSON | key=value")]
    arguments: Vec<String>,
    /// Send nothing; print the request: as a `curl` command, or with `--json` as one object. Secrets are `***`
    #[arg(long)]
    dry_run: bool,
    /// Call nobody: answer with an example of what the tool says that it gives
    #[arg(long, conflicts_with_all = ["dry_run", "args_by_location"])]
    mock: bool,
    /// Arguments are named as in the API's document and not as the tool names them: parameters by name, `path.id` and
    /// `query.id` where one name has two places, the whole body as `body`, bytes as `{"$base64": "…"}`. For comparing
    /// requests: with `--dry-run --json` a `--credential` of this command line is shown in the request
    #[arg(long)]
    args_by_location: bool,
    #[command(flatten)]
    loading: Loading,
    #[command(flatten)]
    access: Access,
}

/// Runs the tool and prints its answer; with `--json` the whole output.
pub(crate) fn run(args: Args, console: &Console) -> Result<(), CliError> {
    if args.source.place == Place::StandardInput && args.arguments.iter().any(|word| word == "-") {
        return Err(CliError::usage(
            "standard input cannot be both the source and the arguments",
            "save one of them to a file",
        ));
    }
    let source = load_holding(&args.tool, args.source, &args.loading, console)?;
    let source = if args.mock { source.mocked()? } else { args.access.apply_to(source, &args.loading)? };
    if let (Some(opentool), false) = (source.opentool(), args.mock)
        && opentool.client().is_none()
    {
        return Err(CliError::NoServer { place: source.spec.place.to_string() });
    }
    let tools = source.tools()?;
    let tool = source.find(&tools, &args.tool)?;
    let arguments = call::read(&args.arguments, tool.definition())?;
    let call = if args.args_by_location {
        let api = source.api().ok_or_else(|| {
            CliError::usage(
                "`--args-by-location` is for OpenAPI documents, and this source is none",
                format!(
                    "leave it out, and name the arguments as `opentool show {} {}` does",
                    source.spec.written(),
                    args.tool
                ),
            )
        })?;
        let own_name = source.own_name(&args.tool)?;
        let operation = api.operation(&own_name).ok_or_else(|| unknown(&own_name))?;
        let arguments = ByLocation::read(api, operation, &arguments)?;
        if args.dry_run {
            return arguments.show(&args.tool, &tools, &args.access.typed(&source)?, console);
        }
        arguments.into_call(&args.tool)?
    } else {
        ToolCall::new("1", args.tool, arguments)
    };
    // A person is told what is wrong with a command, and not given another one.
    let as_written = RepairPolicy::new(Repairs::Off);
    let unfit = |error: ToolError| match error {
        ToolError::InvalidArguments(_) => {
            CliError::Unfit { error, place: source.spec.written(), tool: call.name.clone() }
        }
        error => error.into(),
    };
    let (arguments, _) = tools.take(&call, &as_written).map_err(unfit)?;
    let request = match &source.content {
        // Made here to tell what cannot be sent from what failed on the way.
        Content::OpenApi(api) => {
            let name = source.own_name(&call.name)?;
            let make = |settings: &Settings| api.clone().with(settings.clone()).request(&name, &arguments);
            let request = credentials::request(api.settings(), make).map_err(|error| {
                let operation = api.operation(&name).map(|operation| &*operation.security);
                let schemes =
                    operation.unwrap_or_default().iter().flat_map(|requirement| &requirement.schemes);
                let mut schemes = schemes.map(|used| *used.scheme == SecurityScheme::MutualTls).peekable();
                match error {
                    CliError::NoCredential(error)
                        if schemes.peek().is_some() && schemes.all(|is_it| is_it) =>
                    {
                        CliError::NoCertificate(error)
                    }
                    error => error.of_tool(&source.spec.written(), &call.name),
                }
            })?;
            if args.dry_run {
                return DryRun { json: request.to_json(), curl: request.to_curl() }.show(console);
            }
            Url::parse(request.url()).ok()
        }
        Content::OpenTool(opentool) => {
            let url = opentool.client().map(Client::url);
            if let (true, Some(url)) = (args.dry_run, url) {
                let name = source.own_name(&call.name)?;
                return DryRun::of_function(opentool, url, &name, arguments).show(console);
            }
            url.and_then(|url| Url::parse(url).ok())
        }
        Content::Mcp(_) => {
            if args.dry_run {
                let name = source.own_name(&call.name)?;
                return DryRun::of_mcp(&name, arguments).show(console);
            }
            None
        }
        Content::Definitions(_) => None,
    };
    // What has no request is known by its definition only, and refuses below, dry run or not.
    let started = Instant::now();
    let mut cx = ToolContext::new().call_id("1").fact(as_written).events(Events::new(*console));
    cx = match started.checked_add(args.loading.timeout) {
        Some(end) => cx.deadline(end),
        None => cx,
    };
    let limit = args.loading.timeout;
    let tools = telemetry::traced(tools);
    let output =
        runtime::wait_for(async {
            // Tools that talk to somebody keep to the deadline themselves, and say what they waited for; this is the
            // wall behind them.
            let wall = limit.saturating_add(limit / 10);
            match tokio::time::timeout(wall, tools.call(&cx, &call)).await {
                Ok(Err(ToolError::TimedOut(_))) | Err(_) => {
                    let server = request
                        .as_ref()
                        .map_or_else(|| call.name.clone(), |url| url.origin().ascii_serialization());
                    Err(CliError::TooLate { server, limit })
                }
                Ok(result) => Ok(result
                    .map_err(|error| CliError::from(error).of_tool(&source.spec.written(), &call.name))?),
            }
        })?;
    show(&output, console)
}

fn unknown(tool: &str) -> ToolError {
    UnknownTool::new(tool, Vec::new()).into()
}

fn show(output: &ToolOutput, console: &Console) -> Result<(), CliError> {
    // Such as a stream that ended early: what there is may not be all.
    if let Some(note) = output.metadata.get("http.note").and_then(Value::as_str) {
        console.note(note)?;
    }
    if console.is_json() {
        console.json(output)?;
    } else if output.is_error {
        // Through the one place for errors: `error: …` on standard error.
        return Err(CliError::Call(ToolError::failed(output.to_text())));
    } else {
        match render::answer(output, io::stdout().is_terminal()) {
            Answer::Text(text) => console.data(text.as_bytes())?,
            Answer::File(bytes) => console.data(&bytes)?,
        }
    }
    if output.is_error { Err(CliError::Answer) } else { Ok(()) }
}
