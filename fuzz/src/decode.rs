//! Arguments through a dialect and back: what the tool accepts comes back as it was, anything else comes back somehow.

use opentool_schema::{Effect, Rewrite, Validator};
use serde_json::Value;

use crate::grow::Seed;
use crate::lower::lowered;
use crate::repair::told;

pub(crate) fn run(input: &[u8]) {
    let mut seed = Seed::new(input);
    let Some((tool, options, lowered)) = lowered(&mut seed) else { return };
    let schema = tool.input_schema.as_value().clone();
    let value = seed.fitting(&schema);
    let any = Value::Object(seed.object());
    for written in [&value, &any] {
        if let Err(error) = lowered.decoder.decode(written.clone()) {
            error.problems.iter().for_each(told);
        }
    }
    let Ok(validator) = Validator::new(&tool.input_schema) else { return };
    if !value.is_object() || !validator.accepts(&value) {
        return;
    }
    let case = || format!("{options:?}: {value}, schema {schema}, rewrites {:?}", lowered.rewrites);
    let encoded = match lowered.decoder.encode(&value) {
        Ok(encoded) => encoded,
        Err(error) => {
            // Where the lowering says that it keeps valid arguments out, it may have no form for them.
            let is_told = lowered.rewrites.iter().any(|rewrite| rewrite.effect == Effect::Narrower);
            // So it may where there are too many alternatives to try.
            let is_bounded = error.problems.iter().all(|problem| problem.rule == "complexity");
            assert!(is_told || is_bounded, "{error:?}: {}", case());
            return;
        }
    };
    // What has a form comes back from it, whatever else is kept out. Only a `null` where the lowering has taken another
    // type for granted, or where it says the same as nothing, is read as absent.
    let decoded = lowered.decoder.decode(encoded.clone());
    let decoded = decoded.unwrap_or_else(|error| panic!("{encoded} is refused: {error:?}: {}", case()));
    let takes_types = lowered
        .rewrites
        .iter()
        .any(|rewrite| rewrite.keyword == "type" && (rewrite.effect == Effect::Narrower || is_same(rewrite)));
    if takes_types {
        assert_eq!(without_nulls(&decoded), without_nulls(&value), "{encoded}: {}", case());
    } else {
        assert_eq!(decoded, value, "{encoded}: {}", case());
    }
}

fn is_same(rewrite: &Rewrite) -> bool {
    rewrite.done.starts_with("`null` is read as absent")
}

fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members.iter().filter(|(_, member)| !member.is_null());
            kept.map(|(key, member)| (key.clone(), without_nulls(member))).collect()
        }
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        other => other.clone(),
    }
}
