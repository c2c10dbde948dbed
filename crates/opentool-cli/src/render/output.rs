//! The output of a call as a person or a pipe wants it: text as it is, JSON indented, one file as its bytes.

use opentool::{Content, ToolOutput};

use super::indent;

/// What to write.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Text that ends with a line end.
    Text(String),
    /// The bytes of the one file that the tool answered with.
    File(Vec<u8>),
}

/// What to write of the output, to a terminal or to something else.
pub(crate) fn answer(output: &ToolOutput, terminal: bool) -> Answer {
    if !terminal
        && let [
            Content::Image { data, .. } | Content::Audio { data, .. } | Content::BlobResource { data, .. },
        ] = output.content.as_slice()
    {
        return Answer::File(data.to_vec());
    }
    let text = match (output.content.as_slice(), &output.structured) {
        // On a terminal JSON is for reading. The blocks' text, not the value, which may have lost digits.
        ([] | [Content::Text(_) | Content::Json(_)], _) if terminal => {
            let text = output.to_text();
            indent(&text).unwrap_or(text)
        }
        _ => output.to_text(),
    };
    Answer::Text(if text.is_empty() || text.ends_with('\n') { text } else { text + "\n" })
}

#[cfg(test)]
mod tests {
    use opentool::{Content, ToolOutput};
    use serde_json::json;

    use super::{Answer, answer};

    #[test]
    fn json_is_indented_for_a_terminal_only() {
        let output = ToolOutput::text("{\"id\":1.0}").structured(json!({"id": 1.0}));
        assert_eq!(answer(&output, true), Answer::Text("{\n  \"id\": 1.0\n}\n".into()));
        assert_eq!(answer(&output, false), Answer::Text("{\"id\":1.0}\n".into()));
        assert_eq!(answer(&ToolOutput::json(json!([1])), true), Answer::Text("[\n  1\n]\n".into()));
    }

    #[test]
    fn a_file_goes_into_a_pipe_as_its_bytes() {
        let output = ToolOutput::new().block(Content::image(vec![0x89, 0x50], "image/png"));
        assert_eq!(answer(&output, false), Answer::File(vec![0x89, 0x50]));
        assert_eq!(answer(&output, true), Answer::Text("[image image/png, 2 bytes]\n".into()));
    }
}
