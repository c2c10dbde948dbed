//! The model that a person names, and its failures in the words of the command line.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use opentool::agent::{AgentError, Exceeded, Run, chat};
use opentool::{ChatModel, ModelError};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use super::Consent;
use super::show::call_line;
use crate::console::counted;
use crate::error::{CliError, chain};
use crate::exit::Exit;

/// So many calls that nobody decided about are shown.
const SHOWN: usize = 4;

/// What to do where there is no model, or no key for it.
const MODELS: &str = "set the key of a provider (OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, MISTRAL_API_KEY, …) and \
     name its model: `--model anthropic:claude-sonnet-4-5`, or in OPENTOOL_MODEL; `--model ollama:qwen3` asks a local \
     Ollama; `--model replay:FILE` plays a recording and needs no key";

/// The model of this name, with this limit of time on its answers.
///
/// # Errors
/// [`CliError::Model`] for a model that cannot be asked.
pub(super) fn named(name: Option<&str>, limit: Option<Duration>) -> Result<Arc<dyn ChatModel>, CliError> {
    let Some(name) = name.map(str::trim).filter(|name| !name.is_empty()) else {
        return Err(CliError::Model {
            message: "no model is named".to_owned(),
            help: Some(MODELS.into()),
            exit: Exit::Usage,
            code: "no_model",
        });
    };
    let set_up = |model: chat::Model| match limit {
        // Who says how long an answer may take wants it to be waited for, words or none.
        Some(limit) => model.timeout(limit).stall_timeout(limit),
        None => model,
    };
    chat::model_with(name, set_up).map_err(|error| {
        let help = match &error {
            ModelError::Unauthorized(_) => Some(MODELS),
            ModelError::Unsupported(_) if !name.contains(':') => Some(MODELS),
            _ => None,
        };
        failed(error, help)
    })
}

/// The model, recorded into this file without these secrets.
///
/// # Errors
/// [`CliError::Model`] for a file that cannot be written.
pub(super) fn recorded(
    model: Arc<dyn ChatModel>,
    file: &Path,
    secrets: &[SecretString],
) -> Result<Arc<dyn ChatModel>, CliError> {
    let mut recorder = chat::Recorder::new(model, file).map_err(|error| failed(error, None))?;
    for secret in secrets {
        recorder = recorder.secret(secret.expose_secret());
    }
    Ok(Arc::new(recorder))
}

/// A model that gave no answer.
fn failed(error: ModelError, help: Option<&'static str>) -> CliError {
    let (exit, code) = match &error {
        ModelError::Unauthorized(_) => (Exit::Call, "unauthorized"),
        ModelError::Unsupported(_) => (Exit::Usage, "unsupported"),
        ModelError::RateLimited { .. } => (Exit::NoAnswer, "rate_limited"),
        ModelError::Rejected { .. } => (Exit::NoAnswer, "rejected"),
        ModelError::Unreachable { .. } => (Exit::NoAnswer, "unreachable"),
        ModelError::ScriptEnded(_) => (Exit::NoAnswer, "not_recorded"),
        _ => (Exit::NoAnswer, "protocol"),
    };
    let help = match &error {
        ModelError::RateLimited { retry_after: Some(wait), .. } => {
            Some(format!("the service asks to wait {} s", wait.as_secs().max(1)).into())
        }
        _ => help.map(Into::into),
    };
    CliError::Model { message: chain(&error), help, exit, code }
}

/// A turn that came to no answer.
pub(super) fn interrupted(error: AgentError, consent: Consent) -> CliError {
    let turn = |message: String, help: Option<&'static str>, exit, code| CliError::Model {
        message,
        help: help.map(Into::into),
        exit,
        code,
    };
    match error {
        AgentError::Model(failure) => failed(failure.error, None),
        AgentError::Suspended(run) => undecided(&run, consent),
        AgentError::RoundLimit(run) => turn(
            format!("there is no final answer after {}", counted(run.rounds() as usize, "round")),
            Some("`--max-rounds N` allows more"),
            Exit::Negative,
            "round_limit",
        ),
        AgentError::CallLimit(run) => {
            let help = match run.exceeded() {
                Some(Exceeded::CallsOfTool { .. }) => Some("`--max-calls-per-tool N` allows more"),
                Some(Exceeded::Calls { .. }) => Some("`--max-calls N` allows more"),
                _ => None,
            };
            let which =
                run.exceeded().map_or_else(|| "a limit of calls is reached".to_owned(), ToString::to_string);
            turn(which, help, Exit::Negative, "call_limit")
        }
        AgentError::TimedOut(_) => turn(chain(&error), None, Exit::NoAnswer, "timed_out"),
        AgentError::Cancelled(_) => turn(chain(&error), None, Exit::NoAnswer, "cancelled"),
        AgentError::EmptyPrompt => {
            CliError::usage("there is no question", "write it last: `opentool ask SOURCE \"…\"`")
        }
        error => turn(chain(&error), None, Exit::Negative, "failed"),
    }
}

/// Calls that need a person, where there is none.
pub(super) fn undecided(run: &Run, consent: Consent) -> CliError {
    let waiting: Vec<String> = run
        .pending_calls()
        .map(|call| {
            let arguments = Value::Object(call.arguments.clone().into_map());
            format!("`{}`", call_line(&call.tool, &arguments).text)
        })
        .collect();
    let more = match waiting.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {}", counted(more, "further call")),
    };
    let calls = waiting.get(..SHOWN.min(waiting.len())).unwrap_or_default().join(" and ");
    let (why, help) = match consent {
        Consent { ask: true, .. } => (
            "and `--ask` has every call asked about",
            "`--yes` runs every call; without `--ask` the tools that say that they change nothing run; \
             `opentool chat` asks, at a terminal",
        ),
        _ => (
            "which may change something",
            "`--yes` runs every call; `--read-only` gives the model only tools that change nothing; \
             `opentool chat` asks, at a terminal",
        ),
    };
    CliError::Model {
        message: format!("the model wants to call {calls}{more}, {why}, and nobody allowed it"),
        help: Some(help.into()),
        exit: Exit::Negative,
        code: "approval_needed",
    }
}
