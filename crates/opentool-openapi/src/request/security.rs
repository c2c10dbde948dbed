//! Which credentials a request carries, and where.
//!
//! The document's requirements are alternatives; each asks for all of its schemes. The first that the host can
//! satisfy is used. Credentials never come from arguments.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use opentool_core::ToolError;
use opentool_http::Identity;
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

use super::settings::{Credential, MissingCredentials, Settings};
use crate::plan::{FormCredential, Operation, Place, Requirement, SchemeUse, SecurityScheme};
use crate::{OAuth, SecretSource};

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

    /// Whether both stand in one place. Names of headers have no case.
    fn is_at(&self, other: &Self) -> bool {
        self.place == other.place
            && match self.place {
                Place::Header => self.name.eq_ignore_ascii_case(&other.name),
                _ => self.name == other.name,
            }
    }

    /// The whole value, secret and all.
    pub(super) fn value(&self) -> String {
        [self.prefix, self.secret.expose_secret()].concat()
    }

    /// The value as it may be shown.
    pub(super) fn shown(&self) -> String {
        [self.prefix, "***"].concat()
    }
}

/// All that says who the host is.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    pub(super) carried: Vec<Carried>,
    /// The client certificate that the document asks for.
    identity: Option<Identity>,
    /// The one that goes with every request that can show it.
    general: Option<Identity>,
}

impl Chosen {
    /// A credential whose place another one takes: a request has one header of a name, and `Basic …` is not `Bearer …`.
    fn clash(&self) -> Option<&Carried> {
        let same = |one: &Carried, other: &Carried| one.is_at(other) && one.value() != other.value();
        let all = self.carried.iter().enumerate();
        all.into_iter().find_map(|(at, one)| self.carried.iter().take(at).find(|other| same(one, other)))
    }

    /// Whether a request says who the host is.
    pub(super) fn show_who(&self, settings: &Settings) -> bool {
        !self.carried.is_empty()
            || self.identity.is_some()
            || self.general.is_some()
            || !settings.headers.is_empty()
    }

    /// The client certificate for a request to this server.
    ///
    /// # Errors
    /// If the document asks for one, and the server cannot see it.
    pub(super) fn identity(&self, server: &Url) -> Result<Option<Identity>, ToolError> {
        match (&self.identity, server.scheme()) {
            (Some(asked), "https") => Ok(Some(asked.clone())),
            (Some(_), _) => Err(ToolError::failed(format!(
                "nothing was sent: the operation needs a client certificate, which is shown over https only, and its \
                 server is {}",
                server.origin().ascii_serialization()
            ))),
            (None, "https") => Ok(self.general.clone()),
            (None, _) => Ok(None),
        }
    }
}

/// What stands for a secret that is got later, or not shown.
pub(crate) const MASK: &str = "***";

/// The member of the operation's form in which the host's credential is sent as well; models neither see nor set it.
pub(crate) fn in_form<'a>(operation: &'a Operation, settings: &Settings) -> Option<&'a str> {
    let own = operation.body.as_ref()?.credential.as_ref()?;
    let (_, chosen) = satisfied(operation, settings)?;
    chosen.for_form(own).map(|_| own.member())
}

impl Chosen {
    fn for_form(&self, own: &FormCredential) -> Option<&Carried> {
        self.carried.iter().find(|carried| match own {
            FormCredential::Key(name) => carried.place == Place::Query && carried.name == *name,
            FormCredential::Token(_) => carried.prefix == "Bearer ",
        })
    }

    /// The member of the operation's form that the credential is sent in, and what is sent there.
    pub(super) fn in_form<'a>(&self, operation: &'a Operation) -> Option<(&'a str, SecretString)> {
        let own = operation.body.as_ref()?.credential.as_ref()?;
        let secret = &self.for_form(own)?.secret;
        let secret = if secret.expose_secret().is_empty() { MASK.into() } else { secret.clone() };
        Some((own.member(), secret))
    }
}

/// The credentials for a request.
///
/// # Errors
/// If the host has not set what the document asks for.
pub(super) fn choose(operation: &Operation, settings: &Settings) -> Result<Chosen, ToolError> {
    let mut chosen = chosen(operation, settings)?;
    chosen.general = settings.identity.clone();
    Ok(chosen)
}

fn chosen(operation: &Operation, settings: &Settings) -> Result<Chosen, ToolError> {
    if operation.security.is_empty() {
        return Ok(Chosen { carried: undeclared(settings)?, ..Chosen::default() });
    }
    if let Some((_, chosen)) = satisfied(operation, settings) {
        return Ok(chosen);
    }
    // An empty requirement says that credentials are optional: it is the last resort, wherever it stands.
    let optional = operation.security.iter().any(|requirement| requirement.schemes.is_empty());
    if optional || settings.missing_credentials == MissingCredentials::SendWithout {
        return Ok(Chosen::default());
    }
    Err(missing(&operation.security, settings))
}

