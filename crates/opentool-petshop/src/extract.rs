//! Reading requests: numbers in paths, repeated query parameters, JSON bodies, the key.
//!
//! axum's own extractors answer in plain text; these answer as the document promises.

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{FromRequest, FromRequestParts, Query, RawPathParams, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::API_KEY;
use crate::problem::Problem;

/// The number in the path.
pub(crate) struct Id(pub(crate) i64);

impl<S: Send + Sync> FromRequestParts<S> for Id {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let parameters = RawPathParams::from_request_parts(parts, state)
            .await
            .map_err(|_| Problem::bad_request("the path must be UTF-8"))?;
        let (name, text) = parameters.iter().next().unwrap_or(("id", ""));
        match text.parse::<i64>() {
            // Digits only: `+2` and `02` are read by Rust, and are not what the document says.
            Ok(id) if id >= 1 && id.to_string() == text => Ok(Self(id)),
            _ => Err(Problem::bad_request(format!("`{name}` must be a whole number from 1, for example 2"))),
        }
    }
}

/// The query, where a parameter may stand several times.
pub(crate) struct Parameters(Vec<(String, String)>);

impl Parameters {
    /// All values of a parameter.
    ///
    /// # Errors
    /// If there is none, or one is empty: `example` says what to write.
    pub(crate) fn list(self, name: &str, example: &str) -> Result<Vec<String>, Problem> {
        let values: Vec<String> =
            self.0.into_iter().filter(|(key, _)| key == name).map(|(_, value)| value).collect();
        if values.is_empty() || values.iter().any(String::is_empty) {
            return Err(Problem::bad_request(format!("the query must have `{name}`, for example {example}")));
        }
        Ok(values)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Parameters {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        match Query::from_request_parts(parts, state).await {
            Ok(Query(pairs)) => Ok(Self(pairs)),
            Err(rejection) => Err(Problem::bad_request(rejection.body_text())),
        }
    }
}

/// A JSON body.
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        match Json::from_request(request, state).await {
            Ok(Json(body)) => Ok(Self(body)),
            Err(rejection) => {
                let status = match &rejection {
                    // One status for all that the sender can mend, as the document has it.
                    JsonRejection::JsonDataError(_) | JsonRejection::JsonSyntaxError(_) => {
                        StatusCode::BAD_REQUEST
                    }
                    other => other.status(),
                };
                Err(Problem::new(status, rejection.body_text()))
            }
        }
    }
}

/// Proof that the request bears the key of the staff.
pub(crate) struct Staff;

impl<S: Send + Sync> FromRequestParts<S> for Staff {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        // The key is public, so nothing is lost by a comparison that takes a measurable time.
        if parts.headers.get("api_key").is_some_and(|key| key == API_KEY) {
            Ok(Self)
        } else {
            Err(Problem::new(
                StatusCode::UNAUTHORIZED,
                "the header `api_key` must be the key of the staff; the shop's document says which it is",
            ))
        }
    }
}
