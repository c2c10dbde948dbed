//! What is exported, and where it goes: the settings, put together once when a program starts.

use opentelemetry::metrics::MeterProvider as _;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry::{InstrumentationScope, Key, global};
use opentelemetry_otlp::{MetricExporter, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tokio::runtime::Handle;
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::filter::{FilterFn, LevelFilter, Targets};
use tracing_subscriber::layer::{Identity, Layer, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::OtelError;
use crate::environment::{self, Signal};
use crate::guard::Guard;
use crate::metrics::Measure;
use crate::sender::Sender;
use crate::spans::Typed;

/// The spans of this project, which are also counted.
const OWN: &str = "opentool::gen_ai";
/// Those of its HTTP requests.
const HTTP: &str = "opentool::http";

/// A layer of any kind.
type AnyLayer<S> = Box<dyn Layer<S> + Send + Sync>;

/// Exports traces and metrics from here on, as the environment says: `Export::new().init()`.
///
/// # Errors
/// Those of [`Export::init`].
pub fn init() -> Result<Guard, OtelError> {
    Export::new().init()
}

/// What is exported and where it goes, beyond what the [environment](crate#variables) says.
#[derive(Debug, Clone, Default)]
pub struct Export {
    service: Option<String>,
    collector: Option<String>,
    targets: Vec<String>,
}

impl Export {
    /// What the environment says, and its defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Names the program, unless the environment does. Default: `unknown_service:` and the name of its file.
    pub fn service_name(mut self, name: impl Into<String>) -> Self {
        self.service = Some(name.into());
        self
    }

    /// Sets the address of the collector in place of what the environment says, to which `/v1/traces` and `/v1/metrics`
    /// are appended.
    pub fn endpoint(mut self, url: impl Into<String>) -> Self {
        self.collector = Some(url.into());
        self
    }

    /// Exports also the `tracing` spans of this target, at `info` and above: `my_program` for `#[instrument]`ed functions of
    /// the crate of that name. Their fields are exported as they are. Default: the spans of opentool alone.
    pub fn spans_of(mut self, target: impl Into<String>) -> Self {
        self.targets.push(target.into());
        self
    }

    /// Exports from here on. It sets the `tracing` subscriber of the program, which it must not have yet; a program that
    /// wants its own takes [`Export::layer`].
    ///
    /// # Errors
    /// [`OtelError::Subscribed`], and those of [`Export::layer`].
    pub fn init(self) -> Result<Guard, OtelError> {
        let (layer, guard) = self.layer()?;
        tracing_subscriber::registry().with(layer).try_init().map_err(|_| OtelError::Subscribed)?;
        Ok(guard)
    }

    /// Exports from here on what the layer sees, which is to be added to a subscriber. It has a filter of its own, and needs
    /// no other: `registry().with(layer).with(fmt::layer().with_filter(..))`.
    ///
    /// It also sets the global propagator and providers of OpenTelemetry.
    ///
    /// # Errors
    /// All but [`OtelError::Subscribed`] and [`OtelError::NotExported`]: a variable that cannot be followed, a certificate,
    /// no thread. That nobody is at the address is no error here; the SDK tells of it through `tracing`, and the guard.
    pub fn layer<S>(self) -> Result<(Box<dyn Layer<S> + Send + Sync>, Guard), OtelError>
    where
        S: Subscriber + for<'s> LookupSpan<'s> + Send + Sync,
    {
        let mut guard = Guard::default();
        let mut layers: Vec<AnyLayer<S>> = Vec::new();
        if !environment::is_disabled() {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(1)
                .thread_name("opentool-otel")
                .enable_all()
                .build()
                .map_err(OtelError::Thread)?;
            let handle = runtime.handle().clone();
            guard.runtime = Some(runtime);
            if Signal::Metrics.is_wanted()? {
                layers.push(self.metrics(&mut guard, &handle)?);
            }
            if Signal::Traces.is_wanted()? {
                layers.push(self.spans(&mut guard, &handle)?);
            }
        }
        // An empty list of layers would silence those beside it.
        let layer = if layers.is_empty() { None::<Identity>.boxed() } else { layers.boxed() };
        Ok((layer, guard))
    }

    fn metrics<S>(&self, guard: &mut Guard, runtime: &Handle) -> Result<AnyLayer<S>, OtelError>
    where
        S: Subscriber + for<'s> LookupSpan<'s> + Send + Sync,
    {
        let sender = self.sender(Signal::Metrics, guard, runtime)?;
        let mut exporter = MetricExporter::builder().with_http().with_http_client(sender);
        if let Some(address) = self.address(Signal::Metrics)? {
            exporter = exporter.with_endpoint(address);
        }
        let exporter = exporter.build().map_err(|error| OtelError::Exporter(Box::new(error)))?;
        let provider = SdkMeterProvider::builder()
            .with_resource(self.resource())
            .with_periodic_exporter(exporter)
            .build();
        let measure = Measure::new(&provider.meter_with_scope(scope()));
        global::set_meter_provider(provider.clone());
        guard.metrics = Some(provider);
        Ok(measure.with_filter(filter(&[OWN])).boxed())
    }

    fn spans<S>(&self, guard: &mut Guard, runtime: &Handle) -> Result<AnyLayer<S>, OtelError>
    where
        S: Subscriber + for<'s> LookupSpan<'s> + Send + Sync,
    {
        let sender = self.sender(Signal::Traces, guard, runtime)?;
        let mut exporter = SpanExporter::builder().with_http().with_http_client(sender);
        if let Some(address) = self.address(Signal::Traces)? {
            exporter = exporter.with_endpoint(address);
        }
        let exporter = exporter.build().map_err(|error| OtelError::Exporter(Box::new(error)))?;
        let provider = SdkTracerProvider::builder()
            .with_resource(self.resource())
            .with_batch_exporter(Typed(exporter))
            .build();
        // Where in the code a span was made is of no use to those who read traces.
        let spans = tracing_opentelemetry::layer()
            .with_tracer(provider.tracer_with_scope(scope()))
            .with_location(false)
            .with_target(false)
            .with_threads(false)
            .with_tracked_inactivity(false);
        if environment::propagates() {
            global::set_text_map_propagator(TraceContextPropagator::new());
        }
        global::set_tracer_provider(provider.clone());
        guard.spans = Some(provider);
        let targets: Vec<&str> = self.targets.iter().map(String::as_str).chain([OWN, HTTP]).collect();
        Ok(spans.with_filter(filter(&targets)).boxed())
    }

    fn sender(&self, signal: Signal, guard: &mut Guard, runtime: &Handle) -> Result<Sender, OtelError> {
        signal.check()?;
        let sender = Sender::new(signal, runtime.clone())?;
        guard.outcomes.push(sender.outcome());
        Ok(sender)
    }

    /// Where the signal goes, if the host says so.
    fn address(&self, signal: Signal) -> Result<Option<String>, OtelError> {
        let Some(collector) = &self.collector else { return Ok(None) };
        let named = |why| OtelError::variable("the address of the collector", why);
        let mut url = environment::address(collector).map_err(named)?;
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(signal.path().split('/'));
        }
        Ok(Some(url.into()))
    }

    fn resource(&self) -> Resource {
        let said = Resource::builder().build();
        let name = said.get(&Key::from_static_str("service.name"));
        let is_said = name.is_some_and(|name| !name.as_str().starts_with("unknown_service"));
        match &self.service {
            Some(service) if !is_said => Resource::builder().with_service_name(service.clone()).build(),
            _ => said,
        }
    }
}

/// Who made the spans and metrics.
fn scope() -> InstrumentationScope {
    InstrumentationScope::builder("opentool").with_version(env!("CARGO_PKG_VERSION")).build()
}

/// Lets the spans of the targets pass: spans, and no events, whose texts may hold anything.
fn filter(targets: &[&str]) -> FilterFn<impl Fn(&Metadata<'_>) -> bool + use<>> {
    let targets = Targets::new().with_targets(targets.iter().map(|target| (*target, LevelFilter::INFO)));
    let passes = move |metadata: &Metadata<'_>| {
        metadata.is_span() && targets.would_enable(metadata.target(), metadata.level())
    };
    // The hint keeps what is less important than `info` from being made at all.
    FilterFn::new(passes).with_max_level_hint(Level::INFO)
}
