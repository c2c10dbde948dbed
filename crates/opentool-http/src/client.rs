//! The client: sends a request, follows redirects, keeps the limits.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use http::HeaderMap;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};
use tracing::Instrument as _;
use url::{Host, Url};

use crate::address::{self, Lookup, NotPublic};
use crate::error::{HttpError, Waiting, bare, origin};
use crate::response::Limits;
use crate::span::Exchange;
use crate::{Addresses, Identity, Incoming, Options, Request, Response, redirect, tls};

/// An HTTP/1.1 and HTTP/2 client with a connection pool. Clones share the pool.
///
/// Proxies are taken from the environment (`HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY`), except for plain
/// `http` to a loopback address, which is always asked directly. A proxy looks names up itself, so that the guard of
/// [`Addresses`] then holds for the address of the proxy.
///
/// Making one costs nothing: certificates are read at the first request that may need them, so that a machine
/// without any can still speak `http`.
#[derive(Debug, Clone, Default)]
pub struct Client(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    options: Options,
    local: OnceLock<Result<reqwest::Client, Box<str>>>,
    pools: Pools,
    /// Connections on which the host said who it is. Nobody else may use them.
    identified: Mutex<Vec<(Identity, Arc<Pools>)>>,
}

/// Connections that were made in one way.
#[derive(Debug, Default)]
struct Pools {
    remote: OnceLock<Result<Remote, Box<str>>>,
    /// Connections to public addresses only. Not shared with `remote`: a connection that is open already passes no guard.
    public: OnceLock<Result<Remote, Box<str>>>,
    /// The same for all but metadata services.
    own: OnceLock<Result<Remote, Box<str>>>,
}

/// How many client certificates have connections of their own at one time; the oldest goes.
const IDENTITIES: usize = 8;

#[derive(Debug)]
struct Remote {
    client: reqwest::Client,
    /// Why `https` is not possible.
    no_tls: Option<Box<str>>,
}

impl Client {
    /// A client with these limits.
    pub fn new(options: Options) -> Self {
        Self(Arc::new(Inner { options, ..Inner::default() }))
    }

    /// Its limits.
    pub fn options(&self) -> &Options {
        &self.0.options
    }

    /// Sends a request and reads the whole answer. Dropping the future closes the connection.
    ///
    /// # Errors
    /// [`HttpError`] if there is no complete answer; an answer of any status is none.
    pub async fn send(&self, request: Request) -> Result<Response, HttpError> {
        self.open(request).await?.whole().await
    }

    /// Posts JSON and reads the whole answer. Secrets in `headers` must be marked as sensitive.
    ///
    /// # Errors
    /// Those of [`Client::send`].
    pub async fn post_json(
        &self,
        url: &Url,
        headers: &HeaderMap,
        body: &Value,
    ) -> Result<Response, HttpError> {
        self.send(Request::post_json(url.clone(), body).headers(headers.clone())).await
    }

    /// Sends a request and reads the head of the answer; the body is read from what comes back.
    ///
    /// # Errors
    /// Those of [`Client::send`].
    pub async fn open(&self, mut request: Request) -> Result<Incoming, HttpError> {
        let limits = self.limits(&request);
        for resent in 0..=redirect::LIMIT {
            let mut open = Exchange::begin(&request, resent);
            let answered = self.exchange(&request, limits).instrument(open.span().clone()).await;
            let answer = answered.inspect_err(|error| open.failed(error))?;
            open.answered(answer.status());
            if !redirect::follow(&mut request, answer.status(), answer.headers()) {
                return Ok(Incoming::new(answer, request.url, limits, open));
            }
        }
        Err(HttpError::TooManyRedirects { origin: origin(&request.url), limit: redirect::LIMIT })
    }

    /// The connections themselves, for a library that speaks a protocol of its own over a client of `reqwest`: with the
    /// TLS, the proxies and the waits of this one. Limits of an exchange and of a body, and what redirects may do, are this
    /// client's doing and hold for nothing that such a library sends; redirects are not followed at all.
    ///
    /// # Errors
    /// [`HttpError::Tls`] if no TLS can be set up. On a machine without certificates every `https` address is refused as not
    /// to be trusted.
    pub fn connections(&self) -> Result<reqwest::Client, HttpError> {
        let build = || build_remote(&self.0.options, Addresses::Any, None);
        match self.0.pools.remote.get_or_init(build) {
            Ok(remote) => Ok(remote.client.clone()),
            Err(reason) => Err(HttpError::Tls { reason: reason.clone() }),
        }
    }

    /// One request, one head of an answer.
    async fn exchange(&self, request: &Request, limits: Limits) -> Result<reqwest::Response, HttpError> {
        let client = self.transport(request)?;
        #[allow(unused_mut, reason = "without the feature nothing is added")]
        let mut headers = request.headers.clone();
        #[cfg(feature = "otel")]
        if request.in_trace {
            crate::trace::inject(&mut headers);
        }
        let sending = client
            .request(request.method.clone(), request.url.clone())
            .headers(headers)
            .body(request.body.clone())
            .send();
        let answered = match limits.end {
            Some(end) => timeout_at(end, sending).await.map_err(|_| HttpError::TimedOut {
                origin: origin(&request.url),
                after: limits.whole,
                waiting: Waiting::Whole,
            })?,
            None => sending.await,
        };
        answered.map_err(|error| self.not_answered(&request.url, error))
    }

