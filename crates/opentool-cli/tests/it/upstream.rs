//! Services that fail: each failure has its exit code, and the program always ends.

use std::io::Write as _;
use std::time::Instant;

use crate::support::{Ran, Upstream, get_document, opentool};

fn call(upstream: &Upstream, more: &[&str]) -> Ran {
    let document = get_document(&upstream.url, "/x", "[]");
    opentool(["call", "api.json", "get"].iter().chain(more)).file("api.json", document).end()
}

#[test]
fn an_error_of_the_service_is_an_answer() {
    let upstream = Upstream::answering(
        "500 Internal Server Error",
        "application/json",
        r#"{"detail": "the stock is gone"}"#,
    );
    let text = format!(": the stock is gone\n  the request was GET {}/x\n", upstream.url);
    call(&upstream, &[]).failure(1, &["error: HTTP 500", &text]);
    let json = call(&upstream, &["--json"]);
    let error: serde_json::Value = serde_json::from_str(&json.stderr).unwrap();
    assert_eq!((json.code, &error["error"]["status"]), (1, &serde_json::json!(500)), "\n{json}");
}

#[test]
fn no_answer_has_a_code_of_its_own() {
    let started = Instant::now();
    let silent = Upstream::silent();
    let text = format!("error: {} gave no answer within 0.3 s\nhelp: `--timeout SECONDS`", silent.url);
    call(&silent, &["--timeout", "0.3"]).failure(5, &[&text]);
    assert!(started.elapsed().as_secs() < 10, "the time limit holds");
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let document = get_document(&format!("http://{free}"), "/x", "[]");
    let ran = opentool(["call", "api.json", "get"]).file("api.json", document).end();
    let text = format!("cannot connect to http://{free}: ");
    let ran = ran.failure(5, &[&text, "\n  the request was GET", "help: is the service up"]);
    assert_eq!(ran.stderr.matches("cannot connect").count(), 1, "said once\n{ran}");
}

#[test]
fn a_huge_answer_is_not_read() {
    let upstream = Upstream::treating(|mut stream| {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n";
        let chunk = [b' '; 64 * 1024];
        let mut written = stream.write_all(head.as_bytes());
        for _ in 0..1600 {
            written = written.and_then(|()| stream.write_all(&chunk));
        }
        assert!(written.is_err(), "the client must hang up");
    });
    let ran = call(&upstream, &[]).failure(5, &["larger than", "bytes"]);
    assert_eq!(ran.stderr.matches("larger than").count(), 1, "said once\n{ran}");
}

#[test]
fn broken_json_is_named_or_shown_as_the_text_that_it_is() {
    let upstream = Upstream::answering("200 OK", "application/json", "{\"a\": ");
    let ran = call(&upstream, &[]);
    match ran.code {
        0 => assert_eq!(ran.text().trim_end(), "{\"a\":"),
        _ => drop(ran.failure(5, &["JSON"])),
    }
}

#[test]
fn a_service_cannot_forge_lines_in_errors() {
    let upstream = Upstream::answering("400 Bad Request", "text/plain", "no\u{1b}[2J way");
    let ran = call(&upstream, &[]).failure(1, &["400"]);
    assert!(!ran.stderr.contains('\u{1b}'), "\n{ran}");
}
