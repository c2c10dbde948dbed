//! The Rust counterparts of the functions in tests/peers/tool2schema_cases.py, one by one in the same order.

#![allow(unused_variables, non_camel_case_types, clippy::too_many_arguments, clippy::upper_case_acronyms)]

use std::collections::{BTreeMap, BTreeSet};

use opentool::schema::profile::{Ignore, Profile, Settings};
use opentool::{EnumError, ToolSet, enum_names, tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[enum_names]
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) enum Answer {
    #[serde(rename = "y")]
    YES,
    #[serde(rename = "n")]
    NO,
}

/// Written as a number, without a crate for it.
#[enum_names]
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "u8", into = "u8")]
#[schemars(extend("enum" = [1, 2]))]
pub(crate) enum Level {
    LOW,
    HIGH,
}

impl TryFrom<u8> for Level {
    type Error = &'static str;

    fn try_from(level: u8) -> Result<Self, &'static str> {
        match level {
            1 => Ok(Self::LOW),
            2 => Ok(Self::HIGH),
            _ => Err("no such level"),
        }
    }
}

impl From<Level> for u8 {
    fn from(level: Level) -> u8 {
        level as u8 + 1
    }
}

/// Some variants are documented, which schemars writes as branches.
#[enum_names]
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Way {
    /// There.
    #[serde(rename = "one-way")]
    ONE_WAY,
    #[serde(rename = "return")]
    RETURN,
    /// Whatever.
    #[serde(rename = "both")]
    BOTH,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Place {
    city: String,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum IntegerOrText {
    Integer(i64),
    Text(String),
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum YesOrNumber {
    Yes(bool),
    Number(f64),
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum LevelOrText {
    Level(Level),
    Text(String),
}

/// Plain types.
#[tool(register)]
fn plain(a: i64, b: f64, c: String, d: bool, e: ()) {}

/// Lists.
#[tool(register)]
fn lists(a: Vec<i64>, b: Vec<String>, c: Vec<Vec<f64>>, d: Vec<bool>) {}

/// Types that are objects.
#[tool(register)]
fn objects(
    a: BTreeMap<String, i64>,
    b: (i64, String),
    c: BTreeSet<i64>,
    d: Place,
    e: chrono::NaiveDate,
    f: Value,
    g: Vec<Place>,
    h: Vec<Value>,
) {
}

/// Optional parameters.
#[tool(register)]
fn optional(a: Option<i64>, b: Option<String>, c: Option<Vec<i64>>, d: Option<Place>) {}

/// Unions.
#[tool(register)]
fn union(a: IntegerOrText, b: Vec<YesOrNumber>, c: Option<IntegerOrText>) {}

/// Literals.
#[tool(register)]
fn literals(
    #[arg(enum = ["red", "green"])] a: String,
    #[arg(enum = [1, 2, 3])] b: u8,
    #[arg(enum = ["x", "y"])] c: Option<String>,
    #[arg(enum = ["on"], default = "on")] d: String,
) {
}

/// Enums.
#[tool(register)]
fn enums(a: Answer, b: Level, c: Way) {}

/// Enums inside of types.
#[tool(register)]
fn enums_inside(a: Vec<Answer>, b: Option<Level>, c: Option<Vec<Way>>) {}

/// Defaults that are members.
#[tool(register)]
fn enum_defaults(
    #[arg(default = Answer::NO)] a: Answer,
    #[arg(default = vec![Answer::YES, Answer::NO])] b: Vec<Answer>,
    #[arg(default = LevelOrText::Level(Level::HIGH))] c: LevelOrText,
    #[arg(default = Way::ONE_WAY)] d: Option<Way>,
) {
}

/// Defaults.
#[tool(register)]
fn defaults(
    #[arg(default = 1)] a: i64,
    #[arg(default = 1.5)] b: f64,
    #[arg(default = "x")] c: String,
    #[arg(default = true)] d: bool,
    #[arg(default = vec![1, 2])] e: Vec<i64>,
    #[arg(default = 7)] f: Option<i64>,
    #[arg(default = -3)] g: i64,
    #[arg(default = 2.0)] h: f64,
    #[arg(default = 1e-7)] i: f64,
    #[arg(default = "")] j: String,
) {
}

/// Some are required.
#[tool(register)]
fn mixed(a: i64, c: String, #[arg(default = 1)] b: i64, d: Option<bool>) {}

/// Current weather
/// for a city.
#[tool(register)]
fn documented(
    /// The name of
    /// the city: as people write it.
    city: String,
    /// How many days ahead; see https://example.com/a:b.
    #[arg(default = 1)]
    days: i64,
) {
}

/// Some.
///
/// :param a: First.
/// :type a: int
/// :param int b: Second.
/// :param c: Third.
/// :raises ValueError: Never.
#[tool(register)]
fn partly_documented(a: i64, b: i64, c: i64) {}

/// :param a: First.
#[tool(register)]
fn only_parameters(a: i64) {}

#[tool(register, ignore_description)]
fn no_docs(a: i64) {}

/// Now.
///
/// :return: The time.
#[tool(register)]
fn returns_without_parameters() {}

/// Nothing to give.
#[tool(register)]
fn nothing() {}

#[tool(register, ignore_description)]
fn nothing_at_all() {}

/// Größe – "quoted" \ and 🗼.
#[tool(register)]
fn unicode(
    #[arg(default = "Ä")] größe: String,
    #[arg(enum = ["Köln", "大阪", "🗼"], default = "Köln")] ort: String,
) {
}

/// One is left out.
#[tool(register, ignore_parameters = [b])]
fn ignores_one(
    /// First.
    a: i64,
    /// Second.
    #[arg(default = 1)]
    b: i64,
) {
}

/// Names that are left out.
#[tool(register)]
fn ignores_by_default(a: i64, #[arg(default = 1)] args: i64, #[arg(default = 2)] kwargs: i64) {}

/// None is left out.
#[tool(register)]
fn ignores_none(a: i64, #[arg(default = 1)] args: i64) {}

/// All are left out.
#[tool(register)]
fn ignores_all(#[arg(default = 1)] a: i64, #[arg(default = 2)] b: i64) {}

/// Left out.
#[tool(register)]
fn ignores_description(
    /// First.
    a: i64,
) {
}

/// What it does.
#[tool(register)]
fn ignores_parameter_descriptions(
    /// First.
    a: i64,
) {
}

/// Left out.
#[tool(register)]
fn ignores_everything(
    /// First.
    #[arg(default = 1)]
    a: i64,
) {
}

/// Values that were added.
#[tool(register)]
fn added(
    /// First.
    a: String,
    #[arg(default = 2)] b: i64,
) {
}

/// Values of several types.
#[tool(register)]
fn added_mixed(a: Value) {}

/// Tags do not show.
#[tool(register, tags = ["travel"])]
fn tagged(a: i64) {}

/// Async.
#[tool(register)]
async fn waits(a: i64) {}

/// All functions of this module, in order: with what the Python module does to them afterwards.
pub(super) fn tools() -> Result<ToolSet, Box<dyn std::error::Error>> {
    let tools = ToolSet::registered_in(module_path!())?;
    let added: Result<ToolSet, EnumError> = tools.set_enum("added", "a", ["yes", "no"]);
    let tools = added?.set_enum("added", "b", [1, 2])?;
    Ok(tools.set_enum("added_mixed", "a", [Value::from(1), Value::from(2), Value::from("three")])?)
}

/// The settings that the decorators of the Python module have.
pub(super) fn profile() -> Profile {
    let none: [&str; 0] = [];
    let ignore = Settings::new;
    Profile::new()
        .tool("ignores_none", ignore().ignore_parameters(none))
        .tool("ignores_all", ignore().ignore_all_parameters(Ignore::Yes))
        .tool("ignores_description", ignore().ignore_description(Ignore::Yes))
        .tool("ignores_parameter_descriptions", ignore().ignore_parameter_descriptions(Ignore::Yes))
        .tool(
            "ignores_everything",
            ignore().ignore_all_parameters(Ignore::Yes).ignore_description(Ignore::Yes),
        )
}
