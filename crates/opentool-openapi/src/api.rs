//! A document as its user holds it: what was read, what the host decides about calls, and the tools.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use opentool_core::{Arguments, Diagnostic, ToolDefinition, ToolError, ToolSet, UnknownTool};
use secrecy::SecretString;
use url::Url;

use crate::bytes::Files;
use crate::choose::{self, Config, Told};
use crate::definition::{self, Source};
use crate::document::{Document, Opened};
use crate::execute::OperationTool;
use crate::outcome::Outcome;
use crate::plan::Operation;
use crate::read::Reading;
use crate::request::{self, Credential, Located, MissingCredentials, Request, Settings};
use crate::{Address, Authorities, Identity, OpenApiError, SecretSource, uploads};

/// An OpenAPI document that was read, with everything that the host decides about its calls.
///
/// Nothing is sent before a tool is called, and credentials are sent only to the document's own servers (or to the one
/// that the host sets). Clones share the document.
#[derive(Debug, Clone)]
pub struct Api {
    source: Arc<Source>,
    /// What was read, and what of that is chosen.
    all: Arc<[Arc<Operation>]>,
    operations: Arc<[Arc<Operation>]>,
    names: Arc<HashMap<String, usize>>,
    diagnostics: Arc<[Diagnostic]>,
    left_out: usize,
    settings: Settings,
    /// A server that was set and is none, and why.
    refused_server: Option<(Box<str>, Box<str>)>,
    told: Arc<Told>,
}

impl Api {
    /// Reads a text. Pure: nothing else is read or fetched.
    pub(crate) fn read(text: &[u8], address: Address) -> Result<Self, OpenApiError> {
        Self::of(Document::open(text.into(), address, None)?)
    }

    /// What texts that were read already say.
    pub(crate) fn of(opened: Opened<'_>) -> Result<Self, OpenApiError> {
        Outcome::of(opened).api
    }

    /// What was read as a whole.
    pub(crate) fn new(
        document: Document,
        reading: Reading,
        diagnostics: Vec<Diagnostic>,
    ) -> Result<Self, OpenApiError> {
        let left_out = reading.seen.saturating_sub(reading.operations.len());
        let settings = Settings { document_url: base_url(&document), ..Settings::default() };
        let all: Arc<[Arc<Operation>]> = reading.operations.into_iter().map(Arc::new).collect();
        let source = Arc::new(Source { document, knowledge: reading.knowledge });
        let chosen = choose::apply(&all, &Config::default(), &source)?;
        let operations: Arc<[Arc<Operation>]> =
            if chosen.0.len() == all.len() { Arc::clone(&all) } else { chosen.0.into() };
        Ok(Self {
            source,
            names: Arc::new(names(&operations)),
            all,
            operations,
            told: Arc::new(chosen.1),
            diagnostics: diagnostics.into(),
            left_out,
            settings,
            refused_server: None,
        })
    }

    #[cfg(feature = "mock")]
    pub(crate) fn source(&self) -> &Source {
        &self.source
    }

    pub(crate) fn document(&self) -> &Document {
        &self.source.document
    }

    /// The document's title.
    pub fn title(&self) -> Option<&str> {
        self.source.document.info("title")
    }

    /// The version of the API that the document describes.
    pub fn version(&self) -> Option<&str> {
        self.source.document.info("version")
    }

    /// What the document says about itself.
    pub fn description(&self) -> Option<&str> {
        self.source.document.info("description")
    }

    /// Where the document is.
    pub fn address(&self) -> &Address {
        &self.source.document.address
    }

    /// How many operations are no tools, because they could not be understood; [`Api::diagnostics`] says why. A path
    /// that cannot be read counts as one.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// What was not understood, or read in another way than it was written, in the order in which it was found.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The operations that are tools, in document order.
    pub fn operations(&self) -> &[Arc<Operation>] {
        &self.operations
    }

    /// The operation of the tool of this name.
    pub fn operation(&self, tool: &str) -> Option<&Arc<Operation>> {
        self.operations.get(*self.names.get(tool)?)
    }

