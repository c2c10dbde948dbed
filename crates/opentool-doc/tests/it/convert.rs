//! Functions to tool definitions and back: what is the same, and what is lost. Golden files under `tests/export`.

use std::fs;
use std::path::Path;

use opentool_core::{Annotations, Severity, ToolDefinition};
use opentool_doc::{Document, Export, Info, Parameter, Schema, SchemaType, Server, Version, parse};
use opentool_schema::Validator;
use serde_json::{Value, json};

use crate::golden::{agree, cases};

/// The documents that break no rule.
fn valid() -> impl Iterator<Item = (std::path::PathBuf, Document)> {
    cases().into_iter().filter_map(|(folder, name, text)| {
        let valid = folder.file_name().unwrap().to_str().unwrap().starts_with("valid-");
        valid.then(|| (folder, parse(text, name).unwrap().document))
    })
}

fn listed(definition: &ToolDefinition) -> Value {
    let mut entry = json!({
        "name": definition.name,
        "description": definition.description,
        "inputSchema": definition.input_schema.as_value(),
    });
    if let Some(schema) = &definition.output_schema {
        entry["outputSchema"] = schema.as_value().clone();
    }
    entry
}

fn defined(entry: &Value) -> ToolDefinition {
    let text = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
    let mut definition = ToolDefinition::new(text("name"), text("description"));
    definition.input_schema = entry["inputSchema"].clone().into();
    definition.output_schema = entry.get("outputSchema").map(|schema| schema.clone().into());
    definition.title = entry.get("title").map(|title| title.as_str().unwrap().to_owned());
    if entry["readOnly"] == true {
        definition.annotations = Annotations::new().read_only(true);
    }
    definition
}

#[test]
fn functions_become_these_definitions() {
    for (folder, document) in valid() {
        let listed: Vec<Value> = document.definitions().iter().map(listed).collect();
        agree(&folder.join("definitions.json"), &format!("{:#}\n", Value::from(listed)));
    }
}

#[test]
fn definitions_accept_what_the_functions_accept() {
    for (folder, document) in valid() {
        for definition in document.definitions() {
            let schemas = std::iter::once(&definition.input_schema).chain(&definition.output_schema);
            for schema in schemas {
                Validator::new(schema).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
            }
        }
    }
    let text = r##"{"opentool": "1.0.0", "info": {"title": "T", "version": "1"}, "functions": [
        {"name": "f", "description": "D.", "parameters": [
            {"name": "tree", "description": "T.", "schema": {"$ref": "#/schemas/Node"}, "required": true},
            {"name": "mode", "description": "M.", "schema": {"type": "string", "enum": ["a", null]}, "required": false},
            {"name": "slash", "description": "S.", "schema": {"$ref": "#/schemas/A~1B"}, "required": false},
            {"name": "space", "description": "S.", "schema": {"$ref": "#/schemas/50%25 {of} it"}, "required": false},
            {"name": "tilde", "description": "T.", "schema": {"$ref": "#/schemas/a~0b"}, "required": false}
        ]}
    ], "schemas": {
        "Node": {"type": "object", "properties": {"next": {"$ref": "#/schemas/Node"}, "n": {"type": "integer"}}, "required": ["n"]},
        "A/B": {"type": "integer"}, "50% {of} it": {"type": "integer"}, "a~b": {"type": "integer"}
    }}"##;
    let document = parse(text, "").unwrap().document;
    let validator = Validator::new(&document.definitions()[0].input_schema).unwrap();
    for (accepted, arguments) in [
        (true, json!({"tree": {"n": 1}})),
        (true, json!({"tree": {"n": 1, "next": {"n": 2, "next": {"n": 3}}}})),
        (false, json!({"tree": {"n": 1, "next": {"n": 2, "next": {}}}})),
        (false, json!({})),
        (false, json!({"tree": {"n": 1}, "other": 1})),
        (true, json!({"tree": {"n": 1}, "mode": null})),
        (false, json!({"tree": {"n": 1}, "mode": "b"})),
        (true, json!({"tree": {"n": 1}, "slash": 1, "space": 2, "tilde": 3})),
        (false, json!({"tree": {"n": 1}, "slash": "1"})),
        (false, json!({"tree": {"n": 1}, "space": "1"})),
        (false, json!({"tree": {"n": 1}, "tilde": "1"})),
    ] {
        assert_eq!(validator.accepts(&arguments), accepted, "{arguments}");
    }
    // Names that references must escape are plain after an export.
    let mut definitions = document.definitions();
    definitions[0].metadata.clear();
    let exported = Export::new(document.info).document(&definitions).document;
    assert_eq!(exported.schemas.keys().collect::<Vec<_>>(), ["Node", "A_B", "50___of__it", "a_b"]);
}

