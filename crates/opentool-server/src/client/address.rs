//! The address of a server: what is taken for one, and where its endpoints are.

use opentool_http::{Url, shown};

use super::ClientError;
use crate::wire::endpoint::BASE_PATH;

/// The address of a server. Its path ends with a slash, so that endpoints can be joined to it.
#[derive(Debug, Clone)]
pub(crate) struct Address(Url);

impl Address {
    /// Reads an address, which is taken to be hostile. Without a path it gets the usual one.
    pub(crate) fn parse(text: &str) -> Result<Self, ClientError> {
        let refuse = |reason| Err(ClientError::Address { url: shown(text), reason });
        let Ok(mut url) = Url::parse(text.trim()) else {
            return refuse("it is not an address; write http:// or https:// and a host");
        };
        if !matches!(url.scheme(), "http" | "https") {
            return refuse("its scheme is neither http nor https; write http:// or https:// and a host");
        }
        if url.host_str().is_none_or(str::is_empty) {
            return refuse("it has no host; write http://127.0.0.1:17001/opentool, for example");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return refuse("it holds a user or a password; give the API key by itself");
        }
        if url.query().is_some() || url.fragment().is_some() {
            return refuse("it has a query or a fragment; write the address up to the base path");
        }
        let path = match url.path().trim_end_matches('/') {
            "" => format!("{BASE_PATH}/"),
            path => format!("{path}/"),
        };
        url.set_path(&path);
        Ok(Self(url))
    }

    /// The same server with another base path.
    pub(crate) fn base_path(mut self, path: &str) -> Self {
        let path = path.trim_matches('/');
        self.0.set_path(&if path.is_empty() { "/".to_owned() } else { format!("/{path}/") });
        self
    }

    /// Where an endpoint is.
    pub(crate) fn endpoint(&self, name: &str) -> Url {
        let mut url = self.0.clone();
        url.set_path(&format!("{}{name}", self.0.path()));
        url
    }

    /// The address as text, without the slash at its end.
    pub(crate) fn as_str(&self) -> &str {
        self.0.as_str().trim_end_matches('/')
    }

    /// Scheme, host and port: what errors name. A path may hold a secret.
    pub(crate) fn origin(&self) -> Box<str> {
        self.0.origin().ascii_serialization().into()
    }

    pub(crate) fn is_https(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// Whether what is sent can be read on its way.
    pub(crate) fn is_open(&self) -> bool {
        opentool_http::is_open(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[test]
    fn an_address_without_a_path_gets_the_usual_one() {
        for (text, call) in [
            ("http://127.0.0.1:17001", "http://127.0.0.1:17001/opentool/call"),
            ("http://127.0.0.1:17001/", "http://127.0.0.1:17001/opentool/call"),
            ("http://127.0.0.1:9627/opentool", "http://127.0.0.1:9627/opentool/call"),
            (" https://tools.example/a/b// ", "https://tools.example/a/b/call"),
            ("http://[::1]:1/x/../y", "http://[::1]:1/y/call"),
        ] {
            let address = Address::parse(text).unwrap();
            assert_eq!(address.endpoint("call").as_str(), call, "{text}");
            assert_eq!(format!("{}/call", address.as_str()), call, "{text}");
        }
    }

    #[test]
    fn a_base_path_replaces_that_of_the_address() {
        for (path, call) in [
            ("/", "http://host/call"),
            ("", "http://host/call"),
            ("tools", "http://host/tools/call"),
            ("/a/b/", "http://host/a/b/call"),
            ("/a?b#c", "http://host/a%3Fb%23c/call"),
        ] {
            let address = Address::parse("http://host").unwrap().base_path(path);
            assert_eq!(address.endpoint("call").as_str(), call, "{path}");
        }
    }

    #[test]
    fn what_is_no_address_of_a_server_is_refused_without_its_secrets() {
        for (text, expected) in [
            ("127.0.0.1:17001", "write http://"),
            ("localhost:17001", "write http://"),
            ("/opentool", "write http://"),
            ("", "write http://"),
            ("file:///etc/passwd", "neither http nor https"),
            ("javascript:alert(1)", "neither http nor https"),
            ("http://", "not an address"),
            ("http://user:hunter2@host/", "user or a password"),
            ("user:hunter2@host", "write http://"),
            ("http://host/opentool?key=hunter2", "query"),
            ("http://host/opentool#hunter2", "fragment"),
        ] {
            let error = Address::parse(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
        let long = format!("ftp://{}", "ä".repeat(100_000));
        assert!(Address::parse(&long).unwrap_err().to_string().len() < 500);
    }

    #[test]
    fn only_loopback_and_https_are_private() {
        for (text, open) in [
            ("http://127.0.0.1", false),
            ("http://[::1]:80", false),
            ("http://localhost", false),
            ("https://tools.example", false),
            ("http://tools.example", true),
            ("http://10.0.0.1", true),
        ] {
            assert_eq!(Address::parse(text).unwrap().is_open(), open, "{text}");
        }
    }
}
