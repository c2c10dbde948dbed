//! Where tools come from when the set may change while a host runs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{BoxFuture, Cancellation, ToolSet};

/// A supplier of tools: a fixed set, or one that changes.
pub trait ToolSource: Send + Sync + 'static {
    /// The tools of now. Cheap: called for every request.
    fn tools(&self) -> ToolSet;

    /// Completes when [`ToolSource::tools`] would give something other than `seen`; never for a fixed set.
    fn changed<'a>(&'a self, seen: &'a ToolSet) -> BoxFuture<'a, ()>;
}

impl ToolSource for ToolSet {
    fn tools(&self) -> ToolSet {
        self.clone()
    }

    fn changed<'a>(&'a self, _seen: &'a ToolSet) -> BoxFuture<'a, ()> {
        Box::pin(std::future::pending())
    }
}

impl<S: ToolSource + ?Sized> ToolSource for Arc<S> {
    fn tools(&self) -> ToolSet {
        (**self).tools()
    }

    fn changed<'a>(&'a self, seen: &'a ToolSet) -> BoxFuture<'a, ()> {
        (**self).changed(seen)
    }
}

/// A tool set that can be replaced while servers and agents use it. Clones are the same set.
#[derive(Debug, Clone, Default)]
pub struct LiveTools(Arc<Mutex<Live>>);

#[derive(Debug, Default)]
struct Live {
    tools: ToolSet,
    // Triggered, and replaced by a new one, at every change.
    change: Cancellation,
}

impl LiveTools {
    /// Starts with these tools.
    pub fn new(tools: ToolSet) -> Self {
        Self(Arc::new(Mutex::new(Live { tools, change: Cancellation::new() })))
    }

    /// Replaces all tools. Calls that run go on with the tool they had.
    pub fn replace(&self, tools: ToolSet) {
        let change = {
            let mut live = self.live();
            live.tools = tools;
            std::mem::take(&mut live.change)
        };
        change.cancel();
    }

    fn live(&self) -> MutexGuard<'_, Live> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ToolSource for LiveTools {
    fn tools(&self) -> ToolSet {
        self.live().tools.clone()
    }

    fn changed<'a>(&'a self, seen: &'a ToolSet) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            loop {
                let change = {
                    let live = self.live();
                    if !live.tools.same(seen) {
                        return;
                    }
                    live.change.clone()
                };
                change.cancelled().await;
            }
        })
    }
}
