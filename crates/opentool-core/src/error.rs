//! Why a call failed, by what the caller can do about it, with one text for the model and one for the operator.

use std::fmt;
use std::time::Duration;

use crate::Problem;

/// Any error of a tool's author.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Why a call gave no output.
///
/// `Display` and `source` are for the operator; [`ToolError::for_model`] is what a model may read, and never
/// holds the source chain.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ToolError {
    /// No tool of this name is in the set.
    #[error(transparent)]
    UnknownTool(Box<UnknownTool>),
    /// The arguments break the input schema. Mending them can help.
    #[error(transparent)]
    InvalidArguments(Box<InvalidArguments>),
    /// The tool ran and said that it failed.
    #[error(transparent)]
    Failed(Box<Failure>),
    /// A service behind the tool failed or refused.
    #[error(transparent)]
    Upstream(Box<Upstream>),
    /// The tool panicked; the text is the panic's, for the operator.
    #[error("the tool panicked: {0}")]
    Panicked(Box<str>),
    /// There was no answer in time.
    #[error("no answer within {}", crate::in_units(*.0))]
    TimedOut(Duration),
    /// The host gave up on the call.
    #[error("cancelled")]
    Cancelled,
    /// The call had begun when the host stopped, or gave it up, and nothing says how far it came: it may have done its
    /// work. Making it again may do it twice.
    #[error("the call had begun when the host was interrupted; whether it did its work is not known")]
    Interrupted,
    /// The host does not allow the call; the text says why and is for the model too.
    #[error("refused: {0}")]
    Refused(Box<str>),
    /// The call is one more than the host allows in one turn; the text says which limit it is and is for the model
    /// too.
    #[error("{0}")]
    LimitReached(Box<str>),
}

impl ToolError {
    /// The tool failed; `message` is for the model.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed(Box::new(Failure { message: message.into(), source: None }))
    }

    /// What a model may read about the failure: what went wrong and what it can do, no internals.
    pub fn for_model(&self) -> String {
        match self {
            Self::UnknownTool(e) => e.to_string(),
            Self::InvalidArguments(e) => e.to_string(),
            Self::Failed(e) => e.message.clone(),
            Self::Upstream(e) => e.message.clone(),
            Self::Panicked(_) => {
                "the tool failed with an internal error; its operator has the details".to_owned()
            }
            Self::TimedOut(after) if after.is_zero() => "there was no time left for the call".to_owned(),
            Self::TimedOut(after) => format!("the tool gave no answer within {}", crate::in_units(*after)),
            Self::Cancelled => "the call was cancelled".to_owned(),
            Self::Interrupted => {
                "the call was interrupted, and whether it did its work is not known; it was not made \
                 again: find out how things stand before you call it once more"
                    .to_owned()
            }
            Self::Refused(why) => format!("the call was refused: {why}"),
            Self::LimitReached(which) => which.to_string(),
        }
    }

    /// The error of this type behind the failure, if there is one: what the tool's author returned, or one of its
    /// causes.
    ///
    /// ```
    /// # use opentool_core::ToolError;
    /// let error = ToolError::from_author(std::io::Error::from(std::io::ErrorKind::NotFound));
    /// let io: &std::io::Error = error.cause().expect("the author's error");
    /// assert_eq!(io.kind(), std::io::ErrorKind::NotFound);
    /// ```
    pub fn cause<E: std::error::Error + 'static>(&self) -> Option<&E> {
        let first = match self {
            Self::Failed(failure) => failure.source.as_deref(),
            Self::Upstream(upstream) => upstream.source.as_deref(),
            _ => None,
        };
        let mut cause = first.map(|error| error as &(dyn std::error::Error + 'static));
        while let Some(error) = cause {
            if let Some(found) = error.downcast_ref() {
                return Some(found);
            }
            cause = error.source();
        }
        None
    }

    /// The error with all its causes, `a: b: c`, for the operator. Causes quote arguments and addresses: no model and no
    /// client reads this, and a log holds it at `trace` only.
    pub fn chain(&self) -> String {
        let mut text = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            text.push_str(&format!(": {error}"));
            cause = error.source();
        }
        text
    }

    /// What the system said, if it was the system: `ConnectionRefused`, `StorageFull`; of several, the innermost. A kind
    /// holds no text of anybody's, so that every log may.
    pub fn io_kind(&self) -> Option<std::io::ErrorKind> {
        let mut cause = std::error::Error::source(self);
        let mut kind = None;
        while let Some(error) = cause {
            kind = error.downcast_ref::<std::io::Error>().map(std::io::Error::kind).or(kind);
            cause = error.source();
        }
        kind
    }

    /// A short, stable name of the kind of failure, for programs: `unknown_tool`, `invalid_arguments`, …
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownTool(_) => "unknown_tool",
            Self::InvalidArguments(_) => "invalid_arguments",
            Self::Failed(_) => "failed",
            Self::Upstream(_) => "upstream",
            Self::Panicked(_) => "panicked",
            Self::TimedOut(_) => "timed_out",
            Self::Cancelled => "cancelled",
            Self::Interrupted => "interrupted",
            Self::Refused(_) => "refused",
            Self::LimitReached(_) => "limit_reached",
        }
    }

    /// The error of a tool's author: its own text is for the model, its sources are for the operator.
    pub fn from_author(error: impl Into<BoxError>) -> Self {
        match error.into().downcast::<ToolError>() {
            Ok(own) => *own,
            Err(other) => {
                // The error itself is kept: hosts look for its type, and its causes hang on it.
                Self::Failed(Box::new(Failure { message: other.to_string(), source: Some(other) }))
            }
        }
    }
}

