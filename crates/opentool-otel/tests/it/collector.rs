//! A collector in this process: takes OTLP over HTTP and decodes it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentool_otel::{Export, Guard};
use prost::Message as _;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::layer::SubscriberExt as _;

/// A span that arrived.
#[derive(Debug, Clone)]
pub(crate) struct Span {
    pub(crate) name: String,
    pub(crate) kind: SpanKind,
    pub(crate) trace: String,
    pub(crate) id: String,
    pub(crate) parent: String,
    pub(crate) attributes: BTreeMap<String, Value>,
    pub(crate) is_error: bool,
}

impl Span {
    /// The attribute; null without one.
    pub(crate) fn get(&self, name: &str) -> &Value {
        self.attributes.get(name).unwrap_or(&Value::Null)
    }

    /// The attributes of these names.
    pub(crate) fn some(&self, names: &[&str]) -> Value {
        names.iter().map(|name| self.get(name).clone()).collect()
    }
}

/// A point of a histogram that arrived.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Point {
    pub(crate) metric: String,
    pub(crate) unit: String,
    pub(crate) labels: BTreeMap<String, Value>,
    pub(crate) count: u64,
    pub(crate) sum: f64,
    pub(crate) bounds: Vec<f64>,
}

#[derive(Debug, Default)]
struct Received {
    spans: Vec<Span>,
    points: Vec<Point>,
    service: Value,
    headers: Vec<HeaderMap>,
    bytes: Vec<u8>,
}

/// The collector, and the export to it, which this thread's spans go to while it lives.
pub(crate) struct Collector {
    received: Arc<Mutex<Received>>,
    guard: Option<Guard>,
    _subscriber: DefaultGuard,
}

impl Collector {
    /// Takes what happens on this thread from now on.
    pub(crate) async fn start() -> Self {
        Self::with(|export| export).await
    }

    /// The same, with more said of the export.
    pub(crate) async fn with(change: impl FnOnce(Export) -> Export) -> Self {
        let received: Arc<Mutex<Received>> = Arc::default();
        let (traces, metrics) = (Arc::clone(&received), Arc::clone(&received));
        let routes = Router::new()
            .route(
                "/v1/traces",
                post(async move |headers: HeaderMap, body: Bytes| take_spans(&traces, headers, &body)),
            )
            .route("/v1/metrics", post(async move |body: Bytes| take_points(&metrics, &body)));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, routes).await });
        let export = Export::new().endpoint(format!("http://{address}/")).service_name("test");
        let (layer, guard) = change(export).layer().unwrap();
        let subscriber = tracing_subscriber::registry().with(layer);
        let _subscriber = tracing::subscriber::set_default(subscriber);
        Self { received, guard: Some(guard), _subscriber }
    }

    /// Ends the export.
    pub(crate) async fn end(&mut self) {
        let guard = self.guard.take().unwrap();
        // The collector is served by this thread.
        tokio::task::spawn_blocking(move || guard.shutdown()).await.unwrap().unwrap();
    }

    /// The spans, in the order in which they ended.
    pub(crate) async fn spans(mut self) -> Vec<Span> {
        self.end().await;
        let received = self.received.lock().unwrap();
        assert_eq!(received.service, "test");
        assert_eq!(received.headers[0]["content-type"], "application/x-protobuf");
        received.spans.clone()
    }

    pub(crate) async fn points(mut self) -> Vec<Point> {
        self.end().await;
        self.received.lock().unwrap().points.clone()
    }

    /// Whether any of these stands anywhere in what arrived.
    pub(crate) fn holds(&self, word: &str) -> bool {
        let received = self.received.lock().unwrap();
        received.bytes.windows(word.len()).any(|window| window == word.as_bytes())
    }
}

fn take_spans(received: &Mutex<Received>, headers: HeaderMap, body: &Bytes) -> StatusCode {
    let request = ExportTraceServiceRequest::decode(body.clone()).unwrap();
    let mut received = received.lock().unwrap();
    received.headers.push(headers);
    received.bytes.extend_from_slice(body);
    for resource in request.resource_spans {
        received.service = attributes(&resource.resource.unwrap().attributes)["service.name"].clone();
        for span in resource.scope_spans.into_iter().flat_map(|scope| {
            assert_eq!(scope.scope.unwrap().name, "opentool");
            scope.spans
        }) {
            received.spans.push(Span {
                kind: span.kind(),
                name: span.name,
                trace: hex(&span.trace_id),
                id: hex(&span.span_id),
                parent: hex(&span.parent_span_id),
                attributes: attributes(&span.attributes),
                is_error: span.status.is_some_and(|status| status.code == 2),
            });
        }
    }
    StatusCode::OK
}

fn take_points(received: &Mutex<Received>, body: &Bytes) -> StatusCode {
    let request = ExportMetricsServiceRequest::decode(body.clone()).unwrap();
    let scopes = request.resource_metrics.into_iter().flat_map(|resource| resource.scope_metrics);
    for metric in scopes.flat_map(|scope| scope.metrics) {
        let Some(Data::Histogram(histogram)) = metric.data else { panic!("{} is no histogram", metric.name) };
        for point in histogram.data_points {
            received.lock().unwrap().points.push(Point {
                metric: metric.name.clone(),
                unit: metric.unit.clone(),
                labels: attributes(&point.attributes),
                count: point.count,
                sum: point.sum.unwrap_or_default(),
                bounds: point.explicit_bounds,
            });
        }
    }
    StatusCode::OK
}

fn attributes(attributes: &[KeyValue]) -> BTreeMap<String, Value> {
    attributes.iter().map(|attribute| (attribute.key.clone(), value(attribute.value.as_ref()))).collect()
}

fn value(value_of: Option<&AnyValue>) -> Value {
    match value_of.and_then(|value| value.value.as_ref()) {
        Some(Any::StringValue(text)) => json!(text),
        Some(Any::BoolValue(yes)) => json!(yes),
        Some(Any::IntValue(number)) => json!(number),
        Some(Any::DoubleValue(number)) => json!(number),
        Some(Any::ArrayValue(list)) => list.values.iter().map(|item| value(Some(item))).collect(),
        other => panic!("{other:?}"),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
