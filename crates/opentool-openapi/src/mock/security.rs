//! Whether a request has the credentials that the document asks for. What they are is not looked at: any will do. Nothing that
//! is said of a request repeats them.

use http::HeaderMap;
use http::header::{AUTHORIZATION, COOKIE};
use opentool_http::scrub::{self, Reach};
use secrecy::SecretString;
use serde_json::Value;

use super::Fault;
use super::decode;
use crate::plan::{Operation, Place, SchemeUse, SecurityScheme};
use crate::request::{Located, MASK};

/// Adds a fault if no requirement is satisfied.
pub(super) fn check(operation: &Operation, headers: &HeaderMap, query: &str, faults: &mut Vec<Fault>) {
    let has = |used: &SchemeUse| is_there(&used.scheme, headers, query);
    let satisfied = operation.security.iter().any(|requirement| requirement.schemes.iter().all(has));
    if satisfied || operation.security.is_empty() {
        return;
    }
    let ways: Vec<String> = operation
        .security
        .iter()
        .map(|requirement| requirement.schemes.iter().map(described).collect::<Vec<_>>().join(" and "))
        .collect();
    faults.push(Fault::new("/security", "security", format!("expected {}", ways.join(", or "))));
}

/// The names of the query that carry credentials.
pub(super) fn query_names(operation: &Operation) -> Vec<String> {
    let schemes = operation.security.iter().flat_map(|requirement| &requirement.schemes);
    schemes
        .filter_map(|used| match &*used.scheme {
            SecurityScheme::ApiKey { place: Place::Query, name } => Some(name.clone()),
            _ => None,
        })
        .collect()
}

/// Parts of the names of secrets, without what stands between words.
const SECRET_PARTS: [&str; 13] = [
    "secret",
    "password",
    "passwd",
    "passphrase",
    "credential",
    "authorization",
    "signature",
    "apikey",
    "accesstoken",
    "authtoken",
    "oauthtoken",
    "refreshtoken",
    "idtoken",
];

/// Names of secrets, without what stands between words. `pageToken` is none.
const SECRET_NAMES: [&str; 7] = ["token", "key", "auth", "jwt", "pin", "sid", "assertion"];

/// Whether what has this name is a credential: by the operation's requirements, or as it is named.
pub(super) fn is_secret(operation: Option<&Operation>, name: &str) -> bool {
    let bare: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let security = operation.map(|operation| &*operation.security).unwrap_or_default();
    let is_key = |used: &SchemeUse| match &*used.scheme {
        SecurityScheme::ApiKey { name: key, .. } => key.eq_ignore_ascii_case(name),
        _ => false,
    };
    SECRET_NAMES.contains(&bare.as_str())
        || SECRET_PARTS.iter().any(|part| bare.contains(part))
        || security.iter().flat_map(|requirement| &requirement.schemes).any(is_key)
}

/// Takes out of faults what stands under the names of secrets, and what credentials of the request they repeat.
pub(super) fn cover(operation: &Operation, headers: &HeaderMap, read: &Located, faults: &mut [Fault]) {
    if faults.is_empty() {
        return;
    }
    let is_secret = |name: &str| is_secret(Some(operation), name);
    let mut secrets: Vec<SecretString> = Vec::new();
    for value in headers.get_all(AUTHORIZATION).iter().filter_map(|value| value.to_str().ok()) {
        secrets.push(value.into());
        secrets.extend(value.split_once(' ').map(|(_, rest)| rest.trim().into()));
    }
    let places = [&read.query, &read.header, &read.cookie, &read.path];
    let body = read.body.as_ref().and_then(Value::as_object);
    for (_, value) in places.into_iter().chain(body).flatten().filter(|(name, _)| is_secret(name)) {
        secrets.extend(value.as_str().map(SecretString::from));
    }
    for fault in faults {
        let clean = |text: &str| scrub::text(text, &secrets, Reach::Data).into_owned();
        fault.detail = clean(&fault.detail);
        let mut names =
            fault.pointer.split('/').skip(2).map(|name| name.replace("~1", "/").replace("~0", "~"));
        // Of a body that cannot be read, the text is what was found.
        let is_whole = fault.pointer == "/body";
        let is_covered = names.any(|name| is_secret(&name));
        fault.found = fault.found.take().map(|found| match is_covered || is_whole && names_secret(&found) {
            true => MASK.to_owned(),
            false => clean(&found),
        });
    }
}

/// Whether a text has the name of a secret in it.
fn names_secret(text: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-')).any(|word| is_secret(None, word))
}

/// What `WWW-Authenticate` says.
pub(super) fn challenge(operation: &Operation) -> String {
    let mut ways: Vec<&str> = Vec::new();
    for used in operation.security.iter().flat_map(|requirement| &requirement.schemes) {
        let way = match &*used.scheme {
            SecurityScheme::Basic => "Basic realm=\"mock\"",
            SecurityScheme::Bearer | SecurityScheme::OAuth2 { .. } | SecurityScheme::OpenIdConnect { .. } => {
                "Bearer"
            }
            _ => continue,
        };
        if !ways.contains(&way) {
            ways.push(way);
        }
    }
    if ways.is_empty() { "ApiKey".to_owned() } else { ways.join(", ") }
}

fn is_there(scheme: &SecurityScheme, headers: &HeaderMap, query: &str) -> bool {
    let authorization = |word: &str| {
        headers.get_all(AUTHORIZATION).iter().any(|value| {
            let value = value.to_str().unwrap_or_default();
            value
                .split_once(' ')
                .is_some_and(|(scheme, rest)| scheme.eq_ignore_ascii_case(word) && !rest.trim().is_empty())
        })
    };
    match scheme {
        SecurityScheme::ApiKey { place: Place::Header, name } => {
            headers.get(name.as_str()).is_some_and(|value| !value.is_empty())
        }
        SecurityScheme::ApiKey { place: Place::Cookie, name } => headers
            .get_all(COOKIE)
            .iter()
            .filter_map(|line| line.to_str().ok())
            .flat_map(|line| line.split(';'))
            .any(|pair| {
                pair.trim().split_once('=').is_some_and(|(own, value)| own == name && !value.is_empty())
            }),
        SecurityScheme::ApiKey { name, .. } => decode::has_value(query, name),
        SecurityScheme::Basic => authorization("basic"),
        SecurityScheme::Bearer | SecurityScheme::OAuth2 { .. } | SecurityScheme::OpenIdConnect { .. } => {
            authorization("bearer")
        }
        // Over a connection without TLS there is nothing to look at, and of others nobody knows where they stand.
        SecurityScheme::MutualTls | SecurityScheme::Other(_) => true,
    }
}

fn described(used: &SchemeUse) -> String {
    match &*used.scheme {
        SecurityScheme::ApiKey { place, name } => {
            let place = if *place == Place::QueryString { "query" } else { place.as_str() };
            format!("the API key `{name}` in the {place} (`{}`)", used.name)
        }
        SecurityScheme::Basic => format!("`Authorization: Basic …` (`{}`)", used.name),
        _ => format!("`Authorization: Bearer …` (`{}`)", used.name),
    }
}
