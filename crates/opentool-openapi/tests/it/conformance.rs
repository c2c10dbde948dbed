//! The cases of `conformance/openapi-requests.jsonl` through the public API.

#[path = "../../../../conformance/openapi_requests.rs"]
mod cases;

use opentool_core::{ToolCall, ToolError};
use opentool_openapi::request::{Located, Request, build_located};
use opentool_openapi::{Api, Credential};
use opentool_schema::ToolSetExt as _;
use serde_json::Value;

use cases::Case;

/// The document of a case with what its host sets.
fn api(case: &Case) -> Api {
    let mut api = opentool_openapi::parse(&case.document, "api.json").unwrap();
    for (name, value) in &case.server_variables {
        api = api.server_variable(name, value);
    }
    for (scheme, text) in &case.credentials {
        api = api.credential(scheme, Credential::text(text));
    }
    match &case.document_url {
        Some(url) => api.document_url(url.parse().unwrap()),
        None => api,
    }
}

fn outcome(request: Result<Request, ToolError>) -> Result<Value, String> {
    request.map(|request| request.to_json_with_secrets()).map_err(|error| error.to_string())
}

fn by_location(case: &Case) -> Result<Request, ToolError> {
    let api = api(case);
    let operation = api.operation(&case.operation).unwrap();
    build_located(operation, &Located::by_location(operation, &case.arguments)?, api.settings())
}

/// The way of a model: the tool's own names, checked by its input schema.
fn by_schema(case: &Case) -> Result<Request, ToolError> {
    let api = api(case);
    let operation = api.operation(&case.operation).unwrap();
    let arguments = Located::by_location(operation, &case.arguments)?.into_arguments(operation)?;
    let call = ToolCall::new("1", &case.operation, arguments.into_map());
    api.request(&case.operation, &api.tools().unwrap().check(&call)?)
}

#[test]
fn every_case_by_location() {
    let judged = |case: Case| (case.id.clone(), case.judge(&outcome(by_location(&case))));
    cases::settle(&cases::cases().into_iter().map(judged).collect::<Vec<_>>());
}

#[test]
fn the_tools_own_arguments_lead_to_the_same_requests() {
    let judged = |case: Case| (case.id.clone(), case.judge(&outcome(by_schema(&case))));
    cases::settle(&cases::cases().into_iter().map(judged).collect::<Vec<_>>());
}
