//! The law of what is told: what is listed as moved to the description is in one, and no default or example is gone
//! without a word.

use std::collections::HashSet;

use opentool_schema::{Lowered, lower};
use serde_json::{Map, Value, json};

use super::{label, tool, ways};

/// Characters of a value that a description shows for certain.
const SHOWN: usize = 250;
/// Keywords that are hints, so that no value tells whether they are lost.
const HINTS: [&str; 3] = ["default", "examples", "deprecated"];

/// What is neither told nor listed.
pub(super) fn untold(schema: &Value, lowered: &Lowered) -> Vec<String> {
    let told = Told::of(&lowered.definition);
    let losses: Vec<_> = lowered.losses().collect();
    let mut open = Vec::new();
    for loss in losses.iter().filter(|loss| loss.done.starts_with("moved to the description")) {
        // Nothing is told of a property in alternatives that no value fits.
        let is_gone = || {
            loss.pointer.rsplit_once("/properties/").is_some_and(|(_, name)| {
                !name.contains('/') && !lowered.definition.to_string().contains(&format!("{name:?}:"))
            })
        };
        if !is_told(schema, &loss.pointer, &loss.keyword, &told) && !is_gone() {
            open.push(format!("{} {} is listed as moved and is not told", loss.pointer, loss.keyword));
        }
    }
    let mut walk = Walk { root: schema, seen: HashSet::new(), hints: Vec::new() };
    walk.schema("", schema);
    for (pointer, keyword, value) in walk.hints {
        let at = format!("{pointer}/{keyword}");
        let listed = losses.iter().any(|loss| {
            let place = format!("{}/{}", loss.pointer, loss.keyword);
            let around = pointer == loss.pointer || pointer.starts_with(&format!("{}/", loss.pointer));
            at == place
                || at.starts_with(&format!("{place}/"))
                || (around && loss.done.starts_with("written as JSON text"))
        });
        if !listed && !told.hints.contains(&(keyword, value)) && !told.says(keyword, value) {
            open.push(format!("{at}: {value} is neither there nor listed"));
        }
    }
    open
}

fn is_told(schema: &Value, pointer: &str, keyword: &str, told: &Told) -> bool {
    let holder = schema.pointer(pointer);
    let of = |keyword: &str| holder.and_then(|holder| holder.get(keyword));
    if let Some(Value::Object(patterns)) = of("patternProperties")
        && matches!(keyword, "patternProperties" | "additionalProperties")
    {
        return told.says("patternProperties", &json!(patterns))
            || patterns.keys().all(|pattern| told.says("pattern", &json!(pattern)));
    }
    // What older drafts wrote in another form: at least the keyword.
    let Some(value) = of(keyword).filter(|value| !keyword.starts_with("exclusive") || !value.is_boolean())
    else {
        return told.texts.contains(&format!("{keyword}: "));
    };
    // Or all that is around it is told.
    told.says(keyword, value)
        || pointer.rsplit_once('/').is_some_and(|(above, last)| is_told(schema, above, last, told))
}

/// What a definition says in its descriptions, and the hints in it.
struct Told<'d> {
    texts: String,
    hints: Vec<(&'d str, &'d Value)>,
}

impl<'d> Told<'d> {
    fn of(definition: &'d Value) -> Self {
        let mut told = Self { texts: String::new(), hints: Vec::new() };
        told.add(definition);
        told
    }

    fn add(&mut self, value: &'d Value) {
        match value {
            Value::Object(members) => {
                for (key, member) in members {
                    if let (true, Value::String(text)) = (key == "description", member) {
                        self.texts.push_str(text);
                        self.texts.push('\n');
                    }
                    if HINTS.contains(&key.as_str()) {
                        self.hints.push((key, member));
                    }
                    self.add(member);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.add(item)),
            _ => {}
        }
    }

    /// Whether a description shows the keyword with its value, by itself or in a schema.
    fn says(&self, keyword: &str, value: &Value) -> bool {
        let shown: String = value.to_string().chars().take(SHOWN).collect();
        // What it refers to is shown in its place.
        let shown = shown.split("{\"$ref\"").next().unwrap_or_default();
        [format!("{keyword}: {shown}"), format!("\"{keyword}\":{shown}")]
            .iter()
            .any(|text| self.texts.contains(text))
    }
}

/// Finds the hints of all schemas that apply somewhere.
struct Walk<'s> {
    root: &'s Value,
    seen: HashSet<*const Value>,
    hints: Vec<(String, &'static str, &'s Value)>,
}

