//! How requests are sent: where secrets come from, headers, limits, retries, and what is said about the way.

use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::{Run, Upstream, get_document, opentool};

const PARAMETERS: &str = "[]";

/// A call of the one operation of a document at this server.
fn call(upstream: &Upstream, words: &[&str]) -> Run {
    let words = ["call", "api.json", "get"].iter().chain(words);
    opentool(words).file("api.json", get_document(&upstream.url, "/things", PARAMETERS))
}

fn items() -> Upstream {
    let body =
        r#"{"items": [{"id": 1, "name": "a", "notes": "long"}, {"id": 2, "name": "b"}], "next": null}"#;
    Upstream::answering("200 OK", "application/json", body)
}

#[test]
fn headers_go_along_and_are_not_shown() {
    let upstream = items();
    let words =
        ["--header", "X-Tenant: acme", "--header", "x-key: file:key.txt", "--header", "Accept: text/csv"];
    call(&upstream, &words).file("key.txt", "hunter2hunter2\n").end().success();
    let request = upstream.requests().concat();
    for line in ["x-tenant: acme\r\n", "x-key: hunter2hunter2\r\n", "accept: text/csv\r\n"] {
        assert!(request.contains(line), "{request}");
    }
    assert_eq!(request.matches("accept:").count(), 1, "{request}");
    let dry = [&words[..], &["--dry-run"]].concat();
    let ran = call(&upstream, &dry).file("key.txt", "hunter2hunter2\n").end().success();
    assert!(ran.text().contains("x-key: ***") && !ran.text().contains("hunter2"), "\n{ran}");
    // What stands in a file does not come to light, whoever compares requests.
    let located = [&dry[..], &["--args-by-location", "--json"]].concat();
    let ran = call(&upstream, &located).file("key.txt", "hunter2hunter2\n").end().success();
    assert!(!ran.text().contains("hunter2"), "\n{ran}");
    for (header, said) in [
        ("nothing", "has no `:`"),
        ("a b: c", "cannot be the name of a header"),
        ("Content-Length: 5", "decided by the request itself"),
        ("X: a\nY: b", "control character"),
        ("X: file:nowhere", "cannot be read"),
    ] {
        let ran = call(&upstream, &["--header", header]).end();
        ran.failure(2, &[said]);
    }
    assert_eq!(upstream.requests().len(), 1);
}

#[test]
fn what_a_header_holds_is_not_repeated_by_an_answer() {
    let upstream =
        Upstream::answering("403 Forbidden", "text/plain", "the token hunter2hunter2 of acme is no good");
    let words = ["--header", "Authorization: Token hunter2hunter2", "--header", "X-Tenant: acme"];
    let ran = call(&upstream, &words).end();
    assert!(ran.code == 1 && !ran.stderr.contains("hunter2") && ran.stderr.contains("of acme"), "\n{ran}");
}

#[test]
fn secrets_are_read_from_where_they_are_kept() {
    let keyed = |words: &[&str]| {
        let document = r#"{"openapi": "3.0.3", "info": {"title": "t", "version": "1"}, "servers": [{"url": "https://api.example.com"}],
            "components": {"securitySchemes": {"k": {"type": "apiKey", "in": "header", "name": "X-Key"}, "b": {"type": "http", "scheme": "bearer"}}},
            "paths": {"/k": {"get": {"operationId": "k", "security": [{"k": []}]}}, "/b": {"get": {"operationId": "b", "security": [{"b": []}]}}}}"#;
        opentool(words).file("api.json", document).file("key.txt", "hunter2hunter2\n")
    };
    let upstream = items();
    for (tool, option) in [
        ("k", ["--api-key", "file:key.txt"]),
        ("k", ["--credential", "k=file:key.txt"]),
        ("k", ["--api-key", "env:MY_KEY"]),
        ("k", ["--api-key", "command:cat 'key.txt'"]),
        ("b", ["--bearer", "env:MY_KEY"]),
    ] {
        let words = ["call", "api.json", tool, "--server", &upstream.url, option[0], option[1]];
        keyed(&words).variable("MY_KEY", "hunter2hunter2").end().success();
    }
    let requests = upstream.requests();
    assert_eq!(requests.len(), 5);
    assert!(requests[..4].iter().all(|head| head.contains("x-key: hunter2hunter2\r\n")), "{requests:?}");
    assert!(requests[4].contains("authorization: Bearer hunter2hunter2\r\n"), "{requests:?}");
    let words = ["call", "api.json", "k", "--server", &upstream.url, "--api-key", "file:nowhere"];
    let ran = keyed(&words).end();
    assert!(ran.code == 4 && ran.stderr.contains("`nowhere`"), "\n{ran}");
    keyed(&["call", "api.json", "k", "--api-key", "command:"])
        .end()
        .failure(2, &["the command for `--api-key`"]);
    assert_eq!(upstream.requests().len(), 5);
}

