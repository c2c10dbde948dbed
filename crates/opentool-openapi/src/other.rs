//! Another text than the one that was asked for: where it is, and which machine it came from. Who says something about a call is
//! known by this, for what a text may say depends on whose it is.
//!
//! It deliberately is no place in the text, and says nothing about what is in there.

use std::fmt;
use std::net::IpAddr;

use url::Url;

use crate::Address;

/// A text that was read because the document refers to it. It prints as messages name it, without the secrets of its address.
#[derive(Clone, PartialEq, Eq)]
pub struct OtherDocument {
    /// Its number among the texts of the document, which tells it apart from all others.
    pub(crate) index: usize,
    pub(crate) shown: Box<str>,
    pub(crate) address: Address,
    pub(crate) peer: Option<IpAddr>,
}

impl OtherDocument {
    /// Where it is.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// The machine that it came from, if it was fetched.
    pub fn peer(&self) -> Option<IpAddr> {
        self.peer
    }

    /// The address that it was fetched from; `None` if it is a file.
    pub(crate) fn fetched(&self) -> Option<&Url> {
        self.address.url().filter(|url| matches!(url.scheme(), "http" | "https"))
    }
}

impl fmt::Display for OtherDocument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

/// The same as `Display`: a secret in a URL must not get into a log.
impl fmt::Debug for OtherDocument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OtherDocument({self})")
    }
}
