//! What becomes of the operations of OpenAPI documents: chosen, renamed and described by a file, and kept small.

use std::fs::File;
use std::io::Read as _;

use opentool::openapi::{Config, OpenApiError, OutputSchemas};

use crate::credentials::{Scope, Unnamed};
use crate::error::CliError;
use crate::source::{Content, Source, SourceError};

/// The largest configuration in bytes.
const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// What OpenAPI documents are made into.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Shaping tools of OpenAPI documents")]
pub(crate) struct Shape {
    /// Choose, rename and describe operations as this YAML or JSON file says
    ///
    /// Its keys: `include` and `exclude` (lists of `tag`, `path`, `method`, `operation`, `deprecated`, `read-only`),
    /// `marked` (`respect`, `ignore`, `only`), `operations` (by `operationId`, tool or `GET /path`: `exclude`, `name`,
    /// `title`, `description`, `read-only`, `destructive`, `idempotent`, `arguments`, `result`), `result`, `budget`
    /// (`max-tool-bytes`, `max-description-bytes`, `output-schemas`); docs/openapi-config.md explains them
    #[arg(long, value_name = "[NAME=]FILE")]
    config: Vec<String>,
    /// The largest definition of a tool: what is too much loses its output schema, examples, long descriptions, and at
    /// last the schemas farthest from the arguments
    #[arg(long, value_name = "BYTES", value_parser = bytes, hide_short_help = true)]
    max_tool_bytes: Option<usize>,
    /// Tell models what tools take, and not what they answer
    #[arg(long, hide_short_help = true)]
    no_output_schemas: bool,
    /// Show models these parts of JSON results only: `/items/*/name`
    #[arg(long, value_name = "POINTER", value_parser = pointer, hide_short_help = true)]
    result_pointer: Vec<String>,
}

/// A size as a person writes it: `8000`, `8k`, `8KiB`, `2MB`.
pub(crate) fn bytes(text: &str) -> Result<usize, String> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let factor = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => Some(1_usize),
        "k" | "kb" => Some(1_000),
        "kib" => Some(1_024),
        "m" | "mb" => Some(1_000_000),
        "mib" => Some(1_024 * 1_024),
        _ => None,
    };
    let bytes = factor.and_then(|factor| number.parse::<usize>().ok()?.checked_mul(factor));
    bytes
        .filter(|bytes| *bytes > 0)
        .ok_or_else(|| "expected a number of bytes, such as `8000` or `8kB`".into())
}

fn pointer(text: &str) -> Result<String, &'static str> {
    if text.is_empty() || text.starts_with('/') {
        Ok(text.to_owned())
    } else {
        Err("expected a JSON Pointer, such as `/items/*/name`")
    }
}

impl Shape {
    /// Gives every API the shape that is meant for it.
    ///
    /// # Errors
    /// [`CliError::Usage`] for a configuration that cannot be found, or that could be meant for more than one API;
    /// [`CliError::Source`] for one that does not fit.
    pub(crate) fn apply(&self, sources: Vec<Source>) -> Result<Vec<Source>, CliError> {
        if !self.is_set() {
            return Ok(sources);
        }
        let names: Vec<String> = sources.iter().filter_map(|source| source.spec.name.clone()).collect();
        let apis = sources.iter().filter(|source| source.api().is_some()).count();
        let unnamed = if apis == 1 { Unnamed::Own } else { Unnamed::Unclear };
        // One of a directory that cannot be read was one, too.
        let broken = sources.iter().filter(|source| source.spec.directory.is_some()).count();
        if apis == 0 && broken == 0 {
            return Err(CliError::usage(
                format!("`{}` is about OpenAPI documents, and no source is one", self.given()),
                "leave it out",
            ));
        }
        let shaped = sources.into_iter().map(|source| {
            let scope = Scope { names: &names, own: source.spec.name.as_deref(), unnamed };
            let Content::OpenApi(api) = source.content else { return Ok(source) };
            let config = self.config(&scope)?;
            let api = api.configure(&config).map_err(wrong)?;
            Ok(Source { content: Content::OpenApi(Box::new(api)), ..source })
        });
        shaped.collect()
    }

    fn is_set(&self) -> bool {
        !self.config.is_empty()
            || self.max_tool_bytes.is_some()
            || self.no_output_schemas
            || !self.result_pointer.is_empty()
    }

    /// The first option that was given.
    fn given(&self) -> &'static str {
        match (self.config.is_empty(), self.max_tool_bytes, self.no_output_schemas) {
            (false, _, _) => "--config",
            (true, Some(_), _) => "--max-tool-bytes",
            (true, None, true) => "--no-output-schemas",
            (true, None, false) => "--result-pointer",
        }
    }

    /// What the file says, and what options say in its place.
    fn config(&self, scope: &Scope<'_>) -> Result<Config, CliError> {
        let mut files = scope.values("--config", self.config.iter().map(String::as_str))?;
        let mut config = match (files.pop(), files.is_empty()) {
            (None, _) => Config::new(),
            (Some(file), true) => read(file)?,
            (Some(_), false) => {
                return Err(CliError::usage(
                    "`--config` is given twice for one API, and one configuration holds everything",
                    "put them together into one file",
                ));
            }
        };
        if let Some(bytes) = self.max_tool_bytes {
            config.budget = config.budget.max_tool_bytes(bytes);
        }
        if self.no_output_schemas {
            config.budget = config.budget.output_schemas(OutputSchemas::LeaveOut);
        }
        if !self.result_pointer.is_empty() {
            config.result.clone_from(&self.result_pointer);
            // What is said on the command line counts before what a file says.
            config.operations.values_mut().for_each(|said| said.result.clear());
        }
        Ok(config)
    }
}

/// Reads a configuration.
fn read(path: &str) -> Result<Config, CliError> {
    let mut text = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MOST_BYTES).read_to_end(&mut text));
    read.map_err(|error| {
        CliError::usage(
            format!("the configuration {path} cannot be read: {error}"),
            "`--config FILE` takes the path of a YAML or JSON file",
        )
    })?;
    Config::parse(text, path).map_err(wrong)
}

fn wrong(error: OpenApiError) -> CliError {
    Box::new(SourceError::OpenApi { error: Box::new(error) }).into()
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        for (text, expected) in [("8000", 8_000), ("8k", 8_000), ("8 KiB", 8_192), ("2MB", 2_000_000)] {
            assert_eq!(bytes(text), Ok(expected), "{text}");
        }
        for text in ["", "0", "k", "-1", "1.5k", "8 apples", "99999999999999999999"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }
}
