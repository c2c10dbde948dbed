//! The tool-calling loop of opentool: asks a model, runs the calls that it wants, gives it the results, until it
//! has an answer.
//!
//! * [`Agent`] is a model with tools; `agent.run("…")` is one turn, [`Agent::conversation`] several.
//! * [`Run`] is the turn as a value: a state machine without I/O that says what it needs next. It serialises at
//!   every point, so that it can be stepped in a test, stored, and resumed in another process.
//! * [`Dispatcher`] runs the calls of one answer, side by side, each to exactly one result.
//! * [`chat`] has the models: [`chat::model`] by name (`"anthropic:claude-…"`), with keys from the environment;
//!   [`chat::Model`] to set one up, for OpenAI, Anthropic, Gemini, Mistral, Ollama and every server that speaks as they
//!   do; `chat::GenaiModel` (feature `genai`) for services whose wire is not among them;
//!   [`chat::Retry`] around any model; [`chat::script`] for tests and demonstrations;
//!   [`chat::cassette`] records a conversation once and plays it from then on.
//! * [`layers`] has limits, caches and changes to put around tools; [`memory`] keeps conversations under ids.
//! * [`AgentEvent`] is what a watcher is told as it happens.
//!
//! A failing tool never ends a run: an unknown name, invalid arguments, a panic, a timeout and a cancellation are
//! results that the model reads. A run that has no reply ends with an [`AgentError`] that holds everything done
//! until then.
//!
//! A loop of your own is five lines:
//!
//! ```
//! # use opentool_agent::{chat, Dispatcher};
//! # use opentool_core::{ChatModel, ChatRequest, Message, ToolSet};
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), opentool_core::ModelError> {
//! # let (model, tools) = (chat::script().calls([("clock", serde_json::json!({}))]).text("Noon."), ToolSet::new());
//! # let dispatcher = Dispatcher::new(tools);
//! let mut messages = vec![Message::user("What is the time?")];
//! let mut reply = model.reply(ChatRequest::new(&messages, dispatcher.tools())).await?;
//! while reply.has_tool_calls() {
//!     dispatcher.carry_out(&mut messages, reply).await;
//!     reply = model.reply(ChatRequest::new(&messages, dispatcher.tools())).await?;
//! }
//! assert_eq!(reply.message.to_text(), "Noon.");
//! # Ok(())
//! # }
//! ```

mod agent;
mod agent_tool;
mod approval;
mod batch;
pub mod chat;
mod checkpoint;
mod conversation;
mod cut;
mod dispatcher;
mod drive;
mod effects;
mod error;
mod event;
mod failures;
mod guard;
mod history;
pub mod layers;
mod limits;
mod meant;
pub mod memory;
mod pending;
mod prompt;
mod reply;
mod resolver;
mod results;
mod rules;
mod run;
mod scrub;
mod spans;
mod stop;
mod stream;
mod structured;
mod window;

pub use agent::Agent;
pub use agent_tool::AgentTool;
pub use approval::{Approvals, CallRequest, Decision, PendingCall, Verdict};
pub use checkpoint::OnInterrupted;
pub use conversation::{Conversation, redefined};
pub use dispatcher::{Dispatcher, PerformError, RaisedError};
pub use error::{AgentError, ModelFailure, ToolFailure};
pub use event::{AgentEvent, CallFailure};
pub use failures::{ErrorClass, ErrorPolicy, OnError};
pub use guard::HostPanic;
pub use limits::{Breach, Exceeded, Limit, Limits};
pub use prompt::Prompt;
pub use reply::{Finish, Reply};
pub use resolver::Resolver;
pub use rules::ToolRules;
pub use run::{OutOfTurn, Run, Step};
pub use spans::SpanContent;
pub use stop::{Prices, StopWhen, TurnState};
pub use stream::RunStream;
pub use structured::{Answer, UnfitAnswer};
pub use window::HistoryLimit;