#[test]
fn what_is_imported_and_exported_again_is_the_same_document() {
    for (folder, document) in valid() {
        let exported = Export::like(&document).document(&document.definitions());
        assert_eq!(exported.document.print(), document.print(), "{}", folder.display());
        assert_eq!(exported.losses, [], "{}", folder.display());
    }
}

#[test]
fn a_changed_text_leaves_the_rest_of_a_function_alone() {
    let (_, document) = valid().find(|(folder, _)| folder.ends_with("valid-everything")).unwrap();
    let mut definitions = document.definitions();
    definitions[0].name = "search".into();
    definitions[0].description = "Another text.".into();
    let exported = Export::like(&document).document(&definitions).document;
    let mut expected = document.functions[0].clone();
    expected.name = "search".into();
    expected.description = "Another text.".into();
    assert_eq!(exported.functions[0], expected);
}

#[test]
fn a_changed_schema_counts_and_not_the_function_that_it_came_from() {
    let (_, document) = valid().find(|(folder, _)| folder.ends_with("valid-everything")).unwrap();
    let mut definitions = document.definitions();
    definitions[1].input_schema =
        json!({"type": "object", "properties": {"name": {"type": "string"}}}).into();
    definitions[1].output_schema = None;
    let exported = Export::like(&document).document(&definitions).document;
    let expected = opentool_doc::Function::new("get-pet", "One pet.")
        .parameter(Parameter::optional("name", Schema::of(SchemaType::String)));
    assert_eq!(exported.functions[1], expected);
    assert_eq!(exported.functions[0], document.functions[0]);
}

#[test]
fn without_its_metadata_a_definition_still_gives_the_same_schemas() {
    for (folder, document) in valid() {
        let mut definitions = document.definitions();
        let before: Vec<Value> = definitions.iter().map(listed).collect();
        definitions.iter_mut().for_each(|definition| definition.metadata.clear());
        let exported = Export::new(document.info.clone()).document(&definitions);
        let after: Vec<Value> = exported.document.definitions().iter().map(listed).collect();
        assert_eq!(after, before, "{}", folder.display());
        assert_eq!(exported.losses, [], "{}", folder.display());
        assert_sound(&exported.document);
    }
}

/// What we write breaks no rule, but for texts that nobody wrote.
fn assert_sound(document: &Document) {
    let texts = ["empty-description", "no-description", "recursive-schema", "info-version"];
    let found: Vec<_> = document.lint().into_iter().filter(|found| !texts.contains(&found.code)).collect();
    assert!(found.is_empty(), "{found:?}\n{}", document.print());
}

