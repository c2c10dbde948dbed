//! Documents that refer to others, and directories of documents.

use crate::support::{Ran, Run, Upstream, golden, opentool};

/// A document of three files, and what one of them has wrong.
fn shop(words: &[&str]) -> Run {
    opentool(words)
        .file(
            "specs/shop/openapi.yaml",
            "openapi: 3.1.0\ninfo: {title: Shop, version: 1.0.0}\nservers: [{url: 'https://api.example.com'}]\npaths:\n  /pets: {$ref: paths/pets.yaml}\n  /toys:\n    get:\n      operationId: listToys\n      parameters: [{$ref: '../common/types.yaml#/Limit'}]\n",
        )
        .file(
            "specs/shop/paths/pets.yaml",
            "get:\n  operationId: listPets\n  parameters:\n    - {name: kind, in: query, schema: {type: text}}\n",
        )
        .file("specs/common/types.yaml", "Limit: {name: limit, in: query, schema: {type: integer}}\n")
        .file("outside.yaml", "Limit: {name: secret, in: query, schema: {type: integer}}\n")
}

fn run(words: &[&str]) -> Ran {
    shop(words).end()
}

#[test]
fn files_below_the_document_are_followed_and_others_where_allowed() {
    let ran = run(&["list", "specs/shop/openapi.yaml"]);
    assert!(ran.code == 3 && ran.text().contains("listPets") && !ran.text().contains("listToys"), "\n{ran}");
    assert!(ran.stderr.contains("[ref-outside]") && ran.stderr.contains("../common/types.yaml"), "\n{ran}");
    let ran = run(&["list", "specs/shop/openapi.yaml", "--ref-root", "specs"]).success();
    assert!(ran.text().contains("listToys  limit?"), "\n{ran}");
    let ran = run(&["list", "specs/shop/openapi.yaml", "--ref-root", "specs", "--no-refs"]);
    ran.failure(2, &["cannot be used with"]);
    let ran = run(&["list", "specs/shop/openapi.yaml", "--no-refs"]);
    assert!(ran.code == 3 && ran.text().is_empty(), "\n{ran}");
    run(&["list", "specs/shop/openapi.yaml", "--ref-root", "nowhere"]).failure(2, &["is no directory"]);
    run(&["list", "petstore.yaml", "--ref-host", "https://x.test/"]).failure(2, &["expected a host name"]);
}

#[test]
fn a_call_is_made_as_the_other_file_says() {
    let words =
        ["call", "specs/shop/openapi.yaml", "listToys", "limit=5", "--ref-root", "specs", "--dry-run"];
    let ran = run(&words).success();
    assert!(ran.text().contains("https://api.example.com/toys?limit=5"), "\n{ran}");
}

#[test]
fn each_finding_is_shown_in_the_file_that_it_is_about() {
    golden("check/several_files", &run(&["check", "specs/shop/openapi.yaml"]).to_string());
    let ran = run(&["check", "specs/shop/openapi.yaml", "--ref-root", "specs", "--json"]);
    let file = &ran.json()["files"][0];
    let documents = ["specs/shop/openapi.yaml", "specs/shop/paths/pets.yaml", "specs/common/types.yaml"];
    assert_eq!(file["documents"], serde_json::json!(documents), "\n{ran}");
    assert_eq!(file["diagnostics"][0]["file"], "specs/shop/paths/pets.yaml", "\n{ran}");
    assert_eq!(file["diagnostics"][0]["location"]["line"], 4, "\n{ran}");
}

