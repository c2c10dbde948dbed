//! What keeps the export going, and ends it in order.

use std::time::{Duration, Instant};

use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tokio::runtime::Runtime;

use crate::OtelError;
use crate::sender::Outcome;

/// How long what is left may take to reach the collector where nobody says otherwise.
const LAST: Duration = Duration::from_secs(5);

/// Keeps traces and metrics going to the collector. Dropping it sends what is left, which may take some seconds where the
/// collector does not answer, and ends the export; spans that end later are lost.
///
/// Keep it until the end of `main`: `let _otel = …`, not `let _ = …`.
#[must_use = "dropping it ends the export"]
#[derive(Debug, Default)]
pub struct Guard {
    pub(crate) spans: Option<SdkTracerProvider>,
    pub(crate) metrics: Option<SdkMeterProvider>,
    pub(crate) outcomes: Vec<Outcome>,
    pub(crate) runtime: Option<Runtime>,
}

impl Guard {
    /// Sends what was collected so far, and waits for it. It blocks the thread.
    ///
    /// # Errors
    /// [`OtelError::NotExported`] if it did not arrive.
    pub fn flush(&self) -> Result<(), OtelError> {
        let spans = self.spans.as_ref().map(SdkTracerProvider::force_flush);
        let metrics = self.metrics.as_ref().map(SdkMeterProvider::force_flush);
        self.told(spans.into_iter().chain(metrics).find_map(Result::err))
    }

    /// Sends what is left, and ends the export. It blocks the thread.
    ///
    /// # Errors
    /// [`OtelError::NotExported`] if what was collected last did not arrive.
    pub fn shutdown(self) -> Result<(), OtelError> {
        self.shutdown_within(LAST)
    }

    /// [`Guard::shutdown`], in so much time at the most: a collector that does not answer holds up nobody for longer.
    ///
    /// # Errors
    /// Those of [`Guard::shutdown`].
    pub fn shutdown_within(mut self, limit: Duration) -> Result<(), OtelError> {
        self.end(limit)
    }

    fn end(&mut self, limit: Duration) -> Result<(), OtelError> {
        let began = Instant::now();
        let spans = self.spans.take().map(|spans| spans.shutdown_with_timeout(limit));
        let left = limit.saturating_sub(began.elapsed());
        let metrics = self.metrics.take().map(|metrics| metrics.shutdown_with_timeout(left));
        let told = self.told(spans.into_iter().chain(metrics).find_map(Result::err));
        if let Some(runtime) = self.runtime.take() {
            // Not by dropping it, which is not allowed inside another runtime.
            runtime.shutdown_background();
        }
        told
    }

    /// What the senders saw says more than what the SDK says of it.
    fn told(&self, failed: Option<opentelemetry_sdk::error::OTelSdkError>) -> Result<(), OtelError> {
        let seen = self.outcomes.iter().filter_map(Outcome::take).reduce(|first, _| first);
        match seen.or_else(|| failed.map(|error| error.to_string().into())) {
            Some(reason) => Err(OtelError::NotExported { reason }),
            None => Ok(()),
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // There is nobody to tell; `Guard::shutdown` tells.
        let _ = self.end(LAST);
    }
}
