//! The mock on a socket, called by the real executor.

use std::sync::{Arc, Mutex};

use opentool_core::{Arguments, ToolContext};
use opentool_openapi::mock::{Mock, MockError};
use serde_json::json;
use tokio::sync::oneshot;

const PETSTORE: &str = include_str!("../../golden/petstore/document.yaml");

#[tokio::test]
async fn calls_go_through_to_an_example_and_every_request_is_told() {
    let api = opentool_openapi::parse(PETSTORE, "petstore.yaml").unwrap();
    let bound = Mock::new([api.clone()]).bind("127.0.0.1:0").await.unwrap();
    let base = bound.mock().base_paths().next().unwrap_or_default().to_owned();
    let url = format!("{}{base}", bound.url());
    let taken = Mock::new([api.clone()]).bind(bound.address().to_string()).await;
    assert!(matches!(taken, Err(MockError::AddressInUse { .. })));

    let told = Arc::new(Mutex::new(Vec::new()));
    let (end, ended) = oneshot::channel::<()>();
    let telling = Arc::clone(&told);
    let serving = tokio::spawn(bound.serve_until(
        async move { drop(ended.await) },
        Arc::new(move |_, answer| {
            let line = (answer.operation().map(str::to_owned), answer.response().status().as_u16());
            telling.lock().unwrap().push(line);
        }),
    ));
    let tools = api.server(&url).api_key("key").tools().unwrap();
    let call = async |name: &str, arguments: serde_json::Value| {
        let arguments = Arguments::from(arguments.as_object().unwrap().clone());
        tools.get(name).unwrap().call(&ToolContext::new(), arguments).await
    };
    let pets = call("listPets", json!({"status": ["sold", "pending"], "limit": 5})).await.unwrap();
    assert!(!pets.is_error, "{}", pets.to_text());
    assert!(pets.to_text().starts_with("[{"), "{}", pets.to_text());
    // The tool is asked past its own schema here; the document is kept to all the same.
    let refused = call("listPets", json!({"limit": 500})).await.unwrap_err().for_model();
    assert!(refused.contains("/query/limit: expected at most 100"), "{refused}");
    drop(end);
    serving.await.unwrap().unwrap();
    let list = || Some("listPets".to_owned());
    assert_eq!(*told.lock().unwrap(), [(list(), 200), (list(), 400)]);
}
