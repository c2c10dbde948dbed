//! The service on a socket.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::serve::ListenerExt as _;
use bytes::Bytes;
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_REQUEST_HEADERS, ACCESS_CONTROL_REQUEST_METHOD, ORIGIN,
};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use tokio::net::TcpListener;

use super::{Answer, Mock, check};

/// The largest body of a request in bytes.
const LARGEST: usize = 64 * 1024 * 1024;

/// The largest body in bytes that is read at once, on the thread on which it came.
const SMALL: usize = 64 * 1024;

/// What is told of every request, when it is answered.
pub type Observer = Arc<dyn Fn(&Request<Bytes>, &Answer) + Send + Sync>;

/// The service could not be put on a socket.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MockError {
    /// Another program listens there.
    #[error("the mock cannot listen at {address}: the port is in use; take another, or 0 for any")]
    AddressInUse {
        /// The address as it was asked for.
        address: String,
    },
    /// The address is wrong, or this user may not listen there.
    #[error("the mock cannot listen at {address}")]
    Listen {
        /// The address as it was asked for.
        address: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The socket broke.
    #[error("the mock ended")]
    Serve {
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

/// A service that listens, and answers once it is [served](Bound::serve_until).
#[derive(Debug)]
pub struct Bound {
    mock: Arc<Mock>,
    listener: TcpListener,
    address: SocketAddr,
}

impl Mock {
    /// Listens at an address: `127.0.0.1:4010`, or `127.0.0.1:0` for any free port.
    ///
    /// # Errors
    /// [`MockError::AddressInUse`], [`MockError::Listen`].
    pub async fn bind(self, address: impl AsRef<str>) -> Result<Bound, MockError> {
        let asked = address.as_ref();
        let failed = |source: io::Error| match source.kind() {
            io::ErrorKind::AddrInUse => MockError::AddressInUse { address: asked.to_owned() },
            _ => MockError::Listen { address: asked.to_owned(), source },
        };
        let listener = TcpListener::bind(asked).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Bound { mock: Arc::new(self), listener, address })
    }
}

impl Bound {
    /// The service.
    pub fn mock(&self) -> &Mock {
        &self.mock
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where it is reached from this machine, without the base path of a document: `http://127.0.0.1:4010`.
    pub fn url(&self) -> String {
        let ip = match self.address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            ip => ip,
        };
        format!("http://{}", SocketAddr::new(ip, self.address.port()))
    }

    /// Answers until `end` completes; what runs then may finish. The observer is told of every request.
    ///
    /// # Errors
    /// [`MockError::Serve`].
    pub async fn serve_until(
        self,
        end: impl Future<Output = ()> + Send + 'static,
        observer: Observer,
    ) -> Result<(), MockError> {
        // Small answers would wait for the other side's acknowledgement. A socket that refuses the option still works.
        let listener = self.listener.tap_io(|stream| drop(stream.set_nodelay(true)));
        let router = Router::new().fallback(handle).with_state((self.mock, observer));
        let serving = axum::serve(listener, router).with_graceful_shutdown(end);
        serving.await.map_err(|source| MockError::Serve { source })
    }
}

async fn handle(
    State((mock, observer)): State<(Arc<Mock>, Observer)>,
    request: Request<Body>,
) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let bytes = match to_bytes(body, LARGEST).await {
        Ok(bytes) => bytes,
        Err(_) => {
            let detail = format!("a body has at most {} MiB here", LARGEST / 1024 / 1024);
            let response = check::failed(StatusCode::PAYLOAD_TOO_LARGE, "Too large", &detail, &[]);
            return response.map(Body::from);
        }
    };
    let request = Request::from_parts(parts, bytes);
    let large = request.body().len() > SMALL;
    let from_page = request.headers().contains_key(ORIGIN);
    let is_preflight =
        request.method() == Method::OPTIONS && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD);
    let mut response = if is_preflight {
        preflight(&request)
    } else {
        let answering = move || {
            let answer = mock.answer(&request);
            observer(&request, &answer);
            answer.into_response()
        };
        match large {
            false => answering(),
            // Others are not to wait until it is read.
            true => match tokio::task::spawn_blocking(answering).await {
                Ok(response) => response,
                Err(_) => {
                    let (status, detail) =
                        (StatusCode::INTERNAL_SERVER_ERROR, "the body was not read to its end");
                    check::failed(status, "Failed", detail, &[])
                }
            },
        }
    };
    // Web pages may call it: there is nothing behind it that they could reach.
    if from_page {
        let headers = response.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("*"));
    }
    response.map(Body::from)
}

/// What a browser asks before a web page may send a request.
fn preflight(request: &Request<Bytes>) -> Response<Bytes> {
    let mut response = Response::new(Bytes::new());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let asked = |name| request.headers().get(name).cloned();
    let headers = response.headers_mut();
    headers.extend(asked(ACCESS_CONTROL_REQUEST_METHOD).map(|value| (ACCESS_CONTROL_ALLOW_METHODS, value)));
    headers.extend(asked(ACCESS_CONTROL_REQUEST_HEADERS).map(|value| (ACCESS_CONTROL_ALLOW_HEADERS, value)));
    response
}
