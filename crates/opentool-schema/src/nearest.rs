//! The likeliest name that was meant.

/// How alike two words must be, from 0 to 1, to be worth a question.
const ENOUGH: f64 = 0.8;
/// Longer words and longer lists are not compared: the cost grows with the product.
const LONGEST: usize = 64;
const MOST: usize = 1000;

/// The candidate that looks most like `word`: the same but for case and separators, or nearly the same.
pub(crate) fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    if word.len() > LONGEST {
        return None;
    }
    let word = plain(word);
    let mut best: Option<(f64, &str)> = None;
    for candidate in candidates.into_iter().take(MOST).filter(|candidate| candidate.len() <= LONGEST) {
        let score = likeness(&word, &plain(candidate));
        if score >= ENOUGH && best.is_none_or(|(most, _)| score > most) {
            best = Some((score, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Up to `most` candidates that look like `word`, the likeliest first.
pub(crate) fn ranked<'c>(
    word: &str,
    candidates: impl IntoIterator<Item = &'c str>,
    most: usize,
) -> Vec<&'c str> {
    if word.len() > LONGEST {
        return Vec::new();
    }
    let word = plain(word);
    let candidates = candidates.into_iter().take(MOST).filter(|candidate| candidate.len() <= LONGEST);
    let mut scored: Vec<(f64, &str)> = candidates
        .map(|candidate| (likeness(&word, &plain(candidate)), candidate))
        .filter(|(score, _)| *score >= ENOUGH)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().take(most).map(|(_, candidate)| candidate).collect()
}

fn likeness(a: &str, b: &str) -> f64 {
    if a == b {
        return if a.is_empty() { 0.0 } else { 1.0 };
    }
    // Short words look alike by chance: they must be one slip apart.
    if a.len().min(b.len()) < 4 {
        return if a.len().max(b.len()) > 2 && strsim::osa_distance(a, b) == 1 { ENOUGH } else { 0.0 };
    }
    // One within the other is how models shorten and lengthen names: `city` for `city_name`.
    let within = if a.contains(b) || b.contains(a) { ENOUGH } else { 0.0 };
    strsim::normalized_damerau_levenshtein(a, b).max(within).max(strsim::jaro_winkler(a, b) - 0.08)
}

/// Lower case, and only what distinguishes words.
fn plain(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
