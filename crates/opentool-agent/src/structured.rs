//! Answers of a Rust type: the model gives its final answer as the arguments of a tool, which are validated as those of
//! any tool are.
//!
//! A tool is the one way in which every provider takes a schema, and a wrong answer is then mended as a wrong call is:
//! the model reads what is wrong and tries again. A model that answers in plain text is read too, if the text holds the
//! value. How often it may try is bounded. Answers of a type are not streamed: half a value is none.

use std::fmt;
use std::marker::PhantomData;

use opentool_core::{
    Arguments, BoxFuture, Message, Schema, Tool, ToolCall, ToolContext, ToolDefinition, ToolError,
    ToolOutput, ToolSet, Usage,
};
use opentool_schema::{RepairPolicy, ToolSetExt as _};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::agent::finished;
use crate::drive::Stop;
use crate::meant::meant;
use crate::{Agent, AgentError, Exceeded, Finish, Limit, Prompt, Reply, Run, StopWhen};

/// The name of the tool; one with a number if the agent has a tool of this name.
const NAME: &str = "final_answer";
/// The mark of an answer in the host-only metadata of its output.
const MARK: &str = "agent.final_answer";
/// How often a wrong answer is sent back if nobody says otherwise.
pub(crate) const REPAIRS: u32 = 3;

/// An answer of a type.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Answer<T> {
    /// The value.
    pub value: T,
    /// The turn: its messages, rounds and tokens, those of wrong answers included.
    pub reply: Reply,
}

/// The model gave no answer of the wanted form, as often as it was asked.
#[derive(Debug)]
#[non_exhaustive]
pub struct UnfitAnswer {
    /// What was wrong with the last one.
    pub problem: String,
    /// The run.
    pub run: Run,
}

impl fmt::Display for UnfitAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the model gave no answer of the wanted form: {}", self.problem)
    }
}

impl std::error::Error for UnfitAnswer {}

impl Agent {
    /// Runs a turn to an answer of the type `T`. The model may call tools on the way as ever.
    ///
    /// ```
    /// # use opentool_agent::{Agent, chat};
    /// # use opentool_core::ToolSet;
    /// # use serde_json::json;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), opentool_agent::AgentError> {
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Forecast { city: String, rain: bool }
    ///
    /// # let model = chat::script().calls([("final_answer", json!({"city": "Paris", "rain": true}))]);
    /// let agent = Agent::new(model, ToolSet::new());
    /// let forecast = agent.run_as::<Forecast>("Will it rain in Paris?").await?.value;
    /// assert!(forecast.rain && forecast.city == "Paris");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`Agent::run`], and [`AgentError::Unfit`] after [`Agent::answer_repairs`] wrong answers, or if the model
    /// refused.
    pub async fn run_as<T>(&self, prompt: impl Into<Prompt> + Send) -> Result<Answer<T>, AgentError>
    where
        T: DeserializeOwned + JsonSchema + Send + 'static,
    {
        let wanted = Wanted::<T>::of(self.tools());
        let agent = self.answering(&wanted);
        let run = agent.start(prompt);
        agent.answer_of(run, &wanted).await
    }

    /// Goes on with a run of [`Agent::run_as`] where it stopped, to an answer of the type `T`: one that waited for a person's
    /// decision, or one that another process stored. [`Agent::resume`] otherwise. A run that began without a type may end
    /// with one, too.
    ///
    /// # Errors
    /// Those of [`Agent::run_as`]. Wrong answers are counted anew.
    pub async fn resume_as<T>(&self, run: Run) -> Result<Answer<T>, AgentError>
    where
        T: DeserializeOwned + JsonSchema + Send + 'static,
    {
        let wanted = Wanted::<T>::of(self.tools());
        self.answering(&wanted).answer_of(run, &wanted).await
    }

    /// Drives a run to the answer; this agent has the tool for it.
    async fn answer_of<T>(&self, mut run: Run, wanted: &Wanted<T>) -> Result<Answer<T>, AgentError>
    where
        T: DeserializeOwned + JsonSchema + Send + 'static,
    {
        let (mut rounds, mut wrong) = (0_u32, 0_u32);
        let (mut usage, mut inner) = (Usage::default(), Usage::default());
        loop {
            let driven = self.drive(&mut run).await;
            rounds = rounds.saturating_add(run.rounds());
            usage += run.usage();
            inner += run.inner_usage();
            let finish = match driven {
                Ok(finish) => finish,
                // Wrong calls of the answer's tool are counted as its calls.
                Err(Stop::CallLimit) if wanted.is_exceeded(&run) => {
                    let problem = wanted.last_problem(&run);
                    return Err(AgentError::Unfit(Box::new(UnfitAnswer { problem, run })));
                }
                Err(stop) => return Err(stop.with(run)),
            };
            let problem = match wanted.found(&run, finish) {
                Ok(value) => {
                    let mut reply = finished(finish, run);
                    (reply.rounds, reply.usage, reply.inner_usage) = (rounds, usage, inner);
                    return Ok(Answer { value, reply });
                }
                Err(problem) => problem,
            };
            if finish == Finish::Refused || wrong >= self.settings.answer_repairs {
                return Err(AgentError::Unfit(Box::new(UnfitAnswer { problem, run })));
            }
            wrong = wrong.saturating_add(1);
            run.say(format!("{problem}\n\nGive the answer by calling the tool `{}`.", wanted.name));
        }
    }

