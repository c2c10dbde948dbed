//! How much of a conversation the model is sent: a window over the messages, and what becomes of the rest.
//!
//! A call is never cut from its result, the instructions stay, and so does the question of the turn. Without a summary
//! the run keeps everything and the model is sent a part; with one, what is summarised is no longer among the run's
//! messages, because it would else be summarised again and again. The run remembers until the end of the turn what was
//! said in fact, for a memory to keep. How many tokens a message has is an estimate: providers count each in
//! their own way.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use opentool_core::{BoxError, BoxFuture, Content, Message, ToolOutput};

use crate::drive::Stop;
use crate::{Agent, Run, Step};

/// Tokens that a picture, a sound or a file counts as.
const MEDIA: usize = 1_000;
/// What a summary begins with.
const SUMMARY: &str = "Summary of the conversation so far:\n";

type Count = Arc<dyn Fn(&Message) -> usize + Send + Sync>;
type Summarize = Arc<dyn Fn(Vec<Message>) -> BoxFuture<'static, Result<String, BoxError>> + Send + Sync>;

/// A limit of what the model is sent of a conversation.
///
/// ```
/// use opentool_agent::HistoryLimit;
///
/// let window = HistoryLimit::tokens(100_000);
/// let summarised = HistoryLimit::messages(60)
///     .summarize(async |messages| Ok(format!("{} messages were exchanged.", messages.len())));
/// ```
#[derive(Clone)]
pub struct HistoryLimit {
    most: usize,
    count: Count,
    summarize: Option<Summarize>,
}

impl HistoryLimit {
    /// At most so many messages, besides the instructions.
    pub fn messages(most: usize) -> Self {
        Self { most: most.max(1), count: Arc::new(|_| 1), summarize: None }
    }

    /// At most so many tokens, besides the instructions, by an estimate: four bytes of text are a token, a picture is a
    /// thousand.
    pub fn tokens(most: usize) -> Self {
        Self { most: most.max(1), count: Arc::new(estimate), summarize: None }
    }

    /// Sets how the tokens of a message are counted.
    pub fn counted_by(mut self, count: impl Fn(&Message) -> usize + Send + Sync + 'static) -> Self {
        self.count = Arc::new(count);
        self
    }

    /// Sets what puts messages into a few words once they are over the limit. The run then holds a message of the user
    /// with the summary, behind the instructions and before the question of the turn, and about half of the limit is free
    /// again.
    pub fn summarize<F, Fut>(mut self, summarize: F) -> Self
    where
        F: Fn(Vec<Message>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<String, BoxError>> + Send + 'static,
    {
        self.summarize = Some(Arc::new(move |messages| Box::pin(summarize(messages))));
        self
    }

    /// The messages that fit. What was summarised fits as it is: the summary is never left out.
    pub(crate) fn view<'a>(&self, messages: &'a [Message]) -> Cow<'a, [Message]> {
        if self.summarize.is_some() {
            return Cow::Borrowed(messages);
        }
        let left_out = self.left_out(messages, self.most);
        if left_out.is_empty() {
            return Cow::Borrowed(messages);
        }
        Cow::Owned(without(messages, &left_out))
    }

    /// Which messages go so that no more than `most` are left: two ranges, with the question of the turn between them.
    fn left_out(&self, messages: &[Message], most: usize) -> Vec<Range<usize>> {
        let start = instructions(messages);
        let rest = messages.get(start..).unwrap_or_default();
        let sizes: Vec<usize> = rest.iter().map(|message| (self.count)(message)).collect();
        if sizes.iter().fold(0, |sum: usize, size| sum.saturating_add(*size)) <= most {
            return Vec::new();
        }
        // From the end: how far back it fits. A result is never the first.
        let question = rest.iter().rposition(|message| matches!(message, Message::User(_)));
        let mut room = most.saturating_sub(question.and_then(|at| sizes.get(at).copied()).unwrap_or(0));
        let mut cut = rest.len();
        let mut unit = 0_usize;
        for (at, (message, size)) in rest.iter().zip(&sizes).enumerate().rev() {
            unit = unit.saturating_add(if Some(at) == question { 0 } else { *size });
            if matches!(message, Message::Tool(_)) {
                continue;
            }
            // The last exchange stays, however large it is.
            if unit > room && cut < rest.len() {
                break;
            }
            room = room.saturating_sub(unit);
            unit = 0;
            cut = at;
        }
        let (question, cut) = match question {
            // In the middle of a long turn: its question stays, and what came right after it goes.
            Some(question) if question < cut => (question, cut),
            // Between turns: a conversation begins with what a person said.
            _ => {
                let mut users = rest.iter().enumerate().skip(cut);
                let begin = users.find(|(_, message)| matches!(message, Message::User(_)));
                let begin = begin.map_or(cut, |(at, _)| at);
                (begin, begin)
            }
        };
        [0..question, question.saturating_add(1)..cut]
            .into_iter()
            .filter(|range| !range.is_empty())
            .map(|range| range.start.saturating_add(start)..range.end.saturating_add(start))
            .collect()
    }
}

