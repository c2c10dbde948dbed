//! Law: what a dialect can say comes back as it was.

use opentool_core::visible::without_hidden;
use opentool_core::{Annotations, Schema, ToolDefinition, ToolSet};
use opentool_schema::{Dialect, export, list, lower, parse_definitions};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::tools::Scripted;

fn hint() -> impl Strategy<Value = Option<bool>> {
    prop::option::of(any::<bool>())
}

/// A text in which nothing hides from a reader: what does is taken out on the way in.
fn text(pattern: &'static str) -> impl Strategy<Value = String> {
    pattern.prop_map(|text| without_hidden(&text).into_owned())
}

fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({"type": "string", "format": "uuid", "x-vendor": [1, 2.5, null]})),
        Just(json!(true)),
        text("\\PC{0,8}").prop_map(|text| json!({"description": text, "default": {"type": "not a type"}})),
    ];
    let nested = leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(("\\PC{0,5}", inner.clone()), 0..3).prop_map(
                |m| json!({"properties": m.into_iter().collect::<serde_json::Map<_, _>>(), "type": "object"})
            ),
            prop::collection::vec(inner, 1..3).prop_map(|all| json!({"anyOf": all})),
        ]
    });
    nested.prop_map(|inner| json!({"type": "object", "properties": {"p": inner}}))
}

prop_compose! {
    fn definition()(
        name in "[a-zA-Z0-9_.-]{1,12}|\\PC{0,4}x",
        title in prop::option::of(text("\\PC{0,8}")),
        description in text("\\PC{0,20}|a\nb"),
        input in schema(),
        output in prop::option::of(schema()),
        read_only in hint(), destructive in hint(), idempotent in hint(), open_world in hint(),
        tags in prop::collection::vec("[a-z]{1,4}", 0..3),
    ) -> ToolDefinition {
        let mut definition = ToolDefinition::new(name, description).input_schema(Schema::new(input));
        definition.title = title;
        definition.output_schema = output.map(Schema::new);
        let mut hints = Annotations::new();
        (hints.read_only, hints.destructive) = (read_only, destructive);
        (hints.idempotent, hints.open_world) = (idempotent, open_world);
        definition.annotations = hints;
        definition.tags = tags;
        definition
    }
}

fn back(value: &Value) -> ToolDefinition {
    let parsed = parse_definitions(value).unwrap();
    let definition = parsed.tools.definitions().next().expect("the tool comes back");
    definition.clone()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn definitions_come_back(definition in definition()) {
        let tools = ToolSet::from_tools([Scripted::known(definition.clone())]).unwrap();
        for dialect in [Dialect::OpenAi, Dialect::OpenAiFinetuneFunctions, Dialect::Anthropic, Dialect::Mcp] {
            let exported = export(&tools, dialect);
            let came = back(&exported);
            prop_assert_eq!(&came.description, &definition.description);
            let lowered = lower(&definition, dialect).unwrap();
            prop_assert_eq!(&came.name, &lowered.name);
            // What the dialect had to change cannot come back from the definition alone.
            if !lowered.rewrites.is_empty() {
                continue;
            }
            prop_assert_eq!(&came.name, &definition.name);
            // As text: the order of keys counts too.
            prop_assert_eq!(came.input_schema.to_string(), definition.input_schema.to_string());
            prop_assert_eq!(export(&parse_definitions(&exported).unwrap().tools, dialect), exported);
        }
        for value in [export(&tools, Dialect::Mcp), list(&tools)] {
            let came = back(&value);
            prop_assert_eq!(&came.title, &definition.title);
            prop_assert_eq!(came.annotations, definition.annotations);
            let text = |schema: &Option<Schema>| schema.as_ref().map(ToString::to_string);
            prop_assert_eq!(text(&came.output_schema), text(&definition.output_schema));
        }
        prop_assert_eq!(&back(&list(&tools)).tags, &definition.tags);
    }
}
