//! The TLS configuration: rustls with the `ring` provider, given explicitly, and the platform's trust.
//!
//! Passing the provider means that no process-wide default has to be installed, and that a second provider somewhere
//! in the dependency tree cannot make a program panic at its first `https` request.

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

/// A configuration that trusts what the platform trusts.
pub(crate) fn platform() -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = Verifier::new(Arc::clone(&provider))?;
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        // "Dangerous" is any verifier that is not a list of roots; this one is the platform's own.
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    Ok(config)
}

/// A configuration that trusts nobody: for plain `http` on machines without certificates.
pub(crate) fn nobody() -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth();
    Ok(config)
}
