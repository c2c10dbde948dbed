//! Schemas made from numbers, with values that fit them. The same seed always makes the same schema.

use serde_json::{Map, Value, json};

/// A small source of numbers (xorshift): what a test makes must not change with a library.
pub(super) struct Numbers(u64);

impl Numbers {
    pub(super) fn new(seed: u64) -> Self {
        let mut numbers = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        (0..8).for_each(|_| {
            numbers.next(2);
        });
        numbers
    }

    /// From 0 to `below`.
    pub(super) fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % below
    }

    fn one_in(&mut self, many: usize) -> bool {
        self.next(many) == 0
    }
}

/// The schema of a tool's arguments.
pub(super) fn root(numbers: &mut Numbers) -> Value {
    let mut root = match object(numbers, 3) {
        Value::Object(root) => root,
        _ => unreachable!("an object is an object"),
    };
    if numbers.one_in(6) {
        let branches = vec![object(numbers, 2), object(numbers, 2)];
        root = Map::from_iter([
            ("type".to_owned(), json!("object")),
            (if numbers.one_in(2) { "anyOf" } else { "oneOf" }.to_owned(), Value::Array(branches)),
        ]);
    }
    root.insert("$defs".to_owned(), json!({
        "Leaf": leaf(numbers),
        "Pair": {"type": "object", "properties": {"l": leaf(numbers), "r": leaf(numbers)}, "required": ["l"], "additionalProperties": false},
        "Tree": {"type": "object", "properties": {"v": leaf(numbers), "kids": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}}, "required": ["v"], "additionalProperties": false},
    }));
    Value::Object(root)
}

fn leaf(numbers: &mut Numbers) -> Value {
    match numbers.next(14) {
        0 => json!({"type": "string"}),
        1 => json!({"type": "string", "minLength": 1, "maxLength": 5}),
        2 => json!({"type": "string", "enum": ["a", "b", "null"]}),
        3 => json!({"type": "integer", "minimum": 0, "exclusiveMaximum": 10}),
        4 => json!({"type": "number"}),
        5 => json!({"type": "boolean"}),
        6 => json!({"type": ["string", "null"]}),
        7 => json!({"enum": [1, "1", null, false]}),
        8 => json!({"const": 3}),
        9 => json!({"type": ["integer", "string"]}),
        10 => json!({"type": "null"}),
        11 => json!({}),
        12 => json!({"type": "integer", "enum": [1, 2, 3], "description": "One of three."}),
        _ => json!({"type": "string", "format": "date"}),
    }
}

fn schema(numbers: &mut Numbers, levels: usize) -> Value {
    if levels == 0 {
        return leaf(numbers);
    }
    match numbers.next(14) {
        0..=3 => leaf(numbers),
        4 | 5 => object(numbers, levels - 1),
        6 => json!({"type": "array", "items": schema(numbers, levels - 1)}),
        7 => json!({"type": "object", "additionalProperties": schema(numbers, levels - 1)}),
        8 => {
            json!({"type": "array", "prefixItems": [schema(numbers, levels - 1), schema(numbers, levels - 1)], "items": false, "minItems": numbers.next(3)})
        }
        9 => json!({"anyOf": [schema(numbers, levels - 1), schema(numbers, levels - 1)]}),
        10 => {
            json!({"oneOf": [schema(numbers, levels - 1), schema(numbers, levels - 1)], "description": "One."})
        }
        11 => json!({"$ref": "#/$defs/Pair", "description": "A pair."}),
        12 => json!({"$ref": if numbers.one_in(2) { "#/$defs/Tree" } else { "#/$defs/Leaf" }}),
        _ => json!({"allOf": [object(numbers, levels - 1), {"$ref": "#/$defs/Pair"}]}),
    }
}

fn object(numbers: &mut Numbers, levels: usize) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for _ in 0..numbers.next(4) {
        let name = ["a", "b", "c[d]", "value", "null"][numbers.next(5)];
        properties.insert(name.to_owned(), schema(numbers, levels.saturating_sub(1)));
        if numbers.one_in(2) {
            required.push(name);
        }
    }
    required.sort_unstable();
    required.dedup();
    let mut object = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        object["required"] = json!(required);
    }
    match numbers.next(4) {
        0 => object["additionalProperties"] = leaf(numbers),
        1 => {}
        _ => object["additionalProperties"] = json!(false),
    }
    object
}

