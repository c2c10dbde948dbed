//! The mock upstream: what it reads, what it refuses, what it answers.

mod answers;
mod bodies;
mod parameters;
mod secrets;
mod serving;

use bytes::Bytes;
use http::Request;
use opentool_openapi::mock::{Answer, Mock};
use serde_json::{Value, json};

/// The mock of a document with these paths.
fn mock(paths: Value) -> Mock {
    document(json!({"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": paths}))
}

fn document(document: Value) -> Mock {
    Mock::new([opentool_openapi::parse(document.to_string(), "test.json").unwrap()])
}

fn send(mock: &Mock, method: &str, target: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
    let mut request = Request::builder().method(method).uri(target);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    mock.answer(&request.body(Bytes::copy_from_slice(body)).unwrap())
}

fn get(mock: &Mock, target: &str) -> Answer {
    send(mock, "GET", target, &[], b"")
}

/// The faults as `pointer rule`.
fn faults(answer: &Answer) -> Vec<String> {
    answer.faults().iter().map(|fault| format!("{} {}", fault.pointer, fault.rule)).collect()
}

fn json_body(answer: &Answer) -> Value {
    serde_json::from_slice(answer.response().body()).unwrap()
}
