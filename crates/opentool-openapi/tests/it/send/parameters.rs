//! Every style, spread out or not, for texts, lists and objects.

use opentool_openapi::plan::{BodyArguments, Parameter, ParameterForm, Place, Style};
use opentool_openapi::request::{Located, Settings, build_located};
use serde_json::{Value, json};

use super::plans::{
    arguments, header, operation, parameter, problems, request, styled, target, with, with_body,
};

fn color(kind: &str) -> Value {
    match kind {
        "text" => json!("blue"),
        "empty" => json!(""),
        "list" => json!(["blue", "black"]),
        _ => json!({"R": 100, "G": 200}),
    }
}

#[test]
fn in_paths() {
    use Style::{Label, Matrix, Simple};
    let cases = [
        (Simple, false, "text", "blue"),
        (Simple, true, "list", "blue,black"),
        (Simple, false, "object", "R,100,G,200"),
        (Simple, true, "object", "R=100,G=200"),
        (Label, false, "text", ".blue"),
        (Label, false, "list", ".blue,black"),
        (Label, true, "list", ".blue.black"),
        (Label, false, "object", ".R,100,G,200"),
        (Label, true, "object", ".R=100.G=200"),
        (Matrix, false, "text", ";color=blue"),
        (Matrix, false, "empty", ";color"),
        (Matrix, false, "list", ";color=blue,black"),
        (Matrix, true, "list", ";color=blue;color=black"),
        (Matrix, false, "object", ";color=R,100,G,200"),
        (Matrix, true, "object", ";R=100;G=200"),
    ];
    for (style, explode, kind, expected) in cases {
        let operation = with(operation("GET /c/{color}/x"), [styled(Place::Path, "color", style, explode)]);
        let target = target(&operation, json!({"color": color(kind)}));
        assert_eq!(target, format!("/c/{expected}/x"), "{style:?} {explode} {kind}");
    }
}

#[test]
fn in_queries() {
    use Style::{DeepObject, Form, PipeDelimited, SpaceDelimited};
    let cases = [
        (Form, true, "text", "?color=blue"),
        (Form, true, "empty", "?color="),
        (Form, true, "list", "?color=blue&color=black"),
        (Form, false, "list", "?color=blue,black"),
        (Form, true, "object", "?R=100&G=200"),
        (Form, false, "object", "?color=R,100,G,200"),
        (SpaceDelimited, false, "list", "?color=blue%20black"),
        (SpaceDelimited, true, "list", "?color=blue&color=black"),
        (SpaceDelimited, false, "object", "?color=R%20100%20G%20200"),
        (PipeDelimited, false, "list", "?color=blue%7Cblack"),
        (DeepObject, true, "object", "?color%5BR%5D=100&color%5BG%5D=200"),
        (DeepObject, true, "list", "?color%5B0%5D=blue&color%5B1%5D=black"),
    ];
    for (style, explode, kind, expected) in cases {
        let operation = with(operation("GET /q"), [styled(Place::Query, "color", style, explode)]);
        let target = target(&operation, json!({"color": color(kind)}));
        assert_eq!(target, format!("/q{expected}"), "{style:?} {explode} {kind}");
    }
}

#[test]
fn in_headers_and_cookies() {
    let cases = [
        (Place::Header, Style::Simple, false, "list", "blue,black"),
        (Place::Header, Style::Simple, true, "object", "R=100,G=200"),
        (Place::Cookie, Style::Form, true, "text", "color=blue"),
        (Place::Cookie, Style::Form, false, "list", "color=blue,black"),
        (Place::Cookie, Style::Form, true, "object", "R=100; G=200"),
        (Place::Cookie, Style::Cookie, true, "list", "color=blue; color=black"),
    ];
    for (place, style, explode, kind, expected) in cases {
        let operation = with(operation("GET /h"), [styled(place, "color", style, explode)]);
        let request = request(&operation, json!({"color": color(kind)})).unwrap();
        let name = if place == Place::Header { "color" } else { "cookie" };
        assert_eq!(header(&request, name).unwrap(), expected, "{style:?} {explode} {kind}");
    }
}

#[test]
fn nested_deep_objects_keep_every_level() {
    let operation = with(operation("GET /q"), [styled(Place::Query, "filter", Style::DeepObject, true)]);
    let filter = json!({"at": {"gte": 5}, "items": [{"id": "a&b"}, {"id": null}]});
    assert_eq!(
        target(&operation, json!({"filter": filter})),
        "/q?filter%5Bat%5D%5Bgte%5D=5&filter%5Bitems%5D%5B0%5D%5Bid%5D=a%26b"
    );
}

