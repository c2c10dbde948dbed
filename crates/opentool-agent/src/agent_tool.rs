//! An agent as a tool of another agent.
//!
//! The inner agent has its own model, tools, instructions and limits; of the outer one it gets what the host said to the
//! call: facts, deadline, cancellation. What it does is told to those who watch the outer one, and a person who is asked
//! there is asked for both. How deep agents call agents is limited, because a model decides about it. What it was asked
//! before it knows only if the host gives it a memory: what one conversation said is no other one's business.

use std::fmt;
use std::sync::Arc;

use opentool_core::{
    Arguments, BoxFuture, Failure, Origin, Tool, ToolCall, ToolContext, ToolDefinition, ToolError,
    ToolOutput, Usage,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::approval::Approver;
use crate::event::Observers;
use crate::memory::{Conversations, Interrupted, Memory};
use crate::{Agent, AgentError, AgentEvent, Reply};

/// The kind of origin of these tools.
pub(crate) const AGENT: &str = "agent";
/// The key of an output's host-only metadata for what the agent's turn took.
pub(crate) const TURN: &str = "agent.turn";
/// How deep agents may call agents if nobody says otherwise.
const DEPTH: u32 = 4;

/// An agent as a tool: its one argument is what the agent is asked.
///
/// A call for which the inner agent needs a person's approval asks whoever the outer one asks ([`Agent::approver`]). Where
/// nobody is there to ask, the call fails, and the outer model reads why: an inner run cannot be suspended by itself, and
/// what it had done would have to be kept with the outer one. Its tokens are the outer run's [`crate::Run::inner_usage`].
///
/// ```
/// # use opentool_agent::{Agent, chat};
/// # use opentool_core::ToolSet;
/// # use serde_json::json;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let (small, large) = (chat::script().text("42"), chat::script()
/// #     .calls([("research", json!({"prompt": "What is six times seven?"}))]).text("It is 42."));
/// let researcher = Agent::new(small, ToolSet::new()).system("You look things up.");
/// let research = researcher.as_tool("research", "Looks something up. Say everything it needs to know.");
///
/// let agent = Agent::new(large, ToolSet::from_tools([research])?);
/// assert_eq!(agent.run("Six times seven?").await?.text, "It is 42.");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct AgentTool {
    definition: ToolDefinition,
    agent: Agent,
    depth: u32,
    memory: Option<Remembering>,
}

/// Where an agent keeps what it was asked, and under which ids.
#[derive(Clone)]
struct Remembering {
    conversations: Conversations,
    ids: Ids,
}

#[derive(Clone)]
enum Ids {
    /// By the conversation around the call.
    Around,
    Host(Arc<Name>),
}

type Name = dyn Fn(&ToolContext) -> Option<String> + Send + Sync;

impl fmt::Debug for Remembering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remembering").finish_non_exhaustive()
    }
}

/// What the model reads of a failure that is none of its business.
const FAILED: &str = "the agent failed; its operator has the details";

/// What the agent is asked.
#[derive(Deserialize, JsonSchema)]
struct Asked {
    /// What is to be done, with everything that has to be known for it.
    prompt: String,
}

/// How many agents are around a call.
struct Depth(u32);

/// What is around the call of an agent: those who watch, and who is asked.
pub(crate) struct Around {
    call_id: String,
    name: String,
    observers: Observers,
    approver: Option<Approver>,
    conversation: Option<Arc<str>>,
}

impl Around {
    pub(crate) fn new(
        call: &ToolCall,
        observers: Observers,
        approver: Option<Approver>,
        conversation: Option<Arc<str>>,
    ) -> Self {
        Self { call_id: call.id.clone(), name: call.name.clone(), observers, approver, conversation }
    }
}

impl Agent {
    /// This agent as a tool of another one. Each call is a turn of its own, without memory of others, unless it is given
    /// one: [`AgentTool::memory`].
    pub fn as_tool(&self, name: impl Into<String>, description: impl Into<String>) -> AgentTool {
        let definition = ToolDefinition::new(name, description)
            .input_schema(opentool_core::Schema::input_of::<Asked>())
            .origin(Origin::new(AGENT));
        AgentTool { definition, agent: self.clone(), depth: DEPTH, memory: None }
    }
}

impl AgentTool {
    /// Sets how many agents may be around a call of this tool, at least 1. Default: 4. A call that is deeper is refused,
    /// and its model is told so.
    pub fn depth(mut self, agents: u32) -> Self {
        self.depth = agents.max(1);
        self
    }

    /// Lets the agent remember, in this memory, what it was asked before in the same conversation of the agent around it:
    /// under that one's id, a slash and the name of this tool (`ada-1/research`). The id is the one that
    /// [`crate::memory::Conversations`] or [`Agent::conversation_id`] gave; without one, each call is a turn of its own.
    /// Calls of one answer come one after the other then.
    pub fn memory(mut self, memory: impl Memory) -> Self {
        let conversations = Conversations::new(self.agent.clone(), memory);
        self.memory = Some(Remembering { conversations, ids: Ids::Around });
        self
    }

