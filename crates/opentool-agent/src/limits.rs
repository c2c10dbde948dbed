//! How much one turn may take: answers of the model, calls in all, calls of one tool, the same call again and again.
//!
//! A limit either ends the turn, with everything that was done, or is told to the model, which then has to do without
//! further calls. It counts in the run itself, so that a run that another process goes on with keeps its count. It
//! deliberately knows no time and no money: those are for [`crate::StopWhen`], which has a clock and prices.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{Hash as _, Hasher as _};

use opentool_core::ToolError;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What happens to a call that is one too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Breach {
    /// It is not run, and the turn ends once the other calls of the answer have their results.
    Stop,
    /// It is not run, and the model is told so.
    Tell,
}

/// One limit: how many, and what then. A number is a limit that ends the turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limit {
    most: u32,
    breach: Breach,
}

impl Limit {
    /// At most so many; one more ends the turn.
    pub fn stop(most: u32) -> Self {
        Self { most, breach: Breach::Stop }
    }

    /// At most so many; one more is refused, and the model is told why.
    pub fn tell(most: u32) -> Self {
        Self { most, breach: Breach::Tell }
    }

    /// No limit.
    pub fn none() -> Self {
        Self { most: u32::MAX, breach: Breach::Stop }
    }
}

impl From<u32> for Limit {
    fn from(most: u32) -> Self {
        Self::stop(most)
    }
}

/// The limits of one turn: from what a person said to the answer.
///
/// ```
/// use opentool_agent::{Limit, Limits};
///
/// let limits = Limits::new().rounds(10).calls_of("search", Limit::tell(5)).calls(50);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    pub(crate) rounds: u32,
    calls: Limit,
    per_tool: Limit,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    tools: BTreeMap<String, Limit>,
    identical: Limit,
    /// The tool that takes an answer: its calls are none of the turn's.
    #[serde(skip_serializing_if = "Option::is_none")]
    uncounted: Option<Box<str>>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            rounds: 25,
            calls: Limit::stop(150),
            per_tool: Limit::stop(40),
            tools: BTreeMap::new(),
            identical: Limit::tell(8),
            uncounted: None,
        }
    }
}

impl Limits {
    /// 25 answers of the model, 150 calls, 40 of one tool; the ninth identical call in a row is refused.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how many answers of the model a turn may take, at least 1. Default: 25. The calls of the last one are still
    /// run, so that their results are there when the run goes on.
    pub fn rounds(mut self, rounds: u32) -> Self {
        self.rounds = rounds.max(1);
        self
    }

    /// Sets how many calls a turn may make. Default: 150, then the turn ends.
    pub fn calls(mut self, limit: impl Into<Limit>) -> Self {
        self.calls = limit.into();
        self
    }

    /// Sets how many calls of one tool a turn may make. Default: 40, then the turn ends.
    pub fn calls_per_tool(mut self, limit: impl Into<Limit>) -> Self {
        self.per_tool = limit.into();
        self
    }

    /// Sets another limit for the tool of this name: a tighter one, a wider one, or [`Limit::none`].
    pub fn calls_of(mut self, tool: impl Into<String>, limit: impl Into<Limit>) -> Self {
        self.tools.insert(tool.into(), limit.into());
        self
    }

    /// Sets how often the same call, the same tool with the same arguments, may come in a row, and how often answers with
    /// the same calls, two or more, in whatever order. Default: 8, then the model is told.
    pub fn identical(mut self, limit: impl Into<Limit>) -> Self {
        self.identical = limit.into();
        self
    }

    /// Leaves the calls of this tool out of how many a turn may make.
    pub(crate) fn uncounted(mut self, tool: &str) -> Self {
        self.uncounted = Some(tool.into());
        self
    }

    fn of(&self, tool: &str) -> Limit {
        self.tools.get(tool).copied().unwrap_or(self.per_tool)
    }
}

