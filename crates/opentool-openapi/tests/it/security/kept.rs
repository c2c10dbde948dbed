//! Arguments that are secrets of the host: on the wire, and nowhere else.

use opentool_core::ToolError;
use opentool_openapi::{Api, Config, SecretSource};
use opentool_schema::ToolSetExt as _;
use serde_json::{Value, json};

use super::wire::{Wire, call, document, given};

const SECRET: &str = "s3cret/an&d more\"";

/// An operation that takes the secret in this place.
fn api(wire: &Wire, operation: &Value, reference: &str) -> Api {
    let api = document(&json!({"openapi": "3.1.0", "paths": {"/s": {"post": operation}}})).server(&wire.url);
    let config = json!({"operations": {"*": {"arguments": {"t": {"value": reference}}}}});
    api.configure(&serde_json::from_value::<Config>(config).unwrap()).unwrap()
}

fn parameter(place: &str) -> Value {
    json!({"operationId": "s", "parameters": [
        {"name": "t", "in": place, "schema": {"type": "string"}, "required": true},
        {"name": "q", "in": "query", "schema": {"type": "integer"}}]})
}

fn body(media_type: &str) -> Value {
    json!({"operationId": "s", "parameters": [{"name": "q", "in": "query", "schema": {"type": "integer"}}],
        "requestBody": {"required": true, "content": {media_type: {"schema": {"type": "object", "required": ["t"],
            "properties": {"t": {"type": "string"}}}}}}})
}

fn all(error: &ToolError) -> String {
    let mut text = format!("{error:?}\n{error}\n{}", error.for_model());
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text.push_str(&format!("\n{error}\n{error:?}"));
        cause = error.source();
    }
    text
}

#[tokio::test]
async fn a_secret_argument_is_sent_and_never_shown() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    std::fs::write(&file, SECRET).unwrap();
    let reference = format!("file:{}", file.display());
    for operation in [
        parameter("query"),
        parameter("header"),
        parameter("cookie"),
        body("application/json"),
        body("application/x-www-form-urlencoded"),
        body("multipart/form-data"),
    ] {
        let said = json!({"message": format!("no {SECRET}")}).to_string();
        let answer = format!(
            "HTTP/1.1 400 Bad\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{said}",
            said.len()
        );
        let wire = Wire::answering(answer.into_bytes()).await;
        let api = api(&wire, &operation, &reference);
        let tools = api.tools().unwrap();
        let definition = format!("{:?}", tools.find("s").unwrap().definition());
        assert!(!definition.contains("\"t\"") && !definition.contains(&reference), "{definition}");
        // A model cannot set it.
        let own = opentool_core::ToolCall::new("1", "s", json!({"t": "mine"}).as_object().unwrap().clone());
        assert!(tools.check(&own).is_err());
        // What is not sent has a mask, and nothing is read for it.
        std::fs::rename(&file, folder.path().join("away")).unwrap();
        let shown = api.request("s", &given(json!({"q": 7}))).unwrap();
        std::fs::rename(folder.path().join("away"), &file).unwrap();
        let page = format!("{shown:?} {} {} {}", shown.to_json(), shown.to_curl(), shown.summary());
        assert!(page.contains("***") && page.contains("q=7"), "{page}");
        // What is sent is not shown when it comes back.
        let error = call(&api, json!({"q": 7})).await.unwrap_err();
        assert_eq!(error.for_model(), "HTTP 400 Bad Request: no ***");
        assert!(!all(&error).contains("s3cret"), "{}", all(&error));
        assert_eq!(wire.heads().len(), 1);
    }
}

