//! Whom the HTTP endpoint answers: the hosts it is called by, and the origins of web pages that may call it.
//!
//! A page of a stranger can make a browser call a server on this machine, by its address or by a name that it
//! points there (DNS rebinding). The SDK compares; this file says with what, and refuses requests that name more
//! than one host, of which the SDK would look at one only.

use std::net::SocketAddr;

use axum::http::uri::{Authority, Uri};
use axum::http::{HeaderMap, HeaderName};
use opentool_listen::trust::{self, Origin};

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
        if let Some(host) = bound.map(trust::literal).filter(|host| !hosts.contains(host)) {
            hosts.push(host);
        }
        for host in &settings.hosts {
            hosts
                .push(trust::host(host).ok_or_else(|| McpError::InvalidHost { host: host.as_str().into() })?);
        }
        let mut origins: Vec<String> = hosts.iter().flat_map(|host| pages(host)).collect();
        for origin in &settings.origins {
            let invalid = || McpError::InvalidOrigin { origin: origin.as_str().into() };
            // The SDK would take one without a port for all ports.
            let exact = Origin::parse(origin).and_then(|origin| origin.with_port());
            origins.push(exact.ok_or_else(invalid)?);
        }
        Ok(Self { hosts, origins })
    }
}

/// Why it is not certain which host, origin or session the request names; `None` if it is.
pub(crate) fn ambiguous(target: &Uri, headers: &HeaderMap) -> Option<&'static str> {
    const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
    trust::ambiguous(target, headers, &[(SESSION, "more than one Mcp-Session-Id header")])
}

/// The origins of the pages that the host itself serves.
fn pages(host: &str) -> [String; 2] {
    let has_port = host.parse::<Authority>().is_ok_and(|authority| authority.port().is_some());
    let port = if has_port { "" } else { ":*" };
    [format!("http://{host}{port}"), format!("https://{host}{port}")]
}

#[cfg(test)]
mod tests {
    use super::Trust;
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
}
