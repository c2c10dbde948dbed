//! Whether a request has the credentials that the document asks for. What they are is not looked at: any will do.

use http::HeaderMap;
use http::header::{AUTHORIZATION, COOKIE};

use super::Fault;
use super::decode;
use crate::plan::{Operation, Place, SchemeUse, SecurityScheme};

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
