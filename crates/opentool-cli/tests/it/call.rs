//! `opentool call` when all is well.

use serde_json::json;

use crate::support::{Shop, Upstream, get_document, golden, opentool};

#[test]
fn a_call_reaches_the_shop_and_its_answer_comes_back() {
    let shop = Shop::open();
    let call = |words: &[&str]| {
        opentool(["call", "petstore.yaml"].iter().chain(words).chain(&["--server", shop.url.as_str()])).end()
    };
    let pet = call(&["getPetById", "petId=2"]).success().json();
    assert_eq!((&pet["id"], &pet["name"]), (&json!(2), &json!("Miso")));
    // A list of one, of two, and as JSON.
    for words in [
        &["findPetsByStatus", "status=pending", "status=sold"][..],
        &["findPetsByStatus", "status=[\"pending\",\"sold\"]"],
        &["findPetsByStatus", r#"{"status": ["pending", "sold"]}"#],
    ] {
        assert_eq!(call(words).success().json().as_array().unwrap().len(), 4, "{words:?}");
    }
    assert_eq!(call(&["findPetsByStatus", "status=pending"]).success().json().as_array().unwrap().len(), 2);
    // A body whose number stays text where text is asked for.
    let added = call(&["addPet", "name=42", "species=cat", "tags=quiet"]).success().json();
    assert_eq!((&added["name"], &added["tags"]), (&json!("42"), &json!(["quiet"])));
    let output = call(&["getPetById", "petId=2", "--json"]).success().json();
    assert_eq!(output["structured"]["name"], "Miso");
    assert_eq!(output["metadata"]["http.status"], 200);
}

#[test]
fn arguments_come_from_files_and_pipes_too() {
    let shop = Shop::open();
    let server = ["--server", &shop.url];
    let ran = opentool(
        ["call", "petstore.yaml", "addPet", "name=@name.txt", "species:=@species.json"].iter().chain(&server),
    )
    .file("name.txt", "Ada\n")
    .file("species.json", "\"dog\"")
    .end()
    .success();
    assert_eq!(ran.json()["name"], "Ada");
    let ran = opentool(["call", "petstore.yaml", "getPetById", "-"].iter().chain(&server))
        .input(r#"{"petId": 3}"#)
        .end();
    assert_eq!(ran.success().json()["name"], "Clover");
}

#[test]
fn files_are_uploaded_as_the_bytes_that_they_are() {
    let document = json!({
        "openapi": "3.1.0",
        "servers": [{"url": "https://a.test"}],
        "components": {"schemas": {"Upload": {"type": "object", "properties": {
            "photo": {"type": "string", "format": "binary"},
            "more": {"type": "array", "items": {"type": "string", "format": "binary"}},
            "note": {"type": "string"},
        }}}},
        "paths": {"/x": {"post": {"operationId": "add", "requestBody": {"required": true, "content": {
            "multipart/form-data": {"schema": {"$ref": "#/components/schemas/Upload"}},
        }}}}},
    })
    .to_string();
    let run = |words: &[&str]| {
        opentool(["call", "api.json", "add", "--dry-run"].iter().chain(words))
            .file("api.json", &document)
            .file("a.bin", [0xff, 0])
            .file("b.txt", "b\n")
            .end()
    };
    let parts =
        run(&["photo=@a.bin", "more=@b.txt", "more=@a.bin", "note=@b.txt", "--json"]).success().json();
    let file = |name: &str, filename: &str, base64: &str| json!({"name": name, "content_type": "application/octet-stream", "filename": filename, "base64": base64});
    assert_eq!(
        parts["body"],
        json!([
            file("photo", "a.bin", "/wA="),
            file("more", "b.txt", "Ygo="),
            file("more", "a.bin", "/wA="),
            {"name": "note", "content_type": "text/plain", "body": "b"},
        ])
    );
    run(&["photo=@missing.png"]).failure(4, &["the file for `photo`, missing.png, cannot be read"]);
    run(&["note=@a.bin"]).failure(4, &["it is not text"]);
}

#[test]
fn a_dry_run_sends_nothing_and_shows_everything_but_secrets() {
    let upstream = Upstream::answering("200 OK", "application/json", "{}");
    let server = upstream.url.as_str();
    let dry = |words: &[&str]| {
        opentool(["call", "petstore.yaml", "--dry-run", "--server", server].iter().chain(words))
            .variable("OPENTOOL_API_KEY", "hunter2")
            .end()
            .success()
    };
    let request = dry(&["placeOrder", "petId=2", "--json"]).json();
    let keys: Vec<&String> = request.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["method", "url", "headers", "body", "body_kind"]);
    assert_eq!(request["method"], "POST");
    assert_eq!(request["url"], format!("{server}/store/order"));
    assert_eq!((&request["body"], &request["body_kind"]), (&json!({"petId": 2}), &json!("json")));
    let curl = dry(&["deletePet", "petId=2"]);
    assert!(curl.text().starts_with("curl --request DELETE "), "\n{curl}");
    assert!(curl.text().contains("'api_key: ***'"), "\n{curl}");
    assert!(!curl.to_string().contains("hunter2"), "\n{curl}");
    golden("call/curl", &dry(&["addPet", "name=O'Neil", "species=cat"]).text().replace(server, "SERVER"));
    assert_eq!(upstream.requests(), [""; 0]);
}

#[test]
fn credentials_go_where_the_document_says() {
    let shop = Shop::open();
    let delete = |words: &[&str], variable: Option<&str>| {
        let run = opentool(
            ["call", "petstore.yaml", "deletePet", "petId=8", "--server", shop.url.as_str()]
                .iter()
                .chain(words),
        );
        match variable {
            Some(key) => run.variable("OPENTOOL_API_KEY", key).end(),
            None => run.end(),
        }
    };
    let missing = delete(&[], None).failure(
        4,
        &[
            "nothing was sent",
            "an API key for the scheme `api_key`\n",
            "`--api-key`",
            "`OPENTOOL_API_KEY`",
            "`--credential SCHEME=VALUE`",
            "`--anonymous`",
        ],
    );
    assert!(!missing.stderr.contains("(..)"), "no Rust for people\n{missing}");
    delete(&["--anonymous"], None).failure(1, &["401"]);
    let wrong = delete(&[], Some("hunter2")).failure(1, &["401"]);
    assert!(!wrong.stderr.contains("hunter2"), "\n{wrong}");
    delete(&[], Some(opentool_petshop::API_KEY)).success();
    let again = delete(&["--credential", &format!("api_key={}", opentool_petshop::API_KEY)], None);
    again.failure(1, &["404"]);
}

#[test]
fn a_named_source_has_settings_of_its_own() {
    let upstream = Upstream::answering("200 OK", "application/json", "{\"ok\":true}");
    let words = ["call", "shop=petstore.yaml", "shop__getPetById", "petId=1"];
    let server = format!("shop={}", upstream.url);
    let ran = opentool(words.iter().copied().chain(["--server", &server]))
        .variable("OPENTOOL_SHOP_BEARER", "hunter2")
        .end()
        .success();
    assert_eq!(ran.text(), "{\"ok\":true}\n");
    let request = upstream.requests().remove(0);
    assert!(request.starts_with("GET /pet/1 HTTP/1.1\r\n"), "{request}");
    assert!(request.to_ascii_lowercase().contains("\r\nauthorization: bearer hunter2\r\n"), "{request}");
}

#[test]
fn numbers_keep_every_digit_and_files_every_byte() {
    let exact = "{\"n\": 12345678901234567890.12345678901234567890}";
    let upstream = Upstream::answering("200 OK", "application/json", exact);
    let document = get_document(&upstream.url, "/x", "[]");
    let ran = opentool(["call", "api.json", "get"]).file("api.json", document).end().success();
    assert_eq!(ran.text().trim_end(), exact);
    let picture = Upstream::answering("200 OK", "image/png", "\u{89}PNG\r\n");
    let document = get_document(&picture.url, "/x", "[]");
    let ran = opentool(["call", "api.json", "get"]).file("api.json", document).end().success();
    assert_eq!(ran.stdout, "\u{89}PNG\r\n".as_bytes());
}
