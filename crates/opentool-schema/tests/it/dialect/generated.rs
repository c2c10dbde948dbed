//! The law for schemas that nobody wrote.

use serde_json::Value;

use super::generator::{Numbers, changed, root, value};
use super::{Case, judge_of_original, law::breaks};

const SCHEMAS: u64 = 500;

#[test]
fn the_law_holds_for_generated_schemas() {
    let mut broken = Vec::new();
    let (mut fitting, mut others) = (0, 0);
    for seed in 0..SCHEMAS {
        let mut numbers = Numbers::new(seed);
        let schema = root(&mut numbers);
        let judge = judge_of_original(&schema);
        let made: Vec<Value> = (0..12).map(|_| value(&mut numbers, &schema, &schema, 12)).collect();
        let valid: Vec<Value> =
            made.into_iter().filter(|value| value.is_object() && judge.is_valid(value)).collect();
        let wrong = valid.iter().map(|value| changed(&mut numbers, value.clone())).collect::<Vec<_>>();
        let invalid: Vec<Value> =
            wrong.into_iter().filter(|value| value.is_object() && !judge.is_valid(value)).collect();
        fitting += valid.len();
        others += invalid.len();
        broken.extend(breaks(&Case { name: format!("seed {seed}"), schema, valid, invalid }));
        if broken.len() > 20 {
            break;
        }
    }
    assert!(broken.is_empty(), "{} breaks:\n{}", broken.len(), broken.join("\n"));
    assert!(fitting > 1_500 && others > 500, "too few values: {fitting} and {others}");
}
