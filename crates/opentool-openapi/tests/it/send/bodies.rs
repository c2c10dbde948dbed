//! Every kind of body.

use opentool_openapi::plan::Media;
use opentool_openapi::request::RequestBody;
use serde_json::{Value, json};

use super::plans::{header, operation, problems, request, with_body};

/// The body as it is shown, and its content type.
fn body(media_type: &str, schema: Value, encoding: Value, value: Value) -> (Value, Value, Value) {
    let operation = with_body(operation("POST /b"), media_type, schema, encoding);
    let shown = request(&operation, json!({"body": value})).unwrap().to_json();
    (shown["body_kind"].clone(), shown["body"].clone(), shown["headers"]["Content-Type"].clone())
}

/// The text of a form body.
fn form(schema: Value, encoding: Value, value: Value) -> String {
    let (kind, body, media_type) = body("application/x-www-form-urlencoded", schema, encoding, value);
    assert_eq!((kind, media_type), (json!("form"), json!("application/x-www-form-urlencoded")));
    body.as_str().unwrap().to_owned()
}

/// The parts of a multipart body.
fn parts(schema: Value, encoding: Value, value: Value) -> Value {
    let (kind, body, media_type) = body("multipart/form-data", schema, encoding, value);
    assert_eq!(kind, "multipart");
    assert!(media_type.as_str().unwrap().starts_with("multipart/form-data; boundary="), "{media_type}");
    body
}

#[test]
fn json_is_sent_as_it_is() {
    for value in
        [json!({"a": null, "id": 9_007_199_254_740_993_u64}), json!([1, 2]), json!("hi"), json!(null)]
    {
        let expected = (json!("json"), value.clone(), json!("application/json"));
        assert_eq!(body("application/json", json!({}), Value::Null, value), expected);
    }
    for (declared, sent) in [
        ("application/vnd.api+json; charset=utf-8", "application/vnd.api+json; charset=utf-8"),
        ("*/*", "application/json"),
        ("application/*", "application/json"),
    ] {
        let (kind, _, media_type) = body(declared, json!({}), Value::Null, json!({}));
        assert_eq!((kind, media_type), (json!("json"), json!(sent)));
    }
}

#[test]
fn json_lines() {
    let lines = |media_type, value| body(media_type, json!({}), Value::Null, value).1;
    assert_eq!(lines("application/x-ndjson", json!([{"a": 1}, {"a": 2}])), "{\"a\":1}\n{\"a\":2}\n");
    assert_eq!(lines("application/jsonl", json!({"a": 1})), "{\"a\":1}\n");
    assert_eq!(lines("application/json-seq", json!([1])), "\u{1e}1\n");
}

#[test]
fn text_and_xml_are_sent_as_they_are_written() {
    for (media_type, value, expected) in [
        ("text/plain", json!("naïve\n"), "naïve\n"),
        ("text/plain", json!(12.5), "12.5"),
        ("text/plain", json!("data:text/plain,x"), "data:text/plain,x"),
        ("application/xml", json!("<a/>"), "<a/>"),
        ("application/graphql", json!("{ me }"), "{ me }"),
    ] {
        let expected = (json!("text"), json!(expected), json!(media_type));
        assert_eq!(body(media_type, json!({}), Value::Null, value), expected);
    }
    let text = with_body(operation("POST /b"), "text/plain", json!({}), Value::Null);
    let error = request(&text, json!({"body": {"a": 1}})).unwrap_err();
    assert_eq!(problems(&error), [("/body".to_owned(), "type".to_owned())]);
    assert!(error.for_model().contains("expected a string: the body is text/plain"), "{error}");
}

