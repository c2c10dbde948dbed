//! One connection to a server, from its opening to its end.
//!
//! The newest revision is tried first. A server that answers to it in a way that it should not may be an older one: then
//! `initialize` is tried on a fresh connection, before anybody is told of a failure.

use std::sync::Arc;
use std::time::Duration;

use opentool_http::bounded;
use rmcp::model::{ClientCapabilities, ClientConfig, Implementation, ProtocolVersion};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, Peer, RunningService, serve_client_with_lifecycle,
};
use rmcp::transport::common::client_side_sse::FixedInterval;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClientTransport, StreamableHttpClientTransportConfig,
};
use rmcp::{ClientHandler, RoleClient};
use tokio::runtime::Handle;

use super::ClientError;
use super::group::{Force, Group};
use super::process::Process;
use super::relay::Relay;
use super::running;
use super::server::{Limits, Way};
use super::standard_error::LastWords;

/// How often, and after which pause, a stream that broke off is taken up again.
const TAKE_UP: (usize, Duration) = (3, Duration::from_millis(500));

/// The most requests that are written at one time; further ones wait.
const AT_ONCE: usize = 64;

/// What a server may ask of this client: nothing but whether it is there.
#[derive(Debug)]
pub(crate) struct Visitor;

impl ClientHandler for Visitor {
    fn get_info(&self) -> ClientConfig {
        let own = Implementation::new("opentool", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), own)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }
}

/// An open connection. It ends when nobody has it any more.
pub(crate) struct Link {
    service: RunningService<RoleClient, Visitor>,
    program: Option<(Group, LastWords)>,
    runtime: Handle,
}

/// Which revisions a server is tried with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// The newest, then the older ones.
    Any,
    /// Those that begin with `initialize`.
    Older,
}

impl Link {
    /// Opens a connection; comes back with what the server turned out to speak.
    pub(crate) async fn open(way: &Way, limits: Limits, era: Era) -> Result<(Self, Era), ClientError> {
        if era == Era::Older {
            return Ok((Self::begin(way, limits, era).await?, era));
        }
        match Self::begin(way, limits, era).await {
            Ok(link) => {
                let spoken = link.peer().peer_info().map(|info| info.protocol_version.has_initialize());
                let era = if spoken == Some(true) { Era::Older } else { Era::Any };
                Ok((link, era))
            }
            Err(error) if error.may_be_of_an_older_server() => {
                tracing::debug!(%error, "the server is asked once more, as one of an older revision");
                Ok((Self::begin(way, limits, Era::Older).await?, Era::Older))
            }
            Err(error) => Err(error),
        }
    }

    async fn begin(way: &Way, limits: Limits, era: Era) -> Result<Self, ClientError> {
        let mode = match era {
            Era::Any => ClientLifecycleMode::Auto {
                preferred_versions: vec![ProtocolVersion::LATEST],
                legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
            },
            Era::Older => ClientLifecycleMode::Initialize,
        };
        let runtime = Handle::current();
        match way {
            Way::Http(post) => {
                let mut config = StreamableHttpClientTransportConfig::with_uri(post.url().as_str())
                    .max_concurrent_requests(AT_ONCE);
                config.max_sse_event_size = limits.answer;
                let mut take_up = FixedInterval::default();
                (take_up.max_times, take_up.duration) = (Some(TAKE_UP.0), TAKE_UP.1);
                config.retry_config = Arc::new(take_up);
                let transport = StreamableHttpClientTransport::with_client((**post).clone(), config);
                let opened = serve_client_with_lifecycle(Visitor, Relay::new(transport), mode).await;
                let service = opened.map_err(|error| not_opened(error, &way.name(), None))?;
                Ok(Self { service, program: None, runtime })
            }
            Way::Process(program) => {
                let process = Process::start(program, limits.answer)?;
                let (group, words) = (process.group(), process.words());
                let opened = serve_client_with_lifecycle(Visitor, Relay::new(process), mode).await;
                match opened {
                    Ok(service) => Ok(Self { service, program: Some((group, words)), runtime }),
                    Err(error) => {
                        words.arrived().await;
                        Err(not_opened(error, &way.name(), Some(&words)))
                    }
                }
            }
        }
    }

    pub(crate) fn peer(&self) -> &Peer<RoleClient> {
        self.service.peer()
    }

    /// The runtime on which it lives.
    pub(crate) fn runtime(&self) -> &Handle {
        &self.runtime
    }

    /// Whether requests can be sent.
    pub(crate) fn is_open(&self) -> bool {
        !self.service.is_closed() && !self.peer().is_transport_closed()
    }

    /// What is known of a program that was lost.
    pub(crate) fn last_words(&self) -> Box<str> {
        self.program.as_ref().map(|(_, words)| words.reason()).unwrap_or_default()
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // The rest is done on the runtime, which may be gone; the signal is sent in any case.
        if let Some((group, _)) = &self.program
            && self.is_open()
        {
            group.end(Force::Ask);
        }
    }
}

fn not_opened(error: ClientInitializeError, server: &str, words: Option<&LastWords>) -> ClientError {
    use ClientInitializeError as E;
    let lost = || ClientError::Lost {
        server: server.into(),
        reason: words.map(LastWords::reason).unwrap_or_default(),
    };
    match error {
        E::TransportError { error, .. } => running::broken(error, server, lost),
        E::JsonRpcError(error) => running::refused(error, server, None),
        E::LegacyFallbackFailed { fallback, .. } => not_opened(*fallback, server, words),
        E::ConnectionClosed(_) | E::Cancelled => lost(),
        E::NoCompatibleProtocolVersion { server_supported, .. } => {
            let spoken: Vec<&str> = server_supported.iter().take(8).map(ProtocolVersion::as_str).collect();
            let reason = format!("it speaks none of our revisions, but {}", spoken.join(", "));
            ClientError::NotMcp { server: server.into(), reason: bounded(&reason).into() }
        }
        _ => ClientError::NotMcp {
            server: server.into(),
            reason: "its answer to the opening of the connection is none".into(),
        },
    }
}
