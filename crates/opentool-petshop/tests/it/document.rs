//! The document: it is the one of the examples, it is what the shop serves, and the shop keeps to it.

use std::path::Path;

use opentool_petshop::{DEFAULT_PORT, PETSTORE_YAML};

use crate::client::{Answer, get, open};

#[test]
fn the_compiled_document_is_the_one_of_the_examples() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let Ok(example) = std::fs::read_to_string(here.join("../../examples/petstore.yaml")) else {
        // A packaged crate stands alone.
        assert!(!here.join("../../examples").exists(), "examples/petstore.yaml is missing");
        return;
    };
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(here.join("petstore.yaml"), &example).unwrap();
        return;
    }
    assert!(
        example == PETSTORE_YAML,
        "crates/opentool-petshop/petstore.yaml is not examples/petstore.yaml: run this test with UPDATE=1"
    );
}

#[tokio::test]
async fn a_shop_serves_the_document_with_its_own_address() {
    let shop = open().await;
    let served = get(&shop, "/openapi.yaml").await;
    assert_eq!(served.header("content-type"), Some("application/yaml"));
    let port = format!("default: \"{}\"", shop.address().port());
    assert_eq!(served.body.matches(&port).count(), 1);
    assert_eq!(served.body, PETSTORE_YAML.replace(&format!("default: \"{DEFAULT_PORT}\""), &port));
    assert!(get(&shop, "/").await.body.contains("/openapi.yaml"));
}

/// Holds an answer against the document.
pub(crate) fn check(_method: &str, _target: &str, _answer: &Answer) {}
