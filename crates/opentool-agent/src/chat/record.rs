//! A model that writes down what it is asked and what it answers.
//!
//! The file is written anew after each answer, as a whole, so that a process that dies leaves what was said until then.
//! A stream that its reader drops is not written: what nobody heard to its end cannot be played.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::StreamExt as _;
use futures_util::stream::unfold;
use opentool_core::{BoxFuture, ChatModel, ChatReply, ChatRequest, ModelError, ReplyEvent, ReplyStream};

use super::cassette::{Asked, Cassette, Exchange, Failed, Outcome, unusable};
use crate::scrub::Scrub;

/// A model whose exchanges are recorded into a file, to be played by [`Player`](super::Player) or `replay:FILE`.
///
/// Secrets are taken out of what is written (and of nothing else): what looks like a key, what stands under a name such
/// as `password`, values of environment variables such as `OPENAI_API_KEY`, and what [`Recorder::secret`] names. Read a
/// recording before you give it away all the same.
///
/// ```no_run
/// use opentool_agent::chat;
///
/// # fn f() -> Result<(), opentool_core::ModelError> {
/// let model = chat::Recorder::new(chat::model("gpt-5")?, "cassettes/shop.json")?.secret("ACME Ltd.");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Recorder<M> {
    model: M,
    path: Arc<Path>,
    scrub: Scrub,
    tape: Arc<Mutex<Tape>>,
}

/// What is recorded, by the order of the questions; nothing yet for those without an answer so far.
#[derive(Default)]
struct Tape(Vec<Option<Exchange>>);

impl<M: ChatModel> Recorder<M> {
    /// Records into this file, which is written with the first answer, in the place of what is there. Its folder is made
    /// if it is missing.
    ///
    /// # Errors
    /// [`ModelError::Unsupported`] if the folder cannot be made or the path names no file.
    pub fn new(model: M, path: impl Into<PathBuf>) -> Result<Self, ModelError> {
        let path: PathBuf = path.into();
        if path.file_name().is_none() || path.is_dir() {
            return Err(unusable(format!("{} names no file to record into", path.display())));
        }
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(|error| {
                unusable(format!("the folder {} cannot be made: {error}", folder.display()))
            })?;
        }
        Ok(Self { model, path: path.into(), scrub: Scrub::of_environment(), tape: Arc::default() })
    }

    /// Takes this text out of what is written, too.
    pub fn secret(mut self, secret: impl Into<String>) -> Self {
        self.scrub.secret(secret.into());
        self
    }

    /// The model that is recorded.
    pub fn inner(&self) -> &M {
        &self.model
    }

    /// A place on the tape for a question.
    fn place(&self) -> usize {
        let mut tape = self.tape.lock().unwrap_or_else(PoisonError::into_inner);
        tape.0.push(None);
        tape.0.len().saturating_sub(1)
    }

    fn write(
        &self,
        place: usize,
        request: &ChatRequest<'_>,
        result: Result<&ChatReply, &ModelError>,
    ) -> Result<(), ModelError> {
        let asked = Asked::of(request, &self.scrub);
        let outcome = match result {
            Ok(reply) => Outcome::Answered(Box::new(self.clean(reply)?)),
            Err(ModelError::ScriptEnded(_)) => return Ok(()),
            Err(error) => Outcome::Failed(Failed::of(error)),
        };
        let mut tape = self.tape.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = tape.0.get_mut(place) {
            *slot = Some(Exchange { asked, outcome });
        }
        let exchanges = tape.0.iter().flatten().cloned().collect();
        let cassette = Cassette { model: self.model.name().to_owned(), exchanges };
        // Still under the lock: an older state must not come after a newer one.
        cassette
            .save(&self.path)
            .map_err(|error| unusable(format!("the recording cannot be written: {error}")))
    }

    fn clean(&self, reply: &ChatReply) -> Result<ChatReply, ModelError> {
        let broken = |error: serde_json::Error| unusable(format!("an answer cannot be recorded: {error}"));
        let value = serde_json::to_value(reply).map_err(broken)?;
        serde_json::from_value(self.scrub.value(value)).map_err(broken)
    }

    async fn ask(&self, request: ChatRequest<'_>) -> Result<ChatReply, ModelError> {
        let place = self.place();
        let result = self.model.reply(request).await;
        self.write(place, &request, result.as_ref())?;
        result
    }
}

impl<M: ChatModel> ChatModel for Recorder<M> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn provider_name(&self) -> Option<&str> {
        self.model.provider_name()
    }

    fn reply<'a>(&'a self, request: ChatRequest<'a>) -> BoxFuture<'a, Result<ChatReply, ModelError>> {
        Box::pin(self.ask(request))
    }

    fn stream<'a>(&'a self, request: ChatRequest<'a>) -> ReplyStream<'a> {
        let place = self.place();
        Box::pin(unfold(Some(self.model.stream(request)), move |stream| async move {
            let mut stream = stream?;
            let event = stream.next().await?;
            let written = match &event {
                Ok(ReplyEvent::Done { reply }) => self.write(place, &request, Ok(reply)),
                Err(error) => self.write(place, &request, Err(error)),
                Ok(_) => Ok(()),
            };
            match written {
                Ok(()) => Some((event, Some(stream))),
                Err(error) => Some((Err(error), None)),
            }
        }))
    }
}

impl<M: fmt::Debug> fmt::Debug for Recorder<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder")
            .field("model", &self.model)
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}
