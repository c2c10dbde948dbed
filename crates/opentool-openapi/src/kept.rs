//! Arguments that are secrets of the host: its configuration says where they are kept, models neither see nor set them.
//!
//! They are read as late as credentials are, by whoever sends the request, and covered in all that is shown of it and of its
//! answer. What is not sent has `***` in their place, and nothing is read for it.

use std::time::Instant;

use opentool_core::{Arguments, ToolError};
use secrecy::{ExposeSecret as _, SecretString};

use crate::SecretSource;
use crate::oauth::read_kept;
use crate::plan::Operation;
use crate::request::{self, Request, Settings};

/// What stands for a secret in a request that is not sent.
const MASK: &str = "***";

/// The arguments of a tool that are kept elsewhere, by their names.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kept(Vec<(String, SecretSource)>);

/// What was read, in the order of the arguments.
pub(crate) struct Revealed(Vec<SecretString>);

impl Kept {
    pub(crate) fn add(&mut self, argument: &str, source: SecretSource) {
        self.0.push((argument.to_owned(), source));
    }

    /// Whether this argument is one of them.
    pub(crate) fn has(&self, argument: &str) -> bool {
        self.0.iter().any(|(name, _)| name == argument)
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reads them all.
    ///
    /// # Errors
    /// If one cannot be read; where it is kept is the operator's to know.
    pub(crate) async fn read(&self, end: Option<Instant>) -> Result<Revealed, ToolError> {
        let mut read = Vec::with_capacity(self.0.len());
        for (argument, source) in &self.0 {
            read.push(read_kept(source, &format!("value of the argument `{argument}`"), end).await?);
        }
        Ok(Revealed(read))
    }

    /// Throws away what a service refused. `false` if there is none, so that another try would be the same.
    pub(crate) fn forget(&self, refused: &Revealed) -> bool {
        for ((_, source), secret) in self.0.iter().zip(&refused.0) {
            source.forget(secret);
        }
        !self.0.is_empty()
    }

    /// The request with what was read, which nothing shows; without, with what stands in its place.
    ///
    /// # Errors
    /// Those of [`request::build`].
    pub(crate) fn build(
        &self,
        operation: &Operation,
        arguments: &Arguments,
        settings: &Settings,
        read: Option<&Revealed>,
    ) -> Result<Request, ToolError> {
        if self.is_empty() {
            return request::build(operation, arguments, settings);
        }
        let masks: Vec<SecretString> = self.0.iter().map(|_| MASK.into()).collect();
        // What the model did wrong is said of this one, in which there is nothing to repeat.
        let masked = self.request(operation, arguments, settings, &masks)?;
        let Some(Revealed(secrets)) = read else { return Ok(masked) };
        self.request(operation, arguments, settings, secrets).map_err(|_| {
            let names: Vec<String> = self.0.iter().map(|(name, _)| format!("`{name}`")).collect();
            ToolError::failed(format!(
                "nothing was sent: what the operator has set for {} cannot be sent in its place; it may hold a line end or \
                 another control character",
                names.join(", ")
            ))
        })
    }

    fn request(
        &self,
        operation: &Operation,
        arguments: &Arguments,
        settings: &Settings,
        secrets: &[SecretString],
    ) -> Result<Request, ToolError> {
        let mut members = arguments.clone().into_map();
        let own = self.0.iter().zip(secrets);
        members.extend(own.map(|((name, _), secret)| (name.clone(), secret.expose_secret().into())));
        let request = request::build(operation, &members.into(), settings)?;
        request.cover(operation, settings, secrets)
    }
}