    /// Chooses, renames and describes tools. Always starts from all that the document has, so that a second configuration
    /// replaces the first.
    ///
    /// # Errors
    /// [`OpenApiError::Config`] if it names what the document does not have, or gives two tools one name.
    pub fn configure(mut self, config: &Config) -> Result<Self, OpenApiError> {
        let (operations, told) = choose::apply(&self.all, config, &self.source)?;
        self.operations = operations.into();
        self.names = Arc::new(names(&self.operations));
        self.told = Arc::new(told);
        Ok(self)
    }

    /// What a configuration says that means nothing here, such as a filter for a tag that no operation has. What cannot be
    /// followed is an error of [`Api::configure`].
    pub fn unused(&self, config: &Config) -> Vec<Diagnostic> {
        choose::unused(&self.all, config)
    }

    /// Why there is no tool of a name that an operation of the document has; `None` if no operation has it, or the tool is
    /// there.
    pub fn absent(&self, tool: &str) -> Option<Absent<'_>> {
        if self.names.contains_key(tool) {
            return None;
        }
        let own = self.all.iter().find(|operation| operation.name == tool)?;
        let same = |other: &&Arc<Operation>| other.pointer == own.pointer && other.document == own.document;
        let renamed = self.operations.iter().find(same);
        Some(renamed.map_or(Absent::NotChosen, |renamed| Absent::Renamed(&renamed.name)))
    }

    /// How large definitions may be.
    pub(crate) fn most_bytes(&self) -> Option<usize> {
        self.told.budget.max_tool_bytes
    }

    /// How many operations the document has that could be tools and were not chosen: by [`Api::configure`], or because the
    /// document marks them (`x-mcp: false`).
    pub fn not_chosen(&self) -> usize {
        self.all.len().saturating_sub(self.operations.len())
    }

    /// What the host decided about calls.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Replaces all that the host decided about calls. The document's address, and the machine that it came from, are kept
    /// where the new settings have none.
    pub fn with(mut self, settings: Settings) -> Self {
        let before = std::mem::replace(&mut self.settings, settings);
        self.settings.document_url = self.settings.document_url.take().or(before.document_url);
        self.settings.document_peer = self.settings.document_peer.or(before.document_peer);
        self
    }

    /// Sets a token for every scheme that takes one (HTTP bearer, OAuth 2, OpenID Connect); also sent where the document
    /// says nothing about security.
    pub fn bearer(mut self, token: impl Into<String>) -> Self {
        self.settings.bearer = Some(SecretString::from(token.into()));
        self
    }

    /// Sets a key for every API key scheme.
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.settings.api_key = Some(SecretString::from(key.into()));
        self
    }

    /// Sets user and password for HTTP Basic; also sent where the document says nothing about security.
    pub fn basic(mut self, user: impl Into<String>, password: impl Into<String>) -> Self {
        self.settings.basic = Some((user.into(), SecretString::from(password.into())));
        self
    }

    /// Sets the credential for the security scheme of this name, in place of the general ones.
    pub fn credential(mut self, scheme: impl Into<String>, credential: Credential) -> Self {
        self.settings.credentials.insert(scheme.into(), credential);
        self
    }

    /// As [`Api::bearer`], with a token that is kept elsewhere and read when the first call needs it.
    pub fn bearer_from(mut self, source: SecretSource) -> Self {
        self.settings.bearer_from = Some(source);
        self
    }

    /// As [`Api::api_key`], with a key that is kept elsewhere and read when the first call needs it.
    pub fn api_key_from(mut self, source: SecretSource) -> Self {
        self.settings.api_key_from = Some(source);
        self
    }

    /// As [`Api::basic`], with `user:password` kept elsewhere and read when the first call needs it.
    pub fn basic_from(mut self, source: SecretSource) -> Self {
        self.settings.basic_from = Some(source);
        self
    }

    /// Sets the client certificate: for every scheme `mutualTLS`, and for all other operations over `https` as well. It is
    /// shown to servers that ask for one.
    pub fn identity(mut self, identity: Identity) -> Self {
        self.settings.identity = Some(identity);
        self
    }

    /// Sets authorities whose certificates are trusted besides those that the platform trusts. Holds for [`Api::tools`], not
    /// for a client that the host has already.
    pub fn authorities(mut self, authorities: Authorities) -> Self {
        self.settings.authorities = Some(authorities);
        self
    }

    /// Says what happens to calls for which credentials are missing. Default: they are refused.
    pub fn missing_credentials(mut self, policy: MissingCredentials) -> Self {
        self.settings.missing_credentials = policy;
        self
    }

    /// Sets where requests go, in place of what the document says: `https://api.example.com/v2`. A text that is no
    /// `http` or `https` address is an error of [`Api::tools`] and of [`Api::request`].
    pub fn server(mut self, url: impl AsRef<str>) -> Self {
        match server_url(url.as_ref()) {
            Ok(url) => {
                self.settings.server = Some(url);
                self.refused_server = None;
            }
            Err(reason) => self.refused_server = Some((url.as_ref().into(), reason.into())),
        }
        self
    }

    /// Sets a variable of the document's server address.
    pub fn server_variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.settings.server_variables.insert(name.into(), value.into());
        self
    }

    /// Says where the document came from; relative server addresses are resolved against it. Known for documents that
    /// were loaded from a URL.
    pub fn document_url(mut self, url: Url) -> Self {
        self.settings.document_url = Some(url);
        self
    }

    /// Says which machine the text of the document came from, where the host fetched it itself: see
    /// [`Settings::document_peer`].
    pub fn document_peer(mut self, peer: impl Into<Option<std::net::IpAddr>>) -> Self {
        self.settings.document_peer = peer.into();
        self
    }

    /// Says how often and when a request that failed for the moment is sent again. Default: two more times, if the operation
    /// may be repeated.
    pub fn retries(mut self, retries: crate::Retries) -> Self {
        self.settings.retries = retries;
        self
    }

    /// Says which addresses requests may connect to. Default: any where the host named the server; any but link-local ones and
    /// metadata services of clouds where it gave the document as a file or a text. The servers of a document that was fetched
    /// may be anywhere at the document's own origin, where that is not public itself, and must have public addresses
    /// elsewhere: a document of strangers would otherwise lead into the host's own network.
    pub fn addresses(mut self, addresses: opentool_http::Addresses) -> Self {
        self.settings.addresses = Some(addresses);
        self
    }

    /// Sets the longest time that a call may take. Default: 60 seconds.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.settings.timeout = Some(limit);
        self
    }

    /// Sets the largest answer in bytes. Default: 10 MiB.
    pub fn body_limit(mut self, bytes: u64) -> Self {
        self.settings.body_limit = Some(bytes);
        self
    }

    /// Sets the longest text of a result in bytes: JSON loses the last items and members of what is largest in it, other
    /// text its end; a notice says what is missing, and there is no structured value. Default:
    /// [`RESULT_LIMIT`](crate::RESULT_LIMIT); `None` is no limit but that of the answer.
    pub fn result_limit(mut self, bytes: impl Into<Option<usize>>) -> Self {
        self.settings.result_limit = bytes.into();
        self
    }

    /// Lets models name files below a directory as the bytes of a body, as `{"$file": "report.pdf"}`: what is uploaded need not
    /// pass through the model. Files of 64 MiB at most, all of a call together; nothing outside of the directory can be named.
    pub fn uploads(mut self, directory: impl Into<std::path::PathBuf>) -> Self {
        self.settings.uploads = Some(directory.into());
        self
    }

    /// The definition of the tool of an operation. Its schemas are built when they are looked at.
    pub fn definition(&self, operation: &Arc<Operation>) -> ToolDefinition {
        let files = if self.settings.uploads.is_some() { Files::Named } else { Files::None };
        let credential = request::in_form(operation, &self.settings);
        definition::definition(&self.source, operation, &self.told, files, credential)
    }

    /// The tools in document order, sharing one HTTP client.
    ///
    /// # Errors
    /// [`OpenApiError::Server`] if the server that was set is no address.
    pub fn tools(&self) -> Result<ToolSet, OpenApiError> {
        self.tools_with(&self.settings.client())
    }

    /// The same tools over a client that the host already has.
    ///
    /// # Errors
    /// [`OpenApiError::Server`] if the server that was set is no address.
    pub fn tools_with(&self, client: &opentool_http::Client) -> Result<ToolSet, OpenApiError> {
        if let Some((url, reason)) = self.refused_server.clone() {
            return Err(OpenApiError::Server { url, reason });
        }
        let settings = Arc::new(self.settings.clone());
        let fetched = match self.address() {
            Address::Url(url) => Some(Arc::new(url.clone())),
            Address::File(_) | Address::Named(_) => None,
        };
        let tools = self.operations.iter().map(|operation| {
            let definition = self.definition(operation);
            let tool =
                OperationTool::new(definition, Arc::clone(operation), Arc::clone(&settings), client.clone())
                    .fetched_from(fetched.clone());
            tool.result_parts(self.told.result_of(&operation.name).iter().cloned()).told(&self.told)
        });
        ToolSet::from_tools(tools).map_err(|clash| OpenApiError::NameClash(Box::new(clash)))
    }

    /// The request that a call would send; nothing is sent. Arguments are taken as they are: validate them first. Files that
    /// they name are read ([`Api::uploads`]).
    ///
    /// # Errors
    /// [`ToolError::UnknownTool`], and those of [`request::build`].
    pub fn request(&self, tool: &str, arguments: &Arguments) -> Result<Request, ToolError> {
        let operation = self.operation(tool).ok_or_else(|| self.unknown(tool))?;
        if let Some((url, reason)) = self.refused_server.clone() {
            return Err(ToolError::failed(OpenApiError::Server { url, reason }.to_string()));
        }
        let arguments = self.told.fill(tool, arguments.clone());
        let arguments = request::idempotency::fill(operation, arguments);
        let arguments = uploads::read(operation, &self.settings, arguments)?;
        self.told.kept(tool).build(operation, &arguments, &self.settings, None)
    }

    /// As [`Api::request`], for arguments that are sorted by place. What the configuration sets for arguments is in it; files
    /// are not read, and no key against doubles is made.
    ///
    /// # Errors
    /// [`ToolError::UnknownTool`], and those of [`request::build_located`].
    pub fn request_located(&self, tool: &str, located: &Located) -> Result<Request, ToolError> {
        let operation = self.operation(tool).ok_or_else(|| self.unknown(tool))?;
        if let Some((url, reason)) = self.refused_server.clone() {
            return Err(ToolError::failed(OpenApiError::Server { url, reason }.to_string()));
        }
        let mut located = located.clone();
        for (name, value) in self.told.fixed(tool) {
            located.set(operation, name, value.clone());
        }
        self.told.kept(tool).build_located(operation, located, &self.settings)
    }

    fn unknown(&self, tool: &str) -> UnknownTool {
        let nearest = self.tools().map(|tools| tools.nearest(tool)).unwrap_or_default();
        UnknownTool::new(tool, nearest)
    }
}

/// Why an operation is no tool of its own name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Absent<'a> {
    /// The configuration, or a mark of the document, leaves it out.
    NotChosen,
    /// The configuration gives it this name.
    Renamed(&'a str),
}

/// What relative server addresses are relative to: the address of the document, as it says itself (3.2) or as it was
/// found.
fn base_url(document: &Document) -> Option<Url> {
    let found = document.address.url();
    let own = document.own_uri().and_then(|own| match found {
        Some(found) => found.join(own).ok(),
        None => Url::parse(own).ok(),
    });
    own.filter(|url| matches!(url.scheme(), "http" | "https")).or_else(|| found.cloned())
}

fn server_url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text.trim()).map_err(|error| error.to_string())?;
    if matches!(url.scheme(), "http" | "https") && url.has_host() {
        Ok(url)
    } else {
        Err("it is not an http or https address".to_owned())
    }
}

fn names(operations: &[Arc<Operation>]) -> HashMap<String, usize> {
    operations.iter().enumerate().map(|(index, operation)| (operation.name.clone(), index)).collect()
}
