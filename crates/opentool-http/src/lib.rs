//! The one HTTP client of opentool: TLS, timeouts, limits.
//!
//! Every source and every chat model sends through [`Client`], so that what must hold for all of them is written
//! once: a body is never read beyond a limit, nothing waits for ever, a secret header does not follow a redirect
//! to another origin, an address that nobody of the host named leads to public machines only, and TLS uses one crypto
//! provider that is passed explicitly (there is no process-wide default to install or to forget).
//!
//! It deliberately knows nothing of retries, of authentication schemes or of what an answer means: a status of 500
//! is a [`Response`], not an error.
//!
//! ```no_run
//! # async fn run() -> Result<(), opentool_http::HttpError> {
//! use opentool_http::{Client, Options, Request};
//!
//! let client = Client::new(Options::new());
//! let response = client.send(Request::get("https://example.com/".parse().unwrap())).await?;
//! println!("{} {}", response.status, response.text());
//! # Ok(())
//! # }
//! ```

mod address;
mod bounded;
mod certificate;
mod client;
mod error;
mod options;
mod redirect;
mod request;
mod response;
pub mod scrub;
mod span;
mod tls;
mod trace;

pub use bytes::Bytes;
pub use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
pub use url::Url;

pub use address::{Addresses, Resolve, is_loopback, is_open, may_name, not_public, shown};
pub use bounded::bounded;
pub use certificate::{Authorities, Identity};
pub use client::Client;
pub use error::{HttpError, Trust, Waiting};
pub use options::{Options, Redirects};
pub use request::{Request, unfit_for_header};
pub use response::{Incoming, Response};
pub use trace::trace_headers;
