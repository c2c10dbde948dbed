//! Which addresses may be connected to.
//!
//! What a document or a server names must not lead a client into the network of its host: to services on loopback, to
//! the neighbours of a machine, to the metadata service of a cloud. The guard looks at the address that is really
//! connected to: it stands between name lookup and connection, so a name that turns to another address between a
//! check and its use does not exist here. It deliberately knows no names: a name says nothing about where it leads.

use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolving};
use url::{Host, Url};

use crate::bounded;

/// The longest address that an error repeats, in bytes.
const SHOWN: usize = 200;

/// Which addresses a request may connect to.
///
/// Through a proxy, the address that is connected to is the proxy's, and names are looked up by the proxy: then the guard
/// holds for the proxy, and for addresses of servers that are written as numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Addresses {
    /// Any: whoever runs the program named them, or allows all.
    Any,
    /// Any for the address of the request itself, which somebody named who may; public ones only once a redirect
    /// leads to another origin.
    #[default]
    Named,
    /// Any but those of metadata services of clouds, and link-local ones, where most of these are; public ones only once a
    /// redirect leads to another origin. For what stands in a document of the host's own: it may name machines of the host's
    /// network, and has no reason to name those that give out the keys of the host.
    Own,
    /// Public ones only: not private, loopback, link-local (the metadata services of clouds among them), shared
    /// (carrier-grade NAT), multicast or reserved ones, nor IPv6 addresses that stand for such an IPv4 address.
    Public,
}

/// Turns names into addresses, in place of the system's resolver.
pub trait Resolve: std::fmt::Debug + Send + Sync {
    /// The addresses of a name, the best first.
    fn resolve(&self, name: &str) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;
}

/// Whether a document that was fetched at `fetched` may name `url` without its address being looked at: its own origin; and any port of a machine whose
/// address is written as a number, because that cannot lead elsewhere.
pub fn may_name(fetched: &Url, url: &Url) -> bool {
    let same_machine = match (fetched.host(), url.host()) {
        (Some(Host::Domain(_)), _) | (None, _) => false,
        (own, named) => own == named,
    };
    fetched.origin() == url.origin() || same_machine || (is_loopback(fetched) && is_loopback(url))
}

/// Whether an address is on this very machine, by how it is written.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Whether what is sent to an address can be read on its way.
pub fn is_open(url: &Url) -> bool {
    url.scheme() == "http" && !is_loopback(url)
}

/// A text that was meant to be an address, for an error: short, and without what may be a secret.
pub fn shown(text: &str) -> Box<str> {
    let text = text.split(['?', '#']).next().unwrap_or_default();
    let bare = match (text.split_once("://"), text.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://{host}"),
        (None, Some((_, host))) => host.to_owned(),
        _ => text.to_owned(),
    };
    let mut bare = bounded(&bare);
    if bare.len() > SHOWN {
        bare.truncate(bare.floor_char_boundary(SHOWN));
        bare.push('…');
    }
    bare.into()
}

impl Addresses {
    /// The kind of an address that may not be connected to.
    pub(crate) fn refuses(self, address: IpAddr) -> Option<&'static str> {
        let kind = not_public(address)?;
        match self {
            Self::Any | Self::Named => None,
            Self::Own => Some(kind).filter(|kind| matches!(*kind, "link-local" | "metadata")),
            Self::Public => Some(kind),
        }
    }
}

/// What kind of address this is, if it is not a public one: `loopback`, `private` and so on.
pub fn not_public(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => not_public_v4(address),
        IpAddr::V6(address) => not_public_v6(address),
    }
}

