//! Sources that cannot be read: every error names the source and, where there is one, the place in it.

use crate::support::{Ran, Upstream, opentool};

/// Lists a file with this content; it must be refused with these texts.
#[track_caller]
fn refused(name: &str, content: impl AsRef<[u8]>, texts: &[&str]) -> Ran {
    opentool(["list", name]).file(name, content).end().failure(3, texts)
}

#[test]
fn files_that_cannot_be_read() {
    opentool(["list", "nowhere.yaml"])
        .end()
        .failure(3, &["nowhere.yaml: there is no such file", "help: give a path, "]);
    refused("empty.yaml", "", &["empty.yaml: is empty"]);
    refused("empty.yaml", "\u{feff} \n\n", &["empty.yaml: is empty"]);
    opentool(["list", "-"]).end().failure(3, &["standard input: is empty"]);
    refused("binary", b"openapi\xff\xfe\0", &["binary: this is no text (byte 7)"]);
}

#[test]
fn texts_that_are_nothing_known() {
    refused("notes.txt", "Dear diary,\nhello", &["notes.txt: is some other text", "`openapi:SOURCE`"]);
    refused("page.html", "<!DOCTYPE html><html></html>", &["page.html: is a web page or XML"]);
    refused(
        "package.json",
        r#"{"name": "x"}"#,
        &["package.json: is a JSON object without the key `openapi`"],
    );
    refused("cut.json", "{\"a\":1,", &["cut.json:1:7: this is not valid JSON: EOF", "help: is it cut off?"]);
    let comma = r#"{"info":{"title":"x",,},"paths":{}}"#;
    refused("comma.json", comma, &["comma.json:1:22: this is not valid JSON: key must be a string"]);
    refused("cut.yaml", "title: [x", &["cut.yaml:2:1: this is neither JSON nor YAML"]);
    refused("answer", "42", &["answer: is a number; it is neither"]);
    refused("tools.json", r#"{"tools":3}"#, &["tools.json: `tools` is the number 3, and should be a list"]);
    refused("list.json", "[1, 2", &["list.json:1:5: this is not JSON"]);
    refused("number.json", "[]garbage", &["number.json:1:3: this is not JSON"]);
}

#[test]
fn documents_with_a_fault_at_a_place() {
    refused("tab.yaml", "openapi: 3.0.3\ninfo:\n\ttitle: t\n", &["tab.yaml:3:", "tab"]);
    let twice = "openapi: 3.0.3\ninfo: {title: t, version: '1'}\npaths: {}\npaths: {}\n";
    refused("twice.yaml", twice, &["twice.yaml:4:1", "paths"]);
    refused("broken.json", "{\"openapi\": \"3.0.3\",\n \"paths\": {,}}", &["broken.json:2:"]);
    refused("broken.yaml", "openapi: 3.0.3\npaths: [a\n", &["broken.yaml:"]);
    let no_paths = r#"{"openapi": "3.0.3", "info": {"title": "t", "version": "1"}}"#;
    refused("none.json", no_paths, &["none.json", "paths"]);
    refused("old.json", r#"{"swagger": "1.2", "paths": {}}"#, &["old.json", "2.0"]);
}

#[test]
fn a_key_that_stands_twice_is_an_error_in_json_as_in_yaml() {
    let twice = r#"{"openapi": "3.0.3", "info": {"title": "t", "version": "1"}, "paths": {
      "/a": {"get": {"operationId": "lost"}},
      "/a": {"post": {"operationId": "kept"}}}}"#;
    let ran = opentool(["list", "twice.json"]).file("twice.json", twice).end();
    assert!(ran.code == 3 && ran.text().contains("kept"), "\n{ran}");
    assert!(ran.stderr.contains("error[duplicate-key]: the key `/a` stands twice"), "\n{ran}");
    assert!(ran.stderr.contains("twice.json:2:") || ran.stderr.contains("twice.json:3:"), "\n{ran}");
    let list = r#"[{"name": "a", "name": "b", "inputSchema": {"type": "object"}}]"#;
    let ran = opentool(["list", "list.json"]).file("list.json", list).end();
    assert!(ran.code == 3 && ran.stderr.contains("list.json:1:"), "\n{ran}");
}

#[test]
fn two_operations_of_one_id_are_told_apart_in_the_warning() {
    let same = r#"{"openapi": "3.0.3", "info": {"title": "t", "version": "1"}, "paths": {"/a": {
      "post": {"operationId": "x", "responses": {}},
      "get": {"operationId": "x", "responses": {}}}}}"#;
    let ran = opentool(["list", "same.json"]).file("same.json", same).end().success();
    let text = "same.json:2:16: warning[duplicate-operation-id]: `POST /a` is named `x_post_a`, because `GET /a` has \
                the `operationId` `x` too";
    assert!(ran.stderr.contains(text), "\n{ran}");
}