#[test]
fn what_is_undefined_leaves_no_trace() {
    let parameters = ["a", "b", "c", "d"].map(|name| parameter(Place::Query, name));
    let operation = with(operation("GET /q"), parameters);
    let given = json!({"a": null, "b": [], "c": {}, "d": [null, "x"]});
    assert_eq!(target(&operation, given), "/q?d=x");
}

#[test]
fn numbers_and_booleans_are_written_as_json_writes_them() {
    let integer = Parameter { schema: json!({"type": "integer"}), ..parameter(Place::Query, "i") };
    let number = Parameter { schema: json!({"type": "number"}), ..parameter(Place::Query, "n") };
    let operation = with(operation("GET /q"), [integer, number, parameter(Place::Query, "b")]);
    // 5.0 is an integer to JSON Schema, and no server reads `5.0` as one.
    assert_eq!(target(&operation, json!({"i": 5.0, "n": 5.5, "b": false})), "/q?i=5&n=5.5&b=false");
    assert_eq!(target(&operation, json!({"i": 18_446_744_073_709_551_615_u64})), "/q?i=18446744073709551615");
    // Digits that nobody wrote are not made up.
    assert_eq!(target(&operation, json!({"i": 1e20})), "/q?i=1e%2B20");
}

#[test]
fn reserved_characters_stay_where_the_document_allows_them() {
    let form = ParameterForm::Style { style: Style::Form, explode: true, allow_reserved: true };
    let operation = with(operation("GET /q"), [Parameter { form, ..parameter(Place::Query, "u") }]);
    assert_eq!(
        target(&operation, json!({"u": "https://x.test/a?b=c,d%2F 100%"})),
        "/q?u=https://x.test/a?b=c,d%2F%20100%25"
    );
    // What would end the value is escaped all the same.
    assert_eq!(target(&operation, json!({"u": "1&admin=1#f+[]"})), "/q?u=1%26admin=1%23f%2B%5B%5D");
}

