//! What holds for every tool, however odd its schemas are.

use opentool_core::{Severity, ToolDefinition};
use opentool_doc::{Document, Export, Function, Info, Parameter, Return, Schema, SchemaType, Version};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

const REFERENCES: &[&str] =
    &["#/$defs/A", "#/$defs/B", "#/$defs/C", "#", "#/$defs/None", "other.json", "#/properties/a"];

/// A JSON Schema as people, programs and enemies write them.
fn json_schema() -> impl Strategy<Value = Value> {
    let data = || {
        prop_oneof![
            Just(json!(null)),
            Just(json!(1)),
            Just(json!(1.5)),
            Just(json!("a")),
            Just(json!(true)),
            Just(json!([])),
            Just(json!({}))
        ]
    };
    let types = || {
        select(vec!["string", "integer", "number", "boolean", "array", "object", "null", "file"])
            .prop_map(Value::from)
    };
    let names = || vec(select(vec!["a", "b", "c"]).prop_map(Value::from), 0..3).prop_map(Value::from);
    let leaf = vec(
        prop_oneof![
            types().prop_map(|kind| ("type", kind)),
            vec(types(), 0..3).prop_map(|kinds| ("type", Value::from(kinds))),
            vec(data(), 0..4).prop_map(|values| ("enum", Value::from(values))),
            data().prop_map(|value| ("const", value)),
            names().prop_map(|names| ("required", names)),
            select(REFERENCES.to_vec()).prop_map(|reference| ("$ref", Value::from(reference))),
            select(vec!["", "Text."]).prop_map(|text| ("description", Value::from(text))),
            data().prop_map(|value| ("minimum", value)),
            data().prop_map(|value| ("items", value)),
            data().prop_map(|value| ("properties", value)),
        ],
        0..4,
    )
    .prop_map(object);
    let leaf = prop_oneof![8 => leaf, 1 => any::<bool>().prop_map(Value::from), 1 => data()];
    leaf.prop_recursive(4, 32, 4, move |inner| {
        let schemas = || vec(inner.clone(), 0..3).prop_map(Value::from);
        let properties = vec((select(vec!["a", "b", "c"]), inner.clone()), 0..3).prop_map(object);
        vec(
            prop_oneof![
                3 => properties.prop_map(|properties| ("properties", properties)),
                2 => inner.clone().prop_map(|items| ("items", items)),
                1 => schemas().prop_map(|places| ("prefixItems", places)),
                1 => schemas().prop_map(|parts| ("allOf", parts)),
                1 => schemas().prop_map(|branches| ("anyOf", branches)),
                1 => schemas().prop_map(|branches| ("oneOf", branches)),
                1 => inner.clone().prop_map(|schema| ("additionalProperties", schema)),
                1 => inner.clone().prop_map(|schema| ("not", schema)),
                2 => select(vec!["object", "array"]).prop_map(|kind| ("type", Value::from(kind))),
                1 => select(REFERENCES.to_vec()).prop_map(|reference| ("$ref", Value::from(reference))),
                1 => Just(("required", json!(["a", "b"]))),
            ],
            1..4,
        )
        .prop_map(object)
    })
}

