//! What a model writes stays in its place.

use opentool_core::ToolError;
use opentool_openapi::plan::{Place, Style};
use opentool_openapi::request::Settings;
use serde_json::json;

use super::plans::{
    arguments, header, operation, parameter, problems, request, server, styled, target, with,
};

fn pet() -> opentool_openapi::plan::Operation {
    with(operation("GET /v1/pet/{petId}/toys"), [parameter(Place::Path, "petId")])
}

#[test]
fn a_path_value_cannot_leave_its_segment() {
    let cases = [
        ("a/b", "a%2Fb"),
        ("1?x=2", "1%3Fx%3D2"),
        ("1#f", "1%23f"),
        ("a\\b", "a%5Cb"),
        ("@evil.test", "%40evil.test"),
        ("http://evil.test", "http%3A%2F%2Fevil.test"),
        ("//evil.test", "%2F%2Fevil.test"),
        ("%2F", "%252F"),
        ("a;b=c", "a%3Bb%3Dc"),
        ("Dıñga", "D%C4%B1%C3%B1ga"),
        ("...", "..."),
        ("a..b", "a..b"),
        (" ", "%20"),
    ];
    for (value, expected) in cases {
        let target = target(&pet(), json!({"petId": value}));
        assert_eq!(target, format!("/v1/pet/{expected}/toys"), "{value}");
    }
}

#[test]
fn a_path_value_that_climbs_is_refused() {
    let values = [
        "..",
        ".",
        "../../admin",
        "..\\..\\admin",
        "a/../b",
        "%2e%2e",
        "%2E.",
        "%252e%252e",
        "%2e%2e%2fadmin",
        "..;",
        "..;x=1",
        ".. ",
        "\u{ff0e}\u{ff0e}",
        "\u{2025}",
        "..\u{ff0f}admin",
        "..\u{2215}admin",
        "%c0%ae%c0%ae",
        "..%c0%afadmin",
    ];
    for value in values {
        let error = request(&pet(), json!({"petId": value})).expect_err(value);
        assert_eq!(problems(&error), [("/petId".to_owned(), "path".to_owned())], "{value}");
    }
    let error = request(&pet(), json!({"petId": "../../admin"})).unwrap_err();
    assert_eq!(
        error.for_model(),
        "invalid arguments, nothing was run:\n- /petId: expected a value without `.` or `..` as a path segment: \
         it would change the path, found \"../../admin\""
    );
}

#[test]
fn empty_values_and_control_characters_are_refused_in_paths() {
    for value in [json!(""), json!(null), json!([]), json!({}), json!([null])] {
        let error = request(&pet(), json!({"petId": value})).unwrap_err();
        assert_eq!(problems(&error), [("/petId".to_owned(), "path".to_owned())], "{value}");
        assert!(error.for_model().contains("not empty"), "{error}");
    }
    for value in
        [json!("a\0"), json!("a\r\nX: 1"), json!(["a", "\u{1b}"]), json!({"a": "\n"}), json!("\u{85}")]
    {
        let error = request(&pet(), json!({"petId": value})).unwrap_err();
        assert!(error.for_model().contains("control characters"), "{error}");
        assert!(!error.for_model().contains(['\0', '\r', '\u{1b}', '\u{85}']), "{error}");
    }
}

#[test]
fn dots_cannot_be_put_together_from_pieces() {
    let pieces = ["a", "b"].map(|name| parameter(Place::Path, name));
    let two = with(operation("GET /x/{a}{b}/y"), pieces.clone());
    assert_eq!(problems(&request(&two, json!({"a": ".", "b": "."})).unwrap_err())[0].0, "/a");
    let dotted = with(operation("GET /x/.{a}/y"), pieces.clone());
    assert_eq!(problems(&request(&dotted, json!({"a": ".", "b": ""})).unwrap_err())[0].0, "/a");
    let label = with(operation("GET /x/{a}/y"), [styled(Place::Path, "a", Style::Label, true)]);
    assert_eq!(problems(&request(&label, json!({"a": "."})).unwrap_err())[0].0, "/a");
    // An empty label is a dot by the specification; here it would take a segment away.
    assert!(request(&label, json!({"a": ""})).is_err());
}

#[test]
fn a_last_dot_is_shown_and_never_sent() {
    let label = with(operation("GET /x/{a}"), [styled(Place::Path, "a", Style::Label, false)]);
    let request = request(&label, json!({"a": ""})).unwrap();
    assert_eq!(request.url(), "https://api.test/x/.");
    let error = request.to_http().unwrap_err();
    assert!(error.to_string().contains("would change its path"), "{error}");
}

#[test]
fn a_document_cannot_lead_out_of_its_server() {
    let mut climbing = operation("GET /../admin");
    climbing.servers = [server("https://api.test/v1")].into();
    let error = request(&climbing, json!({})).unwrap_err();
    assert!(matches!(error, ToolError::Failed(_)), "{error:?}");
    let undeclared = request(&operation("GET /pet/{petId}"), json!({})).unwrap_err();
    assert!(undeclared.to_string().contains("`{petId}` is not declared"), "{undeclared}");
    // The path is appended, never resolved: this is no other host.
    assert_eq!(target(&operation("GET //evil.test/x"), json!({})), "//evil.test/x");
}

