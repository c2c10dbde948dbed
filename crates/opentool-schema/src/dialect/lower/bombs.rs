//! Small schemas that stand for enormous ones, of any size `n`: made to cost more than they weigh.

use serde_json::{Map, Value, json};

/// A chain of definitions: the first `n` made from the name of the next, the last as it is given.
fn chain(n: usize, make: impl Fn(Value, usize) -> Value, last: Value) -> Value {
    let mut definitions = Map::new();
    for i in 0..n {
        let next = json!({"$ref": format!("#/$defs/d{}", i.saturating_add(1))});
        definitions.insert(format!("d{i}"), make(next, i));
    }
    definitions.insert(format!("d{n}"), last);
    Value::Object(definitions)
}

fn of(k: Value, definitions: Value) -> Value {
    json!({"type": "object", "properties": {"k": k}, "$defs": definitions})
}

fn beside(next: &Value, text: &str) -> Value {
    let mut next = next.clone();
    next["description"] = text.into();
    next
}

/// Each by name, of about `n` parts.
pub(super) fn bombs(n: usize) -> Vec<(&'static str, Value)> {
    let first = || json!({"$ref": "#/$defs/d0"});
    let leaf = || json!({"type": "string"});
    let object = || json!({"type": "object", "properties": {"z": {"type": "string"}}, "required": ["z"]});
    let wide = |keyword: &str| {
        // Levels of unions, as wide as they are deep.
        let width = n.isqrt().max(2);
        chain(width, |next, _| json!({keyword: vec![next; width]}), object())
    };
    let different = |keyword: &str| {
        let width = n.isqrt().max(2);
        let make = |next: Value, i: usize| {
            let branch = |j: usize| json!({"type": "object", "properties": {format!("p{i}_{j}"): &next}, "additionalProperties": {"type": "integer"}});
            json!({keyword: (0..width).map(branch).collect::<Vec<_>>()})
        };
        chain(width, make, object())
    };
    let nested = |depth: usize, make: &dyn Fn(Value, usize) -> Value| (0..depth.min(24)).fold(object(), make);
    let many = |make: &dyn Fn(usize) -> Value| (0..n).map(make).collect::<Vec<_>>();
    let named = |make: &dyn Fn(usize) -> (String, Value)| (0..n).map(make).collect::<Map<_, _>>();
    vec![
        ("doubled by properties", of(first(), chain(n, |next, _| json!({"type": "object", "properties": {"a": beside(&next, "One."), "b": beside(&next, "Two.")}}), leaf()))),
        ("doubled by required properties", of(first(), chain(n, |next, _| json!({"type": "object", "properties": {"a": next, "b": next}, "required": ["a", "b"]}), leaf()))),
        ("doubled by allOf", of(first(), chain(n, |next, _| json!({"allOf": [next, next]}), object()))),
        ("doubled by allOf with texts", of(first(), chain(n, |next, i| json!({"allOf": [beside(&next, "One."), beside(&next, "Two.")], "description": format!("Level {i}.")}), object()))),
        ("doubled by allOf of wrapped", of(first(), chain(n, |next, _| json!({"allOf": [{"allOf": [next, {"minProperties": 1}]}, {"allOf": [next, {"maxProperties": 9}]}]}), object()))),
        ("doubled by anyOf", of(first(), chain(n, |next, _| json!({"anyOf": [next, next]}), object()))),
        ("doubled by anyOf with texts", of(first(), chain(n, |next, _| json!({"anyOf": [beside(&next, "One."), beside(&next, "Two.")]}), object()))),
        ("doubled by anyOf of objects", of(first(), chain(n, |next, _| json!({"anyOf": [{"type": "object", "properties": {"a": next}}, {"type": "object", "properties": {"b": next}}]}), leaf()))),
        ("doubled by anyOf beside properties", of(first(), chain(n, |next, _| json!({"type": "object", "properties": {"a": next}, "anyOf": [{"required": ["a"]}, {"properties": {"b": next}}]}), leaf()))),
        ("doubled by oneOf with const", of(first(), chain(n, |next, _| json!({"oneOf": [{"type": "object", "properties": {"t": {"const": "a"}, "v": next}, "required": ["t"]}, {"type": "object", "properties": {"t": {"const": "b"}, "v": next}, "required": ["t"]}]}), leaf()))),
        ("doubled by prefixItems", of(first(), chain(n, |next, _| json!({"type": "array", "prefixItems": [next, next]}), leaf()))),
        ("doubled by prefixItems with texts", of(first(), chain(n, |next, _| json!({"type": "array", "prefixItems": [beside(&next, "One."), beside(&next, "Two.")], "items": false}), leaf()))),
        ("doubled by maps", of(first(), chain(n, |next, _| json!({"type": "object", "additionalProperties": next, "patternProperties": {"^a": next}}), leaf()))),
        ("doubled by conditions", of(first(), chain(n, |next, _| json!({"if": next, "then": next, "else": next}), object()))),
        ("doubled by dependent schemas", of(first(), chain(n, |next, _| json!({"type": "object", "properties": {"a": {}}, "dependentSchemas": {"a": next, "b": next}}), object()))),
        ("doubled by names of properties", of(first(), chain(n, |next, _| json!({"type": "object", "propertyNames": next, "additionalProperties": next}), leaf()))),
        ("doubled by references beside others", of(first(), chain(n, |next, _| json!({"$ref": next["$ref"], "properties": {"a": next, "b": next}}), object()))),
        ("doubled by not", of(first(), chain(n, |next, _| json!({"not": next, "anyOf": [{"not": next}, {"type": "object"}]}), object()))),
        ("doubled by nullable", of(first(), chain(n, |next, _| json!({"type": ["object", "array", "null"], "properties": {"a": next}, "items": next}), leaf()))),
        ("wide anyOf", of(first(), wide("anyOf"))),
        ("wide oneOf", of(first(), wide("oneOf"))),
        ("wide allOf", of(first(), wide("allOf"))),
        ("wide anyOf of maps", of(first(), different("anyOf"))),
        ("wide oneOf of maps", of(first(), different("oneOf"))),
        ("alternatives times alternatives", json!({"type": "object", "allOf": many(&|i| json!({"anyOf": [{"required": [format!("a{i}")]}, {"required": [format!("b{i}")]}]}))})),
        ("alternatives of maps beside each other", of(json!({"anyOf": many(&|i| json!({"type": "object", "additionalProperties": {"type": "integer", "minimum": i}}))}), json!({}))),
        ("many ways to one", of(json!({"anyOf": many(&|i| json!({"$ref": format!("#/$defs/d{i}")}))}), chain(n, |next, _| json!({"type": "object", "additionalProperties": next}), object()))),
        ("everything to everything", of(first(), named(&|i| (format!("d{i}"), json!({"type": "object", "properties": named(&|j| (format!("p{j}"), json!({"$ref": format!("#/$defs/d{j}")})))}))).into())),
        ("everything to everything with others", of(first(), named(&|i| (format!("d{i}"), json!({"properties": named(&|j| (format!("r {j}"), json!({"$ref": format!("#/$defs/d{j}")}))), "additionalProperties": {"$ref": format!("#/$defs/d{}", i.saturating_add(1) % n)}}))).into())),
        ("everything in everything", of(first(), named(&|i| (format!("d{i}"), json!({"anyOf": many(&|j| json!({"$ref": format!("#/$defs/d{j}")})), "type": ["object", "null"], "properties": {"a": {"$ref": format!("#/$defs/d{i}")}}}))).into())),
        ("properties of everything", of(json!({"allOf": many(&|i| json!({"properties": {format!("p{i}"): {"type": "string"}}, "additionalProperties": {"minLength": i}}))}), json!({}))),
        ("patterns of everything", of(json!({"type": "object", "properties": named(&|i| (format!("p{i}"), json!({}))), "patternProperties": named(&|i| (format!("^p{i}"), json!({"type": "string"})))}), json!({}))),
        ("values of everything", of(json!({"allOf": many(&|i| json!({"enum": (0..n).map(|j| json!(format!("{}", i.min(j)))).collect::<Vec<_>>()}))}), json!({}))),
        ("long texts at every use", of(first(), chain(n.isqrt(), |next, _| json!({"type": "object", "properties": {"a": beside(&next, &"long ".repeat(n)), "b": next}, "description": "text ".repeat(n)}), leaf()))),
        ("long values at every use", of(first(), chain(n.isqrt(), |next, _| json!({"type": "object", "properties": {"a": beside(&next, "One."), "b": next, "e": {"enum": many(&|i| json!(i))}}}), leaf()))),
        ("nested alternatives", of(nested(n, &|inner, i| json!({"anyOf": [{"type": "object", "properties": {"a": &inner}, "additionalProperties": {"type": "integer"}}, {"type": "array", "items": {"type": "string", "maxLength": i}}]})), json!({}))),
        ("nested alternatives with texts", of(nested(n, &|inner, i| json!({"description": "text ".repeat(n.isqrt()), "anyOf": [inner, {"type": "array", "items": {"type": "string", "maxLength": i}}]})), json!({}))),
        ("nested maps", of(nested(n, &|inner, _| json!({"type": ["object", "null"], "additionalProperties": inner})), json!({}))),
        ("nested tuples", of(nested(n, &|inner, _| json!({"type": "array", "prefixItems": [{"type": "integer"}, inner], "items": {"type": "null"}})), json!({}))),
        ("a long way down", of(first(), chain(n, |next, _| json!({"type": "object", "properties": {"a": next}}), leaf()))),
        ("a long way down by unions", of(first(), chain(n, |next, _| json!({"anyOf": [next, {"type": "integer"}]}), leaf()))),
        ("a long way down by allOf", of(first(), chain(n, |next, _| json!({"allOf": [next, {"type": "object"}]}), object()))),
        ("a long way down by arrays", of(first(), chain(n, |next, _| json!({"type": "array", "items": next}), leaf()))),
        ("null or itself", json!({"type": "object", "properties": {"k": first()}, "$defs": {
            "d0": {"anyOf": [{"type": "object", "properties": {"n": {"$ref": "#/$defs/d0"}}}, {"$ref": "#/$defs/d1"}]},
            "d1": {"anyOf": [{"$ref": "#/$defs/d0"}, {"$ref": "#/$defs/d1"}]}}})),
        ("odd names of everything", of(first(), chain(n, |next, i| json!({"type": "object", "properties": {format!("a b{i}"): next, format!("c d{i}"): next}}), leaf()))),
        ("one anchor many times", json!({"type": "object", "properties": named(&|i| (format!("p{i}"), json!({"$dynamicRef": "#a"}))), "$defs": named(&|i| (format!("d{i}"), json!({"$dynamicAnchor": "a"})))})),
        ("long keys above many anchors", of(nested(n, &|inner, i| json!({"type": "object", "properties": {format!("{}{i}", "key".repeat(n.isqrt())): inner, "r": {"$ref": "#here"}}})), json!({"h": {"$anchor": "here", "type": "string"}}))),
    ]
}
