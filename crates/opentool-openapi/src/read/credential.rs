//! Parameters that are credentials: a document may list the key of its security scheme among an operation's parameters.
//!
//! Credentials are the host's, so such a parameter is no argument. What is known to be one: the name and place of an
//! API key that the document declares; `access_token` (RFC 6750, section 2.3) and `oauth_token` in the query of an
//! operation that takes tokens; `key` in the documents of Google, which describe it and declare no scheme for it; `token` where
//! an operation takes tokens and its description says that it is one (Slack); and what signatures of AWS consist of. In a form
//! such a member is an argument until the host has the credential, since services may ask for it there.

use std::sync::Arc;

use opentool_core::Diagnostic;
use opentool_text::pointer;
use serde_json::{Map, Value};

use super::Reader;
use crate::plan::{BodyArguments, Operation, Parameter, Place, Requirement, SchemeUse, SecurityScheme};
use crate::request::media::MediaKind;

/// How descriptions of Google's `key` begin.
const GOOGLE_KEY: &str = "API key.";

/// Whether a parameter of this place and name is what one of the requirements sends.
pub(crate) fn is_sent_by(security: &[Requirement], place: Place, name: &str) -> bool {
    let mut schemes = security.iter().flat_map(|requirement| &requirement.schemes);
    schemes.any(|used| match &*used.scheme {
        SecurityScheme::ApiKey { place: own, name: key } => *own == place && is_same(place, key, name),
        SecurityScheme::Bearer | SecurityScheme::OAuth2 { .. } | SecurityScheme::OpenIdConnect { .. } => {
            place == Place::Query && matches!(name, "access_token" | "oauth_token")
        }
        _ => false,
    })
}

/// Whether a parameter has the name of one that carries credentials, of which no scheme says that it sends it.
pub(crate) fn sounds_like_one(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name == "token" || SIGNATURE.contains(&name.as_str())
}

/// The parts of a signature of AWS (version 4), as parameters.
const SIGNATURE: [&str; 7] = [
    "x-amz-algorithm",
    "x-amz-content-sha256",
    "x-amz-credential",
    "x-amz-date",
    "x-amz-security-token",
    "x-amz-signature",
    "x-amz-signedheaders",
];

/// Whether a parameter of a secured operation is a token, as its description says, or a part of a signature.
fn is_told_to_be_one(security: &[Requirement], parameter: &Parameter) -> bool {
    let mut schemes = security.iter().flat_map(|requirement| &requirement.schemes);
    if !sounds_like_one(&parameter.name) || !matches!(parameter.place, Place::Query | Place::Header) {
        return false;
    }
    if !parameter.name.eq_ignore_ascii_case("token") {
        return schemes.next().is_some();
    }
    let described = parameter.schema.get("description").and_then(Value::as_str).unwrap_or_default();
    schemes.any(|used| takes_token(&used.scheme)) && calls_it_token(described)
}

/// The member of an operation's form that is its credential, said once more: named as an API key of the query, or called a
/// token by its description where tokens are taken (Slack). Where the host has the credential, it is sent there too.
pub(crate) fn form_member(operation: &Operation) -> Option<&str> {
    let body = operation.body.as_ref()?;
    let BodyArguments::Properties(names) = &body.arguments else { return None };
    let media = body.preferred()?;
    if !matches!(MediaKind::of(&media.media_type), MediaKind::Form | MediaKind::Multipart) {
        return None;
    }
    let all = || operation.security.iter().flat_map(|requirement| &requirement.schemes);
    let is_key = |name: &str| {
        all().any(|used| {
            matches!(&*used.scheme, SecurityScheme::ApiKey { place: Place::Query, name: key } if key == name)
        })
    };
    let properties = media.schema.get("properties");
    let described = |name: &str| properties?.get(name)?.get("description")?.as_str();
    let is_token = |name: &str| {
        name == "token"
            && described(name).is_some_and(calls_it_token)
            && all().any(|used| takes_token(&used.scheme))
    };
    names.iter().map(String::as_str).find(|name| is_key(name) || is_token(name))
}

