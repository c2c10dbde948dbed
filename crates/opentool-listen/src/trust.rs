//! What a request and an operator say about hosts and web pages, read without a doubt left.
//!
//! A page of a stranger can make a browser call a server on this machine, by its address or by a name that it points there
//! (DNS rebinding). Each server decides itself whom it answers; here is what comes before: that a request names one host and one
//! origin, and how an operator's entries are to be compared with what browsers send.

use std::net::IpAddr;

use axum::http::uri::{Authority, Uri};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

/// Why it is not certain which host or origin the request names, or what else stands in a header that must not stand
/// twice; `None` if it is. `single` holds such headers beside `Host` and `Origin`, each with the reason.
pub fn ambiguous(
    target: &Uri,
    headers: &HeaderMap,
    single: &[(HeaderName, &'static str)],
) -> Option<&'static str> {
    let always =
        [(header::HOST, "more than one Host header"), (header::ORIGIN, "more than one Origin header")];
    for (name, reason) in always.iter().chain(single) {
        if headers.get_all(name).iter().nth(1).is_some() {
            return Some(reason);
        }
    }
    let host = headers.get(header::HOST).map(HeaderValue::as_bytes);
    // The request target has one as a proxy is asked, or in HTTP/2.
    let authority = target.authority().map(|authority| authority.as_str().as_bytes());
    if host.into_iter().chain(authority).any(|named| named.contains(&b'@')) {
        return Some("a user in the host");
    }
    match (host, authority) {
        (Some(host), Some(authority)) if !host.eq_ignore_ascii_case(authority) => {
            Some("the request target and the Host header name different hosts")
        }
        _ => None,
    }
}

/// The host, with its port if it has one, as a URL writes it, in lower case; `None` if it is none. An address may
/// stand without its brackets.
pub fn host(text: &str) -> Option<String> {
    if let Ok(ip) = text.parse::<IpAddr>() {
        return Some(literal(ip));
    }
    let authority: Authority = text.parse().ok()?;
    let plain = !authority.as_str().contains('@') && !authority.host().is_empty();
    plain.then(|| authority.as_str().to_ascii_lowercase())
}

/// The address as the host of a URL.
pub fn literal(ip: IpAddr) -> String {
    match ip {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    }
}

/// The origin of web pages, as an operator writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    uri: Uri,
}

impl Origin {
    /// Reads `https://app.example.com:8443`; `None` if it is no origin, or has a path, a query or a user.
    pub fn parse(text: &str) -> Option<Self> {
        let uri: Uri = text.parse().ok()?;
        let authority = uri.authority()?;
        let plain = uri.scheme().is_some()
            && matches!(uri.path(), "" | "/")
            && uri.query().is_none()
            && !authority.as_str().contains('@');
        plain.then_some(Self { uri })
    }

    /// The port that the scheme means, which browsers leave out.
    fn usual_port(&self) -> Option<u16> {
        match self.uri.scheme_str() {
            Some("http") => Some(80),
            Some("https") => Some(443),
            _ => None,
        }
    }

    /// With its port, written or not; `None` if the scheme means none.
    pub fn with_port(&self) -> Option<String> {
        let (scheme, host) = (self.uri.scheme_str()?, self.uri.host()?);
        let port = self.uri.port_u16().or(self.usual_port())?;
        Some(format!("{scheme}://{host}:{port}"))
    }

    /// As a browser writes it: without the port that the scheme means anyway; `None` if it is neither `http` nor `https`.
    pub fn as_sent(&self) -> Option<String> {
        let (scheme, host, usual) = (self.uri.scheme_str()?, self.uri.host()?, self.usual_port()?);
        let port = self.uri.port_u16().filter(|port| *port != usual);
        Some(port.map_or_else(|| format!("{scheme}://{host}"), |port| format!("{scheme}://{host}:{port}")))
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri, header};

    use super::{Origin, ambiguous, host};

    #[test]
    fn hosts_are_hosts() {
        assert_eq!(host("Example.com:8080").as_deref(), Some("example.com:8080"));
        assert_eq!(host("fe80::1").as_deref(), Some("[fe80::1]"));
        for wrong in ["", "https://example.com", "example.com/mcp", "me@example.com", "a b"] {
            assert_eq!(host(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn origins_are_exact() {
        for (text, with_port, sent) in [
            ("https://app.example", "https://app.example:443", "https://app.example"),
            ("https://app.example:443/", "https://app.example:443", "https://app.example"),
            ("http://[::1]:8000/", "http://[::1]:8000", "http://[::1]:8000"),
        ] {
            let origin = Origin::parse(text).unwrap();
            assert_eq!(origin.with_port().as_deref(), Some(with_port));
            assert_eq!(origin.as_sent().as_deref(), Some(sent));
        }
        let own = Origin::parse("app://here").unwrap();
        assert_eq!((own.with_port(), own.as_sent()), (None, None));
        for wrong in
            ["app.example", "null", "*", "https://app.example/path", "https://me@app.example", "file:///x"]
        {
            assert_eq!(Origin::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_request_names_one_host() {
        const SESSION: HeaderName = HeaderName::from_static("x-session");
        let check = |target: &'static str, headers: &[(HeaderName, &'static str)]| {
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                map.append(name, HeaderValue::from_static(value));
            }
            ambiguous(&Uri::from_static(target), &map, &[(SESSION, "two sessions")])
        };
        assert_eq!(check("/", &[(header::HOST, "a"), (header::ORIGIN, "http://a"), (SESSION, "1")]), None);
        assert_eq!(check("http://a/", &[(header::HOST, "A")]), None);
        for headers in [
            [(header::HOST, "a"), (header::HOST, "a")],
            [(header::ORIGIN, "http://a"), (header::ORIGIN, "http://a")],
            [(SESSION, "1"), (SESSION, "2")],
        ] {
            assert!(check("/", &headers).is_some(), "{headers:?}");
        }
        assert!(check("http://b/", &[(header::HOST, "a")]).is_some());
        assert!(check("/", &[(header::HOST, "me@a")]).is_some());
        assert!(check("http://me@a/", &[]).is_some());
    }
}
