//! Whom the HTTP endpoint answers: the hosts it is called by, and the origins of web pages that may call it.
//!
//! A page of a stranger can make a browser call a server on this machine, by its address or by a name that it
//! points there (DNS rebinding). The SDK compares; this file says with what, and refuses requests that name more
//! than one host, of which the SDK would look at one only.

use std::net::{IpAddr, SocketAddr};

use axum::http::uri::{Authority, Uri};
use axum::http::{HeaderMap, HeaderName, header};

use crate::McpError;
use crate::host::Settings;

/// The lists that the SDK compares with.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Trust {
    pub(crate) hosts: Vec<String>,
    pub(crate) origins: Vec<String>,
}

impl Trust {
    /// The loopback names, the address that the server is bound to, and what the settings add.
    pub(crate) fn new(settings: &Settings, bound: Option<SocketAddr>) -> Result<Self, McpError> {
        let mut hosts: Vec<String> = ["127.0.0.1", "localhost", "[::1]"].map(str::to_owned).into();
        let bound = bound.map(|address| address.ip()).filter(|ip| !ip.is_unspecified());
        if let Some(host) = bound.map(literal).filter(|host| !hosts.contains(host)) {
            hosts.push(host);
        }
        for host in &settings.hosts {
            hosts.push(authority(host).ok_or_else(|| McpError::InvalidHost { host: host.as_str().into() })?);
        }
        let mut origins: Vec<String> = hosts.iter().flat_map(|host| pages(host)).collect();
        for origin in &settings.origins {
            let invalid = || McpError::InvalidOrigin { origin: origin.as_str().into() };
            origins.push(with_port(origin).ok_or_else(invalid)?);
        }
        Ok(Self { hosts, origins })
    }
}

/// Why it is not certain which host, origin or session the request names; `None` if it is.
pub(crate) fn ambiguous(target: &Uri, headers: &HeaderMap) -> Option<&'static str> {
    const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
    for (name, reason) in [
        (header::HOST, "more than one Host header"),
        (header::ORIGIN, "more than one Origin header"),
        (SESSION, "more than one Mcp-Session-Id header"),
    ] {
        if headers.get_all(name).iter().nth(1).is_some() {
            return Some(reason);
        }
    }
    let host = headers.get(header::HOST).map(|host| host.as_bytes());
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

fn literal(ip: IpAddr) -> String {
    match ip {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    }
}

/// The host as a URL writes it, if it is one.
fn authority(host: &str) -> Option<String> {
    if let Ok(ip) = host.parse::<IpAddr>() {
        return Some(literal(ip));
    }
    let authority: Authority = host.parse().ok()?;
    let plain = !authority.as_str().contains('@') && !authority.host().is_empty();
    plain.then(|| authority.as_str().to_ascii_lowercase())
}

/// The origins of the pages that the host itself serves.
fn pages(host: &str) -> [String; 2] {
    let has_port = host.parse::<Authority>().is_ok_and(|authority| authority.port().is_some());
    let port = if has_port { "" } else { ":*" };
    [format!("http://{host}{port}"), format!("https://{host}{port}")]
}

/// The origin with the port that browsers leave out; the SDK would take one without a port for all ports.
fn with_port(origin: &str) -> Option<String> {
    let uri: Uri = origin.parse().ok()?;
    let (scheme, authority) = (uri.scheme_str()?, uri.authority()?);
    let plain = matches!(uri.path(), "" | "/") && uri.query().is_none() && !authority.as_str().contains('@');
    let port = authority.port_u16().or(match scheme {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    })?;
    plain.then(|| format!("{scheme}://{}:{port}", authority.host()))
}

#[cfg(test)]
mod tests {
    use super::{Trust, authority, with_port};
    use crate::host::Settings;

    #[test]
    fn the_bound_address_is_trusted_and_the_wildcard_is_not() {
        let settings = Settings::default();
        let trust = Trust::new(&settings, Some(([192, 168, 1, 5], 3000).into())).unwrap();
        assert!(trust.hosts.contains(&"192.168.1.5".to_owned()));
        assert!(trust.origins.contains(&"http://192.168.1.5:*".to_owned()));
        let all = Trust::new(&settings, Some(([0, 0, 0, 0], 3000).into())).unwrap();
        assert_eq!(all.hosts, ["127.0.0.1", "localhost", "[::1]"]);
    }

    #[test]
    fn hosts_are_hosts() {
        assert_eq!(authority("Example.com:8080").as_deref(), Some("example.com:8080"));
        assert_eq!(authority("fe80::1").as_deref(), Some("[fe80::1]"));
        for wrong in ["", "https://example.com", "example.com/mcp", "me@example.com", "a b"] {
            assert_eq!(authority(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn origins_are_exact() {
        assert_eq!(with_port("https://app.example").as_deref(), Some("https://app.example:443"));
        assert_eq!(with_port("http://[::1]:8000/").as_deref(), Some("http://[::1]:8000"));
        for wrong in
            ["app.example", "null", "*", "https://app.example/path", "https://me@app.example", "file:///x"]
        {
            assert_eq!(with_port(wrong), None, "{wrong}");
        }
    }
}
