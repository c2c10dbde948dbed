//! Values that try to leave their place: what a model writes cannot change which request is sent.

use serde_json::{Value, json};

use crate::support::{Upstream, get_document, opentool};

const ID: &str = r#"[{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}]"#;

#[test]
fn a_path_argument_stays_in_its_segment() {
    let upstream = Upstream::answering("200 OK", "application/json", "{}");
    let document = get_document(&upstream.url, "/public/{id}", ID);
    for attack in ["..", ".", "", "%2e%2e", "a\0b"] {
        let id = json!({"id": attack}).to_string();
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
    let note = json!({"X-Note": "a\r\nX-Admin: yes"}).to_string();
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

#[test]
fn one_long_name_does_not_pad_every_row() {
    let long = "n".repeat(100_000);
    let mut tools = vec![json!({"name": "long", "description": "Long.", "inputSchema": {
        "type": "object", "properties": {&long: {"enum": [&long], "default": long}},
    }})];
    let row =
        |n| json!({"name": format!("t{n}"), "description": "Short.", "inputSchema": {"type": "object"}});
    tools.extend((0..100).map(row));
    let run = |words: &[&str]| {
        opentool(words).file("tools.json", serde_json::to_vec(&tools).unwrap()).end().success()
    };
    let list = run(&["list", "tools.json"]);
    assert!(list.text().lines().all(|line| line.chars().count() < 250), "{}", list.text().len());
    assert!(list.text().contains("nnn…  Long."), "\n{list}");
    let page = run(&["show", "tools.json", "long"]);
    let (arguments, _) = page.text().split_once("As a model sees it").unwrap();
    assert!(arguments.len() < 2_000 && arguments.contains("nnn…"), "{}", arguments.len());
}

#[test]
fn nothing_in_a_tool_is_hidden_from_its_reader() {
    let hidden = ['\u{200b}', '\u{200f}', '\u{2060}', '\u{feff}', '\u{202e}', '\u{e0041}', '\u{9b}'];
    let text: String = ["a"].into_iter().map(str::to_owned).chain(hidden.map(String::from)).collect();
    let tools = json!([{"name": "a", "description": text, "inputSchema": {
        "type": "object", "properties": {&text: {"type": "string", "description": text, "default": text}},
    }}]);
    let run = |words: &[&str]| opentool(words).file("tools.json", tools.to_string()).end().success();
    let list = run(&["list", "tools.json"]);
    let page = run(&["show", "tools.json", "a"]);
    for ran in [&list, &page] {
        assert!(!ran.text().contains(hidden), "\n{ran}");
    }
    // Names and values are data: they stay, and are written out.
    assert!(page.text().contains("a\\u{200b}\\u{200f}\\u{2060}\\u{feff}\\u{202e}"), "\n{page}");
    let (_, seen) = page.text().split_once("As a model sees it:\n").unwrap();
    let seen: Value = serde_json::from_str(seen).unwrap();
    assert!(seen.to_string().contains(json!(text).to_string().trim_matches('"')), "{seen}");
    assert_eq!(seen["description"], "a", "a model obeys what it reads, so it reads what a person sees");
}

#[test]
fn an_empty_credential_is_none() {
    let upstream = Upstream::answering("200 OK", "application/json", "{}");
    let document = get_document(&upstream.url, "/x", "[]").replace(
        "\"paths\"",
        r#""security": [{"b": []}], "components": {"securitySchemes": {"b": {"type": "http", "scheme": "bearer"}}}, "paths""#,
    );
    let run = |words: &[&str]| {
        let line = ["call", "shop=api.json", "shop__get"];
        opentool(line.iter().chain(words)).file("api.json", &document)
    };
    let unset = || run(&[]).variable("OPENTOOL_BEARER", "").variable("OPENTOOL_SHOP_BEARER", "");
    unset().end().failure(4, &["bearer"]);
    unset().variable("OPENTOOL_BASIC", "").variable("OPENTOOL_SHOP_BEARER", "t").end().success();
    for words in [["--bearer", ""], ["--api-key", ""], ["--basic", ""]] {
        run(&words).end().failure(2, &[words[0], "empty", "--anonymous"]);
    }
    for words in [["--bearer", "shop="], ["--api-key", "shop="]] {
        run(&words).end().failure(2, &[words[0], "is empty", "--anonymous"]);
    }
    run(&["--credential", "b="]).end().failure(2, &["`--credential b=` has no value"]);
    // An empty variable must not be what asks for a name, either.
    let two = ["serve", "shop=api.json", "petstore.yaml"];
    let ran = opentool(two).file("api.json", &document).variable("OPENTOOL_BEARER", "").end();
    ran.success();
    assert_eq!(upstream.requests().len(), 1, "{:?}", upstream.requests());
}

#[test]
fn a_name_stands_for_one_source() {
    let other = get_document("http://a.test", "/x", "[]");
    let run = opentool(["serve", "a=petstore.yaml", "a=other.json", "--bearer", "a=t"]);
    run.file("other.json", other).end().failure(2, &["two sources are named `a`", "help: "]);
}
