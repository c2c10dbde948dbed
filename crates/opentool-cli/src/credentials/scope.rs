//! Which values of the command line and the environment are meant for which source.
//!
//! With several APIs a value without a name in front of it is refused: a token must never reach a service that it
//! was not meant for.

use std::env::VarError;

use secrecy::{ExposeSecret as _, SecretString};

use super::secret::Secret;
use crate::error::CliError;

/// Which values are meant for one source.
pub(crate) struct Scope<'a> {
    /// The names of all sources.
    pub(crate) names: &'a [String],
    /// The name of this one.
    pub(crate) own: Option<&'a str>,
    /// Whom values without a name are for.
    pub(crate) unnamed: Unnamed,
}

/// Whom a value without a name in front is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unnamed {
    /// This source: it is the only one that calls somebody.
    Own,
    /// One of several, nobody knows which.
    Unclear,
    /// Others: this source calls nobody.
    Others,
}

impl Scope<'_> {
    /// The API key for this source, of the command line or the environment, or from where it is kept.
    ///
    /// # Errors
    /// [`CliError::Usage`] if it is not certain for which source it is, empty, or not to be had.
    pub(crate) fn api_key(&self, values: &[SecretString]) -> Result<Option<SecretString>, CliError> {
        self.secret("--api-key", "API_KEY", values)?.map(Secret::read).transpose()
    }

    /// [`Scope::api_key`] where a server that is being asked wants it.
    ///
    /// # Errors
    /// Those of [`Scope::api_key`].
    pub(crate) async fn wanted_api_key(
        &self,
        values: &[SecretString],
    ) -> Result<Option<SecretString>, CliError> {
        match self.secret("--api-key", "API_KEY", values)? {
            Some(secret) => secret.fetch().await.map(Some),
            None => Ok(None),
        }
    }

    /// The values of an option that are meant for this source, without the name in front.
    ///
    /// # Errors
    /// [`CliError::Usage`] if it is not certain for which source one is.
    pub(crate) fn values<'v>(
        &self,
        option: &str,
        values: impl Iterator<Item = &'v str>,
    ) -> Result<Vec<&'v str>, CliError> {
        let mut own = Vec::new();
        for value in values {
            match value.split_once('=').filter(|(name, _)| self.names.iter().any(|known| known == name)) {
                Some((name, value)) if Some(name) == self.own => own.push(value),
                Some(_) => {}
                None if self.unnamed == Unnamed::Own => own.push(value),
                None if self.unnamed == Unnamed::Others => {}
                None => {
                    return Err(CliError::usage(
                        format!("there are several APIs, and `{option}` does not say which one it is for"),
                        format!("name the source and say the name: `shop=SOURCE {option} shop=…`"),
                    ));
                }
            }
        }
        Ok(own)
    }

    /// The same for a secret, which the environment can hold too: `OPENTOOL_BEARER`, and for a source named `shop`
    /// `OPENTOOL_SHOP_BEARER`. The option counts before either. A variable that is empty is not set; an empty option
    /// is most often a variable of the shell that was not, and to send without is asked for by `--anonymous`.
    ///
    /// # Errors
    /// [`CliError::Usage`] if it is not certain for which source it is, or empty.
    pub(super) fn secret(
        &self,
        option: &str,
        variable: &str,
        values: &[SecretString],
    ) -> Result<Option<Secret>, CliError> {
        let given = self.values(option, values.iter().map(|value| value.expose_secret()))?;
        if given.contains(&"") {
            return Err(CliError::usage(
                format!("the value of `{option}` is empty"),
                format!("leave `{option}` out, or give it a value; `--anonymous` sends without credentials"),
            ));
        }
        // Also those that count no more: whoever wrote them is to know that they could not be sent.
        let read = given.iter().map(|text| Secret::of_option(option, text));
        if let Some(last) = read.collect::<Result<Vec<_>, _>>()?.pop() {
            return Ok(Some(last));
        }
        if values.is_empty()
            && let Some(common) = environment(&format!("OPENTOOL_{variable}"))?
        {
            // What belongs to nobody in particular is refused where it is not clear whose it is.
            let own = self.values(option, std::iter::once(common.expose_secret()))?;
            if let Some(text) = own.first() {
                return Secret::of_variable(option, text).map(Some);
            }
        }
        Ok(self.own_variable(variable)?.map(Secret::Text))
    }

    /// The variable that is meant for this source by name: `OPENTOOL_SHOP_BEARER`.
    ///
    /// # Errors
    /// [`CliError::Usage`] if it is not text.
    pub(super) fn own_variable(&self, variable: &str) -> Result<Option<SecretString>, CliError> {
        match self.own {
            Some(name) => {
                let name = name.to_ascii_uppercase().replace('-', "_");
                environment(&format!("OPENTOOL_{name}_{variable}"))
            }
            None => Ok(None),
        }
    }
}

/// A variable of the environment, if it is set and not empty.
pub(crate) fn environment(name: &str) -> Result<Option<SecretString>, CliError> {
    match std::env::var(name) {
        Ok(value) if value.is_empty() => Ok(None),
        Ok(value) => Ok(Some(value.into())),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => Err(CliError::usage(
            format!("the value of the variable {name} is not text in UTF-8"),
            "set it again, or unset it",
        )),
    }
}

/// A secret of the command line. The error cannot repeat it: only an empty one is refused.
pub(crate) fn not_empty(text: &str) -> Result<SecretString, &'static str> {
    if text.is_empty() {
        return Err(
            "it is empty; leave it out, or give it a value (`--anonymous` sends without credentials)",
        );
    }
    Ok(text.into())
}