/// How many messages in front are instructions.
fn instructions(messages: &[Message]) -> usize {
    messages.iter().take_while(|message| matches!(message, Message::System(_))).count()
}

fn without(messages: &[Message], left_out: &[Range<usize>]) -> Vec<Message> {
    let kept = messages.iter().enumerate().filter(|(at, _)| !left_out.iter().any(|range| range.contains(at)));
    kept.map(|(_, message)| message.clone()).collect()
}

impl Agent {
    /// Puts into a summary what is over the limit, if somebody summarises.
    pub(crate) async fn compact(&self, run: &mut Run) -> Result<(), Stop> {
        let Some(limit) = &self.settings.history else { return Ok(()) };
        let (Some(summarize), Step::Ask(messages)) = (&limit.summarize, run.step()) else { return Ok(()) };
        if limit.left_out(messages, limit.most).is_empty() {
            return Ok(());
        }
        // Down to half, so that the next one is not due at once.
        let left_out = limit.left_out(messages, limit.most.div_ceil(2));
        let gone: Vec<Message> = left_out
            .iter()
            .flat_map(|range| messages.get(range.clone()).unwrap_or_default())
            .cloned()
            .collect();
        let mut kept = without(messages, &left_out);
        let summary = summarize(gone).await.map_err(Stop::Summary)?;
        // Before the question: the last thing that a person said is what the turn is about.
        kept.insert(instructions(&kept), Message::user(format!("{SUMMARY}{summary}")));
        run.compact(kept);
        Ok(())
    }
}

impl Run {
    /// Goes on with these messages in the place of those that are there.
    fn compact(&mut self, messages: Vec<Message>) {
        let told = self.messages.get(self.compacted..).unwrap_or_default();
        self.transcript.extend_from_slice(told);
        self.messages = messages;
        self.compacted = self.messages.len();
    }

    /// All that was said, what was summarised in this turn included, and behind it the results that are there while others
    /// of the same answer are missing.
    pub(crate) fn to_transcript(&self) -> Vec<Message> {
        let told = self.messages.get(self.compacted..).unwrap_or_default();
        let results = self.results().cloned().map(Message::Tool);
        self.transcript.iter().chain(told).cloned().chain(results).collect()
    }
}

/// About how many tokens the message has.
fn estimate(message: &Message) -> usize {
    let blocks = |blocks: &[Content]| blocks.iter().map(block).sum::<usize>();
    let output = |output: &ToolOutput| match &output.structured {
        Some(value) if output.content.is_empty() => text(&value.to_string()),
        _ => blocks(&output.content),
    };
    let size = match message {
        Message::System(said) => text(said),
        Message::User(said) => blocks(said),
        Message::Assistant(answer) => {
            let calls =
                answer.tool_calls.iter().map(|call| text(&call.name) + text(&call.arguments.to_string()));
            blocks(&answer.content) + calls.sum::<usize>() + text(&answer.reasoning)
        }
        Message::Tool(result) => output(&result.output),
        _ => 0,
    };
    size.saturating_add(4)
}

fn text(text: &str) -> usize {
    text.len().div_ceil(4)
}

fn block(block: &Content) -> usize {
    match block {
        Content::Text(said) | Content::TextResource { text: said, .. } => text(said),
        Content::Json(value) => text(&value.to_string()),
        _ => MEDIA,
    }
}

impl fmt::Debug for HistoryLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HistoryLimit")
            .field("most", &self.most)
            .field("summarized", &self.summarize.is_some())
            .finish_non_exhaustive()
    }
}
