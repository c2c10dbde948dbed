//! Hearing of changes where a server tells them only to those who listen (2026-07-28): one request that is never answered.
//!
//! Servers of older revisions tell them unasked.

use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{ServerNotification, SubscriptionFilter};
use rmcp::service::{Peer, ServiceError};

use super::source::{Happening, told};

/// How long is waited before it is listened again, at first and at most.
const WAIT: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(60));

/// Whether the server tells changes, and only to those who listen.
pub(crate) fn is_needed(peer: &Peer<RoleClient>) -> bool {
    peer.peer_info().is_some_and(|info| {
        let tools = info.capabilities.tools.as_ref();
        !info.protocol_version.has_initialize() && tools.is_some_and(|tools| tools.list_changed == Some(true))
    })
}

/// Listens as long as the connection is there.
pub(crate) async fn listen(peer: Peer<RoleClient>, happening: Happening) {
    let mut wanted = SubscriptionFilter::default();
    wanted.tools_list_changed = Some(true);
    let (mut wait, longest) = WAIT;
    while !peer.is_transport_closed() {
        match peer.listen(wanted.clone()).await {
            Ok(stream) if stream.acknowledged().tools_list_changed != Some(true) => return,
            Ok(mut stream) => {
                while let Ok(Some(heard)) = stream.next().await {
                    if matches!(heard, ServerNotification::ToolListChangedNotification(_)) {
                        wait = WAIT.0;
                        told(&happening);
                    }
                }
            }
            // It does not know the request after all.
            Err(ServiceError::McpError(_)) => return,
            Err(error) => tracing::debug!(%error, "the server's changes are not heard; it is listened again"),
        }
        tokio::time::sleep(wait).await;
        wait = wait.saturating_mul(2).min(longest);
        // What was told meanwhile nobody heard.
        told(&happening);
    }
}
