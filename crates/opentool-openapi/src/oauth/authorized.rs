//! The settings of one call with the secrets that its operation needs: tokens that are fetched, and what is kept elsewhere.

use std::borrow::Cow;
use std::time::Instant;

use opentool_core::ToolError;
use opentool_http::Client;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;
use url::Url;

use super::endpoint::{Asking, Place};
use super::held::read_kept;
use super::{Grant, Key, OAuth};
use crate::SecretSource;
use crate::execute::trust::Trust;
use crate::plan::{Operation, OtherDocument, SchemeUse, SecurityScheme};
use crate::request::server::may_tell;
use crate::request::{Credential, General, Needed, Settings, needed};

/// Settings in which secrets stand in the place of ways to get them.
pub(crate) struct Authorized<'a> {
    settings: Cow<'a, Settings>,
    used: Vec<Used>,
}

/// A secret that was got, to be thrown away if the service refuses it.
enum Used {
    Token(OAuth, Key, SecretString),
    Kept(SecretSource, SecretString),
}

impl<'a> Authorized<'a> {
    /// Gets the secrets for the credentials that a request for the operation carries. Nothing is asked where none of them
    /// is elsewhere.
    ///
    /// # Errors
    /// If a token endpoint gives none, or the place where a secret is kept; the text names the scheme and holds no secret.
    pub(crate) async fn get(
        operation: &Operation,
        settings: &'a Settings,
        trust: &Trust,
        client: &Client,
        end: Option<Instant>,
    ) -> Result<Self, ToolError> {
        let mut authorized = Self { settings: Cow::Borrowed(settings), used: Vec::new() };
        for needed in needed(operation, settings) {
            match needed {
                Needed::Token(used, oauth) => {
                    let place = place(oauth, used, settings)?;
                    let trust = match used.scheme.named_by() {
                        Some(part) => trust.clone().and(part),
                        None => trust.clone(),
                    };
                    let asking = Asking { scheme: &used.name, trust, client, end, place };
                    let key = (asking.place.url().clone(), scopes(oauth, used));
                    let token = oauth.token(&key, &asking).await?;
                    authorized.set(&used.name, Credential::Bearer(token.clone()));
                    authorized.used.push(Used::Token(oauth.clone(), key, token));
                }
                Needed::Scheme(used, source) => {
                    let whose = format!("credential for the scheme `{}`", used.name);
                    let secret = read_kept(source, &whose, end).await?;
                    authorized.set(&used.name, Credential::Text(secret.clone()));
                    authorized.used.push(Used::Kept(source.clone(), secret));
                }
                Needed::General(kind, source) => {
                    let secret = read_kept(source, "credential for the API", end).await?;
                    authorized.set_general(kind, &secret);
                    authorized.used.push(Used::Kept(source.clone(), secret));
                }
            }
        }
        Ok(authorized)
    }

    fn set(&mut self, scheme: &str, credential: Credential) {
        self.settings.to_mut().credentials.insert(scheme.to_owned(), credential);
    }

    fn set_general(&mut self, kind: General, secret: &SecretString) {
        let settings = self.settings.to_mut();
        match kind {
            General::Bearer => settings.bearer = Some(secret.clone()),
            General::ApiKey => settings.api_key = Some(secret.clone()),
            General::Basic => {
                let pair = secret.expose_secret();
                let (user, password) = pair.split_once(':').unwrap_or((pair, ""));
                settings.basic = Some((user.to_owned(), password.into()));
            }
        }
    }

    /// The settings to build the request with.
    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Throws the secrets away that were refused. `false` if none was got, so that another try would be the same.
    pub(crate) fn forget(&self) -> bool {
        for used in &self.used {
            match used {
                Used::Token(oauth, key, token) => oauth.forget(key, token),
                Used::Kept(source, secret) => source.forget(secret),
            }
        }
        !self.used.is_empty()
    }
}

fn scopes(oauth: &OAuth, used: &SchemeUse) -> Vec<String> {
    let mut scopes = match (&oauth.config.scopes, &oauth.config.grant) {
        (Some(own), _) => own.clone(),
        (None, Grant::ClientCredentials) => used.scopes.clone(),
        (None, Grant::RefreshToken(_)) => Vec::new(),
    };
    scopes.sort_unstable();
    scopes.dedup();
    scopes
}

/// Where tokens are: as the host says, else as the document does.
fn place(oauth: &OAuth, used: &SchemeUse, settings: &Settings) -> Result<Place, ToolError> {
    if let Some(url) = &oauth.config.token_url {
        return Ok(Place::Named(url.clone()));
    }
    let (text, discovers) = match &*used.scheme {
        SecurityScheme::OAuth2 { flows, .. } => (token_url(flows, &oauth.config.grant), false),
        SecurityScheme::OpenIdConnect { url, .. } => (Some(url.as_str()), true),
        _ => (None, false),
    };
    // What is relative is so to the text in which it stands.
    let part = used.scheme.named_by();
    let base = part.map_or(settings.document_url.as_ref(), |part| part.address().url());
    let url = text.and_then(|text| match (Url::parse(text), base) {
        (Ok(url), _) => Some(url),
        (Err(url::ParseError::RelativeUrlWithoutBase), Some(base)) => base.join(text).ok(),
        (Err(_), _) => None,
    });
    if let (Some(part), Some(url)) = (part.and_then(OtherDocument::fetched), &url)
        && !may_tell(settings, part, url)
    {
        return Err(ToolError::failed(format!(
            "nothing was sent: the scheme `{}` is in a part of the document that was fetched from {}, which names the endpoint \
             {}, and credentials go to endpoints that the document itself names; the operator can name this one: \
             `OAuth::token_url` or `--token-url https://…`",
            used.name,
            part.origin().ascii_serialization(),
            url.origin().ascii_serialization()
        )));
    }
    match (url, discovers) {
        (Some(url), true) => Ok(Place::Discovery(url)),
        (Some(url), false) => Ok(Place::Document(url)),
        (None, _) => Err(ToolError::failed(format!(
            "nothing was sent: the document names no token endpoint for the scheme `{}` that fits the operator's \
             credential; the operator can set it (`OAuth::token_url`)",
            used.name
        ))),
    }
}

/// The endpoint of the flow that fits. A refresh token may come of any flow.
fn token_url<'v>(flows: &'v Value, grant: &Grant) -> Option<&'v str> {
    let of = |flow: &str, member: &str| {
        flows.get(flow)?.get(member)?.as_str().filter(|text| !text.trim().is_empty()).map(str::trim)
    };
    match grant {
        Grant::ClientCredentials => of("clientCredentials", "tokenUrl"),
        Grant::RefreshToken(_) => {
            ["authorizationCode", "deviceAuthorization", "password", "implicit", "clientCredentials"]
                .iter()
                .find_map(|flow| of(flow, "refreshUrl").or_else(|| of(flow, "tokenUrl")))
        }
    }
}
