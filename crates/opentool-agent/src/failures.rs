//! Who hears of a failed call: the model, in which words, or the caller.
//!
//! One policy decides for all tools, in one place. Whatever it says, the call has its one result, the other calls of
//! the answer keep theirs, and the model never reads the causes of an error. By default the model hears of everything,
//! in the words of [`ToolError::for_model`].

use std::fmt;
use std::sync::Arc;

use opentool_core::ToolError;

/// The kinds of failures, as [`ToolError`] has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorClass {
    /// No such tool.
    UnknownTool,
    /// Arguments that break the input schema.
    InvalidArguments,
    /// The tool said that it failed.
    Failed,
    /// A service behind the tool failed or refused.
    Upstream,
    /// The tool panicked.
    Panicked,
    /// No answer in time.
    TimedOut,
    /// The host gave up on the call.
    Cancelled,
    /// The call had begun when the host was interrupted; whether it did its work is not known.
    Interrupted,
    /// The host, or a person, does not allow the call.
    Refused,
    /// One call more than [`crate::Limits`] allow.
    LimitReached,
    /// A kind that this version does not know.
    Other,
}

impl ErrorClass {
    /// The class of an error.
    pub fn of(error: &ToolError) -> Self {
        match error {
            ToolError::UnknownTool(_) => Self::UnknownTool,
            ToolError::InvalidArguments(_) => Self::InvalidArguments,
            ToolError::Failed(_) => Self::Failed,
            ToolError::Upstream(_) => Self::Upstream,
            ToolError::Panicked(_) => Self::Panicked,
            ToolError::TimedOut(_) => Self::TimedOut,
            ToolError::Cancelled => Self::Cancelled,
            ToolError::Interrupted => Self::Interrupted,
            ToolError::Refused(_) => Self::Refused,
            ToolError::LimitReached(_) => Self::LimitReached,
            _ => Self::Other,
        }
    }
}

/// What becomes of a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnError {
    /// The model reads [`ToolError::for_model`] and goes on.
    Tell,
    /// The model reads this text and goes on.
    TellAs(String),
    /// The caller gets it: the run stops with [`crate::AgentError::Tool`] once the other calls of the answer have
    /// their results. If the run goes on all the same, the model reads [`ToolError::for_model`].
    Raise,
}

impl OnError {
    /// [`OnError::TellAs`].
    pub fn tell_as(text: impl Into<String>) -> Self {
        Self::TellAs(text.into())
    }
}

type Rule = Arc<dyn Fn(&str, &ToolError) -> Option<OnError> + Send + Sync>;
type Always = Arc<dyn Fn(&ToolError) -> bool + Send + Sync>;

/// Rules about failures. The first one that has something to say decides; by default the model is told. Errors of the types
/// that [`ErrorPolicy::raise`] names always go to the caller, whatever other rules say, those for single tools included.
///
/// ```
/// use opentool_agent::{ErrorClass, ErrorPolicy, OnError};
///
/// let policy = ErrorPolicy::new()
///     .raise::<std::io::Error>()
///     .on(ErrorClass::Panicked, OnError::Raise)
///     .on(ErrorClass::TimedOut, OnError::tell_as("It takes too long today. Do not try again."));
/// ```
#[derive(Clone, Default)]
pub struct ErrorPolicy {
    rules: Vec<Rule>,
    always: Vec<Always>,
}

impl ErrorPolicy {
    /// The model is told of everything.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets what becomes of the failures of a class.
    pub fn on(self, class: ErrorClass, then: OnError) -> Self {
        self.rule(move |_, error| (ErrorClass::of(error) == class).then(|| then.clone()))
    }

    /// Gives the caller every failure behind which there is an error of this type: what a tool's author returned, or
    /// one of its causes. It holds always: before every other rule, and before [`crate::ToolRules::on_error`].
    pub fn raise<E: std::error::Error + 'static>(mut self) -> Self {
        self.always.push(Arc::new(|error| error.cause::<E>().is_some()));
        self
    }

    /// Adds a rule, after those that are there, by the name of the tool and the failure. `None` is for the next one to
    /// decide.
    pub fn rule(
        mut self,
        rule: impl Fn(&str, &ToolError) -> Option<OnError> + Send + Sync + 'static,
    ) -> Self {
        self.rules.push(Arc::new(rule));
        self
    }

    /// What becomes of the failure of a call of the tool of this name.
    pub fn decide(&self, tool: &str, error: &ToolError) -> OnError {
        if self.always_raises(error) {
            return OnError::Raise;
        }
        self.rules.iter().find_map(|rule| rule(tool, error)).unwrap_or(OnError::Tell)
    }

    /// Whether the failure goes to the caller whatever any rule says.
    pub(crate) fn always_raises(&self, error: &ToolError) -> bool {
        self.always.iter().any(|is_one| is_one(error))
    }
}

impl fmt::Debug for ErrorPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ErrorPolicy")
            .field("rules", &self.rules.len())
            .field("always", &self.always.len())
            .finish()
    }
}