#[tokio::test]
async fn a_secret_argument_is_what_is_sent() {
    let wire = Wire::open().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    std::fs::write(&file, "one\n").unwrap();
    let api = api(&wire, &parameter("query"), &format!("file:{}", file.display()));
    call(&api, json!({"q": 7})).await.unwrap();
    let target = wire.target();
    assert!(target.contains("t=one") && target.contains("q=7"), "{target}");
    // One that a service refuses is read once more.
    let refusing =
        Wire::answering(b"HTTP/1.1 401 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_vec()).await;
    let api = api.server(&refusing.url);
    std::fs::write(&file, "two").unwrap();
    call(&api, json!({})).await.unwrap_err();
    let targets: Vec<bool> = refusing.heads().iter().map(|head| head.contains("t=two")).collect();
    assert_eq!(targets, [false, true]);
    // What cannot be sent, or read, is said without it.
    for (held, why) in
        [("a\tb\u{1}s3cret", "cannot be sent in its place"), ("", "cannot be read where it is kept")]
    {
        std::fs::write(&file, held).unwrap();
        let api = self::api(&wire, &parameter("header"), &format!("file:{}", file.display()));
        let error = call(&api, json!({})).await.unwrap_err();
        assert!(error.for_model().contains(why), "{error}");
        assert!(!all(&error).contains("s3cret"), "{}", all(&error));
    }
    assert_eq!(wire.heads(), [""; 0]);
}

#[test]
fn places_are_written_as_for_credentials() {
    for (text, place) in [
        ("env:TOKEN", Some("the environment variable `TOKEN`")),
        ("file:/a/b", Some("the file `/a/b`")),
        ("command:pass show 'a b'", Some("the command `pass`")),
        ("env:", None),
        ("files", None),
    ] {
        let source = SecretSource::parse(text).unwrap();
        assert_eq!(
            source.map(|source| format!("{source:?}")),
            place.map(|place| format!("SecretSource({place})"))
        );
    }
    assert!(SecretSource::parse("command: ").is_err());
}

/// A form in which a document asks for the credential once more is filled by the host, where it has it.
#[tokio::test]
async fn a_credential_in_a_form_is_no_argument() {
    let wire = Wire::open().await;
    let described = json!({"type": "string", "description": "Authentication token. Requires scope: `x`"});
    let form = json!({"application/x-www-form-urlencoded": {"schema": {"type": "object", "required": ["token", "name"],
        "properties": {"token": described, "name": {"type": "string"}, "key": {"type": "string"}}}}});
    let api = |scheme: Value| {
        document(&json!({"openapi": "3.0.0", "components": {"securitySchemes": {"s": scheme}}, "security": [{"s": []}],
            "paths": {"/s": {"post": {"operationId": "s", "requestBody": {"required": true, "content": form}}}}}))
        .server(&wire.url)
    };
    let bearer = || api(json!({"type": "http", "scheme": "bearer"}));
    let key = || api(json!({"type": "apiKey", "in": "query", "name": "key"}));
    for (api, arguments, body) in [
        (bearer().bearer("s3cret-token"), vec!["name", "key"], json!("name=a&token=***")),
        (key().api_key("s3cret-token"), vec!["token", "name"], json!("name=a&key=***")),
        // Nobody else has it.
        (
            bearer().missing_credentials(opentool_openapi::MissingCredentials::SendWithout),
            vec!["token", "name", "key"],
            json!("name=a"),
        ),
    ] {
        let tools = api.tools().unwrap();
        let schema = &tools.find("s").unwrap().definition().input_schema;
        let names: Vec<&str> = schema.properties().map(|(name, _)| name).collect();
        assert_eq!(names, arguments);
        let request = api.request("s", &given(json!({"name": "a"}))).unwrap();
        assert_eq!(request.to_json()["body"], body);
        assert!(!format!("{request:?} {}", request.to_curl()).contains("s3cret"), "{request:?}");
        if body != "name=a" {
            assert!(request.to_json_with_secrets()["body"].as_str().unwrap().contains("s3cret-token"));
            // Whatever an argument says in its place.
            let own = api.request("s", &given(json!({"name": "a", "token": "mine", "key": "mine"}))).unwrap();
            let sent = own.to_json_with_secrets()["body"].as_str().unwrap().to_owned();
            assert_eq!(sent.matches("mine").count(), 1, "{sent}");
        }
    }
    // What is kept elsewhere is not read for what is not sent.
    let kept = bearer().bearer_from(SecretSource::environment("NOT_SET_ANYWHERE"));
    assert_eq!(
        kept.request("s", &given(json!({"name": "a"}))).unwrap().to_json()["body"],
        "name=a&token=***"
    );
}

/// A secret with signs that JSON escapes, in a text of JSON in an address: escaped twice, and covered all the same.
#[tokio::test]
async fn a_secret_that_json_escapes_is_covered_in_an_address() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("word");
    std::fs::write(&file, r#"hunter2"sec\ret"#).unwrap();
    let reference = format!("file:{}", file.display());
    let parameter = json!({"operationId": "s", "parameters": [
        {"name": "t", "in": "query", "required": true, "content": {"application/json": {"schema": {"type": "string"}}}}]});
    let echoes = [
        r"no %22hunter2%5C%22sec%5C%5Cret%22",
        r#"no "hunter2\"sec\\ret""#,
        r#"no hunter2"sec\ret"#,
        r"no %22hunter2%22sec%5Cret%22",
    ];
    for echo in echoes {
        for status in ["200 OK", "400 Bad"] {
            let answer = format!(
                "HTTP/1.1 {status}\r\ncontent-type: text/plain\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{echo}",
                echo.len()
            );
            let wire = Wire::answering(answer.into_bytes()).await;
            let shown = match call(&api(&wire, &parameter, &reference), json!({})).await {
                Ok(output) => format!("{output:?}"),
                Err(error) => all(&error),
            };
            assert!(shown.contains("***") && !shown.contains("hunter2"), "{echo} {status}: {shown}");
            assert_eq!(wire.target(), "POST /s?t=%22hunter2%5C%22sec%5C%5Cret%22");
        }
    }
    // Where nobody answers.
    let gone = self::api(&Wire::open().await, &parameter, &reference).server("http://127.0.0.1:1");
    let error = call(&gone, json!({})).await.unwrap_err();
    assert!(!all(&error).contains("hunter2"), "{}", all(&error));
}

/// Where a secret is kept there are texts only; what is sent is what the document asks for.
#[tokio::test]
async fn a_secret_argument_is_sent_as_its_type() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("word");
    let reference = format!("file:{}", file.display());
    let parameter = |schema: Value| {
        json!({"operationId": "s", "parameters": [
            {"name": "t", "in": "query", "required": true, "content": {"application/json": {"schema": schema}}}]})
    };
    for (schema, kept, sent) in [
        (json!({"type": "integer"}), "4242", Some("4242")),
        (json!({"type": ["number", "null"]}), "1.5", Some("1.5")),
        (json!({"type": "boolean"}), "true", Some("true")),
        (json!({"type": "string"}), "4242", Some("%224242%22")),
        (json!({"type": ["string", "integer"]}), "4242", Some("%224242%22")),
        (json!({}), "4242", Some("%224242%22")),
        (json!({"enum": [1, 2]}), "2", Some("2")),
        (json!({"$ref": "#/components/schemas/N"}), "4242", Some("4242")),
        (json!({"type": "array", "items": {"type": "integer"}}), "[1]", Some("%5B1%5D")),
        (json!({"type": "integer"}), "s3cret", None),
        (json!({"type": "boolean"}), "s3cret", None),
    ] {
        std::fs::write(&file, kept).unwrap();
        let wire = Wire::open().await;
        let api =
            document(&json!({"openapi": "3.1.0", "components": {"schemas": {"N": {"type": "integer"}}},
            "paths": {"/s": {"post": parameter(schema.clone())}}}))
            .server(&wire.url);
        let config = json!({"operations": {"s": {"arguments": {"t": {"value": reference}}}}});
        let api = api.configure(&serde_json::from_value::<Config>(config).unwrap()).unwrap();
        assert_eq!(
            api.request("s", &given(json!({}))).unwrap().to_json()["url"].as_str().unwrap().split('=').nth(1),
            Some("%22***%22")
        );
        match (call(&api, json!({})).await, sent) {
            (Ok(_), Some(sent)) => assert_eq!(wire.target(), format!("POST /s?t={sent}"), "{schema}"),
            (Err(error), None) => {
                assert!(error.for_model().contains("what the operator has set for `t`"), "{error}");
                assert!(!all(&error).contains("s3cret"), "{}", all(&error));
            }
            (result, _) => panic!("{schema} {kept}: {result:?}"),
        }
    }
}

