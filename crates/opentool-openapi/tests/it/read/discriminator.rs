//! What a discriminator says about the branches of a body, and about the schemas that build on one.

use bytes::Bytes;
use http::Request;
use opentool_openapi::mock::Mock;
use serde_json::{Value, json};

/// The document of one operation with this body.
fn document(schemas: &Value, body: &Value) -> String {
    let content = json!({"application/json": {"schema": body}});
    json!({"openapi": "3.2.0", "info": {"title": "T", "version": "1"}, "servers": [{"url": "https://a.test"}],
        "components": {"schemas": schemas},
        "paths": {"/a": {"post": {"operationId": "a", "responses": {"204": {"description": "Done."}},
            "requestBody": {"required": true, "content": content}}}}})
    .to_string()
}

/// Whether the tool accepts this body; the mock is of the same mind.
fn accepts(schemas: &Value, body: &Value, value: &Value) -> bool {
    let api = opentool_openapi::parse(document(schemas, body), "a.json").unwrap();
    super::assert_sound(&api);
    let schema = api.tools().unwrap().definitions().next().unwrap().input_schema.clone();
    let arguments = match schema.as_value()["properties"].get("body") {
        Some(_) => json!({"body": value}),
        None => value.clone(),
    };
    let fits = opentool_schema::Validator::new(&schema).unwrap().accepts(&arguments);
    let request = Request::post("/a").header("content-type", "application/json");
    let answer = Mock::new([api]).answer(&request.body(Bytes::from(value.to_string())).unwrap());
    assert_eq!(fits, answer.faults().is_empty(), "tool and mock differ about {value}: {:?}", answer.faults());
    fits
}

/// Two branches that only their property `k` tells apart.
fn pets(k: Value) -> Value {
    json!({"Cat": {"type": "object", "properties": {"k": k, "m": {"type": "string"}}},
           "Dog": {"type": "object", "properties": {"k": k, "m": {"type": "string"}}}})
}

fn one_of(discriminator: Value) -> Value {
    json!({"oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}],
           "discriminator": discriminator})
}

#[test]
fn a_branch_is_told_by_the_name_of_its_schema() {
    let text = json!({"type": "string"});
    let plain = json!({"propertyName": "k"});
    let partial = json!({"propertyName": "k", "mapping": {"kitty": "Cat"}});
    let stale = json!({"propertyName": "k", "mapping": {"kitty": "models/cat.yaml"}});
    let default = json!({"propertyName": "k", "defaultMapping": "Dog"});
    // The property, the discriminator, values of the property that say which it is, and others.
    type Case<'a> = (Value, &'a Value, &'a [Value], &'a [Value]);
    let cases: &[Case<'_>] = &[
        (text.clone(), &plain, &[json!("Cat"), json!("Dog")], &[json!("Cow"), Value::Null]),
        (text.clone(), &partial, &[json!("kitty"), json!("Dog")], &[json!("Cat"), Value::Null]),
        // Of none of these the document says that it is no cat.
        (text.clone(), &default, &[json!("Cat"), json!("Dog"), json!("Cow"), Value::Null], &[]),
        // What the document says of the property itself goes before the names.
        (json!({"enum": ["Cat", "Dog"]}), &plain, &[json!("Cat"), json!("Dog")], &[json!("Cow")]),
        (json!({"$ref": "#/components/schemas/Dog/properties/m"}), &plain, &[json!("Cat")], &[json!("Cow")]),
    ];
    for (k, discriminator, told, not_told) in cases {
        let (schemas, body) = (pets(k.clone()), one_of((*discriminator).clone()));
        let of = |k: &Value| match k {
            Value::Null => json!({"m": "x"}),
            k => json!({"k": k, "m": "x"}),
        };
        for value in *told {
            assert!(accepts(&schemas, &body, &of(value)), "{value} of {k} by {discriminator}");
        }
        for value in *not_told {
            assert!(!accepts(&schemas, &body, &of(value)), "{value} of {k} by {discriminator}");
        }
    }
    // A mapping that leads nowhere says that the values are others than the names.
    let mut schemas = pets(text);
    schemas["Cat"]["required"] = json!(["m"]);
    schemas["Dog"]["required"] = json!(["bone"]);
    assert!(accepts(&schemas, &one_of(stale), &json!({"k": "kitty", "m": "x"})));
}

