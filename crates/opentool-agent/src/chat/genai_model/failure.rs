//! Failures of `genai` by what the caller can do.
//!
//! `genai` puts whole requests and answers into its texts, so that none of them is shown as it is: what a service said is
//! bounded, on one line, and without what looks like a secret or stands in the environment under the name of one.

use std::time::Duration;

use genai::{Error, webc};
use opentool_core::ModelError;
use opentool_http::{HeaderMap, StatusCode};

use crate::chat::failure::{of_event, of_status, plain};
use crate::scrub::Scrub;

/// The error of an exchange.
pub(super) fn of(error: Error) -> ModelError {
    match error {
        Error::HttpError { status, body, headers, .. } => refused(status, &headers, &body),
        Error::WebModelCall { webc_error, .. } | Error::WebAdapterCall { webc_error, .. } => {
            of_exchange(webc_error)
        }
        Error::WebStream { cause, error, .. } => match error.downcast::<Error>() {
            // What a service says instead of a stream comes in this wrapping.
            Ok(inner) => match *inner {
                Error::WebStream { .. } => broken(&cause),
                inner => of(inner),
            },
            Err(_) => broken(&cause),
        },
        // The last event is not whole.
        Error::StreamParse { serde_error, .. } if serde_error.is_eof() => broken(&serde_error.to_string()),
        Error::ChatResponse { body, .. } => {
            let scrub = Scrub::of_environment();
            let error = body.get("error").filter(|error| !error.is_null()).unwrap_or(&body);
            of_event(error).clean(|text| scrub.text(text).into_owned())
        }
        Error::RequiresApiKey { .. } | Error::NoAuthResolver { .. } | Error::NoAuthData { .. } => {
            ModelError::Unauthorized(shown(&error.to_string()))
        }
        Error::Resolver { resolver_error, .. } => ModelError::Unauthorized(match resolver_error {
            genai::resolver::Error::ApiKeyEnvNotFound { env_name } => format!("set {env_name}").into(),
            other => shown(&other.to_string()),
        }),
        Error::ChatReqHasNoMessages { .. }
        | Error::LastChatMessageIsNotUser { .. }
        | Error::MessageRoleNotSupported { .. }
        | Error::MessageContentTypeNotSupported { .. }
        | Error::AdapterNotSupported { .. }
        | Error::AdapterKindMismatch { .. }
        | Error::ModelMapperFailed { .. } => ModelError::Unsupported(shown(&error.to_string())),
        Error::ClientBuildFail { cause } => ModelError::Unreachable { message: shown(&cause), source: None },
        // The text of this one holds the question and the answer.
        Error::ChatResponseGeneration { cause, .. } => ModelError::Protocol(shown(&cause)),
        other => ModelError::Protocol(shown(&other.to_string())),
    }
}

/// No answer in time.
pub(super) fn too_late(limit: Duration) -> ModelError {
    let source = "the time for the answer is over";
    ModelError::Unreachable {
        message: format!("there was no answer within {limit:?}").into(),
        source: Some(source.into()),
    }
}

fn of_exchange(error: webc::Error) -> ModelError {
    match error {
        webc::Error::ResponseFailedStatus { status, body, headers } => refused(status, &headers, &body),
        webc::Error::Reqwest(error) => {
            // An address can hold a key.
            let error = error.without_url();
            ModelError::Unreachable { message: shown(&error.to_string()), source: Some(error.into()) }
        }
        webc::Error::ResponseFailedNotJson { body, .. }
        | webc::Error::ResponseFailedInvalidJson { body, .. } => {
            ModelError::Protocol(format!("not JSON: {}", shown(&body)).into())
        }
        other => ModelError::Protocol(shown(&other.to_string())),
    }
}

fn refused(status: StatusCode, headers: &HeaderMap, body: &str) -> ModelError {
    let scrub = Scrub::of_environment();
    of_status(status, headers, body.as_bytes()).clean(|text| scrub.text(text).into_owned())
}

fn broken(cause: &str) -> ModelError {
    ModelError::Unreachable {
        message: "the answer broke off".into(),
        source: Some(String::from(shown(cause)).into()),
    }
}

/// One line, bounded, without secrets.
fn shown(text: &str) -> Box<str> {
    let scrub = Scrub::of_environment();
    plain(text, |text| scrub.text(text).into_owned()).into()
}
