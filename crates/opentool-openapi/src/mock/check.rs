//! From a request to an answer: finding the operation, reading all that is there, and deciding what is answered.

use bytes::Bytes;
use http::header::{ALLOW, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use serde_json::Value;

use super::contract::Contract;
use super::decode::{self, Read};
use super::route::Match;
use super::{Answer, Fault, Mock, accept, body, fault, respond, security, without_body};
use crate::plan::Operation;
use crate::request::Located;

/// How many operations of one path are tried.
const MOST: usize = 16;

/// What the service makes of a request.
pub(super) fn answer(mock: &Mock, request: &Request<Bytes>) -> Answer {
    let is_head = request.method() == Method::HEAD;
    let mut answer = answered(mock, request, None);
    if is_head {
        answer.response = without_body(answer.response);
    }
    answer
}

/// What it makes of a request that is meant for the operation of this name, which others of its path may be taken for.
pub(super) fn answered(mock: &Mock, request: &Request<Bytes>, meant: Option<&str>) -> Answer {
    let (path, query) = (request.uri().path(), request.uri().query().unwrap_or_default());
    let (mut found, methods) = mock.routes.find(request.method(), path, query);
    let is_meant = |found: &Match<'_>| meant == Some(found.route.operation.name.as_str());
    if found.iter().any(is_meant) {
        found.retain(is_meant);
    }
    if found.is_empty() {
        return unknown(mock, request, &methods);
    }
    // Of several operations of one path, the one that the request fits best; of equals the first.
    let best = found
        .into_iter()
        .take(MOST)
        .filter_map(|found| {
            let contract = mock.contract(found.index, found.route)?;
            let read = read(&contract, &found, request);
            let errors = read.faults.iter().filter(|fault| fault.is_error()).count();
            Some((errors, read.faults.len(), found, contract, read))
        })
        .min_by_key(|(errors, faults, ..)| (*errors, *faults));
    let Some((_, _, found, contract, read)) = best else { return unknown(mock, request, &methods) };
    let operation = &contract.operation;
    let mut own_faults = Vec::new();
    let response = match refusal(&contract, &read.faults) {
        Some(response) => response,
        None => match mock.apis.get(found.route.api) {
            Some(api) => respond::respond(api, &contract, request.headers(), mock.seed, &mut own_faults),
            None => failed(StatusCode::INTERNAL_SERVER_ERROR, "No document", "", &[]),
        },
    };
    Answer {
        operation: Some(operation.name.clone()),
        target: shown_target(request, Some(operation)),
        received: read.located,
        faults: read.faults,
        own_faults,
        response,
    }
}

/// Reads everything that the operation asks for.
fn read(contract: &Contract, found: &Match<'_>, request: &Request<Bytes>) -> Read {
    let mut read = Read::default();
    let query = request.uri().query().unwrap_or_default();
    let operation = &contract.operation;
    let mut known = security::query_names(operation);
    known.extend(found.route.in_template.iter().cloned());
    security::check(operation, request.headers(), query, &mut read.faults);
    decode::path(contract, &found.texts, &mut read);
    decode::query(contract, query, &known, &mut read);
    decode::headers(contract, request.headers(), &mut read);
    decode::cookies(contract, request.headers(), &mut read);
    body::read(contract, request, &mut read);
    security::cover(operation, request.headers(), &read.located, &mut read.faults);
    read
}

/// What a request that does not fit is answered with.
fn refusal(contract: &Contract, faults: &[Fault]) -> Option<Response<Bytes>> {
    let errors = || faults.iter().filter(|fault| fault.is_error());
    let first = errors().next()?;
    let status = if errors().all(|fault| fault.rule == "security") {
        StatusCode::UNAUTHORIZED
    } else if errors().all(|fault| fault.rule == "content-type") {
        StatusCode::UNSUPPORTED_MEDIA_TYPE
    } else {
        StatusCode::BAD_REQUEST
    };
    let operation = &contract.operation;
    let detail = match errors().count() {
        1 => format!("{} {}: {first}", operation.method, operation.path),
        count => {
            format!("{} {}: {count} things are not as the document asks", operation.method, operation.path)
        }
    };
    let mut response = failed(status, "The request does not fit the document", &detail, faults);
    if status == StatusCode::UNAUTHORIZED
        && let Ok(challenge) = HeaderValue::from_str(&security::challenge(operation))
    {
        response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
    }
    Some(response)
}

/// There is no operation of this path, or none with this method.
fn unknown(mock: &Mock, request: &Request<Bytes>, methods: &[Method]) -> Answer {
    let (method, path) = (request.method(), request.uri().path());
    let response = if methods.is_empty() {
        let bases: Vec<&str> = mock.base_paths().filter(|base| !base.is_empty()).collect();
        let hint = match bases.as_slice() {
            [] => String::new(),
            bases if bases.iter().any(|base| path.starts_with(base)) => String::new(),
            bases => format!("; the servers of the document have the base path {}", bases.join(" or ")),
        };
        let detail = format!("the document has no path like {}{hint}", fault::shown(path));
        failed(StatusCode::NOT_FOUND, "No such path", &detail, &[])
    } else {
        let names: Vec<&str> = methods.iter().map(Method::as_str).collect();
        let names = names.join(", ");
        let detail = format!("the document has no {method} here; it has {names}");
        let mut response = failed(StatusCode::METHOD_NOT_ALLOWED, "No such method", &detail, &[]);
        if let Ok(names) = HeaderValue::from_str(&names) {
            response.headers_mut().insert(ALLOW, names);
        }
        response
    };
    let detail =
        if methods.is_empty() { "no operation has this path" } else { "no operation has this method here" };
    let rule = if methods.is_empty() { "path" } else { "method" };
    let faults = vec![Fault::new(format!("/{rule}"), rule, detail)];
    let target = shown_target(request, None);
    Answer { operation: None, target, received: Located::default(), faults, own_faults: Vec::new(), response }
}

/// Path and query without the values of credentials.
fn shown_target(request: &Request<Bytes>, operation: Option<&Operation>) -> String {
    let (path, query) = (request.uri().path(), request.uri().query());
    let Some(query) = query else { return path.to_owned() };
    let shown = query.split('&').map(|pair| match pair.split_once('=') {
        Some((name, _)) if decode::form(name).is_none_or(|name| security::is_secret(operation, &name)) => {
            format!("{name}=***")
        }
        _ => pair.to_owned(),
    });
    format!("{path}?{}", shown.collect::<Vec<_>>().join("&"))
}

/// A problem document as an answer.
pub(super) fn failed(status: StatusCode, title: &str, detail: &str, faults: &[Fault]) -> Response<Bytes> {
    let problem: Value = fault::problem(status.as_u16(), title, detail, faults);
    let mut response = Response::new(Bytes::from(problem.to_string()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(accept::PROBLEM));
    response
}
