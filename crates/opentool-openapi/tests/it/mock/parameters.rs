//! Parameters of every style and type, as the specification's tables write them.

use serde_json::{Value, json};

use super::{document, faults, get, mock, send};

/// What is read of one parameter of `GET /x` (or of its path).
fn read(parameter: Value, target: &str, headers: &[(&str, &str)]) -> Result<Value, Vec<String>> {
    let place = parameter["in"].as_str().unwrap().to_owned();
    let path = if place == "path" { "/x/{p}" } else { "/x" };
    let mut described = json!({"name": "p", "required": place == "path"});
    described.as_object_mut().unwrap().extend(parameter.as_object().unwrap().clone());
    let mock = mock(json!({path: {"get": {"operationId": "x", "parameters": [described]}}}));
    let answer = send(&mock, "GET", target, headers, b"");
    if !answer.faults().is_empty() {
        return Err(faults(&answer));
    }
    let received = answer.received();
    let place = match place.as_str() {
        "path" => &received.path,
        "query" => &received.query,
        "header" => &received.header,
        _ => &received.cookie,
    };
    Ok(place.get("p").cloned().unwrap_or(Value::Null))
}

fn styled(place: &str, style: &str, explode: bool, schema: Value) -> Value {
    json!({"in": place, "style": style, "explode": explode, "schema": schema})
}

fn color() -> Value {
    json!({"R": 100, "G": 200, "B": 150})
}

fn object() -> Value {
    let channel = json!({"type": "integer"});
    json!({"type": "object", "properties": {"R": channel, "G": channel, "B": channel}})
}

fn list() -> Value {
    json!({"type": "array", "items": {"type": "string"}})
}

#[test]
fn the_table_of_styles() {
    let colors = json!(["blue", "black", "brown"]);
    for (place, style, explode, schema, target, expected) in [
        ("path", "simple", false, json!({"type": "string"}), "/x/blue", json!("blue")),
        ("path", "simple", false, list(), "/x/blue,black,brown", colors.clone()),
        ("path", "simple", false, object(), "/x/R,100,G,200,B,150", color()),
        ("path", "simple", true, object(), "/x/R=100,G=200,B=150", color()),
        ("path", "label", false, json!({"type": "string"}), "/x/.blue", json!("blue")),
        ("path", "label", false, list(), "/x/.blue,black,brown", colors.clone()),
        ("path", "label", true, list(), "/x/.blue.black.brown", colors.clone()),
        ("path", "label", true, object(), "/x/.R=100.G=200.B=150", color()),
        ("path", "matrix", false, json!({"type": "string"}), "/x/;p=blue", json!("blue")),
        ("path", "matrix", false, json!({"type": "string"}), "/x/;p", json!("")),
        ("path", "matrix", false, list(), "/x/;p=blue,black,brown", colors.clone()),
        ("path", "matrix", true, list(), "/x/;p=blue;p=black;p=brown", colors.clone()),
        ("path", "matrix", false, object(), "/x/;p=R,100,G,200,B,150", color()),
        ("path", "matrix", true, object(), "/x/;R=100;G=200;B=150", color()),
        ("query", "form", true, json!({"type": "string"}), "/x?p=a%20b+c%2Bd", json!("a b c+d")),
        ("query", "form", true, list(), "/x?p=blue&p=black&p=brown", colors.clone()),
        ("query", "form", false, list(), "/x?p=blue,black,brown", colors.clone()),
        ("query", "form", false, list(), "/x?p=a%2Cb,c", json!(["a,b", "c"])),
        ("query", "form", true, object(), "/x?R=100&G=200&B=150", color()),
        ("query", "form", false, object(), "/x?p=R,100,G,200,B,150", color()),
        ("query", "spaceDelimited", false, list(), "/x?p=blue%20black%20brown", colors.clone()),
        ("query", "pipeDelimited", false, list(), "/x?p=blue%7Cblack%7Cbrown", colors.clone()),
        ("query", "pipeDelimited", false, list(), "/x?p=blue|black|brown", colors.clone()),
        ("query", "deepObject", true, object(), "/x?p%5BR%5D=100&p[G]=200&p[B]=150", color()),
    ] {
        let read = read(styled(place, style, explode, schema), target, &[]);
        assert_eq!(read, Ok(expected), "{place} {style} {explode} {target}");
    }
}