/// A value that may fit the schema.
pub(super) fn value(numbers: &mut Numbers, schema: &Value, root: &Value, levels: usize) -> Value {
    let Some(members) = schema.as_object() else { return json!("any") };
    if levels == 0 {
        return json!(null);
    }
    if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(reference.trim_start_matches('#')).unwrap();
        return value(numbers, target, root, levels - 1);
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(Value::Array(branches)) = members.get(keyword) {
            let branch = &branches[numbers.next(branches.len())];
            return value(numbers, branch, root, levels - 1);
        }
    }
    if let Some(Value::Array(all)) = members.get("allOf") {
        let mut done = Map::new();
        for inner in all {
            if let Value::Object(part) = value(numbers, inner, root, levels - 1) {
                done.extend(part);
            }
        }
        return Value::Object(done);
    }
    if let Some(Value::Array(values)) = members.get("enum") {
        return values[numbers.next(values.len())].clone();
    }
    if let Some(constant) = members.get("const") {
        return constant.clone();
    }
    let kind = match members.get("type") {
        Some(Value::Array(kinds)) => kinds[numbers.next(kinds.len())].as_str().unwrap().to_owned(),
        Some(Value::String(kind)) => kind.clone(),
        _ => ["string", "number", "null", "array", "object"][numbers.next(5)].to_owned(),
    };
    match kind.as_str() {
        "string" if members.contains_key("format") => json!("2024-01-31"),
        "string" => json!(["a", "xyz", "null", "", "longer than five", "\"q\"", "{}"][numbers.next(7)]),
        "integer" => json!(numbers.next(12)),
        "number" => json!([0.5, 1.0, -3.25, 7.0][numbers.next(4)]),
        "boolean" => json!(numbers.one_in(2)),
        "array" => {
            let places = members.get("prefixItems").and_then(Value::as_array);
            match places {
                Some(places) => {
                    let count = numbers.next(places.len() + 1);
                    places.iter().take(count).map(|place| value(numbers, place, root, levels - 1)).collect()
                }
                None => {
                    let item = members.get("items").cloned().unwrap_or(json!({}));
                    (0..numbers.next(3)).map(|_| value(numbers, &item, root, levels - 1)).collect()
                }
            }
        }
        "object" => {
            let mut done = Map::new();
            let required = members.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
            for (name, property) in members.get("properties").and_then(Value::as_object).into_iter().flatten()
            {
                if required.iter().any(|r| r == name) || numbers.one_in(2) {
                    done.insert(name.clone(), value(numbers, property, root, levels - 1));
                }
            }
            if let Some(others) =
                members.get("additionalProperties").filter(|others| **others != json!(false))
            {
                for _ in 0..numbers.next(3) {
                    let name = ["x", "key", "other_properties", "ä/~"][numbers.next(4)];
                    done.insert(name.to_owned(), value(numbers, others, root, levels - 1));
                }
            }
            Value::Object(done)
        }
        _ => json!(null),
    }
}

/// The value with one thing changed.
pub(super) fn changed(numbers: &mut Numbers, mut whole: Value) -> Value {
    change(numbers, &mut whole);
    whole
}

fn change(numbers: &mut Numbers, place: &mut Value) {
    let odd =
        [json!(-1), json!("2024-99-99"), json!([]), json!({"zz": 1}), json!(null), json!(true), json!(99)];
    let deeper = !numbers.one_in(3);
    match place {
        Value::Object(members) if !members.is_empty() && deeper => {
            let key = members.keys().nth(numbers.next(members.len())).unwrap().clone();
            if numbers.one_in(5) {
                members.shift_remove(&key);
            } else {
                change(numbers, members.get_mut(&key).unwrap());
            }
        }
        Value::Array(items) if !items.is_empty() && deeper => {
            let i = numbers.next(items.len());
            change(numbers, &mut items[i]);
        }
        Value::Object(members) if numbers.one_in(2) => {
            members.insert("zz".to_owned(), json!(1));
        }
        other => *other = odd[numbers.next(odd.len())].clone(),
    }
}
