//! Which words a name is made of: `createdAt`, `created_at` and `created-at` are the same.

/// The longest name that is looked at, in characters.
const LONGEST: usize = 64;

/// The words of a name in lower case.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut inside = false;
    let mut upper = false;
    for c in name.chars().take(LONGEST) {
        let begins = c.is_uppercase() && !upper;
        upper = c.is_uppercase();
        if !c.is_alphanumeric() {
            inside = false;
            continue;
        }
        match words.last_mut() {
            Some(word) if inside && !begins => word.extend(c.to_lowercase()),
            _ => words.push(c.to_lowercase().collect()),
        }
        inside = true;
    }
    words
}

/// The entry of the table for the name: for its last word, else for one before.
pub(super) fn lookup<T: Copy>(name: &str, table: &[(&[&str], T)]) -> Option<T> {
    let words = words(name);
    words.iter().rev().find_map(|word| {
        table.iter().find(|(names, _)| names.contains(&word.as_str())).map(|(_, value)| *value)
    })
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn names_of_all_styles_have_the_same_words() {
        for name in ["createdAt", "created_at", "created-at", "CreatedAt", " created at"] {
            assert_eq!(words(name), ["created", "at"], "{name}");
        }
        assert_eq!(words("photoURLs"), ["photo", "urls"]);
        assert_eq!(words(""), Vec::<String>::new());
        assert!(words(&"x".repeat(1_000_000)).concat().len() <= 64);
    }
}
