//! `opentool mock`: a service made from OpenAPI documents, in place of the real one.

use std::sync::Arc;

use bytes::Bytes;
use http::Request;
use opentool::openapi::Api;
use opentool::openapi::mock::{Answer, Bound, Fault, Mock, MockError, Observer};
use serde_json::{Value, json};

use crate::args::examples;
use crate::console::{Console, counted};
use crate::error::CliError;
use crate::listen::Listen;
use crate::runtime;
use crate::source::{Content, Loading, Source, SourceSpec, load_all};

/// Where it listens if nothing is said.
const DEFAULT_ADDRESS: &str = "127.0.0.1:4010";

/// Answer in place of a service, from its OpenAPI document alone
///
/// Every request is held against the document: parameters by style, headers, cookies,
/// the body by its media type, credentials by their presence. What fits is answered with
/// an example; what does not is answered with a problem (application/problem+json) that
/// says everything that was wrong. Each request is a line on standard output.
///
/// The client chooses by Accept, and by Prefer: `code=404`, `example=NAME`, `seed=7`.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, after_help = examples! {
    "opentool mock petstore.yaml"
    "opentool mock petstore.yaml --addr 127.0.0.1:0 --json"
    "opentool call petstore.yaml getPetById petId=7 --server http://127.0.0.1:4010"
    "curl -H 'Prefer: code=404' http://127.0.0.1:4010/pet/7"
})]
pub(crate) struct Args {
    /// The OpenAPI documents: a path, an http(s) URL, or `-`
    #[arg(required = true, value_name = "SOURCE")]
    sources: Vec<SourceSpec>,
    /// Listen at this address: `HOST:PORT` or `PORT`; port 0 takes a free one. Only this machine can reach it unless
    /// HOST says otherwise
    #[arg(long, value_name = "ADDR", default_value = DEFAULT_ADDRESS)]
    addr: Listen,
    /// Make other examples; the same number makes the same ones
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    loading: Loading,
}

/// Answers until a signal comes.
pub(crate) fn run(args: Args, console: &Console) -> Result<(), CliError> {
    let sources = load_all(args.sources, &args.loading, console)?;
    let apis = sources.into_iter().map(api).collect::<Result<Vec<Api>, CliError>>()?;
    let mock = Mock::new(apis).seed(args.seed);
    let console = *console;
    runtime::serve(async move {
        let end = runtime::shutdown()?;
        let bound = mock.bind(args.addr.to_string()).await.map_err(|error| failed(&error))?;
        say(&bound, &console)?;
        let observer: Observer = Arc::new(move |request, answer| {
            // Nobody can be told where standard output is gone; the service goes on.
            let _ = tell(&console, request, answer);
        });
        bound.serve_until(end, observer).await.map_err(|error| failed(&error))
    })
}

/// The document of a source.
fn api(source: Source) -> Result<Api, CliError> {
    match source.content {
        Content::OpenApi(api) => Ok(*api),
        Content::Definitions(_) | Content::OpenTool(_) | Content::Mcp(_) => Err(CliError::usage(
            format!("{}: it is no OpenAPI document, which says nothing about requests", source.spec.place),
            "`opentool serve SOURCE --mock` serves the tools of any source with examples behind them",
        )),
    }
}

fn failed(error: &MockError) -> CliError {
    CliError::server(error)
}

fn say(bound: &Bound, console: &Console) -> Result<(), CliError> {
    let (mock, url) = (bound.mock(), bound.url());
    let urls: Vec<String> = mock.base_paths().map(|base| format!("{url}{base}")).collect();
    if console.is_json() {
        console.json_line(&json!({"url": url, "servers": urls, "operations": mock.len()}))?;
        return Ok(());
    }
    let places = if urls.is_empty() { url } else { urls.join(" and ") };
    console
        .aside(&format!("Answering for {} at {places} (Ctrl-C ends it)", counted(mock.len(), "operation")))?;
    Ok(())
}

/// One request, in a line; what was wrong with it below, or within with `--json`.
fn tell(console: &Console, request: &Request<Bytes>, answer: &Answer) -> std::io::Result<()> {
    let status = answer.response().status().as_u16();
    if console.is_json() {
        let faults: Vec<_> = answer.faults().iter().map(in_json).collect();
        let own: Vec<_> = answer.own_faults().iter().map(in_json).collect();
        return console.json_line(&json!({
            "method": request.method().as_str(),
            "target": answer.target(),
            "operation": answer.operation(),
            "fits": answer.fits(),
            "status": status,
            "faults": faults,
            "answer_faults": own,
        }));
    }
    let mut line = format!("{status} {} {}", request.method(), answer.target());
    if let Some(operation) = answer.operation() {
        line.push_str(&format!("  {operation}"));
    }
    for fault in answer.faults() {
        line.push_str(&format!("\n    {}{fault}", word(fault)));
    }
    for fault in answer.own_faults() {
        line.push_str(&format!("\n    no valid answer can be made: {fault}"));
    }
    line.push('\n');
    console.data(opentool_text::printable(&line).as_bytes())
}

fn in_json(fault: &Fault) -> Value {
    json!({
        "gravity": fault.gravity,
        "pointer": fault.pointer,
        "rule": fault.rule,
        "detail": fault.detail,
        "found": fault.found,
    })
}

fn word(fault: &Fault) -> &'static str {
    if fault.is_error() { "" } else { "note: " }
}