impl From<InvalidArguments> for ToolError {
    fn from(error: InvalidArguments) -> Self {
        Self::InvalidArguments(Box::new(error))
    }
}

impl From<UnknownTool> for ToolError {
    fn from(error: UnknownTool) -> Self {
        Self::UnknownTool(Box::new(error))
    }
}

impl From<Upstream> for ToolError {
    fn from(error: Upstream) -> Self {
        Self::Upstream(Box::new(error))
    }
}

/// Characters of an unknown name that are shown.
const SHOWN: usize = 128;

/// No tool of this name.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownTool {
    /// The name that was asked for.
    pub name: String,
    /// Names that exist and look like it, the likeliest first.
    pub nearest: Vec<String>,
}

impl UnknownTool {
    /// The name that was asked for, and those that look like it.
    pub fn new(name: impl Into<String>, nearest: Vec<String>) -> Self {
        Self { name: name.into(), nearest }
    }
}

impl fmt::Display for UnknownTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name.char_indices().nth(SHOWN) {
            None => write!(f, "there is no tool `{}`", self.name)?,
            // Whoever wrote a megabyte need not read it again.
            Some((cut, _)) => {
                let start = self.name.get(..cut).unwrap_or_default();
                write!(f, "there is no tool `{start}…` (a name of {} bytes)", self.name.len())?;
            }
        }
        if let Some((last, others)) = self.nearest.split_last() {
            f.write_str("; did you mean ")?;
            for name in others {
                write!(f, "`{name}` or ")?;
            }
            write!(f, "`{last}`?")?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownTool {}

/// All that is wrong with the arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct InvalidArguments {
    /// At least one.
    pub problems: Vec<Problem>,
}

impl InvalidArguments {
    /// These problems.
    pub fn new(problems: Vec<Problem>) -> Self {
        Self { problems }
    }
}

impl fmt::Display for InvalidArguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("invalid arguments, nothing was run:")?;
        for problem in &self.problems {
            write!(f, "\n- {problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for InvalidArguments {}

/// A tool's own failure.
#[derive(Debug)]
#[non_exhaustive]
pub struct Failure {
    /// For the model.
    pub message: String,
    /// For the operator.
    pub source: Option<BoxError>,
}

impl Failure {
    /// A failure; `message` is for the model.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), source: None }
    }

    /// The cause, for the operator.
    pub fn source(mut self, source: impl Into<BoxError>) -> Self {
        self.source = Some(source.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {
    /// The first cause that says more than the message does.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        let source = self.source.as_deref()?;
        if source.to_string() == self.message { source.source() } else { Some(source) }
    }
}

impl From<Failure> for ToolError {
    fn from(failure: Failure) -> Self {
        Self::Failed(Box::new(failure))
    }
}

/// The failure of a service behind a tool.
#[derive(Debug)]
#[non_exhaustive]
pub struct Upstream {
    /// The protocol's status, where there is one: an HTTP status code.
    pub status: Option<u16>,
    /// For the model: what the service said, bounded; never credentials or addresses inside the host.
    pub message: String,
    /// For the operator.
    pub source: Option<BoxError>,
}

impl Upstream {
    /// A failure; `message` is for the model.
    pub fn new(message: impl Into<String>) -> Self {
        Self { status: None, message: message.into(), source: None }
    }

    /// The protocol's status.
    pub fn status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    /// The cause, for the operator.
    pub fn source(mut self, source: impl Into<BoxError>) -> Self {
        self.source = Some(source.into());
        self
    }
}

impl fmt::Display for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Upstream {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|e| e as _)
    }
}
