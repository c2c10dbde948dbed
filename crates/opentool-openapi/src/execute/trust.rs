//! Whom a document may name: which addresses its servers may have.
//!
//! A document that the host wrote or keeps may name any server, one on loopback too. A document that was fetched may name
//! its own origin, and public machines; it cannot send the host into its own network. Where it came from a public machine its
//! own origin has to stay one: a name may lead elsewhere the second time. The same holds for each part of a document that was
//! fetched by itself, and what several texts say together, all of them have to be allowed to say. No document names metadata
//! services. What it does not decide: whether the servers are good ones.

use std::net::IpAddr;
use std::sync::Arc;

use opentool_http::Addresses;
pub(crate) use opentool_http::is_loopback;
use url::Url;

use crate::plan::OtherDocument;

/// Who has a say in where a call goes, and what the host says about it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trust {
    /// What the host decided.
    pub(crate) chosen: Option<Addresses>,
    /// The texts that were fetched, of those that say something about the call; all of them have to allow an address. Those
    /// that are the host's own are not among them.
    pub(crate) fetched: Vec<Fetched>,
}

/// A text that was fetched.
#[derive(Debug, Clone)]
pub(crate) struct Fetched {
    /// Where.
    pub(crate) url: Arc<Url>,
    /// The machine that it came from, if that is known.
    pub(crate) peer: Option<IpAddr>,
}

impl Trust {
    /// With a part of the document that has a say, too.
    pub(crate) fn and(mut self, part: &OtherDocument) -> Self {
        if let Some(url) = part.fetched() {
            let peer = part.peer.or_else(|| self.peer_of(url));
            self.fetched.push(Fetched { url: Arc::new(url.clone()), peer });
        }
        self
    }

    /// For what the answer of an address says, which came from this machine.
    pub(crate) fn of_fetched(&self, answer: &Url, peer: Option<IpAddr>) -> Self {
        let peer = peer.or_else(|| self.peer_of(answer));
        Self { chosen: self.chosen, fetched: vec![Fetched { url: Arc::new(answer.clone()), peer }] }
    }

    /// The machine from which a text of the same origin came.
    fn peer_of(&self, url: &Url) -> Option<IpAddr> {
        self.fetched.iter().find(|fetched| fetched.url.origin() == url.origin())?.peer
    }

    /// The addresses that may be behind a URL of the document.
    pub(crate) fn addresses(&self, url: &Url) -> Addresses {
        match (self.chosen, self.fetched.as_slice()) {
            (Some(chosen), _) => chosen,
            (None, []) => Addresses::Own,
            (None, fetched) if fetched.iter().all(|fetched| fetched.may_name(url)) => Addresses::Named,
            (None, _) => Addresses::Public,
        }
    }
}

impl Fetched {
    /// Whether the address behind a URL need not be public.
    fn may_name(&self, url: &Url) -> bool {
        let is_public = self.peer.is_some_and(|peer| opentool_http::not_public(peer).is_none());
        !is_public && opentool_http::may_name(&self.url, url)
    }
}