impl<'s> Walk<'s> {
    fn schema(&mut self, pointer: &str, schema: &'s Value) {
        let Value::Object(members) = schema else { return };
        if !self.seen.insert(schema) {
            return;
        }
        for keyword in HINTS {
            self.hints.extend(members.get(keyword).map(|value| (pointer.to_owned(), keyword, value)));
        }
        for (keyword, inner) in members {
            let at = format!("{pointer}/{keyword}");
            match (keyword.as_str(), inner) {
                ("$ref", Value::String(to)) => {
                    let target = to.trim_start_matches('#');
                    if let Some(schema) = self.root.pointer(target) {
                        self.schema(target, schema);
                    }
                }
                ("allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(all)) => {
                    all.iter().enumerate().for_each(|(i, inner)| self.schema(&format!("{at}/{i}"), inner));
                }
                ("properties", Value::Object(all)) => {
                    for (key, inner) in all {
                        let key = key.replace('~', "~0").replace('/', "~1");
                        self.schema(&format!("{at}/{key}"), inner);
                    }
                }
                ("items" | "additionalProperties" | "then" | "else", inner) => self.schema(&at, inner),
                _ => {}
            }
        }
    }
}

/// Keywords with what they are about.
fn rules() -> Vec<(Value, Value)> {
    let object = json!({"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "string"}}});
    let (text, list) = (json!({"type": "string"}), json!({"type": "array", "items": {"type": "integer"}}));
    let number = json!({"type": "number"});
    [
        (&object, json!({"not": {"required": ["x", "y"]}})),
        (&object, json!({"patternProperties": {"^x-": {"type": "string"}}})),
        (&object, json!({"propertyNames": {"maxLength": 7}})),
        (&object, json!({"propertyNames": {"pattern": "^(?!q)"}, "patternProperties": {"^(?=z)": {"minLength": 4}}})),
        (&object, json!({"patternProperties": {"^x-": true}, "additionalProperties": false})),
        (&object, json!({"dependentRequired": {"x": ["y"]}})),
        (&object, json!({"minProperties": 1, "maxProperties": 6})),
        (&object, json!({"default": {"x": 3}})),
        (&object, json!({"examples": [{"x": 5}], "deprecated": true})),
        (&text, json!({"not": {"const": "bad"}})),
        (&text, json!({"not": {"$ref": "#/$defs/Base"}})),
        (&text, json!({"minLength": 3, "maxLength": 9})),
        (&text, json!({"pattern": "^(?!a)"})),
        (&text, json!({"format": "uri-template"})),
        (&text, json!({"contentEncoding": "base64", "contentMediaType": "image/png"})),
        (&text, json!({"default": "outer"})),
        (&text, json!({"examples": ["one", "two"]})),
        (&list, json!({"not": {"const": [1]}})),
        (&list, json!({"uniqueItems": true, "minItems": 2, "maxItems": 5})),
        (&list, json!({"contains": {"const": 4}, "minContains": 2})),
        (&list, json!({"default": [7]})),
        (&list, json!({"prefixItems": [{"minimum": 0}], "items": {"type": "integer"}, "uniqueItems": true, "minItems": 3})),
        (&number, json!({"multipleOf": 0.25, "exclusiveMinimum": 1.5, "maximum": 77})),
        (&number, json!({"not": {"const": 3}, "default": 8})),
    ]
    .into_iter()
    .map(|(base, rule)| (base.clone(), rule))
    .collect()
}

fn with(mut schema: Value, more: &Value) -> Value {
    let more = more.as_object().unwrap().clone();
    schema.as_object_mut().unwrap().extend(more);
    schema
}

/// The rule in every company.
fn combined(base: &Value, rule: &Value) -> Vec<(&'static str, Value)> {
    let kind = base["type"].clone();
    let whole = with(base.clone(), rule);
    let boolean = json!({"type": "boolean"});
    let other = with(base.clone(), &json!({"description": "Another."}));
    let split = match kind.as_str().unwrap() {
        "object" => json!([{"required": ["x"]}, {"required": ["y"]}]),
        "string" => json!([{"maxLength": 40}, {"minLength": 60}]),
        "array" => json!([{"maxItems": 40}, {"minItems": 60}]),
        _ => json!([{"maximum": 40}, {"minimum": 60}]),
    };
    let condition =
        json!({"if": split[0], "then": {"description": "Then."}, "else": {"description": "Else."}});
    let several = |kinds: Value| with(whole.clone(), &json!({"type": kinds}));
    vec![
        ("alone", whole.clone()),
        ("beside anyOf", with(whole.clone(), &json!({"anyOf": split}))),
        ("beside oneOf", with(whole.clone(), &json!({"oneOf": split}))),
        ("beside if", with(whole.clone(), &condition)),
        ("in anyOf", json!({"anyOf": [whole, boolean]})),
        ("in oneOf, of one type", json!({"oneOf": [whole, other]})),
        ("in anyOf with null", json!({"anyOf": [whole, {"type": "null"}]})),
        ("in allOf", json!({"allOf": [whole, {"description": "All."}]})),
        ("in allOf beside anyOf", json!({"allOf": [whole, {"anyOf": split}]})),
        ("in allOf with alternatives", json!({"allOf": [with(whole.clone(), &json!({"anyOf": split}))]})),
        ("referred to", json!({"$ref": "#/$defs/Whole"})),
        ("beside a reference", with(json!({"$ref": "#/$defs/Base"}), rule)),
        ("beside a reference to alternatives", with(json!({"$ref": "#/$defs/Split"}), &whole)),
        ("of several types", several(json!([kind, "boolean"]))),
        ("of several types and null", several(json!([kind, "boolean", "null"]))),
        ("or null", several(json!([kind, "null"]))),
        (
            "of several types beside alternatives",
            with(several(json!([kind, "boolean"])), &json!({"anyOf": split})),
        ),
        ("around alternatives", with(json!({"anyOf": [base, boolean]}), rule)),
        ("around one and null", with(json!({"anyOf": [base, {"type": "null"}]}), rule)),
        ("around itself", with(json!({"anyOf": [whole, {"type": "null"}]}), rule)),
        (
            "around alternatives or null",
            with(json!({"anyOf": [{"anyOf": [base, boolean]}, {"type": "null"}]}), rule),
        ),
        ("of any type", rule.clone()),
    ]
}

#[test]
fn every_keyword_is_told_or_listed_in_every_company() {
    let mut open = Vec::new();
    for (base, rule) in rules() {
        for (company, property) in combined(&base, &rule) {
            let whole = with(base.clone(), &rule);
            let split = json!({"anyOf": [{"title": "One"}, {"title": "Other"}]});
            let schema = json!({
                "type": "object",
                "properties": {"p": property},
                "required": ["p"],
                "additionalProperties": false,
                "$defs": {"Whole": whole, "Base": base, "Split": split},
            });
            open.extend(untold_of(&format!("{rule} {company}"), &schema));
        }
    }
    assert!(open.is_empty(), "{} are not told:\n{}", open.len(), open.join("\n"));
}

fn untold_of(name: &str, schema: &Value) -> Vec<String> {
    let mut open: Vec<(String, String)> = Vec::new();
    for way in ways() {
        let found = match lower(&tool(schema.clone()), way) {
            Ok(lowered) => untold(schema, &lowered),
            Err(error) => vec![error.to_string()],
        };
        for what in found {
            match open.iter_mut().find(|(other, _)| *other == what) {
                Some((_, labels)) => labels.push_str(&format!(", {}", label(&way))),
                None => open.push((what, label(&way))),
            }
        }
    }
    open.into_iter().map(|(what, labels)| format!("{name}: {what} ({labels})")).collect()
}

/// The description of the only parameter.
fn description(property: Value, dialect: opentool_schema::Dialect) -> String {
    let schema = json!({"type": "object", "properties": {"p": property}, "required": ["p"]});
    let lowered = lower(&tool(schema), dialect).unwrap();
    Told::of(super::schema_of(&lowered).pointer("/properties/p").unwrap_or(&Value::Null)).texts
}

#[test]
fn a_long_schema_in_a_text_is_shown_as_far_as_there_is_room() {
    let keys: Map<String, Value> =
        (0..40).map(|i| (format!("key_{i}"), json!({"type": "integer", "minimum": i}))).collect();
    // Too deep for the provider, so that the inside becomes a text.
    let deep = (0..9).fold(
        json!({"type": "object", "properties": keys}),
        |inner, _| json!({"type": "object", "properties": {"in": inner}, "required": ["in"]}),
    );
    let text = description(deep, opentool_schema::Dialect::OpenAiStrict);
    assert!(text.contains("written as JSON text") && text.contains("key_0") && text.contains('…'), "{text}");
}

#[test]
fn alternatives_that_are_too_many_are_told() {
    let unions: Vec<Value> = (0..6)
        .map(|i| json!({"oneOf": [{"required": [format!("a{i}")]}, {"required": [format!("b{i}")]}]}))
        .collect();
    let schema = json!({"type": "object", "properties": {"p": {
        "type": "object",
        "properties": {"x": {"type": "integer"}},
        "allOf": unions,
        "dependentSchemas": {"x": {"required": ["a1", "b2"]}},
        "if": {"required": ["a3"]},
        "then": {"required": ["b3"]},
        "additionalProperties": {"type": "string"},
    }}, "required": ["p"]});
    // Some providers refuse so many.
    let open: Vec<String> =
        untold_of("many", &schema).into_iter().filter(|what| what.contains(" listed ")).collect();
    assert!(open.is_empty(), "{open:?}");
    let text = description(schema["properties"]["p"].clone(), opentool_schema::Dialect::Gemini);
    for rule in [
        "oneOf: [{\"required\":[\"a5\"]}",
        "dependentSchemas: {\"x\"",
        "if: {\"required\":[\"a3\"]}",
        "then: {",
    ] {
        assert!(text.contains(rule), "{rule}: {text}");
    }
}

#[test]
fn rules_name_what_the_model_sees() {
    let property = json!({
        "type": "object",
        "properties": {"$x": {"type": "integer"}, "a b": {"type": "integer"}, "c d": {"type": "integer"}},
        "dependentRequired": {"$x": ["a b"]},
        "additionalProperties": false,
    });
    let text = description(property, opentool_schema::Dialect::Gemini);
    let names = "{dependentRequired: {\"$x\":[\"a b\"]}}\n\n{renamed: {\"$x\":\"_x\",\"a b\":\"a_b\"}}";
    assert!(text.contains(names), "{text}");
}
