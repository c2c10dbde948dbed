//! A source that has been read: its tools, under the names that they have on this command line, and what its reader said.

use std::collections::HashSet;
use std::sync::Arc;

use opentool::openapi::{Absent, Api};
use opentool::{Tool, ToolSet, mock};

use crate::error::CliError;
use crate::source::SourceError;
use crate::source::findings::Findings;
use crate::source::mcp::Mcp;
use crate::source::opentool::OpenTool;
use crate::source::spec::SourceSpec;

/// A source that has been read.
pub(crate) struct Source {
    /// As the person wrote it.
    pub(crate) spec: SourceSpec,
    /// What it holds.
    pub(crate) content: Content,
    /// What the reader said about it.
    pub(crate) findings: Findings,
}

/// What a source holds.
pub(crate) enum Content {
    /// An API whose operations are tools.
    OpenApi(Box<Api>),
    /// Tools that are known by their definitions only.
    Definitions(ToolSet),
    /// Functions that an OpenTool document describes.
    OpenTool(Box<OpenTool>),
    /// Tools of an MCP server.
    Mcp(Box<Mcp>),
}

impl Source {
    /// The same tools with examples behind them: nothing of the source is run.
    ///
    /// # Errors
    /// [`CliError::Source`].
    pub(crate) fn mocked(self) -> Result<Self, CliError> {
        let content = match self.content {
            Content::OpenTool(opentool) => Content::OpenTool(Box::new(opentool.mocked())),
            Content::OpenApi(api) => Content::Definitions(mock::mock(
                &api.tools().map_err(|error| Box::new(SourceError::OpenApi { error: Box::new(error) }))?,
            )),
            Content::Definitions(tools) => Content::Definitions(mock::mock(&tools)),
            Content::Mcp(server) => Content::Definitions(mock::mock(server.tools())),
        };
        Ok(Self { content, ..self })
    }

    /// For commands that show a source: nothing that was left out goes unnoticed. Asked when the rest has been shown;
    /// faults that have nothing to do with the tools that were asked for do not count.
    ///
    /// # Errors
    /// [`CliError::Incomplete`] if something of the source was left out.
    pub(crate) fn complete(&self) -> Result<(), CliError> {
        match self.findings.faults() {
            0 => Ok(()),
            faults => Err(CliError::Incomplete { place: self.spec.place.to_string(), faults }),
        }
    }

    /// Tells the person all that the reader said.
    ///
    /// # Errors
    /// [`CliError::Output`].
    pub(crate) fn tell_all(&self) -> Result<(), CliError> {
        let tools = match &self.content {
            Content::OpenApi(api) => api.operations().len(),
            Content::Definitions(tools) => tools.len(),
            Content::Mcp(server) => server.tools().len(),
            Content::OpenTool(opentool) => opentool.tools().len(),
        };
        self.findings.tell_all(tools)?;
        let own = self.own_tools()?;
        self.tell_size(&own.names().collect::<Vec<_>>())
    }

    /// Tells the person what the reader said about the tools of these names, which are those of this command line.
    ///
    /// # Errors
    /// [`CliError::Output`], and those of [`Source::tools`].
    pub(crate) fn tell_of<'n>(&self, tools: impl IntoIterator<Item = &'n str>) -> Result<(), CliError> {
        let (own, wanted) = (self.own_tools()?, tools.into_iter().collect::<HashSet<&str>>());
        let all = self.tools()?;
        let names: Vec<&str> = all
            .names()
            .zip(own.names())
            .filter(|(name, _)| wanted.contains(name))
            .map(|(_, own)| own)
            .collect();
        self.findings.tell_of(&names, &own)?;
        self.tell_size(&names)
    }

    /// The tool of this name, or why there is none: it may be one that was left out. What the reader said about it is
    /// told, or everything where it is not there.
    ///
    /// # Errors
    /// [`CliError::NoTool`].
    pub(crate) fn find<'a>(&self, tools: &'a ToolSet, name: &str) -> Result<&'a Arc<dyn Tool>, CliError> {
        match tools.find(name) {
            Ok(tool) => {
                self.tell_of([name])?;
                Ok(tool)
            }
            Err(unknown) => {
                self.tell_all()?;
                let left_out = self.api().map_or(0, Api::left_out);
                let (unknown, why) = (Box::new(unknown), self.absent(name));
                Err(CliError::NoTool { unknown, place: self.spec.written(), left_out, why })
            }
        }
    }

    /// Why there is no tool of this name of the command line although the document has it, in words.
    pub(crate) fn absent(&self, name: &str) -> Option<String> {
        let own = match &self.spec.name {
            Some(space) => name.strip_prefix(space.as_str())?.strip_prefix("__")?,
            None => name,
        };
        Some(match self.api()?.absent(own)? {
            Absent::Renamed(to) => format!("the configuration names it `{to}`"),
            _ => "the document has it, and the configuration, or a mark of the document (`x-opentool`, `x-mcp`), leaves it out"
                .to_owned(),
        })
    }

    /// Says how many of the tools of these names, which are those of the source itself, are larger than what is allowed.
    fn tell_size(&self, own: &[&str]) -> Result<(), CliError> {
        let Some(api) = self.api() else { return Ok(()) };
        let over = api.over_budget(own.iter().copied());
        let Some(first) = over.first() else { return Ok(()) };
        let text = match over.len() {
            1 => first.message.clone(),
            all => format!(
                "{}; so are {} more, which `opentool check` with `--max-tool-bytes` names",
                first.message,
                all - 1
            ),
        };
        Ok(self.findings.console().warning(&text)?)
    }

    /// Its tools, under the names that they have on this command line.
    ///
    /// # Errors
    /// [`CliError::Source`].
    pub(crate) fn tools(&self) -> Result<ToolSet, CliError> {
        let tools = self.own_tools()?;
        Ok(match &self.spec.name {
            Some(name) => tools.namespace(name),
            None => tools,
        })
    }

    /// The same under the names that they have in the source itself.
    fn own_tools(&self) -> Result<ToolSet, CliError> {
        Ok(match &self.content {
            Content::OpenApi(api) => {
                api.tools().map_err(|error| Box::new(SourceError::OpenApi { error: Box::new(error) }))?
            }
            Content::Definitions(tools) => tools.clone(),
            Content::Mcp(server) => server.tools().clone(),
            Content::OpenTool(opentool) => opentool.tools().clone(),
        })
    }

    /// The API, where it is one.
    pub(crate) fn api(&self) -> Option<&Api> {
        match &self.content {
            Content::OpenApi(api) => Some(api),
            Content::Definitions(_) | Content::OpenTool(_) | Content::Mcp(_) => None,
        }
    }

    /// The OpenTool document, where it is one.
    pub(crate) fn opentool(&self) -> Option<&OpenTool> {
        match &self.content {
            Content::OpenTool(opentool) => Some(opentool),
            Content::OpenApi(_) | Content::Definitions(_) | Content::Mcp(_) => None,
        }
    }

    /// The name that a tool has in the source itself.
    ///
    /// # Errors
    /// Those of [`Source::tools`].
    pub(crate) fn own_name(&self, tool: &str) -> Result<String, CliError> {
        // A name can be cut where it gets a namespace, so it is found by its place in the order.
        let (own, all) = (self.own_tools()?, self.tools()?);
        let found = all.names().zip(own.names()).find(|(name, _)| *name == tool);
        Ok(found.map_or(tool, |(_, own)| own).to_owned())
    }
}
