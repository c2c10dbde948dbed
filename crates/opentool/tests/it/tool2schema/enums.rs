//! Enums by the names of their variants, and values that are given after the fact.

use opentool::schema::profile::{EnumStyle, Profile, Settings};
use opentool::schema::{Dialect, export};
use opentool::{EnumError, Tool, ToolError, ToolSet, tool, tools};
use serde_json::{Value, json};

use super::functions::{Answer, Level, LevelOrText, Way};
use crate::call;

/// Books a journey.
#[tool]
fn book(way: Way, level: Option<Level>, sure: Vec<Answer>, note: Option<LevelOrText>) -> String {
    format!("{way:?} {level:?} {sure:?} {}", note.map_or_else(String::new, |note| format!("{note:?}")))
}

/// Greets.
#[tool]
fn greet(
    /// Whom.
    name: String,
    #[arg(default = "low")] tone: String,
    times: Option<u8>,
) -> String {
    format!("{name} {tone} {times:?}")
}

fn by_name() -> ToolSet {
    Profile::new().all(Settings::new().enums(EnumStyle::Names)).apply(&tools![book]).unwrap()
}

fn properties(tool: &dyn Tool) -> Value {
    tool.definition().input_schema.as_value()["properties"].clone()
}

#[test]
fn models_see_values_and_no_names_unless_a_profile_says_so() {
    let sent = export(&tools![book], Dialect::OpenAi).to_string();
    assert!(
        sent.contains("\"one-way\"") && !sent.contains("ONE_WAY") && !sent.contains("varnames"),
        "{sent}"
    );
    let shown = export(&by_name(), Dialect::OpenAi).to_string();
    assert!(
        shown.contains("ONE_WAY") && !shown.contains("one-way") && !shown.contains("varnames"),
        "{shown}"
    );
}

#[test]
fn a_tool_is_called_with_names_and_gets_the_variants() {
    let tools = by_name();
    let arguments = json!({"way": "ONE_WAY", "level": "HIGH", "sure": ["YES", "NO"], "note": "LOW"});
    let output = call(&tools, "book", arguments).unwrap();
    assert_eq!(output.to_text(), "ONE_WAY Some(HIGH) [YES, NO] Level(LOW)");
    // A text that is no name stays a text.
    let output = call(&tools, "book", json!({"way": "BOTH", "sure": [], "note": "later"})).unwrap();
    assert_eq!(output.to_text(), "BOTH None [] Text(\"later\")");
}

#[test]
fn a_value_where_a_name_is_wanted_is_refused_with_the_names() {
    let error = call(&by_name(), "book", json!({"way": "one-way", "sure": ["y"]})).unwrap_err().for_model();
    assert!(error.contains("ONE_WAY") && error.contains("/way"), "{error}");
    assert!(error.contains("/sure/0") && error.contains("YES"), "{error}");
}

#[test]
fn without_a_profile_a_tool_is_called_with_values() {
    let output = call(&tools![book], "book", json!({"way": "return", "level": 1, "sure": ["n"]})).unwrap();
    assert_eq!(output.to_text(), "RETURN Some(LOW) [NO] ");
}

#[test]
fn names_are_kept_beside_the_schema() {
    let schema = book {}.definition().input_schema.clone();
    assert!(schema.to_string().contains("one-way") && !schema.to_string().contains("ONE_WAY"));
    assert!(schema.as_named().to_string().contains("x-enum-varnames"));
}

#[test]
fn values_given_later_are_shown_and_checked() {
    let tools = tools![greet].set_enum("greet", "name", ["Ann", "Bo", "Ann"]).unwrap();
    let greet = tools.by_name("greet").unwrap();
    assert_eq!(
        properties(&**greet)["name"],
        json!({"type": "string", "description": "Whom.", "enum": ["Ann", "Bo"]})
    );
    assert_eq!(call(&tools, "greet", json!({"name": "Bo"})).unwrap().to_text(), "Bo low None");
    let error = call(&tools, "greet", json!({"name": "Cy"})).unwrap_err();
    assert!(matches!(error, ToolError::InvalidArguments(_)), "{error}");
    // The text of a call takes no shortcut around the values.
    let error = call(&tools, "greet", json!("{\"name\": \"Cy\"}")).unwrap_err();
    assert!(matches!(error, ToolError::InvalidArguments(_)), "{error}");
    assert!(tools![greet].by_name("greet").is_some(), "the tool itself is as it was");
}

#[test]
fn what_may_be_absent_may_still_be_null() {
    let tools = tools![greet].set_enum("greet", "times", [1, 2]).unwrap();
    let shown = properties(&**tools.by_name("greet").unwrap());
    assert_eq!(shown["times"], json!({"type": ["integer", "null"], "enum": [1, 2, null]}));
    assert!(call(&tools, "greet", json!({"name": "a", "times": null})).is_ok());
    assert!(call(&tools, "greet", json!({"name": "a", "times": 3})).is_err());
}

#[test]
fn values_of_several_types_get_several_types() {
    let values = [json!(1), json!(2.5), json!("three")];
    let definition = greet {}.definition().clone().set_enum("name", values).unwrap();
    let name = definition.input_schema.as_value()["properties"]["name"].clone();
    assert_eq!(name["type"], json!(["number", "string"]));
}

#[test]
fn mistakes_in_values_are_told() {
    let definition = || greet {}.definition().clone();
    let nothing: [&str; 0] = [];
    assert!(matches!(definition().set_enum("name", nothing), Err(EnumError::NoValues { .. })));
    let error = definition().set_enum("nme", ["a"]).unwrap_err();
    assert_eq!(error.to_string(), "`greet` has no parameter `nme`; it has `name`, `tone`, `times`");
    let error = definition().set_enum("tone", ["high"]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`tone` has the default \"low\", which is none of the values: add it to them"
    );
    let error = tools![greet].set_enum("gret", "name", ["a"]).unwrap_err();
    assert_eq!(error.to_string(), "there is no tool `gret`; did you mean `greet`?");
}
