//! The law of printing: what is printed reads as the same document.

use indexmap::IndexMap;
use opentool_doc::{
    Document, Extra, Function, Info, Parameter, Return, Schema, SchemaType, Server, Version, parse,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z]{0,8}", "\\PC{0,12}", Just("\u{1b}\"\\\n\t\u{2028}".to_owned())]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1e9..1e9_f64).prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((text(), inner), 0..4).prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn extra() -> impl Strategy<Value = Extra> {
    prop_oneof![
        4 => Just(Extra::new()),
        1 => vec(("x-[a-z]{1,6}", value()), 0..3).prop_map(|members| {
            let mut extra = Extra::new();
            members.into_iter().for_each(|(name, value)| extra.insert(name, value));
            extra
        }),
    ]
}

fn schema() -> impl Strategy<Value = Schema> {
    let kinds = proptest::sample::select(SchemaType::ALL.to_vec());
    let leaf = (
        option::of(kinds.clone()),
        option::of(text()),
        option::of(vec(value(), 0..3)),
        option::of(text()),
        extra(),
    )
        .prop_map(|(kind, description, values, reference, extra)| {
            let mut schema = Schema::default();
            schema.kind = kind;
            schema.description = description;
            schema.values = values;
            schema.reference = reference;
            schema.extra = extra;
            schema
        });
    leaf.prop_recursive(4, 16, 3, move |inner| {
        let properties = option::of(vec((text(), inner.clone()), 0..3));
        (option::of(kinds.clone()), properties, option::of(inner), option::of(vec(text(), 0..3)), extra())
            .prop_map(|(kind, properties, items, required, extra)| {
                let mut schema = Schema::default();
                schema.kind = kind;
                schema.properties = properties.map(|list| list.into_iter().collect::<IndexMap<_, _>>());
                schema.items = items.map(Box::new);
                schema.required = required;
                schema.extra = extra;
                schema
            })
    })
}

fn returns() -> impl Strategy<Value = Return> {
    (text(), option::of(text()), schema(), extra()).prop_map(|(name, description, schema, extra)| {
        let mut returns = Return::new(name, schema);
        returns.description = description;
        returns.extra = extra;
        returns
    })
}

fn parameter() -> impl Strategy<Value = Parameter> {
    (text(), option::of(text()), schema(), any::<bool>(), extra()).prop_map(
        |(name, description, schema, required, extra)| {
            let mut parameter = Parameter::optional(name, schema);
            parameter.description = description;
            parameter.required = required;
            parameter.extra = extra;
            parameter
        },
    )
}

fn function() -> impl Strategy<Value = Function> {
    (text(), text(), vec(parameter(), 0..3), option::of(returns()), vec((text(), returns()), 0..2), extra())
        .prop_map(|(name, description, parameters, returns, stream, extra)| {
            let mut function = Function::new(name, description);
            function.parameters = parameters;
            function.returns = returns;
            function.stream = stream.into_iter().collect();
            function.extra = extra;
            function
        })
}

fn document() -> impl Strategy<Value = Document> {
    let info =
        (text(), option::of(text()), text(), extra()).prop_map(|(title, description, version, extra)| {
            let mut info = Info::new(title, version);
            info.description = description;
            info.extra = extra;
            info
        });
    let server = (text(), option::of(text()), extra()).prop_map(|(url, description, extra)| {
        let mut server = Server::new(url);
        server.description = description;
        server.extra = extra;
        server
    });
    (text(), info, option::of(server), vec(function(), 0..3), vec((text(), schema()), 0..3), extra())
        .prop_map(|(version, info, server, functions, schemas, extra)| {
            let mut document = Document::new(Version::V1_1_0, info);
            document.opentool = version;
            document.server = server;
            document.functions = functions;
            document.schemas = schemas.into_iter().collect();
            document.extra = extra;
            document
        })
}

/// Documents as people and programs break them: any value in any place.
fn broken() -> impl Strategy<Value = Value> {
    const NAMES: &[&str] = &[
        "opentool",
        "info",
        "server",
        "functions",
        "schemas",
        "title",
        "version",
        "url",
        "name",
        "description",
        "parameters",
        "return",
        "stream",
        "schema",
        "required",
        "$ref",
        "type",
        "properties",
        "items",
        "enum",
    ];
    let name = || proptest::sample::select(NAMES.to_vec()).prop_map(str::to_owned);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i8>().prop_map(Value::from),
        proptest::sample::select(vec!["", "a", "string", "object", "#/schemas/a", "#/schemas/", "1.0.0"])
            .prop_map(Value::from),
    ];
    let any = leaf.prop_recursive(8, 96, 6, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            vec((name(), inner), 0..6).prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    });
    (vec(any.clone(), 0..3), vec(any, 0..2)).prop_map(|(functions, schemas)| {
        let schemas: serde_json::Map<String, Value> =
            schemas.into_iter().zip(["a", "b"]).map(|(schema, name)| (name.to_owned(), schema)).collect();
        json!({"opentool": "1.0.0", "functions": functions, "schemas": schemas})
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_printed_reads_as_the_same_document(document in document()) {
        let printed = document.print();
        let parsed = parse(&printed, "").unwrap();
        prop_assert_eq!(&parsed.document, &document);
        prop_assert_eq!(parsed.document.print(), printed);
    }

    #[test]
    fn a_broken_document_is_read_checked_and_printed_without_end_or_panic(value in broken()) {
        let parsed = Document::read(&value).unwrap();
        let printed = parsed.document.print();
        let again = parse(&printed, "").unwrap();
        prop_assert_eq!(&again.document, &parsed.document);
        if !parsed.has_errors() {
            prop_assert_eq!(printed, format!("{value:#}\n"));
        }
        // A pointer always leads somewhere.
        for found in &parsed.diagnostics {
            prop_assert!(value.pointer(&found.pointer).is_some(), "{}", found);
        }
    }
}

#[test]
fn members_keep_their_order_and_new_ones_come_last() {
    let text = r#"{"info":{"version":"1","x-a":1,"title":"T"},"functions":[],"opentool":"1.0.0"}"#;
    let mut document = parse(text, "").unwrap().document;
    document.info.description = Some("New.".into());
    document.info.extra.remove("x-a");
    document.server = Some(Server::new("http://h/"));
    let expected = json!({
        "info": {"version": "1", "title": "T", "description": "New."},
        "functions": [], "opentool": "1.0.0", "server": {"url": "http://h/"}
    });
    assert_eq!(document.print(), format!("{expected:#}\n"));
}
