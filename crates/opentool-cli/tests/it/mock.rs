//! `opentool mock`: a service from a document, asked by another process of the same program and by hand.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, ChildStdout};

use serde_json::Value;

use crate::support::{Run, opentool, split};

/// No value fits what `/odd` answers with.
const ODD: &str = r#"{"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "servers": [{"url": "https://odd.test"}],
    "paths": {"/odd": {"get": {"operationId": "odd", "responses": {"200": {"description": "d", "content": {
        "application/json": {"schema": {"type": "string", "enum": ["a"], "minLength": 2}}}}}}}}}"#;

/// A mock that says each request as a line of JSON.
struct Mock {
    child: Child,
    lines: BufReader<ChildStdout>,
    url: String,
    _run: Run,
}

impl Mock {
    fn start(arguments: &[&str]) -> Self {
        let start = ["mock", "--addr", "127.0.0.1:0", "--json"];
        let run = opentool(start.iter().chain(arguments)).file("odd.json", ODD);
        let mut child = run.start();
        let lines = BufReader::new(child.stdout.take().unwrap());
        let mut mock = Self { child, lines, url: String::new(), _run: run };
        mock.url = mock.line()["servers"][0].as_str().unwrap().to_owned();
        mock
    }

    fn line(&mut self) -> Value {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// The head and the body of an answer.
    fn ask(&self, method: &str, path: &str, head: &str, body: &str) -> String {
        let (host, base) = split(&self.url);
        let path = format!("{}{path}", base.trim_end_matches('/'));
        let mut answer = String::new();
        crate::support::send(&host, method, &path, head, body).read_to_string(&mut answer).unwrap();
        answer
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_call_is_answered_with_an_example_and_told() {
    let mut mock = Mock::start(&["petstore.yaml"]);
    let called =
        opentool(["call", "petstore.yaml", "getPetById", "petId=2", "--json", "--server", &mock.url]);
    called.end().success();
    let told = mock.line();
    assert_eq!(
        (&told["operation"], &told["status"], &told["fits"]),
        (&"getPetById".into(), &200.into(), &true.into()),
        "{told}"
    );
}

#[test]
fn what_is_wrong_is_said_to_both_sides() {
    let mut mock = Mock::start(&["petstore.yaml"]);
    let answer = mock.ask("GET", "/pet/rex", "", "");
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    assert!(answer.contains("content-type: application/problem+json"), "{answer}");
    assert!(answer.contains(r#""pointer":"/path/petId","rule":"type""#), "{answer}");
    let told = mock.line();
    assert_eq!(
        (&told["faults"][0]["pointer"], &told["fits"]),
        (&"/path/petId".into(), &false.into()),
        "{told}"
    );
    let preferred = mock.ask("GET", "/pet/2", "Prefer: code=404\r\n", "");
    assert!(preferred.starts_with("HTTP/1.1 404 "), "{preferred}");
}

#[test]
fn an_answer_that_its_schema_forbids_is_told() {
    let mut mock = Mock::start(&["odd.json"]);
    let answer = mock.ask("GET", "/odd", "", "");
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("\"a\""), "{answer}");
    let told = mock.line();
    let own = &told["answer_faults"][0];
    assert_eq!((&own["pointer"], &told["fits"]), (&"/response/body".into(), &true.into()), "{told}");
}

#[test]
fn what_cannot_be_mocked_is_refused() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    opentool(["mock", "petstore.yaml", "--addr", &address]).end().failure(6, &["the port is in use"]);
    opentool(["mock"]).end().failure(2, &["<SOURCE>"]);
}
