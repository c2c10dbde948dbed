//! Why there is no connection, in words that say what to do.
//!
//! Told by the types of the causes and never by their texts. Of a chain of causes, only the innermost one is passed on: the
//! others repeat that it was about connecting.

use std::error::Error;
use std::io;

use opentool_core::BoxError;
use opentool_http::HttpError;
use rustls::{CertificateError, Error as TlsError};

/// What is asked where the server does not take the connection.
const REFUSED: &str = "nobody takes the connection; is the server running?";

/// What was met, and what to check.
pub(super) fn reason(error: &HttpError) -> &'static str {
    if is_refused(error) {
        return REFUSED;
    }
    match find(error, |cause| cause.downcast_ref::<TlsError>().map(tls)) {
        Some(reason) => reason,
        None => "there is no connection",
    }
}

fn tls(error: &TlsError) -> &'static str {
    match error {
        TlsError::InvalidCertificate(CertificateError::Expired | CertificateError::ExpiredContext { .. }) => {
            "its certificate has expired; its operator can renew it"
        }
        TlsError::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        ) => "its certificate is for another name; write the address with a name that is in it",
        TlsError::InvalidCertificate(_) => {
            "its certificate is not trusted; to trust it, name a PEM file of the certificate, or of the authority that \
             signed it, in the environment variable SSL_CERT_FILE"
        }
        TlsError::InvalidMessage(_) => "it does not speak TLS; write http:// if that is meant",
        _ => "TLS does not come about",
    }
}

/// Whether the connection was not taken, which may be different in a moment. Nothing was sent then. A name that does not
/// exist or a certificate that is not trusted will be the same.
pub(super) fn is_refused(error: &HttpError) -> bool {
    let refused = |cause: &(dyn Error + 'static)| {
        let kind = cause.downcast_ref::<io::Error>()?.kind();
        matches!(kind, io::ErrorKind::ConnectionRefused | io::ErrorKind::ConnectionReset).then_some(())
    };
    matches!(error, HttpError::Connect { .. }) && find(error, refused).is_some()
}

/// Whether what came back is not HTTP.
pub(super) fn is_not_http(error: &HttpError) -> bool {
    let not_http = |cause: &(dyn Error + 'static)| {
        cause.downcast_ref::<hyper::Error>().filter(|error| error.is_parse()).map(|_| ())
    };
    matches!(error, HttpError::Broken { .. }) && find(error, not_http).is_some()
}

/// The innermost cause.
pub(super) fn cause(error: &HttpError) -> Option<BoxError> {
    let mut found = None;
    let _ = find(error, |cause| -> Option<()> {
        let kind = cause.downcast_ref::<io::Error>().map_or(io::ErrorKind::Other, io::Error::kind);
        found = Some(io::Error::new(kind, cause.to_string()).into());
        None
    });
    found
}

/// What the first cause for which there is something gives, the outermost first.
fn find<T>(error: &HttpError, mut look: impl FnMut(&(dyn Error + 'static)) -> Option<T>) -> Option<T> {
    let mut cause = error.source();
    while let Some(error) = cause {
        if let Some(found) = look(error) {
            return Some(found);
        }
        // The source of an I/O error is that of the error that it holds, which would be passed over.
        let held = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        cause = match held {
            Some(held) => Some(held),
            None => error.source(),
        };
    }
    None
}
