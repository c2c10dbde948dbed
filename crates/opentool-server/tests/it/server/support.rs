//! Tools and servers for the tests.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use opentool_core::{
    Arguments, BoxFuture, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput, ToolSet, tool_fn,
};
use opentool_server::ServerError;
use opentool_server::server::{Bound, Server};
use serde_json::{Value, json};
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;

/// Longer than anything here may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits for what has to happen.
pub(super) async fn soon<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(PATIENCE, future).await {
        Ok(value) => value,
        Err(_) => panic!("{what} did not happen"),
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

/// `add`, which gives a number.
pub(super) fn add() -> impl Tool {
    tool_fn("add", "Adds two numbers.", async |add: Add| {
        add.a.checked_add(add.b).ok_or("the sum is too large")
    })
}

/// A tool that is told its context.
pub(super) fn tool<Fut>(
    name: &str,
    run: impl Fn(ToolContext, Value) -> Fut + Send + Sync + 'static,
) -> Arc<dyn Tool>
where
    Fut: Future<Output = Result<ToolOutput, ToolError>> + Send + 'static,
{
    let definition = ToolDefinition::new(name, "").input_schema(json!({"type": "object"}));
    Arc::new(Told {
        definition,
        run: move |cx: ToolContext, arguments: Value| -> Running { Box::pin(run(cx, arguments)) },
    })
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

/// The tools in order.
pub(super) fn set(tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> ToolSet {
    ToolSet::from_tools(tools).unwrap()
}

/// A server of these tools, with the defaults.
pub(super) async fn serve(tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Served {
    start(Server::new(set(tools))).await
}

/// Starts a server on a free port.
pub(super) async fn start(server: Server) -> Served {
    Served::start(server.bind("127.0.0.1:0").await.unwrap())
}

/// A server that runs. It is cut off when this is dropped.
pub(super) struct Served {
    pub(super) address: SocketAddr,
    end: Option<oneshot::Sender<()>>,
    task: JoinHandle<Result<(), ServerError>>,
}

impl Served {
    pub(super) fn start(bound: Bound) -> Self {
        let address = bound.local_addr();
        let (end, ended) = oneshot::channel();
        let task = tokio::spawn(bound.serve_until(async move {
            // Dropped without a word, it only means that nobody will ask.
            if ended.await.is_err() {
                std::future::pending().await
            }
        }));
        Self { address, end: Some(end), task }
    }

    /// Asks the server to end.
    pub(super) fn ask_to_end(&mut self) {
        self.end.take().unwrap().send(()).unwrap();
    }

    /// Waits until it has ended.
    pub(super) async fn ended(mut self) {
        soon("the end of the server", &mut self.task).await.unwrap().unwrap();
    }

    pub(super) fn has_ended(&self) -> bool {
        self.task.is_finished()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A tool that runs until it is told to finish or somebody gives it up, and what a test sees of it.
#[derive(Clone, Default)]
pub(super) struct Slow {
    pub(super) started: Arc<Notify>,
    pub(super) finish: Arc<Notify>,
    /// The tool's future was dropped before its end.
    pub(super) stopped: Arc<Notify>,
    /// The cancellation of its context was triggered.
    pub(super) signalled: Arc<Notify>,
}

impl Slow {
    /// The tool `slow`, which tells one part and gives `{"finished": true}`.
    pub(super) fn new() -> (Arc<dyn Tool>, Self) {
        let seen = Self::default();
        let sees = seen.clone();
        let slow = tool("slow", move |cx, _| {
            let sees = sees.clone();
            async move {
                let unless_finished = OnDrop(Some(Arc::clone(&sees.stopped)));
                let signal = cx.cancel_signal().clone();
                let signalled = Arc::clone(&sees.signalled);
                tokio::spawn(async move {
                    signal.cancelled().await;
                    signalled.notify_one();
                });
                cx.partial("part").await;
                sees.started.notify_one();
                sees.finish.notified().await;
                unless_finished.disarm();
                Ok(ToolOutput::json(json!({"finished": true})))
            }
        });
        (slow, seen)
    }
}

struct OnDrop(Option<Arc<Notify>>);

impl OnDrop {
    fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for OnDrop {
    fn drop(&mut self) {
        if let Some(notify) = &self.0 {
            notify.notify_one();
        }
    }
}
