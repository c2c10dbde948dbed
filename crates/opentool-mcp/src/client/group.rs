//! The processes of a server: the one that was started, and those that it has started itself.
//!
//! A server is often a shell or a package runner with the real one below it. They are a group of their own, so that they
//! end together, and so that Ctrl-C at a terminal is the host's and not theirs.

use tokio::process::{Child, Command};

/// A group of processes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group(#[cfg(unix)] Option<rustix::process::Pid>);

/// How firmly processes are asked to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Force {
    /// They may clean up.
    Ask,
    /// They end.
    Kill,
}

#[cfg(unix)]
impl Group {
    /// Says that the command is to have a group of its own.
    pub(crate) fn prepare(command: &mut Command) {
        command.process_group(0);
    }

    /// The group of a process that was started so.
    pub(crate) fn of(child: &Child) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        Self(id.and_then(rustix::process::Pid::from_raw))
    }

    /// Asks all of them to end.
    pub(crate) fn end(self, force: Force) {
        let signal = match force {
            Force::Ask => rustix::process::Signal::TERM,
            Force::Kill => rustix::process::Signal::KILL,
        };
        if let Some(group) = self.0 {
            // Nobody is left, then.
            let _ = rustix::process::kill_process_group(group, signal);
        }
    }
}

#[cfg(not(unix))]
impl Group {
    pub(crate) fn prepare(_command: &mut Command) {}

    pub(crate) fn of(_child: &Child) -> Self {
        Self()
    }

    /// The process itself is killed with its handle.
    pub(crate) fn end(self, _force: Force) {}
}
