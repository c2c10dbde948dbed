//! The functions of a document as tools.

use std::collections::HashMap;

use opentool_core::ToolSet;
use opentool_doc::{Document, Function, Return, Schema};

use super::tool::{ErrorObjects, Gives, Kind, RemoteTool};
use super::{Client, ClientError, ConnectBuilder, connect};

/// How many references in a row are followed.
const MOST_STEPS: usize = 64;

/// The server that a document names, without a key.
///
/// The address is the document's word. Giving the builder a key with [`ConnectBuilder::api_key`] says that the host trusts
/// it; nothing else sends a key there.
///
/// ```no_run
/// # async fn run(document: opentool_doc::Document) -> Result<(), opentool_server::client::ClientError> {
/// # use opentool_server::client;
/// let server = client::connect_document(&document)?.build()?;
/// let tools = client::document_tools(&document, &server);
/// # Ok(()) }
/// ```
///
/// # Errors
/// [`ClientError::NoServer`] if it names none. Whether the address can be used is told by the builder.
pub fn connect_document(document: &Document) -> Result<ConnectBuilder, ClientError> {
    match &document.server {
        Some(server) if !server.url.trim().is_empty() => Ok(connect(&server.url)),
        _ => Err(ClientError::NoServer),
    }
}

/// The functions of a document as tools that run on this server, wherever the document says they do. Nothing is asked.
///
/// A function with `stream` is run by a streaming call: data go to the context of the call as partial outputs
/// ([`ToolContext::partial`](opentool_core::ToolContext::partial)), and its output holds all of them. Of functions of one
/// name the first counts, as in [`Document::definitions`].
pub fn document_tools(document: &Document, client: &Client) -> ToolSet {
    let mut functions: HashMap<&str, &Function> = HashMap::new();
    for function in &document.functions {
        functions.entry(&function.name).or_insert(function);
    }
    let mut tools = ToolSet::new();
    for mut definition in document.definitions() {
        let Some(function) = functions.get(definition.name.as_str()) else { continue };
        definition.origin = definition.origin.location(client.url());
        let streaming = !function.stream.is_empty();
        let returned = function.returns.iter().chain(function.stream.values());
        let declared = returned.into_iter().any(|returns| declares_error_object(returns, document));
        let tool = RemoteTool {
            function: definition.name.clone(),
            definition,
            kind: if streaming { Kind::Streaming } else { Kind::Plain },
            gives: if function.returns.is_some() { Gives::Something } else { Gives::Nothing },
            error_objects: if declared { ErrorObjects::Values } else { ErrorObjects::Failures },
            client: client.clone(),
        };
        // The names of definitions differ.
        let _ = tools.insert(tool);
    }
    tools
}

/// Whether the values are objects with a `code` and a `message`.
fn declares_error_object(returns: &Return, document: &Document) -> bool {
    let mut schema: &Schema = &returns.schema;
    for _ in 0..MOST_STEPS {
        if schema.reference.is_none() {
            let has =
                |name| schema.properties.as_ref().is_some_and(|properties| properties.contains_key(name));
            return has("code") && has("message");
        }
        let Some(next) = schema.referred().and_then(|name| document.schemas.get(&*name)) else {
            return false;
        };
        schema = next;
    }
    false
}
