//! Which credentials a request carries, and where.
//!
//! The document's requirements are alternatives; each asks for all of its schemes. The first that the host can
//! satisfy is used. Credentials never come from arguments.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use opentool_core::ToolError;
use secrecy::{ExposeSecret as _, SecretString};

use super::settings::{Credential, MissingCredentials, Settings};
use crate::plan::{Operation, Place, Requirement, SchemeUse, SecurityScheme};

/// A credential in its place.
#[derive(Debug)]
pub(super) struct Carried {
    pub(super) place: Place,
    pub(super) name: String,
    /// What stands before the secret: `Bearer `, `Basic `, or nothing.
    pub(super) prefix: &'static str,
    pub(super) secret: SecretString,
}

impl Carried {
    fn authorization(prefix: &'static str, secret: SecretString) -> Self {
        Self { place: Place::Header, name: "Authorization".to_owned(), prefix, secret }
    }

    /// The whole value, secret and all.
    pub(super) fn value(&self) -> String {
        format!("{}{}", self.prefix, self.secret.expose_secret())
    }

    /// The value as it may be shown.
    pub(super) fn shown(&self) -> String {
        format!("{}***", self.prefix)
    }
}

/// The credentials for a request.
///
/// # Errors
/// If the host has not set what the document asks for.
pub(super) fn choose(operation: &Operation, settings: &Settings) -> Result<Vec<Carried>, ToolError> {
    if operation.security.is_empty() {
        return undeclared(settings);
    }
    if let Some((_, carried)) = satisfied(operation, settings) {
        return Ok(carried);
    }
    // An empty requirement says that credentials are optional: it is the last resort, wherever it stands.
    let optional = operation.security.iter().any(|requirement| requirement.schemes.is_empty());
    if optional || settings.missing_credentials == MissingCredentials::SendWithout {
        return Ok(Vec::new());
    }
    Err(missing(&operation.security, settings))
}

/// The first requirement that the host can satisfy, and what it puts into a request.
fn satisfied<'a>(operation: &'a Operation, settings: &Settings) -> Option<(&'a Requirement, Vec<Carried>)> {
    let asking = operation.security.iter().filter(|requirement| !requirement.schemes.is_empty());
    asking.into_iter().find_map(|requirement| Some((requirement, satisfy(requirement, settings)?)))
}

/// The requirement whose credentials a request carries.
pub(crate) fn chosen_requirement<'a>(
    operation: &'a Operation,
    settings: &Settings,
) -> Option<&'a Requirement> {
    let fetches = |credential: &Credential| matches!(credential, Credential::OAuth(_));
    if !settings.credentials.values().any(fetches) {
        return None;
    }
    satisfied(operation, settings).map(|(requirement, _)| requirement)
}

/// The document says nothing about security, but the host has a credential whose place is known.
///
/// # Errors
/// If all that the host has set is empty.
fn undeclared(settings: &Settings) -> Result<Vec<Carried>, ToolError> {
    let bearer = settings.bearer.as_ref().and_then(filled);
    let carried = match (bearer, &settings.basic) {
        (Some(token), _) => Carried::authorization("Bearer ", token),
        (None, Some((user, password))) if !is_empty(user, password) => {
            Carried::authorization("Basic ", basic(user, password))
        }
        _ if settings.missing_credentials == MissingCredentials::SendWithout => return Ok(Vec::new()),
        (None, Some(_)) => return Err(empty("user and password are")),
        (None, None) if settings.bearer.is_some() => return Err(empty("the bearer token is")),
        (None, None) => return Ok(Vec::new()),
    };
    Ok(vec![carried])
}

/// Sending nothing in place of a credential would look like a service that refuses a good one.
fn empty(what: &str) -> ToolError {
    ToolError::failed(format!(
        "nothing was sent: {what} set, but empty; the operator has to set a value, or none at all"
    ))
}

/// A secret that is not empty; an empty one is a variable that was not set.
fn filled(secret: &SecretString) -> Option<SecretString> {
    Some(secret).filter(|secret| !secret.expose_secret().trim().is_empty()).cloned()
}

/// A key is often a user without a password, so one of the two is enough.
fn is_empty(user: &str, password: &SecretString) -> bool {
    user.trim().is_empty() && filled(password).is_none()
}