fn object(members: Vec<(&str, Value)>) -> Value {
    Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

fn with_definitions(schema: Value, definitions: &[Value]) -> Value {
    let Value::Object(mut root) = schema else { return schema };
    let definitions: Map<String, Value> = ["A", "B", "C"]
        .iter()
        .zip(definitions)
        .map(|(name, schema)| ((*name).to_owned(), schema.clone()))
        .collect();
    root.insert("$defs".to_owned(), Value::Object(definitions));
    Value::Object(root)
}

fn tool() -> impl Strategy<Value = ToolDefinition> {
    (select(vec!["a", "b", "c d"]), json_schema(), option::of(json_schema()), vec(json_schema(), 3)).prop_map(
        |(name, input, output, definitions)| {
            let mut tool = ToolDefinition::new(name, "What it does.");
            tool.input_schema = with_definitions(input, &definitions).into();
            tool.output_schema = output.map(|output| with_definitions(output, &definitions).into());
            tool
        },
    )
}

/// Schemas that follow the rules; references lead to schemas that are there.
fn schema() -> impl Strategy<Value = Schema> {
    let description = || option::of(select(vec!["One.", "Another."]));
    let leaf = prop_oneof![
        select(vec![SchemaType::Boolean, SchemaType::Integer, SchemaType::Number, SchemaType::String])
            .prop_map(Schema::of),
        Just(Schema::of(SchemaType::String).values(["a", "b"])),
        Just(Schema::of(SchemaType::Integer).values([json!(1), json!(2), json!(null)])),
        select(vec!["S0", "S1"]).prop_map(Schema::reference),
        Just(Schema::object()),
    ];
    let leaf = (leaf, description()).prop_map(described);
    leaf.prop_recursive(3, 12, 3, move |inner| {
        let properties = vec((select(vec!["a", "b", "c"]), inner.clone(), any::<bool>()), 0..3);
        let object = properties.prop_map(|properties| {
            let distinct: std::collections::BTreeMap<_, _> =
                properties.into_iter().map(|(name, schema, required)| (name, (schema, required))).collect();
            distinct.into_iter().fold(Schema::object(), |object, (name, (schema, required))| {
                if required { object.required(name, schema) } else { object.optional(name, schema) }
            })
        });
        let either = prop_oneof![object, inner.prop_map(Schema::array)];
        (either, option::of(select(vec!["One.", "Another."]))).prop_map(described)
    })
}

fn described((schema, description): (Schema, Option<&str>)) -> Schema {
    match description {
        Some(description) => schema.description(description),
        None => schema,
    }
}

fn document() -> impl Strategy<Value = Document> {
    let parameters = vec((schema(), any::<bool>(), option::of(select(vec!["Which.", "One."]))), 0..3);
    let functions = vec((parameters, option::of(schema())), 1..3);
    // Definitions that are not references: those may stand in a circle.
    let schemas = vec(schema().prop_map(|schema| Schema::object().optional("inner", schema)), 2);
    (functions, schemas).prop_map(|(functions, schemas)| {
        let mut document = Document::new(Version::V1_1_0, Info::new("T", "1.0.0"));
        for (index, (parameters, returns)) in functions.into_iter().enumerate() {
            let mut function = Function::new(format!("f{index}"), "What it does.");
            for ((schema, required, description), name) in parameters.into_iter().zip(["p", "q", "r"]) {
                let mut parameter = Parameter::optional(name, schema);
                parameter.required = required;
                parameter.description = description.map(str::to_owned);
                function = function.parameter(parameter);
            }
            function.returns = returns.map(|schema| Return::new("it", schema));
            document = document.function(function);
        }
        for (index, schema) in schemas.into_iter().enumerate() {
            document = document.schema(format!("S{index}"), schema);
        }
        document
    })
}

/// Findings that are about texts, and those that say what is meant: a tool that no value can satisfy stays one.
const FINE: &[&str] = &[
    "empty-description",
    "endless-schema",
    "no-description",
    "recursive-schema",
    "unused-schema",
    "unknown-member",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_tool_becomes_a_document_that_breaks_no_rule(tools in vec(tool(), 1..3)) {
        let exported = Export::new(Info::new("T", "1.0.0")).document(&tools);
        let document = exported.document;
        let found: Vec<_> = document.lint().into_iter().filter(|found| !FINE.contains(&found.code)).collect();
        prop_assert!(found.is_empty(), "{:?}\n{}", found, document.print());
        prop_assert_eq!(document.functions.len(), tools.len());
        // Nothing is written that nobody uses.
        prop_assert!(document.lint().iter().all(|found| found.code != "unused-schema"), "{}", document.print());
        // What was written can be held.
        let mut again = document.definitions();
        again.iter_mut().for_each(|definition| definition.metadata.clear());
        let second = Export::new(Info::new("T", "1.0.0")).document(&again);
        prop_assert_eq!(&second.losses, &[]);
        let schemas = |document: &Document| -> Vec<Value> {
            document.definitions().iter().map(|tool| tool.input_schema.as_value().clone()).collect()
        };
        prop_assert_eq!(schemas(&second.document), schemas(&document));
    }

    #[test]
    fn imported_and_exported_again_it_is_the_same_document(document in document()) {
        prop_assert!(document.lint().iter().all(|found| found.severity < Severity::Error));
        let exported = Export::like(&document).document(&document.definitions());
        prop_assert_eq!(exported.document.print(), document.print());
        prop_assert_eq!(exported.losses, []);
    }

    #[test]
    fn what_the_format_holds_needs_no_metadata(document in document()) {
        let mut definitions = document.definitions();
        definitions.iter_mut().for_each(|definition| definition.metadata.clear());
        let exported = Export::new(Info::new("T", "1.0.0")).document(&definitions);
        prop_assert_eq!(&exported.losses, &[]);
        for (before, after) in definitions.iter().zip(exported.document.definitions()) {
            prop_assert_eq!(before.input_schema.as_value(), after.input_schema.as_value());
            prop_assert_eq!(
                before.output_schema.as_ref().map(|schema| schema.as_value()),
                after.output_schema.as_ref().map(|schema| schema.as_value())
            );
        }
    }
}
