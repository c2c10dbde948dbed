//! Calls of functions with `#[tool]`: arguments, context, results, failures.

use std::sync::{Arc, Mutex};

use opentool::{Content, Failure, ToolContext, ToolError, ToolOutput, tool, tools};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{call, call_in, run};

#[derive(Debug, Serialize, JsonSchema)]
struct Forecast {
    city: String,
    days: u8,
}

#[derive(Debug)]
struct WeatherError(std::io::Error);

impl std::fmt::Display for WeatherError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("no forecast today")
    }
}

impl std::error::Error for WeatherError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

/// Current weather for a city.
#[tool]
async fn weather(
    /// City name, for example `Paris`.
    city: String,
    /// How many days ahead, today if absent.
    days: Option<u8>,
) -> Result<Forecast, WeatherError> {
    if city == "Atlantis" {
        return Err(WeatherError(std::io::Error::other("secret-host:5432 refused")));
    }
    Ok(Forecast { city, days: days.unwrap_or(0) })
}

#[test]
fn the_function_stays_callable() {
    let forecast = run(weather("Paris".to_owned(), Some(2))).unwrap();
    assert_eq!((forecast.city.as_str(), forecast.days), ("Paris", 2));
}

#[test]
fn an_option_may_be_absent_or_null() {
    let tools = tools![weather];
    for arguments in [json!({"city": "Paris"}), json!({"city": "Paris", "days": null})] {
        let output = call(&tools, "weather", arguments).unwrap();
        assert_eq!(output.structured, Some(json!({"city": "Paris", "days": 0})));
    }
}

#[test]
fn the_model_reads_the_error_and_the_operator_its_sources() {
    let error = call(&tools![weather], "weather", json!({"city": "Atlantis"})).unwrap_err();
    assert_eq!(error.for_model(), "no forecast today");
    let mut chain = String::new();
    let mut next: Option<&dyn std::error::Error> = Some(&error);
    while let Some(error) = next {
        chain += &error.to_string();
        next = error.source();
    }
    assert!(chain.contains("secret-host:5432 refused"), "{chain}");
}

#[test]
fn wrong_arguments_never_reach_the_function() {
    let tools = tools![weather];
    for arguments in [json!({}), json!({"city": {}}), json!({"city": "P", "day": 1}), json!("{"), json!([1])]
    {
        let error = call(&tools, "weather", arguments.clone()).unwrap_err();
        assert!(matches!(error, ToolError::InvalidArguments(_)), "{arguments}: {error}");
    }
}

/// Twice a number.
#[tool]
fn twice(
    #[arg(default = 21)] n: u32,
    #[arg(default = "times")] word: String,
    #[arg(default = 2)] by: Option<u32>,
    #[arg(default = 1)] scale: f64,
    #[arg(default)] extra: Vec<u8>,
) -> String {
    format!("{} {word} {by:?} {scale} {extra:?}", n * 2)
}

#[test]
fn defaults_stand_in_for_what_is_absent() {
    let tools = tools![twice];
    assert_eq!(call(&tools, "twice", json!({})).unwrap().to_text(), "42 times Some(2) 1 []");
    let given = json!({"n": 1, "word": "x", "by": null, "scale": 0.5, "extra": [1]});
    assert_eq!(call(&tools, "twice", given).unwrap().to_text(), "2 x None 0.5 [1]");
}

/// Adds.
#[tool]
fn plus(#[arg(rename = "left-hand")] a: i64, #[arg(rename = "a")] r#type: i64, mut c: i64) -> i64 {
    c += a * 100;
    c + r#type * 10
}

#[test]
fn renamed_arguments_are_read_by_their_new_names() {
    let output = call(&tools![plus], "plus", json!({"left-hand": 1, "a": 2, "c": 3})).unwrap();
    assert_eq!(output.structured, Some(json!(123)));
}

#[test]
fn whole_floats_are_integers_and_overflow_is_an_error_that_names_the_argument() {
    let tools = tools![plus];
    let output = call(&tools, "plus", json!({"left-hand": 1.0, "a": 2e0, "c": 3.0})).unwrap();
    assert_eq!(output.structured, Some(json!(123)));
    let error = call(&tools, "plus", json!({"left-hand": 1, "a": 1, "c": 1e30})).unwrap_err();
    assert!(error.for_model().contains("/c"), "{}", error.for_model());
}

struct Tenant(&'static str);

/// Who is asking.
#[tool]
async fn whoami(cx: &ToolContext) -> String {
    let tenant = cx.get::<Tenant>().map_or("nobody", |tenant| tenant.0);
    format!("{tenant} in call {}", cx.id().unwrap_or("?"))
}

#[test]
fn the_context_comes_from_the_host_and_is_no_argument() {
    let tools = tools![whoami];
    let cx = ToolContext::new().fact(Tenant("acme")).call_id("c7");
    assert_eq!(call_in(&cx, &tools, "whoami", json!({})).unwrap().to_text(), "acme in call c7");
    assert!(call(&tools, "whoami", json!({"cx": {}})).is_err());
}

/// Borrows from its context.
#[tool]
#[allow(clippy::needless_lifetimes)] // What is tested is that it may be written.
fn tenant_name<'a>(cx: &'a ToolContext) -> Option<&'a str> {
    cx.get::<Tenant>().map(|tenant| tenant.0)
}

#[test]
fn a_result_may_borrow_from_the_context_and_an_absent_option_is_null() {
    let tools = tools![tenant_name];
    let cx = ToolContext::new().fact(Tenant("acme"));
    assert_eq!(call_in(&cx, &tools, "tenant_name", json!({})).unwrap().structured, Some(json!("acme")));
    assert_eq!(call(&tools, "tenant_name", json!({})).unwrap().structured, Some(Value::Null));
}

