//! A secret as a person gives it: its text, or where it is kept: `env:VARIABLE`, `file:PATH`, `command:WORDS`.
//!
//! What is kept elsewhere is read when it is needed, by the library, which reads it again when a service refuses it.
//! Commands are run without a shell: their words are split here, and nothing else of a shell is known.

use opentool::openapi::SecretSource;
use secrecy::SecretString;

use crate::error::CliError;
use crate::runtime;

/// The forms that name a place.
pub(crate) const FORMS: &str = "`env:VARIABLE`, `file:PATH` or `command:PROGRAM ARGUMENTS`";

/// A secret, or where it is.
#[derive(Debug, Clone)]
pub(crate) enum Secret {
    /// The secret itself.
    Text(SecretString),
    /// Its place.
    Kept(SecretSource),
}

impl Secret {
    /// Reads the value of an option.
    ///
    /// # Errors
    /// [`CliError::Usage`], which never repeats the value.
    pub(crate) fn of_option(option: &str, text: &str) -> Result<Self, CliError> {
        Ok(match Self::place(option, text)? {
            Some(source) => Self::Kept(source),
            None => return Self::of_variable(option, text),
        })
    }

    /// Takes a text as it is. `option` is what it is for.
    ///
    /// # Errors
    /// [`CliError::Usage`], which never repeats the text.
    pub(crate) fn of_variable(option: &str, text: &str) -> Result<Self, CliError> {
        if text.contains(char::is_control) {
            return Err(CliError::usage(
                format!("the value for `{option}` holds a line break or another control character"),
                format!(
                    "give it without: `{option} \"$(cat FILE)\"` leaves out the last line break of a file, \
                     `{option} file:FILE` reads it"
                ),
            ));
        }
        Ok(Self::Text(text.into()))
    }

    /// The place that a text names; `None` if it names none.
    ///
    /// # Errors
    /// [`CliError::Usage`] if a command has no words, or a quotation mark has no end.
    pub(crate) fn place(option: &str, text: &str) -> Result<Option<SecretSource>, CliError> {
        if let Some(variable) = text.strip_prefix("env:").filter(|name| !name.is_empty()) {
            return Ok(Some(SecretSource::environment(variable)));
        }
        if let Some(path) = text.strip_prefix("file:").filter(|path| !path.is_empty()) {
            return Ok(Some(SecretSource::file(path)));
        }
        let Some(command) = text.strip_prefix("command:") else { return Ok(None) };
        let wrong = || {
            CliError::usage(
                format!("the command for `{option}` cannot be read"),
                "write `command:PROGRAM ARGUMENTS`, words with spaces in quotation marks; no shell reads it",
            )
        };
        let mut words = words(command).ok_or_else(wrong)?.into_iter();
        let program = words.next().ok_or_else(wrong)?;
        Ok(Some(SecretSource::command(program, words)))
    }

    /// The secret itself, read from its place if need be.
    ///
    /// # Errors
    /// [`CliError::Usage`] if it cannot be read.
    pub(crate) fn read(self) -> Result<SecretString, CliError> {
        let source = match self {
            Self::Text(text) => return Ok(text),
            Self::Kept(source) => source,
        };
        runtime::wait_for(async {
            source.read().await.map_err(|error| {
                CliError::usage(
                    error.to_string(),
                    "a secret is given as its text, or kept elsewhere: env:, file:, command:",
                )
            })
        })
    }
}

/// The words of a command: separated by spaces, kept together by `'…'` and `"…"`; a backslash stands for itself, as in
/// paths of Windows. `None` if a quotation mark has no end.
pub(crate) fn words(text: &str) -> Option<Vec<String>> {
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