    /// This agent with the tool for the answer.
    fn answering<T>(&self, wanted: &Wanted<T>) -> Self {
        let tools = self.tools().clone().merge(wanted.tools.clone());
        // The name was chosen so that it is free.
        let mut agent = self.clone().replace_tools(tools.unwrap_or_else(|_| wanted.tools.clone()));
        let told = format!("Give your final answer by calling the tool `{}`.", wanted.name);
        let system = match &self.system {
            Some(system) => format!("{system}\n\n{told}"),
            None => told,
        };
        let tries = self.settings.answer_repairs.saturating_add(1);
        let limits = self.settings.limits.clone();
        let limits = limits.calls_of(wanted.name.as_str(), Limit::stop(tries)).uncounted(&wanted.name);
        // The tool is the host's own, and does nothing: nobody has to allow an answer.
        agent.dispatcher.approvals = agent.dispatcher.approvals.but_allow(wanted.name.clone());
        agent = agent.system(system).limits(limits);
        agent.stop_when(StopWhen::new(|turn| answer_in(turn.run.messages()).is_some()))
    }
}

/// The tool for the answer, and how the answer is read.
struct Wanted<T> {
    name: String,
    form: Form,
    tools: ToolSet,
    kind: PhantomData<fn() -> T>,
}

/// Whether the arguments are the answer, or hold it.
#[derive(Debug, Clone, Copy)]
enum Form {
    Whole,
    Wrapped,
}

/// An answer that is no object, as an argument.
#[derive(Deserialize, JsonSchema)]
struct Wrapped<T> {
    /// The answer.
    answer: T,
}

impl Form {
    fn read<T: DeserializeOwned>(self, arguments: &Arguments) -> Result<T, ToolError> {
        match self {
            Self::Whole => arguments.parse(),
            Self::Wrapped => arguments.parse::<Wrapped<T>>().map(|wrapped| wrapped.answer),
        }
    }
}

impl<T: DeserializeOwned + JsonSchema + 'static> Wanted<T> {
    fn of(others: &ToolSet) -> Self {
        let mut names = std::iter::once(NAME.to_owned()).chain((2_u32..).map(|n| format!("{NAME}_{n}")));
        let name = names.find(|name| !others.contains(name)).unwrap_or_default();
        let own = Schema::input_of::<T>();
        // Only what surely is an object can be the arguments themselves.
        let root = own.as_value();
        let is_object =
            root.get("type").is_some_and(|kind| kind == "object") && root.get("properties").is_some();
        let (form, schema) =
            if is_object { (Form::Whole, own) } else { (Form::Wrapped, Schema::input_of::<Wrapped<T>>()) };
        let told = "Gives the final answer. Call it once, when everything else is done: its arguments are the answer.";
        let definition = ToolDefinition::new(name.as_str(), told).input_schema(schema).return_direct(true);
        let tool = FinalAnswer::<T> { definition, form, kind: PhantomData };
        // One tool does not clash.
        let tools = ToolSet::from_tools([tool]).unwrap_or_default();
        Self { name, form, tools, kind: PhantomData }
    }

    /// The value that the turn came to, or what is wrong, for the model.
    fn found(&self, run: &Run, finish: Finish) -> Result<T, String> {
        let unfit = |error: ToolError| {
            format!("Your answer is not of the form that is needed: {}", error.for_model())
        };
        if let Some(Value::Object(arguments)) = answer_in(run.messages()) {
            return self.form.read(&arguments.clone().into()).map_err(unfit);
        }
        let text = run.messages().iter().rev().find_map(|message| match message {
            Message::Assistant(answer) => Some(answer.to_text()),
            _ => None,
        });
        let text = text.unwrap_or_default();
        match finish {
            Finish::Answered => {
                let call = ToolCall::new("", self.name.as_str(), text);
                let read = self.tools.take(&call, &RepairPolicy::default());
                read.and_then(|(arguments, _)| self.form.read(&arguments)).map_err(unfit)
            }
            Finish::Refused => Err(format!("it refused: {text}")),
            Finish::CutOff => Err("Your answer reached its length limit; make it shorter.".to_owned()),
            _ => Err("The turn ended before there was an answer.".to_owned()),
        }
    }

    /// Whether it is the limit of this tool that ended the turn.
    fn is_exceeded(&self, run: &Run) -> bool {
        matches!(run.exceeded(), Some(Exceeded::CallsOfTool { tool, .. }) if *tool == self.name)
    }

    /// What was wrong with the last call of the tool that was read.
    fn last_problem(&self, run: &Run) -> String {
        let is_own = |name: &str| meant(&self.tools, name).is_some();
        let mut results = run.messages().iter().rev().filter_map(|message| match message {
            Message::Tool(result) if is_own(&result.name) => Some(&result.output),
            _ => None,
        });
        let wrong = results
            .find(|output| output.metadata.get("error.code").is_none_or(|code| code != "limit_reached"));
        wrong.map(ToolOutput::to_text).unwrap_or_default()
    }
}

/// The answer that came after the last question, if one did.
fn answer_in(messages: &[Message]) -> Option<&Value> {
    messages.iter().rev().take_while(|message| !matches!(message, Message::User(_))).find_map(|message| {
        match message {
            Message::Tool(result) if !result.output.is_error => result.output.metadata.get(MARK),
            _ => None,
        }
    })
}

/// The tool that takes the answer.
struct FinalAnswer<T> {
    definition: ToolDefinition,
    form: Form,
    kind: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned + 'static> Tool for FinalAnswer<T> {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn call<'a>(
        &'a self,
        _cx: &'a ToolContext,
        arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        // What the schema accepts and the type does not is told to the model here.
        let read = self.form.read::<T>(&arguments).map(|_| {
            let value = Value::Object(arguments.into_map());
            ToolOutput::json(value.clone()).metadata(MARK, value)
        });
        Box::pin(std::future::ready(read))
    }
}
