//! Where a document is: a file, a URL, or nowhere that is known.
//!
//! An address is shown in messages, so it knows how to print itself without the secrets that people put into
//! URLs. It does no I/O.

use std::fmt;
use std::path::{Path, PathBuf};

use opentool_text::Notation;
use url::Url;

/// Where a document is. Relative server URLs are resolved against a URL, never against a file.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Address {
    /// A file.
    File(PathBuf),
    /// An `http` or `https` address.
    Url(Url),
    /// No place, only a name for messages: `standard input`.
    Named(String),
}

impl Address {
    /// The URL, if the document has one.
    pub fn url(&self) -> Option<&Url> {
        match self {
            Self::Url(url) => Some(url),
            Self::File(_) | Self::Named(_) => None,
        }
    }

    /// What the name says about the text.
    pub(crate) fn notation(&self) -> Option<Notation> {
        Notation::of_extension(self.extension()?)
    }

    fn extension(&self) -> Option<&str> {
        let path = match self {
            Self::File(path) => path.as_path(),
            Self::Url(url) => Path::new(url.path()),
            Self::Named(name) => Path::new(name),
        };
        path.extension()?.to_str()
    }

    /// Whether a reference to another document (without its fragment) means this document itself.
    pub(crate) fn is_meant_by(&self, reference: &str) -> bool {
        match self {
            Self::Url(url) => {
                let mut own = url.clone();
                own.set_fragment(None);
                url.join(reference).is_ok_and(|other| other == own)
            }
            Self::File(path) => {
                let reference = reference.strip_prefix("./").unwrap_or(reference);
                path.file_name().and_then(|name| name.to_str()) == Some(reference)
            }
            Self::Named(_) => false,
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Named(name) => f.write_str(name),
            Self::Url(url) => {
                let mut shown = url.clone();
                // Both fail only for addresses that cannot have a user, which then have no secret either.
                let _ = shown.set_username("");
                let _ = shown.set_password(None);
                shown.set_fragment(None);
                if shown.query().is_some() {
                    // Signed links and keys stand in the query.
                    shown.set_query(None);
                    return write!(f, "{shown}?…");
                }
                shown.fmt(f)
            }
        }
    }
}

/// The same as `Display`: a secret in a URL must not get into a log.
impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

/// An `http://` or `https://` text is a URL, everything else is a path.
impl From<&str> for Address {
    fn from(text: &str) -> Self {
        let is_http = |prefix: &str| text.get(..prefix.len()).is_some_and(|t| t.eq_ignore_ascii_case(prefix));
        if (is_http("http://") || is_http("https://"))
            && let Ok(url) = Url::parse(text)
        {
            return Self::Url(url);
        }
        Self::File(PathBuf::from(text))
    }
}

impl From<String> for Address {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<&String> for Address {
    fn from(text: &String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<&Path> for Address {
    fn from(path: &Path) -> Self {
        Self::File(path.to_owned())
    }
}

impl From<PathBuf> for Address {
    fn from(path: PathBuf) -> Self {
        Self::File(path)
    }
}

impl From<Url> for Address {
    fn from(url: Url) -> Self {
        Self::Url(url)
    }
}