static LOG: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Notes something.
#[tool]
fn note(text: String) {
    LOG.lock().unwrap().push(text);
}

type Fallible<T> = Result<T, String>;

/// May fail, says nothing else.
#[tool]
fn check(ok: bool) -> Fallible<()> {
    if ok { Ok(()) } else { Err("not ok".to_owned()) }
}

#[test]
fn nothing_returned_reads_as_done_and_has_no_schema() {
    let tools = tools![note, check];
    let output = call(&tools, "note", json!({"text": "hi"})).unwrap();
    assert_eq!(output, ToolOutput::text("Done."));
    assert_eq!(*LOG.lock().unwrap(), ["hi"]);
    assert_eq!(call(&tools, "check", json!({"ok": true})).unwrap(), ToolOutput::text("Done."));
    assert_eq!(call(&tools, "check", json!({"ok": false})).unwrap_err().for_model(), "not ok");
    assert!(tools.definitions().all(|definition| definition.output_schema.is_none()));
}

/// Fails with anyhow.
#[tool]
fn any(deep: bool) -> anyhow::Result<u8> {
    use anyhow::Context as _;
    if deep { Err(std::io::Error::other("disk 0x7f")).context("could not save") } else { Ok(7) }
}

/// Refuses by hand.
#[tool]
fn refuse() -> Result<String, ToolError> {
    Err(ToolError::Refused("not on Sundays".into()))
}

/// Fails with a box.
#[tool]
fn boxed() -> Result<u8, Box<dyn std::error::Error + Send + Sync>> {
    Err(Failure::new("boxed up").into())
}

#[test]
fn any_error_that_becomes_a_box_is_an_error() {
    let tools = tools![any, refuse, boxed];
    assert_eq!(call(&tools, "any", json!({"deep": false})).unwrap().structured, Some(json!(7)));
    assert_eq!(call(&tools, "any", json!({"deep": true})).unwrap_err().for_model(), "could not save");
    assert!(matches!(call(&tools, "refuse", json!({})), Err(ToolError::Refused(_))));
    assert_eq!(call(&tools, "boxed", json!({})).unwrap_err().for_model(), "boxed up");
}

/// Draws.
#[tool]
async fn draw() -> Result<ToolOutput, std::convert::Infallible> {
    Ok(ToolOutput::text("here").block(Content::image(vec![1, 2], "image/png")))
}

#[test]
fn an_output_made_by_hand_passes_through() {
    let output = call(&tools![draw], "draw", json!({})).unwrap();
    assert_eq!(output.content.len(), 2);
}

/// Panics.
#[tool]
fn explode(after_await: bool) -> u8 {
    assert!(after_await, "boom");
    1
}

#[test]
fn a_panic_is_an_error_and_its_text_stays_with_the_operator() {
    let error = call(&tools![explode], "explode", json!({"after_await": false})).unwrap_err();
    assert!(matches!(&error, ToolError::Panicked(text) if text.contains("boom")));
    assert!(!error.for_model().contains("boom"));
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct Tree {
    name: String,
    #[serde(default)]
    children: Vec<Tree>,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Shape {
    Circle { radius: f64 },
    Square { side: f64 },
}

/// Takes all kinds of things.
#[tool]
fn everything(
    tree: Tree,
    shapes: Vec<Shape>,
    map: std::collections::BTreeMap<String, Option<i16>>,
    any: Value,
    day: Option<chrono::NaiveDate>,
    pair: (u8, char),
    shared: Arc<str>,
) -> Value {
    json!([tree, shapes, map, any, day, pair, &*shared])
}

#[test]
fn nested_recursive_tagged_and_dated_values_arrive() {
    let arguments = json!({
        "tree": {"name": "a", "children": [{"name": "b", "children": []}]},
        "shapes": [{"kind": "circle", "radius": 1.5}],
        "map": {"x": 1, "y": null},
        "any": {"deep": [1]},
        "day": "2026-02-28",
        "pair": [1, "é"],
        "shared": "s",
    });
    let output = call(&tools![everything], "everything", arguments.clone()).unwrap();
    let expected: Vec<Value> = arguments.as_object().unwrap().values().cloned().collect();
    assert_eq!(output.structured, Some(Value::Array(expected)));
    let mut wrong = arguments;
    wrong["tree"]["children"][0]["name"] = json!({});
    let error = call(&tools![everything], "everything", wrong).unwrap_err();
    assert!(error.for_model().contains("/tree/children/0/name"), "{}", error.for_model());
}

mod other {
    pub(crate) mod path {
        use opentool::tool;

        /// Adds.
        #[tool]
        pub(crate) fn add(a: i64, b: i64) -> i64 {
            a + b
        }
    }
}

#[test]
fn s061_tools_are_taken_by_path_and_an_empty_set_is_a_set() {
    let tools = tools![weather, other::path::add,];
    assert_eq!(tools.names().collect::<Vec<_>>(), ["weather", "add"]);
    assert!(tools![].is_empty());
    let mut set = tools![add_twice];
    set.insert(other::path::add {}).unwrap();
    assert_eq!(set.len(), 2);
}

use other::path::add as add_twice_inner;

/// An import brings the function and the tool.
#[tool]
fn add_twice(a: i64) -> i64 {
    add_twice_inner(a, a)
}

#[test]
fn a_tool_inside_a_function_works() {
    /// Local.
    #[tool]
    fn local() -> u8 {
        1
    }
    assert_eq!(call(&tools![local], "local", json!({})).unwrap().structured, Some(json!(1)));
}

#[test]
fn an_alias_imports_function_and_tool_together() {
    use other::path::add as sum;
    assert_eq!(sum(1, 2), 3);
    assert_eq!(tools![sum].names().collect::<Vec<_>>(), ["add"]);
}
