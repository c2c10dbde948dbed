//! Bytes to values: what a fuzzer changes is a choice, and every choice gives something that gets far.
//!
//! A random text is hardly ever a schema. Here every byte decides between a few keywords, names and values that
//! matter, so that any bytes grow into a schema with values that nearly fit. When the bytes end, so does the value.

use serde_json::{Map, Number, Value};

/// Levels that a value grows to.
const LEVELS: usize = 6;
/// Members of one object or list.
const MOST: u8 = 5;

/// Names of properties: few, so that they meet again; some that other formats have rules for.
const NAMES: &[&str] =
    &["a", "b", "c", "userId", "user_id", "filter[id]", "a.b", "é", "", "$ref", "type", "~1/", "value", "x"];
const TYPES: &[&str] = &["object", "string", "integer", "number", "boolean", "array", "null", "file"];
const FORMATS: &[&str] =
    &["date-time", "date", "email", "uuid", "uri", "ipv4", "hostname", "regex", "binary", "x"];
const PATTERNS: &[&str] =
    &["^a+$", "(a|b)*c", "^(a+)+$", "\\d{3}", "(?=a)b", "(a)\\1", "[", "\\p{L}", "^[a-z]{1,9}$"];
const REFERENCES: &[&str] = &[
    "#",
    "#/$defs/a",
    "#/$defs/b",
    "#/definitions/a",
    "#/properties/a",
    "#/$defs/missing",
    "#anchor",
    "other.json#/a",
    "#/$defs/~1",
    "#/$defs/a%62",
];
const TEXTS: &[&str] = &[
    "",
    "a",
    "b",
    "aa",
    "5",
    "-1",
    "1.0",
    "1e3",
    "true",
    "null",
    "[1]",
    "{\"a\":1}",
    "2024-02-30",
    "A",
    " a ",
    "yes",
    "\u{0}",
    "\u{202e}x",
    "\\",
    "\"",
    "💥",
    "..",
    "../../x",
    "a/b",
    "%2e%2e%2f",
    "?q=1",
    "#f",
    "a&b=c",
    "//evil.test",
    "@evil.test",
    "a\r\nX-Evil: 1",
    ";x",
    "a,b",
    "{a}",
    "http://evil.test/",
    "a b",
    "\u{feff}",
];
const DRAFTS: &[&str] = &[
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
    "urn:x",
];
const NUMBERS: &[f64] = &[0.5, -0.0, 1e300, 5e-324, 3.0, -1.5, 1e19, 9007199254740993.0, 0.1];
const INTEGERS: &[i64] = &[0, 1, 2, 3, -1, 5, 127, 128, 255, 65536, i64::MAX, i64::MIN, 9007199254740993];

/// What the keywords of a schema hold.
#[derive(Clone, Copy)]
enum Holds {
    Schema,
    Schemas,
    Members,
    Names,
    Type,
    Count,
    Number,
    Flag,
    Any,
    List,
    NameLists,
    One(&'static [&'static str]),
}

