//! The endpoints: who may call them, by which method, and where they are.

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Version, header};
use axum::response::Response;
use axum::routing::any;
use bytes::Bytes;
use serde_json::json;

use super::cutoff::Clock;
use super::host::Host;
use super::settings::Stop;
use super::trust::Distrust;
use super::{body, call, reply, stream};
use crate::ServerError;
use crate::wire::endpoint;

/// What a path below the base path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Endpoint {
    Version,
    Call,
    StreamCall,
    Load,
    Stop,
    Nothing,
}

impl Endpoint {
    const ALL: [Self; 5] = [Self::Version, Self::Call, Self::StreamCall, Self::Load, Self::Stop];

    /// The endpoint of this path, if it is one; `base` has no slash at its end.
    pub(super) fn at(path: &str, base: &str) -> Option<Self> {
        let name = path.strip_prefix(base)?.strip_prefix('/')?;
        Self::ALL.into_iter().find(|endpoint| endpoint.as_str() == name)
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Version => endpoint::VERSION,
            Self::Call => endpoint::CALL,
            Self::StreamCall => endpoint::STREAM_CALL,
            Self::Load => endpoint::LOAD,
            Self::Stop => endpoint::STOP,
            Self::Nothing => "",
        }
    }

    /// The value of `Allow`.
    fn methods(self) -> &'static str {
        match self {
            Self::Version | Self::Load => "GET, HEAD",
            _ => "POST",
        }
    }

    fn takes(self, method: &Method) -> bool {
        match self {
            Self::Version | Self::Load => matches!(*method, Method::GET | Method::HEAD),
            _ => *method == Method::POST,
        }
    }
}

/// The routes of the endpoints, and of everything below the base path.
pub(super) fn router(host: &Arc<Host>, base: &str) -> Router {
    let mut router = Router::new();
    for endpoint in Endpoint::ALL {
        router = router.route(&format!("{base}/{}", endpoint.as_str()), at(host, endpoint));
    }
    // At the root, everything else is somebody else's.
    if !base.is_empty() {
        let nothing = || at(host, Endpoint::Nothing);
        router = router.route(base, nothing()).route(&format!("{base}/"), nothing());
        router = router.route(&format!("{base}/{{*rest}}"), nothing());
    }
    router
}

/// The endpoint as a handler of all methods.
pub(super) fn at(host: &Arc<Host>, endpoint: Endpoint) -> axum::routing::MethodRouter {
    let host = Arc::clone(host);
    any(move |request: Request| {
        let host = Arc::clone(&host);
        async move { answer(&host, endpoint, request, None).await }
    })
}

/// The base path without a slash at its end; empty for the root.
pub(super) fn base_path(path: &str) -> Result<&str, ServerError> {
    let base = path.strip_suffix('/').unwrap_or(path);
    let segment = |segment: &str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        !matches!(segment, "" | "." | "..") && segment.bytes().all(plain)
    };
    match base.strip_prefix('/') {
        Some(rest) if rest.split('/').all(segment) => Ok(base),
        None if base.is_empty() => Ok(base),
        _ => Err(ServerError::InvalidBasePath { path: path.into() }),
    }
}

/// Answers a request. `clock` is that of the connection, where it is ours.
pub(super) async fn answer(
    host: &Host,
    endpoint: Endpoint,
    request: Request,
    clock: Option<&Arc<Clock>>,
) -> Response {
    let mut line = Line::new(endpoint, request.method());
    let origin = host.trust.allowed_origin(request.headers()).cloned();
    let mut response = respond(host, endpoint, request, origin.is_some(), clock).await;
    if let Some(origin) = origin {
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(header::VARY, HeaderValue::from_static("Origin"));
    }
    line.status = Some(response.status());
    response
}

/// A request's line in the log, written when it is dropped: a client that leaves before its answer has one, too. Neither
/// path nor headers are in it: they may hold what is not for a log.
struct Line {
    endpoint: Endpoint,
    method: Method,
    started: Instant,
    status: Option<StatusCode>,
}

