//! Media types against each other: what a client accepts, and what a document declares.

use crate::plan::{essence, is_json};

/// What a refusal is written in.
pub(super) const PROBLEM: &str = "application/problem+json";

/// The index of the offered media type that the `Accept` header likes best; `None` if it takes none of them.
pub(super) fn choose(accept: Option<&str>, offered: &[&str]) -> Option<usize> {
    let ranges: Vec<(String, f32)> = accept
        .filter(|accept| !accept.trim().is_empty())
        .unwrap_or("*/*")
        .split(',')
        .filter(|range| !range.trim().is_empty())
        .map(|range| {
            let quality = range.split(';').skip(1).find_map(|part| {
                let (name, value) = part.split_once('=')?;
                name.trim().eq_ignore_ascii_case("q").then(|| value.trim().parse().ok())?
            });
            (essence(range), quality.unwrap_or(1.0))
        })
        .collect();
    let quality = |offer: &str| -> f32 {
        // The most specific range that fits decides (RFC 9110, section 12.5.1).
        let fitting = ranges.iter().filter(|(range, _)| covers(range, offer));
        fitting.max_by_key(|(range, _)| specificity(range)).map_or(0.0, |(_, quality)| *quality)
    };
    let mut best: Option<(usize, f32, bool)> = None;
    for (index, offer) in offered.iter().enumerate() {
        let (quality, json) = (quality(offer), is_json(offer));
        let better = match best {
            None => quality > 0.0,
            // Of equals JSON, then the first.
            Some((_, most, was_json)) => quality > most || quality == most && json && !was_json,
        };
        if better {
            best = Some((index, quality, json));
        }
    }
    best.map(|(index, ..)| index)
}

/// Whether a range (`image/*`) has room for a media type, which may be a range itself.
pub(super) fn covers(range: &str, media_type: &str) -> bool {
    let (range, media_type) = (essence(range), essence(media_type));
    let (kind, sub) = range.split_once('/').unwrap_or((&range, "*"));
    let (own_kind, own_sub) = media_type.split_once('/').unwrap_or((&media_type, "*"));
    (kind == "*" || own_kind == "*" || kind == own_kind) && (sub == "*" || own_sub == "*" || sub == own_sub)
}

/// How exactly a range says what it means.
pub(super) fn specificity(range: &str) -> u8 {
    match essence(range).split_once('/') {
        Some(("*", _)) | None => 0,
        Some((_, "*")) => 1,
        Some(_) => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::choose;

    #[test]
    fn the_client_chooses_then_json_then_the_order() {
        let offered = ["application/xml", "application/json", "text/plain"];
        for (accept, expected) in [
            (None, Some(1)),
            (Some("*/*"), Some(1)),
            (Some("text/*"), Some(2)),
            (Some("application/json;q=0.5, application/xml"), Some(0)),
            (Some("*/*;q=0.1, text/plain;q=0.9, application/json;q=0"), Some(2)),
            (Some("image/png"), None),
            (Some(""), Some(1)),
        ] {
            assert_eq!(choose(accept, &offered), expected, "{accept:?}");
        }
    }
}
