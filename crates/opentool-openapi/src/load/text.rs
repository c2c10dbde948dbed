//! One text: of a file or of a URL.

use std::net::IpAddr;
use std::path::Path;

use http::StatusCode;
use http::header::{ACCEPT, HeaderValue};
use opentool_core::BoxError;
use opentool_http::{Client, Redirects, Request};
use url::Url;

use crate::{Address, OpenApiError};

/// The largest document that is read, in bytes. The largest public ones have 75 MB.
pub(super) const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// What a server is asked for.
pub(super) const WANTED: HeaderValue =
    HeaderValue::from_static("application/json, application/yaml, text/yaml, */*;q=0.5");

pub(super) async fn file(path: &Path) -> Result<Vec<u8>, OpenApiError> {
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
            reason: "it is a directory; name the document inside it, or use `LoadOptions::load_directory`"
                .into(),
            source: Some(error.into()),
        },
        _ => OpenApiError::Unreachable {
            address: address(),
            reason: error.to_string().into(),
            source: Some(error.into()),
        },
    })
}

/// What was fetched.
pub(super) struct Fetched {
    pub(super) text: Vec<u8>,
    pub(super) address: Address,
    /// The machine that it came from.
    pub(super) peer: Option<IpAddr>,
}

pub(super) async fn fetch(url: Url, client: &Client) -> Result<Fetched, OpenApiError> {
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
    Ok(Fetched { text: answer.body.into(), address: Address::Url(answer.url), peer: answer.peer })
}
