//! Outputs, errors and conversations as values.

use opentool_core::{
    Arguments, AssistantMessage, Content, Failure, Message, ToolCall, ToolError, ToolOutput, ToolResult,
};
use serde_json::{Value, json};

#[test]
fn text_for_a_model_comes_from_blocks_or_else_from_the_structured_value() {
    assert_eq!(ToolOutput::json(json!({"a": 1})).to_text(), r#"{"a":1}"#);
    assert_eq!(ToolOutput::json("plain").to_text(), "plain");
    let mixed = ToolOutput::text("one")
        .block(Content::Json(json!([1])))
        .block(Content::image(vec![1, 2, 3], "image/png"))
        .structured(json!({"ignored": true}));
    assert_eq!(mixed.to_text(), "one\n[1]\n[image image/png, 3 bytes]");
}

#[test]
fn a_conversation_survives_being_stored() {
    let call = ToolCall::new("1", "find", json!({"status": "pending"}));
    let conversation = vec![
        Message::system("Be brief."),
        Message::user("Any pending pet?"),
        Message::Assistant(AssistantMessage::calls([call.clone()]).say("Looking.")),
        Message::Tool(ToolResult::new(
            &call,
            ToolOutput::text("a pet")
                .block(Content::audio(vec![0, 255], "audio/wav"))
                .metadata("http.status", 200),
        )),
        Message::Tool(ToolResult::new(&call, ToolOutput::error("no"))),
    ];
    let text = serde_json::to_string(&conversation).unwrap();
    assert_eq!(serde_json::from_str::<Vec<Message>>(&text).unwrap(), conversation);
}

#[test]
fn the_model_reads_the_first_text_and_the_operator_the_chain() {
    let error: ToolError = Failure::new("the shop is closed").source("password=hunter2 refused").into();
    assert_eq!(error.for_model(), "the shop is closed");
    assert_eq!(std::error::Error::source(&error).unwrap().to_string(), "password=hunter2 refused");
    let output = ToolOutput::from(&error);
    assert!(output.is_error);
    assert_eq!(output.to_text(), "the shop is closed");
    let panic = ToolError::Panicked("index 7 out of bounds at src/secret.rs".into());
    assert!(!panic.for_model().contains("secret"));
}

#[test]
fn an_error_is_small() {
    assert!(std::mem::size_of::<ToolError>() <= 64);
    assert!(std::mem::size_of::<opentool_core::ModelError>() <= 64);
}

#[test]
fn whole_floats_are_integers_as_json_schema_says() {
    let arguments: Arguments = json!({"a": 2.0, "b": [3.0], "c": 2.5}).as_object().unwrap().clone().into();
    #[derive(serde::Deserialize, PartialEq, Debug)]
    struct Read {
        a: i32,
        b: Vec<u8>,
        c: f64,
    }
    assert_eq!(arguments.parse::<Read>().unwrap(), Read { a: 2, b: vec![3], c: 2.5 });
    assert!(arguments.parse::<std::collections::HashMap<String, String>>().is_err());
    // Where the plain reading works, nothing is touched.
    assert_eq!(arguments.parse::<Value>().unwrap(), json!({"a": 2.0, "b": [3.0], "c": 2.5}));
}