/// The first requirement that the host can satisfy, and what goes with a request for it.
fn satisfied<'a>(operation: &'a Operation, settings: &Settings) -> Option<(&'a Requirement, Chosen)> {
    let asking = operation.security.iter().filter(|requirement| !requirement.schemes.is_empty());
    let mut satisfied = asking.filter_map(|requirement| Some((requirement, satisfy(requirement, settings)?)));
    satisfied.find(|(_, chosen)| chosen.clash().is_none())
}

/// A credential that has to be got before a request can be built.
#[derive(Debug)]
pub(crate) enum Needed<'a> {
    /// A token for the scheme.
    Token(&'a SchemeUse, &'a OAuth),
    /// What is kept elsewhere for the scheme.
    Scheme(&'a SchemeUse, &'a SecretSource),
    /// What is kept elsewhere for all schemes of a kind.
    General(General, &'a SecretSource),
}

/// For which schemes a credential is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum General {
    /// Those that take a token.
    Bearer,
    /// API keys.
    ApiKey,
    /// HTTP Basic.
    Basic,
}

/// What has to be got for the credentials that a request carries. Nothing is got where none of them is elsewhere.
pub(crate) fn needed<'a>(operation: &'a Operation, settings: &'a Settings) -> Vec<Needed<'a>> {
    let fetches = |credential: &Credential| matches!(credential, Credential::OAuth(_) | Credential::Kept(_));
    let general = [&settings.bearer_from, &settings.api_key_from, &settings.basic_from];
    if general.iter().all(|source| source.is_none()) && !settings.credentials.values().any(fetches) {
        return Vec::new();
    }
    let from = |kind: General| {
        let source = match kind {
            General::Bearer => settings.bearer_from.as_ref().filter(|_| settings.bearer.is_none()),
            General::ApiKey => settings.api_key_from.as_ref().filter(|_| settings.api_key.is_none()),
            General::Basic => settings.basic_from.as_ref().filter(|_| settings.basic.is_none()),
        };
        source.map(|source| Needed::General(kind, source))
    };
    if operation.security.is_empty() {
        return match (&settings.bearer, &settings.bearer_from) {
            (Some(own), _) if filled(own).is_some() => Vec::new(),
            (None, Some(_)) => from(General::Bearer).into_iter().collect(),
            _ => from(General::Basic).into_iter().collect(),
        };
    }
    let Some((requirement, _)) = satisfied(operation, settings) else { return Vec::new() };
    let of = |used: &'a SchemeUse| match (settings.credentials.get(&used.name), &*used.scheme) {
        (Some(Credential::OAuth(oauth)), _) => Some(Needed::Token(used, oauth)),
        (Some(Credential::Kept(source)), _) => Some(Needed::Scheme(used, source)),
        (Some(_), _) | (None, SecurityScheme::MutualTls | SecurityScheme::Other(_)) => None,
        (None, SecurityScheme::ApiKey { .. }) => from(General::ApiKey),
        (None, SecurityScheme::Basic) => from(General::Basic),
        (None, _) => from(General::Bearer),
    };
    requirement.schemes.iter().filter_map(of).collect()
}

/// What stands in the place of a secret that is got later. What is shown before is masked anyway.
fn awaited(source: Option<&SecretSource>) -> Option<SecretString> {
    source.map(|_| SecretString::default())
}

/// The document says nothing about security, but the host has a credential whose place is known.
///
/// # Errors
/// If all that the host has set is empty.
fn undeclared(settings: &Settings) -> Result<Vec<Carried>, ToolError> {
    let bearer = match &settings.bearer {
        Some(own) => filled(own),
        None => awaited(settings.bearer_from.as_ref()),
    };
    let carried = match (bearer, &settings.basic) {
        (Some(token), _) => Carried::authorization("Bearer ", token),
        (None, None) if settings.basic_from.is_some() => {
            Carried::authorization("Basic ", SecretString::default())
        }
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

/// Why what the host has set for a scheme cannot be sent.
fn unusable(used: &SchemeUse, settings: &Settings) -> Option<&'static str> {
    let is_pair = |text: &SecretString| text.expose_secret().contains(':');
    match (settings.credentials.get(&used.name), &*used.scheme) {
        _ if is_set_empty(used, settings) => Some("it is set, but empty"),
        (Some(Credential::Text(text)), SecurityScheme::Basic) if !is_pair(text) => {
            Some("what is set has no `:` between the two")
        }
        _ => None,
    }
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
        // Known when it is read.
        (Some(Credential::Kept(_) | Credential::Certificate(_)), _) => false,
        (None, SecurityScheme::ApiKey { .. }) => settings.api_key.as_ref().is_some_and(none),
        (None, SecurityScheme::Basic) => {
            settings.basic.as_ref().is_some_and(|(user, password)| is_empty(user, password))
        }
        (None, SecurityScheme::MutualTls | SecurityScheme::Other(_)) => false,
        (None, _) => settings.bearer.as_ref().is_some_and(none),
    }
}

