//! Certificates that the host brings: its own, to say who it is, and those of authorities that it trusts besides the
//! platform's.
//!
//! Both are PEM texts, read once. What a key file holds never gets into a text: an error names the file and what is
//! missing in it. Files are regular and bounded, because a pipe would wait for ever and a disk is large.

use std::fmt;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use rustls::InconsistentKeys;
use rustls::pki_types::pem::{Error as PemError, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;

use crate::HttpError;

/// More than any file of certificates is: the list of a whole platform has 250 kB.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

/// What stands for a text that is no file.
const CERTIFICATES: &str = "the client certificate";
const KEY: &str = "the key of the client certificate";

/// A client certificate with its private key: who the host is, in TLS. `Debug` shows neither. Clones share it.
///
/// It is shown to a server that asks for one, over `https` only, and stays behind when a redirect leaves the origin.
#[derive(Clone)]
pub struct Identity(Arc<CertifiedKey>);

impl Identity {
    /// Reads a certificate, which may be followed by those of its issuers, and the private key (PKCS #8, PKCS #1 or SEC 1,
    /// not encrypted), both as PEM. Both may stand in one text.
    ///
    /// # Errors
    /// [`HttpError::Certificate`] if there is none, if the key is encrypted, or if they do not belong together.
    pub fn from_pem(certificates: impl AsRef<[u8]>, key: impl AsRef<[u8]>) -> Result<Self, HttpError> {
        Self::read(certificates.as_ref(), CERTIFICATES, key.as_ref(), KEY)
    }

    /// Reads the certificate and the key from PEM files, which may be one. Blocks while they are read.
    ///
    /// # Errors
    /// Those of [`Identity::from_pem`], and [`HttpError::Certificate`] for a file that cannot be read, is no regular file,
    /// or is larger than 4 MiB.
    pub fn load(certificates: impl AsRef<Path>, key: impl AsRef<Path>) -> Result<Self, HttpError> {
        let (certificates, key) = (certificates.as_ref(), key.as_ref());
        let (first, second) = (read_file(certificates)?, read_file(key)?);
        Self::read(&first, &certificates.display().to_string(), &second, &key.display().to_string())
    }

    fn read(certificates: &[u8], name: &str, key: &[u8], key_name: &str) -> Result<Self, HttpError> {
        let chain = chain(certificates, name)?;
        let encrypted = key.windows(ENCRYPTED.len()).any(|part| part == ENCRYPTED)
            || key.windows(ENCRYPTED_LEGACY.len()).any(|part| part == ENCRYPTED_LEGACY);
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|error| match error {
            _ if encrypted => {
                refused(key_name, "it is encrypted; `openssl pkey` writes it without a password")
            }
            PemError::NoItemsFound => refused(
                key_name,
                "there is no private key in it; a part `-----BEGIN PRIVATE KEY-----` is needed",
            ),
            // The text of the parser may show what the file holds.
            _ => refused(key_name, "it cannot be read as PEM"),
        })?;
        let provider = rustls::crypto::ring::default_provider();
        let certified = CertifiedKey::from_der(chain, key, &provider).map_err(|error| match error {
            rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => {
                refused(key_name, &format!("it does not belong to the first certificate of {name}"))
            }
            rustls::Error::InvalidCertificate(error) => refused(name, &error.to_string()),
            // Neither its text nor its cause: they are about what the key holds.
            _ if encrypted => {
                refused(key_name, "it is encrypted; `openssl pkey` writes it without a password")
            }
            _ => {
                refused(key_name, "its kind of key cannot be used; RSA, ECDSA (P-256, P-384) and Ed25519 can")
            }
        })?;
        Ok(Self(Arc::new(certified)))
    }

    /// For the TLS configuration.
    pub(crate) fn certified(&self) -> Arc<CertifiedKey> {
        Arc::clone(&self.0)
    }

    /// Whether it is the very same, or a clone of it.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

const ENCRYPTED: &[u8] = b"-----BEGIN ENCRYPTED PRIVATE KEY-----";
const ENCRYPTED_LEGACY: &[u8] = b"Proc-Type: 4,ENCRYPTED";

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity").field("certificates", &self.0.cert.len()).finish_non_exhaustive()
    }
}

/// Certificates of authorities that are trusted besides those of the platform: a company's own, a test's. Clones share
/// them.
#[derive(Clone)]
pub struct Authorities(Arc<[CertificateDer<'static>]>);

impl Authorities {
    /// Reads one or more certificates from a PEM text.
    ///
    /// # Errors
    /// [`HttpError::Certificate`] if there is none in it, or one that cannot be read.
    pub fn from_pem(certificates: impl AsRef<[u8]>) -> Result<Self, HttpError> {
        Self::read(certificates.as_ref(), "the certificates of authorities")
    }

    /// Reads one or more certificates from a PEM file. Blocks while it is read.
    ///
    /// # Errors
    /// Those of [`Authorities::from_pem`], and [`HttpError::Certificate`] for a file that cannot be read, is no regular
    /// file, or is larger than 4 MiB.
    pub fn load(file: impl AsRef<Path>) -> Result<Self, HttpError> {
        let file = file.as_ref();
        Self::read(&read_file(file)?, &file.display().to_string())
    }

    fn read(pem: &[u8], name: &str) -> Result<Self, HttpError> {
        let certificates = chain(pem, name)?;
        let mut roots = rustls::RootCertStore::empty();
        for certificate in &certificates {
            roots.add(certificate.clone()).map_err(|error| refused(name, &error.to_string()))?;
        }
        Ok(Self(certificates.into()))
    }

    pub(crate) fn certificates(&self) -> impl Iterator<Item = CertificateDer<'static>> {
        self.0.iter().cloned()
    }
}

impl fmt::Debug for Authorities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authorities").field("certificates", &self.0.len()).finish()
    }
}

fn chain(pem: &[u8], name: &str) -> Result<Vec<CertificateDer<'static>>, HttpError> {
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    match chain {
        Ok(chain) if chain.is_empty() => Err(refused(
            name,
            "there is no certificate in it; a part `-----BEGIN CERTIFICATE-----` is needed",
        )),
        Ok(chain) => Ok(chain),
        Err(_) => Err(refused(name, "it cannot be read as PEM")),
    }
}

fn read_file(path: &Path) -> Result<Vec<u8>, HttpError> {
    let refuse = |reason: &str| refused(&path.display().to_string(), reason);
    let failed = |error: std::io::Error| refuse(&error.to_string());
    // Before it is opened, too: opening a pipe waits for somebody who writes into it.
    if !std::fs::metadata(path).map_err(failed)?.is_file() {
        return Err(refuse("it is not a regular file"));
    }
    let file = std::fs::File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    match u64::try_from(bytes.len()) {
        Ok(length) if length <= MOST_BYTES => Ok(bytes),
        _ => Err(refuse("it is far too large for certificates or a key")),
    }
}

fn refused(file: &str, reason: &str) -> HttpError {
    HttpError::Certificate { file: file.into(), reason: reason.into() }
}