#[test]
fn other_hosts_are_asked_only_where_allowed() {
    let upstream = Upstream::answering(
        "200 OK",
        "application/yaml",
        "{name: limit, in: query, schema: {type: integer}}",
    );
    let host = upstream.url.trim_start_matches("http://");
    let document = format!(
        "openapi: 3.1.0\ninfo: {{title: t, version: '1'}}\npaths: {{/a: {{get: {{operationId: a, parameters: [{{$ref: '{}/limit.yaml'}}]}}}}}}\n",
        upstream.url
    );
    let list = |words: &[&str]| {
        let words = ["list", "api.yaml"].iter().chain(words);
        opentool(words).file("api.yaml", &document).end()
    };
    for words in
        [&[][..], &["--ref-same-origin"], &["--ref-host", "127.0.0.1"], &["--ref-host", "example.com"]]
    {
        let ran = list(words);
        assert!(ran.code == 3 && ran.stderr.contains("which was not allowed"), "\n{ran}");
    }
    assert_eq!(upstream.requests().len(), 0);
    // What would have to be written, with the port.
    let ran = opentool(["check", "api.yaml"]).file("api.yaml", &document).end();
    assert!(format!("{ran}").contains(&format!("`--ref-host {host}`, or")), "\n{ran}");
    let ran = list(&["--ref-host", host]).success();
    assert!(ran.text().contains("a     limit?"), "\n{ran}");
    assert_eq!(upstream.requests().len(), 1);
}

#[test]
fn a_directory_is_all_documents_in_it() {
    let two = |words: &[&str]| {
        let run = shop(words)
            .file("specs/old/pets.json", SWAGGER)
            .file("specs/package.json", r#"{"keywords": ["openapi"]}"#);
        run.file("specs/notes.yaml", "about: openapi\n")
    };
    let ran = two(&["list", "specs"]).end().success();
    assert!(ran.text().contains("pets__find") && ran.text().contains("shop__listToys"), "\n{ran}");
    let ran = two(&["list", "mine=specs"]).end().success();
    assert!(ran.text().contains("mine_pets__find"), "\n{ran}");
    let ran = two(&["call", "specs", "pets__find", "id=1", "--dry-run"]).end().success();
    assert!(ran.text().contains("https://old.example.com/v1/pets/1"), "\n{ran}");
    let ran =
        two(&["call", "specs", "shop__listToys", "--dry-run", "--server", "shop=http://127.0.0.1:9"]).end();
    assert!(ran.success().text().contains("http://127.0.0.1:9/toys"));
    two(&["show", "specs", "pets__fnd"]).end().failure(4, &["no tool `pets__fnd` in specs", "`pets__find`"]);
    two(&["check-args", "specs", "x"]).end().failure(2, &["is a directory of several documents"]);
    two(&["list", "opentool:specs"]).end().failure(2, &["read for OpenAPI documents only"]);
    // One document and its parts are that document.
    let ran = run(&["list", "specs"]).success();
    assert!(ran.text().contains("listToys") && !ran.text().contains("__"), "\n{ran}");
    let ran = opentool(["list", "."]).file("x/notes.txt", "").end().success();
    assert!(ran.text().contains("addPet"), "\n{ran}");
    opentool(["list", "empty"])
        .file("empty/notes.yaml", "a: b")
        .end()
        .failure(3, &["holds no OpenAPI document"]);
    let ran = two(&["check", "specs"]).end();
    assert!(ran.stderr.contains("1 warning in 1 of 2 files"), "\n{ran}");
}

#[test]
fn a_broken_document_of_a_directory_hides_no_other() {
    let broken = |words: &[&str]| shop(words).file("specs/bad.yaml", "openapi: 3.1.0\npaths: [\n").end();
    let ran = broken(&["list", "specs"]);
    assert!(ran.code == 3 && ran.text().contains("shop__listPets"), "\n{ran}");
    assert!(ran.stderr.contains("specs/bad.yaml:"), "\n{ran}");
    let ran = broken(&["export", "specs", "--to", "openai"]);
    assert!(ran.code == 3 && ran.text().contains("shop__listPets"), "\n{ran}");
    let ran = broken(&["check", "specs"]);
    assert!(ran.code == 1 && ran.text().contains("--> specs/bad.yaml:"), "\n{ran}");
}

const SWAGGER: &str = r#"{"swagger": "2.0", "info": {"title": "Old", "version": "1"}, "host": "old.example.com", "basePath": "/v1",
 "schemes": ["https"], "paths": {"/pets/{id}": {"get": {"operationId": "find", "parameters": [{"name": "id", "in": "path", "required": true, "type": "integer"}]}}}}"#;
