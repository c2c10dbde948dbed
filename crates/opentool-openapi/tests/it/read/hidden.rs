//! Texts in which something hides from a reader: models are given them without it, and the author is told where it is.

use opentool_core::Severity;
use opentool_openapi::parse;
use serde_json::json;

/// "Ignore" in tag characters, the direction of writing turned, a mark without width.
const HIDDEN: &str = "\u{e0049}\u{e0067}\u{e006e}\u{e006f}\u{e0072}\u{e0065}\u{202e}\u{200b}";

#[test]
fn what_no_reader_sees_no_model_is_told() {
    let said = |text: &str| format!("{text}{HIDDEN}");
    let text = json!({
        "openapi": "3.0.3",
        "info": {},
        "paths": {"/a": {"post": {
            "summary": said("Adds"),
            "description": said("Adds a thing."),
            "parameters": [{
                "name": "q", "in": "query", "description": said("Which."), "schema": {"type": "string"},
            }],
            "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}},
            "responses": {"200": {"description": "ok", "content": {"application/json": {
                "schema": {"$ref": "#/components/schemas/Thing"},
            }}}},
        }}},
        "components": {"schemas": {"Thing": {
            "type": "object",
            "description": said("A thing."),
            "properties": {"name": {
                "type": "string", "description": said("Its name."), "enum": [said("a"), "b"], "example": said("a"),
            }},
        }}},
    });
    // As text with escapes too, in which nothing but ASCII is to be seen.
    let escaped: String = text
        .to_string()
        .encode_utf16()
        .map(|unit| match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii() => char::from(byte).to_string(),
            _ => format!("\\u{unit:04x}"),
        })
        .collect();
    for text in [text.to_string(), escaped] {
        let api = parse(text, "a.json").unwrap();
        let tools = api.tools().unwrap();
        let definition = tools.definitions().next().unwrap();
        let mut told =
            format!("{} {:?} {}", definition.description, definition.title, definition.input_schema);
        told.push_str(&definition.output_schema.as_ref().unwrap().to_string());
        for words in ["Adds a thing.", "Some(\"Adds\")", "\"Which.\"", "A thing.", "Its name."] {
            assert!(told.contains(words), "`{words}` in {told}");
        }
        // Values are data: the service expects them as they are.
        let told = told.replace(&said("a"), "a");
        assert!(told.chars().all(|c| !HIDDEN.contains(c)), "{told:?}");

        let found: Vec<&str> = api
            .diagnostics()
            .iter()
            .filter(|found| found.code == "hidden-characters")
            .inspect(|found| {
                assert_eq!(found.severity, Severity::Warning);
                assert!(found.message.contains("(U+E0049, U+E0067, U+E006E, …)"), "{found}");
                assert!(found.location.is_some() && found.help.is_some(), "{found:?}");
            })
            .map(|found| found.pointer.as_str())
            .collect();
        assert_eq!(
            found,
            [
                "/paths/~1a/post/summary",
                "/paths/~1a/post/description",
                "/paths/~1a/post/parameters/0/description",
                "/components/schemas/Thing/description",
                "/components/schemas/Thing/properties/name/description",
            ]
        );
    }
}

#[test]
fn what_scripts_and_pictures_need_is_nobodys_fault() {
    let joined = "نمی\u{200c}دانم, क\u{94d}\u{200d}ष, 👩\u{200d}🚀 ❤\u{fe0f}\r\nand a line.";
    let text = super::with_operation(&json!({"summary": joined, "responses": {}}));
    let api = parse(text, "a.json").unwrap();
    assert!(
        api.diagnostics().iter().all(|found| found.code != "hidden-characters"),
        "{:?}",
        api.diagnostics()
    );
    let tools = api.tools().unwrap();
    assert_eq!(tools.definitions().next().unwrap().description, joined.replace('\r', ""));
}
