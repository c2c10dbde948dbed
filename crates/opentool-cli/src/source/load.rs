//! Loading a source: the bytes, then the reader of its kind.

use std::collections::HashSet;
use std::net::IpAddr;
use std::num::NonZero;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use opentool::openapi::{Address, LoadOptions};
use opentool::{Diagnostic, ToolSet, UnknownTool, doc};
use opentool_text::{Decoded, decode};
use secrecy::SecretString;

use crate::console::Console;
use crate::credentials::{Scope, Unnamed, not_empty};
use crate::error::CliError;
use crate::runtime;
use crate::source::findings::Findings;
use crate::source::loaded::{Content, Source};
use crate::source::opentool::OpenTool;
use crate::source::read::read;
use crate::source::recognise::recognise;
use crate::source::references::{References, client};
use crate::source::remote::{self, Asked};
use crate::source::shape::Shape;
use crate::source::spec::{Kind, Place, SourceSpec};
use crate::source::{SourceError, definitions, directory, mcp, unknown};

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
    /// Pass this variable of the environment on to MCP servers that are started (`mcp+stdio:`); they get PATH, HOME and
    /// such, and no other
    #[arg(long, value_name = "VARIABLE", hide_short_help = true)]
    pub(crate) pass_env: Vec<String>,
    #[command(flatten)]
    pub(crate) shape: Shape,
    #[command(flatten)]
    pub(crate) references: References,
}

/// A limit of time as a person writes it.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let limit = text.parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
    limit
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "expected a number of seconds above 0, such as `5` or `0.5`".to_owned())
}

/// Reads all sources, in order; a directory is as many as it holds documents.
///
/// # Errors
/// [`CliError::Source`] for the first that cannot be used, [`CliError::Usage`] if two of them take the same thing.
pub(crate) fn load_all(
    specs: Vec<SourceSpec>,
    loading: &Loading,
    console: &Console,
) -> Result<Vec<Source>, CliError> {
    one_standard_input(specs.iter().map(|spec| &spec.place))?;
    let options = loading.references.options(loading.timeout)?;
    let specs = specs.into_iter().map(|spec| directory::expand(spec, &options));
    let specs = specs.collect::<Result<Vec<_>, _>>()?.concat();
    unique_names(&specs)?;
    let names: Vec<String> = specs.iter().filter_map(|spec| spec.name.clone()).collect();
    let unnamed = if specs.len() == 1 { Unnamed::Own } else { Unnamed::Unclear };
    let reader = Reader { names: &names, unnamed, loading, options, console: *console };
    let sources = reader.read_all(specs).into_iter().collect::<Result<_, _>>()?;
    loading.shape.apply(sources)
}

/// Reads one source.
///
/// # Errors
/// Those of [`load_all`], and [`CliError::Usage`] for a directory of several documents.
pub(crate) fn load_one(spec: SourceSpec, loading: &Loading, console: &Console) -> Result<Source, CliError> {
    let place = spec.place.to_string();
    let mut sources = load_all(vec![spec], loading, console)?;
    match (sources.pop(), sources.is_empty()) {
        (Some(source), true) => Ok(source),
        _ => Err(CliError::usage(
            format!("{place}: is a directory of several documents"),
            "give the path of the one that is meant",
        )),
    }
}

/// Reads the source that holds this tool: the only one, or that document of a directory.
///
/// # Errors
/// Those of [`load_all`], and [`CliError::NoTool`] if none of several documents holds it.
pub(crate) fn load_holding(
    tool: &str,
    spec: SourceSpec,
    loading: &Loading,
    console: &Console,
) -> Result<Source, CliError> {
    let place = spec.written();
    let mut sources = load_all(vec![spec], loading, console)?;
    if sources.len() == 1 {
        return sources.pop().ok_or_else(|| CliError::usage("there is no source", "give one"));
    }
    let (mut nearest, mut left_out) = (Vec::new(), 0_usize);
    let mut why = None;
    for source in sources {
        let tools = source.tools()?;
        if tools.contains(tool) {
            return Ok(source);
        }
        why = why.or_else(|| source.absent(tool));
        nearest.extend(tools.nearest(tool));
        left_out = left_out.saturating_add(source.findings.faults());
    }
    nearest.truncate(3);
    let unknown = Box::new(UnknownTool::new(tool, nearest));
    Err(CliError::NoTool { unknown, place, left_out, why })
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

/// What all sources of a command line are read with.
struct Reader<'a> {
    /// The names of all sources; they and `unnamed` decide whether a key is for one of them.
    names: &'a [String],
    unnamed: Unnamed,
    loading: &'a Loading,
    options: LoadOptions,
    console: Console,
}

