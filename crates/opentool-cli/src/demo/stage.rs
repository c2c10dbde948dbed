//! Where the demo is told: as JSON lines for a program, on a screen for a person.
//!
//! The loop tells its events to a function that cannot fail; a reader that went away is remembered here and
//! reported when the turn is over.

use std::io::{self, Write as _};
use std::sync::{Mutex, PoisonError};

use super::event::Event;
use super::screen::Screen;
use crate::console::Console;

/// The one place where the demo's output goes.
pub(super) struct Stage(Mutex<State>);

struct State {
    /// `None`: a program reads.
    screen: Option<Screen>,
    failed: Option<io::Error>,
}

impl Stage {
    pub(super) fn new(console: &Console) -> Self {
        let screen = (!console.is_json()).then(|| Screen::new(console.width()));
        Self(Mutex::new(State { screen, failed: None }))
    }

    /// Tells an event at once.
    pub(super) fn tell(&self, event: &Event<'_>) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.failed.is_none() {
            state.failed = state.write(event).err();
        }
    }

    /// The first failure to write, once.
    pub(super) fn check(&self) -> io::Result<()> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.failed.take().map_or(Ok(()), Err)
    }
}

impl State {
    fn write(&mut self, event: &Event<'_>) -> io::Result<()> {
        match &mut self.screen {
            Some(screen) => {
                let text = screen.show(event);
                let mut out = anstream::stdout().lock();
                out.write_all(text.as_bytes())?;
                out.flush()
            }
            None => {
                let mut line = serde_json::to_vec(event).map_err(io::Error::other)?;
                line.push(b'\n');
                let mut out = io::stdout().lock();
                out.write_all(&line)?;
                out.flush()
            }
        }
    }
}
