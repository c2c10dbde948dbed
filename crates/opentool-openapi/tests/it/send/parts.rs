//! Parts of multipart bodies: their headers, and the styles that some versions allow for them.

use opentool_core::{Arguments, ToolCall};
use opentool_openapi::mock::Mock;
use opentool_openapi::{Api, parse};
use opentool_schema::ToolSetExt as _;
use serde_json::{Value, json};

fn api(version: &str, encoding: Value) -> Api {
    let properties = json!({
        "meta": {"type": "object"},
        "file": {"type": "string", "format": "binary"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "size": {"type": "object", "properties": {"w": {"type": "integer"}, "h": {"type": "integer"}}}
    });
    let content = json!({"multipart/form-data": {"schema": {"type": "object", "properties": properties},
        "encoding": encoding}});
    let headers = json!({"Level": {"required": true, "schema": {"$ref": "#/components/schemas/Level"}}});
    let document = json!({
        "openapi": version,
        "servers": [{"url": "https://api.test"}],
        "components": {"headers": headers, "schemas": {"Level": {"type": "integer", "maximum": 9}}},
        "paths": {"/p": {"post": {"operationId": "post", "requestBody": {"content": content}}}}
    });
    parse(document.to_string(), "parts.json").unwrap()
}

/// The parts for arguments that were checked as a model's are.
fn parts(api: &Api, arguments: Value) -> Result<Value, String> {
    let call = ToolCall::new("1", "post", arguments);
    let arguments: Arguments = api.tools().unwrap().check(&call).map_err(|error| error.for_model())?;
    let request = api.request("post", &arguments).map_err(|error| error.for_model())?;
    Ok(request.to_json()["body"].clone())
}

#[test]
fn what_the_document_fixes_is_sent_and_the_rest_is_the_callers() {
    let encoding = json!({
        "meta": {"contentType": "application/json", "headers": {
            "X-Kind": {"schema": {"const": "meta"}},
            "Content-Type": {"schema": {"const": "text/evil"}}}},
        "file": {"headers": {
            "X-Level": {"$ref": "#/components/headers/Level"},
            "X-List": {"schema": {"type": "array", "items": {"type": "string"}}}}}
    });
    let api = api("3.0.3", encoding);
    let file = json!({"$base64": "AQ==", "headers": {"X-Level": 3, "X-List": ["a", "b"]}});
    assert_eq!(
        parts(&api, json!({"meta": {"a": 1}, "file": file})).unwrap(),
        json!([
            {"name": "meta", "content_type": "application/json", "headers": {"x-kind": "meta"}, "json": {"a": 1}},
            {"name": "file", "content_type": "application/octet-stream", "filename": "file",
             "headers": {"x-level": "3", "x-list": "a,b"}, "base64": "AQ=="}
        ])
    );
    // Needed, and checked as arguments are.
    for (file, said) in [
        (json!({"$base64": "AQ=="}), "headers"),
        (json!({"$base64": "AQ==", "headers": {"X-Level": 10}}), "/file"),
        (json!({"$base64": "AQ==", "headers": {"X-Level": 1, "X-Other": "x"}}), "/file"),
        (json!("data:text/plain,x"), "X-Level"),
        (json!({"$base64": "AQ==", "headers": {"X-Level": 1, "X-List": ["a\r\nX-Evil: b"]}}), "line ends"),
    ] {
        let error = parts(&api, json!({"file": file})).unwrap_err();
        assert!(error.contains(said), "{file}: {error}");
    }
    let arguments = json!({"file": {"$base64": "AQ==", "headers": {"X-Level": 3}}});
    let request = api.request("post", &arguments.as_object().unwrap().clone().into()).unwrap();
    let body = String::from_utf8(request.body().to_bytes().to_vec()).unwrap();
    assert!(
        body.contains("\r\nContent-Type: application/octet-stream\r\nx-level: 3\r\n\r\n\u{1}\r\n"),
        "{body:?}"
    );
}

#[test]
fn styles_of_parts_hold_since_3_1() {
    let encoding = json!({
        "tags": {"style": "form", "explode": false},
        "size": {"style": "deepObject", "explode": true},
        "file": {"style": "form"}
    });
    let arguments = json!({"tags": ["a b", "c"], "size": {"w": 1, "h": 2}, "file": "data:,x"});
    let part = |name: &str, text: &str| json!({"name": name, "content_type": "text/plain", "body": text});
    let file = json!({"name": "file", "content_type": "text/plain", "filename": "file", "base64": "eA=="});
    assert_eq!(
        parts(&api("3.1.0", encoding.clone()), arguments.clone()).unwrap(),
        json!([part("tags", "a b,c"), part("size[w]", "1"), part("size[h]", "2"), file])
    );
    let size = json!({"name": "size", "content_type": "application/json", "json": {"w": 1, "h": 2}});
    assert_eq!(
        parts(&api("3.0.3", encoding), arguments).unwrap(),
        json!([part("tags", "a b"), part("tags", "c"), size, file])
    );
}

/// A document whose one body is this media type.
fn described(media_type: &str, media: &Value) -> String {
    json!({
        "openapi": "3.2.0",
        "servers": [{"url": "https://api.test"}],
        "components": {"schemas": {"Picture": {"contentMediaType": "image/png"}}},
        "paths": {
            "/p": {"post": {"operationId": "post", "requestBody": {"required": true, "content": {media_type: media}}}},
            "/q": {"get": {"operationId": "other"}}
        }
    })
    .to_string()
}

#[test]
fn the_items_of_a_list_are_parts_in_their_order() {
    let mixed = json!({
        "itemSchema": {"anyOf": [{"type": "object"}, {"type": "string"}]},
        "prefixEncoding": [{"contentType": "application/json"}],
        "itemEncoding": {"contentType": "text/csv"}
    });
    let api = parse(described("multipart/mixed", &mixed), "mixed.json").unwrap();
    let sent = parts(&api, json!({"body": [{"a": 1}, "x,y", "z"]})).unwrap();
    assert_eq!(
        sent,
        json!([{"content_type": "application/json", "json": {"a": 1}}, {"content_type": "text/csv", "body": "x,y"},
            {"content_type": "text/csv", "body": "z"}])
    );
    let pictures = json!({"itemSchema": {"$ref": "#/components/schemas/Picture"}, "itemEncoding": {"contentType": "image/*"}});
    let api = parse(described("multipart/related", &pictures), "related.json").unwrap();
    let file = json!({"$base64": "AQ==", "contentType": "image/jpeg", "filename": "a.jpg"});
    let arguments = json!({"body": [file, "data:image/png;base64,Ag=="]});
    let sent = parts(&api, arguments.clone()).unwrap();
    assert_eq!(
        sent,
        json!([{"content_type": "image/jpeg", "filename": "a.jpg", "base64": "AQ=="},
            {"content_type": "image/png", "base64": "Ag=="}])
    );
    let request = api.request("post", &arguments.as_object().unwrap().clone().into()).unwrap();
    let body = String::from_utf8_lossy(&request.body().to_bytes()).into_owned();
    let expected = "----X\r\nContent-Disposition: attachment; filename=\"a.jpg\"\r\nContent-Type: image/jpeg\r\n\r\n\u{1}\r\n\
        ----X\r\nContent-Type: image/png\r\n\r\n\u{2}\r\n----X--\r\n";
    assert_eq!(body.replace("----opentool-0000000000000000", "--X"), expected);
}

#[test]
fn a_list_that_no_form_can_hold_is_told_when_the_document_is_read() {
    for media in
        [json!({"itemSchema": {"type": "object"}}), json!({"schema": {"type": "array", "items": {}}})]
    {
        let api = parse(described("multipart/form-data", &media), "form.json").unwrap();
        let found: Vec<String> = api.diagnostics().iter().map(ToString::to_string).collect();
        assert!(api.operation("post").is_none() && api.operation("other").is_some(), "{found:?}");
        let told = "the parts of `multipart/form-data` have names, and a list is described, whose items have none; \
            `POST /p` is left out";
        assert!(found.iter().any(|found| found.contains(told)), "{found:?}");
    }
}

#[test]
fn a_header_that_nobody_can_give_does_not_keep_a_part_from_being_sent() {
    let encoding = json!({"meta": {"headers": {"X-Any": {"required": true, "schema": {"type": "string"}},
        "X-Kind": {"required": true, "schema": {"const": "meta"}}}}});
    let api = api("3.0.3", encoding);
    let sent = parts(&api, json!({"meta": {"a": 1}})).unwrap();
    assert_eq!(
        sent,
        json!([{"name": "meta", "content_type": "application/json", "headers": {"x-kind": "meta"}, "json": {"a": 1}}])
    );
    let found: Vec<String> = api.diagnostics().iter().map(ToString::to_string).collect();
    assert!(
        found[0].contains("the part `meta` needs the header `X-Any`, whose value nobody can give"),
        "{found:?}"
    );
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn a_file_that_is_none_of_the_range_is_refused() {
    let api = api("3.0.3", json!({"file": {"contentType": "image/*"}}));
    let file = |kind: &str| json!({"file": {"$base64": "AQ==", "contentType": kind}});
    assert_eq!(parts(&api, file("image/gif")).unwrap()[0]["content_type"], "image/gif");
    let error = parts(&api, file("text/html")).unwrap_err();
    assert!(error.contains("/file: expected a `contentType` of image/*; it is text/html"), "{error}");
    let whole = |media_type: &str| {
        let media = json!({"schema": {"type": "string", "format": "binary"}});
        let api = parse(described(media_type, &media), "whole.json").unwrap();
        let arguments = json!({"body": {"$base64": "AQ==", "contentType": "text/html"}});
        let call = ToolCall::new("1", "post", arguments);
        let arguments = api.tools().unwrap().check(&call).unwrap();
        api.request("post", &arguments).map(|request| request.to_json()["headers"]["Content-Type"].clone())
    };
    assert!(whole("image/*").unwrap_err().for_model().contains("of image/*; it is text/html"));
    // One that the document names is what the service takes it for.
    assert_eq!(whole("image/png").unwrap(), "image/png");
}

/// The table of the Encoding Object: which media type a part has where the document says none.
#[test]
fn the_schema_decides_about_the_media_type_of_a_part() {
    let text = json!({"type": "string"});
    for (schema, value, content_type) in [
        (text.clone(), json!("x"), "text/plain"),
        (json!({"type": "integer"}), json!(1), "text/plain"),
        (json!({"type": "boolean"}), json!(true), "text/plain"),
        (json!({"type": ["string", "null"]}), json!("x"), "text/plain"),
        (json!({"enum": ["x"]}), json!("x"), "text/plain"),
        (json!({"$ref": "#/components/schemas/Text"}), json!("x"), "text/plain"),
        (json!({"type": "object"}), json!({"a": 1}), "application/json"),
        (json!({"type": "array", "items": {"type": "object"}}), json!([{"a": 1}]), "application/json"),
        (json!({"type": "array", "items": text}), json!(["x"]), "text/plain"),
        (json!({"type": "array", "items": {}}), json!(["x"]), "application/octet-stream"),
        (json!({"type": "string", "contentEncoding": "base64"}), json!("AQ=="), "application/octet-stream"),
        (json!({}), json!("x"), "application/octet-stream"),
        (json!({"description": "Anything."}), json!("x"), "application/octet-stream"),
        (json!({}), json!({"a": 1}), "application/json"),
    ] {
        let schemas = json!({"Text": {"type": "string", "enum": ["x", "y"]}});
        let content =
            json!({"multipart/form-data": {"schema": {"type": "object", "properties": {"p": schema}}}});
        let document = json!({"openapi": "3.1.0", "servers": [{"url": "https://api.test"}],
            "components": {"schemas": schemas},
            "paths": {"/p": {"post": {"operationId": "post", "requestBody": {"content": content}}}}});
        let sent = parts(&parse(document.to_string(), "parts.json").unwrap(), json!({"p": value})).unwrap();
        assert_eq!(sent[0]["content_type"], content_type, "{schema} {sent}");
    }
}

/// A property that the document says is XML is written by its `xml` objects, in parts and in forms.
#[test]
fn single_properties_are_written_as_xml() {
    let address = json!({"type": "object", "xml": {"name": "addr"}, "properties": {
        "city": {"type": "string"}, "id": {"type": "integer", "xml": {"attribute": true}}}});
    let encoding = json!({"to": {"contentType": "application/xml"}, "all": {"contentType": "text/xml; charset=utf-8"},
        "n": {"contentType": "application/xml"}, "raw": {"contentType": "application/xml"}});
    let schema = json!({"type": "object", "properties": {
        "to": {"$ref": "#/components/schemas/Address"},
        "all": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "integer"}}}},
        "n": {"type": "integer"}, "raw": {"type": "string"}}});
    let api = |media_type: &str| {
        let mut content = json!({});
        content[media_type] = json!({"schema": schema, "encoding": encoding});
        let document = json!({"openapi": "3.1.0", "servers": [{"url": "https://api.test"}],
            "components": {"schemas": {"Address": address}},
            "paths": {"/p": {"post": {"operationId": "post", "requestBody": {"content": content}}}}});
        parse(document.to_string(), "parts.json").unwrap()
    };
    let arguments =
        json!({"to": {"city": "Ulm <b>", "id": 7}, "all": [{"a": 1}, {"a": 2}], "n": 3, "raw": "<r/>"});
    let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    let multipart = parts(&api("multipart/form-data"), arguments.clone()).unwrap();
    let bodies: Vec<_> =
        multipart.as_array().unwrap().iter().map(|part| part["body"].as_str().unwrap()).collect();
    let written = [
        "<addr id=\"7\"><city>Ulm &lt;b&gt;</city></addr>",
        "<all><a>1</a></all>",
        "<all><a>2</a></all>",
        "<n>3</n>",
    ];
    assert_eq!(bodies, [&written.map(|text| format!("{head}{text}"))[..], &["<r/>".to_owned()]].concat());
    assert_eq!(multipart[0]["content_type"], "application/xml");
    assert_eq!(multipart[1]["content_type"], "text/xml; charset=utf-8");
    // The mock reads the same out of it.
    for media_type in ["multipart/form-data", "application/x-www-form-urlencoded"] {
        let api = api(media_type);
        let call = ToolCall::new("1", "post", arguments.clone());
        let checked: Arguments = api.tools().unwrap().check(&call).unwrap();
        let request = api.request("post", &checked).unwrap();
        let mut sent = http::Request::post("/p");
        for (name, value) in request.to_json()["headers"].as_object().unwrap() {
            sent = sent.header(name, value.as_str().unwrap());
        }
        let answer = Mock::new([api]).answer(&sent.body(request.body().to_bytes()).unwrap());
        assert!(answer.fits(), "{media_type}: {:?}", answer.faults());
        assert_eq!(answer.received().body.as_ref().unwrap(), &arguments, "{media_type}");
    }
    let error = parts(&api("multipart/form-data"), json!({"to": {"city": "\u{1}"}})).unwrap_err();
    assert!(error.contains("/to/city") && error.contains("control characters"), "{error}");
}
