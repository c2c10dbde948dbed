//! When a turn ends although the model would go on: the host's own rules, looked at before each further question.
//!
//! A rule sees the run and the clock. It is asked when all calls of an answer have their results, so that nothing is
//! lost; a turn that it ends is no error ([`crate::Finish::Stopped`]), and can go on.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use opentool_core::{Message, ToolSet, Usage};

use crate::Run;
use crate::meant::meant;

type Rule = Arc<dyn Fn(&TurnState<'_>) -> bool + Send + Sync>;

/// How far a turn is.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct TurnState<'a> {
    /// The run.
    pub run: &'a Run,
    /// The tools that the model was told of.
    pub tools: &'a ToolSet,
    /// Since the turn began, or was taken up again.
    pub elapsed: Duration,
}

impl<'a> TurnState<'a> {
    /// The turn's last answer with what followed: the results of its calls.
    fn last(&self) -> &'a [Message] {
        let messages = self.run.messages();
        let start = messages.iter().rposition(|message| matches!(message, Message::Assistant(_)));
        messages.get(start.unwrap_or(messages.len())..).unwrap_or_default()
    }

    /// The tokens of the turn, with those of agents that it called as tools.
    fn usage(&self) -> Usage {
        let mut usage = self.run.usage();
        usage += self.run.inner_usage();
        usage
    }
}

/// A rule that ends a turn.
///
/// ```
/// use std::time::Duration;
/// use opentool_agent::{Prices, StopWhen};
///
/// let policy = StopWhen::tool_called("hand_over")
///     .or(StopWhen::elapsed(Duration::from_secs(120)))
///     .or(StopWhen::cost(0.50, Prices::per_million(1.25, 10.0)));
/// ```
#[derive(Clone)]
pub struct StopWhen(Rule);

impl StopWhen {
    /// Ends the turn when the closure says so.
    pub fn new(rule: impl Fn(&TurnState<'_>) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(rule))
    }

    /// Once the last answer called this tool, however the model wrote its name, and the call did not fail.
    pub fn tool_called(name: impl Into<String>) -> Self {
        let name = name.into();
        Self::new(move |turn| {
            turn.last().iter().any(|message| match message {
                Message::Tool(result) if !result.output.is_error => {
                    result.name == name
                        || meant(turn.tools, &result.name).is_some_and(|tool| tool.name == name)
                }
                _ => false,
            })
        })
    }

    /// Once the model says this beside its calls.
    pub fn text_contains(text: impl Into<String>) -> Self {
        let text = text.into();
        Self::new(move |turn| {
            turn.last().iter().any(
                |message| matches!(message, Message::Assistant(answer) if answer.to_text().contains(&text)),
            )
        })
    }

    /// After so many answers of the model. Beyond [`crate::Limits::rounds`], which is an error, this is not.
    pub fn rounds(rounds: u32) -> Self {
        Self::new(move |turn| turn.run.rounds() >= rounds)
    }

    /// Once the turn took so many tokens, read and written, those of agents that it called as tools included.
    pub fn tokens(tokens: u64) -> Self {
        Self::new(move |turn| {
            let usage = turn.usage();
            usage.input_tokens.saturating_add(usage.output_tokens) >= tokens
        })
    }

    /// Once the turn cost so much, in the currency of the prices. Tokens of agents that it called as tools cost the same;
    /// for other prices: [`StopWhen::new`] with [`Run::inner_usage`].
    pub fn cost(amount: f64, prices: Prices) -> Self {
        Self::new(move |turn| prices.of(turn.usage()) >= amount)
    }

    /// After so much time. It ends no call; [`crate::Agent::turn_timeout`] does.
    pub fn elapsed(time: Duration) -> Self {
        Self::new(move |turn| turn.elapsed >= time)
    }

    /// When this rule or the other one says so.
    pub fn or(self, other: Self) -> Self {
        Self::new(move |turn| self.holds(turn) || other.holds(turn))
    }

    /// Whether the turn ends here.
    pub fn holds(&self, turn: &TurnState<'_>) -> bool {
        (self.0)(turn)
    }
}

impl fmt::Debug for StopWhen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StopWhen")
    }
}

/// What a model's tokens cost, per million.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Prices {
    /// Tokens read.
    pub input: f64,
    /// Tokens written.
    pub output: f64,
    /// Tokens read from the provider's cache.
    pub cached: f64,
    /// Tokens written into the provider's cache.
    pub cache_write: f64,
}

impl Prices {
    /// The prices of a million tokens read and a million written; those of the cache are that of reading.
    pub fn per_million(input: f64, output: f64) -> Self {
        Self { input, output, cached: input, cache_write: input }
    }

    /// Sets the price of a million tokens read from the cache.
    pub fn cached(mut self, price: f64) -> Self {
        self.cached = price;
        self
    }

    /// Sets the price of a million tokens written into the cache.
    pub fn cache_write(mut self, price: f64) -> Self {
        self.cache_write = price;
        self
    }

    /// What this usage costs.
    pub fn of(&self, usage: Usage) -> f64 {
        let special = usage.cached_tokens.saturating_add(usage.cache_write_tokens);
        let parts = [
            (usage.input_tokens.saturating_sub(special), self.input),
            (usage.cached_tokens, self.cached),
            (usage.cache_write_tokens, self.cache_write),
            (usage.output_tokens, self.output),
        ];
        // Counts of tokens are far below what a double holds exactly.
        #[allow(clippy::cast_precision_loss)]
        let cost: f64 = parts.iter().map(|(tokens, price)| *tokens as f64 * price).sum();
        cost / 1_000_000.0
    }
}
