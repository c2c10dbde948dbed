//! The cases of `conformance/openapi-requests.jsonl` through the binary, and what `--args-by-location` does besides.

#[path = "../../../../conformance/openapi_requests.rs"]
mod cases;

use serde_json::{Value, json};

use crate::support::{Ran, Shop, get_document, opentool};
use cases::Case;

/// The command line that `conformance/README.md` describes.
fn run(case: &Case) -> Ran {
    let mut line = vec!["call".to_owned(), "api.json".to_owned(), case.operation.clone()];
    line.push(Value::from(case.arguments.clone()).to_string());
    line.extend(["--args-by-location", "--dry-run", "--json"].map(str::to_owned));
    let mut option = |name: &str, value: String| line.extend([name.to_owned(), value]);
    if let Some(url) = &case.document_url {
        option("--document-url", url.clone());
    }
    for (name, value) in &case.server_variables {
        option("--server-variable", format!("{name}={value}"));
    }
    for (scheme, value) in &case.credentials {
        option("--credential", format!("{scheme}={value}"));
    }
    opentool(line).file("api.json", &case.document).end()
}

fn verdict(case: &Case) -> Result<(), String> {
    let ran = run(case);
    let outcome = match ran.code {
        0 => Ok(ran.json()),
        _ if ran.stdout.is_empty() => Err(ran.to_string()),
        _ => return Err(format!("a request and a failure\n{ran}")),
    };
    case.judge(&outcome)?;
    // What a model may write with the tool's own names has to be what this notation says: no warning.
    if ran.stderr.contains("warning") { Err(ran.to_string()) } else { Ok(()) }
}

