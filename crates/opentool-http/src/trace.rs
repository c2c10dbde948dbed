//! The trace that a request is part of, told to the server by W3C's headers `traceparent` and `tracestate`; or, where a
//! protocol has a place of its own for them, by what carries it.
//!
//! The trace is OpenTelemetry's current one, and how it is written is what the host has set up
//! (`opentelemetry::global::set_text_map_propagator`); without a trace, or without the feature `otel`, nothing is added.
//! A request tells its trace only if it is asked to: a server that nobody calls on behalf of a trace learns nothing.

use http::HeaderMap;
#[cfg(feature = "otel")]
use http::{HeaderName, HeaderValue};
#[cfg(feature = "otel")]
use opentelemetry::propagation::Injector;
#[cfg(feature = "otel")]
use opentelemetry::trace::TraceContextExt as _;
#[cfg(feature = "otel")]
use opentelemetry::{Context, global};

/// The headers that tell the current trace, as [`crate::Request::in_trace`] adds them: for protocols that carry them in a
/// message. Empty without a trace, and without the feature `otel`.
pub fn trace_headers() -> HeaderMap {
    #[allow(unused_mut, reason = "without the feature nothing is added")]
    let mut headers = HeaderMap::new();
    #[cfg(feature = "otel")]
    inject(&mut headers);
    headers
}

/// Adds the current trace to the headers, unless they hold one.
#[cfg(feature = "otel")]
pub(crate) fn inject(headers: &mut HeaderMap) {
    let current = Context::current();
    // Half of one trace and half of another is none.
    if current.has_active_span() && !headers.contains_key("traceparent") {
        global::get_text_map_propagator(|propagator| {
            propagator.inject_context(&current, &mut Absent(headers))
        });
    }
}

/// Headers to which others are added and in which none is replaced.
#[cfg(feature = "otel")]
struct Absent<'h>(&'h mut HeaderMap);

#[cfg(feature = "otel")]
impl Injector for Absent<'_> {
    fn set(&mut self, key: &str, value: String) {
        /// Facts of the host about its users and itself. Servers behind tools are strangers.
        const BAGGAGE: &str = "baggage";
        if value.is_empty() || key.eq_ignore_ascii_case(BAGGAGE) {
            return;
        }
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(key), HeaderValue::try_from(value)) {
            self.0.entry(name).or_insert(value);
        }
    }
}