#[test]
fn a_query_value_cannot_become_another_parameter() {
    for style in [Style::Form, Style::PipeDelimited, Style::SpaceDelimited, Style::DeepObject] {
        let operation = with(operation("GET /q"), [styled(Place::Query, "q", style, false)]);
        let target = target(&operation, json!({"q": "1&admin=true#f\r\n\0+"}));
        assert_eq!(target, "/q?q=1%26admin%3Dtrue%23f%0D%0A%00%2B", "{style:?}");
    }
    let exploded = with(operation("GET /q"), [parameter(Place::Query, "q")]);
    assert_eq!(target(&exploded, json!({"q": {"a&b=": "c"}})), "/q?a%26b%3D=c");
}

#[test]
fn a_header_value_cannot_add_a_header() {
    let operation = with(operation("GET /h"), [parameter(Place::Header, "X-Token")]);
    for value in ["a\r\nX-Evil: 1", "a\nb", "a\rb", "a\0b", "a\u{1b}[2J", "a\u{7f}", "a\u{9b}2J"] {
        let error = request(&operation, json!({"X-Token": value})).unwrap_err();
        assert_eq!(problems(&error), [("/X-Token".to_owned(), "header".to_owned())]);
        assert!(error.for_model().contains("without line ends"), "{error}");
    }
    let sent = request(&operation, json!({"X-Token": "grün 嘊嘍\t1"})).unwrap();
    assert_eq!(header(&sent, "x-token").unwrap(), "grün 嘊嘍\t1");
}

#[test]
fn a_document_cannot_hand_the_framing_to_the_model() {
    for name in ["Host", "Content-Length", "transfer-encoding", "Connection", "a b", "x\r\ny", ""] {
        let operation = with(operation("GET /h"), [parameter(Place::Header, name)]);
        let error = request(&operation, json!({name: "1"})).unwrap_err();
        assert!(matches!(error, ToolError::Failed(_)), "{name}: {error:?}");
    }
    // The specification says that these are ignored.
    let names = ["Accept", "Content-Type", "authorization"];
    let operation = with(operation("GET /h"), names.map(|name| parameter(Place::Header, name)));
    let sent =
        request(&operation, json!({"Accept": "x", "Content-Type": "y", "authorization": "z"})).unwrap();
    assert_eq!(header(&sent, "accept").unwrap(), "application/json, */*;q=0.8");
    assert_eq!((header(&sent, "content-type"), header(&sent, "authorization")), (None, None));
}

#[test]
fn a_cookie_value_cannot_become_another_cookie() {
    let form = with(operation("GET /k"), [parameter(Place::Cookie, "c")]);
    let sent = request(&form, json!({"c": "a; admin=1\r\n"})).unwrap();
    assert_eq!(header(&sent, "cookie").unwrap(), "c=a%3B%20admin%3D1%0D%0A");
    let raw = with(operation("GET /k"), [styled(Place::Cookie, "c", Style::Cookie, true)]);
    for value in
        [json!("a; admin=1"), json!("a\r\nX: 1"), json!({"a=b": 1}), json!({"a;b": 1}), json!(["x", ";"])]
    {
        let error = request(&raw, json!({"c": value})).unwrap_err();
        assert_eq!(problems(&error)[0], ("/c".to_owned(), "cookie".to_owned()), "{value}");
    }
}

#[test]
fn a_part_cannot_forge_its_head() {
    let operation = super::plans::with_body(
        operation("POST /b"),
        "multipart/form-data",
        json!({}),
        serde_json::Value::Null,
    );
    let forged =
        json!({"$base64": "AA==", "filename": "a\"\r\nX-Evil: 1\r\n\r\nb", "contentType": "text/html"});
    let sent = request(&operation, json!({"body": {"f\"\r\n": forged}})).unwrap();
    let text = String::from_utf8(sent.body().to_bytes().to_vec()).unwrap();
    assert!(text.contains(r#"name="f%22%0D%0A"; filename="a%22%0D%0AX-Evil: 1%0D%0A%0D%0Ab""#), "{text}");

    let forged = json!({"$base64": "AA==", "contentType": "text/plain\r\nX-Evil: 1"});
    let error = request(&operation, json!({"body": {"f": forged}})).unwrap_err();
    assert_eq!(problems(&error)[0].0, "/body/f");

    // The boundary is one that the value does not hold.
    let sent = request(&operation, json!({"body": {"f": "------opentool-0000000000000000--"}})).unwrap();
    assert!(header(&sent, "content-type").unwrap().ends_with("=----opentool-0000000000000001"));
}

#[test]
fn a_server_variable_cannot_change_the_host() {
    let mut tenant = operation("GET /v");
    tenant.servers = [server("https://{tenant}.api.test/{base}")].into();
    let url = |tenant_name: &str, base: &str| {
        let mut settings = Settings::new();
        settings.server_variables.insert("tenant".to_owned(), tenant_name.to_owned());
        settings.server_variables.insert("base".to_owned(), base.to_owned());
        opentool_openapi::request::build(&tenant, &arguments(json!({})), &settings)
            .map(|request| request.url().to_owned())
    };
    assert_eq!(url("acme", "v1/eu").unwrap(), "https://acme.api.test/v1/eu/v");
    for name in ["evil.test/", "evil.test#", "evil.test?", "a@evil.test", "evil.test\\", "a b"] {
        assert!(url(name, "v1").is_err(), "{name}");
    }
    for base in ["..", "a/../..", "%2e%2e", "?x", "#x"] {
        assert!(url("acme", base).is_err(), "{base}");
    }
}
