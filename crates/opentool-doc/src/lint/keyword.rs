//! Members of a schema that belong to JSON Schema or OpenAPI, and not to this format.

use super::members::SCHEMA;
use super::{Culprit, Lint, rule};
use opentool_text::Members;

impl Lint<'_> {
    /// Checks the name of a member of a schema that the format does not define.
    pub(super) fn foreign(&mut self, name: &str, object: &Members<'_>) {
        let Some(instead) = instead(name) else { return self.unknown(name, object, &SCHEMA) };
        let message = format!("OpenTool schemas have no `{name}`; it is kept, and no reader acts on it");
        self.found(rule::FOREIGN_KEYWORD, Culprit::Key, message, instead);
    }
}

/// What to write instead of a keyword that other schema languages have.
fn instead(keyword: &str) -> Option<&'static str> {
    Some(match keyword {
        "anyOf" | "oneOf" | "allOf" | "not" | "if" | "then" | "else" => {
            "write the one type that the values have; describe the cases in `description`"
        }
        "const" => "write `enum` with this one value",
        "nullable" => "make the parameter or property optional; null has no type here",
        "additionalProperties" | "patternProperties" | "propertyNames" | "unevaluatedProperties" => {
            "list the properties, or describe the others in `description`"
        }
        "prefixItems" | "additionalItems" | "contains" | "unevaluatedItems" => {
            "write what all items have in common as `items`"
        }
        "$defs" | "definitions" => "move the schemas to `schemas` at the root of the document",
        "default" | "example" | "examples" | "format" | "pattern" | "title" | "deprecated" | "readOnly"
        | "writeOnly" | "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf"
        | "minLength" | "maxLength" | "minItems" | "maxItems" | "uniqueItems" | "minProperties"
        | "maxProperties" | "minContains" | "maxContains" | "contentEncoding" | "contentMediaType"
        | "dependentRequired" | "dependentSchemas" | "discriminator" => {
            "say it in `description`, where a model reads it"
        }
        _ => return None,
    })
}
