//! Call ids as a format can hold them, and the way back.
//!
//! A conversation that began elsewhere brings ids that the next provider refuses: Mistral takes nine letters and
//! digits and nothing else, OpenAI at most 40 characters, Anthropic and Bedrock no dots. An id that fits stays as it
//! is. Any other becomes one made from a hash of it: always the same, so that a call and its result agree without a
//! table, and so that a stored conversation is written the same way again.

use std::collections::HashMap;

use super::MessageFormat;

/// The digits of a made id.
const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// Letters and digits of an id of Mistral.
const MISTRAL: usize = 9;

/// The ids of one conversation in one format. It remembers what it mapped, and finds the way back.
///
/// ```
/// # use opentool_schema::{CallIds, MessageFormat};
/// let mut ids = CallIds::new(MessageFormat::Mistral);
/// let wire = ids.encode("toolu_01A09q90qw90lq917835lq9");
/// assert_eq!(wire.len(), 9);
/// assert_eq!(ids.decode(&wire), "toolu_01A09q90qw90lq917835lq9");
/// assert_eq!(ids.encode("D681PevKs"), "D681PevKs");
/// ```
#[derive(Debug, Clone)]
pub struct CallIds {
    format: MessageFormat,
    wires: HashMap<String, String>,
    owners: HashMap<String, String>,
}

impl CallIds {
    /// No ids yet.
    pub fn new(format: MessageFormat) -> Self {
        Self { format, wires: HashMap::new(), owners: HashMap::new() }
    }

    /// The id as the format can hold it; different ones for different ids.
    pub fn encode(&mut self, id: &str) -> String {
        if let Some(wire) = self.wires.get(id) {
            return wire.clone();
        }
        let mut wire = if is_legal(self.format, id) { id.to_owned() } else { hashed(self.format, id, 0) };
        // Two ids with one hash, or an id that is another one's hash.
        let mut round = 1_u32;
        while self.owners.contains_key(&wire) {
            wire = hashed(self.format, id, round);
            round = round.saturating_add(1);
        }
        self.wires.insert(id.to_owned(), wire.clone());
        self.owners.insert(wire.clone(), id.to_owned());
        wire
    }

    /// The id that was encoded so; any other comes back as it is.
    pub fn decode<'a>(&'a self, wire: &'a str) -> &'a str {
        self.owners.get(wire).map_or(wire, String::as_str)
    }
}

fn is_legal(format: MessageFormat, id: &str) -> bool {
    let made_of = |more: &str| id.chars().all(|c| c.is_ascii_alphanumeric() || more.contains(c));
    match format {
        MessageFormat::Mistral => id.len() == MISTRAL && made_of(""),
        MessageFormat::OpenAiChat => (1..=40).contains(&id.len()),
        MessageFormat::Anthropic | MessageFormat::Bedrock => (1..=64).contains(&id.len()) && made_of("_-"),
        MessageFormat::OpenAiResponses | MessageFormat::Cohere => (1..=64).contains(&id.len()),
        MessageFormat::Gemini | MessageFormat::Ollama | MessageFormat::Text => !id.is_empty(),
        MessageFormat::Mcp
        | MessageFormat::Mcp20251125
        | MessageFormat::Mcp20250618
        | MessageFormat::Mcp20250326
        | MessageFormat::Mcp20241105 => !id.is_empty(),
    }
}

fn hashed(format: MessageFormat, id: &str, round: u32) -> String {
    let hash = hash(id, round);
    match format {
        MessageFormat::Mistral => digits(hash, MISTRAL),
        _ => format!("call_{}", digits(hash, 11)),
    }
}

fn digits(mut number: u64, count: usize) -> String {
    let mut text = String::with_capacity(count);
    for _ in 0..count {
        let digit = usize::try_from(number % 62).unwrap_or_default();
        text.push(DIGITS.get(digit).copied().map_or('0', char::from));
        number /= 62;
    }
    text
}

/// FNV-1a with a finish that spreads short differences: stable for ever, as the standard library's hash is not.
fn hash(id: &str, round: u32) -> u64 {
    let bytes = id.bytes().chain(round.to_le_bytes());
    let sum = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let mixed = (sum ^ (sum >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    mixed ^ (mixed >> 33)
}