const KEYWORDS: &[(&str, Holds)] = &[
    ("type", Holds::Type),
    ("type", Holds::Type),
    ("properties", Holds::Members),
    ("properties", Holds::Members),
    ("required", Holds::Names),
    ("additionalProperties", Holds::Flag),
    ("additionalProperties", Holds::Schema),
    ("items", Holds::Schema),
    ("items", Holds::Schemas),
    ("prefixItems", Holds::Schemas),
    ("additionalItems", Holds::Schema),
    ("enum", Holds::List),
    ("const", Holds::Any),
    ("anyOf", Holds::Schemas),
    ("oneOf", Holds::Schemas),
    ("allOf", Holds::Schemas),
    ("not", Holds::Schema),
    ("if", Holds::Schema),
    ("then", Holds::Schema),
    ("else", Holds::Schema),
    ("$ref", Holds::One(REFERENCES)),
    ("$dynamicRef", Holds::One(REFERENCES)),
    ("$defs", Holds::Members),
    ("definitions", Holds::Members),
    ("$anchor", Holds::One(&["anchor", "a"])),
    ("$id", Holds::One(&["urn:x", "https://example.test/a", "#a", "a"])),
    ("$schema", Holds::One(DRAFTS)),
    ("minimum", Holds::Number),
    ("maximum", Holds::Number),
    ("exclusiveMinimum", Holds::Number),
    ("exclusiveMaximum", Holds::Flag),
    ("multipleOf", Holds::Number),
    ("minLength", Holds::Count),
    ("maxLength", Holds::Count),
    ("pattern", Holds::One(PATTERNS)),
    ("format", Holds::One(FORMATS)),
    ("minItems", Holds::Count),
    ("maxItems", Holds::Count),
    ("uniqueItems", Holds::Flag),
    ("contains", Holds::Schema),
    ("minContains", Holds::Count),
    ("maxContains", Holds::Count),
    ("minProperties", Holds::Count),
    ("maxProperties", Holds::Count),
    ("patternProperties", Holds::Members),
    ("propertyNames", Holds::Schema),
    ("dependentRequired", Holds::NameLists),
    ("dependentSchemas", Holds::Members),
    ("dependencies", Holds::Members),
    ("unevaluatedProperties", Holds::Schema),
    ("unevaluatedItems", Holds::Schema),
    ("nullable", Holds::Flag),
    ("discriminator", Holds::Any),
    ("default", Holds::Any),
    ("examples", Holds::List),
    ("title", Holds::One(TEXTS)),
    ("description", Holds::One(TEXTS)),
    ("deprecated", Holds::Flag),
    ("readOnly", Holds::Flag),
    ("x-extension", Holds::Any),
];

/// Choices that are read off bytes.
pub(crate) struct Seed<'b> {
    bytes: std::slice::Iter<'b, u8>,
}

