//! Why nothing is exported.

use opentool_http::HttpError;

/// Why traces and metrics are not exported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OtelError {
    /// A variable of the environment says something that cannot be followed.
    #[error("{variable} {problem}")]
    Variable {
        /// Its name.
        variable: Box<str>,
        /// What is wrong, and what may be written.
        problem: Box<str>,
    },
    /// A certificate or a key cannot be used.
    #[error("{variable} names a file that cannot be used")]
    Certificate {
        /// The variable that names it.
        variable: Box<str>,
        /// Why.
        #[source]
        source: Box<HttpError>,
    },
    /// The exporter refuses its settings.
    #[error("the exporter cannot be made")]
    Exporter(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The system has no room for the thread that sends.
    #[error("there is no thread for the exporter")]
    Thread(#[source] std::io::Error),
    /// The program has a `tracing` subscriber already: [`crate::Export::layer`] makes a layer for it.
    #[error("there is a `tracing` subscriber already; add the layer of `Export::layer` to it")]
    Subscribed,
    /// What was collected last did not reach the collector, and is lost.
    #[error("traces or metrics did not reach the collector: {reason}")]
    NotExported {
        /// Why; no credential is in it.
        reason: Box<str>,
    },
}

impl OtelError {
    pub(crate) fn variable(variable: &str, problem: impl Into<Box<str>>) -> Self {
        Self::Variable { variable: variable.into(), problem: problem.into() }
    }
}
