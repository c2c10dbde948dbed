//! What a profile leaves out, for all tools and for single ones.

use opentool::schema::profile::{Ignore, Profile, ProfileError, SchemaType, Settings};
use opentool::{Tool, ToolSet, tool, tools};
use serde_json::{Value, json};

use crate::call;

/// Finds pages.
#[tool]
fn find(
    /// What to look for.
    text: String,
    /// How many at most.
    limit: Option<u8>,
    /// In which language.
    #[arg(default = "en")]
    language: String,
) -> String {
    format!("{text} {limit:?} {language}")
}

/// Counts pages.
#[tool]
fn count(
    /// How many at most.
    limit: Option<u8>,
) -> String {
    format!("{limit:?}")
}

fn schema(tools: &ToolSet, name: &str) -> Value {
    tools.by_name(name).unwrap().definition().input_schema.as_value().clone()
}

fn known(tools: &ToolSet, name: &str) -> Vec<String> {
    schema(tools, name)["properties"].as_object().unwrap().keys().cloned().collect()
}

#[test]
fn what_is_left_out_is_not_taken_either() {
    let profile = Profile::new().all(Settings::new().ignore_parameters(["limit", "language"]));
    let tools = profile.apply(&tools![find, count]).unwrap();
    assert_eq!(known(&tools, "find"), ["text"]);
    assert!(known(&tools, "count").is_empty());
    assert_eq!(call(&tools, "find", json!({"text": "a"})).unwrap().to_text(), "a None en");
    let error = call(&tools, "find", json!({"text": "a", "limit": 3})).unwrap_err().for_model();
    assert!(error.contains("/limit"), "{error}");
    assert!(call(&tools, "find", json!("{\"text\": \"a\", \"limit\": 3}")).is_err(), "also not as text");
}

#[test]
fn settings_of_one_tool_win_over_those_of_all() {
    let profile = Profile::new()
        .all(Settings::new().ignore_parameters(["limit"]).ignore_description(Ignore::Yes))
        .tool("find", Settings::new().ignore_parameters(["language"]).ignore_description(Ignore::No));
    let tools = profile.apply(&tools![find, count]).unwrap();
    assert_eq!(known(&tools, "find"), ["text", "limit"], "a list stands in the place of the other");
    assert!(known(&tools, "count").is_empty());
    let description = |name: &str| tools.by_name(name).unwrap().definition().description.clone();
    assert_eq!((description("find"), description("count")), ("Finds pages.".to_owned(), String::new()));
    assert_eq!(profile.settings_of("find"), profile.clone().settings_of("find"));
}

#[test]
fn descriptions_of_parameters_can_be_left_out() {
    let mute = Settings::new().ignore_parameter_descriptions(Ignore::Yes);
    let tools = Profile::new().all(mute).apply(&tools![find]).unwrap();
    assert!(!schema(&tools, "find").to_string().contains("description"));
}

#[test]
fn all_parameters_can_be_left_out_where_none_is_needed() {
    let none = Settings::new().ignore_all_parameters(Ignore::Yes);
    let tools = Profile::new().tool("count", none.clone()).apply(&tools![find, count]).unwrap();
    assert!(known(&tools, "count").is_empty());
    assert_eq!(known(&tools, "find").len(), 3);
    assert_eq!(call(&tools, "count", json!({})).unwrap().to_text(), "None");
    let error = Profile::new().all(none).apply(&tools![find]).unwrap_err();
    assert!(matches!(&error, ProfileError::Required { parameter, .. } if &**parameter == "text"), "{error}");
}

#[test]
fn a_name_in_the_settings_of_a_tool_must_be_one_of_its_parameters() {
    let profile = Profile::new().tool("find", Settings::new().ignore_parameters(["langauge"]));
    let error = profile.apply(&tools![find]).unwrap_err().to_string();
    assert_eq!(error, "`find` has no parameter `langauge` to ignore; did you mean `language`?");
}

#[test]
fn a_profile_without_settings_changes_nothing() {
    let before = tools![find, count];
    assert!(Profile::new().apply(&before).unwrap().same(&before), "what was compiled for the tools is kept");
}

#[test]
fn the_schema_type_asked_for_wins_over_that_of_the_tool_and_that_over_all() {
    let profile = Profile::new()
        .all(Settings::new().schema_type(SchemaType::OpenAiTune))
        .tool("count", Settings::new().schema_type(SchemaType::AnthropicClaude));
    let key = |name: &str, asked: Option<SchemaType>| {
        let written = profile.tool2schema(tools![find, count].by_name(name).unwrap().definition(), asked);
        written.as_object().unwrap().keys().nth(1).unwrap().clone()
    };
    assert_eq!(key("find", None), "parameters");
    assert_eq!(key("count", None), "input_schema");
    assert_eq!(key("count", Some(SchemaType::OpenAiApi)), "function");
    assert_eq!(Profile::new().tool2schema(find {}.definition(), None)["type"], "function");
}
