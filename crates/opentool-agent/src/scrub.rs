//! Secrets taken out of what is recorded: keys by their shape, values by the names beside them, texts that the host
//! names, and what the environment holds under names of keys.
//!
//! It is a net, not a proof: a recording is text that a person reads before it is committed. It errs on the side of
//! taking out too much, because what was taken out fits anything when the cassette is played.

use std::borrow::Cow;
use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use regex::Regex;
use serde_json::Value;

/// What stands in the place of a secret.
pub(crate) const MARK: &str = "[secret]";
/// A shorter text is not taken out by its value alone, because it occurs by chance, in bytes.
const SHORTEST: usize = 8;

/// Words that make a name that of a secret wherever it ends with one: `dbPassword`, `aws_secret_access_key`.
const NAMES: &str = "pass(?:word|wd|phrase)|client[_-]?secret|api[_-]?key|secret[_-]?(?:access[_-]?)?key|private[_-]?key|\
     (?:access|refresh|id|auth|api|session|security|bearer|bot)[_-]?token|authorization|set-cookie";
/// Words that do so alone or behind another word: `DB_PWD`, `client.secret`.
const WORDS: &str = "secret|pwd|cookie";

/// Shapes of keys: each begins at the start of a word.
static SHAPES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let shapes = [
        // A private key, whole.
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)".to_owned(),
        // Providers of models, code hosts, clouds, chats, payments, registries.
        r"\b(?:sk|pk|rk|key|token)[-_](?:[A-Za-z]+[-_])*[A-Za-z0-9_-]{16,}".to_owned(),
        r"\b(?:gsk_|xai-|hf_|r8_|npm_|pypi-|ghp_|gho_|ghu_|ghs_|ghr_|github_pat_|glpat-|xox[abprs]-|xapp-|ya29\.|dop_v1_|shpat_)[A-Za-z0-9._-]{10,}"
            .to_owned(),
        r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b".to_owned(),
        r"\bAIza[A-Za-z0-9_-]{30,}".to_owned(),
        // A signed token.
        r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*".to_owned(),
    ];
    shapes.iter().filter_map(|shape| Regex::new(shape).ok()).collect()
});

/// What stands before a secret, and the secret; `after` is kept too.
static PLACES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    // `token` alone: a page token, or how many tokens there were, is no secret.
    let name = format!("(?:{NAMES}|(?:\\b|_)(?:{WORDS})|(?:^|[^a-z0-9_-])token)");
    // `=`, `: `, `\":\"`, `": ["`, and the scheme of a header.
    let to = r#"\\*["']?\s*[:=]\s*(?:\[\s*)?"#;
    let scheme = r"(?:(?:bearer|basic|token|digest)\s+)?";
    let places = [
        r"(?i)(?<before>\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}(?<after>)".to_owned(),
        // Between quotes to the end of the quotes, also inside JSON text in JSON text.
        format!(r#"(?i)(?<before>{name}{to}"{scheme})(?:[^"\\\n]|\\[^\n])+(?<after>)"#),
        format!(r#"(?i)(?<before>{name}{to}'{scheme})[^'\n]+(?<after>)"#),
        format!(r#"(?i)(?<before>{name}{to}\\+["']{scheme})[^"'\\\n]+(?<after>)"#),
        // Without quotes to the end of the word. A path is none: `PWD=/srv`.
        format!(
            r#"(?i)(?<before>{name}{to}{scheme})(?:\[secret\]|[^\s"'\\,;&<>()\[\]{{}}/][^\s"'\\,;&<>()\[\]{{}}]{{3,}})(?<after>)"#
        ),
        r#"(?i)(?<before>[?&](?:key|sig|signature)=)[^\s&"'<>]{4,}(?<after>)"#.to_owned(),
        // The password in an address, which may hold the sign that ends it.
        r#"(?<before>://[^\s/:@]*:)[^\s/?#"'<>]+(?<after>@)"#.to_owned(),
    ];
    places.iter().filter_map(|place| Regex::new(place).ok()).collect()
});

static MEMBER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(&format!("^(?i:[a-z0-9_. -]*(?:{NAMES})|(?:[a-z0-9 -]*[_. -])?(?:{WORDS})|token)$")).ok()
});

