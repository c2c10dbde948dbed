//! `--args-by-location`: arguments named by their place in the request, as in the document, and not by the tool.
//!
//! This is the notation in which requests are compared with what a document asks for (`conformance/README.md`), so a
//! dry run shows what these arguments become, also where the tool's input schema would refuse them, and says so. A
//! real call goes through the same door as every other.

use opentool::openapi::Api;
use opentool::openapi::plan::Operation;
use opentool::openapi::request::{Located, Request, Settings};
use opentool::schema::{RepairPolicy, Repairs, ToolSetExt as _};
use opentool::{ToolCall, ToolSet};
use serde_json::{Map, Value};

use crate::console::Console;
use crate::credentials;
use crate::error::CliError;

/// Arguments by location, and the operation that they are for.
pub(crate) struct ByLocation<'a> {
    api: &'a Api,
    operation: &'a Operation,
    located: Located,
}

impl<'a> ByLocation<'a> {
    /// Sorts the arguments.
    ///
    /// # Errors
    /// [`CliError::NotSent`] for a name that the operation does not have.
    pub(crate) fn read(
        api: &'a Api,
        operation: &'a Operation,
        arguments: &Map<String, Value>,
    ) -> Result<Self, CliError> {
        let located = Located::by_location(operation, arguments).map_err(CliError::NotSent)?;
        Ok(Self { api, operation, located })
    }

    /// The same arguments under the names that the tool has for them.
    ///
    /// # Errors
    /// [`CliError::NotSent`] for what the tool has no argument for.
    pub(crate) fn into_call(self, tool: &str) -> Result<ToolCall, CliError> {
        let arguments = self.located.into_arguments(self.operation).map_err(CliError::NotSent)?;
        Ok(ToolCall::new("1", tool, arguments.into_map()))
    }

    /// Prints the request. Credentials are hidden, but for those in `typed`, which the person wrote on this very
    /// command line, and these only where a program reads.
    ///
    /// # Errors
    /// [`CliError::NotSent`] if there is no request.
    pub(crate) fn show(
        self,
        tool: &str,
        tools: &ToolSet,
        typed: &Settings,
        console: &Console,
    ) -> Result<(), CliError> {
        let request = self.request(self.api.settings())?;
        if console.is_json() {
            console.json(&self.shown(&request, typed))?;
        } else {
            console.data(format!("{}\n", request.to_curl()).as_bytes())?;
        }
        let refused = match self.into_call(tool) {
            Ok(call) => tools.take(&call, &RepairPolicy::new(Repairs::Off)).err().map(CliError::Call),
            Err(error) => Some(error),
        };
        match refused {
            Some(error) => Ok(console.warning(&format!("without `--dry-run`: {error}"))?),
            None => Ok(()),
        }
    }

    /// The request with the credentials of `typed` in plain sight, if it carries no others. It is built a second time
    /// from these alone, so no other credential can come to light.
    fn shown(&self, request: &Request, typed: &Settings) -> Value {
        let masked = request.to_json();
        match self.request(typed) {
            Ok(open) if open.to_json() == masked => open.to_json_with_secrets(),
            _ => masked,
        }
    }

    fn request(&self, settings: &Settings) -> Result<Request, CliError> {
        credentials::request(settings, |settings| {
            self.api.clone().with(settings.clone()).request_located(&self.operation.name, &self.located)
        })
    }
}