#[test]
fn tokens_are_fetched_as_a_client() {
    let tokens = Upstream::answering(
        "200 OK",
        "application/json",
        r#"{"access_token": "tok123456", "token_type": "Bearer", "expires_in": 60}"#,
    );
    let upstream = items();
    let api = format!(
        r#"{{"openapi": "3.0.3", "info": {{"title": "t", "version": "1"}}, "servers": [{{"url": "{}"}}],
        "components": {{"securitySchemes": {{"b": {{"type": "http", "scheme": "bearer"}}, "o": {{"type": "oauth2", "flows": {{"clientCredentials": {{"tokenUrl": "{}/token", "scopes": {{}}}}}}}}}}}},
        "paths": {{"/o": {{"get": {{"operationId": "o", "security": [{{"b": []}}, {{"o": ["read"]}}]}}}}}}}}"#,
        upstream.url, tokens.url
    );
    let call = |words: &[&str]| {
        let words = ["call", "api.json", "o"].iter().chain(words);
        opentool(words).file("api.json", &api).file("secret.txt", "s3cr3t\n")
    };
    call(&["--oauth", "me", "--client-secret", "file:secret.txt"]).end().success();
    call(&["--oauth", "o=me", "--scope", "write", "--token-parameter", "audience=x"])
        .variable("OPENTOOL_CLIENT_SECRET", "s3cr3t")
        .end()
        .success();
    let asked = tokens.requests();
    assert!(
        asked[0].contains("grant_type=client_credentials") && asked[0].contains("scope=read"),
        "{asked:?}"
    );
    assert!(asked[1].contains("scope=write") && asked[1].contains("audience=x"), "{asked:?}");
    assert!(upstream.requests().iter().all(|head| head.contains("authorization: Bearer tok123456\r\n")));
    call(&["--oauth", "me"]).end().failure(2, &["the secret of the client `me` is missing"]);
    let ran = call(&["--oauth", "me", "--client-secret", "s3cr3t"]).end();
    assert!(ran.code == 2 && !ran.stderr.contains("s3cr3t"), "\n{ran}");
    call(&["--oauth", "x=me"]).end().failure(2, &["no security scheme `x`", "`b`, `o`"]);
    call(&["--token-url", "https://x.test"]).end().failure(2, &["there is none", "--oauth CLIENT_ID"]);
}

#[test]
fn results_are_reduced_and_cut() {
    let upstream = items();
    let ran = call(&upstream, &["--result-pointer", "/items/*/name"]).end().success();
    let text: serde_json::Value = serde_json::from_str(ran.text()).unwrap();
    assert_eq!(text, serde_json::json!({"items": [{"name": "a"}, {"name": "b"}]}));
    let ran = call(&upstream, &["--result-limit", "40"]).end().success();
    assert!(ran.text().len() < 250 && !ran.text().contains("\"b\""), "\n{ran}");
    let ran = call(&upstream, &["--result-pointer", "/nope"]).end().success();
    assert!(
        ran.text().starts_with("[Nothing of the result is shown: it is an object of 2 members"),
        "\n{ran}"
    );
    call(&upstream, &["--result-limit", "much"]).end().failure(2, &["a number of bytes"]);
    call(&upstream, &["--result-pointer", "items"]).end().failure(2, &["expected a JSON Pointer"]);
}

