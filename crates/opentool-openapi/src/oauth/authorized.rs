//! The settings of one call with the tokens that its operation needs.

use std::borrow::Cow;
use std::time::Instant;

use opentool_core::ToolError;
use opentool_http::Client;
use secrecy::SecretString;
use serde_json::Value;
use url::Url;

use super::endpoint::{Asking, Place};
use super::{Grant, Key, OAuth};
use crate::execute::trust::Trust;
use crate::plan::{Operation, SchemeUse, SecurityScheme};
use crate::request::{Credential, Settings, chosen_requirement};

/// Settings in which tokens stand in the place of ways to get them.
pub(crate) struct Authorized<'a> {
    settings: Cow<'a, Settings>,
    used: Vec<(OAuth, Key, SecretString)>,
}

impl<'a> Authorized<'a> {
    /// Gets the tokens for the credentials that a request for the operation carries. Nothing is asked where none of them
    /// is fetched.
    ///
    /// # Errors
    /// If a token endpoint gives none; the text names the scheme and holds no secret.
    pub(crate) async fn get(
        operation: &Operation,
        settings: &'a Settings,
        trust: &Trust,
        client: &Client,
        end: Option<Instant>,
    ) -> Result<Self, ToolError> {
        let mut authorized = Self { settings: Cow::Borrowed(settings), used: Vec::new() };
        let Some(requirement) = chosen_requirement(operation, settings) else { return Ok(authorized) };
        for used in &requirement.schemes {
            let Some(Credential::OAuth(oauth)) = settings.credentials.get(&used.name) else { continue };
            let asking =
                Asking { scheme: &used.name, trust, client, end, place: place(oauth, used, settings)? };
            let key = (asking.place.url().clone(), scopes(oauth, used));
            let token = oauth.token(&key, &asking).await?;
            let credentials = &mut authorized.settings.to_mut().credentials;
            credentials.insert(used.name.clone(), Credential::Bearer(token.clone()));
            authorized.used.push((oauth.clone(), key, token));
        }
        Ok(authorized)
    }

    /// The settings to build the request with.
    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Throws the tokens away that were refused. `false` if none was fetched, so that another try would be the same.
    pub(crate) fn forget(&self) -> bool {
        self.used.iter().for_each(|(oauth, key, token)| oauth.forget(key, token));
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
        SecurityScheme::OAuth2 { flows } => (token_url(flows, &oauth.config.grant), false),
        SecurityScheme::OpenIdConnect { url } => (Some(url.as_str()), true),
        _ => (None, false),
    };
    let url = text.and_then(|text| match (Url::parse(text), &settings.document_url) {
        (Ok(url), _) => Some(url),
        (Err(url::ParseError::RelativeUrlWithoutBase), Some(document)) => document.join(text).ok(),
        (Err(_), _) => None,
    });
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
