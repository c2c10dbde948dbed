//! A text that a regular expression matches.
//!
//! Expressions with look-around or back-references are not read, and assertions within are taken to hold: the caller may
//! get a text that does not match, or none.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

/// The longest expression that is read, in bytes.
const LONGEST: usize = 2_000;

/// The most steps for one text: each character takes some, and so does what matches nothing a million times.
const MOST: usize = 20_000;

/// How much more often than they must what may be repeated is, until the text is long enough.
const EXTRA: [u32; 9] = [0, 1, 2, 4, 8, 16, 32, 64, 256];

/// What is looked for first in a class of characters.
const LIKELY: &str = "aAb0B1c2_-.3 ";

/// A text with at least `least` and at most `most` characters; `index` chooses among alternatives.
pub(super) fn matching(pattern: &str, least: usize, most: usize, index: usize) -> Option<String> {
    if pattern.len() > LONGEST {
        return None;
    }
    let hir = ParserBuilder::new().nest_limit(50).build().parse(pattern).ok()?;
    EXTRA.into_iter().find_map(|extra| {
        let mut text = String::new();
        let mut writing = Writing { extra, index, left: MOST };
        writing.hir(&hir, &mut text)?;
        (least..=most).contains(&text.chars().count()).then_some(text)
    })
}

struct Writing {
    extra: u32,
    index: usize,
    left: usize,
}

impl Writing {
    /// Writes what the expression matches; nothing if that is too much, or if there is nothing that it matches.
    fn hir(&mut self, hir: &Hir, text: &mut String) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(literal) => {
                let literal = std::str::from_utf8(&literal.0).ok()?;
                self.left = self.left.checked_sub(literal.len())?;
                text.push_str(literal);
            }
            HirKind::Class(class) => {
                text.push(self.of_class(class)?);
            }
            HirKind::Repetition(repetition) => {
                let most = repetition.max.unwrap_or(u32::MAX);
                for _ in 0..repetition.min.saturating_add(self.extra).min(most) {
                    self.hir(&repetition.sub, text)?;
                }
            }
            HirKind::Capture(capture) => self.hir(&capture.sub, text)?,
            HirKind::Concat(parts) => parts.iter().try_for_each(|part| self.hir(part, text))?,
            HirKind::Alternation(branches) => {
                let turn = self.index.checked_rem(branches.len()).unwrap_or(0);
                self.hir(branches.get(turn)?, text)?;
            }
        }
        Some(())
    }

    fn of_class(&mut self, class: &Class) -> Option<char> {
        let ranges: Vec<(char, char)> = match class {
            Class::Unicode(class) => class.iter().map(|range| (range.start(), range.end())).collect(),
            Class::Bytes(class) => {
                class.iter().map(|range| (char::from(range.start()), char::from(range.end()))).collect()
            }
        };
        let holds = |c: char| ranges.iter().any(|(from, to)| (*from..=*to).contains(&c));
        let mut likely = LIKELY.chars().filter(|c| holds(*c)).cycle().skip(self.index % 3);
        let visible = || ranges.iter().map(|(from, _)| *from).find(|c| !c.is_control() && *c != ' ');
        likely.next().or_else(visible).or_else(|| ranges.first().map(|(from, _)| *from))
    }
}

#[cfg(test)]
mod tests {
    use super::matching;

    #[test]
    fn texts_match_their_expressions() {
        for (pattern, least, most, expected) in [
            ("^[a-z]{2}$", 0, 9, "aa"),
            (r"^\d{3}-\d{4}$", 0, 20, "000-0000"),
            ("^(red|green)$", 0, 9, "red"),
            ("^a*$", 3, 9, "aaaa"),
            ("^[A-Z][A-Z0-9_]+$", 1, 9, "AA"),
            (r"^\/pets\/[^/]+$", 0, 20, "/pets/a"),
            ("", 0, 0, ""),
        ] {
            assert_eq!(matching(pattern, least, most, 0).as_deref(), Some(expected), "{pattern}");
        }
        assert_eq!(matching("^(red|green)$", 0, 9, 1).as_deref(), Some("green"));
    }

    #[test]
    fn what_cannot_be_read_or_is_too_much_gives_nothing() {
        for pattern in ["^(?=a)b", r"(a)\1", "(", "^((a{1000}){1000}){1000}$", &"(".repeat(10_000)] {
            assert_eq!(matching(pattern, 0, 9, 0), None, "{pattern}");
        }
    }
}
