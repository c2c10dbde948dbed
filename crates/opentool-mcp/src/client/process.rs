//! A server that is a child process: lines to its standard input, lines from its standard output.
//!
//! In the place of the SDK's own transport, which holds lines of any length. A line that is too long, or that cannot be
//! read, fails the call that waits for it; what is no message at all is left out, because programs print.

use std::ffi::{OsStr, OsString};
use std::io;
use std::process::Stdio;
use std::time::Duration;

use futures_util::future::{Either, ready};
use opentool_http::bounded;
use rmcp::RoleClient;
use rmcp::model::{ErrorCode, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use secrecy::ExposeSecret as _;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use super::ClientError;
use super::group::{Force, Group};
use super::spawn::Program;
use super::standard_error::LastWords;
use crate::lines::{Line, Lines};
use crate::outbox::Outbox;
use crate::skim::{Skimmed, skim};

/// The code by which a line that is too long reaches the call that waits for it.
pub(crate) const TOO_LONG: i32 = -1_000_001;

/// The same for a line that cannot be read.
pub(crate) const UNREADABLE: i32 = -1_000_002;

/// How long a program may take to end once its input is closed, and again once it is asked to end.
const ENDING: Duration = Duration::from_secs(2);

/// How long the exit code of a program that has closed its output is waited for.
const EXIT: Duration = Duration::from_millis(500);

/// What every program gets: without `PATH` none finds another, and on Windows none finds the system.
const ALWAYS: &[&str] = if cfg!(windows) { &["PATH", "PATHEXT", "SYSTEMROOT"] } else { &["PATH"] };

/// A running server.
pub(crate) struct Process {
    child: Child,
    group: Group,
    lines: Lines<ChildStdout>,
    /// Until its input is closed.
    outbox: Option<Outbox<ChildStdin>>,
    words: LastWords,
    ended: bool,
}

impl Process {
    /// Starts the program; its answers have at most `most` bytes.
    ///
    /// # Errors
    /// [`ClientError::Spawn`].
    pub(crate) fn start(program: &Program, most: usize) -> Result<Self, ClientError> {
        let failed = |source| ClientError::Spawn { program: program.name(), source };
        let mut command = Command::new(&program.program);
        command
            .args(&program.arguments)
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let always = ALWAYS.iter().map(OsStr::new);
        for name in always.chain(program.passed.iter().map(OsString::as_os_str)) {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        for (name, value) in &program.environment {
            command.env(name, value.expose_secret());
        }
        if let Some(directory) = &program.directory {
            command.current_dir(directory);
        }
        Group::prepare(&mut command);
        let mut child = command.spawn().map_err(failed)?;
        let group = Group::of(&child);
        let words = LastWords::default();
        let missing = || failed(io::Error::other("it has no standard streams"));
        let input = child.stdin.take().ok_or_else(missing)?;
        let output = child.stdout.take().ok_or_else(missing)?;
        if let Some(from) = child.stderr.take() {
            let secrets = program.environment.iter().map(|(_, value)| value.clone()).collect();
            tokio::spawn(words.clone().listen(from, program.name(), secrets));
        }
        Ok(Self {
            child,
            group,
            lines: Lines::new(output, most),
            outbox: Some(Outbox::new(input)),
            words,
            ended: false,
        })
    }

    /// What is known of it from the outside.
    pub(crate) fn words(&self) -> LastWords {
        self.words.clone()
    }

    /// Its processes.
    pub(crate) fn group(&self) -> Group {
        self.group
    }

    async fn wait(&mut self, limit: Duration) -> bool {
        if let Ok(Ok(status)) = timeout(limit, self.child.wait()).await {
            self.words.ended(status);
            self.words.arrived().await;
            self.ended = true;
        }
        self.ended
    }
}

/// What a call is told whose answer cannot be taken.
fn instead(found: Skimmed, code: i32, message: String) -> Option<ServerJsonRpcMessage> {
    let id: RequestId = serde_json::from_str(&found.id?).ok()?;
    Some(JsonRpcMessage::error(ErrorData::new(ErrorCode(code), message, None), Some(id)))
}

impl Transport<RoleClient> for Process {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let Some(outbox) = &self.outbox else {
            return Either::Right(ready(Err(io::ErrorKind::NotConnected.into())));
        };
        match serde_json::to_vec(&item) {
            Ok(line) => Either::Left(outbox.write(line)),
            Err(error) => Either::Right(ready(Err(error.into()))),
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            match self.lines.next().await {
                Line::Whole(line) => match serde_json::from_slice(&line) {
                    Ok(message) => return Some(message),
                    Err(error) => {
                        tracing::debug!(%error, "a line of the server is no message");
                        let message = bounded(&error.to_string());
                        if let Some(message) = instead(skim(&line), UNREADABLE, message) {
                            return Some(message);
                        }
                    }
                },
                Line::TooLong(found) => {
                    tracing::debug!(most = self.lines.most(), "a line of the server is too long");
                    if let Some(message) = instead(found, TOO_LONG, "the answer is too long".to_owned()) {
                        return Some(message);
                    }
                }
                Line::End | Line::Broken(_) => {
                    self.wait(EXIT).await;
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        // A server ends when its input does; with the last writer the pipe is closed.
        self.outbox = None;
        if !self.ended && !self.wait(ENDING).await {
            self.group.end(Force::Ask);
            if !self.wait(ENDING).await {
                self.group.end(Force::Kill);
                self.wait(ENDING).await;
            }
        }
        Ok(())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.ended {
            self.group.end(Force::Kill);
        }
    }
}
