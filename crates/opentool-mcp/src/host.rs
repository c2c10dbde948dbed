//! What all connections of one server share: tools, settings, the catalog of now, and the way to stop.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use opentool_core::{ToolContext, ToolSource};
use rmcp::model::{Implementation, ServerCapabilities, ServerConfig};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::OutputSchemas;
use crate::budget::Budget;
use crate::catalog::Catalog;

/// What [`crate::Server`] is told; documented there.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) instructions: Option<String>,
    pub(crate) timeout: Duration,
    pub(crate) output_schemas: OutputSchemas,
    pub(crate) page_size: usize,
    pub(crate) max_calls: u32,
    pub(crate) max_request_bytes: usize,
    pub(crate) max_connections: usize,
    pub(crate) grace: Option<Duration>,
    pub(crate) context: ToolContext,
    pub(crate) hosts: Vec<String>,
    pub(crate) origins: Vec<String>,
}

impl Settings {
    /// More calls at once than any host can run, and well within a semaphore.
    pub(crate) const CALLS_LIMIT: u32 = 1_000_000;

    /// The memory for requests that are under way, as a multiple of the largest request: enough for one of these at
    /// its worst, and for very many ordinary ones.
    const REQUEST_ROOM: usize = 128;
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            name: "opentool".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            instructions: None,
            timeout: Duration::from_secs(60),
            output_schemas: OutputSchemas::default(),
            page_size: 1_000,
            max_calls: 256,
            max_request_bytes: 4 * 1024 * 1024,
            max_connections: 512,
            grace: None,
            context: ToolContext::new(),
            hosts: Vec::new(),
            origins: Vec::new(),
        }
    }
}

pub(crate) struct Host {
    pub(crate) source: Arc<dyn ToolSource>,
    pub(crate) settings: Settings,
    pub(crate) info: ServerConfig,
    /// The memory for requests.
    pub(crate) budget: Budget,
    /// One permit a running call.
    pub(crate) calls: Arc<Semaphore>,
    /// The server is about to end: streams without a call end now.
    pub(crate) closing: CancellationToken,
    /// Running calls are given up.
    pub(crate) aborting: CancellationToken,
    /// Connections are cut, or their client has closed its side: nothing is sent but the last answers.
    pub(crate) cut: CancellationToken,
    catalog: Mutex<Arc<Catalog>>,
}

impl Host {
    pub(crate) fn new(source: Arc<dyn ToolSource>, settings: Settings) -> Self {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
        let mut info = ServerConfig::new(capabilities)
            .with_server_info(Implementation::new(&settings.name, &settings.version));
        info.instructions.clone_from(&settings.instructions);
        Self {
            catalog: Mutex::new(Arc::new(Catalog::new(source.tools(), &settings))),
            budget: Budget::new(settings.max_request_bytes.saturating_mul(Settings::REQUEST_ROOM)),
            calls: Arc::new(Semaphore::new(settings.max_calls as usize)),
            closing: CancellationToken::new(),
            aborting: CancellationToken::new(),
            cut: CancellationToken::new(),
            source,
            settings,
            info,
        }
    }

    /// The catalog of the tools of now; made anew only when the source gives another set.
    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        let tools = self.source.tools();
        // The catalog is replaced as a whole, so that a panic leaves a valid one.
        let mut catalog = self.catalog.lock().unwrap_or_else(PoisonError::into_inner);
        if !catalog.tools().same(&tools) {
            *catalog = Arc::new(Catalog::new(tools, &self.settings));
        }
        Arc::clone(&catalog)
    }

    /// Lets running calls finish within `grace`, then gives them up. No call starts any more.
    pub(crate) async fn drain(&self, grace: Duration) {
        /// How long calls that were given up may take to notice it.
        const LAST: Duration = Duration::from_secs(1);
        let all = self.settings.max_calls;
        // Permits are handed out in order: calls that come later wait behind this.
        if timeout(grace, self.calls.acquire_many(all)).await.is_err() {
            self.aborting.cancel();
            if timeout(LAST, self.calls.acquire_many(all)).await.is_err() {
                tracing::warn!("a tool does not stop; the server ends without it");
            }
        }
        self.calls.close();
    }
}