fn not_public_v4(address: Ipv4Addr) -> Option<&'static str> {
    Some(match address.octets() {
        [127, ..] => "loopback",
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => "private",
        [169, 254, ..] => "link-local",
        // Alibaba's, among the addresses of carriers; and Azure's agents, which answer on every virtual machine at an
        // address that looks public.
        [100, 100, 100, 200] | [168, 63, 129, 16] => "metadata",
        [100, 64..=127, ..] => "shared",
        [224..=239, ..] => "multicast",
        [0 | 240..=255, ..] | [192, 0, 0 | 2, _] | [192, 88, 99, _] => "reserved",
        [198, 18..=19, ..] | [198, 51, 100, _] | [203, 0, 113, _] => "reserved",
        _ => return None,
    })
}

fn not_public_v6(address: Ipv6Addr) -> Option<&'static str> {
    if let Some(inner) = address.to_ipv4_mapped() {
        return not_public_v4(inner);
    }
    let [a, b, c, d, e, f, g, h] = address.segments();
    Some(match (a, b) {
        _ if address.is_loopback() => "loopback",
        // Translated to IPv4 on the way: it leads where the IPv4 address leads.
        (0x64, 0xff9b) if (c, d, e, f) == (0, 0, 0, 0) => {
            let ([g1, g2], [h1, h2]) = (g.to_be_bytes(), h.to_be_bytes());
            return not_public_v4(Ipv4Addr::new(g1, g2, h1, h2));
        }
        // Amazon's.
        (0xfd00, 0xec2) if (c, d, e, f, g, h) == (0, 0, 0, 0, 0, 0x254) => "metadata",
        (0xfc00..=0xfdff, _) => "private",
        (0xfe80..=0xfebf, _) => "link-local",
        (0xfec0..=0xfeff, _) => "private",
        (0xff00..=0xffff, _) => "multicast",
        // Tunnels (Teredo, 6to4) and examples.
        (0x2001, 0..=0x1ff | 0xdb8) | (0x2002, _) | (0x3fff, 0..=0xfff) => "reserved",
        (0x2000..=0x3fff, _) => return None,
        _ => "reserved",
    })
}

/// The kind of the address that stands in a URL as a number, if it may not be connected to. Names are for the resolver.
pub(crate) fn literal(url: &Url, allowed: Addresses) -> Option<&'static str> {
    match url.host()? {
        Host::Ipv4(address) => allowed.refuses(address.into()),
        Host::Ipv6(address) => allowed.refuses(address.into()),
        Host::Domain(_) => None,
    }
}

/// A name leads to addresses of this kind only.
#[derive(Debug, thiserror::Error)]
#[error("it leads to a {kind} address")]
pub(crate) struct NotPublic {
    pub(crate) kind: &'static str,
}

impl NotPublic {
    /// Whether this is why something failed.
    pub(crate) fn behind(error: &(dyn std::error::Error + 'static)) -> Option<&'static str> {
        let mut cause = Some(error);
        while let Some(error) = cause {
            if let Some(found) = error.downcast_ref::<Self>() {
                return Some(found.kind);
            }
            cause = error.source();
        }
        None
    }
}

/// The resolver of a connection pool.
pub(crate) struct Lookup {
    pub(crate) names: Option<Arc<dyn Resolve>>,
    pub(crate) allowed: Addresses,
}

impl reqwest::dns::Resolve for Lookup {
    fn resolve(&self, name: Name) -> Resolving {
        let (names, allowed) = (self.names.clone(), self.allowed);
        Box::pin(async move {
            let found: Vec<IpAddr> = match names {
                Some(names) => names.resolve(name.as_str()).await?,
                None => {
                    let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
                    found.map(|address| address.ip()).collect()
                }
            };
            let mut refused = None;
            let mut usable = Vec::with_capacity(found.len());
            for address in found {
                match allowed.refuses(address) {
                    Some(kind) => refused = refused.or(Some(kind)),
                    None => usable.push(SocketAddr::new(address, 0)),
                }
            }
            match refused {
                Some(kind) if usable.is_empty() => Err(NotPublic { kind }.into()),
                _ => Ok(Box::new(usable.into_iter()) as Addrs),
            }
        })
    }
}
