//! Binding every protocol, then serving all of them until one ends or a signal comes.
//!
//! All addresses are bound before anything is served: a port in use is an error now. Calls that run may finish; the first
//! server that ends takes the others along.

use opentool::{Cancellation, ToolSource as _, mcp, server};
use serde_json::json;

use super::{Endpoint, Served};
use crate::console::{Console, counted};
use crate::error::CliError;
use crate::listen::Listen;
use crate::telemetry::Spans;
use crate::{log, runtime};

/// What is served, and over what.
#[derive(Debug)]
pub(crate) struct Serving {
    /// The tools.
    pub(crate) served: Served,
    /// MCP over standard input and output.
    pub(crate) stdio: bool,
    /// MCP over HTTP.
    pub(crate) http: Option<Listen>,
    /// OpenTool.
    pub(crate) opentool: Option<Endpoint>,
    /// Where the spans of calls go.
    pub(crate) spans: Spans,
}

/// Everything that listens.
#[derive(Default)]
struct Listening {
    mcp: Option<mcp::Bound>,
    opentool: Option<server::Bound>,
    /// Where MCP is, also where it is beside OpenTool.
    mcp_url: Option<String>,
}

impl Listening {
    async fn bind(serving: &Serving) -> Result<Self, CliError> {
        let served = &serving.served;
        let mut opentool = match &serving.opentool {
            Some(endpoint) => Some(endpoint.bind(served).await?),
            None => None,
        };
        let Some(http) = &serving.http else { return Ok(Self { opentool, ..Self::default() }) };
        let shared = match &serving.opentool {
            Some(endpoint) => endpoint.listen.same(http).await,
            None => false,
        };
        if let Some(bound) = opentool.take_if(|_| shared) {
            let mut server = served.mcp();
            let ip = bound.local_addr().ip();
            if !ip.is_unspecified() {
                server = server.allow_host(if ip.is_ipv6() { format!("[{ip}]") } else { ip.to_string() });
            }
            let routes = server.router().map_err(|error| CliError::server(&error))?;
            let mcp_url = beside(&bound.url());
            return Ok(Self { mcp: None, opentool: Some(bound.beside(routes)), mcp_url: Some(mcp_url) });
        }
        let mcp = served.mcp().bind(http.to_string()).await.map_err(|error| CliError::server(&error))?;
        let mcp_url = mcp.url();
        Ok(Self { mcp: Some(mcp), opentool, mcp_url: Some(mcp_url) })
    }
}

/// The address of the MCP endpoint on the server whose OpenTool base address this is.
fn beside(url: &str) -> String {
    let origin = url.split('/').take(3).collect::<Vec<_>>().join("/");
    format!("{origin}/mcp")
}

/// Serves until the client goes away (stdio), a client stops the server where that is allowed, or a signal comes.
///
/// # Errors
/// [`CliError::Server`].
pub(crate) async fn run(mut serving: Serving, console: &Console) -> Result<(), CliError> {
    let asked = runtime::shutdown()?;
    tokio::pin!(asked);
    let listening = tokio::select! {
        () = &mut asked => return Ok(()),
        listening = Listening::bind(&serving) => listening?,
    };
    warn(&serving, console)?;
    say(&serving, &listening, console)?;
    // From here on: what the libraries say about the addresses has just been said better.
    log::start(console, std::mem::take(&mut serving.spans));
    let end = Cancellation::new();
    let signal = async {
        tokio::select! {
            () = asked => end.cancel(),
            () = end.cancelled() => {}
        }
    };
    let stdio = async {
        if !serving.stdio {
            return Ok(());
        }
        let serving = serving.served.mcp().stdio_until(end.cancelled());
        let ended = serving.await.map_err(|error| CliError::server(&error));
        end.cancel();
        ended
    };
    let Listening { mcp, opentool, .. } = listening;
    let mcp = async {
        let Some(bound) = mcp else { return Ok(()) };
        let ended = bound.serve_until(end.cancelled()).await.map_err(|error| CliError::server(&error));
        end.cancel();
        ended
    };
    let opentool = async {
        let Some(bound) = opentool else { return Ok(()) };
        let ended = bound.serve_until(end.cancelled()).await.map_err(|error| CliError::server(&error));
        end.cancel();
        ended
    };
    let ((), stdio, mcp, opentool) = tokio::join!(signal, stdio, mcp, opentool);
    stdio.and(mcp).and(opentool)
}

fn warn(serving: &Serving, console: &Console) -> Result<(), CliError> {
    if let Some(endpoint) = &serving.opentool {
        endpoint.warn(console)?;
    }
    let Some(listen) = &serving.http else { return Ok(()) };
    let has_keys = serving.opentool.as_ref().is_some_and(|endpoint| !endpoint.keys.is_empty());
    if !listen.is_local() {
        console.warning(&format!(
            "there is no authentication{}: whoever can reach {listen} can call the tools, with the credentials \
             that you gave; `--allow-host` names the hosts that clients may call it by",
            if has_keys { " over MCP" } else { "" }
        ))?;
    } else if has_keys {
        console.note("the keys are asked for over OpenTool; over MCP there is no authentication")?;
    }
    Ok(())
}

fn say(serving: &Serving, listening: &Listening, console: &Console) -> Result<(), CliError> {
    let tools = serving.served.tools.tools().len();
    let opentool = listening.opentool.as_ref().map(server::Bound::url);
    if console.is_json() && !serving.stdio {
        let mut said = serde_json::Map::new();
        if let Some(url) = &listening.mcp_url {
            said.insert("url".to_owned(), json!(url));
        }
        if let Some(url) = &opentool {
            said.insert("opentool".to_owned(), json!(url));
        }
        said.insert("tools".to_owned(), json!(tools));
        console.json_line(&said)?;
        return Ok(());
    }
    let mut places = Vec::new();
    if serving.stdio {
        places.push("over MCP on standard input and output".to_owned());
    }
    places.extend(listening.mcp_url.iter().map(|url| format!("over MCP at {url}")));
    places.extend(opentool.iter().map(|url| format!("over OpenTool at {url}")));
    let hint = match (&serving.http, &opentool) {
        (None, None) => "; `--http` serves over HTTP",
        _ if serving.stdio => "",
        _ => " (Ctrl-C ends it)",
    };
    console.aside(&format!("Serving {} {}{hint}", counted(tools, "tool"), places.join(" and ")))?;
    Ok(())
}
