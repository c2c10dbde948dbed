//! The law of lowering: every valid value has an encoding that the lowered schema accepts and that decodes to the
//! same value; every invalid one is still rejected, or what it breaks is among the losses.

use opentool_core::Schema;
use opentool_schema::{Dialect, LowerError, Lowered, Repairs, Validator, lint, lower};
use serde_json::{Value, json};

use super::explained::{is_kept_out, is_listed};
use super::told::untold;
use super::{Case, cases, judge, judge_of_original, label, schema_of, spelled_out, tool, ways};

#[test]
fn holds_for_every_schema_in_every_dialect() {
    let cases = cases();
    assert!(cases.len() >= 40, "only {} cases", cases.len());
    let mut broken = Vec::new();
    for case in &cases {
        broken.extend(breaks(case));
    }
    assert!(broken.is_empty(), "{} breaks:\n{}", broken.len(), broken.join("\n"));
}

#[test]
fn a_loss_in_another_place_is_no_excuse() {
    let schema = json!({"type": "object", "properties": {
        "o": {"type": "object", "properties": {"a": {"type": "integer"}}},
        "s": {"type": "string", "not": {"const": "x"}},
        "t": {"anyOf": [{"type": "string", "not": {"const": "x"}}, {"type": "integer"}]},
    }, "additionalProperties": false});
    let lowered = lower(&tool(schema.clone()), Dialect::OpenAiStrict).unwrap();
    assert!(is_kept_out(&lowered, &schema, &json!({"o": {"b": 1}})));
    assert!(!is_kept_out(&lowered, &schema, &json!({"o": {"a": 1}, "s": "b"})));
    let original = judge_of_original(&schema);
    let listed = |value: Value| original.iter_errors(&value).all(|error| is_listed(&lowered, &error));
    assert!(listed(json!({"s": "x", "t": "x"})));
    assert!(!listed(json!({"s": 1})) && !listed(json!({"t": []})) && !listed(json!({"u": 1})));
}

/// Where a case breaks the law.
pub(super) fn breaks(case: &Case) -> Vec<String> {
    let original = judge_of_original(&case.schema);
    let valid: Vec<&Value> = case.valid.iter().filter(|value| original.is_valid(value)).collect();
    assert_eq!(valid.len(), case.valid.len(), "{}: a value is not valid", case.name);
    let validator = Validator::new(&Schema::new(case.schema.clone())).unwrap();
    let mut broken = Vec::new();
    let mut known: Vec<(Value, jsonschema::Validator)> = Vec::new();
    for way in ways() {
        let place = format!("{} in {}", case.name, label(&way));
        let lowered = match lower(&tool(case.schema.clone()), way) {
            Ok(lowered) => lowered,
            // Generated schemas may contradict themselves.
            Err(LowerError::NeverValid { .. }) if valid.is_empty() => continue,
            Err(error) => {
                broken.push(format!("{place}: refused: {error}"));
                continue;
            }
        };
        for finding in lint(way.dialect, &lowered.definition) {
            broken.push(format!("{place}: lint {}: {} {}", finding.pointer, finding.rule, finding.message));
        }
        broken.extend(untold(&case.schema, &lowered).into_iter().map(|open| format!("{place}: {open}")));
        let schema = spelled_out(&schema_of(&lowered));
        if !known.iter().any(|(other, _)| *other == schema) {
            known.push((schema.clone(), judge(&schema)));
        }
        let judge = known.iter().find(|(other, _)| *other == schema).map(|(_, judge)| judge).unwrap();
        for value in &valid {
            if let Some(why) = valid_breaks(&lowered, judge, &case.schema, value) {
                broken.push(format!("{place}: {value}: {why}\n    {schema}"));
            }
        }
        for value in &case.invalid {
            assert!(!original.is_valid(value), "{}: {value} is valid", case.name);
            let why = invalid_breaks(&lowered, judge, &original, value);
            if let Some(why) = why.or_else(|| place_breaks(&lowered, &validator, value)) {
                broken.push(format!("{place}: {value}: {why}\n    {schema}"));
            }
        }
    }
    broken
}

fn valid_breaks(
    lowered: &Lowered,
    judge: &jsonschema::Validator,
    original: &Value,
    value: &Value,
) -> Option<String> {
    let kept_out = || is_kept_out(lowered, original, value);
    let encoded = match lowered.decoder.encode(value) {
        Ok(encoded) => encoded,
        Err(error) => {
            return (!kept_out()).then(|| format!("no encoding: {error}, and no narrowing is listed for it"));
        }
    };
    if !judge.is_valid(&encoded) {
        return (!kept_out())
            .then(|| format!("its encoding {encoded} is rejected, and no narrowing is listed for it"));
    }
    match lowered.decoder.decode(encoded.clone()) {
        Ok(decoded) if decoded == *value => None,
        other => Some(format!("{encoded} comes back as {other:?}")),
    }
}

fn invalid_breaks(
    lowered: &Lowered,
    judge: &jsonschema::Validator,
    original: &jsonschema::Validator,
    value: &Value,
) -> Option<String> {
    let Ok(encoded) = lowered.decoder.encode(value) else { return None };
    // What comes back as something else is no encoding of it.
    let comes_back = lowered.decoder.decode(encoded.clone()).is_ok_and(|decoded| decoded == *value);
    if !comes_back || !judge.is_valid(&encoded) {
        return None;
    }
    let open = original.iter_errors(value).find(|error| !is_listed(lowered, error))?;
    let losses: Vec<String> = lowered
        .losses()
        .map(|loss| format!("{} {}/{}", loss.effect.as_str(), loss.pointer, loss.keyword))
        .collect();
    Some(format!("{encoded} is accepted, and {} is not listed: {losses:?}", open.schema_path()))
}

/// Whether each problem is told of a place that was written, or of one that is missing in what was written.
fn place_breaks(lowered: &Lowered, validator: &Validator, value: &Value) -> Option<String> {
    let encoded = lowered.decoder.encode(value).ok()?;
    let error = validator.take_decoded(&encoded, &lowered.decoder, Repairs::Off).err()?;
    let is_there = |pointer: &str| encoded.pointer(pointer).is_some();
    let above = |pointer: &str| pointer.rsplit_once('/').is_none_or(|(above, _)| is_there(above));
    let nowhere = |rule: &str, pointer: &str| match rule {
        "required" | "dependentRequired" | "dependencies" => !above(pointer),
        _ => !is_there(pointer),
    };
    let lost = error.problems.iter().find(|problem| nowhere(&problem.rule, &problem.pointer))?;
    Some(format!("{encoded} has no `{}`: {lost}", lost.pointer))
}