fn satisfy(requirement: &Requirement, settings: &Settings) -> Option<Chosen> {
    // One general API key cannot stand for two different ones.
    let keys = requirement.schemes.iter().filter(|used| is_api_key(&used.scheme)).count();
    let mut chosen = Chosen::default();
    for used in &requirement.schemes {
        match &*used.scheme {
            SecurityScheme::MutualTls => chosen.identity = Some(certificate(used, settings)?),
            _ => chosen.carried.push(carry(used, settings, keys == 1)?),
        }
    }
    Some(chosen)
}

fn certificate(used: &SchemeUse, settings: &Settings) -> Option<Identity> {
    match settings.credentials.get(&used.name) {
        Some(Credential::Certificate(own)) => Some(own.clone()),
        Some(_) => None,
        None => settings.identity.clone(),
    }
}

fn is_api_key(scheme: &SecurityScheme) -> bool {
    matches!(scheme, SecurityScheme::ApiKey { .. })
}

fn carry(used: &SchemeUse, settings: &Settings, general_key: bool) -> Option<Carried> {
    if unusable(used, settings).is_some() {
        return None;
    }
    let named = settings.credentials.get(&used.name);
    let later = match named {
        // The executor puts what it gets in its place.
        Some(Credential::Kept(source)) => awaited(Some(source)),
        _ => None,
    };
    match &*used.scheme {
        SecurityScheme::ApiKey { place, name } => {
            let secret = match named {
                Some(Credential::ApiKey(key) | Credential::Text(key) | Credential::Bearer(key)) => {
                    key.clone()
                }
                Some(_) => later?,
                None => {
                    let own = settings.api_key.clone().or_else(|| awaited(settings.api_key_from.as_ref()));
                    own.filter(|_| general_key)?
                }
            };
            Some(Carried { place: *place, name: name.clone(), prefix: "", secret })
        }
        SecurityScheme::Basic => {
            let secret = match (named, &settings.basic) {
                (Some(Credential::Basic { user, password }), _) => basic(user, password),
                (Some(Credential::Text(pair)), _) => encoded(pair.expose_secret()),
                (Some(_), _) => later?,
                (None, Some((user, password))) => basic(user, password),
                (None, None) => awaited(settings.basic_from.as_ref())?,
            };
            Some(Carried::authorization("Basic ", secret))
        }
        SecurityScheme::Bearer | SecurityScheme::OAuth2 { .. } | SecurityScheme::OpenIdConnect { .. } => {
            let secret = match named {
                Some(Credential::Bearer(token) | Credential::Text(token) | Credential::ApiKey(token)) => {
                    token.clone()
                }
                Some(Credential::OAuth(_)) => SecretString::default(),
                Some(_) => later?,
                None => settings.bearer.clone().or_else(|| awaited(settings.bearer_from.as_ref()))?,
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

/// Why a requirement cannot be met for which the host has set everything: two of its schemes want one place.
fn clashing(requirement: &Requirement, settings: &Settings) -> Option<ToolError> {
    let chosen = satisfy(requirement, settings)?;
    let taken = chosen.clash()?;
    let carried =
        requirement.schemes.iter().filter(|used| !matches!(*used.scheme, SecurityScheme::MutualTls));
    let names: Vec<String> = carried
        .zip(&chosen.carried)
        .filter(|(_, own)| own.is_at(taken))
        .map(|(used, _)| format!("`{}`", used.name))
        .collect();
    Some(ToolError::failed(format!(
        "nothing was sent: the document asks for the schemes {} together, and each of them is sent as the {} `{}`, which can \
         hold one; the document should name them as alternatives, or the operator can send that {} with every request and \
         leave credentials out",
        names.join(" and "),
        taken.place.as_str(),
        taken.name,
        taken.place.as_str(),
    )))
}

fn missing(security: &[Requirement], settings: &Settings) -> ToolError {
    if let Some(clash) = security.iter().find_map(|requirement| clashing(requirement, settings)) {
        return clash;
    }
    let alternatives: Vec<_> = security
        .iter()
        .map(|requirement| {
            let keys = requirement.schemes.iter().filter(|used| is_api_key(&used.scheme)).count();
            let is_there = |used: &&SchemeUse| match &*used.scheme {
                SecurityScheme::MutualTls => certificate(used, settings).is_some(),
                _ => carry(used, settings, keys == 1).is_some(),
            };
            let schemes: Vec<_> = requirement
                .schemes
                .iter()
                .filter(|used| !is_there(used))
                .map(|used| match unusable(used, settings) {
                    Some(why) => format!("{} ({why})", described(used)),
                    None => described(used),
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
        SecurityScheme::MutualTls => "a client certificate",
        SecurityScheme::Other(kind) => {
            return format!("what the scheme `{}` asks for ({kind}), which is not supported", used.name);
        }
    };
    format!("{what} for the scheme `{}`", used.name)
}
