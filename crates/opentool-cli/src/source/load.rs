//! Loading a source: the bytes, then the reader of its kind.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use opentool::openapi::{self, Address, Api};
use opentool::{Diagnostic, Tool, ToolSet, doc, mock};
use secrecy::SecretString;

use crate::console::Console;
use crate::credentials::{Scope, Unnamed, not_empty};
use crate::error::CliError;
use crate::runtime;
use crate::source::findings::Findings;
use crate::source::opentool::OpenTool;
use crate::source::read::read;
use crate::source::recognise::recognise;
use crate::source::remote::{self, Asked};
use crate::source::spec::{Kind, Place, SourceSpec};
use crate::source::{SourceError, definitions, unknown};

/// How sources are reached.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Loading {
    /// The longest wait for a document or a call, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub(crate) timeout: Duration,
    /// The API key, of a server that is a SOURCE too; better in the environment, where `ps` does not show it
    /// [env: OPENTOOL_API_KEY]
    #[arg(long, value_name = "[NAME=]KEY", value_parser = not_empty)]
    pub(crate) api_key: Vec<SecretString>,
}

/// A limit of time as a person writes it.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let limit = text.parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
    limit
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "expected a number of seconds above 0, such as `5` or `0.5`".to_owned())
}

/// Reads all sources, in order.
///
/// # Errors
/// [`CliError::Source`] for the first that cannot be used, [`CliError::Usage`] if two of them take the same thing.
pub(crate) fn load_all(
    specs: Vec<SourceSpec>,
    loading: &Loading,
    console: &Console,
) -> Result<Vec<Source>, CliError> {
    one_standard_input(specs.iter().map(|spec| &spec.place))?;
    unique_names(&specs)?;
    let names: Vec<String> = specs.iter().filter_map(|spec| spec.name.clone()).collect();
    let unnamed = if specs.len() == 1 { Unnamed::Own } else { Unnamed::Unclear };
    specs.into_iter().map(|spec| Source::read(spec, &names, unnamed, loading, console)).collect()
}

/// Standard input can be read once.
///
/// # Errors
/// [`CliError::Usage`] if it is at more than one of the places.
pub(crate) fn one_standard_input<'p>(places: impl Iterator<Item = &'p Place>) -> Result<(), CliError> {
    if places.filter(|place| **place == Place::StandardInput).count() > 1 {
        return Err(CliError::usage("standard input can be one source only", "save the others to files"));
    }
    Ok(())
}

/// A name stands for one source: tools of two would look like those of one, and a token for the name would go to both.
fn unique_names(specs: &[SourceSpec]) -> Result<(), CliError> {
    let mut names = HashSet::new();
    match specs.iter().filter_map(|spec| spec.name.as_deref()).find(|name| !names.insert(*name)) {
        Some(name) => Err(CliError::usage(
            format!("two sources are named `{name}`"),
            "give each a name of its own: `shop=SOURCE` and `store=SOURCE`",
        )),
        None => Ok(()),
    }
}

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
}

impl Source {
    /// Reads the source; what was odd about it goes to the console.
    ///
    /// # Errors
    /// [`CliError::Source`] if it cannot be used at all.
    pub(crate) fn load(spec: SourceSpec, loading: &Loading, console: &Console) -> Result<Self, CliError> {
        let names: Vec<String> = spec.name.iter().cloned().collect();
        Self::read(spec, &names, Unnamed::Own, loading, console)
    }

