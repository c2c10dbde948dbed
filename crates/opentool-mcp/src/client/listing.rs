//! The pages of `tools/list`, and tools made of them.
//!
//! What an entry means is read where all definitions of strangers are read (`opentool_schema::parse_definitions`): there
//! bad entries become diagnostics, and hidden characters are taken out.

use std::collections::HashSet;

use opentool_core::{Diagnostic, Origin, ToolSet};
use opentool_schema::parse_definitions;
use rmcp::model::{ClientRequest, ListToolsRequest, PaginatedRequestParams, ServerResult};
use serde_json::{Map, Value};

use super::tool::RemoteTool;
use super::{Client, ClientError};

/// The most tools of a server.
const MOST_TOOLS: usize = 20_000;

/// The most pages that are asked for.
const MOST_PAGES: usize = 1_000;

/// The tools of all pages.
pub(crate) async fn tools(client: &Client) -> Result<(ToolSet, Vec<Diagnostic>), ClientError> {
    let (entries, mut diagnostics) = entries(client).await?;
    let list = Value::Array(entries);
    // A large list takes a while, which other tasks of the thread should not wait for.
    let reading = tokio::task::spawn_blocking(move || parse_definitions(&list));
    let not_read = || ClientError::NotMcp { server: client.name(), reason: "its list cannot be read".into() };
    let parsed = reading.await.map_err(|_| not_read())?.map_err(|_| not_read())?;
    let place = client.place();
    let mut tools = ToolSet::new();
    for definition in parsed.tools.definitions() {
        let mut definition = definition.clone();
        definition.origin = Origin::new("mcp").location(&place).item(&definition.name);
        let added = tools.insert(RemoteTool::new(definition, client.clone()));
        debug_assert!(added.is_ok(), "the names of a parsed list are unique");
    }
    let own = parsed.diagnostics.into_iter().map(|mut found| {
        found.pointer = format!("/tools{}", found.pointer);
        found.file(&place)
    });
    diagnostics.splice(0..0, own);
    Ok((tools, diagnostics))
}

/// Whether the server still has a tool of this name; the names that it has are given where it has not.
pub(crate) async fn names(client: &Client) -> Result<Vec<String>, ClientError> {
    let (entries, _) = entries(client).await?;
    let name = |entry: &Value| Some(entry.get("name")?.as_str()?.to_owned());
    Ok(entries.iter().filter_map(name).collect())
}

/// The entries of all pages. A later page that cannot be had is told, and what came before it stays.
async fn entries(client: &Client) -> Result<(Vec<Value>, Vec<Diagnostic>), ClientError> {
    let (mut entries, mut diagnostics) = (Vec::new(), Vec::new());
    let mut seen = HashSet::new();
    let mut cursor: Option<String> = None;
    let end = std::time::Instant::now().checked_add(client.limits().call);
    for page in 0..MOST_PAGES {
        let asked = PaginatedRequestParams::default().with_cursor(cursor.take());
        let request = ClientRequest::ListToolsRequest(ListToolsRequest::with_param(asked));
        let answer = client.ask(request, end, None).await;
        let (found, next) = match answer.and_then(|answer| read(client, answer)) {
            Ok(read) => read,
            Err(error) if page == 0 => return Err(error),
            Err(error) => {
                let message = format!("the list ends after {} tools: {error}", entries.len());
                diagnostics.push(Diagnostic::error("page-not-read", "/tools", message).file(client.place()));
                return Ok((entries, diagnostics));
            }
        };
        entries.extend(found);
        if entries.len() > MOST_TOOLS {
            entries.truncate(MOST_TOOLS);
            let message = format!("the list has more than {MOST_TOOLS} tools; the others are left out");
            diagnostics.push(Diagnostic::error("too-many-tools", "/tools", message).file(client.place()));
            return Ok((entries, diagnostics));
        }
        match next {
            None => return Ok((entries, diagnostics)),
            Some(next) if seen.insert(next.clone()) => cursor = Some(next),
            Some(_) => {
                let message = "the list goes round in circles: a page leads back to one that was read";
                diagnostics.push(Diagnostic::error("page-not-read", "/tools", message).file(client.place()));
                return Ok((entries, diagnostics));
            }
        }
    }
    let message = format!("the list has more than {MOST_PAGES} pages; the others are left out");
    diagnostics.push(Diagnostic::error("too-many-tools", "/tools", message).file(client.place()));
    Ok((entries, diagnostics))
}

/// The entries of a page, and where the next one is. A page with an entry that the SDK does not take comes as it was sent.
fn read(client: &Client, answer: ServerResult) -> Result<(Vec<Value>, Option<String>), ClientError> {
    let not_a_page = || ClientError::NotMcp {
        server: client.name(),
        reason: "its answer to `tools/list` has no list `tools`".into(),
    };
    let mut page: Map<String, Value> = match serde_json::to_value(answer) {
        Ok(Value::Object(page)) => page,
        _ => return Err(not_a_page()),
    };
    let next = page.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
    match page.remove("tools") {
        Some(Value::Array(entries)) => Ok((entries, next)),
        _ => Err(not_a_page()),
    }
}
