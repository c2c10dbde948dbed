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
    /// What cannot be followed, in words.
    pub(super) wrong: Option<String>,
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
                "code" if prefer.code.is_none() => {
                    prefer.code = value.parse().ok().filter(is_status);
                    prefer.must(prefer.code.is_some(), "code", value, "is no status from 200 to 599");
                }
                "example" => prefer.example = prefer.example.or_else(|| Some(value.to_owned())),
                "seed" if prefer.seed.is_none() => {
                    prefer.seed = value.parse().ok();
                    prefer.must(prefer.seed.is_some(), "seed", value, "is no whole number");
                }
                _ => {}
            }
        }
        prefer
    }

    fn must(&mut self, holds: bool, name: &str, value: &str, why: &str) {
        if !holds && self.wrong.is_none() {
            let value: String = value.chars().take(40).collect();
            self.wrong = Some(format!("`Prefer: {name}={value}` {why}"));
        }
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
        let example = Some("big cat".to_owned());
        let expected = Prefer { code: Some(404), example, seed: Some(7), wrong: None };
        assert_eq!(Prefer::read(&headers), expected);
        for (text, wrong) in [
            ("code=100", "`Prefer: code=100` is no status from 200 to 599"),
            ("code=x, seed=y", "`Prefer: code=x` is no status from 200 to 599"),
            ("seed=-1", "`Prefer: seed=-1` is no whole number"),
        ] {
            let mut headers = HeaderMap::new();
            headers.append(PREFER, text.parse().unwrap());
            assert_eq!(Prefer::read(&headers).wrong.as_deref(), Some(wrong));
        }
    }
}
