//! Golden files: a document, and all that is understood of it. `UPDATE=1` writes them anew.

use std::fs;
use std::path::Path;

use opentool_core::ToolDefinition;
use opentool_openapi::plan::Operation;
use opentool_openapi::{Address, Api};
use serde_json::{Map, Value, json};

#[test]
fn documents_become_these_tools() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut cases: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    assert!(cases.len() >= 7, "{cases:?}");
    for case in cases {
        let document =
            ["document.yaml", "document.json"].into_iter().find(|name| case.join(name).exists()).unwrap();
        let text = fs::read(case.join(document)).unwrap();
        let api = opentool_openapi::parse(text, Address::from(document)).unwrap();
        super::assert_sound(&api);
        let found = format!("{:#}\n", describe(&api));
        let expected = case.join("expected.json");
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&expected, &found).unwrap();
        }
        let wanted = fs::read_to_string(&expected).unwrap_or_default();
        assert!(
            found == wanted,
            "{} differs; look at it with UPDATE=1 and git diff:\n{found}",
            expected.display()
        );
    }
}

fn describe(api: &Api) -> Value {
    let tools = api.tools().unwrap();
    let tools: Vec<Value> = tools
        .definitions()
        .zip(api.operations())
        .map(|(definition, operation)| tool(definition, operation))
        .collect();
    let diagnostics: Vec<String> = api.diagnostics().iter().map(ToString::to_string).collect();
    json!({"tools": tools, "diagnostics": diagnostics})
}

fn tool(definition: &ToolDefinition, operation: &Operation) -> Value {
    let mut tool = Map::new();
    tool.insert("name".into(), json!(definition.name));
    tool.insert("title".into(), json!(definition.title));
    tool.insert("description".into(), json!(definition.description));
    tool.insert("tags".into(), json!(definition.tags));
    tool.insert("annotations".into(), json!(definition.annotations));
    tool.insert("metadata".into(), json!(definition.metadata));
    tool.insert("origin".into(), json!(definition.origin.to_string()));
    tool.insert("inputSchema".into(), definition.input_schema.as_value().clone());
    tool.insert(
        "outputSchema".into(),
        json!(definition.output_schema.as_ref().map(|schema| schema.as_value())),
    );
    tool.insert("plan".into(), plan(operation));
    tool.retain(|_, value| !value.is_null());
    Value::Object(tool)
}

fn plan(operation: &Operation) -> Value {
    let parameters: Vec<String> = operation
        .parameters
        .iter()
        .map(|parameter| {
            let required = if parameter.required { "required" } else { "optional" };
            let place = parameter.place.as_str();
            format!("{} = {place} {} ({required}, {:?})", parameter.argument, parameter.name, parameter.form)
        })
        .collect();
    let body = operation.body.as_ref().map(|body| {
        let media: Vec<String> =
            body.media.iter().map(|media| format!("{} {}", media.media_type, media.encoding)).collect();
        json!({"required": body.required, "arguments": format!("{:?}", body.arguments), "media": media})
    });
    let security: Vec<Vec<String>> = operation
        .security
        .iter()
        .map(|requirement| {
            requirement
                .schemes
                .iter()
                .map(|used| format!("{}: {:?} {:?}", used.name, used.scheme, used.scopes))
                .collect()
        })
        .collect();
    let servers: Vec<String> = operation.servers.iter().map(|server| format!("{server:?}")).collect();
    json!({
        "request": format!("{} {}", operation.method, operation.path),
        "pointer": operation.pointer,
        "servers": servers,
        "parameters": parameters,
        "body": body,
        "security": security,
    })
}
