//! `opentool serve`: tools as an MCP server, over standard input and output or over HTTP, and as an OpenTool server.

use opentool::{LiveTools, ToolSource as _};
use url::Url;

use crate::args::examples;
use crate::console::Console;
use crate::credentials::Access;
use crate::error::CliError;
use crate::listen::Listen;
use crate::serve::{OpenToolOptions, Served, Serving};
use crate::source::{
    Content, Following, Loading, Place, Selection, Source, SourceSpec, gather, load_all, none_left,
};
use crate::telemetry::Spans;
use crate::{describe, runtime, serve};

/// Where an MCP server listens over HTTP if nothing is said.
pub(crate) const DEFAULT_ADDRESS: &str = "127.0.0.1:3000";

/// Serve tools to models, over MCP and OpenTool
///
/// Without --http and --opentool it speaks MCP over standard input and output: that is
/// how MCP hosts start a server. What else there is to say goes to standard error.
/// Ctrl-C and SIGTERM end it; over HTTP, calls that run may finish first.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, after_help = examples! {
    "opentool serve petstore.yaml"
    "opentool serve petstore.yaml --http"
    "opentool serve petstore.yaml --opentool --http 127.0.0.1:17001"
    "opentool serve weather.opentool.json --opentool --mock"
    "opentool serve shop=petstore.yaml github=github.json --http 127.0.0.1:8000 --read-only"
    "OPENTOOL_BEARER=$TOKEN opentool serve https://example.com/openapi.json"
    "claude mcp add petstore -- opentool serve $PWD/petstore.yaml"
})]
pub(crate) struct Args {
    /// Where the tools come from: a path, an http(s) URL, or `-`; see `opentool --help`
    #[arg(required = true, value_name = "SOURCE")]
    sources: Vec<SourceSpec>,
    /// Speak MCP over standard input and output (the default)
    #[arg(long, conflicts_with = "http")]
    stdio: bool,
    /// Speak MCP over streamable HTTP at /mcp of this address: `HOST:PORT` or `PORT`; port 0 takes a free one. Only
    /// this machine can reach it unless HOST says otherwise
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = DEFAULT_ADDRESS)]
    http: Option<Listen>,
    /// Accept HTTP requests for this host name too
    #[arg(long, value_name = "HOST")]
    allow_host: Vec<String>,
    /// Accept HTTP requests of web pages of this origin, such as `https://app.example.com`
    #[arg(long, value_name = "ORIGIN")]
    allow_origin: Vec<String>,
    /// The name that clients see
    #[arg(long, default_value = "opentool")]
    name: String,
    /// What a model should know about the tools as a whole
    #[arg(long, value_name = "TEXT")]
    instructions: Option<String>,
    /// Call nobody: answer with examples of what the tools say that they give
    #[arg(long)]
    mock: bool,
    #[command(flatten)]
    loading: Loading,
    #[command(flatten)]
    opentool: OpenToolOptions,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    access: Access,
}

