//! Tools, servers and clients for the tests.

use std::sync::Arc;
use std::time::Duration;

use opentool_core::{
    Arguments, BoxFuture, Origin, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput, ToolSet, tool_fn,
};
use opentool_mcp::Server;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ErrorData, ProgressNotificationParam, ProtocolVersion,
    Tool as Listed,
};
use rmcp::service::{NotificationContext, RunningService, ServiceError};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt, RoleClient};
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};

/// Longer than anything here may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// Waits for what has to happen.
pub(crate) async fn soon<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(PATIENCE, future).await {
        Ok(value) => value,
        Err(_) => panic!("{what} did not happen"),
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
pub(crate) struct Add {
    pub(crate) a: i64,
    pub(crate) b: i64,
}

/// `add`, which gives a number.
pub(crate) fn add() -> impl Tool {
    tool_fn("add", "Adds two numbers.", async |add: Add| {
        add.a.checked_add(add.b).ok_or("the sum is too large")
    })
}

/// A tool that is told its context.
pub(crate) fn tool<F, Fut>(name: &str, run: F) -> impl Tool + use<F, Fut>
where
    F: Fn(ToolContext, Value) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<ToolOutput, ToolError>> + Send + 'static,
{
    defined(ToolDefinition::new(name, "").input_schema(json!({"type": "object"})), run)
}

/// A tool of this definition.
pub(crate) fn defined<Fut>(
    definition: ToolDefinition,
    run: impl Fn(ToolContext, Value) -> Fut + Send + Sync + 'static,
) -> impl Tool
where
    Fut: Future<Output = Result<ToolOutput, ToolError>> + Send + 'static,
{
    Told {
        definition,
        run: move |cx: ToolContext, arguments: Value| -> Running { Box::pin(run(cx, arguments)) },
    }
}

type Running = BoxFuture<'static, Result<ToolOutput, ToolError>>;

struct Told<F> {
    definition: ToolDefinition,
    run: F,
}

impl<F: Fn(ToolContext, Value) -> Running + Send + Sync + 'static> Tool for Told<F> {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn call<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        (self.run)(cx.clone(), Value::Object(arguments.into_map()))
    }
}

/// A tool whose structured result is the argument `value`, with an output schema.
pub(crate) fn answer(name: &str, kind: &str, schema: Option<Value>) -> impl Tool {
    let mut definition =
        ToolDefinition::new(name, "").input_schema(json!({"type": "object"})).origin(Origin::new(kind));
    if let Some(schema) = schema {
        definition = definition.output_schema(schema);
    }
    defined(definition, |_, arguments| async move { Ok(ToolOutput::json(arguments["value"].clone())) })
}

/// The tools in order.
pub(crate) fn set<const N: usize>(tools: [Arc<dyn Tool>; N]) -> ToolSet {
    ToolSet::from_tools(tools).unwrap()
}

/// A tool that runs until somebody gives it up, and what a test sees of it.
pub(crate) struct Endless {
    pub(crate) started: Arc<Notify>,
    pub(crate) stopped: Arc<Notify>,
    pub(crate) signalled: Arc<Notify>,
}

impl Endless {
    pub(crate) fn new() -> (impl Tool, Self) {
        let seen = Self {
            started: Arc::new(Notify::new()),
            stopped: Arc::new(Notify::new()),
            signalled: Arc::new(Notify::new()),
        };
        let (started, stopped) = (Arc::clone(&seen.started), Arc::clone(&seen.stopped));
        let signalled = Arc::clone(&seen.signalled);
        let endless = tool("endless", move |cx, _| {
            let (started, stopped) = (Arc::clone(&started), Arc::clone(&stopped));
            let signalled = Arc::clone(&signalled);
            async move {
                let _stopped = OnDrop(stopped);
                let signal = cx.cancel_signal().clone();
                tokio::spawn(async move {
                    signal.cancelled().await;
                    signalled.notify_one();
                });
                started.notify_one();
                std::future::pending().await
            }
        });
        (endless, seen)
    }
}

struct OnDrop(Arc<Notify>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

/// How a client begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    Modern,
    Legacy,
    Auto,
}

/// How a client reaches the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Stream,
    Http,
}

