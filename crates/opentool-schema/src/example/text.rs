//! Texts that look like what their name or format says.

use serde_json::{Map, Value};

use super::words::{lookup, words};
use super::{Look, pattern};

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

/// What breaks careless programs. None begins or ends with a space: headers lose it.
const ODD: &[&str] = &[
    "a b+c",
    "x&y=z",
    "50% off",
    "%41%2F",
    "say \"hi\" & 'bye'",
    "Zoë ☃ 😀",
    "a/b?c#d",
    "{curly} [square]",
    "back\\slash",
    "<b>&amp;</b>",
    "007",
    "true",
    "null",
    "semi;colon:at@",
];

/// A text for `name`, the `index`th of its kind, of a length that the schema accepts.
pub(super) fn sample(name: &str, members: &Map<String, Value>, index: usize, look: Look) -> String {
    let bound = |keyword, or| {
        let given = members.get(keyword).and_then(Value::as_u64);
        given.map_or(or, |given| usize::try_from(given).unwrap_or(usize::MAX).min(LONGEST))
    };
    let (least, most) = (bound("minLength", 0), bound("maxLength", usize::MAX));
    let expression = members.get("pattern").and_then(Value::as_str);
    if let Some(text) = expression.and_then(|pattern| pattern::matching(pattern, least, most, index)) {
        return text;
    }
    let format = members.get("format").and_then(Value::as_str);
    let known =
        format.and_then(|format| FORMATS.iter().find(|(known, _)| *known == format)).map(|(_, text)| *text);
    if let Some(text) = known {
        return fitted(another(text, index), least, most);
    }
    if look == Look::Odd {
        let turn = index.checked_rem(ODD.len()).unwrap_or(0);
        return fitted(ODD.get(turn).copied().unwrap_or_default().to_owned(), least, most);
    }
    let mut text = match lookup(name, NAMES) {
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
    fitted(text, least, most)
}

/// Another text of the same format, where that is easy: its last letter or digit before the end of a word is another.
fn another(text: &str, index: usize) -> String {
    let digit = char::from_digit(u32::try_from(index % 10).unwrap_or(0), 10).unwrap_or('0');
    match (index, text.split_once('@')) {
        (0, _) => text.to_owned(),
        (_, Some((user, host))) => format!("{user}{digit}@{host}"),
        _ if text.ends_with("4000") || text.ends_with(".1") || text.ends_with("::1") => {
            let mut text = text.to_owned();
            text.pop();
            text.push(digit);
            text
        }
        _ if text.ends_with('/') || text == "/example" => format!("{text}{digit}"),
        _ => text.to_owned(),
    }
}

/// The text, made as long as it must be.
fn fitted(text: String, least: usize, most: usize) -> String {
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