/// Whether what the host has set for a scheme is empty.
fn is_set_empty(used: &SchemeUse, settings: &Settings) -> bool {
    let none = |secret: &SecretString| filled(secret).is_none();
    match (settings.credentials.get(&used.name), &*used.scheme) {
        (Some(Credential::Basic { user, password }), _) => is_empty(user, password),
        (Some(Credential::Bearer(secret) | Credential::ApiKey(secret) | Credential::Text(secret)), _) => {
            none(secret)
        }
        (Some(Credential::OAuth(oauth)), _) => oauth.is_empty(),
        (None, SecurityScheme::ApiKey { .. }) => settings.api_key.as_ref().is_some_and(none),
        (None, SecurityScheme::Basic) => {
            settings.basic.as_ref().is_some_and(|(user, password)| is_empty(user, password))
        }
        (None, SecurityScheme::MutualTls | SecurityScheme::Other(_)) => false,
        (None, _) => settings.bearer.as_ref().is_some_and(none),
    }
}

fn satisfy(requirement: &Requirement, settings: &Settings) -> Option<Vec<Carried>> {
    // One general API key cannot stand for two different ones.
    let keys = requirement.schemes.iter().filter(|used| is_api_key(&used.scheme)).count();
    requirement.schemes.iter().map(|used| carry(used, settings, keys == 1)).collect()
}

fn is_api_key(scheme: &SecurityScheme) -> bool {
    matches!(scheme, SecurityScheme::ApiKey { .. })
}

fn carry(used: &SchemeUse, settings: &Settings, general_key: bool) -> Option<Carried> {
    if is_set_empty(used, settings) {
        return None;
    }
    let named = settings.credentials.get(&used.name);
    match &*used.scheme {
        SecurityScheme::ApiKey { place, name } => {
            let secret = match named {
                Some(Credential::ApiKey(key) | Credential::Text(key) | Credential::Bearer(key)) => {
                    key.clone()
                }
                Some(Credential::Basic { .. } | Credential::OAuth(_)) => return None,
                None => settings.api_key.clone().filter(|_| general_key)?,
            };
            Some(Carried { place: *place, name: name.clone(), prefix: "", secret })
        }
        SecurityScheme::Basic => {
            let secret = match named {
                Some(Credential::Basic { user, password }) => basic(user, password),
                Some(Credential::Text(pair)) => encoded(pair.expose_secret()),
                Some(_) => return None,
                None => settings.basic.as_ref().map(|(user, password)| basic(user, password))?,
            };
            Some(Carried::authorization("Basic ", secret))
        }
        SecurityScheme::Bearer | SecurityScheme::OAuth2 { .. } | SecurityScheme::OpenIdConnect { .. } => {
            let secret = match named {
                Some(Credential::Bearer(token) | Credential::Text(token) | Credential::ApiKey(token)) => {
                    token.clone()
                }
                // The executor puts a token in its place; what is shown before is masked anyway.
                Some(Credential::OAuth(_)) => SecretString::default(),
                Some(Credential::Basic { .. }) => return None,
                None => settings.bearer.clone()?,
            };
            Some(Carried::authorization("Bearer ", secret))
        }
        SecurityScheme::MutualTls | SecurityScheme::Other(_) => None,
    }
}

fn basic(user: &str, password: &SecretString) -> SecretString {
    encoded(&format!("{user}:{}", password.expose_secret()))
}

fn encoded(pair: &str) -> SecretString {
    STANDARD.encode(pair).into()
}

fn missing(security: &[Requirement], settings: &Settings) -> ToolError {
    let alternatives: Vec<_> = security
        .iter()
        .map(|requirement| {
            let schemes: Vec<_> = requirement
                .schemes
                .iter()
                .map(|used| match is_set_empty(used, settings) {
                    true => format!("{} (it is set, but empty)", described(used)),
                    false => described(used),
                })
                .collect();
            schemes.join(" and ")
        })
        .collect();
    ToolError::failed(format!(
        "nothing was sent: the operation needs a credential that the operator has not set: {}",
        alternatives.join(", or ")
    ))
}

/// What the operator has to set for a scheme. Who sets it, and how, is the host's to say.
fn described(used: &SchemeUse) -> String {
    let what = match &*used.scheme {
        SecurityScheme::ApiKey { .. } => "an API key",
        SecurityScheme::Basic => "user and password",
        SecurityScheme::Bearer => "a bearer token",
        SecurityScheme::OAuth2 { .. } => "an OAuth 2 access token",
        SecurityScheme::OpenIdConnect { .. } => "an OpenID Connect access token",
        SecurityScheme::MutualTls => "a client certificate (not supported)",
        SecurityScheme::Other(_) => "a kind of credential that is not known here",
    };
    format!("{what} for the scheme `{}`", used.name)
}