    fn not_answered(&self, url: &Url, error: reqwest::Error) -> HttpError {
        let origin = origin(url);
        if let Some(kind) = NotPublic::behind(&error) {
            return HttpError::NotPublic { origin, kind };
        }
        match (error.is_timeout(), error.is_connect()) {
            (true, true) => HttpError::TimedOut {
                origin,
                after: self.0.options.connect_timeout,
                waiting: Waiting::Connection,
            },
            (true, false) => HttpError::TimedOut {
                origin,
                after: self.0.options.idle_timeout.unwrap_or(Duration::ZERO),
                waiting: Waiting::Answer,
            },
            (false, true) => HttpError::Connect { origin, source: Box::new(error.without_url()) },
            (false, false) => HttpError::Broken { origin, source: Box::new(error.without_url()) },
        }
    }

    fn limits(&self, request: &Request) -> Limits {
        let options = &self.0.options;
        let now = Instant::now();
        let own = options.timeout.and_then(|limit| now.checked_add(limit));
        let asked = request.deadline.map(Instant::from_std);
        let end = match (own, asked) {
            (Some(own), Some(asked)) => Some(own.min(asked)),
            (own, asked) => own.or(asked),
        };
        Limits {
            end,
            whole: end.map_or(Duration::ZERO, |end| end.saturating_duration_since(now)),
            idle: options.idle_timeout.unwrap_or(Duration::ZERO),
            body: request.body_limit.unwrap_or(options.body_limit),
        }
    }

    /// The connection pool that serves the request.
    fn transport(&self, request: &Request) -> Result<reqwest::Client, HttpError> {
        let url = &request.url;
        let public = request.addresses == Addresses::Public;
        if let Some(kind) = address::literal(url, request.addresses) {
            return Err(HttpError::NotPublic { origin: origin(url), kind });
        }
        let refuse = |reason| Err(HttpError::Address { url: bare(url), reason });
        let no_tls = |reason: &str| HttpError::Tls { reason: reason.into() };
        match (url.scheme(), url.host(), &request.identity) {
            ("http" | "https", None, _) => refuse("it has no host"),
            ("http", Some(_), Some(_)) => refuse("a client certificate is shown over https only"),
            ("http", Some(host), None) if !public && is_loopback(&host) => {
                let client = self.0.local.get_or_init(|| build_local(&self.0.options));
                client.clone().map_err(|reason| no_tls(&reason))
            }
            (scheme @ ("http" | "https"), Some(_), identity) => {
                let own = identity.as_ref().map(|identity| self.identified(identity));
                let pools = own.as_deref().unwrap_or(&self.0.pools);
                let pool = match request.addresses {
                    Addresses::Any | Addresses::Named => &pools.remote,
                    Addresses::Own => &pools.own,
                    Addresses::Public => &pools.public,
                };
                let build = || build_remote(&self.0.options, request.addresses, identity.as_ref());
                let remote = pool.get_or_init(build).as_ref().map_err(|reason| no_tls(reason))?;
                match &remote.no_tls {
                    Some(reason) if scheme == "https" => Err(no_tls(reason)),
                    _ => Ok(remote.client.clone()),
                }
            }
            _ => refuse("its scheme is neither http nor https"),
        }
    }

    /// The connections of an identity.
    fn identified(&self, identity: &Identity) -> Arc<Pools> {
        // A panic elsewhere leaves a whole list behind.
        let mut known = self.0.identified.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, pools)) = known.iter().find(|(own, _)| own.is(identity)) {
            return Arc::clone(pools);
        }
        if known.len() >= IDENTITIES {
            known.remove(0);
        }
        let pools = Arc::<Pools>::default();
        known.push((identity.clone(), Arc::clone(&pools)));
        pools
    }
}

fn is_loopback(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => *name == "localhost" || name.ends_with(".localhost"),
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    }
}

fn build_local(options: &Options) -> Result<reqwest::Client, Box<str>> {
    let tls = tls::nobody().map_err(|error| error.to_string())?;
    build(options, tls, reqwest::ClientBuilder::no_proxy)
}

fn build_remote(
    options: &Options,
    addresses: Addresses,
    identity: Option<&Identity>,
) -> Result<Remote, Box<str>> {
    let (tls, no_tls) = match tls::platform(options.authorities.as_ref(), identity) {
        Ok(tls) => (tls, None),
        Err(error) => {
            let reason = format!("{error}; install the package `ca-certificates` or set SSL_CERT_FILE");
            (tls::nobody().map_err(|error| error.to_string())?, Some(reason.into()))
        }
    };
    let client = build(options, tls, |builder| match (&options.resolver, addresses) {
        (None, Addresses::Any | Addresses::Named) => builder,
        (names, allowed) => builder.dns_resolver(Lookup { names: names.clone(), allowed }),
    })?;
    Ok(Remote { client, no_tls })
}

fn build(
    options: &Options,
    tls: rustls::ClientConfig,
    proxies: impl FnOnce(reqwest::ClientBuilder) -> reqwest::ClientBuilder,
) -> Result<reqwest::Client, Box<str>> {
    let mut builder = reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .user_agent(options.user_agent.as_str())
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .tcp_nodelay(true)
        .connect_timeout(options.connect_timeout);
    if let Some(idle) = options.idle_timeout {
        builder = builder.read_timeout(idle);
    }
    proxies(builder).build().map_err(|error| {
        let cause = std::error::Error::source(&error).map(|source| format!(": {source}"));
        format!("{error}{}", cause.unwrap_or_default()).into()
    })
}