    /// As [`AgentTool::memory`], under the id that the closure makes of what the host said to the call: one for each
    /// customer, for example. A call for which it makes none is a turn of its own.
    pub fn memory_per(
        mut self,
        memory: impl Memory,
        id: impl Fn(&ToolContext) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        let conversations = Conversations::new(self.agent.clone(), memory);
        self.memory = Some(Remembering { conversations, ids: Ids::Host(Arc::new(id)) });
        self
    }

    /// Sets the definition anew: annotations, tags, whether the result goes to the caller as it is. Its input schema has
    /// to stay.
    pub fn define(mut self, change: impl FnOnce(ToolDefinition) -> ToolDefinition) -> Self {
        let schema = self.definition.input_schema.clone();
        self.definition = change(self.definition).input_schema(schema).origin(Origin::new(AGENT));
        self
    }

    async fn ask(&self, cx: &ToolContext, arguments: Arguments) -> Result<ToolOutput, ToolError> {
        let Asked { prompt } = arguments.parse()?;
        let around = cx.get::<Depth>().map_or(0, |depth| depth.0).saturating_add(1);
        if around > self.depth {
            let why = format!("agents may call agents {} deep only, and this call is deeper", self.depth);
            return Err(ToolError::Refused(why.into()));
        }
        let mut agent = self.agent.clone().extend_context(cx.clone().fact(Depth(around)));
        agent.dispatcher.spans.agent.get_or_insert_with(|| self.definition.name.as_str().into());
        if let Some(around) = cx.get::<Around>() {
            agent = agent.within(around);
        }
        let Some((memory, id)) = self.memory.as_ref().and_then(|memory| Some((memory, self.id(memory, cx)?)))
        else {
            return agent.run(prompt).await.map(|reply| output(&reply)).map_err(failed);
        };
        match memory.conversations.by(agent).say(&id, prompt).await {
            Ok(reply) => Ok(output(&reply)),
            Err(Interrupted::Agent(error)) => Err(failed(*error)),
            // What was found out is worth more than that it will be forgotten.
            Err(Interrupted::NotKept { reply: Some(reply), source }) => {
                Ok(output(&reply).metadata("agent.not_kept", source.to_string()))
            }
            Err(error) => Err(Failure::new(FAILED).source(error).into()),
        }
    }

    /// The conversation that a call belongs to.
    fn id(&self, memory: &Remembering, cx: &ToolContext) -> Option<String> {
        match &memory.ids {
            Ids::Host(name) => name(cx),
            Ids::Around => {
                let around = cx.get::<Around>()?.conversation.as_deref()?;
                Some(format!("{around}/{}", self.definition.name))
            }
        }
    }
}

impl Agent {
    /// This agent, watched and approved by those around it.
    fn within(mut self, around: &Around) -> Self {
        if self.dispatcher.approver.is_none() {
            self.dispatcher.approver = around.approver.clone();
        }
        if around.observers.is_empty() {
            return self;
        }
        let (observers, call_id, name) =
            (around.observers.clone(), around.call_id.clone(), around.name.clone());
        self.observe(move |event| {
            observers.tell(|| AgentEvent::Inner {
                call_id: call_id.clone(),
                name: name.clone(),
                inner: Box::new(event.clone()),
            });
        })
    }
}

fn output(reply: &Reply) -> ToolOutput {
    ToolOutput::text(reply.text.as_str()).metadata(TURN, spent(reply.rounds, reply.usage, reply.inner_usage))
}

/// What a turn of an agent took, with the agents that it called itself.
pub(crate) fn spent(rounds: u32, mut usage: Usage, inner: Usage) -> Value {
    usage += inner;
    json!({"rounds": rounds, "usage": usage})
}

/// The tokens behind the result of a call, if it was one of an agent.
pub(crate) fn usage_behind(output: &ToolOutput) -> Usage {
    let usage = output.metadata.get(TURN).and_then(|turn| turn.get("usage"));
    usage.and_then(|usage| Usage::deserialize(usage).ok()).unwrap_or_default()
}

/// The outer model reads that it did not work; why is for the operator.
fn failed(error: AgentError) -> ToolError {
    let told = match &error {
        AgentError::Cancelled(_) => return ToolError::Cancelled,
        AgentError::Suspended(_) => {
            "the agent needs a person's approval for what it would do, and has nobody to ask"
        }
        AgentError::RoundLimit(_) | AgentError::CallLimit(_) => {
            "the agent came to no answer within its limits; ask for less, or for something else"
        }
        AgentError::TimedOut(_) => "the agent came to no answer in time",
        _ => FAILED,
    };
    Failure::new(told).source(error).into()
}

impl Tool for AgentTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn call<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(self.ask(cx, arguments))
    }
}
