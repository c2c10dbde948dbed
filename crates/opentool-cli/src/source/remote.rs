//! An address that is not a document: it may be a server, which has one.
//!
//! What the address answers decides. A key leaves only for an address that has shown itself to be an OpenTool server, or
//! that answers where one would with 401; no key goes to an address just because somebody looked whether it is one.

use std::time::Duration;

use opentool::Diagnostic;
use opentool::client::{Client, ClientError};
use opentool::doc::Parsed;
use opentool_http::Authorities;
use secrecy::SecretString;
use url::Url;

use crate::error::CliError;
use crate::source::SourceError;
use crate::source::opentool::{OpenTool, Way};

/// What came of asking an address.
pub(crate) enum Asked {
    /// A server, and what is wrong with its document.
    Server(Box<OpenTool>, Vec<Diagnostic>),
    /// No server of this protocol.
    NoServer(ClientError),
}

/// Asks whether there is a server, and for its document.
///
/// # Errors
/// [`CliError::Source`] if there is a server without a usable document or one that does not let us in; what `key` says
/// when a key is needed.
pub(crate) async fn ask(
    url: &Url,
    place: &str,
    timeout: Duration,
    authorities: Option<Authorities>,
    key: impl AsyncFn() -> Result<Option<SecretString>, CliError>,
) -> Result<Asked, CliError> {
    let failed = |error: ClientError| SourceError::Server { place: place.to_owned(), error: Box::new(error) };
    let mut way = Way { timeout, authorities, ..Way::default() };
    let open = match way.client(url.as_str()) {
        Ok(client) => client,
        Err(error) => return Ok(Asked::NoServer(error)),
    };
    let client = match open.version().await {
        Ok(_) => open,
        Err(error @ ClientError::Unauthorized { .. }) => match key().await? {
            None => return Err(Box::new(failed(error)).into()),
            key => {
                way.api_key = key;
                way.client(url.as_str()).map_err(|error| Box::new(failed(error)))?
            }
        },
        Err(error) => return Ok(Asked::NoServer(error)),
    };
    let Parsed { document, diagnostics, .. } =
        load(&client).await.map_err(|error| Box::new(failed(error)))?;
    Ok(Asked::Server(Box::new(OpenTool::of_server(document, &client)), diagnostics))
}

async fn load(client: &Client) -> Result<Parsed, ClientError> {
    let origin = || client.url().into();
    client.load_checked().await?.ok_or_else(|| ClientError::NoDocument { origin: origin() })
}
