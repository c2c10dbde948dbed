//! Where a redirect leads, and whether it is followed.
//!
//! The client follows redirects itself: the library underneath has one policy for all requests, and it turns a
//! redirected `POST` into a `GET`.

use bytes::Bytes;
use http::header::{
    ACCEPT, ACCEPT_ENCODING, ACCEPT_LANGUAGE, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HOST, LOCATION,
    RANGE, USER_AGENT,
};
use http::{HeaderMap, HeaderName, Method, StatusCode};
use url::{Host, Url};

use crate::{Addresses, Redirects, Request};

/// How many are followed in a row.
pub(crate) const LIMIT: usize = 10;

/// Changes `request` to what the redirect asks for. `false` if it is none, or one that is not followed.
pub(crate) fn follow(request: &mut Request, status: StatusCode, headers: &HeaderMap) -> bool {
    let asks = matches!(request.method, Method::GET | Method::HEAD);
    let becomes_get = match status.as_u16() {
        301 | 302 if asks => false,
        303 => !asks,
        307 | 308 => false,
        _ => return false,
    };
    let Some(next) = target(&request.url, headers) else {
        return false;
    };
    let same = same_origin(&request.url, &next);
    match request.redirects {
        Redirects::None => return false,
        Redirects::SameOrigin if !same => return false,
        Redirects::Any if request.url.scheme() == "https" && next.scheme() == "http" => return false,
        Redirects::SameOrigin | Redirects::Any => {}
    }
    if !same {
        keep_plain(&mut request.headers);
        request.identity = None;
        let is_named = matches!(request.addresses, Addresses::Named | Addresses::Own);
        if is_named && !same_machine(&request.url, &next) {
            request.addresses = Addresses::Public;
        }
    }
    if becomes_get {
        request.method = Method::GET;
        request.body = Bytes::new();
        for name in [CONTENT_TYPE, CONTENT_LENGTH, CONTENT_ENCODING] {
            request.headers.remove(name);
        }
    }
    request.headers.remove(HOST);
    request.url = next;
    true
}

/// The address of a `Location` header.
fn target(from: &Url, headers: &HeaderMap) -> Option<Url> {
    let location = headers.get(LOCATION)?.to_str().ok()?;
    let mut next = from.join(location).ok()?;
    if !matches!(next.scheme(), "http" | "https") {
        return None;
    }
    // A user and password in a redirect would become an `Authorization` header that the server chose.
    let _ = next.set_username("");
    let _ = next.set_password(None);
    Some(next)
}

fn same_origin(from: &Url, to: &Url) -> bool {
    let upgraded = from.scheme() == "http"
        && to.scheme() == "https"
        && from.port().is_none()
        && to.port().is_none()
        && from.host() == to.host();
    from.origin() == to.origin() || upgraded
}

/// Whether another port of the same machine is meant. A name can lead anywhere a second time; a number cannot.
fn same_machine(from: &Url, to: &Url) -> bool {
    from.host() == to.host()
        && match from.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(_) | Host::Ipv6(_)) => true,
            None => false,
        }
}

/// Leaves what says how an answer and a body are written, and nothing else: keys come in headers of any name, and no list
/// of such names is complete.
fn keep_plain(headers: &mut HeaderMap) {
    const PLAIN: [HeaderName; 7] =
        [ACCEPT, ACCEPT_ENCODING, ACCEPT_LANGUAGE, CONTENT_ENCODING, CONTENT_TYPE, RANGE, USER_AGENT];
    let other: Vec<_> = headers
        .iter()
        .filter(|(name, value)| value.is_sensitive() || !PLAIN.contains(name))
        .map(|(name, _)| name.clone())
        .collect();
    for name in other {
        headers.remove(name);
    }
}
