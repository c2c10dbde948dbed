//! A memory that lives as long as the process: for tests, for the terminal, for a service that may forget.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use opentool_core::{BoxFuture, Message};

use super::{Memory, MemoryError, Place};

/// Conversations in this process. Clones are the same memory. It grows until something is forgotten.
#[derive(Clone, Default)]
pub struct InProcess(Arc<Mutex<BTreeMap<String, Vec<Message>>>>);

impl InProcess {
    /// Without any conversation.
    pub fn new() -> Self {
        Self::default()
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<String, Vec<Message>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(
        &self,
        conversation: &str,
        place: Place,
        write: impl FnOnce(&mut Vec<Message>),
    ) -> Result<(), MemoryError> {
        let mut all = self.all();
        let found = all.get(conversation).map_or(0, Vec::len);
        if let Place::After(expected) = place
            && expected != found
        {
            return Err(MemoryError::Conflict { expected, found });
        }
        let messages = all.entry(conversation.to_owned()).or_default();
        write(messages);
        if messages.is_empty() {
            all.remove(conversation);
        }
        Ok(())
    }
}

impl Memory for InProcess {
    fn load<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<Vec<Message>, MemoryError>> {
        Box::pin(async move { Ok(self.all().get(conversation).cloned().unwrap_or_default()) })
    }

    fn append<'a>(
        &'a self,
        conversation: &'a str,
        place: Place,
        messages: &'a [Message],
    ) -> BoxFuture<'a, Result<(), MemoryError>> {
        Box::pin(async move { self.write(conversation, place, |kept| kept.extend_from_slice(messages)) })
    }

    fn replace<'a>(
        &'a self,
        conversation: &'a str,
        place: Place,
        messages: &'a [Message],
    ) -> BoxFuture<'a, Result<(), MemoryError>> {
        Box::pin(async move { self.write(conversation, place, |kept| *kept = messages.to_vec()) })
    }

    fn forget<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<(), MemoryError>> {
        Box::pin(async move {
            self.all().remove(conversation);
            Ok(())
        })
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<String>, MemoryError>> {
        Box::pin(async move { Ok(self.all().keys().cloned().collect()) })
    }
}

/// How many conversations there are; what was said may be secret.
impl fmt::Debug for InProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("InProcess").field(&self.all().len()).finish()
    }
}