fn takes_token(scheme: &SecurityScheme) -> bool {
    matches!(
        scheme,
        SecurityScheme::Bearer | SecurityScheme::OAuth2 { .. } | SecurityScheme::OpenIdConnect { .. }
    )
}

fn calls_it_token(description: &str) -> bool {
    let description = description.trim_start().to_ascii_lowercase();
    ["authentication token", "auth token", "access token", "bearer token"]
        .iter()
        .any(|words| description.starts_with(words))
}

/// Names of headers have no case.
fn is_same(place: Place, one: &str, other: &str) -> bool {
    if place == Place::Header { one.eq_ignore_ascii_case(other) } else { one == other }
}

impl Reader<'_> {
    /// Takes the parameters away that are credentials; what the operation then asks the host for.
    pub(super) fn without_credentials(
        &mut self,
        parameters: &mut Vec<Parameter>,
        mut security: Arc<[Requirement]>,
        used_at: &str,
    ) -> Arc<[Requirement]> {
        if security.is_empty() {
            // The document says nothing about the operation's security but by the parameter itself.
            let declared = parameters
                .iter()
                .filter(|parameter| matches!(parameter.place, Place::Query | Place::Header | Place::Cookie))
                .find_map(|parameter| Some((self.key_scheme(parameter)?, parameter.required)));
            if let Some((name, required)) = declared {
                let scheme = SchemeUse { scheme: self.scheme(&name, used_at), name, scopes: Vec::new() };
                let mut requirements = vec![Requirement { schemes: vec![scheme] }];
                if !required {
                    requirements.push(Requirement { schemes: Vec::new() });
                }
                security = requirements.into();
            }
        }
        let google = parameters.iter().position(is_google_key).filter(|_| {
            let takes_tokens = |used: &SchemeUse| matches!(*used.scheme, SecurityScheme::OAuth2 { .. });
            security.iter().flat_map(|requirement| &requirement.schemes).any(takes_tokens)
        });
        if let Some(key) = google.map(|at| parameters.remove(at)) {
            let scheme = SecurityScheme::ApiKey { place: key.place, name: key.name.clone() };
            let used = SchemeUse { name: key.name, scheme: Arc::new(scheme), scopes: Vec::new() };
            let own = Requirement { schemes: vec![used] };
            security = security.iter().cloned().chain([own]).collect();
        }
        let all = parameters.len();
        parameters.retain(|parameter| {
            !is_sent_by(&security, parameter.place, &parameter.name)
                && !is_told_to_be_one(&security, parameter)
        });
        if google.is_some() || parameters.len() < all {
            // Documents that do this do it everywhere, so it is said once.
            let message = "parameters that carry credentials (the key of a security scheme, an access token) are no \
                           arguments; whoever runs the tools sets them";
            self.findings.add(Diagnostic::note("credential-parameter", "/paths", message));
        }
        security
    }

    /// The name of the scheme of an API key that has this place and name.
    fn key_scheme(&self, parameter: &Parameter) -> Option<String> {
        let place = self.schemes_at();
        let text = |scheme: &Map<String, Value>, member: &str| {
            scheme.get(member).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let schemes = self.document.at(place)?.as_object()?;
        schemes.iter().find_map(|(name, scheme)| {
            let at = pointer::join(place, name);
            let scheme = self.document.follow(scheme, &at).ok()?.value.as_object()?;
            let fits = text(scheme, "type").eq_ignore_ascii_case("apikey")
                && text(scheme, "in").eq_ignore_ascii_case(parameter.place.as_str())
                && is_same(parameter.place, &text(scheme, "name"), &parameter.name);
            fits.then(|| name.clone())
        })
    }
}

fn is_google_key(parameter: &Parameter) -> bool {
    let described = parameter.schema.get("description").and_then(Value::as_str).unwrap_or_default();
    parameter.place == Place::Query
        && parameter.name == "key"
        && !parameter.required
        && described.starts_with(GOOGLE_KEY)
}