#[test]
fn no_branch_becomes_impossible_by_its_name() {
    let plain = json!({"propertyName": "k"});
    let mapped = json!({"propertyName": "k", "mapping": {"1": "Cat", "2": "Dog"}});
    let own = |value: Value| json!({"type": "object", "properties": {"k": value, "m": {"type": "string"}}});
    let cases = [
        // Its own values are others than its name.
        (
            json!({"Cat": own(json!({"enum": ["cat"]})), "Dog": own(json!({"const": "dog"}))}),
            &plain,
            json!("cat"),
        ),
        (
            json!({"Cat": own(json!({"type": "string", "pattern": "^[a-z]$"})), "Dog": own(json!({"const": "dog"}))}),
            &plain,
            json!("c"),
        ),
        (
            json!({"Cat": own(json!({"anyOf": [{"const": "cat"}]})), "Dog": own(json!({"const": "dog"}))}),
            &plain,
            json!("cat"),
        ),
        // They are no texts.
        (
            json!({"Cat": own(json!({"type": "integer", "minimum": 5})), "Dog": own(json!({"const": "dog"}))}),
            &plain,
            json!(7),
        ),
        (
            json!({"Cat": own(json!({"type": "integer"})), "Dog": own(json!({"type": "integer"}))}),
            &mapped,
            json!(1),
        ),
        // An example shows another value than the names.
        (
            json!({"Cat": own(json!({"type": "string", "example": "feline"})), "Dog": own(json!({"const": "dog"}))}),
            &plain,
            json!("feline"),
        ),
        // The branch is told apart further.
        (
            json!({"Cat": {"oneOf": [own(json!({"const": "lion"})), own(json!({"const": "lynx"}))]}, "Dog": own(json!({"const": "dog"}))}),
            &plain,
            json!("lynx"),
        ),
        (
            json!({"Cat": {"type": "object", "required": ["k"], "discriminator": {"propertyName": "k"}, "properties": {"k": {"type": "string"}}},
                "Dog": own(json!({"const": "dog"}))}),
            &plain,
            json!("Lion"),
        ),
    ];
    for (schemas, discriminator, value) in cases {
        let body = one_of(discriminator.clone());
        assert!(accepts(&schemas, &body, &json!({"k": value, "m": "x"})), "{value} of {schemas}");
    }
}

#[test]
fn a_name_is_meant_only_where_nothing_says_otherwise() {
    let reference = |name: &str| json!({"$ref": format!("#/components/schemas/{name}")});
    let all_of = |part: &str, of: Value| json!({"allOf": [reference(part), of]});
    let property =
        |name: &str| json!({"type": "object", "required": [name], "properties": {name: {"type": "string"}}});
    let k = json!({"type": "object", "properties": {"k": {"type": "string"}, "h": {"type": "string"}}});
    let with = |member: &str, value: Value| {
        let mut schema = k.clone();
        schema["required"] = json!(["b"]);
        schema[member] = value;
        schema
    };
    let shows = |value: &str| json!({"properties": {"k": {"type": "string", "example": value}}});
    let inherited = |mapping: Value| {
        let base = json!({"type": "object", "required": ["k"], "properties": {"k": {"type": "string"}},
            "discriminator": {"propertyName": "k", "mapping": mapping}});
        json!({"Pet": base, "Mammal": all_of("Pet", json!({})), "Cat": all_of("Mammal", property("h")),
            "Dog": all_of("Pet", property("b"))})
    };
    let c = json!({"k": "c", "h": "x"});
    let cat = json!({"k": "Cat", "h": "x"});
    let dog = json!({"k": "Dog", "b": "x"});
    let body = one_of(json!({"propertyName": "k"}));
    let shown = |member: &str, value: Value| {
        let mut body = body.clone();
        body[member] = value;
        body
    };
    type Case<'a> = (Value, &'a Value, &'a [&'a Value], &'a [&'a Value]);
    let (by_example, by_list) =
        (shown("example", json!({"k": "c"})), shown("examples", json!([{"k": "Dog"}, {"k": "c"}])));
    let by_name = shown("example", json!({"k": "Cat"}));
    let cases: &[Case<'_>] = &[
        // A schema that the branches build on says it, for all of them or for some.
        (
            inherited(json!({"c": "#/components/schemas/Cat", "d": "Dog"})),
            &body,
            &[&c, &json!({"k": "d", "b": "x"})],
            &[&cat, &dog, &json!({"k": "d", "h": "x"})],
        ),
        (inherited(json!({"c": "Cat"})), &body, &[&c, &dog], &[&cat, &json!({"k": "c", "b": "x"})]),
        (inherited(json!({"c": "gone.yaml"})), &body, &[&c], &[]),
        // So does a branch.
        (
            json!({"Cat": {"allOf": [k, {"x-ms-discriminator-value": "c"}, property("h")]},
                "Dog": {"x-ms-discriminator-value": "d", "allOf": [k, property("b")]}}),
            &body,
            &[&c, &json!({"k": "d", "b": "x"})],
            &[&cat, &dog],
        ),
        // Some value that is shown is none of the names.
        (json!({"Cat": k, "Dog": with("example", json!({"k": "d"}))}), &body, &[&c], &[]),
        (json!({"Cat": k, "Dog": with("examples", json!([{"k": "d"}]))}), &body, &[&c], &[]),
        (json!({"Cat": k, "Dog": {"allOf": [shows("d"), property("b")]}}), &body, &[&c], &[]),
        (json!({"Cat": {}, "Dog": with("default", json!({"k": "d"}))}), &body, &[&c], &[]),
        (
            json!({"Cat": k, "Dog": {"properties": {"k": {"enum": ["d"]}}, "required": ["b"]}}),
            &body,
            &[&c],
            &[],
        ),
        (json!({"Cat": k, "Dog": property("b")}), &by_example, &[&c], &[]),
        (json!({"Cat": k, "Dog": property("b")}), &by_list, &[&c], &[]),
        (
            json!({"Cat": k, "Dog": {"allOf": [property("b"), {"properties": {"k": {"const": "d"}}}]}}),
            &body,
            &[&c],
            &[],
        ),
        // The names are shown.
        (
            json!({"Cat": k, "Dog": with("example", json!({"k": "Dog"}))}),
            &by_name,
            &[&cat, &dog],
            &[&c, &json!({"k": "Cow", "b": "x"})],
        ),
    ];
    for (schemas, body, told, not_told) in cases {
        for value in *told {
            assert!(accepts(schemas, body, value), "{value} of {schemas} by {body}");
        }
        for value in *not_told {
            assert!(!accepts(schemas, body, value), "{value} of {schemas} by {body}");
        }
    }
    // An example beside the schema of the body.
    let schemas = json!({"Cat": k, "Dog": property("b")});
    for (member, example) in [("example", c.clone()), ("examples", json!({"one": {"value": c}}))] {
        let mut document: Value = serde_json::from_str(&document(&schemas, &body)).unwrap();
        document["paths"]["/a"]["post"]["requestBody"]["content"]["application/json"][member] = example;
        let api = opentool_openapi::parse(document.to_string(), "a.json").unwrap();
        let schema = api.tools().unwrap().definitions().next().unwrap().input_schema.clone();
        assert!(opentool_schema::Validator::new(&schema).unwrap().accepts(&json!({"body": c})), "{member}");
    }
}

