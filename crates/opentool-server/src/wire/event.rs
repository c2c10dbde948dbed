//! The four events of a streaming call, as they are sent: `start`, `data`, `error`, `done`.

use serde::Serialize;
use serde_json::json;

use super::id::Id;
use super::response::{ErrorBody, ResponseBody};
use opentool_text::event_stream::frame;

/// The name of the first event.
pub const START: &str = "start";
/// The name of an event that holds a datum.
pub const DATA: &str = "data";
/// The name of the event after which a failed stream ends.
pub const ERROR: &str = "error";
/// The name of the last event.
pub const DONE: &str = "done";

/// The function has begun.
pub fn start(function: &str) -> String {
    frame(START, &json!({ START: function }).to_string())
}

/// A datum, which the specification wants to be an object.
///
/// # Errors
/// If the datum cannot be written as JSON.
pub fn data(id: &Id, datum: impl Serialize) -> Result<String, serde_json::Error> {
    Ok(frame(DATA, &serde_json::to_string(&ResponseBody::new(id, datum))?))
}

/// The function failed.
///
/// # Errors
/// Never; it is one type with [`data`].
pub fn error(id: &Id, error: &ErrorBody) -> Result<String, serde_json::Error> {
    Ok(frame(ERROR, &serde_json::to_string(&ResponseBody::failed(id, error))?))
}

/// The function has ended.
pub fn done(function: &str) -> String {
    frame(DONE, &json!({ DONE: function }).to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{data, done, error, start};
    use crate::wire::id::Id;
    use crate::wire::response::ErrorBody;

    #[test]
    fn events_are_written_as_the_specification_says() {
        let id = Id::from("1");
        let failed = ErrorBody::new(500, "broken\n\n");
        let stream = [
            start("count"),
            data(&id, json!({"n": 1})).unwrap(),
            error(&id, &failed).unwrap(),
            done("count"),
        ];
        assert_eq!(
            stream.concat(),
            "event:start\ndata:{\"start\":\"count\"}\n\n\
             event:data\ndata:{\"jsonrpc\":\"2.0\",\"result\":{\"n\":1},\"id\":\"1\"}\n\n\
             event:error\ndata:{\"jsonrpc\":\"2.0\",\"result\":{},\"error\":{\"code\":500,\
             \"message\":\"broken\\n\\n\"},\"id\":\"1\"}\n\n\
             event:done\ndata:{\"done\":\"count\"}\n\n"
        );
    }
}
