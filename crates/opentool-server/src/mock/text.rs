//! Texts that look like what their name or format says.

use serde_json::{Map, Value};

use super::words::{lookup, words};

/// The longest text that is made for `minLength`, in characters.
const LONGEST: usize = 10_000;

/// What formats look like.
const FORMATS: &[(&str, &str)] = &[
    ("date-time", "2025-01-31T12:30:00Z"),
    ("date", "2025-01-31"),
    ("time", "12:30:00Z"),
    ("duration", "PT1H"),
    ("email", "anna@example.com"),
    ("idn-email", "anna@example.com"),
    ("hostname", "example.com"),
    ("idn-hostname", "example.com"),
    ("ipv4", "192.0.2.1"),
    ("ipv6", "2001:db8::1"),
    ("uri", "https://example.com/"),
    ("url", "https://example.com/"),
    ("iri", "https://example.com/"),
    ("uri-reference", "/example"),
    ("iri-reference", "/example"),
    ("uuid", "123e4567-e89b-12d3-a456-426614174000"),
    ("byte", "ZXhhbXBsZQ=="),
    ("json-pointer", "/example"),
    ("regex", "^example$"),
];

/// What things look like.
const NAMES: &[(&[&str], &str)] = &[
    (&["email", "mail"], "anna@example.com"),
    (&["url", "urls", "uri", "link", "href", "website", "homepage"], "https://example.com/"),
    (&["uuid", "guid"], "123e4567-e89b-12d3-a456-426614174000"),
    (&["id", "ids", "identifier"], "a1b2c3"),
    (&["timestamp", "datetime", "created", "updated", "modified"], "2025-01-31T12:30:00Z"),
    (&["date", "day", "birthday", "born"], "2025-01-31"),
    (&["time"], "12:30:00"),
    (&["timezone", "zone"], "Europe/Paris"),
    (&["phone", "telephone", "mobile"], "+1 555 0100"),
    (&["city", "citie", "town"], "Paris"),
    (&["country", "nation"], "France"),
    (&["street", "address"], "12 Main Street"),
    (&["zip", "postcode", "postal"], "75001"),
    (&["name", "author", "user", "owner", "person", "customer"], "Anna"),
    (&["title", "subject", "headline"], "An example"),
    (&["description", "text", "content", "message", "summary", "body", "comment"], "An example text."),
    (&["currency"], "EUR"),
    (&["language", "lang", "locale"], "en"),
    (&["color", "colour"], "blue"),
    (&["version"], "1.0.0"),
    (&["host", "hostname", "domain"], "example.com"),
    (&["ip"], "192.0.2.1"),
    (&["path", "file", "filename"], "example.txt"),
    (&["status", "state"], "ok"),
    (&["unit", "units"], "celsius"),
];

/// A text for `name`, the `index`th of its kind, of a length that the schema accepts.
pub(super) fn sample(name: &str, members: &Map<String, Value>, index: usize) -> String {
    let format = members.get("format").and_then(Value::as_str);
    let known =
        format.and_then(|format| FORMATS.iter().find(|(known, _)| *known == format)).map(|(_, text)| *text);
    let mut text = match known.or_else(|| lookup(name, NAMES)) {
        Some(text) => text.to_owned(),
        None => {
            let mut text = "example".to_owned();
            for word in words(name) {
                text.push(' ');
                text.push_str(&word);
            }
            text
        }
    };
    if index > 0 {
        text.push_str(&format!(" {}", index.saturating_add(1)));
    }
    fitted(text, members)
}

/// The text, made as long as it must be.
fn fitted(text: String, members: &Map<String, Value>) -> String {
    let bound = |keyword| {
        let given = members.get(keyword).and_then(Value::as_u64)?;
        Some(usize::try_from(given).unwrap_or(usize::MAX).min(LONGEST))
    };
    let least = bound("minLength").unwrap_or(0);
    let most = bound("maxLength").unwrap_or(usize::MAX);
    let length = text.chars().count();
    let missing = least.saturating_sub(length);
    if missing == 0 && length <= most {
        return text;
    }
    let filling = std::iter::repeat_n('x', missing);
    text.chars().chain(filling).take(most).collect()
}

/// A fragment of an address as text.
pub(super) fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = match (first, after) {
            (b'%', [high, low, after @ ..]) => {
                hex(*high).zip(hex(*low)).map(|(high, low)| (high << 4 | low, after))
            }
            _ => None,
        };
        let (byte, after) = escaped.unwrap_or((*first, after));
        bytes.push(byte);
        rest = after;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}