#[test]
fn a_property_of_all_branches_is_told_apart_too() {
    let schemas = json!({
        "Pet": {"type": "object", "required": ["k"], "discriminator": {"propertyName": "k"},
            "properties": {"k": {"$ref": "#/components/schemas/Kind"}, "m": {"type": "string"}}},
        "Kind": {"type": "string", "enum": ["Cat", "Dog"], "example": "Cat"},
        "Cat": {"allOf": [{"$ref": "#/components/schemas/Pet"}, {"properties": {"claws": {"type": "integer"}}}]},
        "Dog": {"allOf": [{"$ref": "#/components/schemas/Pet"}, {"properties": {"bone": {"type": "string"}}}]},
    });
    let body = one_of(json!({"propertyName": "k"}));
    assert!(accepts(&schemas, &body, &json!({"k": "Cat", "m": "x"})));
    assert!(accepts(&schemas, &body, &json!({"k": "Dog", "bone": "b"})));
    assert!(!accepts(&schemas, &body, &json!({"k": "Cat", "claws": "many"})));
    assert!(!accepts(&schemas, &body, &json!({"k": "Cow"})));
}

#[test]
fn a_schema_that_others_build_on_stays_open() {
    let pet = json!({"type": "object", "required": ["petType"], "discriminator": {"propertyName": "petType"},
        "properties": {"petType": {"type": "string"}}});
    let reference = |name: &str| json!({"$ref": format!("#/components/schemas/{name}")});
    let schemas = json!({"Pet": pet, "Alias": reference("Pet"),
        "Cat": {"allOf": [reference("Pet"), {"properties": {"huntingSkill": {"type": "string"}}}]}});
    let cat = json!({"petType": "Cat", "huntingSkill": "lazy"});
    for body in [reference("Pet"), reference("Alias")] {
        assert!(accepts(&schemas, &body, &cat), "{body}");
    }
}

#[test]
fn dynamic_references_mean_the_only_anchor_of_their_name() {
    let node = |of: &str| {
        json!({"$dynamicAnchor": "node", "type": "object", "required": ["name"], "properties": {
        "name": {"type": of}, "children": {"type": "array", "items": {"$dynamicRef": "#node"}}}})
    };
    let good = json!({"name": "a", "children": [{"name": "b"}]});
    let bad = json!({"name": "a", "children": [{"name": 1}]});
    let text = node("string");
    for (schemas, body) in
        [(json!({"Node": text}), json!({"$ref": "#/components/schemas/Node"})), (json!({}), text.clone())]
    {
        assert!(accepts(&schemas, &body, &good));
        assert!(!accepts(&schemas, &body, &bad), "{body}");
    }
    let told = |schemas: &Value| {
        let body = json!({"$ref": "#/components/schemas/Node"});
        let api = opentool_openapi::parse(document(schemas, &body), "a.json").unwrap();
        super::assert_sound(&api);
        api.diagnostics().iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let several = told(&json!({"Node": text, "Other": node("integer")}));
    assert_eq!(several.len(), 1, "{several:?}");
    assert!(
        several[0]
            .contains("error[ref-dynamic]: `#node` can mean any of 2 schemas; anything is allowed here"),
        "{several:?}"
    );
    assert!(
        several[0].contains("(at /components/schemas/Node/properties/children/items/$dynamicRef)"),
        "{several:?}"
    );
    for keyword in ["$dynamicRef", "$ref"] {
        let none = told(&json!({"Node": {"type": "array", "items": {keyword: "#gone"}}}));
        assert!(
            none[0].contains("error[ref-not-found]: `#gone` leads to nothing in this document"),
            "{none:?}"
        );
    }
}
