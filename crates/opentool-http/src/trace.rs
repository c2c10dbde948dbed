//! The trace that a request is part of, told to the server by W3C's headers `traceparent` and `tracestate`.
//!
//! The trace is OpenTelemetry's current one, and how it is written is what the host has set up
//! (`opentelemetry::global::set_text_map_propagator`); without a trace, or without the feature `otel`, nothing is added.
//! A request tells its trace only if it is asked to: a server that nobody calls on behalf of a trace learns nothing.

use http::{HeaderMap, HeaderName, HeaderValue};
use opentelemetry::propagation::Injector;
use opentelemetry::trace::TraceContextExt as _;
use opentelemetry::{Context, global};

/// Adds the current trace to the headers, unless they hold one.
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
struct Absent<'h>(&'h mut HeaderMap);

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
