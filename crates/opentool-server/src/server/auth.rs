//! Who may call: the keys, and the comparison that tells nothing about them.

use axum::http::{HeaderMap, header};
use secrecy::{ExposeSecret as _, SecretString};
use subtle::{Choice, ConstantTimeEq as _};

use crate::ServerError;

/// The keys that are accepted. None means that everybody may call.
#[derive(Debug, Default)]
pub(super) struct Keys(Vec<SecretString>);

impl Keys {
    /// Keys that a client can send.
    pub(super) fn new(keys: Vec<SecretString>) -> Result<Self, ServerError> {
        for key in &keys {
            if let Some(problem) = problem(key.expose_secret()) {
                return Err(ServerError::InvalidApiKey { problem });
            }
        }
        Ok(Self(keys))
    }

    /// Whether everybody may call.
    pub(super) fn are_none(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the request bears one of the keys: `Authorization: Bearer KEY`, or the bare key, which one of the
    /// existing SDKs sends.
    ///
    /// All keys are compared, and each in a time that depends on the length of the key alone.
    pub(super) fn admit(&self, headers: &HeaderMap) -> bool {
        if self.are_none() {
            return true;
        }
        let mut values = headers.get_all(header::AUTHORIZATION).iter();
        let (Some(value), None) = (values.next(), values.next()) else { return false };
        let given = bearer(value.as_bytes());
        let found = self
            .0
            .iter()
            .fold(Choice::from(0), |found, key| found | key.expose_secret().as_bytes().ct_eq(given));
        found.into()
    }
}

/// What follows the scheme; without a scheme, the value itself.
fn bearer(value: &[u8]) -> &[u8] {
    const SCHEME: usize = b"Bearer ".len();
    match value.split_at_checked(SCHEME) {
        Some((scheme, key)) if scheme.eq_ignore_ascii_case(b"Bearer ") => key.trim_ascii(),
        _ => value.trim_ascii(),
    }
}

fn problem(key: &str) -> Option<&'static str> {
    if key.is_empty() {
        Some("it is empty, which would let everybody in")
    } else if !key.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ') {
        Some("it holds characters that a header cannot carry; use printable ASCII")
    } else if key.trim_ascii() != key {
        Some("it begins or ends with a space, which a header does not carry")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, header};

    use super::Keys;

    fn admits(keys: &[&str], values: &[&str]) -> bool {
        let keys = Keys::new(keys.iter().map(|&key| key.into()).collect()).unwrap();
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::AUTHORIZATION, value.parse().unwrap());
        }
        keys.admit(&headers)
    }

    #[test]
    fn any_of_the_keys_opens_with_and_without_its_scheme() {
        for value in ["Bearer second", "bearer second", "BEARER  second ", "second"] {
            assert!(admits(&["first", "second"], &[value]), "{value}");
        }
        assert!(admits(&[], &[]), "without keys everybody may call");
        assert!(admits(&["with space"], &["Bearer with space"]));
    }

    #[test]
    fn nothing_else_opens() {
        for value in
            ["", "Bearer", "Bearer ", "Bearer secon", "Bearer secondd", "Basic second", "Bearer Second"]
        {
            assert!(!admits(&["first", "second"], &[value]), "{value}");
        }
        assert!(!admits(&["first"], &[]));
        assert!(!admits(&["first"], &["Bearer first", "Bearer first"]), "two headers are ambiguous");
    }

    #[test]
    fn a_key_that_cannot_be_sent_is_refused_at_the_start() {
        for key in ["", " ", "zq\n", "ключ", " zq", "zq "] {
            let error = Keys::new(vec![key.into()]).unwrap_err().to_string();
            assert!(key.trim().is_empty() || !error.contains(key.trim()), "the key is not shown: {error}");
        }
    }
}
