//! The `Prefer` header (RFC 7240), by which a client chooses an answer: `code=404`, `example=cat`, `seed=7`.
//!
//! The RFC leaves the names of preferences to registries and applications; `code` and `example` are those that mock servers
//! of OpenAPI documents have taken. What was honoured is said in `Preference-Applied`.

use http::{HeaderMap, HeaderName};

/// Which answer a client would like.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Prefer {
    /// The status.
    pub(super) code: Option<u16>,
    /// The name of one of the document's examples.
    pub(super) example: Option<String>,
    /// Which of the examples that are made.
    pub(super) seed: Option<u64>,
}

pub(super) const PREFER: HeaderName = HeaderName::from_static("prefer");
pub(super) const APPLIED: HeaderName = HeaderName::from_static("preference-applied");

impl Prefer {
    pub(super) fn read(headers: &HeaderMap) -> Self {
        let mut prefer = Self::default();
        let lines = headers.get_all(PREFER).iter().filter_map(|line| line.to_str().ok());
        for preference in lines.flat_map(|line| line.split([',', ';'])) {
            let Some((name, value)) = preference.split_once('=') else { continue };
            let value = value.trim().trim_matches('"');
            // The first of one name counts, says the RFC.
            match name.trim().to_ascii_lowercase().as_str() {
                "code" => prefer.code = prefer.code.or_else(|| value.parse().ok().filter(is_status)),
                "example" => prefer.example = prefer.example.or_else(|| Some(value.to_owned())),
                "seed" => prefer.seed = prefer.seed.or_else(|| value.parse().ok()),
                _ => {}
            }
        }
        prefer
    }
}

/// A status that ends an exchange.
fn is_status(code: &u16) -> bool {
    (200..=599).contains(code)
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;

    use super::{PREFER, Prefer};

    #[test]
    fn preferences_are_read_from_all_lines_and_the_first_counts() {
        let mut headers = HeaderMap::new();
        headers.append(PREFER, "code=404, Example=\"big cat\"; wait=10".parse().unwrap());
        headers.append(PREFER, "code=500, seed=7, code=99, broken".parse().unwrap());
        let expected = Prefer { code: Some(404), example: Some("big cat".to_owned()), seed: Some(7) };
        assert_eq!(Prefer::read(&headers), expected);
        let mut headers = HeaderMap::new();
        headers.append(PREFER, "code=100".parse().unwrap());
        assert_eq!(Prefer::read(&headers), Prefer::default());
    }
}
