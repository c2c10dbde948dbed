//! Documents that name their server.

use opentool_core::{ToolCall, ToolContext};
use opentool_doc::Document;
use opentool_schema::ToolSetExt as _;
use opentool_server::client::{self, ClientError};
use serde_json::json;

use super::foreign::document;
use super::raw::{Raw, answer};

fn at(url: &str) -> Document {
    let mut document = document();
    document["opentool"] = json!("1.1.0");
    document["server"] = json!({"url": url});
    Document::read(&document).unwrap().document
}

#[tokio::test]
async fn a_document_is_called_where_it_says_and_without_a_key() {
    let server = Raw::start(|_| vec![answer(200, r#"{"result":{"sum":3}}"#)]).await;
    let document = at(&server.url);
    let client = client::connect_document(&document).unwrap().build().unwrap();
    assert_eq!(server.connections(), 0, "nothing is asked before the first call");
    let tools = client::document_tools(&document, &client);
    let call = ToolCall::new("1", "add", json!({"a": 1, "b": 2}));
    let output = tools.call(&ToolContext::new(), &call).await.unwrap();
    assert_eq!(output.structured, Some(json!({"sum": 3})));
    assert!(!server.asked()[0].headers.contains("authorization"));

    // The host opts in by giving a key for this very address.
    let client = client::connect_document(&document).unwrap().api_key("right-key").build().unwrap();
    client::document_tools(&document, &client).call(&ToolContext::new(), &call).await.unwrap();
    assert!(server.asked()[1].headers.contains("authorization: bearer right-key"));
}

#[tokio::test]
async fn the_server_that_a_loaded_document_names_is_not_called() {
    let elsewhere = Raw::start(|_| vec![answer(200, r#"{"result":{"sum":666}}"#)]).await;
    let document = at(&elsewhere.url).to_value().to_string();
    let server = Raw::start(move |asked| match asked.line.as_str() {
        "GET /opentool/load" => vec![answer(200, &document)],
        _ => vec![answer(200, r#"{"result":{"sum":3}}"#)],
    })
    .await;
    let client = client::connect(&server.url).api_key("right-key").build().unwrap();
    let (tools, _) = client.tools().await.unwrap();
    let call = ToolCall::new("1", "add", json!({"a": 1, "b": 2}));
    let output = tools.call(&ToolContext::new(), &call).await.unwrap();
    assert_eq!(output.structured, Some(json!({"sum": 3})));
    assert_eq!(elsewhere.connections(), 0);
}

#[test]
fn an_address_that_is_none_is_refused_before_anything_is_sent() {
    for url in [
        "file:///etc/passwd",
        "ftp://host/",
        "/opentool",
        "{server}/opentool",
        "http://user:pass@host/",
        "http://",
    ] {
        let error = client::connect_document(&at(url)).unwrap().build().unwrap_err();
        assert!(matches!(error, ClientError::Address { .. }), "{url}: {error}");
    }
    for url in ["", "  "] {
        let error = client::connect_document(&at(url)).unwrap_err();
        assert!(matches!(error, ClientError::NoServer), "{error}");
    }
    let nowhere = Document::read(&document()).unwrap().document;
    assert!(client::connect_document(&nowhere).unwrap_err().to_string().contains("mock"));
}

#[tokio::test]
async fn a_function_without_a_return_value_is_done() {
    for result in ["null", "{}"] {
        let server = Raw::start(move |_| vec![answer(200, &format!(r#"{{"result":{result}}}"#))]).await;
        let mut document = at(&server.url);
        document.functions[0].returns = None;
        let client = client::connect_document(&document).unwrap().build().unwrap();
        let tools = client::document_tools(&document, &client);
        let output =
            tools.answer(&ToolContext::new(), ToolCall::new("1", "add", json!({"a": 1, "b": 2}))).await;
        assert_eq!((output.is_error, output.to_text().as_str()), (false, "Done."), "{result}");
    }
}
