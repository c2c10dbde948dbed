//! Getting a document's text: from a file, or from a URL over the one HTTP client.
//!
//! A URL is fetched without credentials, within time and size limits. Nothing that the document refers to is fetched.

use std::path::Path;
use std::time::Duration;

use http::StatusCode;
use http::header::{ACCEPT, HeaderValue};
use opentool_core::BoxError;
use opentool_http::{Client, Options, Redirects, Request};
use url::Url;

use crate::{Address, Api, OpenApiError};

/// The largest document that is read, in bytes. The largest public ones have 75 MB.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// The longest time for fetching a document.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Reads the document at a path or an `http(s)` address.
///
/// ```no_run
/// # async fn example(token: String) -> Result<(), opentool_openapi::OpenApiError> {
/// let petstore = opentool_openapi::load("petstore.yaml").await?.bearer(token).tools()?;
/// # Ok(()) }
/// ```
///
/// # Errors
/// [`OpenApiError::NotFound`] and [`OpenApiError::Unreachable`] where there is no text, [`OpenApiError::Syntax`],
/// [`OpenApiError::NotOpenApi`] and [`OpenApiError::NoOperations`] where the text is no usable document. Faults in parts
/// of the document are no errors: see [`Api::diagnostics`].
pub async fn load(address: impl Into<Address>) -> Result<Api, OpenApiError> {
    load_with(address, &Client::new(Options::new().timeout(TIMEOUT).body_limit(MAX_BYTES))).await
}

/// The same over a client of the host's: with its own time limits. The size limit for documents is 256 MiB.
///
/// # Errors
/// Those of [`load`].
pub async fn load_with(address: impl Into<Address>, client: &Client) -> Result<Api, OpenApiError> {
    let address = address.into();
    let (text, address) = match address {
        Address::File(path) => (file(&path).await?, Address::File(path)),
        Address::Url(url) => fetch(url, client).await?,
        Address::Named(name) => {
            let reason = "it is only a name; read its text and use `parse`".into();
            return Err(OpenApiError::Unreachable { address: name.into(), reason, source: None });
        }
    };
    // A large document takes a second, which other tasks of the thread should not wait for.
    let reading = tokio::task::spawn_blocking({
        let address = address.clone();
        move || Api::read(&text, address)
    });
    reading.await.unwrap_or_else(|error| {
        let reason = "reading it failed with an internal error".into();
        Err(OpenApiError::Unreachable {
            address: address.to_string().into(),
            reason,
            source: Some(error.into()),
        })
    })
}

async fn file(path: &Path) -> Result<Vec<u8>, OpenApiError> {
    let address = || path.display().to_string().into_boxed_str();
    let size = tokio::fs::metadata(path).await.map(|metadata| metadata.len()).unwrap_or(0);
    if size > MAX_BYTES {
        let reason = format!("it has {size} bytes; at most {MAX_BYTES} are read").into();
        return Err(OpenApiError::Unreachable { address: address(), reason, source: None });
    }
    tokio::fs::read(path).await.map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            OpenApiError::NotFound { address: address(), reason: "there is no such file".into() }
        }
        std::io::ErrorKind::IsADirectory => OpenApiError::Unreachable {
            address: address(),
            reason: "it is a directory; name the document inside it".into(),
            source: Some(error.into()),
        },
        _ => OpenApiError::Unreachable {
            address: address(),
            reason: error.to_string().into(),
            source: Some(error.into()),
        },
    })
}

async fn fetch(url: Url, client: &Client) -> Result<(Vec<u8>, Address), OpenApiError> {
    const WANTED: HeaderValue =
        HeaderValue::from_static("application/json, application/yaml, text/yaml, */*;q=0.5");
    let address = Address::Url(url.clone());
    let shown = address.to_string();
    let unreachable = |reason: String, source: Option<BoxError>| OpenApiError::Unreachable {
        address: shown.as_str().into(),
        reason: reason.into(),
        source,
    };
    // The request carries no secret of the host's, so it may go where the document has moved to.
    let request = Request::get(url).header(ACCEPT, WANTED).redirects(Redirects::Any).body_limit(MAX_BYTES);
    let answer =
        client.send(request).await.map_err(|error| unreachable(error.to_string(), Some(error.into())))?;
    if matches!(answer.status, StatusCode::NOT_FOUND | StatusCode::GONE) {
        return Err(OpenApiError::NotFound {
            address: shown.as_str().into(),
            reason: format!("the server answers {}", answer.status).into(),
        });
    }
    if !answer.status.is_success() {
        let mut reason = format!("the server answers {}", answer.status);
        if matches!(answer.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            reason.push_str("; documents are fetched without credentials, so save it to a file first");
        }
        return Err(unreachable(reason, None));
    }
    // Relative server addresses are relative to where the document was found in the end.
    Ok((answer.body.into(), Address::Url(answer.url)))
}