#[test]
fn headers_and_cookies() {
    for (parameter, header, text, expected) in [
        (styled("header", "simple", false, list()), "P", "a, b,c", json!(["a", "b", "c"])),
        (styled("header", "simple", true, object()), "p", "R=100,G=200,B=150", color()),
        (styled("header", "simple", false, json!({"type": "boolean"})), "p", "true", json!(true)),
        (styled("cookie", "form", true, json!({"type": "string"})), "cookie", "o=1; p=a%3Bb", json!("a;b")),
        (styled("cookie", "form", false, list()), "cookie", "p=a,b", json!(["a", "b"])),
        (styled("cookie", "cookie", true, json!({"type": "string"})), "cookie", "p=a%3Bb", json!("a%3Bb")),
    ] {
        assert_eq!(read(parameter.clone(), "/x", &[(header, text)]), Ok(expected), "{parameter}");
    }
}

#[test]
fn defaults_of_the_specification_hold_where_the_document_says_nothing() {
    // In a query `form`, spread out; in a path `simple`, not.
    assert_eq!(read(json!({"in": "query", "schema": list()}), "/x?p=a,b&p=c", &[]), Ok(json!(["a,b", "c"])));
    assert_eq!(read(json!({"in": "path", "schema": object()}), "/x/R,1", &[]), Ok(json!({"R": 1})));
    let deep = json!({"in": "query", "content": {"application/json": {"schema": object()}}});
    assert_eq!(read(deep, "/x?p=%7B%22R%22%3A1%7D", &[]), Ok(json!({"R": 1})));
}

#[test]
fn everything_that_is_wrong_is_said_at_once() {
    let parameter = |name: &str, place: &str, schema: Value| json!({"name": name, "in": place, "required": true, "schema": schema});
    let mock = mock(json!({"/pets/{id}": {"get": {"operationId": "pet", "parameters": [
        parameter("id", "path", json!({"type": "integer"})),
        parameter("limit", "query", json!({"type": "integer", "maximum": 100})),
        parameter("X-Version", "header", json!({"type": "string"})),
        parameter("session", "cookie", json!({"type": "string"})),
        {"name": "at", "in": "path", "schema": {}},
    ]}}}));
    let answer = get(&mock, "/pets/rex?limit=500&verbose=1");
    assert_eq!(answer.operation(), Some("pet"));
    assert_eq!(
        faults(&answer),
        [
            "/path/id type",
            "/query/limit maximum",
            "/query/verbose undeclared",
            "/header/X-Version required",
            "/cookie/session required",
        ]
    );
    assert_eq!(answer.response().status(), 400);
    let problem = super::json_body(&answer);
    assert_eq!(answer.response().headers()["content-type"], "application/problem+json");
    // What the document only does not speak of is no reason to refuse.
    assert_eq!(problem["errors"].as_array().unwrap().len(), 4);
    assert_eq!(problem["errors"][1]["rule"], "maximum");

    let fine = [("x-version", "1"), ("cookie", "session=a")];
    let answer = send(&mock, "GET", "/pets/7?limit=5&verbose=1", &fine, b"");
    assert_eq!((answer.fits(), answer.response().status().as_u16()), (true, 200));
}

#[test]
fn what_a_style_cannot_be_is_refused() {
    for (parameter, target, expected) in [
        (styled("path", "label", false, list()), "/x/a,b", "/path/p style"),
        (styled("path", "matrix", false, list()), "/x/;q=a", "/path/p style"),
        (styled("path", "simple", false, object()), "/x/R,1,G", "/path/p style"),
        (styled("query", "form", false, list()), "/x?p=a&p=b", "/query/p style"),
        (styled("query", "form", true, json!({"type": "string"})), "/x?p=a&p=b", "/query/p style"),
        (styled("query", "form", true, json!({"type": "string"})), "/x?p=%FF", "/query/p style"),
    ] {
        assert_eq!(read(parameter, target, &[]), Err(vec![expected.to_owned()]), "{target}");
    }
}