/// What is outside of JSON is a text, which a document cannot ask to be written otherwise.
#[tokio::test]
async fn a_secret_that_is_a_text_on_the_wire_is_sent_as_it_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("word");
    let reference = format!("file:{}", file.display());
    let of_parameter = |place: &str, schema: &Value| {
        let mut operation = parameter(place);
        operation["parameters"][0]["schema"] = schema.clone();
        operation
    };
    let of_body = |media_type: &str, schema: &Value| {
        let mut operation = body(media_type);
        operation["requestBody"]["content"][media_type]["schema"]["properties"]["t"] = schema.clone();
        operation
    };
    let mut described = of_body("multipart/form-data", &json!({"type": "integer"}));
    described["requestBody"]["content"]["multipart/form-data"]["encoding"] =
        json!({"t": {"contentType": "application/json"}});
    let (integer, boolean) = (json!({"type": "integer"}), json!({"type": "boolean"}));
    for (operation, kept, sent) in [
        (of_parameter("query", &integer), "0042", Some("/s?t=0042 ")),
        (of_parameter("query", &boolean), "True", Some("/s?t=True ")),
        (of_parameter("header", &integer), "0042", Some("t: 0042\r\n")),
        (of_parameter("cookie", &integer), "0042", Some("t=0042")),
        (of_body("application/x-www-form-urlencoded", &integer), "0042", Some("POST")),
        (of_body("multipart/form-data", &boolean), "True", Some("POST")),
        (of_body("application/json", &integer), "0042", None),
        (of_body("application/json", &boolean), "True", None),
        (described, "0042", None),
    ] {
        std::fs::write(&file, kept).unwrap();
        let wire = Wire::open().await;
        match (call(&api(&wire, &operation, &reference), json!({})).await, sent) {
            (Ok(_), Some(sent)) => assert!(wire.heads()[0].contains(sent), "{operation}: {:?}", wire.heads()),
            (Err(error), None) => {
                assert!(error.for_model().contains("what the operator has set for `t`"), "{error}");
                assert_eq!(wire.heads(), [""; 0]);
            }
            (result, _) => panic!("{operation} {kept}: {result:?}"),
        }
    }
}

