//! The law of the explanation: it finds a problem exactly where the compiled schema says "no".
//!
//! A problem that is none would send a model astray; a "no" without a problem would leave it without words.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{Explainer, Findings, Path, Probes};
use crate::refs::Refs;
use crate::validator::{build, draft_of};

fn key() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c", "ab"]).prop_map(str::to_owned)
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3_i64..6).prop_map(Value::from),
        prop::sample::select(vec![0.5, 1.0, 2.0, -1.5, 9_007_199_254_740_993.0]).prop_map(Value::from),
        prop::sample::select(vec!["", "a", "ab", "abc", "2024-05-31", "b1", "é"]).prop_map(Value::from),
    ]
}

fn instance() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::vec((key(), inner), 0..4).prop_map(|m| Value::Object(m.into_iter().collect())),
        ]
    })
}

fn types() -> impl Strategy<Value = Value> {
    let one = prop::sample::select(vec!["null", "boolean", "integer", "number", "string", "array", "object"]);
    prop_oneof![
        3 => one.clone().prop_map(Value::from),
        1 => prop::collection::hash_set(one, 1..3).prop_map(|names| json!(names)),
    ]
}

fn assertion() -> impl Strategy<Value = (String, Value)> {
    let count = || 0_u64..4;
    let named = |name: &str, value: Value| (name.to_owned(), value);
    prop_oneof![
        4 => types().prop_map(move |v| named("type", v)),
        1 => instance().prop_map(move |v| named("const", v)),
        1 => prop::collection::vec(instance(), 1..4).prop_map(move |v| named("enum", json!(v))),
        1 => (-2_i64..5).prop_map(move |v| named("minimum", json!(v))),
        1 => (-2_i64..5).prop_map(move |v| named("exclusiveMaximum", json!(v))),
        1 => prop::sample::select(vec![0.5, 2.0, 1.5]).prop_map(move |v| named("multipleOf", json!(v))),
        1 => count().prop_map(move |v| named("minLength", json!(v))),
        1 => count().prop_map(move |v| named("maxLength", json!(v))),
        1 => prop::sample::select(vec!["^a", "b$", "[0-9]", "^(?!a)"]).prop_map(move |v| named("pattern", json!(v))),
        1 => prop::sample::select(vec!["date", "email", "time", "nonsense"]).prop_map(move |v| named("format", json!(v))),
        1 => count().prop_map(move |v| named("minItems", json!(v))),
        1 => count().prop_map(move |v| named("maxItems", json!(v))),
        1 => any::<bool>().prop_map(move |v| named("uniqueItems", json!(v))),
        1 => count().prop_map(move |v| named("minProperties", json!(v))),
        1 => count().prop_map(move |v| named("maxProperties", json!(v))),
        3 => prop::collection::hash_set(key(), 0..3).prop_map(move |v| named("required", json!(v))),
        1 => (key(), prop::collection::hash_set(key(), 0..3))
            .prop_map(move |(k, v)| named("dependentRequired", json!({k: v}))),
        1 => Just(named("$ref", json!("#/$defs/leaf"))),
        1 => Just(named("$ref", json!("#named"))),
    ]
}

fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        8 => prop::collection::vec(assertion(), 0..3).prop_map(object),
        1 => any::<bool>().prop_map(Value::from),
    ];
    // Alternatives told apart by a key with a fixed value, as they are in most real unions.
    let tagged = (key(), scalar(), key(), leaf.clone(), any::<bool>()).prop_map(
        |(tag, fixed, other, schema, required)| {
            let mut branch = json!({"properties": {other: schema}});
            branch["properties"][&tag] = json!({"const": fixed});
            if required {
                branch["required"] = json!([tag]);
            }
            branch
        },
    );
    let union =
        (prop::sample::select(vec!["anyOf", "oneOf"]), prop::collection::vec(tagged, 2..4), leaf.clone())
            .prop_map(|(keyword, mut branches, other)| {
                if branches.len() > 2 {
                    branches.push(other);
                }
                json!({keyword: branches})
            });
    let leaf = prop_oneof![4 => leaf, 1 => union];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let list = || prop::collection::vec(inner.clone(), 1..4).prop_map(Value::Array);
        let map = || {
            prop::collection::vec((key(), inner.clone()), 0..3)
                .prop_map(|m| Value::Object(m.into_iter().collect()))
        };
        let one = prop::sample::select(vec![
            "additionalProperties",
            "unevaluatedProperties",
            "propertyNames",
            "items",
            "contains",
            "not",
            "if",
            "then",
            "else",
        ]);
        let nested = prop_oneof![
            2 => (prop::sample::select(vec!["allOf", "anyOf", "oneOf", "prefixItems"]), list())
                .prop_map(|(k, v)| (k.to_owned(), v)),
            2 => (prop::sample::select(vec!["properties", "dependentSchemas"]), map())
                .prop_map(|(k, v)| (k.to_owned(), v)),
            1 => (prop::sample::select(vec!["^a", "b$"]), inner.clone())
                .prop_map(|(k, v)| ("patternProperties".to_owned(), json!({k: v}))),
            3 => (one, inner.clone()).prop_map(|(k, v)| (k.to_owned(), v)),
            1 => (0_u64..3).prop_map(|v| ("minContains".to_owned(), json!(v))),
        ];
        (prop::collection::vec(assertion(), 0..2), prop::collection::vec(nested, 1..4)).prop_map(
            |(mut members, nested)| {
                members.extend(nested);
                object(members)
            },
        )
    })
}

fn object(members: Vec<(String, Value)>) -> Value {
    Value::Object(members.into_iter().collect::<Map<String, Value>>())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn explains_exactly_what_is_wrong(
        mut schema in schema(), value in instance(), old in any::<bool>(), rest in prop::option::of(any::<bool>()),
    ) {
        if let Some(root) = schema.as_object_mut() {
            let leaf = json!({"type": ["string", "integer"], "minimum": 1});
            root.insert("$defs".to_owned(), json!({"leaf": leaf, "other": {"$anchor": "named", "maxLength": 1}}));
            if let Some(rest) = rest {
                root.insert("unevaluatedProperties".to_owned(), rest.into());
            }
            if old {
                root.insert("$schema".to_owned(), "https://json-schema.org/draft/2019-09/schema".into());
            }
        }
        let draft = draft_of(&schema);
        let compiled = build(&schema, draft);
        prop_assume!(compiled.is_ok());
        let compiled = compiled.unwrap();
        let refs = Refs::of(&schema);
        let mut findings = Findings::default();
        let probes = Probes::default();
        Explainer::new(&refs, draft, &probes).walk(refs.start(), &value, &Path::Root, &mut findings);
        prop_assert_eq!(findings.none(), compiled.is_valid(&value), "{}", schema);
    }
}
