//! What all connections of one server share: tools, limits, keys, and the way to end.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use opentool_core::{Cancellation, ToolContext, ToolSource};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use super::auth::Keys;
use super::catalog::Catalog;
use super::settings::{Settings, Shown, Stop};
use super::trust::{Hosts, Trust};
use crate::ServerError;

pub(super) struct Host {
    source: Arc<dyn ToolSource>,
    shown: Shown,
    /// What `GET /version` answers.
    pub(super) version: String,
    pub(super) keys: Keys,
    pub(super) trust: Trust,
    pub(super) stop: Stop,
    /// Triggered by `POST /stop`.
    pub(super) stopped: Cancellation,
    pub(super) max_request_bytes: usize,
    pub(super) timeout: Duration,
    pub(super) context: ToolContext,
    /// One permit a running call.
    calls: Arc<Semaphore>,
    /// The server is about to end: no call starts any more.
    pub(super) closing: CancellationToken,
    /// Running calls are given up.
    pub(super) aborting: CancellationToken,
    catalog: Mutex<Arc<Catalog>>,
}

/// Why a call is not run now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Busy {
    /// As many as allowed run already.
    Full,
    /// The server is about to end.
    Ending,
}

impl Host {
    pub(super) fn new(source: Arc<dyn ToolSource>, settings: &Settings) -> Result<Self, ServerError> {
        let keys = Keys::new(settings.keys.clone())?;
        let every = if keys.are_none() { Hosts::Known } else { Hosts::Every };
        let trust = Trust::new(&settings.hosts, &settings.origins, every)?;
        let version = match &settings.shown {
            Shown::Export(info) => &info.version,
            Shown::Given(document) => &document.info.version,
            Shown::Nothing => "1.0.0",
        };
        let tools = source.tools();
        if let Shown::Given(document) = &settings.shown {
            let missing: Vec<_> =
                document.functions.iter().map(|f| &f.name).filter(|name| !tools.contains(name)).collect();
            if !missing.is_empty() {
                tracing::warn!(?missing, "the document describes functions that no tool runs");
            }
        }
        Ok(Self {
            version: version.to_owned(),
            keys,
            trust,
            stop: settings.stop,
            stopped: settings.stopped.clone(),
            max_request_bytes: settings.max_request_bytes,
            timeout: settings.timeout,
            context: settings.context.clone(),
            calls: Arc::new(Semaphore::new(settings.max_calls)),
            closing: CancellationToken::new(),
            aborting: CancellationToken::new(),
            catalog: Mutex::new(Arc::new(Catalog::new(tools, settings.shown.clone()))),
            shown: settings.shown.clone(),
            source,
        })
    }

    /// The catalog of the tools of now; made anew only when the source gives another set.
    pub(super) fn catalog(&self) -> Arc<Catalog> {
        let tools = self.source.tools();
        // The catalog is replaced as a whole, so that a panic leaves a valid one.
        let mut catalog = self.catalog.lock().unwrap_or_else(PoisonError::into_inner);
        if !catalog.tools().same(&tools) {
            *catalog = Arc::new(Catalog::new(tools, self.shown.clone()));
        }
        Arc::clone(&catalog)
    }

    /// The permit of one more call. Nobody waits for one: a queue in front of a server that is too slow only grows.
    pub(super) fn admit(&self) -> Result<OwnedSemaphorePermit, Busy> {
        if self.closing.is_cancelled() {
            return Err(Busy::Ending);
        }
        Arc::clone(&self.calls).try_acquire_owned().map_err(|_| Busy::Full)
    }
}
