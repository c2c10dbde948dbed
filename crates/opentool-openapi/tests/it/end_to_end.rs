//! The executor against the mock: what is sent is what was meant, for every operation and several sets of arguments.

use opentool_openapi::mock::{Outcome, Trial};

const PETSTORE: &str = include_str!("../golden/petstore/document.yaml");
const SWAGGER: &str = include_str!("../golden/swagger-2.0/document.yaml");
const UPLOADS: &str = include_str!("../golden/uploads/document.yaml");
const STYLES: &str = include_str!("end_to_end/styles.yaml");

/// Every outcome that is not a request which was read as it was meant.
fn others(document: &str) -> (usize, Vec<String>) {
    let api = opentool_openapi::parse(document, "https://api.test/openapi.yaml").unwrap();
    let (mut all, mut others) = (0, Vec::new());
    Trial::all(&api, |trial| {
        all += 1;
        if trial.outcome != Outcome::Fits {
            others.push(format!("{} {}: {:?}", trial.operation, trial.arguments.as_str(), trial.outcome));
        }
    });
    assert_eq!(all, 3 * api.operations().len());
    (all, others)
}

#[test]
fn every_request_is_read_as_it_was_meant() {
    for document in [PETSTORE, SWAGGER, UPLOADS, STYLES] {
        let (all, others) = others(document);
        assert!(all > 0);
        assert!(others.is_empty(), "{}", others.join("\n"));
    }
}