#[test]
fn bytes_come_as_base64_or_as_a_data_uri() {
    let png = "iVBORw0KGgo=";
    let sent =
        |media_type: &str, value: Value| body(media_type, json!({"format": "binary"}), Value::Null, value);
    let expected = |media_type: &str| (json!("base64"), json!(png), json!(media_type));
    let object = json!({"$base64": png, "contentType": "image/png"});
    assert_eq!(
        sent("application/octet-stream", json!({"$base64": png})),
        expected("application/octet-stream")
    );
    assert_eq!(sent("image/*", object.clone()), expected("image/png"));
    assert_eq!(sent("image/*", json!(format!("data:image/png;base64,{png}"))), expected("image/png"));
    // The value cannot make it another type than the document has.
    assert_eq!(sent("image/gif", object.clone()), expected("image/gif"));
    // Nor can it be sent as what it says it is not.
    let film = with_body(operation("POST /b"), "video/*", json!({"format": "binary"}), Value::Null);
    let error = request(&film, json!({"body": object})).unwrap_err();
    assert_eq!(problems(&error), [("/body".to_owned(), "contentType".to_owned())]);

    let stream = with_body(operation("POST /b"), "application/octet-stream", json!({}), Value::Null);
    let error = request(&stream, json!({"body": {"$base64": "not base64!"}})).unwrap_err();
    assert!(error.for_model().contains("/body: expected bytes in base64"), "{error}");
    assert!(request(&stream, json!({"body": [1]})).is_err());
    let RequestBody::Text(text) = request(&stream, json!({"body": "/etc/passwd"})).unwrap().body().clone()
    else {
        panic!("a path is text like any other")
    };
    assert_eq!(text, "/etc/passwd");
}

#[test]
fn bytes_are_no_json_where_any_media_type_will_do() {
    let sent = |schema: Value, value: Value| body("*/*", schema, Value::Null, value);
    let bytes = || json!({"type": "string", "format": "binary"});
    let png = "iVBORw0KGgo=";
    let expected = |name: &str| (json!("base64"), json!(png), json!(name));
    assert_eq!(sent(bytes(), json!({"$base64": png})), expected("application/octet-stream"));
    assert_eq!(sent(bytes(), json!({"$base64": png, "contentType": "image/png"})), expected("image/png"));
    assert_eq!(sent(bytes(), json!("abc")), (json!("text"), json!("abc"), json!("application/octet-stream")));
    assert_eq!(
        sent(json!({"type": "string"}), json!("abc")),
        (json!("json"), json!("abc"), json!("application/json"))
    );
}

#[test]
fn forms() {
    let plain = |value| form(json!({}), Value::Null, value);
    assert_eq!(plain(json!({})), "");
    assert_eq!(plain(json!({"on": true, "n": null, "u": "é~* &=+"})), "on=true&u=%C3%A9~%2A%20%26%3D%2B");
    assert_eq!(plain(json!({"tags": ["a", "b"], "at": {"x": 1}})), "tags=a&tags=b&at=%7B%22x%22%3A1%7D");
}

#[test]
fn forms_by_encoding() {
    let encoded =
        |encoding: Value, value: Value| form(json!({}), json!({"p": encoding}), json!({"p": value}));
    let list = || json!(["a", "b"]);
    let object = || json!({"k": "v w", "n": 1});
    for (encoding, value, expected) in [
        (json!({"contentType": "application/json"}), json!("x"), "p=%22x%22"),
        (json!({"contentType": "image/png, image/jpeg"}), json!("x=="), "p=x%3D%3D"),
        (json!({"style": "pipeDelimited"}), list(), "p=a%7Cb"),
        (json!({"style": "form", "explode": false}), list(), "p=a,b"),
        (json!({"explode": true}), object(), "k=v%20w&n=1"),
        (json!({"style": "deepObject"}), object(), "p%5Bk%5D=v%20w&p%5Bn%5D=1"),
        (json!({"style": "deepObject"}), json!([{"id": 1}]), "p%5B0%5D%5Bid%5D=1"),
        (json!({"allowReserved": true}), json!("https://x.test/a&b"), "p=https://x.test/a%26b"),
    ] {
        assert_eq!(encoded(encoding.clone(), value), expected, "{encoding}");
    }
}

