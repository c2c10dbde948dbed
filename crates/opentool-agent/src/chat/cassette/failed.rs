//! Failures of a model on a cassette: as much of an error as can be written down and given again.

use std::time::Duration;

use opentool_core::ModelError;
use serde::{Deserialize, Serialize};

use crate::scrub::Scrub;

/// An error without its causes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(in crate::chat) enum Failed {
    Unauthorized {
        message: String,
    },
    RateLimited {
        message: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_after_ms: Option<u64>,
    },
    Unsupported {
        message: String,
    },
    Rejected {
        status: u16,
        message: String,
    },
    Unreachable {
        message: String,
        /// Whether something was tried: only then it is worth asking again.
        tried: bool,
    },
    Protocol {
        message: String,
    },
}

impl Failed {
    /// The error without secrets.
    pub(in crate::chat) fn of(error: &ModelError, scrub: &Scrub) -> Self {
        let message = |text: &str| scrub.text(text).into_owned();
        match error {
            ModelError::Unauthorized(text) => Self::Unauthorized { message: message(text) },
            ModelError::RateLimited { message: text, retry_after } => Self::RateLimited {
                message: message(text),
                retry_after_ms: retry_after.map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)),
            },
            ModelError::Unsupported(text) => Self::Unsupported { message: message(text) },
            ModelError::Rejected { status, message: text } => {
                Self::Rejected { status: *status, message: message(text) }
            }
            ModelError::Unreachable { message: text, source } => {
                Self::Unreachable { message: message(text), tried: source.is_some() }
            }
            ModelError::Protocol(text) => Self::Protocol { message: message(text) },
            error => Self::Protocol { message: message(&error.to_string()) },
        }
    }

    pub(in crate::chat) fn error(&self) -> ModelError {
        match self.clone() {
            Self::Unauthorized { message } => ModelError::Unauthorized(message.into()),
            Self::RateLimited { message, retry_after_ms } => ModelError::RateLimited {
                message: message.into(),
                retry_after: retry_after_ms.map(Duration::from_millis),
            },
            Self::Unsupported { message } => ModelError::Unsupported(message.into()),
            Self::Rejected { status, message } => ModelError::Rejected { status, message: message.into() },
            Self::Unreachable { message, tried } => ModelError::Unreachable {
                message: message.into(),
                source: tried.then(|| "as it was recorded".into()),
            },
            Self::Protocol { message } => ModelError::Protocol(message.into()),
        }
    }
}
