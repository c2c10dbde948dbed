//! A small pet shop with an HTTP API: the partner of the demo, the examples and the tests of `opentool`.
//!
//! It is a real server on a real socket, described by an OpenAPI document ([`PETSTORE_YAML`]), and it behaves:
//! an order reserves a pet, a reserved pet cannot be removed, a bad request is told what would be accepted.
//! Every shop has its own state, which is the same at every start and lives in memory only.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), opentool_petshop::StartError> {
//! let shop = opentool_petshop::PetShop::start("127.0.0.1:0").await?;
//! println!("the shop is open at {}", shop.base_url());
//! shop.shutdown().await;
//! # Ok(())
//! # }
//! ```
//!
//! It deliberately is no example of a safe public service: it knows one key, keeps no accounts, and belongs on
//! a loopback address. What it does bound is memory: bodies, records and texts have limits.

mod date;
mod extract;
mod order;
mod pet;
mod problem;
mod routes;
mod seed;
mod server;
mod shelf;

pub use date::{Date, NotADate};
pub use routes::router;
pub use server::{PetShop, StartError};

/// The OpenAPI 3.0 document of the shop, the same as `examples/petstore.yaml`.
///
/// Its server is `http://127.0.0.1:{port}` with [`DEFAULT_PORT`]. A running shop serves it under
/// `/openapi.yaml` with the port that it has.
pub const PETSTORE_YAML: &str = include_str!("../petstore.yaml");

/// The port that the document names: "pets" on a telephone's keys.
pub const DEFAULT_PORT: u16 = 7387;

/// The key that `deletePet` asks for in the header `api_key`. It protects nothing: the shop is a toy.
pub const API_KEY: &str = "open-sesame";
