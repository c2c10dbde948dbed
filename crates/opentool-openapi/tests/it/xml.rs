//! Bodies of XML, by the `xml` objects of a document.

use opentool_core::Arguments;
use opentool_openapi::request::RequestBody;
use serde_json::{Value, json};

/// What is sent of a body, without the declaration; or what is wrong with it.
fn sent(schema: Value, body: Value) -> Result<String, String> {
    sent_with(json!({}), schema, body)
}

fn sent_with(schemas: Value, schema: Value, body: Value) -> Result<String, String> {
    let document = json!({
        "openapi": "3.2.0",
        "servers": [{"url": "https://api.test"}],
        "components": {"schemas": schemas},
        "paths": {"/x": {"post": {"operationId": "x", "requestBody": {"content": {"application/xml": {"schema": schema}}}}}},
    });
    let api = opentool_openapi::parse(document.to_string(), "test.json").unwrap();
    let arguments = Arguments::from(json!({"body": body}).as_object().unwrap().clone());
    let request = api.request("x", &arguments).map_err(|error| error.for_model())?;
    let RequestBody::Text(text) = request.body() else { panic!("{:?}", request.body()) };
    Ok(text.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n").unwrap().to_owned())
}

fn object(name: &str, properties: Value) -> Value {
    json!({"type": "object", "xml": {"name": name}, "properties": properties})
}

#[test]
fn names_attributes_and_namespaces() {
    let schema = json!({
        "type": "object",
        "xml": {"name": "person", "namespace": "urn:people", "prefix": "p"},
        "properties": {
            "id": {"type": "integer", "xml": {"attribute": true}},
            "fullName": {"type": "string", "xml": {"name": "name", "prefix": "p", "namespace": "urn:people"}},
            "mail": {"type": "string", "xml": {"namespace": "urn:mail"}},
            "lang": {"type": "string", "xml": {"attribute": true, "prefix": "l", "namespace": "urn:lang"}},
            "loose": {"type": "string", "xml": {"prefix": "nobody"}},
        },
    });
    // The order is the document's, as sequences of XML schemas want it.
    let body = json!({"loose": "x", "mail": "a@b", "lang": "en", "fullName": "Ada", "id": 7, "extra": true});
    assert_eq!(
        sent(schema, body).unwrap(),
        "<p:person xmlns:p=\"urn:people\" xmlns:l=\"urn:lang\" id=\"7\" l:lang=\"en\"><p:name>Ada</p:name>\
         <mail xmlns=\"urn:mail\">a@b</mail><loose>x</loose><extra>true</extra></p:person>"
    );
}

#[test]
fn lists_as_the_specification_writes_them() {
    let list = |xml: Value, item: Value| {
        object(
            "zoo",
            json!({"animals": {"type": "array", "xml": xml, "items": {"type": "string", "xml": item}}}),
        )
    };
    for (xml, item, expected) in [
        (json!({}), json!({}), "<animals>a</animals><animals>b</animals>"),
        (json!({}), json!({"name": "animal"}), "<animal>a</animal><animal>b</animal>"),
        (json!({"name": "aliens"}), json!({"name": "animal"}), "<animal>a</animal><animal>b</animal>"),
        (json!({"wrapped": true}), json!({}), "<animals><animals>a</animals><animals>b</animals></animals>"),
        (
            json!({"wrapped": true}),
            json!({"name": "animal"}),
            "<animals><animal>a</animal><animal>b</animal></animals>",
        ),
        (
            json!({"name": "aliens", "wrapped": true}),
            json!({}),
            "<aliens><aliens>a</aliens><aliens>b</aliens></aliens>",
        ),
        (
            json!({"name": "aliens", "nodeType": "element"}),
            json!({"name": "animal"}),
            "<aliens><animal>a</animal><animal>b</animal></aliens>",
        ),
    ] {
        let text = sent(list(xml.clone(), item.clone()), json!({"animals": ["a", "b"]})).unwrap();
        assert_eq!(text, format!("<zoo>{expected}</zoo>"), "{xml} {item}");
    }
    // A document has one element.
    let root = json!({"type": "array", "xml": {"name": "pets"}, "items": {"type": "string", "xml": {"name": "pet"}}});
    assert_eq!(sent(root, json!(["a"])).unwrap(), "<pets><pet>a</pet></pets>");
}

#[test]
fn nodes_of_3_2() {
    let schema = object(
        "note",
        json!({
            "lang": {"type": "string", "xml": {"nodeType": "attribute"}},
            "text": {"type": "string", "xml": {"nodeType": "text"}},
            "inner": {"type": "object", "xml": {"nodeType": "none"}, "properties": {"a": {"type": "string"}, "b": {"xml": {"attribute": true}}}},
        }),
    );
    let body = json!({"lang": "en", "text": "1 < 2", "inner": {"a": "x", "b": 3}});
    assert_eq!(sent(schema, body).unwrap(), "<note lang=\"en\" b=\"3\">1 &lt; 2<a>x</a></note>");
    let cdata = object("note", json!({"text": {"type": "string", "xml": {"nodeType": "cdata"}}}));
    assert_eq!(
        sent(cdata, json!({"text": "<b>]]></b>"})).unwrap(),
        "<note><![CDATA[<b>]]]]><![CDATA[></b>]]></note>"
    );
}

#[test]
fn references_name_the_root_and_may_be_circular() {
    let schemas = json!({"Node": {"type": "object", "properties": {
        "next": {"$ref": "#/components/schemas/Node"}, "v": {"type": "integer", "xml": {"attribute": true}},
    }}});
    let text =
        sent_with(schemas, json!({"$ref": "#/components/schemas/Node"}), json!({"v": 1, "next": {"v": 2}}));
    assert_eq!(text.unwrap(), "<Node v=\"1\"><next v=\"2\"/></Node>");
    let base = json!({
        "Base": {"type": "object", "xml": {"name": "base"}, "properties": {"id": {"type": "integer", "xml": {"attribute": true}}}},
        "Cat": {"allOf": [{"$ref": "#/components/schemas/Base"}, {"type": "object", "properties": {"claws": {"type": "integer"}}}]},
    });
    let text = sent_with(base, json!({"$ref": "#/components/schemas/Cat"}), json!({"claws": 10, "id": 1}));
    assert_eq!(text.unwrap(), "<Cat id=\"1\"><claws>10</claws></Cat>");
}

#[test]
fn nothing_that_a_model_writes_leaves_its_element() {
    let schema =
        || object("a", json!({"b": {"type": "string"}, "c": {"type": "string", "xml": {"attribute": true}}}));
    let text = "</b><x y='1'>&lt;!DOCTYPE \"q\" ]]>\r\n\t";
    assert_eq!(
        sent(schema(), json!({"b": text, "c": text})).unwrap(),
        "<a c=\"&lt;/b&gt;&lt;x y='1'&gt;&amp;lt;!DOCTYPE &quot;q&quot; ]]&gt;&#13;&#10;&#9;\">\
         <b>&lt;/b&gt;&lt;x y='1'&gt;&amp;lt;!DOCTYPE \"q\" ]]&gt;&#13;\n\t</b></a>"
    );
    for (body, pointer) in [
        (json!({"b": "a\u{0}"}), "/body/b"),
        (json!({"c": "a\u{b}"}), "/body/c"),
        (json!({"x><y": 1}), "/body/x><y"),
        (json!({"a b": 1}), "/body/a b"),
        (json!({"": 1}), "/body/"),
        (json!({"xml:base": 1}), "/body/xml:base"),
        (json!({"b": {"1": 1}}), "/body/b/1"),
        (json!({"c": {"d": 1}}), "/body/c"),
    ] {
        let problem = sent(schema(), body.clone()).unwrap_err();
        assert!(problem.contains(&format!("{pointer}: expected")), "{body}: {problem}");
    }
}

#[test]
fn null_is_said_as_xml_schemas_say_it() {
    let schema = object(
        "a",
        json!({"b": {"type": ["string", "null"]}, "c": {"type": ["string", "null"], "xml": {"attribute": true}}}),
    );
    assert_eq!(
        sent(schema, json!({"b": null, "c": null})).unwrap(),
        "<a><b xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:nil=\"true\"/></a>"
    );
}

#[test]
fn a_text_is_xml_already() {
    let document = json!({"openapi": "3.1.0", "servers": [{"url": "https://api.test"}], "paths": {"/x": {"post": {
        "operationId": "x", "requestBody": {"content": {"text/xml": {"schema": {"type": "string"}}}},
    }}}});
    let api = opentool_openapi::parse(document.to_string(), "test.json").unwrap();
    let arguments = Arguments::from(json!({"body": "<a/>"}).as_object().unwrap().clone());
    assert_eq!(api.request("x", &arguments).unwrap().body(), &RequestBody::Text("<a/>".to_owned()));
}