/// What is taken out.
#[derive(Clone, Default)]
pub(crate) struct Scrub {
    secrets: Vec<String>,
}

impl Scrub {
    /// What looks like a secret, and what the environment holds under names such as `OPENAI_API_KEY`.
    pub(crate) fn of_environment() -> Self {
        let mut scrub = Self::default();
        for (name, value) in std::env::vars_os() {
            let (Some(name), Some(value)) = (name.to_str(), value.to_str()) else { continue };
            let name = name.to_ascii_uppercase();
            let ends = ["KEY", "TOKEN", "SECRET", "PASSWORD", "BEARER", "BASIC", "CREDENTIALS"];
            if ends.iter().any(|end| name.ends_with(end)) && value.len() >= SHORTEST {
                scrub.secrets.push(value.trim().to_owned());
            }
        }
        scrub.longest_first();
        scrub
    }

    /// Takes out this text as well, however short it is.
    pub(crate) fn secret(&mut self, secret: String) {
        if !secret.is_empty() {
            self.secrets.push(secret);
            self.longest_first();
        }
    }

    /// A secret that is part of another one must not break it up.
    fn longest_first(&mut self) {
        self.secrets.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        self.secrets.dedup();
    }

    /// The value without secrets.
    pub(crate) fn value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => match self.text(&text) {
                Cow::Borrowed(_) => Value::String(text),
                Cow::Owned(clean) => Value::String(clean),
            },
            Value::Array(items) => items.into_iter().map(|item| self.value(item)).collect(),
            Value::Object(members) => {
                let is_file = members.contains_key("mime") && members.contains_key("data");
                let clean = members.into_iter().map(|(name, value)| {
                    let value = match value {
                        // Base64 that is broken could not be read again.
                        Value::String(data)
                            if is_file && name == "data" && STANDARD.decode(&data).is_ok() =>
                        {
                            Value::String(data)
                        }
                        value if is_secret_name(&name) => self.secret_value(value),
                        other => self.value(other),
                    };
                    let name = match self.text(&name) {
                        Cow::Borrowed(_) => name,
                        Cow::Owned(clean) => clean,
                    };
                    (name, value)
                });
                Value::Object(clean.collect())
            }
            other => other,
        }
    }

    /// The value of a name that says that it is secret: its texts and numbers are, also in a list. An object has names of
    /// its own, as the schema of a password has.
    fn secret_value(&self, value: Value) -> Value {
        match value {
            Value::String(text) if !text.is_empty() => MARK.into(),
            Value::Number(_) => MARK.into(),
            Value::Array(items) => items.into_iter().map(|item| self.secret_value(item)).collect(),
            other => self.value(other),
        }
    }

    /// The text without secrets.
    pub(crate) fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut clean = Cow::Borrowed(text);
        for secret in &self.secrets {
            if clean.contains(secret.as_str()) {
                clean = Cow::Owned(clean.replace(secret.as_str(), MARK));
            }
        }
        for place in PLACES.iter() {
            if place.is_match(&clean) {
                let with = format!("${{before}}{MARK}${{after}}");
                clean = Cow::Owned(place.replace_all(&clean, with.as_str()).into_owned());
            }
        }
        for shape in SHAPES.iter() {
            if shape.is_match(&clean) {
                clean = Cow::Owned(shape.replace_all(&clean, MARK).into_owned());
            }
        }
        clean
    }
}

