//! Texts that are no usable document: each with its own clear message.

use opentool_openapi::{Api, OpenApiError, parse};
use serde_json::json;

use super::with_operation;

fn error(text: impl AsRef<[u8]>, name: &str) -> OpenApiError {
    parse(text, name).map(|api: Api| api.operations().len()).unwrap_err()
}

fn message(text: impl AsRef<[u8]>) -> String {
    error(text, "api").to_string()
}

#[test]
fn texts_that_are_no_document_are_told_apart() {
    let cases: &[(&str, &str)] = &[
        ("", "api: error[empty]: the document is empty"),
        (" \n\t\n", "api: error[empty]: the document is empty"),
        ("# only a comment\n", "api: error[empty]: the document is empty but for comments"),
        ("hello world", "api: error[not-a-document]: this is plain text"),
        ("<!DOCTYPE html><html></html>", "api: error[html]: this is an HTML or XML page"),
        ("[1, 2]", "api:1:1: error[not-openapi]: this is a list"),
        ("- a\n- b\n", "api:1:1: error[not-openapi]: this is a list"),
        ("42", "api:1:1: error[not-openapi]: this is a number"),
        ("{}", "it has no `openapi` member"),
        (r#"{"swagger": "1.2", "paths": {}}"#, "api:1:2: error[version]: this is a Swagger 1.2 document"),
        (r#"{"openapi": "4.0.0", "paths": {}}"#, "OpenAPI version `4.0.0` is not known"),
        (r#"{"openapi": {}, "paths": {}}"#, "`openapi` is an object, not a version"),
        (r#"{"openapi": "3.0.0", "info": {}}"#, "api:1:1: error[no-paths]: the document has no `paths`"),
        (r#"{"openapi": "3.0.0", "paths": []}"#, "api:1:22: error[paths-not-object]: `paths` is a list"),
    ];
    for (text, expected) in cases {
        let message = message(text);
        assert!(message.contains(expected), "{text:?}\n gives {message}\n not  {expected}");
    }
}

#[test]
fn broken_json_names_line_and_column() {
    let text = "{\n  \"openapi\": \"3.0.0\",\n  \"paths\": {,}\n}";
    let error = error(text, "api.json");
    assert!(matches!(error, OpenApiError::Syntax(_)));
    assert!(
        error.to_string().starts_with("api.json:3:13: error[json-syntax]: this is not valid JSON"),
        "{error}"
    );
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let found = message(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    assert!(found.contains("error[encoding]: this is no text (byte 0)"), "{found}");
}

#[test]
fn a_byte_order_mark_is_no_fault() {
    let text = format!("\u{feff}{}", with_operation(&json!({})));
    assert_eq!(parse(text, "api.json").unwrap().operations().len(), 1);
}

#[test]
fn the_name_of_a_file_does_not_decide_what_it_is() {
    let yaml = "openapi: 3.0.0\npaths: {/a: {get: {}}}\n";
    assert_eq!(parse(yaml, "api.json").unwrap().operations().len(), 1);
    let json = with_operation(&json!({}));
    assert_eq!(parse(json, "api.yaml").unwrap().operations().len(), 1);
}

#[test]
fn a_document_without_a_usable_operation_names_the_first_fault() {
    let text = r#"{"openapi": "3.0.0", "paths": {"/a": {"get": 5}, "/b": "x"}}"#;
    let error = error(text, "api.json");
    assert!(matches!(error, OpenApiError::NoOperations { .. }), "{error:?}");
    let message = error.to_string();
    assert!(message.contains("it has 2, and none can be used"), "{message}");
    assert!(message.contains("api.json:1:39: error[operation]: the operation is a number"), "{message}");
}

#[test]
fn paths_in_another_file_are_named_as_the_cause() {
    let error = message("openapi: 3.0.0\npaths: {$ref: ./paths.yaml}\n");
    assert!(error.contains("api:2:9: error[ref-external]: `./paths.yaml` is in another document"), "{error}");
}

#[test]
fn a_document_of_webhooks_only_has_no_tools_and_says_why() {
    let api = parse(r#"{"openapi": "3.1.0", "webhooks": {"a": {"post": {}}}}"#, "api.json").unwrap();
    assert!(api.tools().unwrap().is_empty());
    assert_eq!(api.diagnostics()[0].code, "only-webhooks");
}

#[test]
fn a_document_whose_paths_are_empty_has_no_tools_and_says_so() {
    for paths in ["{}", r#"{"/a": {}}"#] {
        let api = parse(format!(r#"{{"openapi": "3.0.0", "paths": {paths}}}"#), "api.json").unwrap();
        assert!(api.tools().unwrap().is_empty());
        let told = api.diagnostics()[0].to_string();
        assert!(
            told.starts_with("api.json:1:22: warning[no-operations]: `paths` holds no operation"),
            "{told}"
        );
    }
}

#[test]
fn a_newer_version_is_read_by_the_rules_of_the_newest_known() {
    let text = with_operation(&json!({})).replace("3.0.3", "3.9.0");
    let api = parse(text, "api.json").unwrap();
    assert_eq!(api.operations().len(), 1);
    assert_eq!(api.diagnostics()[0].code, "version");
}

#[test]
fn equal_keys_in_json_are_told() {
    let text = r#"{"openapi": "3.0.0", "paths": {"/a": {"get": {"operationId": "x",
        "operationId": "y"}}}}"#;
    let api = parse(text, "api.json").unwrap();
    assert_eq!(api.operations()[0].name, "y");
    let told = api.diagnostics()[0].to_string();
    assert!(
        told.starts_with("api.json:2:9: error[duplicate-key]: the key `operationId` stands twice"),
        "{told}"
    );
}

#[test]
fn secrets_in_an_address_are_not_shown() {
    let error = error("", "https://user:password@example.com/api.json?key=secret").to_string();
    assert!(error.starts_with("https://example.com/api.json?…: error[empty]"), "{error}");
}

#[test]
fn a_server_that_is_no_address_is_refused_before_anything_is_called() {
    let api = parse(with_operation(&json!({})), "api.json").unwrap();
    let error = api.clone().server("ftp://example.com").tools().unwrap_err();
    assert!(error.to_string().contains("`ftp://example.com` cannot be used"), "{error}");
    assert!(api.server("https://example.com").tools().is_ok());
}

#[test]
fn headers_that_nobody_can_send_are_no_arguments() {
    let header =
        |name: &str| json!({"name": name, "in": "header", "required": true, "schema": {"type": "string"}});
    let parameters =
        json!([header("X\r\nEvil"), header("a b"), header("Transfer-Encoding"), header("X-Fine")]);
    let api = parse(with_operation(&json!({"parameters": parameters})), "api.json").unwrap();
    assert_eq!(api.operations()[0].arguments().collect::<Vec<_>>(), ["X-Fine"]);
    let told: Vec<String> = api.diagnostics().iter().map(|found| found.message.clone()).collect();
    assert_eq!(
        told,
        [
            "the header parameter `X\\r\\nEvil` has a name that no header can have; it is left out",
            "the header parameter `a b` has a name that no header can have; it is left out",
            "the header parameter `Transfer-Encoding` belongs to the transport and cannot be set; it is left out",
        ]
    );
}

#[test]
fn operations_that_ask_for_what_cannot_be_given_are_told() {
    let text = json!({"openapi": "3.1.0", "info": {}, "components": {"securitySchemes": {
            "d": {"type": "http", "scheme": "Digest"}, "h": {"type": "http", "scheme": "hoba"}, "k": {"type": "http", "scheme": "basic"}}},
        "security": [{"d": []}], "paths": {
            "/a": {"get": {"operationId": "a"}, "put": {"operationId": "b", "security": [{"d": [], "k": []}]}},
            "/b": {"get": {"operationId": "c", "security": [{"d": []}, {"k": []}]},
                   "put": {"operationId": "e", "security": [{"h": []}, {}]}, "post": {"operationId": "f", "security": [{"gone": []}]}}}});
    let api = opentool_openapi::parse(text.to_string(), "a.json").unwrap();
    let found = api.diagnostics().iter().filter(|found| found.code == "security-unsupported");
    let found: Vec<String> = found.map(ToString::to_string).collect();
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found[0].contains("warning[security-unsupported]: the security scheme `d` (http digest) is not supported; 2 operations need \
                           it (`a`, `b`), and they are refused when called (at /components/securitySchemes/d)")
            && found[0].contains("`--header`"),
        "{found:?}"
    );
    assert!(
        found[1].contains("note[")
            && found[1].contains("`h` (http hoba)")
            && found[1].contains("take another"),
        "{found:?}"
    );
    let refused = api.server("https://a.test").request("a", &Default::default()).unwrap_err().to_string();
    assert!(
        refused.contains("what the scheme `d` asks for (http digest), which is not supported"),
        "{refused}"
    );
}

#[test]
fn what_is_no_parameter_is_left_out_and_the_operation_stays() {
    let q = json!({"name": "q", "in": "query", "schema": {"type": "string"}});
    for (parameters, code, names) in [
        (json!([q, 7]), "parameter", vec!["q"]),
        (json!([null, q, "x"]), "parameter", vec!["q"]),
        (json!([q, null]), "parameter", vec!["q"]),
        (json!(7), "parameters", vec![]),
        (json!({"q": q}), "parameters", vec![]),
    ] {
        let api = parse(with_operation(&json!({"parameters": parameters})), "api.json").unwrap();
        assert_eq!(api.operations()[0].arguments().collect::<Vec<_>>(), names, "{parameters}");
        let told = api.diagnostics()[0].to_string();
        assert!(told.contains(&format!("error[{code}]")) && told.contains("left out"), "{told}");
    }
}

#[test]
fn an_operation_of_which_nothing_is_said_is_one() {
    let api = parse(with_operation(&json!(null)), "api.json").unwrap();
    assert_eq!(api.operations().len(), 1);
    let told = api.diagnostics()[0].to_string();
    assert!(told.contains("warning[operation]: the operation is null; it is read as `{}`"), "{told}");
    // Beside others it says that there is none.
    let text = r#"{"openapi": "3.0.0", "paths": {"/a": {"get": {}, "put": null}}}"#;
    assert_eq!(parse(text, "api.json").unwrap().operations().len(), 1);
}

#[test]
fn a_document_that_does_not_say_its_version_is_read_by_what_it_looks_like() {
    let paths = r#""paths": {"/a": {"get": {"parameters": [{"name": "b", "in": "body", "schema": {"type": "object"}}]}}}"#;
    for (head, rules) in [
        ("", "3.1"),
        (r#""openapi": "", "#, "3.1"),
        (r#""openapi": null, "info": {}, "#, "3.1"),
        (r#""swagger": null, "basePath": "/v1", "#, "2.0"),
        (r#""definitions": {}, "#, "2.0"),
    ] {
        let api = parse(format!("{{{head}{paths}}}"), "api.json").unwrap();
        assert_eq!(api.operations().len(), 1, "{head}");
        let told = api.diagnostics()[0].to_string();
        let expected = format!(
            "warning[version]: the document does not say of which version it is; it is read by the rules of {rules}"
        );
        assert!(told.contains(&expected), "{told}");
    }
    // Without paths it says nothing that would make it one.
    for text in [r#"{"openapi": null}"#, r#"{"openapi": "", "paths": []}"#, r#"{"components": {}}"#] {
        assert!(matches!(error(text, "api.json"), OpenApiError::NotOpenApi(_)), "{text}");
    }
}
