//! The names of enum variants beside the values that serde gives them.
//!
//! A schema knows an enum by what serde writes (`"one-way"`, `1`). Who wants to show the names of the variants
//! (`OneWay`) needs both. `#[enum_names]` on an enum puts the names into the schema that schemars makes, as
//! `x-enum-varnames`, which OpenAPI documents use too. Which name belongs to which value is found by reading each value into
//! the type, so that every attribute of serde is honoured. Models are never sent the names: [`Schema`](crate::Schema)
//! keeps them apart. How they are shown and read back is `opentool_schema::profile`.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The keyword: names in the order of `enum`; one name beside `const`; all names, as they were declared, beside `oneOf`.
const KEYWORD: &str = "x-enum-varnames";

/// An enum that knows the names of its variants. Written by `#[enum_names]`.
pub trait EnumNames {
    /// The names of all variants as they are declared.
    fn names() -> Vec<&'static str>;

    /// The name of the variant that this is.
    fn name(&self) -> &'static str;
}

/// Puts the names of the variants into the schema of the enum.
pub fn mark_names<T: EnumNames + DeserializeOwned>(schema: &mut schemars::Schema) {
    let Some(members) = schema.as_object_mut() else { return };
    if let Some(Value::Array(branches)) = members.get_mut("oneOf") {
        let marked = branches.iter_mut().filter_map(Value::as_object_mut).filter_map(mark::<T>).count();
        if marked > 0 {
            members.insert(KEYWORD.to_owned(), T::names().into());
        }
    } else {
        mark::<T>(members);
    }
}

/// Puts the names beside the values of one schema; `None` if it lists no values, or one that is none of the enum's.
fn mark<T: EnumNames + DeserializeOwned>(members: &mut Map<String, Value>) -> Option<()> {
    let values = match (members.get("enum"), members.get("const")) {
        (Some(Value::Array(values)), _) => values.as_slice(),
        (None, Some(value)) => std::slice::from_ref(value),
        _ => return None,
    };
    let name = |value: &Value| T::deserialize(value).ok().map(|variant| Value::from(variant.name()));
    let names: Vec<Value> = values.iter().map(name).collect::<Option<_>>()?;
    members.insert(KEYWORD.to_owned(), Value::Array(names));
    Some(())
}

/// Takes the names out of a schema; whether there were any.
pub(crate) fn strip(schema: &mut Value) -> bool {
    match schema {
        Value::Array(items) => items.iter_mut().filter_map(|item| strip(item).then_some(())).count() > 0,
        Value::Object(members) => {
            let mut found = members.shift_remove(KEYWORD).is_some();
            for (keyword, member) in members {
                found |= match keyword.as_str() {
                    // Values of these are data, not schemas.
                    "default" | "const" | "enum" | "examples" => false,
                    // The keys of these are names, which may look like keywords.
                    "properties" | "patternProperties" | "$defs" | "dependentSchemas" => {
                        let schemas = member.as_object_mut().into_iter().flatten();
                        schemas.filter_map(|(_, schema)| strip(schema).then_some(())).count() > 0
                    }
                    _ => strip(member),
                };
            }
            found
        }
        _ => false,
    }
}
