//! The cases of `conformance/argument-repair.jsonl`: what must become of what models write.

#[path = "../../../../conformance/argument_repair.rs"]
mod cases;

use opentool_core::Schema;
use opentool_schema::{Decoder, Repairs, Validator, parse_text_calls, problem_code, resolve_name};
use serde_json::Value;

use crate::tools::{Scripted, set};
use cases::{Case, Kind, Outcome, TOOL};

fn arguments(case: &Case, schema: &Value, mode: Repairs) -> Result<(), String> {
    let validator = Validator::new(&Schema::new(schema.clone())).map_err(|e| e.to_string())?;
    let tools = set(Scripted::new(TOOL, schema.clone(), |_, _| unreachable!("nothing is run")));
    let examined = validator.examine_as(TOOL, &tools, &case.input.as_str().into(), &Decoder::default(), mode);
    case.judge_arguments(&match examined.result {
        Ok(arguments) => Outcome::Taken {
            value: Value::Object(arguments.into_map()),
            changes: examined.changes.into_iter().map(|c| (c.stage.as_str().to_owned(), c.pointer)).collect(),
        },
        Err(error) => Outcome::Refused {
            codes: error.problems.iter().map(|problem| problem_code(problem).to_owned()).collect(),
            text: error.to_string(),
        },
    })
}

fn verdict(case: &Case) -> Result<(), String> {
    let mode = Repairs::named(&case.mode).unwrap();
    match &case.kind {
        Kind::Arguments { schema } => arguments(case, schema, mode),
        Kind::ToolName { tools } => {
            let found = resolve_name(&case.input, tools.iter().map(String::as_str), mode);
            case.judge_name(found.as_ref().map(|name| *name).map_err(|unknown| unknown.nearest.as_slice()))
        }
        Kind::TextCalls => {
            let found = parse_text_calls(&case.input);
            let calls: Vec<_> = found.calls.into_iter().map(|call| (call.name, call.arguments)).collect();
            case.judge_calls(&calls)
        }
    }
}

#[test]
fn all_cases_of_argument_repair() {
    let verdicts: Vec<_> = cases::cases().iter().map(|case| (case.id.clone(), verdict(case))).collect();
    cases::settle(&verdicts);
}
