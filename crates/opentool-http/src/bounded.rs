//! What a service said, short enough for a model.

/// The longest text in characters.
const LONGEST: usize = 2_000;

/// A text of a service without control characters, cut at 2,000 characters.
pub fn bounded(text: &str) -> String {
    let clean = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
    let mut bounded: String = text.chars().filter(clean).take(LONGEST).collect();
    if text.chars().filter(clean).nth(LONGEST).is_some() {
        bounded.push_str(" … (cut)");
    }
    bounded
}