/// Serves until the client goes away (stdio) or a signal comes.
pub(crate) fn run(args: Args, spans: Spans, console: &Console) -> Result<(), CliError> {
    let opentool = args.opentool.listen()?;
    if args.http.is_some() && args.http == opentool {
        args.opentool.leave_mcp()?;
    }
    let is_web = args.http.is_some() || opentool.is_some();
    let stdio = args.stdio || !is_web;
    let about_http = !args.allow_host.is_empty() || !args.allow_origin.is_empty();
    if about_http && !is_web {
        return Err(CliError::usage(
            "`--allow-host` and `--allow-origin` are about HTTP, and nothing is served over it",
            "add `--http` or `--opentool`, or leave them out",
        ));
    }
    if stdio && args.sources.iter().any(|source| source.place == Place::StandardInput) {
        return Err(CliError::usage(
            "standard input cannot be both a source and the protocol's",
            "save the source to a file, or serve over `--http` or `--opentool`",
        ));
    }
    let sources = load_all(args.sources, &args.loading, console)?;
    let document = describe::served(&sources, &args.selection);
    let sources = if args.mock {
        sources.into_iter().map(Source::mocked).collect::<Result<_, _>>()?
    } else {
        refuse_definitions(&sources)?;
        let sources = args.access.apply_to_all(sources, &args.loading)?;
        refuse_without_server(&sources)?;
        sources
    };
    let tools = gather(&sources, &args.selection, console)?;
    if tools.is_empty() {
        return Err(none_left(&sources, &args.selection));
    }
    if let Some(listen) = &opentool {
        refuse_circles(&sources, listen)?;
    }
    let tools = LiveTools::new(tools);
    keep_up(Following::new(sources, args.selection, tools.tools()), tools.clone(), *console)?;
    let served = Served {
        tools,
        document,
        name: args.name,
        instructions: args.instructions,
        timeout: args.loading.timeout,
        allow_host: args.allow_host,
        allow_origin: args.allow_origin,
    };
    let opentool = opentool.map(|listen| args.opentool.endpoint(listen)).transpose()?;
    let serving = Serving { served, stdio, http: args.http, opentool, spans };
    runtime::serve(serve::run(serving, console))
}

/// Takes over what MCP servers change, as long as the process lives: clients are told in turn.
///
/// # Errors
/// [`CliError::Source`] if a server is gone, and [`CliError::Output`] if the system has no room for a thread.
fn keep_up(mut following: Following, live: LiveTools, console: Console) -> Result<(), CliError> {
    if !following.follow()? {
        return Ok(());
    }
    // A thread, because tools are listed on a runtime of the source's own.
    let mut follow = move || -> Result<(), CliError> {
        loop {
            runtime::wait_for(async {
                following.changed().await;
                Ok(())
            })?;
            if let Some(tools) = following.renewed(&console)? {
                live.replace(tools.clone());
            }
        }
    };
    std::thread::Builder::new().name("following".to_owned()).spawn(move || {
        if let Err(error) = follow() {
            // Nobody reads what is said, or there is no room for a runtime: those of before stay.
            let _ = console.error(&error);
        }
    })?;
    Ok(())
}

/// Definitions have nothing behind them: a server of them could only refuse.
fn refuse_definitions(sources: &[Source]) -> Result<(), CliError> {
    // An empty one has nothing that could be called: it is a document of a directory that could not be read.
    let without =
        |source: &&Source| matches!(&source.content, Content::Definitions(tools) if !tools.is_empty());
    match sources.iter().find(without) {
        Some(source) => Err(CliError::usage(
            format!(
                "{}: holds definitions only; nothing is behind them that could be called",
                source.spec.place
            ),
            "serve the source that the definitions were made from; `list`, `show` and `export` take them; `--mock` \
             answers with examples",
        )),
        None => Ok(()),
    }
}

/// A document that names the very address at which its functions are to be served: `opentool new` writes the usual one.
fn refuse_circles(sources: &[Source], listen: &Listen) -> Result<(), CliError> {
    for source in sources {
        let Some(url) = source.opentool().and_then(|opentool| Some(opentool.client()?.url().to_owned()))
        else {
            continue;
        };
        if Url::parse(&url).is_ok_and(|url| listen.is_at(&url)) {
            return Err(CliError::usage(
                format!(
                    "{}: its functions are run at {url}, which is where they are to be served: calls would go round \
                     in circles",
                    source.spec.place
                ),
                "`--mock` answers with examples, `--server URL` says where they are really run, `--opentool PORT` \
                 serves somewhere else",
            ));
        }
    }
    Ok(())
}

/// A server of a document that does not say where its functions are run could only refuse, too.
fn refuse_without_server(sources: &[Source]) -> Result<(), CliError> {
    let nowhere = |source: &&Source| source.opentool().is_some_and(|opentool| opentool.client().is_none());
    match sources.iter().find(nowhere) {
        Some(source) => Err(CliError::NoServer { place: source.spec.place.to_string() }),
        None => Ok(()),
    }
}
