//! The trace that a client names in the headers of its request, by W3C's `traceparent` or whatever else the program's
//! propagator reads.
//!
//! A client is believed, because it costs nothing but a link. That needs the feature `otel`, and without it there is never a
//! parent. Spans are made by whoever answers; this file knows of none.

use axum::http::HeaderMap;

/// The trace that a client names; none by default.
#[derive(Debug, Clone, Default)]
pub struct Parent {
    #[cfg(feature = "otel")]
    context: Option<opentelemetry::Context>,
}

/// While it lives, spans of this thread are parts of the trace of a [`Parent`].
#[must_use = "spans belong to the trace only while this lives"]
pub struct Within {
    #[cfg(feature = "otel")]
    _guard: Option<opentelemetry::ContextGuard>,
}

impl Parent {
    /// The trace in the headers of a request.
    #[cfg(feature = "otel")]
    pub fn of(headers: &HeaderMap) -> Self {
        Self::named_in(&remote::Headers(headers))
    }

    /// None: traces of clients need the feature `otel`.
    #[cfg(not(feature = "otel"))]
    pub fn of(_headers: &HeaderMap) -> Self {
        Self::default()
    }

    /// The trace that is named in another place than headers.
    #[cfg(feature = "otel")]
    pub fn named_in(place: &dyn opentelemetry::propagation::Extractor) -> Self {
        use opentelemetry::global;
        use opentelemetry::trace::TraceContextExt as _;

        let named = global::get_text_map_propagator(|propagator| propagator.extract(place));
        Self { context: Some(named).filter(|named| named.span().span_context().is_remote()) }
    }

    /// This one, or the other if there is none.
    pub fn or_else(self, other: impl FnOnce() -> Self) -> Self {
        #[cfg(feature = "otel")]
        return if self.context.is_some() { self } else { other() };
        #[cfg(not(feature = "otel"))]
        return other();
    }

    /// Makes spans parts of the trace, until what it returns is dropped.
    pub fn within(&self) -> Within {
        Within {
            #[cfg(feature = "otel")]
            _guard: self.context.clone().map(opentelemetry::Context::attach),
        }
    }
}

#[cfg(feature = "otel")]
mod remote {
    //! Headers as a propagator reads them.

    use axum::http::HeaderMap;
    use opentelemetry::propagation::Extractor;

    pub(super) struct Headers<'h>(pub(super) &'h HeaderMap);

    impl Extractor for Headers<'_> {
        fn get(&self, key: &str) -> Option<&str> {
            self.0.get(key)?.to_str().ok()
        }

        fn keys(&self) -> Vec<&str> {
            self.0.keys().map(|name| name.as_str()).collect()
        }
    }
}
