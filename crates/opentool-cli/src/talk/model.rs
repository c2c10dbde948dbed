//! The model that a person names, and its failures in the words of the command line.

use std::path::Path;
use std::sync::Arc;

use opentool::agent::{AgentError, chat};
use opentool::{ChatModel, Message, ModelError};

use crate::error::{CliError, chain};
use crate::exit::Exit;

/// What to do where there is no model, or no key for it.
const MODELS: &str = "set the key of a provider (OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, MISTRAL_API_KEY, …) and \
     name its model: `--model anthropic:claude-sonnet-4-5`, or in OPENTOOL_MODEL; `--model ollama:qwen3` asks a local \
     Ollama; `--model replay:FILE` plays a recording and needs no key";

/// The model of this name, recorded where that is wanted.
pub(super) fn named(name: Option<&str>, record: Option<&Path>) -> Result<Arc<dyn ChatModel>, CliError> {
    let Some(name) = name.map(str::trim).filter(|name| !name.is_empty()) else {
        return Err(CliError::Model {
            message: "no model is named".to_owned(),
            help: Some(MODELS.into()),
            exit: Exit::Usage,
            code: "no_model",
        });
    };
    let model = chat::model(name).map_err(failed)?;
    Ok(match record {
        Some(file) => Arc::new(chat::Recorder::new(model, file).map_err(failed)?),
        None => model,
    })
}

/// The messages of a conversation that `/save` wrote.
pub(super) fn saved(file: &Path) -> Result<Vec<Message>, CliError> {
    let shown = file.display();
    let text = std::fs::read_to_string(file).map_err(|error| {
        CliError::usage(
            format!("{shown}: cannot be read: {error}"),
            "`--continue` takes a file that `/save` wrote in a chat",
        )
    })?;
    serde_json::from_str(&text).map_err(|error| {
        CliError::usage(
            format!("{shown}: this is no saved conversation: {error}"),
            "`--continue` takes a file that `/save` wrote in a chat",
        )
    })
}

/// A model that gave no answer.
fn failed(error: ModelError) -> CliError {
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
        ModelError::Unauthorized(_) | ModelError::Unsupported(_) => Some(MODELS.into()),
        ModelError::RateLimited { retry_after: Some(wait), .. } => {
            Some(format!("the service asks to wait {} s", wait.as_secs().max(1)).into())
        }
        _ => None,
    };
    CliError::Model { message: chain(&error), help, exit, code }
}

/// A turn that came to no answer.
pub(crate) fn interrupted(error: AgentError) -> CliError {
    let turn = |error: &AgentError, help: Option<&'static str>, exit, code| CliError::Model {
        message: chain(error),
        help: help.map(Into::into),
        exit,
        code,
    };
    match error {
        AgentError::Model(failure) => failed(failure.error),
        AgentError::Suspended(run) => {
            let calls: Vec<String> = run.pending_calls().map(|call| format!("`{}`", call.tool)).collect();
            CliError::Model {
                message: format!(
                    "the model wants to call {}, which may change something, and nobody allowed it",
                    calls.join(" and ")
                ),
                help: Some(
                    "`--yes` runs every call; `--read-only` gives the model only tools that change nothing; \
                     `opentool chat` asks"
                        .into(),
                ),
                exit: Exit::Negative,
                code: "approval_needed",
            }
        }
        AgentError::RoundLimit(_) => {
            turn(&error, Some("`--max-rounds N` allows more"), Exit::Negative, "round_limit")
        }
        AgentError::CallLimit(_) => turn(&error, None, Exit::Negative, "call_limit"),
        AgentError::TimedOut(_) => turn(&error, None, Exit::NoAnswer, "timed_out"),
        AgentError::Cancelled(_) => turn(&error, None, Exit::NoAnswer, "cancelled"),
        AgentError::EmptyPrompt => {
            CliError::usage("there is no question", "write it last: `opentool ask SOURCE \"…\"`")
        }
        error => turn(&error, None, Exit::Negative, "failed"),
    }
}
