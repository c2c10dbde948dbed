//! Credentials that would be readable on their way: over `http` to another machine.

use std::net::IpAddr;

use opentool::client::Client;
use opentool::openapi::{Api, Settings};
use url::{Host, Url};

use crate::source::OpenTool;

/// The warning about an address.
pub(super) fn told(url: &Url) -> String {
    format!(
        "credentials go to {} over plain http, where everybody on the way can read them; `--server https://…` sends them \
         over TLS",
        url.origin().ascii_serialization()
    )
}

/// The first server of the API that would be sent credentials in the clear.
pub(super) fn of_api(api: &Api) -> Option<Url> {
    let settings = api.settings();
    if !has_credentials(settings) {
        return None;
    }
    if let Some(server) = &settings.server {
        return Some(server.clone()).filter(is_readable);
    }
    let asked = api.operations().iter().filter(|operation| {
        let security = &operation.security;
        security.is_empty() || security.iter().any(|requirement| !requirement.schemes.is_empty())
    });
    let servers = asked.filter_map(|operation| operation.servers.first());
    let urls = servers.filter_map(|server| match &settings.document_url {
        Some(document) => document.join(&server.url).ok(),
        None => Url::parse(&server.url).ok(),
    });
    urls.into_iter().find(is_readable)
}

/// The server of the functions, if it is sent a key in the clear.
pub(super) fn of_opentool(opentool: &OpenTool) -> Option<Url> {
    let url = opentool.client().filter(|_| opentool.has_key()).map(Client::url)?;
    Url::parse(url).ok().filter(is_readable)
}

fn has_credentials(settings: &Settings) -> bool {
    settings.bearer.is_some()
        || settings.api_key.is_some()
        || settings.basic.is_some()
        || settings.bearer_from.is_some()
        || settings.api_key_from.is_some()
        || settings.basic_from.is_some()
        || !settings.credentials.is_empty()
        || !settings.headers.is_empty()
}

/// Whether others on the way can read what is sent there.
fn is_readable(url: &Url) -> bool {
    let is_loopback = match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => IpAddr::V4(address).is_loopback(),
        Some(Host::Ipv6(address)) => IpAddr::V6(address).is_loopback(),
        None => true,
    };
    url.scheme() == "http" && !is_loopback
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::is_readable;

    #[test]
    fn loopback_and_tls_are_not_readable() {
        for (url, expected) in [
            ("http://example.com/", true),
            ("http://10.0.0.1/", true),
            ("https://example.com/", false),
            ("http://localhost:80/", false),
            ("http://127.9.9.9/", false),
            ("http://[::1]/", false),
        ] {
            assert_eq!(is_readable(&Url::parse(url).unwrap()), expected, "{url}");
        }
    }
}
