//! The limit of results holds for everything that goes to the model: names, types, places, and how many parts there are.

use opentool_agent::Dispatcher;
use opentool_core::{Content, ToolCall, ToolOutput};
use opentool_schema::{MessageFormat, write_results};
use serde_json::json;

use crate::fixtures::{raw, set};

const LIMIT: usize = 256 * 1024;

#[tokio::test]
async fn nothing_of_a_result_is_beyond_the_limit() {
    let long = || "x".repeat(5 << 20);
    let many = |count: usize, block: &dyn Fn(usize) -> Content| -> ToolOutput {
        (0..count).fold(ToolOutput::text("see:"), |output, n| output.block(block(n)))
    };
    let blob = |uri: String, mime: Option<String>| Content::BlobResource { uri, mime, data: b"x"[..].into() };
    let text = |uri: String, mime: Option<String>| Content::TextResource { uri, mime, text: "x".to_owned() };
    for (case, output) in [
        ("type of a picture", many(1, &|_| Content::image(&b"x"[..], long()))),
        ("type of a sound", many(1, &|_| Content::audio(&b"x"[..], long()))),
        ("place of bytes", many(1, &|_| blob(long(), None))),
        ("type of bytes", many(1, &|_| blob("a:b".to_owned(), Some(long())))),
        ("place of a text", many(1, &|_| text(long(), None))),
        ("type of a text", many(1, &|_| text("a:b".to_owned(), Some(long())))),
        (
            "links",
            many(150_000, &|n| Content::ResourceLink {
                uri: format!("a:{n}"),
                name: "n".to_owned(),
                mime: None,
            }),
        ),
        (
            "long links",
            many(1_000, &|n| Content::ResourceLink {
                uri: format!("a:{n}{}", "x".repeat(100_000)),
                name: "n".to_owned(),
                mime: None,
            }),
        ),
        ("small pictures", many(60_000, &|_| Content::image(&b"12345678"[..], "image/png"))),
        ("empty pictures", many(60_000, &|_| Content::image(&b""[..], "image/png"))),
        ("empty texts", many(600_000, &|_| Content::text(""))),
        ("small values", many(100_000, &|n| Content::Json(json!(n)))),
    ] {
        let tool = raw("t", move |_, _| std::future::ready(Ok(output.clone())));
        let result = Dispatcher::new(set![tool]).call(&ToolCall::new("a", "t", json!({}))).await;
        assert!(result.output.content.len() < 5_000, "{case}: {} parts", result.output.content.len());
        let stored = serde_json::to_vec(&result).unwrap().len();
        assert!(stored < 3 * LIMIT, "{case}: {stored} bytes are carried along");
        for format in [MessageFormat::OpenAiChat, MessageFormat::Anthropic, MessageFormat::Gemini] {
            let written =
                serde_json::to_vec(&write_results(format, std::slice::from_ref(&result))).unwrap().len();
            assert!(written < 2 * LIMIT, "{case}: {written} bytes for {format}");
        }
        let text = result.output.to_text();
        assert!(text.starts_with("see:"), "{case}");
        assert_eq!(text.matches(" left out").count(), 1, "{case}: one notice, and it says what is gone");
    }
}
