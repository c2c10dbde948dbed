//! OpenTool as a source: a document whose functions are tools, or a server that gives one.
//!
//! A document says where its functions are run, if it does; what is sent there, with which key, is decided when a command
//! means to call ([`OpenTool::connect`]), and listing never connects to it.

use std::net::IpAddr;
use std::time::Duration;

use opentool::client::{self, Client, ClientError};
use opentool::doc::Document;
use opentool::{
    Arguments, BoxFuture, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput, ToolSet, mock,
};
use opentool_http::{Addresses, Authorities};
use secrecy::SecretString;

/// An OpenTool document or server, and its functions as tools.
pub(crate) struct OpenTool {
    document: Document,
    tools: ToolSet,
    /// The server that gave the document.
    given_by: Option<String>,
    /// The machine that the document came from, if it was fetched.
    peer: Option<IpAddr>,
    /// Where calls go.
    client: Option<Client>,
    /// Whether they bear a key.
    has_key: bool,
}

/// Where calls are to go, and with what.
#[derive(Debug, Default)]
pub(crate) struct Way {
    /// Instead of what the document or the source says.
    pub(crate) server: Option<String>,
    /// The key of the server.
    pub(crate) api_key: Option<SecretString>,
    /// How long a call may take.
    pub(crate) timeout: Duration,
    /// Which addresses may be connected to.
    pub(crate) addresses: Addresses,
    /// Whom to trust beside the system's authorities.
    pub(crate) authorities: Option<Authorities>,
}

impl Way {
    /// A client that goes this way; nothing is asked yet.
    ///
    /// # Errors
    /// Those of [`client::ConnectBuilder::build`].
    pub(crate) fn client(&self, url: impl Into<String>) -> Result<Client, ClientError> {
        let limit = self.timeout;
        let builder = client::connect(url).timeout(limit).stream_timeout(limit);
        let builder = builder.connect_timeout(limit.min(Duration::from_secs(10)));
        let builder = builder.addresses(self.addresses).authorities(self.authorities.clone());
        self.api_key.iter().cloned().fold(builder, client::ConnectBuilder::api_key).build()
    }
}

impl OpenTool {
    /// The functions of a document, with nothing behind them yet. The place is where the document is, for people; the peer, the
    /// machine that it was fetched from.
    pub(crate) fn new(document: Document, place: &str, peer: Option<IpAddr>) -> Self {
        let mut tools = ToolSet::new();
        for mut definition in document.definitions() {
            definition.origin = definition.origin.location(place);
            let added = tools.insert(Described { definition });
            debug_assert!(added.is_ok(), "the names of a document's definitions are unique");
        }
        Self { document, tools, given_by: None, peer, client: None, has_key: false }
    }

    /// The functions of a server.
    pub(crate) fn of_server(document: Document, server: &Client) -> Self {
        let tools = client::document_tools(&document, server);
        let (given_by, client) = (Some(server.url().to_owned()), Some(server.clone()));
        Self { document, tools, given_by, peer: None, client, has_key: false }
    }

    /// Puts the server behind the functions, if there is one: that of the way, else the one that gave the document, else
    /// the one that the document names. Nothing is asked yet.
    ///
    /// # Errors
    /// [`ClientError::Address`], [`ClientError::ApiKey`].
    pub(crate) fn connect(mut self, way: &Way) -> Result<Self, ClientError> {
        let named = self.document.server.as_ref().map(|server| server.url.clone());
        let url = way.server.clone().or(self.given_by.clone()).or(named);
        if let Some(url) = url.filter(|url| !url.trim().is_empty()) {
            let client = way.client(url)?;
            self.tools = client::document_tools(&self.document, &client);
            self.client = Some(client);
            self.has_key = way.api_key.is_some();
        }
        Ok(self)
    }

    /// Whether the document names a server of another origin than that where it was found. A server that gave the document
    /// itself was named by the person.
    pub(crate) fn leads_away_from(&self, place: &url::Url) -> bool {
        let Some(server) = self.document.server.as_ref().filter(|_| self.given_by.is_none()) else {
            return false;
        };
        url::Url::parse(&server.url).map_or(true, |server| server.origin() != place.origin())
    }

    /// Which addresses the server may have that the document names: those that an OpenAPI document from there may name.
    pub(crate) fn may_name(&self, place: Option<&url::Url>) -> Addresses {
        if self.given_by.is_some() {
            return Addresses::Named;
        }
        let Some(place) = place else { return Addresses::Own };
        let came_from_public = self.peer.is_some_and(|peer| opentool_http::not_public(peer).is_none());
        let named = self.named_server().and_then(|server| url::Url::parse(server).ok());
        match named {
            Some(named) if !came_from_public && opentool_http::may_name(place, &named) => Addresses::Named,
            _ => Addresses::Public,
        }
    }

    /// The server that the document names.
    pub(crate) fn named_server(&self) -> Option<&str> {
        self.document.server.as_ref().map(|server| server.url.as_str())
    }

    /// Puts examples behind the functions.
    pub(crate) fn mocked(mut self) -> Self {
        self.tools = mock::tools(&self.document);
        self.client = None;
        self
    }

    /// The document, as it was read.
    pub(crate) fn document(&self) -> &Document {
        &self.document
    }

    /// Its functions.
    pub(crate) fn tools(&self) -> &ToolSet {
        &self.tools
    }

    /// Whether calls bear a key.
    pub(crate) fn has_key(&self) -> bool {
        self.has_key
    }

    /// The server behind the functions.
    pub(crate) fn client(&self) -> Option<&Client> {
        self.client.as_ref()
    }
}

/// A function that nothing runs.
struct Described {
    definition: ToolDefinition,
}

impl Tool for Described {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn call<'a>(
        &'a self,
        _cx: &'a ToolContext,
        _arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        let why = format!("nothing is there to run `{}`: its document names no server", self.definition.name);
        Box::pin(std::future::ready(Err(ToolError::Refused(why.into()))))
    }
}