impl<'b> Seed<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes: bytes.iter() }
    }

    /// The next byte; zero after the end, and every choice is made such that zero ends something.
    pub(crate) fn byte(&mut self) -> u8 {
        self.bytes.next().copied().unwrap_or(0)
    }

    fn count(&mut self) -> u8 {
        self.byte() % (MOST + 1)
    }

    pub(crate) fn one<'t, T>(&mut self, of: &'t [T]) -> &'t T {
        &of[usize::from(self.byte()) % of.len()]
    }

    fn name(&mut self) -> String {
        (*self.one(NAMES)).to_owned()
    }

    fn members(&mut self, mut value: impl FnMut(&mut Self) -> Value) -> Value {
        let mut members = Map::new();
        for _ in 0..self.count() {
            let name = self.name();
            let value = value(self);
            members.insert(name, value);
        }
        Value::Object(members)
    }

    fn list(&mut self, mut value: impl FnMut(&mut Self) -> Value) -> Value {
        (0..self.count()).map(|_| value(self)).collect()
    }

    fn number(&mut self) -> Value {
        match self.byte() {
            byte if byte < 160 => (*self.one(INTEGERS)).into(),
            byte if byte < 250 => Number::from_f64(*self.one(NUMBERS)).map_or(Value::Null, Value::Number),
            _ => u64::MAX.into(),
        }
    }

    pub(crate) fn text(&mut self) -> String {
        match self.byte() {
            0xff => {
                let length = usize::from(self.byte() % 32);
                let bytes: Vec<u8> = (0..length).map(|_| self.byte()).collect();
                String::from_utf8_lossy(&bytes).into_owned()
            }
            0xfe => "ab".repeat(usize::from(self.byte())),
            byte => TEXTS[usize::from(byte) % TEXTS.len()].to_owned(),
        }
    }

    /// Any value.
    fn value_at(&mut self, levels: usize) -> Value {
        match self.byte() % 12 {
            0 => Value::Null,
            1 => Value::Bool(self.byte() % 2 == 1),
            2..=3 => self.number(),
            4..=6 => self.text().into(),
            7..=9 if levels > 0 => self.members(|seed| seed.value_at(levels - 1)),
            _ if levels > 0 => self.list(|seed| seed.value_at(levels - 1)),
            _ => self.name().into(),
        }
    }

    /// An object, as arguments are.
    pub(crate) fn object(&mut self) -> Map<String, Value> {
        match self.members(|seed| seed.value_at(LEVELS)) {
            Value::Object(members) => members,
            _ => Map::new(),
        }
    }

    /// A schema, or what stands for one; at its root mostly an object's.
    pub(crate) fn schema(&mut self) -> Value {
        match self.schema_at(LEVELS) {
            Value::Object(mut schema) => {
                if self.byte() < 200 && !schema.contains_key("type") {
                    schema.insert("type".to_owned(), "object".into());
                }
                Value::Object(schema)
            }
            other => other,
        }
    }

    fn schema_at(&mut self, levels: usize) -> Value {
        let keywords = match self.byte() {
            252 => return Value::Bool(true),
            253 => return Value::Bool(false),
            254 => return self.value_at(1),
            byte => byte % (MOST + 1),
        };
        let mut schema = Map::new();
        for _ in 0..keywords {
            let (keyword, holds) = *self.one(KEYWORDS);
            // Now and then, anything stands in a keyword's place.
            let value = if self.byte() > 248 { self.value_at(2) } else { self.held(holds, levels) };
            schema.insert(keyword.to_owned(), value);
        }
        Value::Object(schema)
    }

    fn held(&mut self, holds: Holds, levels: usize) -> Value {
        let deeper = |seed: &mut Self| match levels.checked_sub(1) {
            Some(levels) => seed.schema_at(levels),
            None => Value::Object(Map::new()),
        };
        match holds {
            Holds::Schema => deeper(self),
            Holds::Schemas => self.list(deeper),
            Holds::Members => self.members(deeper),
            Holds::Names => self.list(|seed| seed.name().into()),
            Holds::Type if self.byte() % 4 == 1 => self.list(|seed| (*seed.one(TYPES)).into()),
            Holds::Type => (*self.one(TYPES)).into(),
            Holds::Count => (self.byte() % 8).into(),
            Holds::Number => self.number(),
            Holds::Flag => (self.byte() % 2 == 1).into(),
            Holds::Any => self.value_at(2),
            Holds::List => self.list(|seed| seed.value_at(2)),
            Holds::NameLists => self.members(|seed| seed.list(|seed| seed.name().into())),
            Holds::One(words) => (*self.one(words)).into(),
        }
    }

    /// A value that is meant to fit the schema: what its keywords say at once, without looking further.
    pub(crate) fn fitting(&mut self, schema: &Value) -> Value {
        self.fitting_at(schema, LEVELS)
    }

    fn fitting_at(&mut self, schema: &Value, levels: usize) -> Value {
        let byte = self.byte();
        if byte > 240 || levels == 0 {
            return self.value_at(1);
        }
        if let Some(value) = schema.get("const") {
            return value.clone();
        }
        if let Some(values) = schema.get("enum").and_then(Value::as_array).filter(|values| !values.is_empty())
        {
            return self.one(values).clone();
        }
        for keyword in ["anyOf", "oneOf", "allOf"] {
            if let Some(branches) =
                schema.get(keyword).and_then(Value::as_array).filter(|all| !all.is_empty())
            {
                let branch = self.one(branches).clone();
                return self.fitting_at(&branch, levels - 1);
            }
        }
        let kind = match schema.get("type") {
            Some(Value::String(kind)) => kind.as_str(),
            Some(Value::Array(kinds)) if !kinds.is_empty() => self.one(kinds).as_str().unwrap_or_default(),
            _ if schema.get("properties").is_some() => "object",
            _ => "",
        };
        match kind {
            "object" => {
                let mut members = Map::new();
                if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
                    for (name, property) in properties {
                        if self.byte() < 200 {
                            members.insert(name.clone(), self.fitting_at(property, levels - 1));
                        }
                    }
                }
                if self.byte() > 200 {
                    let name = self.name();
                    members.insert(name, self.value_at(1));
                }
                Value::Object(members)
            }
            "array" => {
                let items = schema.get("items").cloned().unwrap_or_default();
                self.list(|seed| seed.fitting_at(&items, levels - 1))
            }
            "string" => self.text().into(),
            "integer" => (*self.one(INTEGERS)).into(),
            "number" => self.number(),
            "boolean" => (self.byte() % 2 == 1).into(),
            "null" => Value::Null,
            _ => self.value_at(levels - 1),
        }
    }
}
