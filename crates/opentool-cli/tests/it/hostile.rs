//! Values that try to leave their place: what a model writes cannot change which request is sent.

use crate::support::{Upstream, get_document, opentool};

const ID: &str = r#"[{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}]"#;

#[test]
fn a_path_argument_stays_in_its_segment() {
    let upstream = Upstream::answering("200 OK", "application/json", "{}");
    let document = get_document(&upstream.url, "/public/{id}", ID);
    for attack in ["..", ".", "", "%2e%2e", "a\0b"] {
        let id = serde_json::json!({"id": attack}).to_string();
        let ran = opentool(["call", "api.json", "get", &id]).file("api.json", &document).end();
        let before = upstream.requests().len();
        if ran.code == 0 {
            // Allowed is only what the server sees as that very segment.
            let path = upstream.requests().last().unwrap().split(' ').nth(1).unwrap().to_owned();
            assert!(path.starts_with("/public/%25") && path.matches('/').count() == 2, "{attack}: {path}");
        } else {
            let ran = ran.failure(4, &["/id"]);
            assert_eq!(upstream.requests().len(), before, "\n{ran}");
        }
    }
    for attack in ["../../admin", "1?x=2", "1#f", "a/b", "a\\b", "//evil.test/x", "é"] {
        let argument = format!("id={attack}");
        let ran = opentool(["call", "api.json", "get", &argument]).file("api.json", &document).end();
        if ran.code != 0 {
            ran.failure(4, &["/id"]);
            continue;
        }
        let request = upstream.requests().last().unwrap().clone();
        let path = request.split(' ').nth(1).unwrap();
        let segment = path.strip_prefix("/public/").unwrap_or_else(|| panic!("{attack}: {path}"));
        assert!(!segment.contains(['/', '?', '#', '\\']) && !segment.starts_with(".."), "{attack}: {path}");
    }
}

#[test]
fn a_header_argument_adds_no_header() {
    let upstream = Upstream::answering("200 OK", "application/json", "{}");
    let parameters = r#"[{"name": "X-Note", "in": "header", "schema": {"type": "string"}}]"#;
    let document = get_document(&upstream.url, "/x", parameters);
    let note = serde_json::json!({"X-Note": "a\r\nX-Admin: yes"}).to_string();
    let ran = opentool(["call", "api.json", "get", &note]).file("api.json", document).end();
    ran.failure(4, &["/X-Note"]);
    assert_eq!(upstream.requests(), [""; 0]);
}

#[test]
fn a_token_goes_to_no_service_that_it_was_not_meant_for() {
    let upstream = Upstream::answering("200 OK", "application/json", "{}");
    let other = get_document(&upstream.url, "/x", "[]");
    let ran = opentool(["serve", "petstore.yaml", "other.json"])
        .file("other.json", other)
        .variable("OPENTOOL_BEARER", "hunter2")
        .end();
    let ran = ran.failure(2, &["several APIs", "`--bearer` does not say which one"]);
    assert!(!ran.stderr.contains("hunter2"), "\n{ran}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_without_end_is_no_argument() {
    let call = |word: &str| opentool(["call", "petstore.yaml", "getPetById", word, "--dry-run"]);
    for word in ["petId=@/dev/zero", "petId:=@/dev/zero"] {
        call(word).end().failure(4, &["the file for `petId`, /dev/zero, is larger than 16 MiB", "help: "]);
    }
    let endless = call("-").input(vec![b' '; 16 * 1024 * 1024 + 1]);
    endless.end().failure(4, &["standard input is larger than 16 MiB"]);
    let whole = call("-").input([&vec![b' '; 16 * 1024 * 1024 - 12][..], b"{\"petId\": 2}"].concat());
    assert!(whole.end().success().text().contains("/pet/2"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_without_end_is_no_upload() {
    let document = r#"{"openapi": "3.1.0", "info": {"title": "t", "version": "1"},
     "servers": [{"url": "https://a.test"}], "paths": {"/x": {"post": {"operationId": "send", "requestBody": {
     "content": {"multipart/form-data": {"schema": {"type": "object", "properties": {
     "photo": {"type": "string", "contentMediaType": "image/png"}}}}}},
     "responses": {"200": {"description": "ok"}}}}}}"#;
    let call = |word: &str| {
        let line = ["call", "api.json", "send", word, "--dry-run"];
        opentool(line).file("api.json", document).file("a.png", b"\x89PNG").end()
    };
    call("photo=@a.png").success();
    call("photo=@/dev/zero").failure(4, &["the file for `photo`, /dev/zero, is larger than 128 MiB"]);
}