#[test]
fn content_parameters_are_json() {
    let form = ParameterForm::Content { media_type: "application/json".to_owned() };
    let parameters = [Place::Query, Place::Header]
        .map(|place| Parameter { form: form.clone(), ..parameter(place, place.as_str()) });
    let operation = with(operation("GET /q"), parameters);
    let request = request(&operation, json!({"query": {"a": [1]}, "header": {"b": "c"}})).unwrap();
    assert_eq!(request.url(), "https://api.test/q?query=%7B%22a%22%3A%5B1%5D%7D");
    assert_eq!(header(&request, "header").unwrap(), r#"{"b":"c"}"#);
}

#[test]
fn content_parameters_are_written_by_their_media_type() {
    let form = ParameterForm::Content { media_type: "application/x-www-form-urlencoded".to_owned() };
    let operation = with(operation("GET /q"), [Parameter { form, ..parameter(Place::Query, "f") }]);
    assert_eq!(
        target(&operation, json!({"f": {"a": 1, "b": ["x y", "z"]}})),
        "/q?f=a%3D1%26b%3Dx%2520y%26b%3Dz"
    );
    assert_eq!(target(&operation, json!({"f": "a=1"})), "/q?f=a%3D1");
}

#[test]
fn a_template_may_hold_literals_a_query_and_a_fragment() {
    let operation =
        |line| with(operation(line), [parameter(Place::Path, "id"), parameter(Place::Query, "q")]);
    let given = json!({"id": "7/8", "q": "x"});
    assert_eq!(target(&operation("POST /job-{id}:cancel"), given.clone()), "/job-7%2F8:cancel?q=x");
    assert_eq!(
        target(&operation("GET /do?action=list&id={id}"), given.clone()),
        "/do?action=list&id=7%2F8&q=x"
    );
    assert_eq!(target(&operation("GET /do/{id}#Action=List"), given.clone()), "/do/7%2F8?q=x");
    assert_eq!(target(&operation("GET /a b/{id}"), given), "/a%20b/7%2F8?q=x");
}

#[test]
fn arguments_of_equal_names_go_to_their_places() {
    let renamed =
        |place: Place, argument: &str| Parameter { argument: argument.to_owned(), ..parameter(place, "id") };
    let parameters = [renamed(Place::Path, "path_id"), renamed(Place::Query, "query_id")];
    let operation = with(operation("GET /p/{id}"), parameters);
    assert_eq!(target(&operation, json!({"path_id": 1, "query_id": 2})), "/p/1?id=2");

    let by_location = |value| Located::by_location(&operation, &arguments(value));
    let located = by_location(json!({"path.id": 1, "query.id": 2})).unwrap();
    let request = build_located(&operation, &located, &Settings::new()).unwrap();
    assert_eq!(request.url(), "https://api.test/p/1?id=2");
    let error = by_location(json!({"id": 1})).unwrap_err();
    assert!(error.to_string().contains("expected `path.id` or `query.id`"), "{error}");
    let error = by_location(json!({"path_id": 1})).unwrap_err();
    assert!(error.to_string().contains("there are: `path.id`, `query.id`"), "{error}");
    let own = located.clone().into_arguments(&operation).unwrap();
    assert_eq!(Located::from_arguments(&operation, &own).unwrap(), located);
}

#[test]
fn all_problems_are_named_at_once() {
    let needed = Parameter { required: true, ..parameter(Place::Query, "q") };
    let operation = with(operation("POST /p/{id}"), [parameter(Place::Path, "id"), needed]);
    let operation = with_body(operation, "application/json", json!({}), Value::Null);
    let missing = problems(&request(&operation, json!({})).unwrap_err());
    let expected = ["/id", "/q", "/body"].map(|pointer| (pointer.to_owned(), "required".to_owned()));
    assert_eq!(missing, expected);

    let unknown = problems(&request(&operation, json!({"id": 1, "a/b": 2})).unwrap_err());
    assert_eq!(unknown, [("/a~1b".to_owned(), "additionalProperties".to_owned())]);
}

#[test]
fn properties_of_a_body_are_put_together_again() {
    let mut operation =
        with_body(operation("PATCH /p"), "application/merge-patch+json", json!({}), Value::Null);
    let body = operation.body.as_mut().unwrap();
    body.arguments = BodyArguments::Properties(vec!["a".to_owned(), "b".to_owned()]);
    let shown = request(&operation, json!({"b": null, "a": 1})).unwrap().to_json();
    assert_eq!(shown["body"], json!({"b": null, "a": 1}));
    assert_eq!(shown["headers"]["Content-Type"], "application/merge-patch+json");
    // A body that must be there is there, even if nothing is in it; one that need not be is not.
    assert_eq!(request(&operation, json!({})).unwrap().to_json()["body_kind"], "json");
    operation.body.as_mut().unwrap().required = false;
    assert_eq!(request(&operation, json!({})).unwrap().to_json()["body_kind"], "none");
}

/// Azure's `api-version`: required, with a default that everybody means.
#[test]
fn a_required_parameter_that_is_left_out_is_sent_with_its_default() {
    let parameter = |name: &str, place: &str, required: bool| json!({"name": name, "in": place, "required": required, "schema": {"type": "string", "default": "d"}});
    let list = [("q", "query", true), ("h", "header", true), ("p", "path", true), ("o", "query", false)];
    let list: Vec<_> = list.map(|(name, place, required)| parameter(name, place, required)).into();
    let document = json!({"openapi": "3.0.0", "servers": [{"url": "https://api.test"}],
        "paths": {"/{p}": {"get": {"operationId": "get", "parameters": list}}}});
    let api = opentool_openapi::parse(document.to_string(), "a.json").unwrap();
    let definition = api.tools().unwrap().get("get").unwrap().definition().clone();
    assert_eq!(definition.input_schema.as_value()["required"], json!(["p"]));
    let sent = |arguments: serde_json::Value| {
        let arguments = serde_json::from_value(arguments).unwrap();
        let sent = api.request("get", &arguments).map_err(|error| error.to_string())?.to_json();
        Ok::<_, String>((sent["url"].as_str().unwrap().to_owned(), sent["headers"]["h"].clone()))
    };
    assert_eq!(sent(json!({"p": "x"})).unwrap(), ("https://api.test/x?q=d".to_owned(), json!("d")));
    assert_eq!(sent(json!({"p": "x", "q": "1"})).unwrap().0, "https://api.test/x?q=1");
    // What it is about is for the caller to say.
    assert!(sent(json!({})).is_err());
}