/// Every pair of them.
pub(crate) const ALL: [(Way, Era); 6] = [
    (Way::Stream, Era::Modern),
    (Way::Stream, Era::Legacy),
    (Way::Stream, Era::Auto),
    (Way::Http, Era::Modern),
    (Way::Http, Era::Legacy),
    (Way::Http, Era::Auto),
];

/// What a client was told outside of answers.
pub(crate) struct Heard {
    progress: mpsc::UnboundedSender<ProgressNotificationParam>,
    changed: mpsc::UnboundedSender<()>,
}

impl ClientHandler for Heard {
    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let _ = self.progress.send(params);
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        let _ = self.changed.send(());
    }
}

/// A connected client.
pub(crate) struct Client {
    pub(crate) service: RunningService<RoleClient, Heard>,
    pub(crate) progress: mpsc::UnboundedReceiver<ProgressNotificationParam>,
    pub(crate) changed: mpsc::UnboundedReceiver<()>,
}

impl Client {
    /// A client of a server that it has for itself.
    pub(crate) async fn of(server: Server, way: Way, era: Era) -> Self {
        match way {
            Way::Stream => {
                let (ours, theirs) = tokio::io::duplex(64 * 1024);
                let (read, write) = tokio::io::split(theirs);
                tokio::spawn(server.serve_stream(read, write));
                Self::over(ours, era).await
            }
            Way::Http => Self::at(&serve(server).await, era).await,
        }
    }

    /// A client of the endpoint.
    pub(crate) async fn at(url: &str, era: Era) -> Self {
        // The test client has no TLS provider of its own; a second installation changes nothing.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let config = StreamableHttpClientTransportConfig::with_uri(url);
        Self::over(StreamableHttpClientTransport::from_config(config), era).await
    }

    /// A client over a transport.
    pub(crate) async fn over<T, E, A>(transport: T, era: Era) -> Self
    where
        T: rmcp::transport::IntoTransport<RoleClient, E, A>,
        E: std::error::Error + Send + Sync + 'static,
    {
        let (progress_sender, progress) = mpsc::unbounded_channel();
        let (changed_sender, changed) = mpsc::unbounded_channel();
        let heard = Heard { progress: progress_sender, changed: changed_sender };
        let modern = vec![ProtocolVersion::V_2026_07_28];
        let lifecycle = match era {
            Era::Modern => ClientLifecycleMode::Discover { preferred_versions: modern },
            Era::Legacy => ClientLifecycleMode::Initialize,
            Era::Auto => ClientLifecycleMode::Auto { preferred_versions: modern, legacy_version: None },
        };
        let service = soon("the connection", heard.serve_with_lifecycle(transport, lifecycle)).await.unwrap();
        Self { service, progress, changed }
    }

    pub(crate) async fn call(&self, name: &str, arguments: Value) -> Result<CallToolResult, ServiceError> {
        soon("the answer", self.service.call_tool(request(name, arguments))).await
    }

    /// The answer of a call that must come back as a result.
    pub(crate) async fn result(&self, name: &str, arguments: Value) -> CallToolResult {
        self.call(name, arguments).await.unwrap()
    }

    /// The error of a call that must be a protocol error.
    pub(crate) async fn refused(&self, name: &str, arguments: Value) -> ErrorData {
        match self.call(name, arguments).await {
            Err(ServiceError::McpError(error)) => error,
            other => panic!("not a protocol error: {other:?}"),
        }
    }

    pub(crate) async fn tools(&self) -> Vec<Listed> {
        soon("the list", self.service.list_all_tools()).await.unwrap()
    }
}

/// The parameters of a call.
pub(crate) fn request(name: &str, arguments: Value) -> CallToolRequestParams {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    CallToolRequestParams::new(name.to_owned()).with_arguments(arguments)
}

/// Serves at a free port; gives the address of the endpoint.
pub(crate) async fn serve(server: Server) -> String {
    let bound = server.bind("127.0.0.1:0").await.unwrap();
    let url = bound.url();
    tokio::spawn(bound.serve());
    url
}

/// The first text block.
pub(crate) fn text(result: &CallToolResult) -> &str {
    result.content.first().and_then(|block| block.as_text()).map_or("", |text| &text.text)
}

/// Whether the result is marked as an error.
pub(crate) fn failed(result: &CallToolResult) -> bool {
    result.is_error == Some(true)
}
