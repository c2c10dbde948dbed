//! One connection to a server, from its opening to its end.
//!
//! The newest revision is tried first. A server that answers to it in a way that it should not may be an older one: then
//! `initialize` is tried on a fresh connection, before anybody is told of a failure.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use opentool_http::bounded;
use rmcp::model::{ClientCapabilities, ClientConfig, Implementation, ProtocolVersion};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, NotificationContext, Peer, RunningService,
    serve_client_with_lifecycle,
};
use rmcp::transport::common::client_side_sse::FixedInterval;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClientTransport, StreamableHttpClientTransportConfig,
};
use rmcp::{ClientHandler, RoleClient};
use tokio::runtime::Handle;
use tokio_util::task::AbortOnDropHandle;

use super::group::{Force, Group};
use super::process::Process;
use super::relay::Relay;
use super::server::{Limits, Way};
use super::source::{Happening, told};
use super::standard_error::LastWords;
use super::{ClientError, listen, running};

/// How often, and after which pause, a stream that broke off is taken up again.
const TAKE_UP: (usize, Duration) = (3, Duration::from_millis(500));

/// The most requests that are written at one time; further ones wait.
const AT_ONCE: usize = 64;

/// What a server may ask of this client: nothing but whether it is there. It may tell that its tools are others.
#[derive(Debug)]
pub(crate) struct Visitor(Happening);

impl ClientHandler for Visitor {
    fn get_info(&self) -> ClientConfig {
        let own = Implementation::new("opentool", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), own)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        told(&self.0);
    }
}

/// An open connection. It ends when nobody has it any more.
pub(crate) struct Link {
    service: RunningService<RoleClient, Visitor>,
    program: Option<(Group, LastWords)>,
    runtime: Handle,
    happening: Happening,
    listening: OnceLock<AbortOnDropHandle<()>>,
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
    pub(crate) async fn open(
        way: &Way,
        limits: Limits,
        era: Era,
        happening: &Happening,
    ) -> Result<(Self, Era), ClientError> {
        if era == Era::Older {
            return Ok((Self::begin(way, limits, era, happening).await?, era));
        }
        match Self::begin(way, limits, era, happening).await {
            Ok(link) => {
                let spoken = link.peer().peer_info().map(|info| info.protocol_version.has_initialize());
                let era = if spoken == Some(true) { Era::Older } else { Era::Any };
                Ok((link, era))
            }
            Err(error) if error.may_be_of_an_older_server() => {
                tracing::debug!(%error, "the server is asked once more, as one of an older revision");
                Ok((Self::begin(way, limits, Era::Older, happening).await?, Era::Older))
            }
            Err(error) => Err(error),
        }
    }

    async fn begin(way: &Way, limits: Limits, era: Era, happening: &Happening) -> Result<Self, ClientError> {
        let mode = match era {
            Era::Any => ClientLifecycleMode::Auto {
                preferred_versions: vec![ProtocolVersion::LATEST],
                legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
            },
            Era::Older => ClientLifecycleMode::Initialize,
        };
        let visitor = Visitor(Arc::clone(happening));
        let (service, program) = match way {
            Way::Http(post) => {
                let mut config = StreamableHttpClientTransportConfig::with_uri(post.url().as_str())
                    .max_concurrent_requests(AT_ONCE);
                config.max_sse_event_size = limits.answer;
                let mut take_up = FixedInterval::default();
                (take_up.max_times, take_up.duration) = (Some(TAKE_UP.0), TAKE_UP.1);
                config.retry_config = Arc::new(take_up);
                let transport = StreamableHttpClientTransport::with_client((**post).clone(), config);
                let opened = serve_client_with_lifecycle(visitor, Relay::new(transport), mode).await;
                (opened.map_err(|error| not_opened(error, &way.name(), None))?, None)
            }
            Way::Process(program) => {
                let process = Process::start(program, limits.answer)?;
                let (group, words) = (process.group(), process.words());
                let opened = serve_client_with_lifecycle(visitor, Relay::new(process), mode).await;
                match opened {
                    Ok(service) => (service, Some((group, words))),
                    Err(error) => {
                        words.arrived().await;
                        return Err(not_opened(error, &way.name(), Some(&words)));
                    }
                }
            }
        };
        let (runtime, happening) = (Handle::current(), Arc::clone(happening));
        Ok(Self { service, program, runtime, happening, listening: OnceLock::new() })
    }

    /// Hears from now on when the server's tools change, if it tells.
    pub(crate) fn listen(&self) {
        if listen::is_needed(self.peer()) {
            self.listening.get_or_init(|| {
                let listening = listen::listen(self.peer().clone(), Arc::clone(&self.happening));
                AbortOnDropHandle::new(self.runtime.spawn(listening))
            });
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
