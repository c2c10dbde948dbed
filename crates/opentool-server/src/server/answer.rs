//! What a tool answered, or why it did not, as the wire has it: an object, or a code with a message.

use opentool_core::{Content, ToolError, ToolOutput};
use serde_json::{Map, Value};

use crate::wire::endpoint::GIVES_NOTHING;
use crate::wire::response::ErrorBody;

/// The member that holds blocks of content which text cannot carry.
const CONTENT: &str = "content";

/// The longest function name that an error repeats, in bytes.
pub(super) const LONGEST_NAME: usize = 128;

/// The `result` of a call that came back; it is always an object.
///
/// * A structured value that is an object is the result, and `name` is not asked for.
/// * Any other structured value is a member of it, called `name`; so is the only block of an output if it is JSON.
/// * An output of blocks is its text, called `name`. Pictures, sounds and resources stand beside it under `content`, in
///   the form in which conversations are stored.
/// * An empty output is `{}`, and so is one that only says that the function is done.
pub(super) fn result<'n>(output: ToolOutput, name: impl FnOnce() -> &'n str) -> Map<String, Value> {
    if gives_nothing(&output) {
        return Map::new();
    }
    let ToolOutput { mut content, structured, .. } = output;
    if let Some(value) = structured {
        return object(value, name);
    }
    if let [Content::Json(value)] = content.as_mut_slice() {
        return object(value.take(), name);
    }
    if content.is_empty() {
        return Map::new();
    }
    let mut result = Map::new();
    if !content.iter().all(|block| matches!(block, Content::Text(_) | Content::Json(_))) {
        // Blocks are texts and bytes, which can always be written.
        result.insert(CONTENT.to_owned(), serde_json::to_value(&content).unwrap_or_default());
    }
    let output = content.into_iter().fold(ToolOutput::new(), ToolOutput::block);
    result.insert(name().to_owned(), Value::String(output.to_text()));
    result
}

/// Whether the output stands for no value at all.
pub(super) fn gives_nothing(output: &ToolOutput) -> bool {
    output.structured.is_none() && output.metadata.get(GIVES_NOTHING) == Some(&Value::Bool(true))
}

fn object<'n>(value: Value, name: impl FnOnce() -> &'n str) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        other => Map::from_iter([(name().to_owned(), other)]),
    }
}

/// What a tool said when it came back with a failure: 500, which tells the client to stop.
pub(super) fn failure(output: &ToolOutput) -> ErrorBody {
    ErrorBody::new(500, output.to_text())
}

/// Why a call gave no output: 405 if there is no such function, 400 if the arguments can be mended, the code of the OpenTool
/// server behind the tool if it failed there, else 500. The message is what a model may read, and nothing else.
pub(super) fn error(error: &ToolError, function: &str) -> ErrorBody {
    match error {
        ToolError::UnknownTool(unknown) => {
            let mut message = format!("Function Not Supported: {}", shortened(function));
            if let Some((last, others)) = unknown.nearest.split_last() {
                message.push_str("; did you mean ");
                for name in others {
                    message.push_str(&format!("`{name}` or "));
                }
                message.push_str(&format!("`{last}`?"));
            }
            ErrorBody::new(405, message)
        }
        ToolError::InvalidArguments(invalid) => {
            let mut message = "Invalid Arguments: nothing was run".to_owned();
            for problem in &invalid.problems {
                message.push_str(&format!("\n- {problem}"));
            }
            ErrorBody::new(400, message)
        }
        other => ErrorBody::new(called(other).unwrap_or(500), other.for_model()),
    }
}

/// The code of the OpenTool server behind the tool, if that is what failed: a client is to read the same code here as there.
#[cfg(feature = "client")]
fn called(error: &ToolError) -> Option<i64> {
    match error.cause() {
        Some(crate::ClientError::Call { code, .. }) => Some(*code),
        _ => None,
    }
}

#[cfg(not(feature = "client"))]
fn called(_: &ToolError) -> Option<i64> {
    None
}

fn shortened(name: &str) -> String {
    if name.len() <= LONGEST_NAME {
        return name.to_owned();
    }
    let cut = name.floor_char_boundary(LONGEST_NAME);
    format!("{}…", name.get(..cut).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use opentool_core::{Content, InvalidArguments, Problem, ToolError, ToolOutput, UnknownTool};
    use serde_json::{Value, json};

    use super::{error, result};

    #[test]
    fn a_result_is_an_object_whatever_the_tool_gave() {
        let picture = Content::image(vec![1, 2, 3], "image/png");
        for (output, expected) in [
            (ToolOutput::json(json!({"a": 1})), json!({"a": 1})),
            (ToolOutput::json(5), json!({"sum": 5})),
            (ToolOutput::json(Value::Null), json!({"sum": null})),
            (ToolOutput::json(json!([1])), json!({"sum": [1]})),
            (ToolOutput::text("read").structured(json!({"a": 1})), json!({"a": 1})),
            (ToolOutput::text("done"), json!({"sum": "done"})),
            (ToolOutput::text("one").block("two"), json!({"sum": "one\ntwo"})),
            (Content::Json(json!({"a": 1})).into(), json!({"a": 1})),
            (ToolOutput::new(), json!({})),
            (
                ToolOutput::text("a dot").block(picture),
                json!({
                    "content": [
                        {"type": "text", "value": "a dot"},
                        {"type": "image", "value": {"data": "AQID", "mime": "image/png"}}
                    ],
                    "sum": "a dot\n[image image/png, 3 bytes]"
                }),
            ),
        ] {
            assert_eq!(Value::Object(result(output, || "sum")), expected);
        }
    }

    #[test]
    fn errors_have_the_codes_of_the_protocol_and_the_words_of_the_model() {
        let unknown: ToolError = UnknownTool::new("ad", vec!["add".into(), "and".into()]).into();
        let body = error(&unknown, "ad");
        assert_eq!(
            (body.code, body.message.as_str()),
            (405, "Function Not Supported: ad; did you mean `add` or `and`?")
        );
        let body = error(&UnknownTool::new("x", vec![]).into(), &"ü".repeat(500));
        assert!(body.message.len() < 200, "{}", body.message);
        let problem = Problem::new("/a", "type").expected("expected an integer").found("the string \"x\"");
        let body = error(&InvalidArguments::new(vec![problem]).into(), "add");
        assert_eq!(
            (body.code, body.message.as_str()),
            (400, "Invalid Arguments: nothing was run\n- /a: expected an integer, found the string \"x\"")
        );
        let body = error(&ToolError::Panicked("at secret.rs".into()), "add");
        assert_eq!(body.code, 500);
        assert!(!body.message.contains("secret"), "{}", body.message);
    }
}
