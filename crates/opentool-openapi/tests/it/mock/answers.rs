//! Which answer there is: by status, media type, example and seed.

use opentool_openapi::mock::Mock;
use serde_json::{Value, json};

use super::{document, get, json_body, mock, send};

fn pets() -> Mock {
    let pet = json!({"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string"}, "secret": {"type": "string", "writeOnly": true}, "id": {"type": "integer", "readOnly": true},
    }, "xml": {"name": "pet"}});
    mock(json!({"/pet": {
        "get": {"operationId": "pet", "responses": {
            "404": {"description": "None.", "content": {"application/json": {"schema": {"type": "object", "properties": {"code": {"const": "gone"}}}}}},
            "200": {
                "description": "One.",
                "headers": {"X-Rate": {"schema": {"type": "integer", "const": 9}}, "Content-Length": {"schema": {"const": "3"}}},
                "content": {
                    "application/xml": {"schema": pet},
                    "application/json": {"schema": pet, "examples": {
                        "rex": {"value": {"name": "Rex"}}, "tom": {"value": {"name": "Tom"}},
                    }},
                    "image/png": {},
                },
            },
            "5XX": {"description": "Broken."},
        }},
        "head": {"operationId": "headPet", "responses": {"200": {"content": {"application/json": {"example": 1}}}}},
    }}))
}

