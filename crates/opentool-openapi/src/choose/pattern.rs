//! Patterns for names and paths: `*` stands for anything but a slash, `**` for anything.

/// Whether a text fits a pattern. `?` and everything else stand for themselves. Takes time in proportion to the product of
/// the lengths at worst, whatever the pattern.
pub(super) fn fits(pattern: &str, text: &str) -> bool {
    let pattern: Vec<Token> = tokens(pattern);
    let text: Vec<char> = text.chars().collect();
    // `reach[i]`: the pattern so far can end before the `i`-th character.
    let mut reach = vec![false; text.len().saturating_add(1)];
    if let Some(first) = reach.first_mut() {
        *first = true;
    }
    for token in pattern {
        let mut next = vec![false; reach.len()];
        let mut open = false;
        for (index, can) in reach.iter().enumerate() {
            let before = index.checked_sub(1).and_then(|before| text.get(before));
            match token {
                Token::Char(wanted) => {
                    let from = index.checked_sub(1).and_then(|before| reach.get(before)) == Some(&true);
                    if let Some(slot) = next.get_mut(index) {
                        *slot = from && before == Some(&wanted);
                    }
                }
                Token::Star { slashes } => {
                    open = *can || (open && (slashes || before != Some(&'/')));
                    if let Some(slot) = next.get_mut(index) {
                        *slot = open;
                    }
                }
            }
        }
        reach = next;
    }
    reach.last() == Some(&true)
}

#[derive(Clone, Copy)]
enum Token {
    Char(char),
    Star { slashes: bool },
}

fn tokens(pattern: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '*' {
            tokens.push(Token::Char(c));
            continue;
        }
        let slashes = chars.peek() == Some(&'*');
        while chars.peek() == Some(&'*') {
            chars.next();
        }
        tokens.push(Token::Star { slashes });
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn stars_stop_at_slashes_and_double_stars_do_not() {
        for (pattern, text, expected) in [
            ("/pets", "/pets", true),
            ("/pets", "/pets/1", false),
            ("/pets/*", "/pets/{id}", true),
            ("/pets/*", "/pets/{id}/toys", false),
            ("/pets/**", "/pets/{id}/toys", true),
            ("/pets**", "/pets", true),
            ("/*/toys", "/pets/toys", true),
            ("**/toys", "/a/b/toys", true),
            ("list*", "listPets", true),
            ("*Pet*", "listPets", true),
            ("*", "", true),
            ("", "a", false),
            ("a?c", "abc", false),
        ] {
            assert_eq!(fits(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn hostile_patterns_end() {
        let text = "a".repeat(5_000);
        assert!(!fits(&format!("{}b", "*a".repeat(200)), &text));
    }
}
