//! Talking to a model that has tools: what `ask` and `chat` share. The loop itself is the library's.

mod line;
mod model;
mod prompt;
mod question;
mod saved;
mod saying;
mod show;
mod tools;
mod trace;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use opentool::agent::{Agent, AgentError, Approvals, Limits, Run};
use opentool::{ChatModel, Message, ToolSet};
use secrecy::SecretString;

use crate::error::CliError;
use crate::source::seconds;
use crate::write::Existing;

pub(crate) use line::{HELP, Typed, read_command};
pub(crate) use prompt::{Editor, Said};
pub(crate) use question::question;
pub(crate) use saved::save;
pub(crate) use saying::Saying;
pub(crate) use show::Show;
pub(crate) use tools::Tools;
pub(crate) use trace::Trace;

/// What the model is, what it knows, and what it may do.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Model")]
pub(crate) struct Talk {
    /// The model: `PROVIDER:MODEL`, such as `anthropic:claude-sonnet-4-5` or `ollama:qwen3`, a name that says whose it is
    /// (`gpt-5`), or `replay:FILE` for a recording, which needs no key
    #[arg(short, long, value_name = "MODEL", env = "OPENTOOL_MODEL", hide_env_values = true)]
    model: Option<String>,
    /// How long one answer of the model may take, in seconds; by default 600, and 300 of them without a word
    #[arg(long, value_name = "SECONDS", value_parser = seconds, hide_short_help = true)]
    model_timeout: Option<Duration>,
    /// Instructions that stand before the conversation; `@FILE` reads them
    #[arg(long, value_name = "TEXT")]
    system: Option<String>,
    /// How many answers of the model one turn may take
    #[arg(long, value_name = "N", default_value_t = 25, value_parser = clap::value_parser!(u32).range(1..))]
    max_rounds: u32,
    /// How many calls one turn may make
    #[arg(long, value_name = "N", default_value_t = 150, value_parser = clap::value_parser!(u32).range(1..), hide_short_help = true)]
    max_calls: u32,
    /// How many calls of one tool one turn may make
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..), hide_short_help = true)]
    max_calls_per_tool: u32,
    /// Record what the model is asked and answers into this file, without secrets: `--model replay:FILE` plays it
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Go on with a conversation that was saved
    #[arg(long = "continue", value_name = "FILE")]
    saved: Option<PathBuf>,
    /// Call nobody: tools answer with examples of what they say that they give
    #[arg(long)]
    pub(crate) mock: bool,
    #[command(flatten)]
    consent: Consent,
}

/// Who decides about calls that may change something.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(next_help_heading = "Calls")]
pub(crate) struct Consent {
    /// Run every call that the model wants
    #[arg(short, long, conflicts_with = "ask")]
    yes: bool,
    /// Ask before every call, also of tools that say that they change nothing
    #[arg(long)]
    ask: bool,
}

impl Consent {
    fn approvals(self) -> Approvals {
        match (self.yes, self.ask) {
            (true, _) => Approvals::new(),
            (_, true) => Approvals::new().ask_otherwise(),
            _ => Approvals::new().ask_unless_read_only(),
        }
    }
}

impl Talk {
    /// The model. It is set up before anything is asked of anybody: who named it wrongly hears of it first.
    ///
    /// # Errors
    /// For one that cannot be asked.
    pub(crate) fn model(&self) -> Result<Arc<dyn ChatModel>, CliError> {
        model::named(self.model.as_deref(), self.model_timeout)
    }

    /// Whether the recording is written into this file, which need not be there yet.
    pub(crate) fn records_into(&self, file: &Path) -> bool {
        let real = |file: &Path| {
            let folder = file.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
            let folder = std::fs::canonicalize(folder).ok()?;
            std::fs::canonicalize(file).ok().or_else(|| Some(folder.join(file.file_name()?)))
        };
        self.record
            .as_deref()
            .is_some_and(|record| record == file || (real(record).is_some() && real(record) == real(file)))
    }

    /// Whether a conversation may be written into a file that is there: into the one of the conversation that goes on.
    pub(crate) fn existing(&self, file: &Path) -> Existing {
        let real = |file: &Path| std::fs::canonicalize(file).ok();
        match self.saved.as_deref().and_then(real) {
            Some(continued) if real(file).as_ref() == Some(&continued) => Existing::Replace,
            _ => Existing::Keep,
        }
    }

    /// The agent, and what was said before.
    ///
    /// # Errors
    /// For files that cannot be read or recorded into.
    pub(crate) fn agent(
        &self,
        model: Arc<dyn ChatModel>,
        tools: ToolSet,
        secrets: &[SecretString],
        timeout: Duration,
    ) -> Result<(Agent, Vec<Message>), CliError> {
        let model = match &self.record {
            Some(file) => model::recorded(model, file, secrets)?,
            None => model,
        };
        let limits = Limits::new()
            .rounds(self.max_rounds)
            .calls(self.max_calls)
            .calls_per_tool(self.max_calls_per_tool);
        let mut agent =
            Agent::new(model, tools).limits(limits).timeout(timeout).approvals(self.consent.approvals());
        let mut before = match &self.saved {
            Some(file) => saved::saved(file)?,
            None => Vec::new(),
        };
        let system = self.system.as_deref().map(instructions).transpose()?;
        if let Some(text) = system.filter(|text| !text.trim().is_empty()) {
            // What is said now holds, and not what was said when the conversation was saved.
            let saved = before.iter().take_while(|message| matches!(message, Message::System(_))).count();
            before.drain(..saved);
            agent = agent.system(text);
        }
        Ok((agent, before))
    }

    /// A turn that came to no answer.
    pub(crate) fn interrupted(&self, error: AgentError) -> CliError {
        model::interrupted(error, self.consent)
    }

    /// Calls that need a person, where there is none.
    pub(crate) fn undecided(&self, run: &Run) -> CliError {
        model::undecided(run, self.consent)
    }
}

/// The text itself, or what stands in the file.
fn instructions(text: &str) -> Result<String, CliError> {
    let Some(file) = text.strip_prefix('@') else { return Ok(text.to_owned()) };
    std::fs::read_to_string(file).map_err(|error| {
        CliError::usage(format!("{file}: cannot be read: {error}"), "`--system @FILE` reads the instructions")
    })
}