#[test]
fn a_definition_that_cannot_be_called_is_seen() {
    let list = r##"[{"name": "a", "inputSchema": {"type": "object", "properties": {"x": {"$ref": "#/$defs/Gone"}}}},
 {"name": "b", "inputSchema": {"type": "object"}}]"##;
    for words in [&["list", "list.json"][..], &["show", "list.json", "a"]] {
        let ran = opentool(words).file("list.json", list).end();
        assert!(ran.code == 0 && ran.stderr.contains("cannot be called with this schema"), "\n{ran}");
        assert!(ran.stderr.contains("list.json:1:"), "\n{ran}");
    }
    let ran = opentool(["show", "list.json", "b"]).file("list.json", list).end().success();
    assert_eq!(ran.stderr, "", "\n{ran}");
}

#[test]
fn references_to_nowhere_and_in_circles_cost_no_more_than_they_must() {
    let document = r##"{"openapi": "3.0.3", "info": {"title": "t", "version": "1"}, "servers": [{"url": "http://x"}], "paths": {
      "/a": {"post": {"operationId": "nowhere", "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Gone"}}}}, "responses": {}}},
      "/b": {"post": {"operationId": "circle", "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Node"}}}}, "responses": {}}},
      "/s": {"post": {"operationId": "itself", "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Self"}}}}, "responses": {}}},
      "/c": {"get": {"operationId": "good", "responses": {}}}},
      "components": {"schemas": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/Node"}}}, "Self": {"$ref": "#/components/schemas/Self"}}}}"##;
    let ran = opentool(["list", "refs.json"]).file("refs.json", document).end();
    assert_eq!(ran.code, 3, "\n{ran}");
    for tool in ["nowhere", "circle", "itself", "good"] {
        assert!(ran.text().contains(tool), "\n{ran}");
    }
    for text in [
        "refs.json:2:109: error[ref-not-found]: `#/components/schemas/Gone` leads to nothing",
        "(at /paths/~1a/post/requestBody/content/application~1json/schema/$ref)",
        "  help: check the spelling",
        "error[ref-cycle]: ",
        "(at /components/schemas/Self)",
        "error: refs.json was not read as a whole: 2 errors in it",
    ] {
        assert!(ran.stderr.contains(text), "no {text} in\n{ran}");
    }
    let run = |words: &[&str]| opentool(words).file("refs.json", document).end();
    for words in [&["show", "refs.json", "nowhere"][..], &["export", "refs.json", "--to", "mcp"]] {
        let ran = run(words);
        assert!(ran.code == 3 && ran.text().contains("nowhere"), "\n{ran}");
        assert!(ran.stderr.contains("error[ref-not-found]"), "\n{ran}");
    }
    // Nor is a source without a tool left over the mistake of whoever wrote the command.
    let nothing = r#"[{"name": "a", "inputSchema": 5}]"#;
    for line in [&["list"][..], &["export", "--to", "mcp"], &["convert", "--to", "opentool"], &["serve"]] {
        let line = [&line[..1], &["nothing.json"], &line[1..]].concat();
        let ran = opentool(&line).file("nothing.json", nothing).end();
        ran.failure(3, &["nothing.json was not read as a whole: 1 error in it"]);
    }
    let ran = opentool(["export", "nothing.json", "--to", "mcp", "--only", "a*"])
        .file("nothing.json", nothing)
        .end();
    assert_eq!(ran.code, 2, "\n{ran}");
    // What is wrong elsewhere does not spoil the use of what is right.
    for words in [
        &["show", "refs.json", "good"][..],
        &["list", "refs.json", "--only", "good,circle"],
        &["call", "refs.json", "circle", "--dry-run"],
        &["call", "refs.json", "good", "--mock"],
    ] {
        let ran = run(words).success();
        let note = "note: 2 errors elsewhere in refs.json; `opentool check refs.json` shows them\n";
        assert!(ran.stderr.starts_with(note) && !ran.stderr.contains("error["), "\n{ran}");
    }
    let one = run(&["list", "refs.json", "--only", "good,itself"]);
    assert_eq!((one.code, one.stderr.matches("error[").count()), (3, 1), "\n{one}");
    assert!(one.stderr.contains("error[ref-cycle]") && one.stderr.contains("1 error elsewhere"), "\n{one}");
    let dry = run(&["call", "refs.json", "circle", r#"{"next": {"next": {}}}"#, "--dry-run", "--json"]);
    dry.success();
}

#[test]
fn what_a_document_has_wrong_is_said_and_never_without_end() {
    use std::fmt::Write as _;
    let mut paths = String::new();
    for n in 0..12 {
        write!(
            paths,
            r##""/gone{n}": {{"get": {{"operationId": "gone{n}", "requestBody": {{"$ref": "#/nowhere{n}"}}}}}},"##
        )
        .unwrap();
    }
    let document = format!(
        r#"{{"openapi": "3.0.3", "info": {{"title": "t", "version": "1"}}, "servers": [{{"url": "http://x"}}],
 "paths": {{{paths} "/a": {{"get": {{"operationId": "good", "responses": {{}}}}, "GET": {{"operationId": "loud"}}}}}}}}"#
    );
    let run = |words: &[&str]| opentool(words).file("bad.json", &document).end();
    let errors = |ran: &Ran| ran.stderr.matches("error[ref-not-found]").count();
    let list = run(&["list", "bad.json"]);
    assert_eq!((list.code, errors(&list)), (3, 10), "\n{list}");
    assert!(
        list.stderr.contains("note: bad.json: 2 more errors; `--verbose` shows all")
            && list.stderr.contains("warning[method-case]"),
        "\n{list}"
    );
    assert!(list.text().contains("good") && list.stderr.contains("12 errors in it"), "\n{list}");
    let all = run(&["list", "bad.json", "-v"]);
    assert_eq!((all.code, errors(&all), all.stderr.matches("warning[").count()), (3, 12, 1), "\n{all}");
    let json = run(&["list", "bad.json", "--json"]);
    assert_eq!((json.code, json.json()[0]["name"].as_str()), (3, Some("good")), "\n{json}");
    let last: serde_json::Value = serde_json::from_str(json.stderr.lines().last().unwrap()).unwrap();
    assert_eq!(last["error"]["code"], "source_incomplete", "\n{json}");
    // What is there can be called; what is not may have been left out.
    run(&["call", "bad.json", "good", "--dry-run"]).success();
    let text = "there is no tool `gone3` in bad.json; 12 operations of the document could not be read and are left out";
    run(&["call", "bad.json", "gone3", "--dry-run"]).failure(4, &[text, "`--verbose`"]);
    run(&["show", "bad.json", "gone3"]).failure(4, &[text]);
}