#[test]
fn the_client_chooses_the_media_type() {
    let mock = pets();
    let answer = |accept: &str| send(&mock, "GET", "/pet", &[("accept", accept)], b"").into_response();
    assert_eq!(answer("*/*").body(), r#"{"name":"Rex"}"#);
    let xml = answer("application/xml, */*;q=0.1");
    assert_eq!(xml.headers()["content-type"], "application/xml");
    assert_eq!(
        xml.body(),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<pet><name>Anna</name><id>7</id></pet>"
    );
    assert!(answer("image/png").body().starts_with(b"\x89PNG"));
    assert_eq!(answer("text/csv").status(), 406);
    let head = send(&mock, "HEAD", "/pet", &[], b"");
    assert_eq!((head.response().status().as_u16(), head.response().body().len()), (200, 0));
}

#[test]
fn the_client_prefers_a_status_an_example_or_a_seed() {
    let mock = pets();
    let prefer = |text: &str| send(&mock, "GET", "/pet", &[("prefer", text)], b"").into_response();
    let missing = prefer("code=404");
    assert_eq!((missing.status().as_u16(), missing.body().as_ref()), (404, br#"{"code":"gone"}"#.as_slice()));
    assert_eq!(missing.headers()["preference-applied"], "code=404");
    assert_eq!(prefer("code=503").status(), 503);
    assert_eq!(prefer("example=tom").body(), r#"{"name":"Tom"}"#);
    let undescribed = prefer("code=418");
    assert_eq!(undescribed.status(), 418);
    assert_eq!(undescribed.headers()["content-type"], "application/problem+json");
    let (one, other) = (prefer("seed=3"), prefer("seed=4"));
    assert_eq!(one.body(), prefer("seed=3").body());
    assert_ne!(one.body(), other.body());
}

#[test]
fn headers_have_examples_and_say_nothing_about_the_connection() {
    let response = get(&pets(), "/pet").into_response();
    assert_eq!(response.headers()["x-rate"], "9");
    assert!(!response.headers().contains_key("content-length"));
}

#[test]
fn what_is_made_fits_the_schema_of_the_answer() {
    let schema = json!({"type": "array", "minItems": 2, "items": {
        "type": "object", "required": ["code", "at"], "additionalProperties": false,
        "properties": {"code": {"type": "string", "pattern": "^[A-Z]{3}-[0-9]{2}$"}, "at": {"type": "string", "format": "date-time"}},
    }});
    let mock = mock(
        json!({"/x": {"get": {"operationId": "x", "responses": {"200": {"content": {"application/json": {"schema": schema}}}}}}}),
    );
    for seed in 0..20 {
        let answer = send(&mock, "GET", "/x", &[("prefer", &format!("seed={seed}"))], b"");
        let validator = opentool_schema::Validator::new(&opentool_core::Schema::new(schema.clone())).unwrap();
        assert!(validator.accepts(&json_body(&answer)), "{seed}: {}", json_body(&answer));
    }
}

#[test]
fn swagger_answers_by_produces_and_examples() {
    let mock = document(json!({
        "swagger": "2.0", "produces": ["application/json"],
        "definitions": {"Pet": {"type": "object", "properties": {"name": {"type": "string"}}}},
        "paths": {
            "/made": {"get": {"operationId": "made", "responses": {"200": {"description": "", "schema": {"$ref": "#/definitions/Pet"}}}}},
            "/given": {"get": {"operationId": "given", "responses": {"201": {"description": "", "schema": {}, "examples": {"application/json": {"a": 1}}}}}},
            "/none": {"delete": {"operationId": "none", "responses": {"204": {"description": ""}}}},
        },
    }));
    assert_eq!(json_body(&get(&mock, "/made")), json!({"name": "Anna"}));
    let given = get(&mock, "/given");
    assert_eq!((given.response().status().as_u16(), json_body(&given)), (201, json!({"a": 1})));
    let none = send(&mock, "DELETE", "/none", &[], b"");
    assert_eq!((none.response().status().as_u16(), none.response().body().len()), (204, 0));
}

#[test]
fn several_documents_stand_beside_each_other() {
    let parse = |base: &str, name: &str| {
        let text: Value = json!({"openapi": "3.1.0", "servers": [{"url": base}], "paths": {"/x": {"get": {"operationId": name}}}});
        opentool_openapi::parse(text.to_string(), "test.json").unwrap()
    };
    let mock = Mock::new([parse("/a", "one"), parse("/b", "two")]);
    assert_eq!((get(&mock, "/a/x").operation(), get(&mock, "/b/x").operation()), (Some("one"), Some("two")));
    assert_eq!(mock.base_paths().collect::<Vec<_>>(), ["/a", "/b"]);
}

#[test]
fn a_wish_that_names_nothing_is_refused_with_what_there_is() {
    let mock = pets();
    for (wish, said) in [
        (
            "code=999",
            "`Prefer: code=999` is no status from 200 to 599; of statuses of the document it describes 404, 200, 5XX",
        ),
        ("example=nope", "`Prefer: example=nope` names no example of this answer, which has rex, tom"),
        ("code=503, example=rex", "names no example of this answer, which has no examples with names"),
        ("seed=x", "is no whole number"),
    ] {
        let answer = send(&mock, "GET", "/pet", &[("prefer", wish)], b"");
        assert_eq!(answer.response().status(), 400, "{wish}");
        assert_eq!(answer.response().headers()["content-type"], "application/problem+json");
        let detail = json_body(&answer)["detail"].as_str().unwrap().to_owned();
        assert!(detail.contains(said), "{wish}: {detail}");
    }
}

#[test]
fn examples_that_are_references_are_what_they_lead_to() {
    let media = |media: Value| {
        let mock = document(
            json!({"openapi": "3.1.0", "info": {}, "components": {"examples": {"rex": {"value": {"name": "Rex"}}}},
            "paths": {"/pet": {"get": {"responses": {"200": {"content": {"application/json": media}}}}}}}),
        );
        json_body(&get(&mock, "/pet"))
    };
    let schema = json!({"examples": ["made"]});
    let (named, value) = ("#/components/examples/rex", "#/components/examples/rex/value");
    for (example, expected) in [
        (json!({"examples": {"x": {"value": {"$ref": value}}}}), json!({"name": "Rex"})),
        (json!({"examples": {"x": {"value": {"$ref": named}}}}), json!({"name": "Rex"})),
        (json!({"example": {"$ref": named}}), json!({"name": "Rex"})),
        (json!({"example": {"$ref": "#/nowhere"}}), json!("made")),
        (json!({"examples": {"x": {"value": {"pet": {"$ref": value}}}}}), json!("made")),
    ] {
        let mut described = example.clone();
        described["schema"] = schema.clone();
        assert_eq!(media(described), expected, "{example}");
    }
}

/// What is answered where there is no success, and that an answer fits its schema where one can be made.
#[test]
fn answers_are_what_the_document_declares_and_allows() {
    let pet = json!({"type": "object", "required": ["name"], "properties": {"name": {"type": "string", "minLength": 2}}});
    let json = |media: Value| json!({"description": "d", "content": {"application/json": media}});
    let wrong = json!({"schema": pet, "example": {"name": 5}});
    let second = json!({"schema": pet, "examples": {"a": {"value": {}}, "b": {"value": {"name": "Rex"}}}});
    let own = json!({"schema": {"type": "string", "minLength": 6, "example": "nope"}});
    let none = json!({"schema": {"type": "string", "enum": ["a"], "minLength": 2}});
    for (responses, status, body, faults) in [
        (json!({"default": json(json!({"schema": pet}))}), 200, None, 0),
        (json!({"3XX": {"description": "d"}}), 300, Some(""), 0),
        (
            json!({"5XX": json(json!({"schema": {"const": 1}})), "302": {"description": "d"}}),
            302,
            Some(""),
            0,
        ),
        (json!({"4xx": json(json!({"schema": {"const": 1}}))}), 400, Some("1"), 0),
        (json!({"200": json(wrong)}), 200, None, 0),
        (json!({"200": json(second)}), 200, Some(r#"{"name":"Rex"}"#), 0),
        (json!({"200": json(none)}), 200, Some(r#""a""#), 1),
        (json!({"200": json(own)}), 200, None, 0),
    ] {
        let mock = mock(json!({"/a": {"get": {"operationId": "a", "responses": responses}}}));
        let answer = get(&mock, "/a");
        assert_eq!(answer.response().status().as_u16(), status, "{responses}");
        if let Some(body) = body {
            assert_eq!(answer.response().body(), body, "{responses}");
        }
        if responses.to_string().contains("properties") {
            assert!(json_body(&answer)["name"].as_str().is_some_and(|name| name.len() > 1), "{responses}");
        }
        assert_eq!(answer.own_faults().len(), faults, "{responses} {:?}", answer.own_faults());
        assert!(
            answer.fits() && answer.own_faults().iter().all(|fault| fault.pointer.starts_with("/response"))
        );
    }
}
