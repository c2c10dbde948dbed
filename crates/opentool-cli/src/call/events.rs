//! What a tool tells while it runs, shown as it comes: on standard error, so that standard output stays its answer.

use opentool::{BoxFuture, EventSink, ToolEvent};

use crate::console::Console;

/// Shows partial outputs and progress.
pub(crate) struct Events {
    console: Console,
}

impl Events {
    /// Shows them on this console.
    pub(crate) fn new(console: Console) -> Self {
        Self { console }
    }
}

impl EventSink for Events {
    fn send(&self, event: ToolEvent) -> BoxFuture<'_, ()> {
        // Whoever stopped reading standard error still gets the answer.
        let _ = match event {
            ToolEvent::Partial(output) => self.console.partial(&output),
            ToolEvent::Progress(progress) => self.console.progress(&progress),
            // The summary of a request is for logs; `--dry-run` shows the request.
            _ => Ok(()),
        };
        Box::pin(std::future::ready(()))
    }
}
