//! The TLS configuration: rustls with the `ring` provider, given explicitly, and the platform's trust.
//!
//! Passing the provider means that no process-wide default has to be installed, and that a second provider somewhere
//! in the dependency tree cannot make a program panic at its first `https` request.

use std::sync::Arc;

use rustls::client::WantsClientCert;
use rustls::sign::SingleCertAndKey;
use rustls::{ClientConfig, ConfigBuilder, RootCertStore};
use rustls_platform_verifier::Verifier;

use crate::{Authorities, Identity};

/// A configuration that trusts what the platform trusts, and these authorities.
pub(crate) fn platform(
    authorities: Option<&Authorities>,
    identity: Option<&Identity>,
) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = verifier(authorities, &provider)?;
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        // "Dangerous" is any verifier that is not a list of roots; this one is the platform's own.
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier));
    Ok(identified(config, identity))
}

#[cfg(not(target_os = "android"))]
fn verifier(
    authorities: Option<&Authorities>,
    provider: &Arc<rustls::crypto::CryptoProvider>,
) -> Result<Verifier, rustls::Error> {
    let own = authorities.into_iter().flat_map(Authorities::certificates);
    Verifier::new_with_extra_roots(own, Arc::clone(provider))
}

/// There, only the system says whom it trusts.
#[cfg(target_os = "android")]
fn verifier(
    authorities: Option<&Authorities>,
    provider: &Arc<rustls::crypto::CryptoProvider>,
) -> Result<Verifier, rustls::Error> {
    match authorities {
        None => Verifier::new(Arc::clone(provider)),
        Some(_) => Err(rustls::Error::General("on Android the system alone says whom it trusts".to_owned())),
    }
}

fn identified(
    config: ConfigBuilder<ClientConfig, WantsClientCert>,
    identity: Option<&Identity>,
) -> ClientConfig {
    match identity {
        Some(own) => config.with_client_cert_resolver(Arc::new(SingleCertAndKey::from(own.certified()))),
        None => config.with_no_client_auth(),
    }
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
