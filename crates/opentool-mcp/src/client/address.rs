//! The address of a server, checked once.
//!
//! It is used as it stands, path and query included: some servers have their keys there. What is shown of it is its
//! origin.

use opentool_http::{Url, shown};

use super::ClientError;

/// Reads an address.
///
/// # Errors
/// [`ClientError::Address`].
pub(crate) fn parse(text: &str) -> Result<Url, ClientError> {
    let refuse = |reason| Err(ClientError::Address { url: shown(text), reason });
    let text = text.trim();
    let mut url = match Url::parse(text) {
        Ok(url) if text.contains("://") => url,
        _ if !text.contains("://") => return refuse("write http:// or https:// before it"),
        _ => return refuse("it is not a valid address"),
    };
    if !matches!(url.scheme(), "http" | "https") {
        return refuse("it is neither http nor https");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return refuse("it holds a user or a password; give the token, or a header, by itself");
    }
    url.set_fragment(None);
    Ok(url)
}

/// Scheme, host and port.
pub(crate) fn origin(url: &Url) -> Box<str> {
    url.origin().ascii_serialization().into()
}

#[cfg(test)]
mod tests {
    use super::{origin, parse};

    #[test]
    fn an_address_is_used_as_it_stands() {
        let url = parse(" https://tools.example:8443/a/mcp?tenant=1#x ").unwrap();
        assert_eq!(url.as_str(), "https://tools.example:8443/a/mcp?tenant=1");
        assert_eq!(&*origin(&url), "https://tools.example:8443");
    }

    #[test]
    fn what_is_no_address_is_refused_without_its_secrets() {
        for (text, expected) in [
            ("localhost:3000", "write http://"),
            ("", "write http://"),
            ("file:///etc/passwd", "neither http nor https"),
            ("http://", "not a valid address"),
            ("http://me:hunter2@host/", "user or a password"),
            ("ftp://host/?key=hunter2", "neither http nor https"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
    }
}
