//! An address to listen at, as a person writes it.

use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use url::Url;

/// An address to listen at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listen {
    host: String,
    port: u16,
}

impl FromStr for Listen {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (host, port) = text.rsplit_once(':').unwrap_or(("", text));
        let host = match host {
            // Not all addresses of the machine: those have to be asked for.
            "" => "127.0.0.1",
            host => host,
        };
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        let is_host = match bare {
            Some(address) => matches!(address.parse(), Ok(IpAddr::V6(_))),
            None => host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-')),
        };
        match port.parse() {
            Ok(port) if is_host => Ok(Self { host: host.to_owned(), port }),
            _ => {
                Err("expected HOST:PORT or PORT, such as `127.0.0.1:3000`; put sources before the option"
                    .into())
            }
        }
    }
}

impl std::fmt::Display for Listen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

impl Listen {
    /// Whether somebody who goes to the URL arrives here, as far as the texts say.
    pub(crate) fn is_at(&self, url: &Url) -> bool {
        let Some(host) = url.host_str() else { return false };
        let here = |host: &str| {
            let ip: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
            host == "localhost" || ip.is_some_and(|ip| ip.is_loopback() || ip.is_unspecified())
        };
        let same_host = host.eq_ignore_ascii_case(&self.host) || here(host) && here(&self.host);
        same_host && self.port != 0 && url.port_or_known_default() == Some(self.port)
    }

    /// Whether both are one address, also where they are written differently: `localhost:3000` and `127.0.0.1:3000`.
    /// Names are looked up; those that are not found are compared as they are.
    pub(crate) async fn same(&self, other: &Self) -> bool {
        if self == other {
            return true;
        }
        if self.port != other.port || self.port == 0 {
            return false;
        }
        // The first address is the one that is listened at.
        let first = async |listen: &Self| {
            let mut found = tokio::net::lookup_host(listen.to_string()).await.ok()?;
            found.next()
        };
        match (first(self).await, first(other).await) {
            (Some(one), Some(two)) => one == two,
            _ => false,
        }
    }

    /// Whether only this machine can reach it, as far as the text says.
    pub(crate) fn is_local(&self) -> bool {
        self.host == "localhost" || self.to_string().parse().is_ok_and(|at: SocketAddr| at.ip().is_loopback())
    }
}

#[cfg(test)]
mod tests {
    use super::Listen;

    #[test]
    fn a_port_alone_is_for_this_machine_only() {
        for text in ["3000", ":3000", "localhost:3000", "127.0.0.1:0", "[::1]:3000"] {
            let listen: Listen = text.parse().unwrap();
            assert!(listen.is_local(), "{text}");
        }
        for text in ["0.0.0.0:3000", "[::]:3000", "example.test:80", "10.0.0.1:80"] {
            let listen: Listen = text.parse().unwrap();
            assert!(!listen.is_local(), "{text}");
        }
        for text in ["petstore.yaml", "", "localhost", "1:2:3", "host:99999", "::1:80"] {
            assert!(text.parse::<Listen>().is_err(), "{text}");
        }
    }
}