#[test]
fn definitions_become_these_functions_and_lose_this() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/export");
    let mut cases: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    assert!(cases.len() >= 10);
    for case in cases {
        let text = fs::read_to_string(case.join("definitions.json")).unwrap();
        let entries: Vec<Value> =
            serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", case.display()));
        let definitions: Vec<ToolDefinition> = entries.iter().map(defined).collect();
        let exported = Export::new(Info::new("Tools", "1.0.0")).document(&definitions);
        assert_sound(&exported.document);
        let losses: String = exported.losses.iter().map(|loss| format!("{loss}\n")).collect();
        agree(&case.join("document.json"), &exported.document.print());
        agree(&case.join("losses.txt"), &losses);
        // Every loss is about something that is there.
        for loss in &exported.losses {
            let entry = entries.iter().find(|entry| entry["name"] == loss.tool.as_str()).unwrap();
            let there = entry.pointer(&loss.pointer).is_some()
                || ["name", "annotations"].contains(&loss.keyword.as_str());
            assert!(there || loss.message.contains("any kind") || loss.keyword == "type", "{loss}");
            // What was moved is there to be read.
            let moved = loss.message.contains("moved to the description");
            let told = exported.document.print().contains(&format!("{}: ", loss.keyword));
            assert!(!moved || told, "{loss}");
        }
        // What was written loses nothing more.
        let mut again = exported.document.definitions();
        again.iter_mut().for_each(|definition| definition.metadata.clear());
        let second = Export::new(Info::new("Tools", "1.0.0")).document(&again);
        assert_eq!(second.losses, [], "{}", case.display());
        let schemas = |document: &Document| document.definitions().iter().map(listed).collect::<Vec<_>>();
        assert_eq!(schemas(&second.document), schemas(&exported.document), "{}", case.display());
    }
}

/// Takes what was moved to the descriptions out of them.
fn untold(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::String(text)) = members.get_mut("description")
                && text.ends_with('}')
            {
                text.truncate(text.rfind("\n\n{").unwrap_or(0));
                if text.is_empty() {
                    members.remove("description");
                }
            }
            members.values_mut().for_each(untold);
        }
        Value::Array(items) => items.iter_mut().for_each(untold),
        _ => {}
    }
}

#[test]
fn the_losses_of_the_pet_shop_are_all_that_it_loses() {
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/export/pet-shop/definitions.json");
    let mut entries: Vec<Value> = serde_json::from_str(&fs::read_to_string(case).unwrap()).unwrap();
    let definitions: Vec<ToolDefinition> = entries.iter().map(defined).collect();
    let exported = Export::new(Info::new("Pet shop", "1.0.0")).document(&definitions);
    for loss in &exported.losses {
        let entry = entries.iter_mut().find(|entry| entry["name"] == loss.tool.as_str()).unwrap();
        let (parent, keyword) = loss.pointer.rsplit_once('/').unwrap();
        let lost = entry.pointer_mut(parent).unwrap().as_object_mut().unwrap().shift_remove(keyword);
        assert!(lost.is_some(), "{loss}");
    }
    for (entry, definition) in entries.iter().zip(exported.document.definitions()) {
        assert_eq!(entry["description"], definition.description.as_str());
        let mut arguments = definition.input_schema.as_value().clone();
        untold(&mut arguments);
        assert_eq!(entry["inputSchema"], arguments);
        // A result that is not an object is one member of the object that a server sends.
        let result = definition.output_schema.as_ref().map(|schema| schema.as_value().clone());
        let Some(mut result) = result else { continue };
        untold(&mut result);
        if entry["outputSchema"]["type"] == "array" {
            let definitions = result["$defs"].take();
            result = result["properties"]["result"].take();
            result["$defs"] = definitions;
        }
        let mut before = entry["outputSchema"].clone();
        // The format spells out that an object has no properties that are known.
        if before["type"] == "object" && before.get("properties").is_none() {
            before["properties"] = json!({});
        }
        if before.get("$ref").is_none() {
            assert_eq!(before, result);
        }
    }
}

#[test]
fn what_stands_in_the_place_of_a_newer_member_does_not_reach_an_older_version() {
    let text = r#"{"opentool": {"of": 5}, "info": {"title": "T", "version": "1"}, "server": "http://h",
        "functions": [{"name": "f", "description": "D.", "parameters": [], "stream": [1]}]}"#;
    let broken = parse(text, "").unwrap().document;
    let (older, lost) = broken.for_version(Version::V1_0_0);
    let pointers: Vec<_> = lost.iter().map(|lost| lost.pointer.as_str()).collect();
    assert_eq!(pointers, ["/server", "/functions/0/stream"]);
    let again = parse(older.print(), "").unwrap();
    assert_eq!(again.document, older);
    assert_eq!(again.diagnostics, []);
}

