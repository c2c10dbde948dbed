//! Requests of the importer compared with those of an OpenAPI client of others, for every operation of some real
//! documents.
//!
//! The documents are those of `cargo xtask corpus`, the client is `swagger-client` from npm, which is what Swagger UI sends
//! with. The work is done by a program built for release; the page it writes is `docs/openapi-clients.md`.

use crate::run::{cargo, root};
use crate::{corpus, peers};

/// Fetches what is not there yet, then compares.
pub(crate) fn run() -> Result<(), String> {
    let documents = corpus::documents()?;
    let client = peers::openapi_client()?;
    let page = root().join("docs/openapi-clients.md");
    let path = |path: &std::path::Path| {
        path.to_str().map(str::to_owned).ok_or_else(|| "the workspace's path is not Unicode".to_owned())
    };
    let (documents, client, page) = (path(&documents)?, path(&client)?, path(&page)?);
    let run = ["run", "--quiet", "--release", "--package", "opentool-benches", "--bin", "clients", "--"];
    cargo(&[&run[..], &[&documents, &client, &page]].concat())
}
