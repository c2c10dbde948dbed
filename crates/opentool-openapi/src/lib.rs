//! Tools from OpenAPI documents: a lenient reader, a pure plan for every operation, one executor.
//!
//! [`load()`] reads a file or a URL, [`parse`] reads a text without any I/O. Both give an [`Api`], whose operations are
//! [`plan::Operation`]s: values that say everything about a call and do nothing. [`request::build`] turns one and
//! arguments into a request, [`execute::OperationTool`] sends it.
//!
//! Real documents break the specification in every possible way, so reading never stops at a fault: what is wrong is a
//! diagnostic with file, line and JSON Pointer, and everything else becomes tools.

mod address;
mod api;
mod bytes;
mod choose;
mod concern;
mod definition;
mod document;
mod error;
pub mod execute;
mod findings;
mod hash;
mod hidden;
mod kept;
mod load;
#[cfg(feature = "mock")]
pub mod mock;
mod name;
mod oauth;
mod other;
mod outcome;
mod plain;
pub mod plan;
mod read;
mod reference;
pub mod request;
mod response;
mod retry;
mod schema;
mod secret;
mod uploads;
mod version;
mod xml;

pub use address::Address;
pub use api::{Absent, Api};
pub use choose::{ArgumentConfig, Budget, Config, Filter, Marked, OperationConfig, OutputSchemas};
pub use error::OpenApiError;
pub use load::{Checked, Directory, LoadOptions, References, load, load_with};
pub use oauth::{ClientAuthentication, OAuth};
pub use opentool_http::{Addresses, Authorities, Identity};
pub use request::{Credential, MissingCredentials, RESULT_LIMIT, Settings};
pub use response::Sent;
pub use retry::Retries;
pub use secret::SecretSource;

/// For the command line: its other commands have the same words.
#[doc(hidden)]
pub mod __private {
    pub use crate::secret::words;
}

/// Reads the text of a document. Pure: no file is read and nothing is fetched. The address is for messages and for
/// relative server addresses.
///
/// ```
/// let text = r#"{"openapi": "3.1.0", "paths": {"/pets": {"get": {"operationId": "listPets"}}}}"#;
/// let api = opentool_openapi::parse(text, "https://api.example.com/openapi.json")?;
/// assert_eq!(api.operations()[0].name, "listPets");
/// # Ok::<(), opentool_openapi::OpenApiError>(())
/// ```
///
/// # Errors
/// Those of [`load()`] that are about the text.
pub fn parse(text: impl AsRef<[u8]>, address: impl Into<Address>) -> Result<Api, OpenApiError> {
    Api::read(text.as_ref(), address.into())
}
