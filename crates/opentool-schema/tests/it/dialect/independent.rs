//! A second judge for the law: `boon`, which shares no code with the validator that the product uses itself.
//!
//! Where both say the same of every encoded value, the law that is checked with the one holds by the other. Formats and
//! encodings are left out, because Draft 2020-12 does not assert them and this judge keeps to that.

use boon::{Compiler, Draft, SchemaIndex, Schemas};
use opentool_schema::lower;
use serde_json::Value;

use super::{cases, judge, label, schema_of, spelled_out, tool, ways};

/// Places of schemas that look around in a pattern, which this judge does not read.
const MOST_UNREAD: usize = 60;

/// What one draft asserts and another only annotates.
const ANNOTATING: [&str; 3] = ["format", "contentEncoding", "contentMediaType"];

fn without_formats(schema: &Value) -> Value {
    match schema {
        Value::Object(members) => members
            .iter()
            .filter(|(keyword, member)| !ANNOTATING.contains(&keyword.as_str()) || !member.is_string())
            .map(|(keyword, member)| (keyword.clone(), without_formats(member)))
            .collect::<serde_json::Map<String, Value>>()
            .into(),
        Value::Array(items) => items.iter().map(without_formats).collect(),
        other => other.clone(),
    }
}

fn second(schema: &Value) -> Option<(Schemas, SchemaIndex)> {
    let mut schemas = Schemas::new();
    let mut compiler = Compiler::new();
    compiler.set_default_draft(Draft::V2020_12);
    compiler.add_resource("mem:///schema.json", schema.clone()).ok()?;
    let index = compiler.compile("mem:///schema.json", &mut schemas).ok()?;
    Some((schemas, index))
}

#[test]
fn a_second_judge_says_the_same() {
    let (mut judged, mut unread) = (0_usize, Vec::new());
    let mut differences = Vec::new();
    for case in cases() {
        for way in ways() {
            let Ok(lowered) = lower(&tool(case.schema.clone()), way) else { continue };
            let schema = without_formats(&spelled_out(&schema_of(&lowered)));
            let place = format!("{} in {}", case.name, label(&way));
            let Some((schemas, index)) = second(&schema) else {
                unread.push(place);
                continue;
            };
            let first = judge(&schema);
            for value in case.valid.iter().chain(&case.invalid) {
                let Ok(encoded) = lowered.decoder.encode(value) else { continue };
                judged += 1;
                let (one, other) = (first.is_valid(&encoded), schemas.validate(&encoded, index).is_ok());
                if one != other {
                    differences.push(format!("{place}: {encoded}: {one} and {other}\n    {schema}"));
                }
            }
        }
    }
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
    assert!(judged > 2_000, "only {judged}");
    assert!(unread.len() <= MOST_UNREAD, "{} are not read: {unread:?}", unread.len());
}
