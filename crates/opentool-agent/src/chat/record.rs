//! A model that writes down what it is asked and what it answers.
//!
//! The file is written anew after each answer, as a whole, so that a process that dies leaves what was said until then.
//! A stream that its reader drops is not written: what nobody heard to its end cannot be played. A recording that is
//! there is not replaced before there is an answer to put in its place.

use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::StreamExt as _;
use futures_util::stream::unfold;
use opentool_core::{BoxFuture, ChatModel, ChatReply, ChatRequest, ModelError, ReplyEvent, ReplyStream};

use super::cassette::{Asked, Cassette, Failed, Outcome, Searched, unusable};
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
    searched: Arc<Mutex<Searched>>,
    tape: Arc<Mutex<Tape>>,
}

/// What is recorded, by the order of the questions; nothing yet for those without an answer so far.
struct Tape {
    /// Whether the question of each place is on the cassette.
    filled: Vec<bool>,
    cassette: Cassette,
    /// The file holds an earlier recording, and nothing was answered since.
    spares: bool,
}

impl<M: ChatModel> Recorder<M> {
    /// Records into this file, which is written with the first exchange; a recording that is there is replaced with the
    /// first answer, and stays if there is none. A new file is for its owner alone; one that is there keeps who may read it. Its folder is made if it is missing.
    ///
    /// # Errors
    /// [`ModelError::Unsupported`] if the folder cannot be made, the path names no file, or what is there is no
    /// recording: a file with something else in it, a link, a device.
    pub fn new(model: M, path: impl Into<PathBuf>) -> Result<Self, ModelError> {
        let path: PathBuf = path.into();
        let shown = path.display();
        if path.file_name().is_none() {
            return Err(unusable(format!("{shown} names no file to record into")));
        }
        let mut spares = false;
        match std::fs::symlink_metadata(&path) {
            Ok(there) if !there.is_file() => {
                return Err(unusable(format!(
                    "{shown} is no regular file; a recording would replace it: name another one"
                )));
            }
            Ok(there) if there.len() > 0 => {
                Cassette::read(&path).map_err(|error| {
                    unusable(format!(
                        "{shown} holds something else than a recording, which would replace it; name another file, \
                         or remove it ({error})"
                    ))
                })?;
                spares = true;
            }
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(unusable(format!("{shown} cannot be recorded into: {error}")));
            }
            _ => {}
        }
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(|error| {
                unusable(format!("the folder {} cannot be made: {error}", folder.display()))
            })?;
        }
        let tape = Tape { filled: Vec::new(), cassette: Cassette::new(model.name()), spares };
        Ok(Self {
            model,
            path: path.into(),
            scrub: Scrub::of_environment(),
            searched: Arc::default(),
            tape: Arc::new(Mutex::new(tape)),
        })
    }

    /// Takes this text out of what is written, too.
    pub fn secret(mut self, secret: impl Into<String>) -> Self {
        self.scrub.secret(secret.into());
        // It may stand in what was searched without it.
        self.searched = Arc::default();
        self
    }

    /// The model that is recorded.
    pub fn inner(&self) -> &M {
        &self.model
    }

    /// A place on the tape for a question.
    fn place(&self) -> usize {
        let mut tape = self.tape.lock().unwrap_or_else(PoisonError::into_inner);
        tape.filled.push(false);
        tape.filled.len().saturating_sub(1)
    }

    fn write(
        &self,
        place: usize,
        request: &ChatRequest<'_>,
        result: Result<&ChatReply, &ModelError>,
    ) -> Result<(), ModelError> {
        let asked = {
            let mut searched = self.searched.lock().unwrap_or_else(PoisonError::into_inner);
            Asked::of(request).without_secrets(&self.scrub, &mut searched)
        };
        let outcome = match result {
            Ok(reply) => Outcome::Answered(Box::new(self.clean(reply)?)),
            Err(ModelError::ScriptEnded(_)) => return Ok(()),
            Err(error) => Outcome::Failed(Failed::of(error, &self.scrub)),
        };
        let mut tape = self.tape.lock().unwrap_or_else(PoisonError::into_inner);
        let Tape { filled, cassette, spares } = &mut *tape;
        *spares &= matches!(outcome, Outcome::Failed(_));
        if let Some(slot) = filled.get_mut(place) {
            *slot = true;
        }
        let before = filled.iter().take(place).filter(|filled| **filled).count();
        cassette.insert(before, asked, outcome);
        if *spares {
            return Ok(());
        }
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