/// Which limit a call went over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "limit", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Exceeded {
    /// All calls of the turn.
    Calls {
        /// How many are allowed.
        most: u32,
    },
    /// The calls of one tool.
    CallsOfTool {
        /// The tool.
        tool: String,
        /// How many are allowed.
        most: u32,
    },
    /// The same call in a row.
    Identical {
        /// The tool.
        tool: String,
        /// How many are allowed.
        most: u32,
    },
    /// Answers with the same calls, two or more, in a row.
    IdenticalAnswers {
        /// How many are allowed.
        most: u32,
    },
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Calls { most } => {
                write!(
                    f,
                    "the limit of {most} calls in one turn is reached; no further call is run in this turn"
                )
            }
            Self::CallsOfTool { tool, most } => write!(
                f,
                "the limit of {most} calls of `{}` in one turn is reached; no further call of it is run in this turn",
                name(tool)
            ),
            Self::Identical { tool, most } => write!(
                f,
                "`{}` was called {most} times in a row with the same arguments; use the results that are there, or \
                 do something else",
                name(tool)
            ),
            Self::IdenticalAnswers { most } => write!(
                f,
                "these calls were made together {most} times in a row; use the results that are there, or do \
                 something else"
            ),
        }
    }
}

/// The name as far as a person wants to read it: models may write megabytes.
fn name(tool: &str) -> &str {
    tool.get(..tool.floor_char_boundary(128)).unwrap_or_default()
}

impl From<&Exceeded> for ToolError {
    fn from(exceeded: &Exceeded) -> Self {
        Self::LimitReached(exceeded.to_string().into())
    }
}

/// What a turn has taken so far.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Tally {
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    tools: BTreeMap<String, u32>,
    calls: u32,
    /// A mark of the last call, and how often it came in a row.
    last: u64,
    repeated: u32,
    /// A mark of the last answer's calls, if they were several, and how often it came in a row.
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<u64>,
    answers: u32,
}

impl Tally {
    /// Counts the calls of one answer together, or says that they came too often.
    pub(crate) fn count_answer<'c>(
        &mut self,
        calls: impl ExactSizeIterator<Item = (&'c str, &'c Value)>,
        limits: &Limits,
    ) -> Result<(), (Exceeded, Breach)> {
        if calls.len() < 2 {
            (self.answer, self.answers) = (None, 0);
            return Ok(());
        }
        let mut marks: Vec<u64> = calls.map(|(tool, arguments)| mark(tool, arguments)).collect();
        marks.sort_unstable();
        let mut hash = Fnv::default();
        marks.hash(&mut hash);
        let mark = Some(hash.finish());
        self.answers = if mark == self.answer { self.answers.saturating_add(1) } else { 1 };
        self.answer = mark;
        if self.answers > limits.identical.most {
            let most = limits.identical.most;
            return Err((Exceeded::IdenticalAnswers { most }, limits.identical.breach));
        }
        Ok(())
    }

    /// Counts a call, or says why it is one too many. What is refused for its number does not count.
    pub(crate) fn count(
        &mut self,
        tool: &str,
        arguments: &Value,
        limits: &Limits,
    ) -> Result<(), (Exceeded, Breach)> {
        let mark = mark(tool, arguments);
        let repeated = if mark == self.last && self.calls > 0 { self.repeated.saturating_add(1) } else { 1 };
        (self.last, self.repeated) = (mark, repeated);
        let made = self.tools.get(tool).copied().unwrap_or(0);
        let is_counted = limits.uncounted.as_deref() != Some(tool);
        if is_counted && self.calls >= limits.calls.most {
            return Err((Exceeded::Calls { most: limits.calls.most }, limits.calls.breach));
        }
        let of_tool = limits.of(tool);
        if made >= of_tool.most {
            let tool = tool.to_owned();
            return Err((Exceeded::CallsOfTool { tool, most: of_tool.most }, of_tool.breach));
        }
        if repeated > limits.identical.most {
            let (tool, most) = (tool.to_owned(), limits.identical.most);
            return Err((Exceeded::Identical { tool, most }, limits.identical.breach));
        }
        self.calls = self.calls.saturating_add(u32::from(is_counted));
        match self.tools.get_mut(tool) {
            Some(made) => *made = made.saturating_add(1),
            None => {
                self.tools.insert(tool.to_owned(), 1);
            }
        }
        Ok(())
    }

    /// How many calls were let through, of all tools.
    pub(crate) fn calls(&self) -> u32 {
        self.calls
    }
}

/// A number for a call's tool and arguments; objects count by what they say, texts by how they are written.
fn mark(tool: &str, arguments: &Value) -> u64 {
    let mut hash = Fnv::default();
    tool.hash(&mut hash);
    match arguments {
        Value::String(text) => text.hash(&mut hash),
        Value::Null => {}
        // A value whose keys are texts always serialises.
        other => drop(serde_json::to_writer(&mut hash, other)),
    }
    hash.finish()
}

/// FNV-1a: the same on every machine, because it is stored.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl std::hash::Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

impl std::io::Write for Fnv {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        std::hash::Hasher::write(self, bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