fn is_secret_name(name: &str) -> bool {
    MEMBER.as_ref().is_some_and(|names| names.is_match(name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert_eq!((SHAPES.len(), PLACES.len(), MEMBER.is_some()), (6, 7, true));
    }

    #[test]
    fn secrets_are_taken_out_and_words_stay() {
        let scrub = Scrub::default();
        for (text, clean) in [
            ("use sk-proj-abcdefgh12345678ABCD now", "use [secret] now"),
            ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "[secret]"),
            ("AKIAIOSFODNN7EXAMPLE", "[secret]"),
            ("Authorization: Bearer abc.def-123456", "Authorization: Bearer [secret]"),
            (
                "{\"api_key\": \"hunter22\", \"city\": \"Paris\"}",
                "{\"api_key\": \"[secret]\", \"city\": \"Paris\"}",
            ),
            ("{\\\"password\\\":\\\"hunter22\\\"}", "{\\\"password\\\":\\\"[secret]\\\"}"),
            ("redis://app:hunter22@db:6379/0", "redis://app:[secret]@db:6379/0"),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "[secret]"),
            ("{\"token\":\"hunter22\"}", "{\"token\":\"[secret]\"}"),
            ("token: hunter22", "token: [secret]"),
            ("https://h/a?token=hunter22&x=1", "https://h/a?token=[secret]&x=1"),
            ("https://h/a?sig=hunter22&x=1", "https://h/a?sig=[secret]&x=1"),
            ("export DB_PASSWORD=hunter22", "export DB_PASSWORD=[secret]"),
            ("dbPassword: hunter22", "dbPassword: [secret]"),
            ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG", "aws_secret_access_key = [secret]"),
            ("pwd=hunter22", "pwd=[secret]"),
            ("{\"password\":[\"hunter22\"]}", "{\"password\":[\"[secret]\"]}"),
            ("redis://:hunter22@db", "redis://:[secret]@db"),
            ("redis://app:hunt@er22@db/0", "redis://app:[secret]@db/0"),
            ("password='a b c' x", "password='[secret]' x"),
            ("{\"password\": \"a b \\\"c\", \"x\": 1}", "{\"password\": \"[secret]\", \"x\": 1}"),
            ("{\\\"password\\\":\\\"a b\\\",\\\"x\\\":1}", "{\\\"password\\\":\\\"[secret]\\\",\\\"x\\\":1}"),
            ("a\n-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----\nb", "a\n[secret]\nb"),
        ] {
            assert_eq!(scrub.text(text), clean);
        }
        for text in [
            "The skate-park is closed, the key is under the mat.",
            "a task-oriented thesis-length risk-assessment",
            "https://example.com:8080/a?b=c@d",
            "basic facts about tokens and passwords",
            "{\"page_token\": \"abc\", \"token_count\": 3}",
            "PWD=/srv/ada, next-token: abcdef, a broken: cookie",
            "{\"password\": {\"type\": \"string\"}}",
            "http://host:80?mail=a@b and ada@example.com: hello",
        ] {
            assert_eq!(scrub.text(text), text);
        }
    }

    #[test]
    fn members_with_names_of_secrets_are_taken_out_and_files_stay_whole() {
        let scrub = Scrub::default();
        let value = json!({
            "password": "x", "db_password": "y", "properties": {"password": {"type": "string"}},
            "image": {"mime": "image/png", "data": "c2stcHJvai1hYmNkZWZnaDEyMzQ1Njc4QUJDRA=="},
            "next_page": "token", "tokens": ["x"],
        });
        let clean = scrub.value(value.clone());
        assert_eq!((&clean["password"], &clean["db_password"]), (&json!(MARK), &json!(MARK)));
        for same in ["properties", "image", "next_page", "tokens"] {
            assert_eq!(clean[same], value[same], "{same}");
        }
    }

    #[test]
    fn lists_names_and_what_only_looks_like_a_file_are_searched() {
        let scrub = Scrub::default();
        let key = "sk-proj-abcdefgh12345678ABCD";
        let value = json!({
            "token": "x", "passwords": "x", "password": ["x", {"a": "y"}], "authToken": "x",
            "file": {"mime": "text/plain", "data": key, "note": key}, key: 1,
            "pwd": 99_887_766, "secret": [1.5, true, null],
        });
        let clean = json!({
            "token": MARK, "passwords": "x", "password": [MARK, {"a": "y"}], "authToken": MARK,
            "file": {"mime": "text/plain", "data": MARK, "note": MARK}, MARK: 1,
            "pwd": MARK, "secret": [MARK, true, null],
        });
        assert_eq!(scrub.value(value), clean);
    }

    #[test]
    fn texts_that_the_host_names_are_taken_out_longest_first() {
        let mut scrub = Scrub::default();
        scrub.secret("tulip".into());
        scrub.secret("tulip-garden".into());
        assert_eq!(scrub.text("tulip-garden, tulip"), "[secret], [secret]");
    }
}
