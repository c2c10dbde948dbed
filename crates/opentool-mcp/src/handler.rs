//! The requests of one connection: what the SDK asks of a server.
//!
//! The SDK decodes messages, negotiates revisions and routes cancellations; this file answers from the host.

use std::sync::{Arc, OnceLock};

use opentool_core::ToolSource as _;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode, ListToolsResult,
    PaginatedRequestParams, ServerConfig, SubscriptionFilter, Tool,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::host::Host;
use crate::{body, call};

/// The handler of one session, or of one request in the revisions without sessions.
pub(crate) struct Handler {
    host: Arc<Host>,
    /// Ends the watch for changes together with the session.
    watch: OnceLock<DropGuard>,
}

impl Handler {
    pub(crate) fn new(host: Arc<Host>) -> Self {
        Self { host, watch: OnceLock::new() }
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        self.host.info.clone()
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        // The SDK gives parameters that it cannot read as none; the client would begin the list again and again.
        if request.is_none() && (!context.meta.is_empty() || body::had_parameters(&context.extensions)) {
            let message = "Invalid params: tools/list takes {\"cursor\"?: string}";
            return Err(ErrorData::invalid_params(message, None));
        }
        self.host.catalog().page(request.and_then(|page| page.cursor).as_deref())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        call::answer(&self.host, request, &context).await.map(Into::into)
    }

    /// The SDK compares headers with arguments by the input schema; it looks at nothing else of the tool.
    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.host.catalog().input_with_headers(name).map(|schema| Tool::new_with_raw("", None, schema))
    }

    /// What the SDK could not read as one of the requests it knows.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(match request.method.as_str() {
            "tools/call" => ErrorData::invalid_params(
                "Invalid params: tools/call takes {\"name\": string, \"arguments\"?: object}",
                None,
            ),
            _ => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None),
        })
    }

    /// A legacy session began: it is told of changes by a plain notification. In the revisions without sessions
    /// such a notification would land on the response of some call, so they get it by `listen` only.
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let legacy = context.peer.peer_info().is_some_and(|info| info.protocol_version.has_initialize());
        let stop = CancellationToken::new();
        if legacy && self.watch.set(stop.clone().drop_guard()).is_ok() {
            tokio::spawn(watch(Arc::clone(&self.host), context.peer, stop));
        }
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let mut accepted = SubscriptionFilter::default();
        accepted.tools_list_changed = requested.tools_list_changed;
        Some(accepted)
    }

    /// A stream of changes, until the client closes it or the server ends.
    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let changes = async {
            if subscription.accepted().tools_list_changed != Some(true) {
                return std::future::pending().await;
            }
            let mut seen = self.host.source.tools();
            loop {
                self.host.source.changed(&seen).await;
                seen = self.host.source.tools();
                if subscription.sink().notify_tool_list_changed().await.is_err() {
                    return;
                }
            }
        };
        tokio::select! {
            () = changes => {}
            () = subscription.cancelled() => {}
            () = self.host.closing.cancelled() => {}
        }
        Ok(())
    }
}

/// Tells a legacy session of changes until it ends.
async fn watch(host: Arc<Host>, peer: Peer<RoleServer>, stop: CancellationToken) {
    let changes = async {
        let mut seen = host.source.tools();
        loop {
            host.source.changed(&seen).await;
            seen = host.source.tools();
            if peer.notify_tool_list_changed().await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        () = changes => {}
        () = stop.cancelled() => {}
        () = host.closing.cancelled() => {}
    }
}
