//! Where clients on this machine reach a server.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

/// The address for clients on this machine of a server that is bound to `address`: all addresses of the machine are no
/// address, and become the loopback one.
pub fn local(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    address
}

#[cfg(test)]
mod tests {
    use super::local;

    #[test]
    fn only_all_addresses_become_another_one() {
        for (bound, reached) in [
            ("0.0.0.0:80", "127.0.0.1:80"),
            ("[::]:80", "[::1]:80"),
            ("10.0.0.1:80", "10.0.0.1:80"),
            ("127.0.0.2:0", "127.0.0.2:0"),
        ] {
            assert_eq!(local(bound.parse().unwrap()).to_string(), reached);
        }
    }
}
