//! Bodies of every media type.

use http::header::CONTENT_TYPE;
use serde_json::{Value, json};

use super::{faults, mock, send};

/// What is read of a body.
fn read(media_type: &str, media: Value, content_type: &str, body: &str) -> Result<Value, Vec<String>> {
    let body_object = json!({"required": true, "content": {media_type: media}});
    let mock = mock(json!({"/x": {"post": {"operationId": "x", "requestBody": body_object}}}));
    let answer = send(&mock, "POST", "/x", &[(CONTENT_TYPE.as_str(), content_type)], body.as_bytes());
    if answer.faults().is_empty() {
        Ok(answer.received().body.clone().unwrap_or_default())
    } else {
        Err(faults(&answer))
    }
}

fn pet() -> Value {
    json!({
        "type": "object",
        "required": ["name"],
        "properties": {
            "name": {"type": "string"},
            "age": {"type": "integer"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "owner": {"type": "object", "properties": {"city": {"type": "string"}}},
        },
    })
}

#[test]
fn json_is_judged_with_pointers() {
    let media = || json!({"schema": pet()});
    assert_eq!(
        read("application/json", media(), "application/json; charset=utf-8", r#"{"name":"Rex","age":null}"#),
        Err(vec!["/body/age type".to_owned()])
    );
    assert_eq!(
        read("application/json", media(), "application/json", "{"),
        Err(vec!["/body encoding".to_owned()])
    );
    assert_eq!(
        read("application/json", media(), "application/json", "{}"),
        Err(vec!["/body/name required".to_owned()])
    );
    assert_eq!(
        read("application/*+json", media(), "text/xml", "{}"),
        Err(vec!["/header/Content-Type content-type".to_owned()])
    );
    let lines = json!({"itemSchema": pet()});
    assert_eq!(
        read("application/jsonl", lines, "application/jsonl", "{\"name\":\"a\"}\n{\"name\":\"b\"}\n"),
        Ok(json!([{"name": "a"}, {"name": "b"}]))
    );
}

#[test]
fn a_body_that_is_not_there_is_missed() {
    let body_object = json!({"required": true, "content": {"application/json": {}}});
    let mock = mock(
        json!({"/x": {"post": {"operationId": "x", "requestBody": body_object}}, "/y": {"get": {"operationId": "y"}}}),
    );
    assert_eq!(faults(&send(&mock, "POST", "/x", &[], b"")), ["/body required"]);
    assert_eq!(faults(&send(&mock, "POST", "/x", &[], b"{}")), ["/header/Content-Type content-type"]);
    let odd = send(&mock, "GET", "/y", &[("content-type", "application/json")], b"{}");
    assert_eq!((faults(&odd), odd.fits()), (vec!["/body undeclared".to_owned()], true));
}

#[test]
fn forms_follow_their_encoding_objects() {
    let form = "application/x-www-form-urlencoded";
    let plain = json!({"schema": pet()});
    assert_eq!(
        read(form, plain.clone(), form, "name=a+b&age=3&tags=x&tags=y&owner=%7B%22city%22%3A%22Rom%22%7D"),
        Ok(json!({"name": "a b", "age": 3, "tags": ["x", "y"], "owner": {"city": "Rom"}}))
    );
    assert_eq!(read(form, plain, form, "name=a&age=x"), Err(vec!["/body/age type".to_owned()]));
    let encoded = json!({"schema": pet(), "encoding": {
        "tags": {"style": "pipeDelimited", "explode": false},
        "owner": {"style": "deepObject", "explode": true},
    }});
    assert_eq!(
        read(form, encoded, form, "name=a&tags=x%7Cy&owner%5Bcity%5D=Rom"),
        Ok(json!({"name": "a", "tags": ["x", "y"], "owner": {"city": "Rom"}}))
    );
}

#[test]
fn parts_have_names_types_and_files() {
    let schema = json!({"type": "object", "properties": {
        "name": {"type": "string"},
        "age": {"type": "integer"},
        "owner": {"type": "object", "required": ["city"]},
        "photo": {"type": "string", "format": "binary"},
        "tags": {"type": "array", "items": {"type": "string"}},
    }});
    let media = json!({"schema": schema, "encoding": {"photo": {"contentType": "image/png, image/jpeg"}}});
    let part =
        |head: &str, data: &str| format!("--b\r\nContent-Disposition: form-data; {head}\r\n\r\n{data}\r\n");
    let body = |photo: &str| {
        [
            part("name=\"name\"", "a \"b\"\r\nc"),
            part("name=age", "3"),
            part("name=\"owner\"\r\nContent-Type: application/json", "{\"city\":\"Rom\"}"),
            part(&format!("name=\"photo\"; filename=\"a%22b.png\"\r\nContent-Type: {photo}"), "PNG"),
            part("name=\"tags\"", "x"),
            "--b--\r\n".to_owned(),
        ]
        .concat()
    };
    let read = |photo: &str| {
        read("multipart/form-data", media.clone(), "multipart/form-data; boundary=\"b\"", &body(photo))
    };
    assert_eq!(
        read("image/png"),
        Ok(json!({
            "name": "a \"b\"\r\nc", "age": 3, "owner": {"city": "Rom"},
            "photo": {"$base64": "UE5H", "filename": "a\"b.png", "contentType": "image/png"},
            "tags": ["x"],
        }))
    );
    assert_eq!(read("image/gif"), Err(vec!["/body/photo encoding".to_owned()]));
}

#[test]
fn xml_is_read_by_the_xml_objects_and_has_no_entities() {
    let schema = json!({
        "type": "object",
        "xml": {"name": "pet", "namespace": "urn:pets", "prefix": "p"},
        "properties": {
            "id": {"type": "integer", "xml": {"attribute": true}},
            "name": {"type": "string"},
            "tags": {"type": "array", "xml": {"name": "tagList", "wrapped": true}, "items": {"type": "string", "xml": {"name": "tag"}}},
            "toys": {"type": "array", "items": {"type": "string", "xml": {"name": "toy"}}},
        },
    });
    let read = |body: &str| read("application/xml", json!({"schema": schema}), "application/xml", body);
    assert_eq!(
        read(
            "<?xml version=\"1.0\"?><!-- a pet --><p:pet xmlns:p=\"urn:pets\" id=\"7\"><name>a &amp; &#98;<![CDATA[<c>]]></name>\
              <tagList><tag>x</tag><tag>y</tag></tagList><toy>ball</toy><toy/></p:pet>"
        ),
        Ok(json!({"id": 7, "name": "a & b<c>", "tags": ["x", "y"], "toys": ["ball", ""]}))
    );
    for body in [
        "<!DOCTYPE pet [<!ENTITY a \"aaaa\">]><pet><name>&a;</name></pet>",
        "<pet><name>&a;</name></pet>",
        "<cat/>",
        "<pet>",
        "<pet/><pet/>",
        "",
    ] {
        assert_eq!(read(body), Err(vec!["/body encoding".to_owned()]), "{body}");
    }
}

#[test]
fn bytes_are_taken_as_they_are() {
    assert_eq!(
        read("application/octet-stream", json!({}), "application/octet-stream", "a\u{0}"),
        Ok(json!("a\u{0}"))
    );
    assert_eq!(read("image/*", json!({}), "image/png", "x"), Ok(json!("x")));
    assert_eq!(
        read("text/plain", json!({"schema": {"type": "string"}}), "text/plain; charset=utf-8", "hi"),
        Ok(json!("hi"))
    );
}

/// What grows with the square of the body takes hours here.
#[test]
fn many_members_of_an_object_in_brackets_are_read_in_one_pass() {
    let media = json!({"schema": {"type": "object", "properties": {"o": {"type": "object"}}},
                       "encoding": {"o": {"style": "deepObject", "explode": true}}});
    let body: Vec<String> = (0..150_000).map(|i| format!("o[k{i}]={i}")).collect();
    let begun = std::time::Instant::now();
    let form = "application/x-www-form-urlencoded";
    let value = read(form, media, form, &body.join("&")).unwrap();
    assert_eq!(value["o"].as_object().unwrap().len(), 150_000);
    assert!(begun.elapsed().as_secs() < 60);
}

#[test]
fn parts_without_names_are_a_list() {
    let media =
        || json!({"itemSchema": {"type": "integer"}, "itemEncoding": {"contentType": "application/json"}});
    let body = |last: &str| {
        format!("--b\r\ncontent-type: application/json\r\n\r\n1\r\n--b\r\n\r\n{last}\r\n--b--\r\n")
    };
    let sent = |last| read("multipart/mixed", media(), "multipart/mixed; boundary=b", &body(last));
    assert_eq!(sent("2"), Ok(json!([1, 2])));
    assert_eq!(sent("x"), Err(vec!["/body/1 type".to_owned()]));
}
