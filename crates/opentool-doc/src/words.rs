//! Words for messages: pictures of values, and the likeliest word that was meant.

use opentool_text::Tree;
use serde_json::Value;

/// The longest picture of a value or a name, in characters. Documents may hold names of megabytes.
const LONGEST: usize = 60;

/// A text, cut where it is long.
pub(crate) fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((cut, _)) => format!("{}…", text.get(..cut).unwrap_or_default()),
    }
}

/// A value as it is written, cut where it is long; only the kind of what is not a scalar.
pub(crate) fn literal(value: &Tree<'_>) -> String {
    match value {
        Tree::String(text) => Value::String(short(text)).to_string(),
        Tree::Array(_) | Tree::Object(_) => value.kind().to_owned(),
        other => other.to_string(),
    }
}

/// What was found, with its kind: `the text "5"`.
pub(crate) fn found(value: &Tree<'_>) -> String {
    match value {
        Tree::String(_) => format!("the text {}", literal(value)),
        Tree::Number(_) => format!("the number {value}"),
        Tree::Bool(_) => format!("the boolean {value}"),
        other => other.kind().to_owned(),
    }
}

/// The least likeness that is worth a question.
const ENOUGH: f64 = 0.75;

/// How often a document is still helped with a likely word: comparing takes time, and what is compared is a stranger's.
#[derive(Debug)]
pub(crate) struct Guesses {
    words: usize,
}

impl Default for Guesses {
    fn default() -> Self {
        Self { words: 20 }
    }
}

impl Guesses {
    /// The nearest of names that the document chose, as long as it has not asked too often.
    pub(crate) fn nearest<'c>(
        &mut self,
        word: &str,
        candidates: impl IntoIterator<Item = &'c str>,
    ) -> Option<&'c str> {
        self.words = self.words.checked_sub(1)?;
        nearest(word, candidates)
    }
}

/// The candidate that looks most like `word`: the same but for case and separators, or one that is nearly the same.
/// For candidates that are ours and few; those of a document are for [`Guesses`].
pub(crate) fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    const MOST: usize = 500;
    if word.len() > LONGEST {
        return None;
    }
    let word = plain(word);
    let mut best: Option<(f64, &str)> = None;
    for candidate in candidates.into_iter().take(MOST).filter(|candidate| candidate.len() <= LONGEST) {
        let other = plain(candidate);
        let score = if word == other && !word.is_empty() {
            1.0
        } else if apart(&word, &other) {
            within(&word, &other)
        } else {
            strsim::normalized_damerau_levenshtein(&word, &other).max(within(&word, &other))
        };
        if score >= ENOUGH && best.is_none_or(|(most, _)| score > most) {
            best = Some((score, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Whether the lengths alone say that the words are not alike.
fn apart(one: &str, other: &str) -> bool {
    let (one, other) = (one.chars().count(), other.chars().count());
    one.abs_diff(other).saturating_mul(4) > one.max(other)
}

/// One word that begins with the other: `params`, `descr`.
fn within(one: &str, other: &str) -> f64 {
    let (one, other) = (one.trim_end_matches('s'), other.trim_end_matches('s'));
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    if short.len() >= 4 && long.starts_with(short) { 0.8 } else { 0.0 }
}

fn plain(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
