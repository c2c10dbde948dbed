//! A model that answers from a recording: without a key, without a network, the same every time.
//!
//! A question gets the answer that was recorded for that question, each recorded answer once and in order, so that
//! conversations that ran side by side may come in another order. A question that was not recorded is an error that
//! says where it differs: a test that plays a cassette also tests what is asked.

use std::collections::VecDeque;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::stream;
use opentool_core::{BoxFuture, ChatModel, ChatReply, ChatRequest, ModelError, ReplyEvent, ReplyStream};

use super::cassette::{Asked, Cassette, Fit, Outcome, difference, fits};
use crate::scrub::Scrub;

/// How many characters a piece of a played stream has at least, before it ends at the end of a word.
const PIECE: usize = 8;

/// What of a question must be as it was recorded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Match {
    /// All that the model is told: messages, tools and their schemas, wishes about calls. The default.
    #[default]
    Everything,
    /// The messages. Tools may have been described otherwise, and there may be others.
    Messages,
    /// Nothing: the recorded answers are given in their order.
    Order,
}

/// A model that plays a cassette; see [`Recorder`](super::Recorder). Clones play the same tape together.
///
/// `stream` gives what `reply` gives, in pieces of a few words.
#[derive(Clone)]
pub struct Player {
    path: Arc<Path>,
    name: Arc<str>,
    cassette: Arc<Cassette>,
    matching: Match,
    scrub: Scrub,
    played: Arc<Mutex<Vec<bool>>>,
}

impl Player {
    /// Opens a recording.
    ///
    /// # Errors
    /// [`ModelError::Unsupported`] if it cannot be read, with the place in the file.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, ModelError> {
        let path: PathBuf = path.into();
        let cassette = Cassette::read(&path)?;
        Ok(Self {
            path: path.into(),
            name: cassette.model.as_str().into(),
            played: Arc::new(Mutex::new(vec![false; cassette.len()])),
            cassette: Arc::new(cassette),
            matching: Match::default(),
            scrub: Scrub::of_environment(),
        })
    }

    /// Sets what of a question must be as it was recorded. Default: [`Match::Everything`].
    pub fn matching(mut self, what: Match) -> Self {
        self.matching = what;
        self
    }

    /// Takes this text out of what is said about a question that was not recorded. Questions are compared as they are:
    /// what [`Recorder::secret`](super::Recorder::secret) took out fits any text in its place.
    pub fn secret(mut self, secret: impl Into<String>) -> Self {
        self.scrub.secret(secret.into());
        self
    }

    /// How many recorded answers have not been given. A test that wants all of them asks for 0.
    pub fn left(&self) -> usize {
        self.played().iter().filter(|played| !**played).count()
    }

    /// Begins again, as if nothing had been played.
    pub fn rewind(&self) {
        self.played().fill(false);
    }

    fn played(&self) -> std::sync::MutexGuard<'_, Vec<bool>> {
        self.played.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, request: &ChatRequest<'_>) -> Result<ChatReply, ModelError> {
        let asked = Asked::of(request);
        let mut played = self.played();
        let what = match self.matching {
            Match::Messages => Fit::Messages,
            _ => Fit::Everything,
        };
        let is_fit = |index: usize| {
            self.matching == Match::Order
                || (self.cassette.messages(index) == asked.messages.len()
                    && self.cassette.asked(index).is_some_and(|recorded| fits(&recorded, &asked, what)))
        };
        let mut next = None;
        for (index, played) in played.iter_mut().enumerate().filter(|(_, played)| !**played) {
            if is_fit(index)
                && let Some(outcome) = self.cassette.outcome(index)
            {
                *played = true;
                return match outcome {
                    Outcome::Answered(reply) => Ok((**reply).clone()),
                    Outcome::Failed(failed) => Err(failed.error()),
                };
            }
            next = next.or(Some(index));
        }
        let path = self.path.display();
        let why = match next {
            Some(index) => {
                let recorded = self.cassette.asked(index);
                let differs = recorded.and_then(|recorded| difference(&recorded, &asked, what, &self.scrub));
                let differs = differs.unwrap_or_default();
                format!("question {} of {path} was another one: {differs}", index.saturating_add(1))
            }
            None => format!("{path} has {} answers, and all were given", played.len()),
        };
        Err(ModelError::ScriptEnded(
            format!("{why}; if the new question is right, record the cassette anew").into(),
        ))
    }
}

impl ChatModel for Player {
    /// The name of the model that was recorded.
    fn name(&self) -> &str {
        &self.name
    }

    fn reply<'a>(&'a self, request: ChatRequest<'a>) -> BoxFuture<'a, Result<ChatReply, ModelError>> {
        Box::pin(async move { self.answer(&request) })
    }

    fn stream<'a>(&'a self, request: ChatRequest<'a>) -> ReplyStream<'a> {
        let events: VecDeque<Result<ReplyEvent, ModelError>> = match self.answer(&request) {
            Ok(reply) => ReplyEvent::of(reply).flat_map(pieces).map(Ok).collect(),
            Err(error) => [Err(error)].into(),
        };
        Box::pin(stream::iter(events))
    }
}

/// An event as a stream tells it: long texts in several pieces.
fn pieces(event: ReplyEvent) -> Vec<ReplyEvent> {
    match event {
        ReplyEvent::Text { text } => cut(&text).map(|text| ReplyEvent::Text { text }).collect(),
        ReplyEvent::Reasoning { text } => cut(&text).map(|text| ReplyEvent::Reasoning { text }).collect(),
        ReplyEvent::Arguments { index, text } => {
            cut(&text).map(|text| ReplyEvent::Arguments { index, text }).collect()
        }
        other => vec![other],
    }
}

/// The text in pieces, each up to the end of a word.
fn cut(text: &str) -> impl Iterator<Item = String> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let ends = rest.char_indices().skip(PIECE).find(|(_, c)| c.is_whitespace());
        let (piece, after) =
            rest.split_at_checked(ends.map_or(rest.len(), |(at, _)| at)).unwrap_or((rest, ""));
        rest = after;
        Some(piece.to_owned())
    })
}

impl fmt::Debug for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Player")
            .field("path", &self.path)
            .field("model", &self.name)
            .field("left", &self.left())
            .finish_non_exhaustive()
    }
}
