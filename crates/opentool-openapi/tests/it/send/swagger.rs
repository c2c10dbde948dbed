//! What only Swagger 2.0 has on the wire: every `collectionFormat` in every place.

use opentool_openapi::{Api, parse};
use serde_json::{Value, json};

fn api(place: &str, format: Option<&str>, consumes: &str) -> Api {
    let mut parameter =
        json!({"name": "l", "in": place, "required": true, "type": "array", "items": {"type": "string"}});
    if let Some(format) = format {
        parameter["collectionFormat"] = json!(format);
    }
    let path = if place == "path" { "/a/{l}" } else { "/a" };
    let document = json!({
        "swagger": "2.0", "host": "api.test",
        "paths": {path: {"post": {"operationId": "post", "consumes": [consumes], "parameters": [parameter]}}}
    });
    parse(document.to_string(), "swagger.json").unwrap()
}

fn sent(api: &Api) -> Value {
    assert!(api.diagnostics().is_empty(), "{:?}", api.diagnostics());
    api.request("post", &json!({"l": ["a", "b c"]}).as_object().unwrap().clone().into()).unwrap().to_json()
}

const FORM: &str = "application/x-www-form-urlencoded";

#[test]
fn a_list_is_written_by_its_format_wherever_it_stands() {
    for (format, path, header, form) in [
        (None, "a,b%20c", "a,b c", "a,b%20c"),
        (Some("csv"), "a,b%20c", "a,b c", "a,b%20c"),
        (Some("ssv"), "a%20b%20c", "a b c", "a%20b%20c"),
        (Some("tsv"), "a%09b%20c", "a\tb c", "a%09b%20c"),
        (Some("pipes"), "a%7Cb%20c", "a|b c", "a%7Cb%20c"),
    ] {
        assert_eq!(
            sent(&api("path", format, FORM))["url"],
            format!("https://api.test/a/{path}"),
            "{format:?}"
        );
        assert_eq!(
            sent(&api("query", format, FORM))["url"],
            format!("https://api.test/a?l={form}"),
            "{format:?}"
        );
        assert_eq!(sent(&api("header", format, FORM))["headers"]["l"], header, "{format:?}");
        assert_eq!(sent(&api("formData", format, FORM))["body"], format!("l={form}"), "{format:?}");
        let parts = sent(&api("formData", format, "multipart/form-data"))["body"].clone();
        assert_eq!(parts, json!([{"name": "l", "content_type": "text/plain", "body": header}]), "{format:?}");
    }
    assert_eq!(sent(&api("query", Some("multi"), FORM))["url"], "https://api.test/a?l=a&l=b%20c");
    assert_eq!(sent(&api("formData", Some("multi"), FORM))["body"], "l=a&l=b%20c");
    let parts = sent(&api("formData", Some("multi"), "multipart/form-data"))["body"].clone();
    assert_eq!(parts.as_array().unwrap().len(), 2);
    let told = api("header", Some("multi"), FORM).diagnostics()[0].to_string();
    assert!(told.contains("`multi` does not exist for header parameters; `csv` is used"), "{told}");
}

/// No document in use has them.
#[test]
fn lists_within_lists_are_json_and_that_is_told() {
    let list = json!({"name": "l", "in": "query", "type": "array", "collectionFormat": "pipes",
        "items": {"type": "array", "collectionFormat": "csv", "items": {"type": "integer"}}});
    let document = json!({"swagger": "2.0", "host": "api.test",
        "paths": {"/a": {"get": {"operationId": "get", "parameters": [list]}}}});
    let api = parse(document.to_string(), "swagger.json").unwrap();
    let told = api.diagnostics()[0].to_string();
    assert!(told.contains("[parameter-style]: lists within a list are written as JSON"), "{told}");
    assert!(told.contains("(at /paths/~1a/get/parameters/0/items)"), "{told}");
    let arguments = json!({"l": [[1, 2], [3]]}).as_object().unwrap().clone().into();
    let sent = api.request("get", &arguments).unwrap().to_json();
    assert_eq!(sent["url"], "https://api.test/a?l=%5B1%2C2%5D%7C%5B3%5D");
}