#[test]
fn an_older_version_holds_less_and_says_so() {
    let (_, document) = valid().find(|(folder, _)| folder.ends_with("valid-everything")).unwrap();
    let (same, nothing) = document.for_version(Version::V2_0_0);
    assert_eq!((same.print(), nothing), (document.print(), vec![]));
    let (older, lost) = document.for_version(Version::V1_0_0);
    let lost: Vec<String> = lost.iter().map(ToString::to_string).collect();
    assert_eq!(
        lost,
        [
            "warning[not-held]: version 1.0.0 has no `server`; it is left out (at /server); write version 1.1.0 to keep it",
            "warning[not-held]: version 1.0.0 has no `stream`; it is left out (at /functions/2/stream); \
             write version 2.0.0 to keep it",
        ]
    );
    assert!(older.lint().iter().all(|found| found.severity < Severity::Warning), "{:?}", older.lint());
    let exported = Export::like(&document).version(Version::V1_1_0).document(&document.definitions());
    let lost: Vec<String> = exported.losses.iter().map(ToString::to_string).collect();
    assert_eq!(lost, ["watch /stream: version 1.1.0 has no `stream`; it is left out"]);
    assert_eq!(exported.document.server, document.server);
}

#[test]
fn what_is_wrong_with_a_function_does_not_reach_its_definition() {
    let text = r##"{"opentool": "1.0.0", "info": {"title": "T", "version": "1"}, "functions": [
        {"name": "f", "description": "D.", "parameters": [
            {"name": "nowhere", "schema": {"$ref": "#/schemas/None", "description": "Kept."}, "required": true},
            {"name": "circle", "schema": {"$ref": "#/schemas/A"}, "required": false},
            {"name": "nothing", "schema": {}, "required": false},
            {"name": "empty", "schema": {"type": "string", "enum": []}, "required": false},
            {"name": "nothing", "schema": {"type": "string"}, "required": true}
        ]},
        {"name": "f", "description": "Another f.", "parameters": []},
        {"name": "", "description": "No name.", "parameters": []}
    ], "schemas": {"A": {"$ref": "#/schemas/B"}, "B": {"$ref": "#/schemas/A"}}}"##;
    let definitions = parse(text, "").unwrap().document.definitions();
    assert_eq!(definitions.len(), 1);
    assert_eq!(
        *definitions[0].input_schema.as_value(),
        json!({
            "type": "object",
            "properties": {
                "nowhere": {"description": "Kept."}, "circle": {}, "nothing": {}, "empty": {"type": "string"}
            },
            "required": ["nowhere"],
            "additionalProperties": false
        })
    );
}

#[test]
fn schemas_of_one_name_are_shared_if_they_say_the_same_all_the_way() {
    let tool = |name: &str, leaf: Value| {
        let mut definition = ToolDefinition::new(name, "D.");
        definition.input_schema = json!({
            "type": "object",
            "properties": {"pet": {"$ref": "#/$defs/Pet"}},
            "$defs": {
                "Pet": {"type": "object", "properties": {"owner": {"$ref": "#/$defs/Owner"}}},
                "Owner": {"type": "object", "properties": {"pets": {"type": "array", "items": {"$ref": "#/$defs/Pet"}}, "id": leaf}}
            }
        })
        .into();
        definition
    };
    let tools = [
        tool("a", json!({"type": "integer"})),
        tool("b", json!({"type": "integer"})),
        // The same `Pet` by its text, and another one by what it leads to.
        tool("c", json!({"type": "string"})),
        tool("d", json!({"type": "string"})),
    ];
    let document = Export::new(Info::new("T", "1")).document(&tools).document;
    assert_eq!(document.schemas.keys().collect::<Vec<_>>(), ["Pet", "Owner", "Pet_2", "Owner_2"]);
    let referred: Vec<_> = document
        .functions
        .iter()
        .map(|function| function.parameters[0].schema.reference.clone().unwrap())
        .collect();
    assert_eq!(referred, ["#/schemas/Pet", "#/schemas/Pet", "#/schemas/Pet_2", "#/schemas/Pet_2"]);
    for (tool, definition) in tools.iter().zip(document.definitions()) {
        let leaf = |definition: &ToolDefinition, owner: &str| {
            definition.input_schema.as_value()["$defs"][owner]["properties"]["id"].clone()
        };
        let owner = if *tool.name < *"c" { "Owner" } else { "Owner_2" };
        assert_eq!(leaf(&definition, owner), leaf(tool, "Owner"));
    }
}

