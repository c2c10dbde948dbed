//! What becomes of the operations of OpenAPI documents: chosen, renamed and described by a file, and kept small.

use std::fs::File;
use std::io::Read as _;

use opentool::Diagnostic;
use opentool::openapi::{Api, Config, OpenApiError, OutputSchemas};

use crate::credentials::{Scope, Unnamed};
use crate::error::CliError;
use crate::source::error::pointed;
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
    /// `marked` (`respect`, `ignore`, `only`), `operations` (by `operationId`, tool or `GET /path`, all with `*`: `exclude`, `name`,
    /// `title`, `description`, `read-only`, `destructive`, `idempotent`, `arguments`, `result`), `result`, `budget`
    /// (`max-tool-bytes`, `max-description-bytes`, `output-schemas`); docs/openapi-config.md explains them
    #[arg(long, value_name = "[NAME=]FILE")]
    config: Vec<String>,
    /// The largest definition of a tool: what is too much loses its output schema, examples, long descriptions, the
    /// schemas farthest from the arguments, and at last what stands within arguments; at least 256
    #[arg(long, value_name = "BYTES", value_parser = bytes, hide_short_help = true)]
    max_tool_bytes: Option<usize>,
    /// Tell models what tools take, and not what they answer
    #[arg(long, hide_short_help = true)]
    no_output_schemas: bool,
    /// Show models these parts of JSON results only: `/items/*/name` of all tools, `getPet=/name` of one
    #[arg(long, value_name = "[TOOL=]POINTER", value_parser = part, hide_short_help = true)]
    result_pointer: Vec<Part>,
}

/// A part of JSON results.
#[derive(Debug, Clone)]
struct Part {
    /// Of this tool only.
    tool: Option<String>,
    pointer: String,
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

fn part(text: &str) -> Result<Part, &'static str> {
    let is_pointer = |text: &str| text.is_empty() || text.starts_with('/');
    match text.split_once('=') {
        _ if is_pointer(text) => Ok(Part { tool: None, pointer: text.to_owned() }),
        Some((tool, pointer)) if !tool.is_empty() && is_pointer(pointer) => {
            Ok(Part { tool: Some(tool.to_owned()), pointer: pointer.to_owned() })
        }
        _ => Err("expected a JSON Pointer, such as `/items/*/name`, or a tool and one: `getPet=/name`"),
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
        let mut unknown: Vec<&str> =
            self.result_pointer.iter().filter_map(|part| part.tool.as_deref()).collect();
        let mut shaped = Vec::with_capacity(sources.len());
        for source in sources {
            let Content::OpenApi(api) = &source.content else {
                shaped.push(source);
                continue;
            };
            let scope = Scope { names: &names, own: source.spec.name.as_deref(), unnamed };
            let mut config = self.config(&scope)?;
            for Part { tool, pointer } in &self.result_pointer {
                let Some(tool) = tool else { continue };
                if let Some(key) = key_of(&source, api, &config, tool)? {
                    unknown.retain(|unknown| unknown != tool);
                    config.operations.entry(key).or_default().result.push(pointer.clone());
                }
            }
            let api = api.as_ref().clone().configure(&config).map_err(wrong)?;
            for odd in api.unused(&config) {
                source.findings.console().warning(&format!("{}; the filter does nothing", pointed(&odd)))?;
            }
            shaped.push(Source { content: Content::OpenApi(Box::new(api)), ..source });
        }
        match unknown.first() {
            None => Ok(shaped),
            Some(tool) => Err(CliError::usage(
                format!("`--result-pointer {tool}=…` names a tool that is not there"),
                "write a tool's name as `opentool list` prints it, or the pointer alone, which is for all tools",
            )),
        }
    }

    /// What becomes of one document, which has no name: what of a configuration means nothing in it, which of its tools are
    /// larger than what is allowed, and which cannot be called.
    ///
    /// # Errors
    /// Those of [`Shape::apply`].
    pub(crate) fn check(
        path: Option<&str>,
        max_tool_bytes: Option<usize>,
        api: &Api,
    ) -> Result<Vec<Diagnostic>, CliError> {
        let mut config = match path.map(read) {
            None => Config::new(),
            Some(Ok(config)) => config,
            Some(Err(CliError::Source(error))) => return Ok(error.found().into_iter().cloned().collect()),
            Some(Err(other)) => return Err(other),
        };
        if let Some(bytes) = max_tool_bytes {
            config.budget = config.budget.max_tool_bytes(bytes);
        }
        Ok(match api.clone().configure(&config) {
            Ok(api) => {
                let names: Vec<&str> =
                    api.operations().iter().map(|operation| operation.name.as_str()).collect();
                let mut found = api.unused(&config);
                found.extend(api.over_budget(names.iter().copied()));
                found.extend(api.unusable(names));
                found
            }
            Err(error) => {
                SourceError::OpenApi { error: Box::new(error) }.found().into_iter().cloned().collect()
            }
        })
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
            let general = self.result_pointer.iter().filter(|part| part.tool.is_none());
            config.result = general.map(|part| part.pointer.clone()).collect();
            // What is said on the command line counts before what a file says.
            config.operations.values_mut().for_each(|said| said.result.clear());
        }
        Ok(config)
    }
}

/// Under which key the configuration speaks of a tool that a person names, or may; `None` if the document has no such tool.
fn key_of(source: &Source, api: &Api, config: &Config, tool: &str) -> Result<Option<String>, CliError> {
    if let Some((key, _)) = config.operations.iter().find(|(_, said)| said.name.as_deref() == Some(tool)) {
        return Ok(Some(key.clone()));
    }
    let own = source.own_name(tool)?;
    let Some(operation) = api.operation(&own) else { return Ok(None) };
    let title = format!("{} {}", operation.method, operation.path);
    let means = |key: &&String| {
        **key == own || operation.operation_id.as_ref() == Some(key) || key.eq_ignore_ascii_case(&title)
    };
    Ok(Some(config.operations.keys().find(means).cloned().unwrap_or(own)))
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