    /// `names` are those of all sources; they and `unnamed` decide whether a key is for this one.
    fn read(
        spec: SourceSpec,
        names: &[String],
        unnamed: Unnamed,
        loading: &Loading,
        console: &Console,
    ) -> Result<Self, CliError> {
        let place = spec.place.to_string();
        let document = read(&spec.place, loading.timeout).and_then(|(bytes, address)| {
            let parsed = parse(spec.kind, &place, bytes, address)?;
            Ok(parsed)
        });
        let (content, diagnostics) = match (document, &spec.place) {
            (Err(error), Place::Web(url)) if may_be_server(spec.kind, &error) => {
                let scope = Scope { names, own: spec.name.as_deref(), unnamed };
                let key = || scope.api_key(&loading.api_key);
                match runtime::wait_for(remote::ask(url, &place, loading, key))? {
                    Asked::Server(opentool, diagnostics) => (Content::OpenTool(opentool), diagnostics),
                    Asked::NoServer(error) if spec.kind == Some(Kind::OpenTool) => {
                        return Err(Box::new(SourceError::Server { place, error: Box::new(error) }).into());
                    }
                    // It was a document that was meant, then.
                    Asked::NoServer(_) => return Err(error),
                }
            }
            (document, _) => document?,
        };
        let findings = Findings::new(&spec.place, diagnostics, *console);
        let findings = match &content {
            Content::OpenApi(api) => findings.of_api(api),
            Content::Definitions(_) | Content::OpenTool(_) => findings,
        };
        Ok(Self { spec, content, findings })
    }

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
            Content::OpenTool(opentool) => opentool.tools().len(),
        };
        Ok(self.findings.tell_all(tools)?)
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
        Ok(self.findings.tell_of(&names, &own)?)
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
                Err(CliError::NoTool { unknown: Box::new(unknown), place: self.spec.written(), left_out })
            }
        }
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
            Content::OpenTool(opentool) => opentool.tools().clone(),
        })
    }

    /// The API, where it is one.
    pub(crate) fn api(&self) -> Option<&Api> {
        match &self.content {
            Content::OpenApi(api) => Some(api),
            Content::Definitions(_) | Content::OpenTool(_) => None,
        }
    }

    /// The OpenTool document, where it is one.
    pub(crate) fn opentool(&self) -> Option<&OpenTool> {
        match &self.content {
            Content::OpenTool(opentool) => Some(opentool),
            Content::OpenApi(_) | Content::Definitions(_) => None,
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

/// Whether what kept the address from being read as a document may be that it is a server.
fn may_be_server(kind: Option<Kind>, error: &CliError) -> bool {
    let CliError::Source(error) = error else { return false };
    let answered = match &**error {
        SourceError::Status { .. }
        | SourceError::Unknown { .. }
        | SourceError::Syntax { .. }
        | SourceError::Empty { .. } => true,
        SourceError::OpenTool { .. } => kind == Some(Kind::OpenTool),
        _ => false,
    };
    answered && kind.is_none_or(|kind| kind == Kind::OpenTool)
}

/// Gives the text to the reader of its kind.
fn parse(
    kind: Option<Kind>,
    place: &str,
    bytes: Vec<u8>,
    address: Address,
) -> Result<(Content, Vec<Diagnostic>), Box<SourceError>> {
    let place_of = || place.to_owned();
    let text = String::from_utf8(bytes).map_err(|error| {
        Box::new(SourceError::NotText { place: place_of(), offset: error.utf8_error().valid_up_to() })
    })?;
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        return Err(Box::new(SourceError::Empty { place: place_of() }));
    }
    match kind.or_else(|| recognise(&text)) {
        Some(Kind::OpenApi) => {
            let api = openapi::parse(text, address)
                .map_err(|error| Box::new(SourceError::OpenApi { error: Box::new(error) }))?;
            let diagnostics = api.diagnostics().to_vec();
            Ok((Content::OpenApi(Box::new(api)), diagnostics))
        }
        Some(Kind::Definitions) => {
            let (tools, diagnostics) = definitions::read(&text, place)?;
            Ok((Content::Definitions(tools), diagnostics))
        }
        Some(Kind::OpenTool) => {
            let parsed =
                doc::parse(text, place).map_err(|error| Box::new(SourceError::OpenTool { error }))?;
            Ok((Content::OpenTool(Box::new(OpenTool::new(parsed.document, place))), parsed.diagnostics))
        }
        None => Err(Box::new(unknown::why(&text, place))),
    }
}