#[test]
fn swagger_lists_have_a_collection_format() {
    let parameter = |name: &str, format: &str| json!({"name": name, "in": "query", "type": "array", "items": {"type": "string"}, "collectionFormat": format});
    let mock = document(json!({
        "swagger": "2.0", "basePath": "/v1",
        "paths": {"/x": {"get": {"operationId": "x", "parameters": [
            parameter("a", "csv"), parameter("b", "ssv"), parameter("c", "pipes"), parameter("d", "multi"), parameter("e", "tsv"),
        ]}}},
    }));
    let answer = get(&mock, "/v1/x?a=1,2&b=1%202&c=1|2&d=1&d=2&e=1%092");
    assert_eq!(faults(&answer), Vec::<String>::new());
    let two = json!(["1", "2"]);
    assert_eq!(json!(answer.received().query), json!({"a": two, "b": two, "c": two, "d": two, "e": two}));
}

#[test]
fn the_concrete_path_goes_before_the_template() {
    let operation = |name: &str| json!({"get": {"operationId": name}});
    let mock = mock(json!({
        "/pets/{id}": operation("one"), "/pets/mine": operation("mine"), "/{kind}/mine": operation("any"),
        "/files/{name}.{ext}": operation("file"), "/odd path": operation("odd"),
        "/do?action=list": operation("list"), "/do?action=stop": operation("stop"),
    }));
    for (target, expected) in [
        ("/pets/7", Some("one")),
        ("/pets/mine", Some("mine")),
        ("/cats/mine", Some("any")),
        ("/files/a.b.json", Some("file")),
        ("/odd%20path", Some("odd")),
        ("/do?action=stop", Some("stop")),
        ("/do?action=list", Some("list")),
        ("/pets/a%2Fb", Some("one")),
        ("/pets/a/b", None),
        ("/pets/", None),
    ] {
        assert_eq!(get(&mock, target).operation(), expected, "{target}");
    }
    let refused = send(&mock, "DELETE", "/pets/7", &[], b"");
    assert_eq!(
        (refused.response().status().as_u16(), &refused.response().headers()["allow"]),
        (405, &"GET".parse().unwrap())
    );
}

#[test]
fn the_base_path_is_the_servers() {
    let mock = document(json!({
        "openapi": "3.0.3",
        "servers": [{"url": "https://{region}.api.test/{version}/", "variables": {"version": {"default": "v1"}}}, {"url": "/beta"}],
        "paths": {"/x": {"get": {"operationId": "x"}}, "/y": {"get": {"operationId": "y", "servers": [{"url": "https://files.test"}]}}},
    }));
    for (target, expected) in
        [("/v1/x", Some("x")), ("/v2/x", Some("x")), ("/beta/x", Some("x")), ("/x", None), ("/y", Some("y"))]
    {
        assert_eq!(get(&mock, target).operation(), expected, "{target}");
    }
    let problem = super::json_body(&get(&mock, "/x"));
    assert!(problem["detail"].as_str().unwrap().contains("/beta"), "{problem}");
}

#[test]
fn credentials_must_be_there_whatever_they_are() {
    let mock = document(json!({
        "openapi": "3.1.0",
        "components": {"securitySchemes": {
            "key": {"type": "apiKey", "in": "query", "name": "key"},
            "tenant": {"type": "apiKey", "in": "header", "name": "X-Tenant"},
            "token": {"type": "http", "scheme": "bearer"},
        }},
        "security": [{"key": [], "tenant": []}, {"token": []}],
        "paths": {"/x": {"get": {"operationId": "x"}}, "/open": {"get": {"operationId": "open", "security": []}}},
    }));
    let refused = get(&mock, "/x?key=1");
    assert_eq!(refused.response().status(), 401);
    assert_eq!(refused.response().headers()["www-authenticate"], "Bearer");
    assert_eq!(faults(&refused), ["/security security"]);
    // The key is nobody's to see.
    assert_eq!(refused.target(), "/x?key=***");
    assert!(send(&mock, "GET", "/x?key=1", &[("x-tenant", "a")], b"").fits());
    assert!(send(&mock, "GET", "/x", &[("authorization", "Bearer abc")], b"").fits());
    assert!(!send(&mock, "GET", "/x", &[("authorization", "Basic abc")], b"").fits());
    assert!(get(&mock, "/open").fits());
}
