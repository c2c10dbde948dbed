//! OpenID Connect discovery: from the address in a document to the token endpoint.
//!
//! What is found says where tokens are and nothing else: no identity is checked here, so neither is the issuer.

use std::net::IpAddr;

use opentool_core::ToolError;
use opentool_http::Request;
use serde_json::Value;
use url::Url;

use super::endpoint::{Asking, Found};
use super::{ClientAuthentication, OAuth, lock};

/// What a provider says about itself, as far as it matters here.
#[derive(Debug, Clone)]
pub(super) struct Discovered {
    pub(super) token_endpoint: Url,
    /// The machine that said so.
    pub(super) peer: Option<IpAddr>,
    /// How it wants to be told who asks, where it does not take the usual way.
    pub(super) authentication: Option<ClientAuthentication>,
}

impl OAuth {
    /// What is at a discovery address; asked once.
    pub(super) async fn discover(&self, url: &Url, asking: &Asking<'_>) -> Result<Discovered, ToolError> {
        if let Some(known) = lock(&self.state.discovered).get(url) {
            return Ok(known.clone());
        }
        let answer = asking.send(url, Found::Given, Request::get(url.clone()), &[]).await?;
        let found = answer.status.is_success().then(|| read(&answer.body, answer.peer)).flatten();
        let discovered = found.ok_or_else(|| {
            let said = match answer.status.is_success() {
                true => "its answer names no `token_endpoint`".to_owned(),
                false => format!("it answers HTTP {}", answer.status),
            };
            asking
                .failed(url, &format!("{said}; the address should end in /.well-known/openid-configuration"))
        })?;
        lock(&self.state.discovered).insert(url.clone(), discovered.clone());
        Ok(discovered)
    }
}

fn read(body: &[u8], peer: Option<IpAddr>) -> Option<Discovered> {
    let value: Value = serde_json::from_slice(body).ok()?;
    let token_endpoint = Url::parse(value.get("token_endpoint")?.as_str()?).ok()?;
    let methods = value.get("token_endpoint_auth_methods_supported").and_then(Value::as_array);
    let takes = |name: &str| methods.is_some_and(|methods| methods.iter().any(|method| method == name));
    let authentication =
        (takes("client_secret_post") && !takes("client_secret_basic")).then_some(ClientAuthentication::Body);
    Some(Discovered { token_endpoint, peer, authentication })
}
