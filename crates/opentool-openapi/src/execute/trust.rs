//! Whom a document may name: which addresses its servers may have.
//!
//! A document that the host wrote or keeps may name any server, one on loopback too. A document that was fetched may name
//! its own origin, and public machines; it cannot send the host into its own network. Where it came from a public machine its
//! own origin has to stay one: a name may lead elsewhere the second time. No document names metadata services. What it does
//! not decide: whether the servers are good ones.

use std::net::IpAddr;
use std::sync::Arc;

use opentool_http::Addresses;
pub(crate) use opentool_http::is_loopback;
use url::Url;

/// From where a document is, and what the host says about it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trust {
    /// What the host decided.
    pub(crate) chosen: Option<Addresses>,
    /// Where the document was fetched, if it was.
    pub(crate) fetched: Option<Arc<Url>>,
    /// The machine that it came from, if that is known.
    pub(crate) peer: Option<IpAddr>,
}

impl Trust {
    /// For what the answer of an address says.
    pub(crate) fn of_fetched(&self, answer: &Url) -> Self {
        let is_own = self.fetched.as_ref().is_some_and(|fetched| fetched.origin() == answer.origin());
        let peer = self.peer.filter(|_| is_own);
        Self { chosen: self.chosen, fetched: Some(Arc::new(answer.clone())), peer }
    }

    /// The addresses that may be behind a URL of the document.
    pub(crate) fn addresses(&self, url: &Url) -> Addresses {
        let came_from_public = self.peer.is_some_and(|peer| opentool_http::not_public(peer).is_none());
        match (self.chosen, &self.fetched) {
            (Some(chosen), _) => chosen,
            (None, Some(_)) if came_from_public => Addresses::Public,
            (None, Some(fetched)) if !opentool_http::may_name(fetched, url) => Addresses::Public,
            (None, Some(_)) => Addresses::Named,
            (None, None) => Addresses::Own,
        }
    }
}
