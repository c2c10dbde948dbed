//! The command line that a request is shown as does what the request does.

use std::io::Write as _;
use std::process::{Command, Stdio};

use opentool_openapi::plan::Place;
use serde_json::{Value, json};

use super::plans::{operation, parameter, request, with, with_body};

/// The words that a POSIX shell makes of a command line, in which `curl` prints its arguments and standard input.
fn words(line: &str) -> Vec<String> {
    let script = format!("curl() {{ printf '%s\\0' \"$@\"; if [ \"$PIPED\" ]; then cat; fi; }}\n{line}\n");
    let piped = if line.starts_with("printf") { "1" } else { "" };
    let mut shell =
        Command::new("sh").env("PIPED", piped).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    shell.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    let output = shell.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().split('\0').map(str::to_owned).collect()
}

#[test]
fn a_simple_request_is_a_simple_line() {
    let operation = with(operation("GET /pet/{id}"), [parameter(Place::Path, "id")]);
    let line = request(&operation, json!({"id": 1})).unwrap().to_curl();
    assert_eq!(line, "curl https://api.test/pet/1 --header 'Accept: application/json, */*;q=0.8'");
}

#[test]
fn nothing_in_a_value_is_run_by_the_shell() {
    let hostile = "'; touch x; echo '$(id)`id`\"\\ !! \n é";
    let operation =
        with(operation("DELETE /p"), [parameter(Place::Query, "q"), parameter(Place::Header, "X-E")]);
    let operation = with_body(operation, "text/plain", json!({}), Value::Null);
    let header = hostile.replace('\n', "");
    let line = request(&operation, json!({"q": hostile, "X-E": header, "body": hostile})).unwrap().to_curl();
    let words = words(&line);
    assert_eq!(words[..2], ["--request", "DELETE"]);
    assert!(words.contains(&format!("X-E: {header}")), "{words:?}");
    let data = words.iter().position(|word| word == "--data-raw").unwrap();
    assert_eq!(words[data + 1], hostile);
}

#[test]
fn what_a_terminal_would_run_goes_through_base64() {
    for media_type in ["text/plain", "application/json"] {
        let operation = with_body(operation("POST /p"), media_type, json!({}), Value::Null);
        let line = request(&operation, json!({"body": "a\u{9b}2J"})).unwrap().to_curl();
        assert!(!line.contains('\u{9b}'), "{line}");
        let words = words(&line);
        let body = words.last().unwrap();
        assert_eq!(body.trim_matches('"'), "a\u{9b}2J");
        assert!(words.contains(&"--data-binary".to_owned()));
    }
}

#[test]
fn forms_are_fields_and_files_are_piped() {
    let operation = with_body(operation("POST /p"), "multipart/form-data", json!({}), Value::Null);
    let line =
        request(&operation, json!({"body": {"a": "@/etc/passwd", "b": "x;type=y"}})).unwrap().to_curl();
    assert!(line.ends_with("--form-string a=@/etc/passwd --form-string 'b=x;type=y'"), "{line}");
    assert!(!line.contains("Content-Type"), "{line}");

    let sent = request(&operation, json!({"body": {"f": {"$base64": "YWJj"}}})).unwrap();
    let words = words(&sent.to_curl());
    assert_eq!(words.last().unwrap().as_bytes(), sent.body().to_bytes());
}

#[test]
fn odd_methods_addresses_and_headers() {
    let head = request(&operation("HEAD /p"), json!({})).unwrap().to_curl();
    assert!(head.starts_with("curl --head https://api.test/p "), "{head}");
    let mut local = with(operation("GET /p"), [parameter(Place::Header, "X-Empty")]);
    local.servers = [super::plans::server("http://[::1]:8080")].into();
    let line = request(&local, json!({"X-Empty": ""})).unwrap().to_curl();
    assert!(line.starts_with("curl --globoff 'http://[::1]:8080/p' --header 'X-Empty;'"), "{line}");
}
