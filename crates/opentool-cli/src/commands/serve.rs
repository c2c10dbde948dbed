//! `opentool serve`: tools as an MCP server, over standard input and output or over HTTP.

use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use opentool::ToolSet;
use opentool::mcp::{McpError, Server};
use serde_json::json;

use crate::args::examples;
use crate::console::{Console, counted};
use crate::credentials::Access;
use crate::error::CliError;
use crate::source::{Content, Loading, Place, Selection, Source, SourceSpec, gather, load_all, none_left};
use crate::{log, runtime};

/// Where a server listens over HTTP if nothing is said.
pub(crate) const DEFAULT_ADDRESS: &str = "127.0.0.1:3000";

/// Serve tools to models, as an MCP server
///
/// Without --http it speaks over standard input and output: that is how MCP hosts start
/// a server. What else there is to say goes to standard error. Ctrl-C and SIGTERM end
/// it; over HTTP, calls that run may finish first.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, after_help = examples! {
    "opentool serve petstore.yaml"
    "opentool serve petstore.yaml --http"
    "opentool serve shop=petstore.yaml github=github.json --http 127.0.0.1:8000 --read-only"
    "OPENTOOL_BEARER=$TOKEN opentool serve https://example.com/openapi.json"
    "claude mcp add petstore -- opentool serve $PWD/petstore.yaml"
})]
pub(crate) struct Args {
    /// Where the tools come from: a path, an http(s) URL, or `-`; see `opentool --help`
    #[arg(required = true, value_name = "SOURCE")]
    sources: Vec<SourceSpec>,
    /// Speak over standard input and output (the default)
    #[arg(long, conflicts_with = "http")]
    stdio: bool,
    /// Speak over streamable HTTP at /mcp of this address: `HOST:PORT` or `PORT`; port 0 takes a free one. Only
    /// this machine can reach it unless HOST says otherwise
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = DEFAULT_ADDRESS)]
    http: Option<Listen>,
    /// Accept HTTP requests for this host name too
    #[arg(long, value_name = "HOST", requires = "http")]
    allow_host: Vec<String>,
    /// Accept HTTP requests of web pages of this origin, such as `https://app.example.com`
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    allow_origin: Vec<String>,
    /// The name that clients see
    #[arg(long, default_value = "opentool")]
    name: String,
    /// What a model should know about the tools as a whole
    #[arg(long, value_name = "TEXT")]
    instructions: Option<String>,
    #[command(flatten)]
    loading: Loading,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    access: Access,
}

/// An address to listen at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listen {
    host: String,
    port: u16,
}

impl FromStr for Listen {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (host, port) = text.rsplit_once(':').unwrap_or(("", text));
        let host = match host {
            // Not all addresses of the machine: those have to be asked for.
            "" => "127.0.0.1",
            host => host,
        };
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        let is_host = match bare {
            Some(address) => matches!(address.parse(), Ok(IpAddr::V6(_))),
            None => host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-')),
        };
        match port.parse() {
            Ok(port) if is_host => Ok(Self { host: host.to_owned(), port }),
            _ => {
                Err("expected HOST:PORT or PORT, such as `127.0.0.1:3000`; put sources before `--http`"
                    .into())
            }
        }
    }
}

impl std::fmt::Display for Listen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

impl Listen {
    /// Whether only this machine can reach it, as far as the text says.
    pub(crate) fn is_local(&self) -> bool {
        self.host == "localhost" || self.to_string().parse().is_ok_and(|at: SocketAddr| at.ip().is_loopback())
    }
}

/// Serves until the client goes away (stdio) or a signal comes.
pub(crate) fn run(args: Args, console: &Console) -> Result<(), CliError> {
    if args.http.is_none() && args.sources.iter().any(|source| source.place == Place::StandardInput) {
        return Err(CliError::usage(
            "standard input cannot be both a source and the protocol's",
            "save the source to a file, or serve over `--http`",
        ));
    }
    let sources = load_all(args.sources, &args.loading, console)?;
    refuse_definitions(&sources)?;
    let sources = args.access.apply_to_all(sources, &args.loading)?;
    let tools = gather(&sources, &args.selection)?;
    if tools.is_empty() {
        return Err(none_left(&sources, &args.selection));
    }
    let mut server = Server::new(tools.clone())
        .name(args.name)
        .version(env!("CARGO_PKG_VERSION"))
        .timeout(args.loading.timeout);
    if let Some(instructions) = args.instructions {
        server = server.instructions(instructions);
    }
    server = args.allow_host.into_iter().fold(server, Server::allow_host);
    server = args.allow_origin.into_iter().fold(server, Server::allow_origin);
    match args.http {
        Some(listen) => runtime::serve(http(server, &listen, &tools, console)),
        None => runtime::serve(stdio(server, &tools, console)),
    }
}

/// Definitions have nothing behind them: a server of them could only refuse.
fn refuse_definitions(sources: &[Source]) -> Result<(), CliError> {
    match sources.iter().find(|source| matches!(source.content, Content::Definitions(_))) {
        Some(source) => Err(CliError::usage(
            format!(
                "{}: holds definitions only; nothing is behind them that could be called",
                source.spec.place
            ),
            "serve the source that the definitions were made from; `list`, `show` and `export` take them",
        )),
        None => Ok(()),
    }
}

async fn stdio(server: Server, tools: &ToolSet, console: &Console) -> Result<(), CliError> {
    let ended = runtime::shutdown()?;
    console.aside(&format!(
        "Serving {} over MCP on standard input and output; `--http` serves over HTTP.",
        counted(tools.len(), "tool")
    ))?;
    log::start(console);
    tokio::select! {
        served = server.stdio() => served.map_err(|error| failed(&error)),
        () = ended => Ok(()),
    }
}

async fn http(server: Server, listen: &Listen, tools: &ToolSet, console: &Console) -> Result<(), CliError> {
    let ended = runtime::shutdown()?;
    let bound = server.bind(listen.to_string()).await.map_err(|error| failed(&error))?;
    if !listen.is_local() {
        console.warning(&format!(
            "there is no authentication: whoever can reach {listen} can call the tools, with the credentials \
             that you gave; `--allow-host` names the hosts that clients may call it by"
        ))?;
    }
    let url = bound.url();
    if console.is_json() {
        console.json_line(&json!({"url": url, "tools": tools.len()}))?;
    } else {
        console
            .aside(&format!("Serving {} over MCP at {url} (Ctrl-C ends it)", counted(tools.len(), "tool")))?;
    }
    // From here on: what the library says about the address has just been said better.
    log::start(console);
    bound.serve_until(ended).await.map_err(|error| failed(&error))
}

fn failed(error: &McpError) -> CliError {
    CliError::server(error)
}

#[cfg(test)]
mod tests {
    use super::Listen;

    #[test]
    fn a_port_alone_is_for_this_machine_only() {
        for text in ["3000", ":3000", "localhost:3000", "127.0.0.1:0", "[::1]:3000"] {
            let listen: Listen = text.parse().unwrap();
            assert!(listen.is_local(), "{text}");
        }
        for text in ["0.0.0.0:3000", "[::]:3000", "example.test:80", "10.0.0.1:80"] {
            let listen: Listen = text.parse().unwrap();
            assert!(!listen.is_local(), "{text}");
        }
        for text in ["petstore.yaml", "", "localhost", "1:2:3", "host:99999", "::1:80"] {
            assert!(text.parse::<Listen>().is_err(), "{text}");
        }
    }
}
