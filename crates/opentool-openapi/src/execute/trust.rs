//! Whom a document may name: which addresses its servers may have.
//!
//! A document that the host wrote or keeps may name any server, one on loopback too. A document that was fetched may name
//! its own origin, and public machines; it cannot send the host into its own network. What it does not decide: whether
//! the servers are good ones.

use std::sync::Arc;

use opentool_http::Addresses;
use url::{Host, Url};

/// From where a document is, and what the host says about it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trust {
    /// What the host decided.
    pub(crate) chosen: Option<Addresses>,
    /// Where the document was fetched, if it was.
    pub(crate) fetched: Option<Arc<Url>>,
}

impl Trust {
    /// The addresses that may be behind a URL of the document.
    pub(crate) fn addresses(&self, url: &Url) -> Addresses {
        match (self.chosen, &self.fetched) {
            (Some(chosen), _) => chosen,
            (None, Some(fetched)) if !is_own(fetched, url) => Addresses::Public,
            (None, _) => Addresses::Named,
        }
    }
}

/// Whether a document at `fetched` may name `url` without being looked at: its own origin; and any port of a machine whose
/// address is written as a number, because that cannot lead elsewhere.
fn is_own(fetched: &Url, url: &Url) -> bool {
    let same_machine = match (fetched.host(), url.host()) {
        (Some(Host::Domain(_)), _) | (None, _) => false,
        (own, named) => own == named,
    };
    fetched.origin() == url.origin() || same_machine || (is_loopback(fetched) && is_loopback(url))
}

/// Whether an address is on this very machine, by how it is written.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