#[test]
fn addresses_that_give_no_document() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{free}/openapi.json");
    opentool(["list", &url])
        .end()
        .failure(3, &[&format!("{url}: cannot connect to"), "help: is the address right"]);
    let missing = Upstream::answering("404 Not Found", "text/plain", "no");
    let url = format!("{}/openapi.json", missing.url);
    opentool(["list", &url]).end().failure(3, &[&format!("{url}: the server answered 404 Not Found")]);
    let broken = Upstream::answering("500 Internal Server Error", "text/plain", "no");
    opentool(["list", &broken.url])
        .end()
        .failure(3, &["answered 500", "help: the server has a fault of its own"]);
    let silent = Upstream::silent();
    let started = std::time::Instant::now();
    opentool(["list", &silent.url, "--timeout", "0.3"])
        .end()
        .failure(3, &[&silent.url, "within 0.3 s", "--timeout"]);
    assert!(started.elapsed().as_secs() < 10);
    let page = Upstream::answering("200 OK", "text/html", "<html>Sign in</html>");
    opentool(["list", &page.url]).end().failure(3, &["is a web page"]);
}

#[test]
fn secrets_in_an_address_are_not_shown() {
    let missing = Upstream::answering("404 Not Found", "text/plain", "no");
    let url = missing.url.replace("http://", "http://me:hunter2@") + "/api?token=hunter2";
    let ran = opentool(["list", &url]).end().failure(3, &["/api?…: the server answered 404"]);
    assert!(!ran.stderr.contains("hunter2"), "\n{ran}");
}

#[test]
fn an_address_is_a_source_and_relative_servers_start_there() {
    let document = get_relative();
    let upstream = Upstream::answering("200 OK", "application/json", &document);
    let ran =
        opentool(["call", &format!("{}/v1/openapi.json", upstream.url), "get", "--dry-run", "--json"]).end();
    assert_eq!(ran.success().json()["url"], format!("{}/v1/api/x", upstream.url));
    let ran = opentool(["call", "api.json", "get"]).file("api.json", document).end();
    ran.failure(4, &["--server"]);
}

fn get_relative() -> String {
    crate::support::get_document("api", "/x", "[]")
}

#[test]
fn with_json_errors_are_objects_with_the_place() {
    let ran = opentool(["list", "--json", "tab.yaml"]).file("tab.yaml", "openapi: 3.0.3\na:\n\tb: 1\n").end();
    let error: serde_json::Value = serde_json::from_str(&ran.stderr).unwrap();
    assert_eq!(error["error"]["exit"], 3);
    assert_eq!(error["error"]["diagnostic"]["location"]["line"], 3, "\n{ran}");
}