#[test]
fn names_that_the_format_does_not_allow_are_mapped_and_told() {
    let names = ["shop.find", "shop_find", "a b", "a/b", "", "ok", &"x".repeat(70), &"x".repeat(64)];
    let tools: Vec<ToolDefinition> = names.iter().map(|name| ToolDefinition::new(*name, "D.")).collect();
    let exported = Export::new(Info::new("T", "1")).document(&tools);
    let x = "x".repeat(62) + "_2";
    let expected = ["shop_find_2", "shop_find", "a_b", "a_b_2", "tool", "ok", &x, &"x".repeat(64)];
    assert_eq!(exported.names.keys().collect::<Vec<_>>(), expected);
    assert_eq!(exported.names.values().collect::<Vec<_>>(), names);
    assert_eq!(exported.losses.len(), 5);
    assert_eq!(exported.losses[0].diagnostic().pointer, "/shop.find/name");
    assert_sound(&exported.document);
}

#[test]
fn schemas_that_grow_without_end_are_stopped() {
    // Each definition holds the next one twice, at once: written out, there would be 2^60 of the last.
    let mut definitions = serde_json::Map::new();
    for i in 0..60 {
        let next = format!("#/$defs/D{}", i + 1);
        definitions.insert(format!("D{i}"), json!({"allOf": [{"$ref": next}, {"$ref": next}], "minimum": i}));
    }
    definitions.insert("D60".into(), json!({"type": "string"}));
    let mut deep = json!({"type": "string"});
    for _ in 0..150 {
        deep = json!({"type": "object", "properties": {"a": deep}});
    }
    let mut tool = ToolDefinition::new("t", "D.");
    tool.input_schema = json!({
        "type": "object",
        "properties": {
            "wide": {"allOf": [{"$ref": "#/$defs/D0"}, {"minLength": 1}]},
            "deep": deep,
            "itself": {"$ref": "#"},
            "loop": {"allOf": [{"$ref": "#/$defs/Loop"}, {"type": "object"}]}
        },
        "$defs": Value::Object({
            definitions.insert("Loop".into(), json!({"allOf": [{"$ref": "#/$defs/Loop"}, {"type": "object"}]}));
            definitions
        })
    })
    .into();
    let exported = Export::new(Info::new("T", "1")).document([&tool]);
    assert!(!exported.losses.is_empty());
    assert_eq!(exported.document.functions[0].parameters.len(), 4);
}

#[test]
fn a_document_is_built_by_hand() {
    let document = Document::new(Version::V1_1_0, Info::new("Weather", "1.0.0"))
        .server(Server::new("http://127.0.0.1:17001/opentool"))
        .schema("City", Schema::of(SchemaType::String).description("City name."))
        .function(
            opentool_doc::Function::new("get_weather", "Current weather of a city.")
                .parameter(Parameter::required("city", Schema::reference("City")))
                .parameter(
                    Parameter::optional("days", Schema::of(SchemaType::Integer)).description("How many."),
                ),
        );
    assert_eq!(document.lint(), []);
    assert_eq!(parse(document.print(), "").unwrap().document, document);
}
