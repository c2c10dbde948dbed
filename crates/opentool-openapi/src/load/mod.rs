//! Getting a document's text, and the texts that it refers to: from files, or from URLs over the one HTTP client.
//!
//! URLs are fetched without credentials, within time and size limits. A document decides nothing about what is read:
//! files must be below a directory that the host names or that the document lies in, and other addresses are asked
//! only where the host says so.

mod cache;
mod check;
mod directory;
mod external;
mod options;
mod scope;
mod text;

use opentool_http::Client;

pub(crate) use cache::Cache;
pub use check::Checked;
pub use directory::Directory;
pub use options::{LoadOptions, References};

use crate::document::{Document, Opened};
use crate::{Address, Api, OpenApiError};

/// Reads the document at a path or an `http(s)` address. References to other files are followed below the directory
/// of the document; see [`LoadOptions`] for more, or less.
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
    LoadOptions::new().load(address).await
}

/// The same over a client of the host's: with its own time limits. The size limit for documents is 256 MiB.
///
/// # Errors
/// Those of [`load`].
pub async fn load_with(address: impl Into<Address>, client: &Client) -> Result<Api, OpenApiError> {
    LoadOptions::new().client(client.clone()).load(address).await
}

impl LoadOptions {
    /// Reads the document at a path or an `http(s)` address.
    ///
    /// # Errors
    /// Those of [`load()`].
    pub async fn load(&self, address: impl Into<Address>) -> Result<Api, OpenApiError> {
        let address = address.into();
        let client = self.client_or_default();
        let (text, address) = match address {
            Address::File(path) => (text::file(&path).await?, Address::File(path)),
            Address::Url(url) => {
                let text::Fetched { text, address, peer } = text::fetch(url, &client).await?;
                return self.clone().document_peer(peer).read(text, address).await;
            }
            Address::Named(name) => {
                let reason = "it is only a name; read its text and use `parse`".into();
                return Err(OpenApiError::Unreachable { address: name.into(), reason, source: None });
            }
        };
        self.read(text, address).await
    }

    /// Reads a text that the host has already, and what it refers to as far as these options allow. The address says
    /// where references start.
    ///
    /// # Errors
    /// Those of [`load()`] that are about the text.
    pub async fn read(
        &self,
        text: impl Into<Vec<u8>>,
        address: impl Into<Address>,
    ) -> Result<Api, OpenApiError> {
        let address = address.into();
        let shown = address.to_string();
        let opened = self.open(text.into(), address).await?;
        let api = aside(move || Api::of(opened), &shown).await??;
        Ok(api.document_peer(self.document_peer))
    }

    /// Opens a text, and what it refers to as far as these options allow.
    async fn open(&self, text: Vec<u8>, address: Address) -> Result<Opened<'static>, OpenApiError> {
        let shown = address.to_string();
        // A large document takes a second, which other tasks of the thread should not wait for.
        let cache = self.reader();
        let opening = move || {
            let opened = Document::open(text.into(), address, cache.as_ref())?;
            let wanted = external::wanted(opened.document.root());
            Ok::<_, OpenApiError>((opened, wanted))
        };
        let (mut opened, wanted) = aside(opening, &shown).await??;
        if self.references != References::Ignore && !wanted.is_empty() {
            external::collect(&mut opened, wanted, self).await;
        }
        Ok(opened)
    }
}

/// Runs something long on another thread.
async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
    address: &str,
) -> Result<T, OpenApiError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| OpenApiError::Unreachable {
        address: address.into(),
        reason: "reading it failed with an internal error".into(),
        source: Some(error.into()),
    })
}
