//! The tools that a talk is held with: those of its sources, and in a chat what MCP servers change meanwhile.

use std::ffi::OsStr;

use opentool::ToolSet;
use opentool::openapi::Credential;
use secrecy::{ExposeSecret as _, SecretString};

use crate::console::{Console, counted};
use crate::credentials::Access;
use crate::error::CliError;
use crate::source::{Following, Loading, Selection, Source, SourceSpec, gather, load_all, none_left};

/// More tools than this some services refuse, and models choose badly among them.
const MOST_TOOLS: usize = 128;
/// More bytes of definitions than this are tens of thousands of tokens with every question.
const MOST_BYTES: usize = 200_000;

/// The fewest bytes of a text that is looked for as a secret.
const SHORTEST: usize = 6;

/// The chosen tools of the sources.
pub(crate) struct Tools {
    following: Following,
    /// The values of the environment that programs got.
    passed: Vec<SecretString>,
}

impl Tools {
    /// The tools of the sources, none where there is no source; with `mock` they answer with examples.
    ///
    /// # Errors
    /// Those of loading and choosing.
    pub(crate) fn load(
        sources: Vec<SourceSpec>,
        mock: bool,
        from: (&Loading, &Selection, &Access),
        console: &Console,
    ) -> Result<Self, CliError> {
        let (loading, selection, access) = from;
        if sources.is_empty() {
            let following = Following::new(Vec::new(), selection.clone(), ToolSet::new());
            return Ok(Self { following, passed: Vec::new() });
        }
        let sources = load_all(sources, loading, console)?;
        let sources = if mock {
            sources.into_iter().map(Source::mocked).collect::<Result<_, _>>()?
        } else {
            access.apply_to_all(sources, loading)?
        };
        let set = gather(&sources, selection, console)?;
        if set.is_empty() {
            return Err(none_left(&sources, selection));
        }
        weigh(&set, console)?;
        let passed = passed(&loading.pass_env, |name| std::env::var_os(name));
        Ok(Self { following: Following::new(sources, selection.clone(), set), passed })
    }

    /// The tools.
    pub(crate) fn set(&self) -> &ToolSet {
        self.following.set()
    }

    /// The secrets that are sent for them, which no recording may hold.
    pub(crate) fn secrets(&self) -> Vec<SecretString> {
        self.following.sources().iter().flat_map(secrets).chain(self.passed.iter().cloned()).collect()
    }

    /// Hears from now on what MCP servers change.
    ///
    /// # Errors
    /// [`CliError::Source`] if a server is gone.
    pub(crate) fn follow(&mut self) -> Result<(), CliError> {
        self.following.follow().map(drop)
    }

    /// The tools, if a server has said that its are others now: [`Following::renewed`].
    ///
    /// # Errors
    /// [`CliError::Output`].
    pub(crate) fn renewed(&mut self, console: &Console) -> Result<Option<&ToolSet>, CliError> {
        let renewed = self.following.renewed(console)?;
        if let Some(set) = renewed {
            weigh(set, console)?;
        }
        Ok(renewed)
    }
}

/// The values of these variables.
fn passed(names: &[String], value: impl Fn(&OsStr) -> Option<std::ffi::OsString>) -> Vec<SecretString> {
    let values = names.iter().filter_map(|name| value(OsStr::new(name))?.into_string().ok());
    values.filter(|value| value.len() >= SHORTEST).map(SecretString::from).collect()
}

/// What is sent for a source as a secret. Headers are shown to nobody, whatever they are for.
fn secrets(source: &Source) -> Vec<SecretString> {
    let Some(settings) = source.api().map(|api| api.settings()) else { return Vec::new() };
    let headers = settings.headers.iter().map(|(_, value)| value);
    let password = settings.basic.as_ref().map(|(_, password)| password);
    let of_schemes = settings.credentials.values().filter_map(|credential| match credential {
        Credential::Text(text) | Credential::Bearer(text) | Credential::ApiKey(text) => Some(text),
        _ => None,
    });
    let all = headers.chain(&settings.bearer).chain(&settings.api_key).chain(password).chain(of_schemes);
    // Shorter ones occur by chance.
    all.filter(|secret| secret.expose_secret().len() >= SHORTEST).cloned().collect()
}

/// Says so where a model is told of more than it can choose from: it costs with every answer, and services refuse it.
fn weigh(tools: &ToolSet, console: &Console) -> Result<(), CliError> {
    let bytes: usize = tools
        .definitions()
        .map(|tool| {
            let schema = serde_json::to_string(tool.input_schema.as_value()).map_or(0, |text| text.len());
            schema.saturating_add(tool.description.len())
        })
        .sum();
    if tools.len() > MOST_TOOLS || bytes > MOST_BYTES {
        console.warning(&format!(
            "the model is told of {} ({} KB) with every question; `--only`, `--tag` or `--path` chooses among them",
            counted(tools.len(), "tool"),
            bytes.div_ceil(1_000)
        ))?;
    }
    Ok(())
}
