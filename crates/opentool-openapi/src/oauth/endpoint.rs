//! One request to a token endpoint, and what its answer says.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use opentool_core::{ToolError, Upstream};
use opentool_http::scrub::{self, Reach};
use opentool_http::{Addresses, Client, Method, Redirects, Request, Response, bounded};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;
use url::Url;
use url::form_urlencoded::{Serializer, byte_serialize};

use super::held::Shown;
use super::{ClientAuthentication, Key, OAuth, Token, until};
use crate::execute::trust::{Trust, is_loopback};

/// The largest answer, in bytes. Tokens have a few thousand.
const MAX_BYTES: u64 = 1024 * 1024;

/// The longest access token, in bytes.
const LONGEST_TOKEN: usize = 64 * 1024;

/// Where a token endpoint is found.
pub(super) enum Place {
    /// The host named it.
    Named(Url),
    /// The document names it.
    Document(Url),
    /// The document names an address that names it.
    Discovery(Url),
}

impl Place {
    pub(super) fn url(&self) -> &Url {
        match self {
            Self::Named(url) | Self::Document(url) | Self::Discovery(url) => url,
        }
    }
}

/// How an address is known that is asked.
#[derive(Clone, Copy)]
pub(super) enum Found<'a> {
    /// From the host or the document.
    Given,
    /// From the answer of this address, which came from this machine.
    At(&'a Url, Option<IpAddr>),
}

/// For whom, with what and until when an endpoint is asked.
pub(super) struct Asking<'a> {
    /// The name of the scheme, for messages.
    pub(super) scheme: &'a str,
    /// For what is said about the endpoint.
    pub(super) trust: Trust,
    pub(super) client: &'a Client,
    pub(super) end: Option<Instant>,
    pub(super) place: Place,
}

impl Asking<'_> {
    /// Why there is no token, for the model and the operator.
    pub(super) fn failed(&self, url: &Url, why: &str) -> ToolError {
        ToolError::failed(self.message(url, why))
    }

    fn message(&self, url: &Url, why: &str) -> String {
        let origin = url.origin().ascii_serialization();
        // What the operator named is the operator's to know.
        if let Place::Named(_) = self.place {
            let why = why.replace(&origin, "it");
            return format!(
                "nothing was sent: no access token for the scheme `{}` from its endpoint: {why}",
                self.scheme
            );
        }
        format!("nothing was sent: no access token for the scheme `{}` from {origin}: {why}", self.scheme)
    }

    /// Sends a request that must not be overheard.
    pub(super) async fn send(
        &self,
        url: &Url,
        found: Found<'_>,
        request: Request,
        secrets: &[SecretString],
    ) -> Result<Response, ToolError> {
        if url.scheme() != "https" && !(url.scheme() == "http" && is_loopback(url)) {
            let why = "it is not an https address, and credentials are sent over https, or to loopback, only";
            return Err(self.failed(url, why));
        }
        let addresses = match (&self.place, found) {
            // Whoever answers there is a stranger, whoever named the address.
            (_, Found::At(discovery, peer)) => self.trust.of_fetched(discovery, peer).addresses(url),
            (Place::Named(_), Found::Given) => Addresses::Named,
            (Place::Document(_) | Place::Discovery(_), Found::Given) => self.trust.addresses(url),
        };
        // A redirect would take the client's secret elsewhere.
        let request = request
            .header(ACCEPT, HeaderValue::from_static("application/json"))
            .redirects(Redirects::None)
            .addresses(addresses)
            .body_limit(MAX_BYTES)
            .deadline(self.end);
        self.client.send(request).await.map_err(|error| {
            let text = scrub::text(&error.to_string(), secrets, Reach::Message).into_owned();
            Upstream::new(self.message(url, &text)).source(error).into()
        })
    }
}