impl Line {
    fn new(endpoint: Endpoint, method: &Method) -> Self {
        Self { endpoint, method: method.clone(), started: Instant::now(), status: None }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        let (method, endpoint, took) = (&self.method, self.endpoint.as_str(), self.started.elapsed());
        match self.status {
            Some(status) => tracing::info!(%method, endpoint, status = status.as_u16(), ?took, "request"),
            None => tracing::info!(%method, endpoint, ?took, "request without an answer: its client left"),
        }
    }
}

async fn respond(
    host: &Host,
    endpoint: Endpoint,
    request: Request,
    page_allowed: bool,
    clock: Option<&Arc<Clock>>,
) -> Response {
    if request.version() == Version::HTTP_11
        && request.uri().authority().is_none()
        && !request.headers().contains_key(header::HOST)
    {
        return unwanted(request, reply::plain(StatusCode::BAD_REQUEST, "HTTP/1.1 wants a Host header"))
            .await;
    }
    match host.trust.check(request.uri(), request.headers()) {
        Ok(()) => {}
        Err(Distrust::Ambiguous(reason)) => {
            return unwanted(request, reply::plain(StatusCode::BAD_REQUEST, reason)).await;
        }
        Err(Distrust::Foreign(reason)) => {
            return unwanted(request, reply::plain(StatusCode::FORBIDDEN, reason)).await;
        }
    }
    if page_allowed && is_preflight(&request) {
        return preflight(endpoint);
    }
    if !host.keys.admit(request.headers()) {
        return unwanted(request, reply::unauthorized()).await;
    }
    if endpoint == Endpoint::Nothing {
        let message =
            "Not Found: the endpoints are version, call, streamCall, load and stop below the base path";
        return unwanted(request, reply::plain(StatusCode::NOT_FOUND, message)).await;
    }
    if !endpoint.takes(request.method()) {
        return unwanted(request, reply::method_not_allowed(endpoint.methods())).await;
    }
    match endpoint {
        Endpoint::Call => call::answer(host, request, clock).await,
        Endpoint::StreamCall => stream::answer(host, request, clock).await,
        Endpoint::Version => json(json!({"version": host.version}).to_string()),
        Endpoint::Load => json(host.catalog().document()),
        Endpoint::Stop => {
            let response = stop(host);
            unwanted(request, response).await
        }
        Endpoint::Nothing => reply::plain(StatusCode::NOT_FOUND, "Not Found"),
    }
}

fn json(body: impl Into<Bytes>) -> Response {
    reply::json(StatusCode::OK, body)
}

/// The response, once the body that came with the request is out of the way.
async fn unwanted(request: Request, response: Response) -> Response {
    let (parts, body) = request.into_parts();
    body::discard(&parts.headers, body).await;
    response
}

fn stop(host: &Host) -> Response {
    match host.stop {
        Stop::Allowed => {
            tracing::warn!("a client stops the server");
            host.stopped.cancel();
            json(r#"{"status":"stopped"}"#)
        }
        Stop::Refused => reply::plain(
            StatusCode::FORBIDDEN,
            "Forbidden: clients may not stop this server; its operator can allow it",
        ),
    }
}

fn is_preflight(request: &Request) -> bool {
    request.method() == Method::OPTIONS
        && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// What a browser asks before it lets a page of an allowed origin call. It cannot show a key yet.
fn preflight(endpoint: Endpoint) -> Response {
    let mut headers = HeaderMap::new();
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(endpoint.methods()));
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_HEADERS,
        HeaderValue::from_static("accept, authorization, content-type"),
    );
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    let mut response = Response::default();
    *response.status_mut() = StatusCode::NO_CONTENT;
    *response.headers_mut() = headers;
    response
}

#[cfg(test)]
mod tests {
    use super::base_path;

    #[test]
    fn a_base_path_is_plain() {
        for (path, base) in [("/opentool", "/opentool"), ("/a/b.1/", "/a/b.1"), ("/", ""), ("", "")] {
            assert_eq!(base_path(path).unwrap(), base);
        }
        for wrong in ["opentool", "//", "/a//b", "/a b", "/{a}", "/*", "/a?b", "/a#b", "/../a", "/%61", "/ü"]
        {
            assert!(base_path(wrong).is_err(), "{wrong}");
        }
    }
}
