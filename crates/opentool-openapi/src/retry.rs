//! When a request is sent again, and after how long.
//!
//! Only what may be made twice is: safe and idempotent methods, and others under an idempotency key that the document
//! declares. A service that says how long to wait is waited for, if the call has that long. Pure: nothing here sends or
//! sleeps.

use std::hash::{BuildHasher as _, RandomState};
use std::time::{Duration, SystemTime};

use http::header::{HeaderMap, RETRY_AFTER};
use opentool_http::{HttpError, Method, Response, StatusCode};

use crate::plan::Operation;
use crate::request::idempotency;

/// How often and after how long a request that failed for the moment is sent again: one that was answered 429, 502, 503
/// or 504, and one that got no answer because the connection failed. Never sent again: a `POST` or `PATCH`, unless the
/// document declares a header for an idempotency key, and an operation that the document marks as writing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Retries {
    /// How often it is sent at most, the first time included. Default: 3. 1: never again.
    pub attempts: u32,
    /// The wait after the first attempt; it doubles with each, and a random part of up to a half is taken off, so that
    /// many callers do not come back at once. Default: 250 ms.
    pub first_wait: Duration,
    /// The longest wait. A service that asks for more (`Retry-After`) is not asked again. Default: 30 seconds.
    pub longest_wait: Duration,
}

impl Default for Retries {
    fn default() -> Self {
        Self { attempts: 3, first_wait: Duration::from_millis(250), longest_wait: Duration::from_secs(30) }
    }
}

impl Retries {
    /// Nothing is sent twice.
    pub fn none() -> Self {
        Self { attempts: 1, ..Self::default() }
    }

    /// Sets how often a request is sent at most, the first time included.
    pub fn attempts(mut self, count: u32) -> Self {
        self.attempts = count;
        self
    }

    /// Sets the wait after the first attempt.
    pub fn first_wait(mut self, wait: Duration) -> Self {
        self.first_wait = wait;
        self
    }

    /// Sets the longest wait.
    pub fn longest_wait(mut self, wait: Duration) -> Self {
        self.longest_wait = wait;
        self
    }

    /// How long to wait before the request is sent again, if it is; `attempt` counts from 1.
    pub(crate) fn wait(&self, attempt: u32, outcome: &Result<Response, HttpError>) -> Option<Duration> {
        if attempt >= self.attempts {
            return None;
        }
        let asked = match outcome {
            Ok(answer) if is_for_the_moment(answer.status) => after(&answer.headers, SystemTime::now()),
            Err(HttpError::Connect { .. } | HttpError::Broken { .. }) => None,
            Ok(_) | Err(_) => return None,
        };
        match asked {
            Some(asked) => Some(asked).filter(|asked| *asked <= self.longest_wait),
            None => {
                let doubled = 2_u32.saturating_pow(attempt.saturating_sub(1));
                let full = self.first_wait.saturating_mul(doubled).min(self.longest_wait);
                Some(full.saturating_sub(full.mul_f64(random() / 2.0)))
            }
        }
    }
}

fn is_for_the_moment(status: StatusCode) -> bool {
    matches!(status.as_u16(), 429 | 502 | 503 | 504)
}

/// Whether a second request does nothing that the first did not.
pub(crate) fn is_repeatable(operation: &Operation) -> bool {
    let method = &operation.method;
    let idempotent = *method == Method::GET
        || *method == Method::HEAD
        || *method == Method::OPTIONS
        || *method == Method::PUT
        || *method == Method::DELETE
        || *method == Method::TRACE
        || method.as_str() == "QUERY";
    // A document that marks a `GET` as writing says that the method is no promise.
    let promised = !(operation.marks.writes && method.is_safe());
    (idempotent && promised) || idempotency::parameter(operation).is_some()
}

/// How long a service asks to be left alone: in seconds, or until a date.
pub(crate) fn after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    match text.parse::<u64>() {
        Ok(seconds) => Some(Duration::from_secs(seconds)),
        Err(_) => {
            let date = httpdate::parse_http_date(text).ok()?;
            Some(date.duration_since(now).unwrap_or(Duration::ZERO))
        }
    }
}

/// From 0 to 1. Spreads callers, and protects nothing.
fn random() -> f64 {
    let drawn = u32::try_from(RandomState::new().hash_one(0) >> 32).unwrap_or(0);
    f64::from(drawn) / f64::from(u32::MAX)
}
