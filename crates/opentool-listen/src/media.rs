//! What a request says its body is.

use axum::http::{HeaderMap, header};

/// Whether the body is said to be JSON, with whatever parameters. A request that says nothing does not say so.
pub fn is_json(headers: &HeaderMap) -> bool {
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = content_type.and_then(|value| value.split(';').next());
    essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case("application/json"))
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderValue, header};

    use super::is_json;

    #[test]
    fn parameters_and_case_do_not_matter() {
        let says = |value: &'static str| {
            is_json(&HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_static(value))]))
        };
        assert!(says("application/json") && says("Application/JSON ; charset=utf-8"));
        assert!(!says("text/plain; application/json") && !says("application/json-seq") && !says(""));
        assert!(!is_json(&HeaderMap::new()));
    }
}
