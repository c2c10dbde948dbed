//! Enumerated values: those that all schemas allow, in a form that the dialect has.

use serde_json::{Map, Value, json};

use super::flat::{Flat, INTEGER, NULL, NUMBER, kind_of, name_of};
use super::{Made, Rebuild, Result, Stop, weight};
use crate::dialect::codec::Codec;
use crate::dialect::lower::Effect;

impl<'r> Rebuild<'r, '_> {
    /// The values that `enum` and `const` leave; `None` where neither stands.
    pub(super) fn values(&mut self, flat: &Flat<'r>) -> std::result::Result<Option<Vec<&'r Value>>, Stop> {
        let mut left: Option<Vec<&'r Value>> = None;
        for sub in &flat.subs {
            let listed =
                sub.get("enum").and_then(Value::as_array).map(|values| values.iter().collect::<Vec<_>>());
            let constant = sub.get("const").map(|value| vec![value]);
            for values in [listed, constant].into_iter().flatten() {
                let looks = match &left {
                    None => values.iter().map(|value| weight(value)).sum(),
                    Some(left) => left.len().saturating_mul(values.len()),
                };
                self.spend(looks, &sub.pointer)?;
                left = Some(match left {
                    None => {
                        let mut once: Vec<&Value> = Vec::with_capacity(values.len());
                        let mut seen = std::collections::HashSet::new();
                        once.extend(values.into_iter().filter(|value| seen.insert(value.to_string())));
                        once
                    }
                    Some(left) => left
                        .into_iter()
                        .filter(|value| values.iter().any(|other| same(value, other)))
                        .collect(),
                });
            }
        }
        if let Some(left) = &mut left {
            left.retain(|value| kind_of(value) & flat.kinds != 0);
        }
        Ok(left)
    }

    /// The enumeration of these values.
    pub(super) fn enumeration(&mut self, flat: &Flat<'r>, values: &[&'r Value]) -> Result<Made> {
        let kinds = values.iter().fold(0, |all, value| all | kind_of(value));
        // Copied once or, for a codec, twice.
        self.spend(values.iter().map(|value| weight(value).saturating_mul(2)).sum(), &flat.pointer())?;
        // Other rules have to be kept by choosing among the values.
        for sub in &flat.subs {
            self.beside(sub, kinds);
        }
        let fits = |value: &Value| self.rules.enums.takes(value);
        let takes_null = fits(&Value::Null);
        let (nulls, others): (Vec<&Value>, Vec<&Value>) =
            values.iter().copied().partition(|value| value.is_null());
        match (others.is_empty(), nulls.is_empty()) {
            (true, true) => return Ok(None),
            (true, false) => {
                let mut schema = Map::new();
                schema.insert("type".to_owned(), "null".into());
                self.tell(&mut schema, flat, &Codec::Same, Vec::new());
                return Ok(Some(Made { schema, codec: Codec::Same }));
            }
            _ => {}
        }
        let keep_null =
            !nulls.is_empty() && takes_null && self.rules.types == crate::dialect::rules::Types::Json;
        let mut made = if others.iter().all(|value| fits(value)) {
            let shown = if keep_null { values } else { &others };
            self.plain_values(flat, shown)
        } else {
            self.text_values(flat, &others)
        };
        // Beside texts that stand for values, `null` stands for itself.
        let said =
            made.schema.get("enum").and_then(Value::as_array).is_some_and(|list| list.contains(&Value::Null));
        if !nulls.is_empty() && !said {
            made = self.or_null(made)?;
        }
        Ok(Some(made))
    }

    fn plain_values(&mut self, flat: &Flat<'r>, values: &[&'r Value]) -> Made {
        let mut schema = Map::new();
        let kinds = values.iter().fold(0, |all, value| all | kind_of(value));
        let mut names: Vec<&str> = Vec::new();
        for value in values {
            let name = match kind_of(value) {
                kind if kind & NUMBER != 0 && kinds & NUMBER != INTEGER => "number",
                kind => name_of(kind),
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        match names[..] {
            [name] => {
                schema.insert("type".to_owned(), name.into());
            }
            _ if self.rules.typed => {
                schema.insert("type".to_owned(), names.into());
            }
            _ => {}
        }
        self.tell(&mut schema, flat, &Codec::Same, Vec::new());
        match values {
            [only] if self.has("const") => schema.insert("const".to_owned(), (*only).clone()),
            values => schema.insert("enum".to_owned(), values.iter().copied().cloned().collect()),
        };
        let constant = flat.subs.iter().find(|sub| sub.get("const").is_some());
        if let Some(sub) = constant.filter(|_| !schema.contains_key("const")) {
            self.note(&sub.pointer, "const", Effect::Exact, "written as `enum`");
        }
        Made { schema, codec: Codec::Same }
    }

    /// Values of all types as strings.
    fn text_values(&mut self, flat: &Flat<'r>, values: &[&'r Value]) -> Made {
        // An empty text is no choice for the providers that want texts, so it is shown as JSON.
        let plain = |value: &Value| match value.as_str() {
            Some(text) if !text.is_empty() => text.to_owned(),
            _ => value.to_string(),
        };
        let mut texts: Vec<String> = values.iter().map(|value| plain(value)).collect();
        let mut seen = std::collections::HashSet::new();
        if !texts.iter().all(|text| seen.insert(text)) {
            // `1` and `"1"`: as JSON they differ.
            texts = values.iter().map(|value| value.to_string()).collect();
        }
        let codec = Codec::Values(
            texts.iter().zip(values).map(|(text, value)| (json!(text), (*value).clone())).collect(),
        );
        let mut schema = Map::new();
        schema.insert("type".to_owned(), "string".into());
        self.tell(&mut schema, flat, &codec, Vec::new());
        schema.insert("enum".to_owned(), texts.into());
        let keyword =
            |sub: &super::Sub<'_>| ["enum", "const"].into_iter().find(|keyword| sub.get(keyword).is_some());
        if let Some((sub, keyword)) = flat.subs.iter().find_map(|sub| Some((sub, keyword(sub)?))) {
            self.note(&sub.pointer, keyword, Effect::Exact, "each value written as a string");
        }
        Made { schema, codec }
    }

    /// Lists the rules beside enumerated values.
    fn beside(&mut self, sub: &super::Sub<'r>, kinds: u8) {
        let only_null = kinds == NULL;
        let Some(members) = sub.schema.as_object().filter(|_| !only_null) else { return };
        const RULES: [&str; 22] = [
            "minLength",
            "maxLength",
            "pattern",
            "format",
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
            "minItems",
            "maxItems",
            "uniqueItems",
            "contains",
            "items",
            "prefixItems",
            "properties",
            "required",
            "additionalProperties",
            "minProperties",
            "maxProperties",
            "patternProperties",
            "propertyNames",
        ];
        for keyword in members.keys().filter(|keyword| RULES.contains(&keyword.as_str())) {
            self.note(&sub.pointer, keyword, Effect::Wider, "left out: the values are listed");
        }
    }
}

/// Whether two values are the same for JSON Schema: `1` and `1.0` are.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => a == b || x.as_f64() == y.as_f64(),
        _ => a == b,
    }
}
