//! The executor: one tool for any operation, over the one HTTP client.
//!
//! It gets the tokens and secrets that the request needs, builds the request, sends it within the call's deadline and reads
//! the answer. What failed for the moment is sent again if the operation may be ([`Retries`](crate::Retries)), and once more
//! with a new token where a token was refused.

pub(crate) mod trust;

use std::sync::Arc;
use std::time::Instant;

use opentool_core::{Arguments, BoxFuture, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput};
use opentool_http::{Client, Response, StatusCode};
use url::Url;

use crate::choose::Told;
use crate::oauth::Authorized;
use crate::plan::Operation;
use crate::request::{self, Settings, idempotency};
use crate::{response, retry, uploads};
use trust::{Fetched, Trust};

/// The largest answer in bytes that is read at once, on the thread on which it came.
const SMALL: usize = 128 * 1024;

/// An operation as a tool.
#[derive(Debug, Clone)]
pub struct OperationTool {
    definition: ToolDefinition,
    operation: Arc<Operation>,
    settings: Arc<Settings>,
    client: Client,
    fetched: Option<Arc<Url>>,
    parts: Arc<[String]>,
    /// What the host says about it; empty unless its configuration was read.
    told: Arc<Told>,
}

impl OperationTool {
    /// The tool that `definition` describes and `operation` runs.
    pub fn new(
        definition: ToolDefinition,
        operation: Arc<Operation>,
        settings: Arc<Settings>,
        client: Client,
    ) -> Self {
        Self {
            definition,
            operation,
            settings,
            client,
            fetched: None,
            parts: Arc::new([]),
            told: Arc::default(),
        }
    }

    /// Says what the configuration of the tool says; of it the values count that are sent in every call.
    pub(crate) fn told(mut self, told: &Arc<Told>) -> Self {
        self.told = Arc::clone(told);
        self
    }

    /// Says which parts of a JSON result are passed on, as JSON Pointers in which `*` stands for any member or item.
    /// Default: all.
    pub fn result_parts(mut self, pointers: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.parts = pointers.into_iter().map(Into::into).collect();
        self
    }

    /// Says where the document was fetched: its servers elsewhere must have public addresses, unless the settings say
    /// more ([`Settings::addresses`]). Default: the document is the host's own.
    pub fn fetched_from(mut self, document: Option<Arc<Url>>) -> Self {
        self.fetched = document;
        self
    }

    /// The operation.
    pub fn operation(&self) -> &Operation {
        &self.operation
    }

    /// The request that a call with these arguments sends, which is not sent. A token that would have to be fetched is
    /// not in it; files that are named are read.
    ///
    /// # Errors
    /// Those of [`request::build`].
    pub fn request(&self, arguments: &Arguments) -> Result<request::Request, ToolError> {
        let arguments = self.told.fill(&self.operation.name, arguments.clone());
        let arguments = idempotency::fill(&self.operation, arguments);
        let arguments = uploads::read(&self.operation, &self.settings, arguments)?;
        self.told.kept(&self.operation.name).build(&self.operation, &arguments, &self.settings, None)
    }

    /// Whether the document itself names a server.
    fn names(&self, origin: &str) -> bool {
        let mut urls = self.operation.servers.iter().filter_map(|server| Url::parse(&server.url).ok());
        urls.any(|url| url.origin().ascii_serialization() == origin)
    }

    /// What the document may name.
    fn trust(&self) -> Trust {
        let main = self.fetched.clone().map(|url| Fetched { url, peer: self.settings.document_peer });
        // A part that was fetched is a stranger's even where the document is not.
        let parts = [&self.operation.document, &self.operation.servers_of].into_iter().flatten();
        let trust = Trust { chosen: self.settings.addresses, fetched: main.into_iter().collect() };
        parts.fold(trust, |trust, part| trust.and(part))
    }

    /// The arguments with the files that they name, which are read where reading stops nobody else.
    async fn with_files(&self, arguments: Arguments, end: Option<Instant>) -> Result<Arguments, ToolError> {
        if !uploads::are_named(&self.operation, &self.settings, &arguments) {
            return Ok(arguments);
        }
        let (operation, settings) = (Arc::clone(&self.operation), Arc::clone(&self.settings));
        aside(end, Instant::now(), move || uploads::read(&operation, &settings, arguments)).await
    }

