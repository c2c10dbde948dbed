//! Any schema to any dialect: the provider's own rules are kept or the tool is refused, and it is the same every time.

use opentool_core::{Schema, ToolDefinition};
use opentool_schema::{Dialect, LowerOptions, Lowered, Strict, lint, lower};
use serde_json::Value;

use crate::grow::Seed;

pub(crate) fn run(input: &[u8]) {
    let mut seed = Seed::new(input);
    let Some((tool, options, lowered)) = lowered(&mut seed) else { return };
    let found = lint(options.dialect, &lowered.definition);
    let case = || format!("{options:?}: {}", tool.input_schema.as_value());
    assert!(found.is_empty(), "the provider would refuse it: {found:?}: {}", case());
    let again = lower(&tool, options).expect("what was lowered once is lowered again");
    assert_eq!(again.definition, lowered.definition, "{}", case());
    assert_eq!(again.rewrites, lowered.rewrites, "{}", case());
}

/// A tool, a dialect, and the one in the other.
pub(crate) fn lowered(seed: &mut Seed<'_>) -> Option<(ToolDefinition, LowerOptions, Lowered)> {
    let dialect = *seed.one(Dialect::all());
    let options = match seed.byte() % 4 {
        0 | 1 => LowerOptions::new(dialect),
        2 => LowerOptions::new(dialect).strict(Strict::Auto),
        _ => LowerOptions::new(dialect).strict(Strict::Never),
    };
    let name = if seed.byte() < 128 { "tool".to_owned() } else { seed.text() };
    let schema: Value = seed.schema();
    let tool = ToolDefinition::new(name, "What it does.").input_schema(Schema::new(schema));
    match lower(&tool, options) {
        Ok(lowered) => Some((tool, options, lowered)),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            None
        }
    }
}