impl OAuth {
    /// Asks for a new token.
    pub(super) async fn ask(&self, key: &Key, asking: &Asking<'_>) -> Result<Token, ToolError> {
        let (url, found, wanted) = match &asking.place {
            Place::Named(url) | Place::Document(url) => (url.clone(), Found::Given, None),
            Place::Discovery(url) => {
                let discovered = self.discover(url, asking).await?;
                (discovered.token_endpoint, Found::At(url, discovered.peer), discovered.authentication)
            }
        };
        let how = self.config.authentication.or(wanted).unwrap_or(ClientAuthentication::Basic);
        let mut shown = self.shown(asking).await?;
        let mut again = true;
        loop {
            let mut secrets = shown.all();
            if let (Some(secret), ClientAuthentication::Basic) = (&shown.client, how) {
                // What stands in the header, which a service may repeat as it came, with or without its padding.
                let pair = self.pair(secret);
                secrets.push(pair.expose_secret().trim_end_matches('=').into());
                secrets.push(pair);
            }
            let request = self.token_request(&url, &key.1, how, &shown);
            let request = request.map_err(|error| asking.failed(&url, &error.to_string()))?;
            let answer = asking.send(&url, found, request, &secrets).await?;
            let why = match read(&answer) {
                Ok((token, refresh)) => {
                    if let Some(refresh) = refresh {
                        self.rotate(asking.scheme, &shown, refresh);
                    }
                    return Ok(token);
                }
                Err(why) => why,
            };
            let is_dead = why.contains(": invalid_grant");
            let failed = asking.failed(&url, &bounded(&scrub::text(&why, &secrets, Reach::Message)));
            // A secret that was replaced where it is kept is read once more.
            let refused =
                matches!(answer.status.as_u16(), 400 | 401 | 403) && self.forget_shown(&shown, is_dead);
            if !(refused && again) {
                return Err(failed);
            }
            again = false;
            let renewed = self.shown(asking).await?;
            if renewed.is(&shown) {
                return Err(failed);
            }
            shown = renewed;
        }
    }

    /// Who asks, as HTTP Basic says it.
    fn pair(&self, secret: &SecretString) -> SecretString {
        // Both are written as in a form first (RFC 6749, 2.3.1), so that a colon stays in its place.
        let coded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
        let pair = format!("{}:{}", coded(&self.config.client_id), coded(secret.expose_secret()));
        STANDARD.encode(pair).into()
    }

    fn token_request(
        &self,
        url: &Url,
        scopes: &[String],
        how: ClientAuthentication,
        shown: &Shown,
    ) -> Result<Request, opentool_http::HttpError> {
        let config = &self.config;
        let mut form = Serializer::new(String::new());
        match &shown.refresh {
            None => form.append_pair("grant_type", "client_credentials"),
            Some(token) => form
                .append_pair("grant_type", "refresh_token")
                .append_pair("refresh_token", token.expose_secret()),
        };
        if !scopes.is_empty() {
            form.append_pair("scope", &scopes.join(" "));
        }
        form.extend_pairs(&config.parameters);
        const FORM: HeaderValue = HeaderValue::from_static("application/x-www-form-urlencoded");
        let mut request = Request::new(Method::POST, url.clone()).header(CONTENT_TYPE, FORM);
        match (&shown.client, how) {
            (Some(secret), ClientAuthentication::Basic) => {
                let value = SecretString::from(format!("Basic {}", self.pair(secret).expose_secret()));
                request = request.secret_header(AUTHORIZATION, &value)?;
            }
            (Some(secret), ClientAuthentication::Body) => {
                form.append_pair("client_id", &config.client_id);
                form.append_pair("client_secret", secret.expose_secret());
            }
            (None, _) => {
                form.append_pair("client_id", &config.client_id);
            }
        }
        Ok(request.body(form.finish()))
    }
}

/// The token of an answer, and a new refresh token.
///
/// # Errors
/// What the endpoint says in place of a token.
fn read(answer: &Response) -> Result<(Token, Option<SecretString>), String> {
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let word = |member: &str| body.get(member).and_then(Value::as_str).filter(|text| !text.is_empty());
    if !answer.status.is_success() || word("error").is_some() {
        let mut why = format!("it answers HTTP {}", answer.status.as_u16());
        for said in [word("error"), word("error_description")].into_iter().flatten() {
            why.push_str(": ");
            why.push_str(said);
        }
        return Err(why);
    }
    let access = word("access_token").ok_or("its answer holds no `access_token`")?;
    if access.len() > LONGEST_TOKEN {
        let most = LONGEST_TOKEN / 1024;
        return Err(format!("its token has more than {most} KiB, which no service takes in a header"));
    }
    let kind = word("token_type").unwrap_or("bearer");
    if !kind.eq_ignore_ascii_case("bearer") {
        return Err(format!("its token is of the type `{kind}`, and only bearer tokens can be sent"));
    }
    // Some endpoints write the number as a text.
    let lives = body.get("expires_in").and_then(|lives| match lives {
        Value::String(text) => text.parse().ok(),
        other => other.as_u64().or_else(|| other.as_f64().map(|seconds| seconds as u64)),
    });
    let until = lives.and_then(|seconds| until(Duration::from_secs(seconds)));
    Ok((Token { access: access.into(), until }, word("refresh_token").map(SecretString::from)))
}
