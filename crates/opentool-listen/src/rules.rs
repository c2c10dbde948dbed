//! What a server demands of its connections.

use std::time::Duration;

/// What a server demands of its connections.
#[derive(Clone)]
pub struct Rules {
    pub(crate) most: usize,
    pub(crate) first_head: Duration,
    pub(crate) untaken: Untaken,
    pub(crate) unasked: Unasked,
    #[cfg(feature = "tls")]
    pub(crate) tls: Option<tokio_rustls::TlsAcceptor>,
}

/// Whether a connection whose client does not take its answer is in the way of others.
///
/// Whichever is chosen, one that takes nothing at all for 30 seconds ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Untaken {
    /// It keeps its place: whoever got an answer is to have it whole. For servers that do not give large answers to
    /// strangers.
    KeepsPlace,
    /// It counts as idle from when its answer was made, and gives its place to others if no other connection has been
    /// idle for longer.
    GivesWay,
}

/// What becomes of a request of which the head has come, but not the whole body, when the server begins to end. A connection
/// that is not even there ends now, whichever is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unasked {
    /// Its connection ends now: nobody waits for a client whose request would be refused.
    Cut,
    /// The rest of it is waited for, and it is answered.
    Answered,
}

impl Rules {
    /// The time for the head of a request, from the end of the request before or from the head's first byte: an idle
    /// connection ends after it, too.
    pub const HEAD: Duration = Duration::from_secs(30);

    /// At most `most` connections at once; [`Rules::HEAD`] for the first head as for others, [`Untaken::GivesWay`],
    /// [`Unasked::Answered`], no TLS.
    pub fn new(most: usize) -> Self {
        Self {
            most,
            first_head: Self::HEAD,
            untaken: Untaken::GivesWay,
            unasked: Unasked::Answered,
            #[cfg(feature = "tls")]
            tls: None,
        }
    }

    /// How long a new connection may take to send its first head. Default: [`Rules::HEAD`].
    pub fn first_head(mut self, longest: Duration) -> Self {
        self.first_head = longest;
        self
    }

    /// Whether clients that do not take their answers keep their places. Default: [`Untaken::GivesWay`].
    pub fn untaken(mut self, untaken: Untaken) -> Self {
        self.untaken = untaken;
        self
    }

    /// What becomes of requests that are still on their way at the end. Default: [`Unasked::Answered`].
    pub fn unasked(mut self, unasked: Unasked) -> Self {
        self.unasked = unasked;
        self
    }

    /// Speaks TLS on every connection, where there is one; the two sides have 5 seconds to agree on a key. Default: none,
    /// plain HTTP.
    #[cfg(feature = "tls")]
    pub fn tls(mut self, tls: Option<tokio_rustls::TlsAcceptor>) -> Self {
        self.tls = tls;
        self
    }
}

impl std::fmt::Debug for Rules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { most, first_head, untaken, unasked, .. } = self;
        let mut shown = f.debug_struct("Rules");
        shown.field("most", most).field("first_head", first_head);
        shown.field("untaken", untaken).field("unasked", unasked).finish_non_exhaustive()
    }
}
