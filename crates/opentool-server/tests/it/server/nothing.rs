//! Functions that give nothing, and failures behind a server: what a client reads is what it would read without the
//! server between.

use opentool_core::ToolSet;
use opentool_doc::Document;
use opentool_server::server::Server;
use opentool_server::{client, mock};
use serde_json::{Value, json};

use super::raw::Ask;
use super::support::{Served, start};

fn document() -> Document {
    let document = json!({
        "opentool": "2.0.0", "info": {"title": "Door", "version": "1.0.0"},
        "functions": [
            {"name": "close", "description": "Closes.", "parameters": []},
            {"name": "watch", "description": "Watches.", "parameters": [], "stream": {
                "data": {"name": "state", "schema": {"type": "object", "required": ["open"],
                    "properties": {"open": {"type": "boolean"}}}},
                "error": {"name": "error", "schema": {"type": "object", "required": ["code", "message"],
                    "properties": {"code": {"type": "integer"}, "message": {"type": "string"}}}}
            }}
        ]
    });
    Document::read(&document).unwrap().document
}

async fn serve(tools: ToolSet) -> Served {
    start(Server::new(tools).document(document())).await
}

/// A server of the functions of another server.
async fn proxy(far: &Served) -> Served {
    let client = client::connect(format!("http://{}/opentool", far.address)).build().unwrap();
    serve(client::document_tools(&document(), &client)).await
}

#[tokio::test]
async fn a_function_that_gives_nothing_answers_an_empty_object() {
    let mock = serve(mock::tools(&document())).await;
    let proxy = proxy(&mock).await;
    for server in [&mock, &proxy] {
        let answer = Ask::call("close", json!({})).send(server.address).await;
        assert_eq!(answer.json()["result"], json!({}));
    }
}

#[tokio::test]
async fn a_mock_of_a_stream_gives_its_data_and_no_error() {
    let mock = serve(mock::tools(&document())).await;
    let answer = Ask::call("watch", json!({})).send(mock.address).await;
    assert_eq!(answer.json()["result"], json!({"open": true}));
}

#[tokio::test]
async fn a_failure_keeps_its_code_on_its_way() {
    let none = serve(ToolSet::new()).await;
    let proxy = proxy(&none).await;
    let answer = Ask::call("close", json!({})).send(proxy.address).await;
    let error: &Value = &answer.json()["error"];
    assert_eq!(error["code"], 405, "{error}");
    assert_eq!(error["message"], "Function Not Supported: close");
}
