//! The address that questions go to, from an address as people write it.

use std::net::Ipv6Addr;

use opentool_core::ModelError;
use opentool_http::Url;

/// A base address, checked. It is not shown in errors: it is the first thing that a key is written into by mistake.
pub(super) fn base(text: &str) -> Result<Url, ModelError> {
    let mut url = Url::parse(text.trim()).map_err(|error| {
        unusable(format!("the base URL is not an address ({error}); write it like http://localhost:11434/v1"))
    })?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(unusable("the base URL must begin with http:// or https://".to_owned()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(unusable(
            "the base URL holds a user or password; give the key by `api_key` or in its variable".to_owned(),
        ));
    }
    url.set_fragment(None);
    Ok(url)
}

/// An address as `OLLAMA_HOST` has it: with or without a scheme and a port, and possibly the one to listen at.
pub(super) fn ollama_host(text: &str) -> String {
    let text = text.trim().trim_end_matches('/');
    let (scheme, rest) = text.split_once("://").unwrap_or(("http", text));
    let (server, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let (host, port) = match server.rsplit_once(':') {
        // An address of version 6 has colons of its own, and brackets where a port may follow.
        Some((host, port)) if is_port(port) && (!host.contains(':') || host.ends_with(']')) => (host, port),
        _ => (server, ""),
    };
    // Where it listens at every address, it is asked at this machine's own.
    let host = match host {
        "" | "0.0.0.0" => "127.0.0.1".to_owned(),
        "::" | "[::]" => "[::1]".to_owned(),
        host if host.parse::<Ipv6Addr>().is_ok() => format!("[{host}]"),
        host => host.to_owned(),
    };
    let port = match port {
        // Behind a scheme of its own, or before a path, an address has that scheme's port.
        "" if text.contains("://") || !path.is_empty() => String::new(),
        "" => ":11434".to_owned(),
        port => format!(":{port}"),
    };
    format!("{scheme}://{host}{port}{path}")
}

/// The base address with a path behind it, unless it is the whole address already. A version that the base ends with
/// (`v1`) stands in place of the path's.
pub(super) fn full(base: &Url, path: &[String], query: Option<&str>) -> Url {
    let is_version = |part: &str| {
        part.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let mut url = base.clone();
    let there: Vec<&str> =
        base.path_segments().into_iter().flatten().filter(|part| !part.is_empty()).collect();
    let path = match path {
        [first, rest @ ..] if is_version(first) && there.last().is_some_and(|last| is_version(last)) => rest,
        path => path,
    };
    let is_whole = there.len() >= path.len()
        && there.iter().rev().zip(path.iter().rev()).all(|(have, want)| have == want);
    if !is_whole && let Ok(mut segments) = url.path_segments_mut() {
        segments.pop_if_empty().extend(path);
    }
    if let Some(query) = query {
        let all = url.query().filter(|old| !old.is_empty()).map(|old| format!("{old}&{query}"));
        url.set_query(Some(all.as_deref().unwrap_or(query)));
    }
    url
}

/// An address that nothing can be asked at, whatever answers there: it was written wrongly.
pub(super) fn unusable(message: String) -> ModelError {
    ModelError::Unsupported(message.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chat(text: &str) -> String {
        let path = ["chat", "completions"].map(str::to_owned);
        full(&base(text).unwrap(), &path, None).to_string()
    }

    #[test]
    fn base_addresses_are_taken_as_people_write_them() {
        assert_eq!(chat("https://api.openai.com/v1"), "https://api.openai.com/v1/chat/completions");
        assert_eq!(chat("http://localhost:11434/v1/"), "http://localhost:11434/v1/chat/completions");
        assert_eq!(chat("http://a"), "http://a/chat/completions");
        assert_eq!(chat("http://a/v1/chat/completions"), "http://a/v1/chat/completions");
        assert_eq!(
            chat("https://a/deployments/x?api-version=1"),
            "https://a/deployments/x/chat/completions?api-version=1"
        );
        let anthropic = ["v1", "messages"].map(str::to_owned);
        for base_url in ["https://a", "https://a/v1", "https://a/v1/messages"] {
            assert_eq!(full(&base(base_url).unwrap(), &anthropic, None).as_str(), "https://a/v1/messages");
        }
        let gemini = ["v1beta".to_owned(), "models".to_owned(), "gemini-3:streamGenerateContent".to_owned()];
        assert_eq!(
            full(&base("https://g/v1beta").unwrap(), &gemini, Some("alt=sse")).as_str(),
            "https://g/v1beta/models/gemini-3:streamGenerateContent?alt=sse"
        );
        let escape = ["models".to_owned(), "../x?y#z".to_owned()];
        assert_eq!(
            full(&base("https://g").unwrap(), &escape, None).as_str(),
            "https://g/models/..%2Fx%3Fy%23z"
        );
    }

    #[test]
    fn ollama_says_where_it_is_in_many_ways() {
        for (host, expected) in [
            ("localhost", "http://localhost:11434"),
            ("0.0.0.0:11434", "http://127.0.0.1:11434"),
            ("box:8080/", "http://box:8080"),
            ("https://ollama.example", "https://ollama.example"),
            ("10.0.0.0:8098", "http://10.0.0.0:8098"),
            ("10.0.0.0.example", "http://10.0.0.0.example:11434"),
            (":11434", "http://127.0.0.1:11434"),
            (":8080", "http://127.0.0.1:8080"),
            ("[::]:11434", "http://[::1]:11434"),
            ("::1", "http://[::1]:11434"),
            ("box/ollama", "http://box/ollama"),
        ] {
            assert_eq!(ollama_host(host), expected);
        }
    }

    #[test]
    fn unusable_addresses_are_refused_without_being_shown() {
        for text in ["sk-secret", "ftp://sk-secret/v1", "https://user:sk-secret@a/v1"] {
            let error = base(text).unwrap_err().to_string();
            assert!(!error.contains("sk-secret"), "{error}");
        }
    }
}
