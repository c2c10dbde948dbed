//! Answers in other charsets become UTF-8 before anything looks at them: secrets are sought in text, not in every way to
//! write text as bytes.
//!
//! UTF-16, UTF-32 and Latin-1 are read, by their name, their mark or their zeros. Of other charsets what they share with
//! ASCII is understood; there are no tables here.

use opentool_http::Response;

use crate::plan::is_json;
use crate::request::media::MediaKind;

/// Changes a body that is text in another charset to UTF-8.
pub(super) fn to_utf8(answer: &mut Response) {
    let media_type = answer.content_type().unwrap_or_default().to_ascii_lowercase();
    let named = charset(&media_type);
    let is_text = media_type.is_empty()
        || named.is_some()
        || media_type.starts_with("text/")
        || is_json(&media_type)
        || MediaKind::of(&media_type) != MediaKind::Binary;
    if !is_text {
        return;
    }
    let body: &[u8] = &answer.body;
    // Names of wide charsets are given to UTF-8 now and then; what has no zeros and is UTF-8 is nothing else.
    if !body.contains(&0) && std::str::from_utf8(body).is_ok() {
        return;
    }
    let text = match wide(named, body) {
        Some((Wide::Two(order), body)) => utf16(order, body),
        Some((Wide::Four(order), body)) => utf32(order, body),
        None if matches!(named, Some("iso-8859-1" | "latin1" | "windows-1252" | "us-ascii"))
            && std::str::from_utf8(body).is_err() =>
        {
            body.iter().map(|byte| char::from(*byte)).collect()
        }
        None => return,
    };
    // A mark or zeros alone may be chance, and then this is no text.
    let is_odd = |c: char| c == char::REPLACEMENT_CHARACTER || (c.is_control() && !c.is_whitespace());
    if named.is_none() && (text.is_empty() || text.contains(is_odd)) {
        return;
    }
    answer.body = text.into_bytes().into();
}

/// The parameter `charset` of a media type in lower case.
fn charset(media_type: &str) -> Option<&str> {
    let mut parameters = media_type.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
    let (_, named) = parameters.find(|(name, _)| name.trim() == "charset")?;
    Some(named.trim().trim_matches(['"', '\'']))
}

#[derive(Clone, Copy)]
enum Order {
    Big,
    Little,
}

#[derive(Clone, Copy)]
enum Wide {
    Two(Order),
    Four(Order),
}

/// Whether characters are written in two or four bytes, and what follows the mark that says so.
fn wide<'b>(named: Option<&str>, body: &'b [u8]) -> Option<(Wide, &'b [u8])> {
    use Order::{Big, Little};
    match body {
        [0xff, 0xfe, 0, 0, rest @ ..] => return Some((Wide::Four(Little), rest)),
        [0, 0, 0xfe, 0xff, rest @ ..] => return Some((Wide::Four(Big), rest)),
        [0xff, 0xfe, rest @ ..] => return Some((Wide::Two(Little), rest)),
        [0xfe, 0xff, rest @ ..] => return Some((Wide::Two(Big), rest)),
        _ => {}
    }
    let by_name = match named {
        Some("utf-16le") => Some(Wide::Two(Little)),
        Some("utf-16be") => Some(Wide::Two(Big)),
        Some("utf-32le") => Some(Wide::Four(Little)),
        Some("utf-32be") => Some(Wide::Four(Big)),
        _ => None,
    };
    // Two characters of ASCII say it all; no text begins with a zero of its own.
    let by_zeros = match body {
        [a, 0, 0, 0, ..] if *a != 0 => Some(Wide::Four(Little)),
        [0, 0, 0, a, ..] if *a != 0 => Some(Wide::Four(Big)),
        [a, 0, b, 0, ..] if *a != 0 && *b != 0 => Some(Wide::Two(Little)),
        [0, a, 0, b, ..] if *a != 0 && *b != 0 => Some(Wide::Two(Big)),
        _ => None,
    };
    let at_worst = match named {
        Some("utf-16" | "ucs-2" | "unicode") => Some(Wide::Two(Little)),
        Some("utf-32" | "ucs-4") => Some(Wide::Four(Little)),
        _ => None,
    };
    by_name.or(by_zeros).or(at_worst).map(|wide| (wide, body))
}

fn utf16(order: Order, body: &[u8]) -> String {
    let (units, rest) = body.as_chunks::<2>();
    let units = units.iter().map(|unit| match order {
        Order::Big => u16::from_be_bytes(*unit),
        Order::Little => u16::from_le_bytes(*unit),
    });
    let read = char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER));
    read.chain(cut(rest)).collect()
}

fn utf32(order: Order, body: &[u8]) -> String {
    let (units, rest) = body.as_chunks::<4>();
    let units = units.iter().map(|unit| match order {
        Order::Big => u32::from_be_bytes(*unit),
        Order::Little => u32::from_le_bytes(*unit),
    });
    let read = units.map(|unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER));
    read.chain(cut(rest)).collect()
}

/// What is too short for a character.
fn cut(rest: &[u8]) -> Option<char> {
    (!rest.is_empty()).then_some(char::REPLACEMENT_CHARACTER)
}