#[test]
fn a_form_is_an_object() {
    for media_type in ["application/x-www-form-urlencoded", "multipart/form-data"] {
        let operation = with_body(operation("POST /b"), media_type, json!({}), Value::Null);
        let error = request(&operation, json!({"body": [1]})).unwrap_err();
        assert!(
            error.for_model().contains("/body: expected an object: it is a form, found an array"),
            "{error}"
        );
    }
}

#[test]
fn multipart_parts() {
    let given = json!({"id": "x", "n": 3, "none": null, "tags": ["a", "b c"], "at": {"x": 1}, "list": [[1], {"y": 2}]});
    assert_eq!(
        parts(json!({}), Value::Null, given),
        json!([
            {"name": "id", "content_type": "text/plain", "body": "x"},
            {"name": "n", "content_type": "text/plain", "body": "3"},
            {"name": "tags", "content_type": "text/plain", "body": "a"},
            {"name": "tags", "content_type": "text/plain", "body": "b c"},
            {"name": "at", "content_type": "application/json", "json": {"x": 1}},
            {"name": "list", "content_type": "application/json", "json": [1]},
            {"name": "list", "content_type": "application/json", "json": {"y": 2}},
        ])
    );
}

#[test]
fn multipart_files() {
    let schema = json!({"properties": {"file": {"type": "string", "format": "binary"}}});
    let file = |value: Value| parts(schema.clone(), Value::Null, json!({"file": value}))[0].clone();
    let part = |name: &str, media_type: &str| json!({"name": "file", "content_type": media_type, "filename": name, "base64": "AQ=="});
    assert_eq!(file(json!({"$base64": "AQ=="})), part("file", "application/octet-stream"));
    assert_eq!(
        file(json!({"$base64": "AQ==", "filename": "a.bin"})),
        part("a.bin", "application/octet-stream")
    );
    assert_eq!(file(json!("data:image/png;base64,AQ==")), part("file", "image/png"));
    assert_eq!(file(json!("\u{1}")), part("file", "application/octet-stream"));

    let encoding = json!({"file": {"contentType": "image/png, image/jpeg"}});
    let chosen = |media_type: &str| {
        let value = json!({"file": {"$base64": "AQ==", "contentType": media_type}});
        parts(schema.clone(), encoding.clone(), value)[0]["content_type"].clone()
    };
    assert_eq!((chosen("image/jpeg"), chosen("text/html")), (json!("image/jpeg"), json!("image/png")));
}

#[test]
fn a_multipart_body_on_the_wire() {
    let operation = with_body(operation("POST /b"), "multipart/form-data", json!({}), Value::Null);
    let given = json!({"id": "x", "at": {"y": 1}, "f": {"$base64": "AQ==", "filename": "a"}});
    let sent = request(&operation, json!({"body": given})).unwrap();
    let boundary = "----opentool-0000000000000000";
    assert_eq!(header(&sent, "content-type").unwrap(), format!("multipart/form-data; boundary={boundary}"));
    let expected = [
        "--{b}\r\nContent-Disposition: form-data; name=\"id\"\r\n\r\nx\r\n",
        "--{b}\r\nContent-Disposition: form-data; name=\"at\"\r\nContent-Type: application/json\r\n\r\n{\"y\":1}\r\n",
        "--{b}\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a\"\r\n",
        "Content-Type: application/octet-stream\r\n\r\n\u{1}\r\n--{b}--\r\n",
    ];
    assert_eq!(sent.body().to_bytes(), expected.concat().replace("{b}", boundary));
}

#[test]
fn json_is_chosen_of_several() {
    let mut operation = with_body(operation("POST /b"), "application/xml", json!({}), Value::Null);
    let media = &mut operation.body.as_mut().unwrap().media;
    for media_type in ["application/x-www-form-urlencoded", "application/json"] {
        media.push(Media::new(media_type, json!({})));
    }
    let shown = request(&operation, json!({"body": {"a": 1}})).unwrap().to_json();
    assert_eq!(shown["headers"]["Content-Type"], "application/json");
}
