//! TLS by certificate files: rustls with the `ring` provider, given explicitly, as everywhere in this workspace.

use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::pem::{Error as PemError, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{InconsistentKeys, ServerConfig};
use tokio_rustls::TlsAcceptor;

use super::settings::TlsFiles;
use crate::ServerError;

/// More than any chain of certificates is.
const MOST_BYTES: u64 = 1024 * 1024;

/// What makes TLS connections of plain ones. The files are read where waiting for them keeps nobody else waiting.
///
/// # Errors
/// Always with the file that is to blame.
pub(super) async fn load(files: TlsFiles) -> Result<TlsAcceptor, ServerError> {
    let path = files.certificates.clone();
    let read = tokio::task::spawn_blocking(move || acceptor(&files)).await;
    read.unwrap_or_else(|error| {
        Err(ServerError::TlsFile { path: path.into(), source: std::io::Error::other(error) })
    })
}

fn acceptor(files: &TlsFiles) -> Result<TlsAcceptor, ServerError> {
    let TlsFiles { certificates: certificates_path, key: key_path } = files;
    let pem = read(certificates_path)?;
    let certificates: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(&pem)
        .collect::<Result<_, _>>()
        .map_err(|error| ServerError::tls(certificates_path, format!("it is not PEM: {error}")))?;
    if certificates.is_empty() {
        return Err(ServerError::tls(
            certificates_path,
            "it holds no certificate; a PEM file with `-----BEGIN CERTIFICATE-----` is needed, the server's own first",
        ));
    }
    let key = PrivateKeyDer::from_pem_slice(&read(key_path)?).map_err(|error| {
        ServerError::tls(
            key_path,
            match error {
                PemError::NoItemsFound => {
                    "it holds no private key; a PEM file with `-----BEGIN PRIVATE KEY-----` \
                                           (not encrypted) is needed"
                        .to_owned()
                }
                // The text of the parser may show what the file holds.
                _ => "its private key cannot be read".to_owned(),
            },
        )
    })?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| ServerError::tls(certificates_path, error.to_string()))?
        .with_no_client_auth()
        .with_single_cert(certificates, key)
        .map_err(|error| match error {
            rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => ServerError::tls(
                key_path,
                format!(
                    "its key does not belong to the first certificate of `{}`",
                    certificates_path.display()
                ),
            ),
            rustls::Error::InvalidCertificate(error) => {
                ServerError::tls(certificates_path, error.to_string())
            }
            error => ServerError::tls(key_path, error.to_string()),
        })?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn read(path: &Path) -> Result<Vec<u8>, ServerError> {
    let unreadable = |source| ServerError::TlsFile { path: path.into(), source };
    // Before it is opened, too: opening a pipe waits for somebody who writes into it.
    let is_file = |metadata: std::fs::Metadata| match metadata.is_file() {
        true => Ok(()),
        false => Err(ServerError::tls(path, "it is not a regular file")),
    };
    is_file(std::fs::metadata(path).map_err(unreadable)?)?;
    let file = std::fs::File::open(path).map_err(unreadable)?;
    is_file(file.metadata().map_err(unreadable)?)?;
    let mut bytes = Vec::new();
    let read = file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if u64::try_from(read).unwrap_or(u64::MAX) > MOST_BYTES {
        return Err(ServerError::tls(path, "it is far too large for certificates or a key"));
    }
    Ok(bytes)
}
