//! Whom the server answers beside its keys: the hosts it is called by, and the web pages that may call it.
//!
//! A page of a stranger can make a browser call a server on this machine: by its address (then the browser says so in
//! `Origin`), or by a name that the stranger points here (DNS rebinding; then `Host` is that name). An address cannot
//! be pointed elsewhere, so requests to addresses are answered; of names, `localhost` and those that the operator
//! allowed. Where keys are asked for, a page that has none learns nothing, and every name is answered.

use std::net::IpAddr;

use axum::http::uri::{Authority, Uri};
use axum::http::{HeaderMap, HeaderValue, header};
use opentool_listen::trust::{self, Origin};

use crate::ServerError;

/// Which hosts and origins are answered.
#[derive(Debug, Default)]
pub(super) struct Trust {
    hosts: Vec<String>,
    origins: Vec<String>,
    any_host: bool,
}

/// Why a request is not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Distrust {
    /// It is not certain which host or origin it names: 400.
    Ambiguous(&'static str),
    /// It names one that is not allowed: 403.
    Foreign(&'static str),
}

/// Whether every host is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hosts {
    /// Every one: callers show keys.
    Every,
    /// Addresses, loopback names, and those that the operator allowed.
    Known,
}

impl Trust {
    pub(super) fn new(hosts: &[String], origins: &[String], every: Hosts) -> Result<Self, ServerError> {
        let hosts = hosts.iter().map(|host| {
            trust::host(host).ok_or_else(|| ServerError::InvalidHost { host: host.as_str().into() })
        });
        let origins = origins.iter().map(|origin| {
            let sent = Origin::parse(origin).and_then(|origin| origin.as_sent());
            sent.ok_or_else(|| ServerError::InvalidOrigin { origin: origin.as_str().into() })
        });
        Ok(Self {
            hosts: hosts.collect::<Result<_, _>>()?,
            origins: origins.collect::<Result<_, _>>()?,
            any_host: every == Hosts::Every,
        })
    }

    /// Whether the request is answered.
    pub(super) fn check(&self, target: &Uri, headers: &HeaderMap) -> Result<(), Distrust> {
        if let Some(reason) = trust::ambiguous(target, headers, &[]) {
            return Err(Distrust::Ambiguous(reason));
        }
        let host = match headers.get(header::HOST) {
            // HTTP/1.0, which no browser speaks.
            None => target.authority().cloned(),
            Some(host) => {
                let host = Authority::try_from(host.as_bytes());
                Some(host.map_err(|_| Distrust::Ambiguous("the Host header is not a host"))?)
            }
        };
        if let Some(host) = &host
            && !self.any_host
            && !self.knows(host)
        {
            return Err(Distrust::Foreign(
                "this server does not answer to that host name; call it by its address or as localhost, or let its \
                 operator allow the name",
            ));
        }
        match headers.get(header::ORIGIN) {
            Some(origin) if !self.is_own_page(origin, host.as_ref()) && !self.is_allowed(origin) => {
                Err(Distrust::Foreign(
                    "this server does not answer to web pages of that origin; its operator can allow it",
                ))
            }
            _ => Ok(()),
        }
    }

    /// The origin, if the operator allowed its pages to read the answers.
    pub(super) fn allowed_origin<'h>(&self, headers: &'h HeaderMap) -> Option<&'h HeaderValue> {
        headers.get(header::ORIGIN).filter(|origin| self.is_allowed(origin))
    }

    fn is_allowed(&self, origin: &HeaderValue) -> bool {
        self.origins.iter().any(|allowed| allowed.as_bytes().eq_ignore_ascii_case(origin.as_bytes()))
    }

    /// Whether the page comes from this server's own host, or from this machine.
    fn is_own_page(&self, origin: &HeaderValue, host: Option<&Authority>) -> bool {
        let Some(uri) = origin.to_str().ok().and_then(|origin| origin.parse::<Uri>().ok()) else {
            return false;
        };
        let (Some(scheme), Some(page)) = (uri.scheme_str(), uri.authority()) else { return false };
        matches!(scheme, "http" | "https")
            && (host.is_some_and(|host| host.as_str().eq_ignore_ascii_case(page.as_str()))
                || is_loopback(page.host()))
    }

    fn knows(&self, host: &Authority) -> bool {
        ip(host.host()).is_some()
            || is_loopback(host.host())
            || self.hosts.iter().any(|known| {
                known.eq_ignore_ascii_case(host.as_str()) || known.eq_ignore_ascii_case(host.host())
            })
    }
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || ip(host).is_some_and(|ip| ip.is_loopback())
}

fn ip(host: &str) -> Option<IpAddr> {
    host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host).parse().ok()
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, Uri, header};

    use super::{Distrust, Hosts, Trust};

    fn check(trust: &Trust, host: &str, origin: Option<&str>) -> Result<(), Distrust> {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, origin.parse().unwrap());
        }
        trust.check(&Uri::from_static("/opentool/call"), &headers)
    }

    #[test]
    fn addresses_are_answered_and_names_only_if_they_are_known() {
        let trust = Trust::new(&["tools.example".into()], &[], Hosts::Known).unwrap();
        for host in [
            "127.0.0.1:17001",
            "[::1]:17001",
            "192.168.1.5:17001",
            "localhost",
            "LOCALHOST:1",
            "tools.example:9",
        ] {
            assert_eq!(check(&trust, host, None), Ok(()), "{host}");
        }
        for host in
            ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "other.tools.example"]
        {
            assert!(matches!(check(&trust, host, None), Err(Distrust::Foreign(_))), "{host}");
        }
        for host in ["me@127.0.0.1", "a b", ""] {
            assert!(matches!(check(&trust, host, None), Err(Distrust::Ambiguous(_))), "{host:?}");
        }
        let with_keys = Trust::new(&[], &[], Hosts::Every).unwrap();
        assert_eq!(check(&with_keys, "tools.example", None), Ok(()));
    }

    #[test]
    fn pages_of_strangers_are_not_answered() {
        let trust = Trust::new(&[], &["https://app.example:443/".into()], Hosts::Known).unwrap();
        for origin in ["https://app.example", "http://localhost:3000", "http://10.0.0.1:17001"] {
            assert_eq!(check(&trust, "10.0.0.1:17001", Some(origin)), Ok(()), "{origin}");
        }
        for origin in [
            "https://evil.example",
            "null",
            "http://app.example",
            "https://app.example:8443",
            "http://10.0.0.1:80",
        ] {
            assert!(
                matches!(check(&trust, "10.0.0.1:17001", Some(origin)), Err(Distrust::Foreign(_))),
                "{origin}"
            );
        }
    }
}