    /// The output of an answer. A large one is read where that stops nobody else, and within the time of the call.
    async fn read(
        answer: Response,
        exchange: response::Exchange,
        end: Option<Instant>,
    ) -> Result<ToolOutput, ToolError> {
        if answer.body.len() <= SMALL {
            return response::read(answer, &exchange);
        }
        aside(end, exchange.started, move || response::read(answer, &exchange)).await
    }

    async fn run(&self, cx: &ToolContext, arguments: Arguments) -> Result<ToolOutput, ToolError> {
        let trust = self.trust();
        let limit = self.settings.timeout.or(self.client.options().timeout);
        let end_from = |at: Instant| {
            let own = limit.and_then(|limit| at.checked_add(limit));
            own.into_iter().chain(cx.ends_at()).min()
        };
        let arguments = self.told.fill(&self.operation.name, arguments);
        let arguments = idempotency::fill(&self.operation, arguments);
        let arguments = self.with_files(arguments, end_from(Instant::now())).await?;
        let kept = self.told.kept(&self.operation.name);
        let mut begun = None;
        let mut attempt = 1;
        let mut renewed = false;
        loop {
            let ready = Authorized::get(
                &self.operation,
                &self.settings,
                &trust,
                &self.client,
                end_from(Instant::now()),
            );
            let authorized = ready.await?;
            let read = kept.read(end_from(Instant::now())).await?;
            let request = kept.build(&self.operation, &arguments, authorized.settings(), Some(&read))?;
            let mut sending = request.to_http()?.body_limit(self.settings.body_limit).in_trace();
            let path = template(sending.url.path(), &self.operation.path);
            sending = sending.template(path);
            sending.addresses = match (&self.settings.server, self.settings.addresses) {
                // The host named it.
                (Some(_), None) => opentool_http::Addresses::Named,
                _ => trust.addresses(&sending.url),
            };
            // Nothing can refuse the request from here on. The clock of the service does not run while the host listens.
            if cx.event_sink().is_some() {
                cx.sent(request.summary()).await;
            }
            let started = *begun.get_or_insert_with(Instant::now);
            let end = end_from(started);
            let received = self.client.send(sending.deadline(end)).await;
            // Who answers elsewhere, after a redirect, got no token.
            let refused = received.as_ref().is_ok_and(|answer| {
                answer.status == StatusCode::UNAUTHORIZED
                    && answer.url.origin().ascii_serialization() == request.origin()
            });
            if refused && !renewed && (authorized.forget() | kept.forget(&read)) {
                renewed = true;
                continue;
            }
            let wait = self.settings.retries.wait(attempt, &received);
            if let Some(wait) = wait.filter(|_| retry::is_repeatable(&self.operation))
                && end.is_none_or(|end| end.saturating_duration_since(Instant::now()) > wait)
            {
                tokio::time::sleep(wait).await;
                attempt += 1;
                continue;
            }
            let named = self.settings.server.is_none() && self.names(&request.origin());
            let exchange = response::Exchange {
                request,
                service: if named { response::Service::Named } else { response::Service::Operators },
                started,
                attempts: attempt,
                deadline: cx.ends_at(),
                parts: Arc::clone(&self.parts),
                settings: Arc::clone(&self.settings),
            };
            return match received {
                Ok(answer) => Self::read(answer, exchange, end).await,
                Err(error) => Err(response::unanswered(error, &exchange)),
            };
        }
    }
}

/// The path without the values in it: that of the server, and the operation's template.
fn template(path: &str, operation: &str) -> String {
    let own = operation.matches('/').count();
    let of_server = path.rsplitn(own.saturating_add(1), '/').last().unwrap_or_default();
    format!("{of_server}{operation}")
}

/// Does what takes long on a thread that may wait, until the end of the call.
async fn aside<T: Send + 'static>(
    end: Option<Instant>,
    started: Instant,
    work: impl FnOnce() -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    let working = tokio::task::spawn_blocking(work);
    let done = match end {
        Some(end) => tokio::time::timeout_at(end.into(), working)
            .await
            .map_err(|_| ToolError::TimedOut(started.elapsed()))?,
        None => working.await,
    };
    done.unwrap_or_else(|error| Err(ToolError::from_author(error)))
}

impl Tool for OperationTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn call<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(self.run(cx, arguments))
    }
}