#[test]
fn requests_are_sent_again_as_often_as_is_said() {
    let seen = AtomicUsize::new(0);
    let upstream = Upstream::treating(move |mut stream| {
        let status = if seen.fetch_add(1, Ordering::SeqCst) == 2 { "200 OK" } else { "503 Busy" };
        let answer = format!(
            "HTTP/1.1 {status}\r\nretry-after: 0\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{{}}"
        );
        stream.write_all(answer.as_bytes()).unwrap();
    });
    assert_eq!(call(&upstream, &["--retries", "0"]).end().code, 1);
    assert_eq!(upstream.requests().len(), 1);
    call(&upstream, &["--retries", "1"]).end().success();
    assert_eq!(upstream.requests().len(), 3);
}

#[test]
fn documents_of_the_web_lead_into_private_networks_only_where_allowed() {
    let upstream = items();
    call(&upstream, &["--public-only", "--retries", "0"]).end().failure(5, &["loopback"]);
    call(&upstream, &["--public-only", "--allow-private"]).end().failure(2, &["cannot be used with"]);
    assert_eq!(upstream.requests().len(), 0);
    call(&upstream, &["--allow-private"]).end().success();
}

#[test]
fn a_way_that_others_can_read_is_said() {
    let plain = |words: &[&str]| {
        let document = get_document("http://api.example.com", "/things", PARAMETERS);
        let words = ["call", "api.json", "get", "--dry-run"].iter().chain(words);
        opentool(words).file("api.json", document).end().success()
    };
    assert!(plain(&["--bearer", "t0ken"]).stderr.contains("http://api.example.com over plain http"));
    assert_eq!(plain(&[]).stderr, "");
    assert_eq!(plain(&["--bearer", "t0ken", "--server", "https://api.example.com"]).stderr, "");
    assert_eq!(plain(&["--bearer", "t0ken", "--server", "http://127.0.0.1:1"]).stderr, "");
}

#[test]
fn proxies_of_the_environment_are_asked() {
    let proxy = items();
    let call = |variables: &[(&str, &str)]| {
        let run = opentool(["call", "api.json", "get", "--retries", "0"]);
        let run = run.file("api.json", get_document("http://api.example.test", "/things", PARAMETERS));
        variables.iter().fold(run, |run, (name, value)| run.variable(name, value)).end()
    };
    let url = proxy.url.replacen("http://", "http://user:word@", 1);
    call(&[("HTTP_PROXY", &url)]).success();
    let seen = proxy.requests().concat();
    assert!(seen.starts_with("GET http://api.example.test/things HTTP/1.1\r\n"), "{seen}");
    assert!(seen.contains("proxy-authorization: Basic dXNlcjp3b3Jk\r\n"), "{seen}");
    // Not for those that are to be asked directly, and never for this machine.
    let ran = call(&[("HTTP_PROXY", &url), ("NO_PROXY", "example.test")]);
    assert!(ran.code == 5 && !ran.stderr.contains("word"), "\n{ran}");
    let upstream = items();
    crate::sending::call(&upstream, &[]).variable("HTTP_PROXY", &url).end().success();
    assert_eq!((upstream.requests().len(), proxy.requests().len()), (1, 1));
}

#[test]
fn names_that_the_document_does_not_have_are_told() {
    let upstream = items();
    let ran = call(&upstream, &["--server-variable", "prot=4202"]).end();
    ran.failure(2, &["no server of the document has the variable `prot`"]);
    assert_eq!(upstream.requests().len(), 0, "nothing is sent to the default server");
    let ran = call(&upstream, &["--credential", "nope=secret-of-nobody"]).end().success();
    assert!(ran.stderr.contains("no operation uses the security scheme `nope`"), "\n{ran}");
    assert!(!ran.stderr.contains("secret-of-nobody"), "\n{ran}");
}

#[test]
fn an_empty_pipe_is_no_arguments_of_anybody() {
    let upstream = items();
    opentool(["call", "api.json", "get", "-"])
        .file("api.json", get_document(&upstream.url, "/things", PARAMETERS))
        .input(" \n")
        .end()
        .failure(4, &["standard input is empty", "write `{}`"]);
    assert_eq!(upstream.requests().len(), 0);
}