impl Reader<'_> {
    /// Reads all, in order: as many at once as there are processors.
    fn read_all(&self, specs: Vec<SourceSpec>) -> Vec<Result<Source, CliError>> {
        let threads = std::thread::available_parallelism().map_or(1, NonZero::get).min(specs.len());
        if threads < 2 {
            return specs.into_iter().map(|spec| self.read(spec)).collect();
        }
        let waiting = Mutex::new(specs.into_iter().enumerate());
        let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = || {
            let mut read = Vec::new();
            while let Some((index, spec)) = next() {
                read.push((index, self.read(spec)));
            }
            read
        };
        let mut read: Vec<(usize, Result<Source, CliError>)> = std::thread::scope(|scope| {
            let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            let joined = running.into_iter().map(|thread| match thread.join() {
                Ok(read) => read,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            joined.flatten().collect()
        });
        read.sort_by_key(|(index, _)| *index);
        read.into_iter().map(|(_, source)| source).collect()
    }

    /// Reads a source. One document of a directory that cannot be read does not hide the others: it has no tools, and
    /// counts as an error of the source.
    ///
    /// # Errors
    /// [`CliError::Source`] if it cannot be used at all.
    fn read(&self, spec: SourceSpec) -> Result<Source, CliError> {
        let (content, diagnostics) = match self.content(&spec) {
            Err(CliError::Source(error)) if spec.directory.is_some() => {
                (Content::Definitions(ToolSet::new()), vec![error.diagnostic(&spec.place)])
            }
            read => read?,
        };
        let findings = Findings::new(&spec.place, diagnostics, self.console);
        let findings = match &content {
            Content::OpenApi(api) => findings.of_api(api),
            Content::Definitions(_) | Content::OpenTool(_) | Content::Mcp(_) => findings,
        };
        Ok(Source { spec, content, findings })
    }

    fn content(&self, spec: &SourceSpec) -> Result<(Content, Vec<Diagnostic>), CliError> {
        let place = spec.place.to_string();
        let references = &self.loading.references;
        let trusted = references.authorities(spec.name.as_deref(), self.names)?;
        let scope = Scope { names: self.names, own: spec.name.as_deref(), unnamed: self.unnamed };
        let key = async || scope.wanted_api_key(&self.loading.api_key).await;
        let limit = self.loading.timeout;
        let server = match &spec.place {
            Place::Mcp(url) => {
                Some(runtime::wait_for(mcp::connect(url, &place, limit, trusted.clone(), &key))?)
            }
            Place::Program(command) => {
                Some(runtime::wait_for(mcp::spawn(command, &place, limit, &self.loading.pass_env))?)
            }
            Place::StandardInput | Place::File(_) | Place::Web(_) => None,
        };
        if let Some((server, diagnostics)) = server {
            return Ok((Content::Mcp(Box::new(server)), diagnostics));
        }
        let document = read(&spec.place, self.loading.timeout, trusted.clone())
            .and_then(|(bytes, address, peer)| self.parse(spec, &place, bytes, address, peer));
        match (document, &spec.place) {
            (Err(error), Place::Web(url)) if may_be_server(spec.kind, &error) => {
                match runtime::wait_for(remote::ask(url, &place, limit, trusted.clone(), &key))? {
                    Asked::Server(opentool, diagnostics) => Ok((Content::OpenTool(opentool), diagnostics)),
                    Asked::NoServer(error) if spec.kind == Some(Kind::OpenTool) => {
                        Err(Box::new(SourceError::Server { place, error: Box::new(error) }).into())
                    }
                    Asked::NoServer(_) if may_be_mcp(spec.kind, &error) => {
                        // Without a key: nobody has said that there is a server.
                        let asked = mcp::connect(url, &place, limit, trusted, async || Ok(None));
                        match runtime::wait_for(asked) {
                            Ok((server, diagnostics)) => Ok((Content::Mcp(Box::new(server)), diagnostics)),
                            // It was a document that was meant, then.
                            Err(_) => Err(error),
                        }
                    }
                    Asked::NoServer(_) => Err(error),
                }
            }
            (document, _) => document,
        }
    }

    /// Gives the text to the reader of its kind.
    fn parse(
        &self,
        spec: &SourceSpec,
        place: &str,
        bytes: Vec<u8>,
        address: Address,
        peer: Option<IpAddr>,
    ) -> Result<(Content, Vec<Diagnostic>), CliError> {
        let place_of = || place.to_owned();
        let Decoded { text, findings, .. } = decode(&bytes)
            .map_err(|fault| Box::new(SourceError::NotText { place: place_of(), reason: fault.message }))?;
        if text.trim().is_empty() {
            return Err(Box::new(SourceError::Empty { place: place_of() }).into());
        }
        match spec.kind.or_else(|| recognise(&text)) {
            Some(Kind::OpenApi) => {
                let mut options = self.options.clone();
                options.root = options.root.or_else(|| spec.directory.clone());
                let trusted = self.loading.references.authorities(spec.name.as_deref(), self.names)?;
                options = options.client(client(self.loading.timeout, trusted)).document_peer(peer);
                let api = runtime::wait_for(async {
                    let read = options.read(bytes, address).await;
                    Ok(read.map_err(|error| Box::new(SourceError::OpenApi { error: Box::new(error) }))?)
                })?;
                let diagnostics = api.diagnostics().to_vec();
                Ok((Content::OpenApi(Box::new(api)), diagnostics))
            }
            Some(Kind::Definitions) => {
                let (tools, mut diagnostics) = definitions::read(&text, place)?;
                diagnostics.extend(findings.into_iter().map(|found| found.file(place)));
                Ok((Content::Definitions(tools), diagnostics))
            }
            Some(Kind::OpenTool) => {
                let parsed =
                    doc::parse(&bytes, place).map_err(|error| Box::new(SourceError::OpenTool { error }))?;
                let opentool = OpenTool::new(parsed.document, place, peer);
                Ok((Content::OpenTool(Box::new(opentool)), parsed.diagnostics))
            }
            None => Err(Box::new(unknown::why(&text, place)).into()),
        }
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

/// Whether an address that gave no document answers as MCP servers answer to a question of that kind.
fn may_be_mcp(kind: Option<Kind>, error: &CliError) -> bool {
    let CliError::Source(error) = error else { return false };
    kind.is_none() && matches!(**error, SourceError::Status { code: 400 | 405 | 406, .. })
}
