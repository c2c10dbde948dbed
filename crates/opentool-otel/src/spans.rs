//! Spans on their way to the collector: attributes whose type `tracing` cannot say get it here.
//!
//! A field of a `tracing` span is one value, and the conventions have lists.

use std::time::Duration;

use opentelemetry::{Array, KeyValue, Value};
use opentelemetry_otlp::SpanExporter;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::SpanData;

/// Attributes that are lists.
const LISTS: &[&str] = &["gen_ai.response.finish_reasons"];

/// The exporter, with the conventions' types.
#[derive(Debug)]
pub(crate) struct Typed(pub(crate) SpanExporter);

impl opentelemetry_sdk::trace::SpanExporter for Typed {
    async fn export(&self, mut batch: Vec<SpanData>) -> OTelSdkResult {
        for span in &mut batch {
            for attribute in &mut span.attributes {
                make_list(attribute);
            }
        }
        self.0.export(batch).await
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.0.shutdown_with_timeout(timeout)
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.0.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.0.set_resource(resource);
    }
}

fn make_list(attribute: &mut KeyValue) {
    if let (true, Value::String(only)) = (LISTS.contains(&attribute.key.as_str()), &attribute.value) {
        attribute.value = Value::Array(Array::String(vec![only.clone()]));
    }
}