#[test]
fn a_failed_call_says_in_json_what_was_sent() {
    let upstream =
        Upstream::answering("404 Not Found", "application/json", r#"{"message": "no such thing"}"#);
    let ran = call(&upstream, &["--json"]).end();
    let error: serde_json::Value = serde_json::from_str(ran.stderr.trim()).unwrap();
    assert_eq!(error["error"]["message"], "HTTP 404 Not Found: no such thing");
    assert_eq!(error["error"]["request"], format!("GET {}/things", upstream.url));
    let ran = call(&upstream, &[]).end();
    assert!(ran.stderr.contains("no such thing\n  the request was GET "), "\n{ran}");
}

#[test]
fn hints_are_about_what_is_missing() {
    let document = r#"{"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "servers": [{"url": "https://api.example.com"}],
        "components": {"securitySchemes": {"cert": {"type": "mutualTLS"}, "k": {"type": "apiKey", "in": "header", "name": "X-Key"}}},
        "paths": {"/c": {"get": {"operationId": "c", "security": [{"cert": []}]}}, "/k": {"get": {"operationId": "k", "security": [{"k": []}]}},
            "/f": {"put": {"operationId": "f", "requestBody": {"required": true, "content": {"multipart/form-data": {"schema": {"type": "object",
                "properties": {"file": {"type": "string", "format": "binary"}}}, "encoding": {"file": {"contentType": "image/*"}}}}}}}}}"#;
    let run =
        |words: &[&str]| opentool(["call", "api.json"].iter().chain(words)).file("api.json", document).end();
    let ran = run(&["c"]);
    assert!(ran.code == 4 && ran.stderr.contains("help: give it with `--client-cert FILE"), "\n{ran}");
    assert!(!ran.stderr.contains("--bearer"), "\n{ran}");
    let ran = opentool(["call", "api.json", "k", "--api-key", "env:MY_KEY"])
        .file("api.json", document)
        .variable("MY_KEY", "a\u{1}b")
        .end();
    assert!(ran.code == 4 && ran.stderr.contains("help: give the credential again"), "\n{ran}");
    assert!(!ran.stderr.contains("--server"), "\n{ran}");
    // What only the request finds names the source and the tool, too.
    let ran = run(&["f", r#"{"file": {"$base64": "AQ==", "contentType": "text/html"}}"#]);
    assert!(ran.code == 4 && ran.stderr.contains("help: `opentool show api.json f` shows what"), "\n{ran}");
}

#[test]
fn a_short_header_that_is_named_like_a_secret_is_told() {
    let upstream = items();
    let ran = call(&upstream, &["--header", "X-Api-Key: 12345"]).end().success();
    assert!(ran.stderr.contains("`--header x-api-key` has fewer than six characters"), "\n{ran}");
    let ran = call(&upstream, &["--header", "X-Api-Key: 123456", "--header", "X-Tenant: a"]).end().success();
    assert_eq!(ran.stderr, "", "\n{ran}");
}

#[test]
fn an_argument_of_the_configuration_is_kept_where_credentials_are() {
    let document = r#"{"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "servers": [{"url": "URL"}], "paths": {"/things": {
        "get": {"operationId": "get", "parameters": [{"name": "token", "in": "query", "required": true, "schema": {"type": "string"}}]}}}}"#;
    let upstream = items();
    let run = |words: &[&str], value: Option<&str>| {
        let run = opentool(["call", "api.json", "get", "--config", "c.yaml"].iter().chain(words))
            .file("api.json", document.replace("URL", &upstream.url))
            .file("c.yaml", "operations: {'g*': {arguments: {token: {value: 'env:MY_TOKEN'}}}}");
        value.iter().fold(run, |run, value| run.variable("MY_TOKEN", value)).end()
    };
    for words in [&["--dry-run"][..], &["--dry-run", "--json"]] {
        let ran = run(words, Some("s3cret-token")).success();
        let shown = format!("{ran}");
        assert!(shown.contains("/things?token=***") && !shown.contains("s3cret"), "\n{shown}");
    }
    assert_eq!(upstream.requests().len(), 0);
    let ran = run(&["-v"], Some("s3cret-token")).success();
    assert!(upstream.requests().concat().starts_with("GET /things?token=s3cret-token HTTP/1.1"));
    assert!(!format!("{ran}").contains("s3cret"), "\n{ran}");
    let ran = run(&[], None);
    ran.failure(4, &["the value of the argument `token` cannot be read where it is kept", "MY_TOKEN"]);
}
