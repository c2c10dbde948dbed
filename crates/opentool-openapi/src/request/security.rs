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
        return Ok(undeclared(settings).into_iter().collect());
    }
    // An empty requirement says that credentials are optional: it is the last resort, wherever it stands.
    let optional = operation.security.iter().any(|requirement| requirement.schemes.is_empty());
    for requirement in operation.security.iter().filter(|requirement| !requirement.schemes.is_empty()) {
        if let Some(carried) = satisfy(requirement, settings) {
            return Ok(carried);
        }
    }
    if optional || settings.missing_credentials == MissingCredentials::SendWithout {
        return Ok(Vec::new());
    }
    Err(missing(&operation.security))
}

/// The document says nothing about security, but the host has a credential whose place is known.
fn undeclared(settings: &Settings) -> Option<Carried> {
    let bearer = settings.bearer.as_ref().map(|token| Carried::authorization("Bearer ", token.clone()));
    bearer.or_else(|| {
        let (user, password) = settings.basic.as_ref()?;
        Some(Carried::authorization("Basic ", basic(user, password)))
    })
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
    let named = settings.credentials.get(&used.name);
    match &*used.scheme {
        SecurityScheme::ApiKey { place, name } => {
            let secret = match named {
                Some(Credential::ApiKey(key) | Credential::Text(key) | Credential::Bearer(key)) => {
                    key.clone()
                }
                Some(Credential::Basic { .. }) => return None,
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

fn missing(security: &[Requirement]) -> ToolError {
    let alternatives: Vec<_> = security
        .iter()
        .map(|requirement| {
            let schemes: Vec<_> = requirement.schemes.iter().map(described).collect();
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
