//! A place as a person writes it: `env:VARIABLE`, `file:PATH`, `command:WORDS`.
//!
//! Commands are run without a shell: their words are split here, and nothing else of a shell is known.

use super::SecretSource;
use crate::OpenApiError;

impl SecretSource {
    /// The place that a text names: `env:VARIABLE`, `file:PATH`, or `command:PROGRAM ARGUMENTS`, with words that hold spaces
    /// in quotation marks. `None` if it names none.
    ///
    /// ```
    /// use opentool_openapi::SecretSource;
    ///
    /// assert!(SecretSource::parse("env:API_TOKEN")?.is_some());
    /// assert!(SecretSource::parse("command:pass show 'my api'")?.is_some());
    /// assert!(SecretSource::parse("tok_12345")?.is_none());
    /// # Ok::<(), opentool_openapi::OpenApiError>(())
    /// ```
    ///
    /// # Errors
    /// [`OpenApiError::Credential`] if a command has no words, or a quotation mark has no end.
    pub fn parse(text: &str) -> Result<Option<Self>, OpenApiError> {
        if let Some(variable) = text.strip_prefix("env:").filter(|name| !name.is_empty()) {
            return Ok(Some(Self::environment(variable)));
        }
        if let Some(path) = text.strip_prefix("file:").filter(|path| !path.is_empty()) {
            return Ok(Some(Self::file(path)));
        }
        let Some(command) = text.strip_prefix("command:") else { return Ok(None) };
        let wrong = || {
            OpenApiError::Credential {
            place: "the command".into(),
            reason: "it cannot be read; write `command:PROGRAM ARGUMENTS`, words with spaces in quotation marks; no shell \
                     reads it"
                .into(),
        }
        };
        let mut words = words(command).ok_or_else(wrong)?.into_iter();
        let program = words.next().ok_or_else(wrong)?;
        Ok(Some(Self::command(program, words)))
    }
}

/// The words of a command: separated by spaces, kept together by `'…'` and `"…"`; a backslash stands for itself, as in
/// paths of Windows. `None` if a quotation mark has no end.
pub fn words(text: &str) -> Option<Vec<String>> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        end if end == c => break,
                        inner => word.push(inner),
                    }
                }
            }
            c if c.is_whitespace() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn commands_are_split_into_words() {
        assert_eq!(words("pass show  api").unwrap(), ["pass", "show", "api"]);
        assert_eq!(
            words(r#"sh -c 'echo "a b"' "" x"y z""#).unwrap(),
            ["sh", "-c", r#"echo "a b""#, "", "xy z"]
        );
        assert_eq!(words(r"C:\bin\token.exe $HOME").unwrap(), [r"C:\bin\token.exe", "$HOME"]);
        assert_eq!(words("  ").unwrap(), [""; 0]);
        assert_eq!(words("a 'b"), None);
    }
}