#[test]
fn every_case() {
    let cases = cases::cases();
    // Starting a program takes longer than what it does.
    let lanes = std::thread::available_parallelism().map_or(2, usize::from);
    let verdicts = std::thread::scope(|scope| {
        let workers: Vec<_> = cases
            .chunks(cases.len().div_ceil(lanes))
            .map(|chunk| {
                scope.spawn(move || {
                    chunk.iter().map(|case| (case.id.clone(), verdict(case))).collect::<Vec<_>>()
                })
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect::<Vec<_>>()
    });
    cases::settle(&verdicts);
}

/// An API with a credential in this place.
fn guarded(place: &str) -> String {
    json!({
        "openapi": "3.1.0",
        "servers": [{"url": "/v1"}],
        "paths": {"/x": {"get": {"operationId": "get", "security": [{"k": []}]}}},
        "components": {"securitySchemes": {"k": {"type": "apiKey", "in": place, "name": "key"}}},
    })
    .to_string()
}

#[test]
fn only_a_credential_of_this_command_line_is_shown_and_only_by_location_in_json() {
    let secret = "hunter2";
    let given = format!("k={secret}");
    for place in ["header", "query", "cookie"] {
        let run = |words: &[&str]| {
            let line =
                ["call", "api.json", "get", "--dry-run", "--document-url", "https://a.test/doc/api.json"];
            opentool(line.iter().chain(words)).file("api.json", guarded(place))
        };
        let shown = |words: &[&str]| {
            let ran = run(words).end().success();
            format!("{}{}", ran.text(), ran.stderr).contains(secret)
        };
        let given = ["--credential", given.as_str()];
        let (by_location, json) = ("--args-by-location", "--json");
        let open = run(&[by_location, json, given[0], given[1]]).end().success().json();
        assert!(open.to_string().contains(secret), "{place}: {open}");
        // Everything else hides it.
        for words in [&[json][..], &[by_location], &[]] {
            assert!(!shown(&[words, &given].concat()), "{place} {words:?}");
        }
        for words in [&[by_location, json][..], &[json], &[by_location], &[]] {
            let ran = run(words).variable("OPENTOOL_API_KEY", secret).end().success();
            assert!(ran.text().contains("***"), "{place} {words:?}\n{ran}");
            assert!(!ran.to_string().contains(secret), "{place} {words:?}\n{ran}");
        }
        // An option that the environment can set too counts as the environment.
        assert!(!shown(&[by_location, json, "--api-key", secret]), "{place}");
    }
}

#[test]
fn credentials_of_two_origins_are_all_hidden() {
    let run = |security: Value| {
        let document = json!({
            "openapi": "3.1.0",
            "servers": [{"url": "https://a.test"}],
            "paths": {"/x": {"get": {"operationId": "get", "security": security}}},
            "components": {"securitySchemes": {
                "k": {"type": "apiKey", "in": "header", "name": "X-Key"},
                "b": {"type": "http", "scheme": "bearer"},
            }},
        });
        let line = "call api.json get --dry-run --args-by-location --json --credential k=typed";
        let run = opentool(line.split(' ')).file("api.json", document.to_string());
        run.variable("OPENTOOL_BEARER", "hunter2").end().success().json()["headers"].clone()
    };
    let both = run(json!([{"k": [], "b": []}]));
    assert_eq!((&both["X-Key"], &both["Authorization"]), (&json!("***"), &json!("Bearer ***")));
    // The request is the one that would be sent, not one that could be shown.
    let first = run(json!([{"b": []}, {"k": []}]));
    assert_eq!((first.get("X-Key"), &first["Authorization"]), (None, &json!("Bearer ***")));
}

#[test]
fn a_real_call_takes_the_notation_and_keeps_to_the_schema() {
    let shop = Shop::open();
    let call = |words: &[&str]| {
        let line = ["call", "shop=petstore.yaml"].iter().chain(words);
        opentool(line.chain(&["--args-by-location", "--server", shop.url.as_str()])).end()
    };
    let pet = call(&["shop__getPetById", "petId=2"]).success().json();
    assert_eq!(pet["name"], "Miso");
    let added = call(&["shop__addPet", r#"{"body": {"name": "Rex", "species": "dog"}}"#]).success().json();
    assert_eq!(added["name"], "Rex");
    let body = r#"{"body": {"name": "Rex", "species": "stone"}}"#;
    call(&["shop__addPet", body]).failure(4, &["/species"]);
    // A dry run shows the request and says what a call would say.
    let dry = call(&["shop__addPet", body, "--dry-run", "--json"]).success();
    assert_eq!(dry.json()["body"]["species"], "stone");
    assert!(dry.stderr.contains("warning") && dry.stderr.contains("/species"), "\n{dry}");
    call(&["shop__addPet", r#"{"name": "Rex"}"#]).failure(4, &["/name", "no argument of this name"]);
    let dry = call(&["shop__getPetById", r#"{"petId": "1?x=2"}"#, "--dry-run"]).success();
    assert!(dry.text().contains("/pet/1%3Fx%3D2"), "\n{dry}");
    call(&["shop__getPetById", r#"{"petId": ".."}"#, "--dry-run"]).failure(4, &["/petId"]);
    call(&["shop__getPet", "petId=2"]).failure(4, &["shop__getPetById"]);
}

#[test]
fn definitions_have_no_locations() {
    let line = ["call", "tools.json", "a", "--args-by-location", "--dry-run"];
    let tools = r#"[{"name": "a", "description": "", "inputSchema": {"type": "object"}}]"#;
    opentool(line).file("tools.json", tools).end().failure(2, &["is for OpenAPI documents"]);
}

#[test]
fn relative_servers_start_from_where_the_document_is_said_to_be() {
    let document = get_document("../api", "/x", "[]");
    let line = ["call", "api.json", "get", "--dry-run"];
    let run = |words: &[&str]| opentool(line.iter().chain(words)).file("api.json", &document).end();
    let ran = run(&["--document-url", "https://docs.test/specs/v1/openapi.json"]).success();
    assert!(ran.text().contains("https://docs.test/specs/api/x"), "\n{ran}");
    run(&[]).failure(4, &["it is relative"]);
    run(&["--document-url", "specs/openapi.json"])
        .failure(2, &["`--document-url` is not an http(s) address"]);
}

#[test]
fn what_a_configuration_sets_is_sent_by_location_too() {
    let parameter = |name: &str| json!({"name": name, "in": "query", "schema": {"type": "string"}});
    let body = json!({"required": true, "content": {"application/json": {"schema": {"type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}}}});
    let document = json!({"openapi": "3.1.0", "servers": [{"url": "https://a.test"}], "paths": {"/x": {"post": {
        "operationId": "x", "parameters": [parameter("q"), parameter("s")], "requestBody": body}}}});
    let config =
        "operations: {x: {arguments: {q: {value: fixed}, b: {value: always}, s: {value: 'env:NOT_SET'}}}}";
    let line = ["call", "api.json", "x", r#"{"body": {"a": "mine"}}"#, "--config", "c.yaml"];
    let run = opentool(line.iter().chain(&["--args-by-location", "--dry-run", "--json"]));
    let shown = run.file("api.json", document.to_string()).file("c.yaml", config).end().success().json();
    assert_eq!(shown["url"], "https://a.test/x?q=fixed&s=***", "{shown}");
    assert_eq!(shown["body"], json!({"a": "mine", "b": "always"}), "{shown}");
}
