//! A service that a document describes, made from the document alone: the partner of every test.
//!
//! [`Mock`] takes a request, finds the operation that it is for, reads every parameter and the body out of it, and says
//! everything that is not as the document asks. What fits is answered with an example: the document's own where it has one,
//! else one made from the schema. Nothing is kept between requests, and nothing is ever called.
//!
//! It is the opposite side of [`crate::request`], and deliberately shares no code with it: parameters and bodies are decoded
//! here as the specification defines them (and RFC 3986, 6265, 6570, 7578), so that a mistake of one side is a finding of
//! the other. [`Trial`] holds the two against each other for every operation of a document.

mod accept;
mod answer;
mod body;
mod check;
mod contract;
mod decode;
mod fault;
mod made;
mod prefer;
mod respond;
mod route;
mod schema;
mod security;
mod serve;
mod trial;
mod view;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http::{Request, Response};

use crate::Api;
use contract::Contract;
use route::{Route, Routes};

pub use answer::Answer;
pub use fault::{Fault, Gravity};
pub use serve::{Bound, MockError, Observer};
pub use trial::{Arguments, Outcome, Trial};

/// How many operations are kept read; a test sends several requests to one before it goes on to the next.
const KEPT: usize = 64;

/// A service made from documents.
///
/// ```
/// use bytes::Bytes;
/// use opentool_openapi::mock::Mock;
///
/// let document = r#"{
///     "openapi": "3.1.0",
///     "servers": [{"url": "https://api.example.com/v1"}],
///     "paths": {"/pets/{id}": {"get": {
///         "operationId": "pet",
///         "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}}],
///         "responses": {"200": {"description": "A pet.", "content": {"application/json": {"example": {"name": "Rex"}}}}}
///     }}}
/// }"#;
/// let mock = Mock::new([opentool_openapi::parse(document, "pets.json")?]);
///
/// let answer = mock.answer(&http::Request::get("/v1/pets/7").body(Bytes::new())?);
/// assert_eq!(answer.operation(), Some("pet"));
/// assert_eq!(answer.response().body(), r#"{"name":"Rex"}"#);
///
/// let answer = mock.answer(&http::Request::get("/v1/pets/rex").body(Bytes::new())?);
/// assert_eq!(answer.response().status(), 400);
/// assert_eq!(answer.faults()[0].pointer, "/path/id");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Mock {
    apis: Vec<Api>,
    routes: Routes,
    seed: u64,
    kept: Mutex<VecDeque<(usize, Arc<Contract>)>>,
}

impl Mock {
    /// A service for all operations of these documents. Of two operations with one method and path, that of the earlier
    /// document is found where the request fits both equally well.
    pub fn new(apis: impl IntoIterator<Item = Api>) -> Self {
        let apis: Vec<Api> = apis.into_iter().collect();
        let routes = Routes::of(&apis);
        Self { apis, routes, seed: 0, kept: Mutex::default() }
    }

    /// Makes other examples. Default: 0, the likeliest of everything. The same seed always gives the same answers.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The paths that the documents' servers have before the paths of operations, each once: `/v1`, or the empty text.
    pub fn base_paths(&self) -> impl Iterator<Item = &str> {
        self.routes.bases.iter().map(String::as_str)
    }

    /// How many operations it has.
    pub fn len(&self) -> usize {
        self.routes.routes.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.routes.routes.is_empty()
    }

    /// What the service makes of a request: which operation it is for, what was read, what is wrong, and the answer.
    pub fn answer(&self, request: &Request<Bytes>) -> Answer {
        check::answer(self, request)
    }

    /// What an operation asks for, read when it is first needed.
    fn contract(&self, index: usize, route: &Route) -> Option<Arc<Contract>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, contract)) = kept.iter().find(|(known, _)| *known == index) {
            return Some(Arc::clone(contract));
        }
        let api = self.apis.get(route.api)?;
        let contract = Arc::new(Contract::read(api, &route.operation));
        kept.push_back((index, Arc::clone(&contract)));
        if kept.len() > KEPT {
            kept.pop_front();
        }
        Some(contract)
    }
}

/// The answer without its body: what `HEAD` gets.
fn without_body(response: Response<Bytes>) -> Response<Bytes> {
    response.map(|_| Bytes::new())
}
