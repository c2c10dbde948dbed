//! The document: it is the one of the examples, it is what the shop serves, and the shop keeps to it.

use std::path::Path;
use std::sync::OnceLock;

use opentool_core::{Arguments, Schema};
use opentool_openapi::Api;
use opentool_petshop::{API_KEY, DEFAULT_PORT, PETSTORE_YAML, PetShop};
use serde_json::{Value, json};

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

    // Whoever reads it from there needs to be told nothing more.
    let api = opentool_openapi::parse(&served.body, "openapi.yaml").unwrap();
    let arguments = Arguments::from_iter([("petId".to_owned(), json!(2))]);
    let request = api.request("getPetById", &arguments).unwrap();
    assert_eq!(request.url(), format!("{}/pet/2", shop.base_url()));
}

#[test]
fn the_document_has_nothing_odd_and_ten_operations() {
    let api = opentool_openapi::parse(PETSTORE_YAML, "petstore.yaml").unwrap();
    assert!(api.diagnostics().is_empty(), "{:?}", api.diagnostics());
    let tools = api.tools().unwrap();
    assert_eq!(
        tools.names().collect::<Vec<_>>(),
        [
            "findPetsByStatus",
            "findPetsByTags",
            "addPet",
            "getPetById",
            "updatePet",
            "deletePet",
            "getInventory",
            "placeOrder",
            "getOrderById",
            "cancelOrder",
        ]
    );
    let described = |schema: &Value| {
        let properties = schema["properties"].as_object().unwrap();
        properties.values().all(|p| p["description"].is_string() || p["$ref"].is_string())
    };
    for definition in tools.definitions() {
        assert!(definition.description.len() > 40, "{}", definition.name);
        assert!(described(definition.input_schema.as_value()), "{}", definition.name);
    }
}

#[tokio::test]
async fn every_operation_works_as_a_tool() {
    let shop = PetShop::start("127.0.0.1:0").await.unwrap();
    let api = opentool_openapi::parse(PETSTORE_YAML, "petstore.yaml").unwrap();
    let tools = api.server(shop.base_url()).api_key(API_KEY).tools().unwrap();
    for (name, arguments, part) in [
        ("findPetsByStatus", json!({"status": ["pending", "sold"]}), "Ziggy"),
        ("findPetsByTags", json!({"tags": ["calm"]}), "Olive"),
        ("addPet", json!({"name": "Nori", "species": "cat", "tags": ["playful"]}), "\"id\":9"),
        ("getPetById", json!({"petId": 9}), "Nori"),
        ("updatePet", json!({"petId": 9, "status": "available"}), "available"),
        ("placeOrder", json!({"petId": 9, "pickupDate": "2027-01-15", "Idempotency-Key": "k"}), "ready"),
        ("getOrderById", json!({"orderId": 1}), "2027-01-15"),
        ("getInventory", json!({}), "\"available\":5"),
        ("cancelOrder", json!({"orderId": 1}), ""),
        ("deletePet", json!({"petId": 9}), ""),
    ] {
        let tool = tools.find(name).unwrap();
        let compiled = compiled(&tool.definition().input_schema);
        assert!(compiled.is_valid(&arguments), "{name} {arguments}");
        let Value::Object(arguments) = arguments else { panic!("{name}") };
        let output = tool.call(&opentool_core::ToolContext::new(), arguments.into()).await.unwrap();
        assert!(!output.is_error && output.to_text().contains(part), "{name}: {}", output.to_text());
    }
    get(&shop, "/pet/9").await.problem(404);
}

/// Holds an answer against the document: a success against the schema of its operation, anything else against that
/// of a problem.
pub(crate) fn check(method: &str, target: &str, answer: &Answer) {
    static API: OnceLock<Api> = OnceLock::new();
    let api = API.get_or_init(|| opentool_openapi::parse(PETSTORE_YAML, "petstore.yaml").unwrap());
    if answer.status >= 300 {
        answer.problem(answer.status);
        return;
    }
    let path = target.split('?').next().unwrap();
    let described = api.operations().iter().filter(|o| o.method == method && fits(&o.path, path));
    // An exact path is meant before one with a parameter.
    let Some(operation) = described.min_by_key(|o| o.path.contains('{')) else {
        assert!(matches!(path, "/" | "/openapi.yaml"), "{method} {path} is not in the document");
        return;
    };
    match api.definition(operation).output_schema {
        Some(schema) => {
            assert_eq!(answer.header("content-type"), Some("application/json"));
            let errors: Vec<String> =
                compiled(&schema).iter_errors(&answer.json()).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{method} {target}: {errors:?}");
        }
        None => assert_eq!((answer.status, answer.body.as_str()), (204, ""), "{method} {target}"),
    }
}

fn compiled(schema: &Schema) -> jsonschema::Validator {
    jsonschema::options().should_validate_formats(true).build(schema.as_value()).unwrap()
}

/// Whether a path is one of a template.
fn fits(template: &str, path: &str) -> bool {
    template.split('/').count() == path.split('/').count()
        && template.split('/').zip(path.split('/')).all(|(t, p)| t.starts_with('{') || t == p)
}
