//! A secret as a person gives it: its text, or where it is kept: `env:VARIABLE`, `file:PATH`, `command:WORDS`.
//!
//! What is kept elsewhere is read when it is needed, by the library, which reads it again when a service refuses it.
//! Commands are run without a shell.

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
        SecretSource::parse(text).map_err(|_| {
            CliError::usage(
                format!("the command for `{option}` cannot be read"),
                "write `command:PROGRAM ARGUMENTS`, words with spaces in quotation marks; no shell reads it",
            )
        })
    }

    /// The secret itself, read from its place if need be.
    ///
    /// # Errors
    /// [`CliError::Usage`] if it cannot be read.
    pub(crate) fn read(self) -> Result<SecretString, CliError> {
        match self {
            Self::Text(text) => Ok(text),
            kept @ Self::Kept(_) => runtime::wait_for(kept.fetch()),
        }
    }

    /// [`Secret::read`] for those who wait for something else already: a runtime starts no other.
    ///
    /// # Errors
    /// Those of [`Secret::read`].
    pub(crate) async fn fetch(self) -> Result<SecretString, CliError> {
        let source = match self {
            Self::Text(text) => return Ok(text),
            Self::Kept(source) => source,
        };
        source.read().await.map_err(|error| {
            CliError::usage(
                error.to_string(),
                "a secret is given as its text, or kept elsewhere: env:, file:, command:",
            )
        })
    }
}