/// A secret that is no text is written anew: what it holds is covered, however it comes back.
#[tokio::test]
async fn a_secret_of_several_values_is_covered() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("word");
    let reference = format!("file:{}", file.display());
    let query = |schema: Value, style: &str| {
        json!({"operationId": "s", "parameters": [
            {"name": "t", "in": "query", "required": true, "style": style, "explode": style != "pipeDelimited", "schema": schema}]})
    };
    let in_body = |media_type: &str, schema: Value| {
        json!({"operationId": "s", "requestBody": {"content": {media_type: {"schema": {"type": "object",
            "properties": {"t": schema}}}}}})
    };
    let whole = |schema: Value| json!({"operationId": "s", "requestBody": {"content": {"application/json": {"schema": schema}}}});
    let (list, object) = (json!({"type": "array"}), json!({"type": "object"}));
    for (operation, argument, kept, echo) in [
        (
            in_body("application/json", object.clone()),
            "t",
            r#"{"a":"objhunter2"}"#,
            r#"{"t": {"a": "objhunter2"}}"#,
        ),
        (
            in_body("application/json", list.clone()),
            "t",
            r#"["a",["objhunter2"]]"#,
            r#"{"t": ["a", ["objhunter2"]]}"#,
        ),
        (in_body("application/json", object.clone()), "t", r#"{"a":8877665}"#, r#"{"t": {"a": 8877665}}"#),
        (
            in_body("multipart/form-data", object.clone()),
            "t",
            r#"{"a": "objhunter2"}"#,
            r#"{"detail": "t: {\"a\":\"objhunter2\"}"}"#,
        ),
        (query(list, "pipeDelimited"), "t", r#"["objhunter2", "hunter2b"]"#, "objhunter2%7Chunter2b"),
        (query(object, "deepObject"), "t", r#"{"a": "objhunter2"}"#, "t[a]=objhunter2"),
        (query(json!({"type": "number"}), "form"), "t", "8.877665e6", r#"{"t": 8877665.0}"#),
        (query(json!({"type": "number"}), "form"), "t", "8.877665e6", r#"{"t": 8877665}"#),
        (query(json!({"type": "integer"}), "form"), "t", "8877665.0", r#"{"t": 8877665}"#),
        (
            whole(json!({"type": "array", "items": {"type": "string"}})),
            "body",
            r#"["objhunter2"]"#,
            r#"["objhunter2"]"#,
        ),
    ] {
        std::fs::write(&file, kept).unwrap();
        for status in ["200 OK", "422 No"] {
            let answer = format!(
                "HTTP/1.1 {status}\r\ncontent-type: {}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{echo}",
                if echo.starts_with(['{', '[']) { "application/json" } else { "text/plain" },
                echo.len()
            );
            let wire = Wire::answering(answer.into_bytes()).await;
            let api = document(&json!({"openapi": "3.1.0", "paths": {"/s": {"post": operation}}}))
                .server(&wire.url);
            let config = json!({"operations": {"s": {"arguments": {argument: {"value": reference}}}}});
            let api = api.configure(&serde_json::from_value::<Config>(config).unwrap()).unwrap();
            let shown = match call(&api, json!({})).await {
                Ok(output) => format!("{output:?}"),
                Err(error) => all(&error),
            };
            let is_covered = !shown.contains("hunter2") && !shown.contains("8877665");
            assert!(shown.contains("***") && is_covered, "{operation} {status}: {shown}");
            assert_eq!(wire.heads().len(), 1);
        }
    }
}

#[test]
fn a_place_within_a_value_is_refused() {
    let api = document(&json!({"openapi": "3.1.0", "paths": {"/s": {"post": body("application/json")}}}));
    for value in [json!({"s": "env:PW"}), json!([{"a": ["file:/a/b"]}])] {
        let config = json!({"operations": {"s": {"arguments": {"t": {"value": value}}}}});
        let error = api.clone().configure(&serde_json::from_value::<Config>(config).unwrap()).unwrap_err();
        assert!(error.to_string().contains("whole argument"), "{error}");
        assert!(error.to_string().contains("/operations/s/arguments/t/value/"), "{error}");
    }
}
