//! How to start a server as a child process: program, arguments, environment, limits.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::future::IntoFuture;
use std::path::PathBuf;
use std::time::Duration;

use opentool_core::BoxFuture;
use secrecy::SecretString;
use tokio::runtime::Handle;

use super::server::{Limits, Way};
use super::{Client, ClientError};

/// A server that is a program, which talks over its standard input and output.
///
/// The program is started without a shell: each argument arrives as it is. Awaiting the builder starts it; use
/// [`SpawnBuilder::build`] to start it at the first call. It is ended with the last tool and the last [`Client`] of it,
/// its own children too, and started anew by the next call if it ends by itself.
pub fn spawn(program: impl AsRef<OsStr>) -> SpawnBuilder {
    SpawnBuilder {
        program: Program {
            program: program.as_ref().to_owned(),
            arguments: Vec::new(),
            environment: Vec::new(),
            passed: Vec::new(),
            directory: None,
        },
        limits: Limits::default(),
        runtime: None,
    }
}

/// A program and what it is started with.
#[derive(Clone)]
pub(crate) struct Program {
    pub(crate) program: OsString,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) environment: Vec<(OsString, SecretString)>,
    /// Variables of this process that it gets too.
    pub(crate) passed: Vec<OsString>,
    pub(crate) directory: Option<PathBuf>,
}

/// A client that is being set up. Every limit has a default.
#[must_use = "await it, or call `build`"]
#[derive(Clone)]
pub struct SpawnBuilder {
    program: Program,
    limits: Limits,
    runtime: Option<Handle>,
}

impl SpawnBuilder {
    /// Adds an argument.
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.program.arguments.push(argument.as_ref().to_owned());
        self
    }

    /// Adds arguments.
    pub fn args<A: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.program.arguments.extend(arguments.into_iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    /// Sets a variable of its environment, which holds nothing else but `PATH`. The value counts as a secret: it is never
    /// shown, and is covered in what the program says.
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl Into<SecretString>) -> Self {
        self.program.environment.push((name.as_ref().to_owned(), value.into()));
        self
    }

    /// Passes a variable of this process on, if it is set when the program is started.
    pub fn pass_env(mut self, name: impl AsRef<OsStr>) -> Self {
        self.program.passed.push(name.as_ref().to_owned());
        self
    }

    /// The directory in which it is started. Default: that of this process.
    pub fn current_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.program.directory = Some(directory.into());
        self
    }

    /// The longest call, and the longest start of the program. Default: 60 seconds. A tool's call ends with the deadline of
    /// its context, where that is sooner.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.limits.call = limit;
        self
    }

    /// The largest answer, in bytes. Default: 32 MiB.
    pub fn answer_limit(mut self, bytes: usize) -> Self {
        self.limits.answer = bytes;
        self
    }

    /// The runtime on which the program is attended to. Default: that on which it is started. A program whose runtimes
    /// come and go names one that stays.
    pub fn runtime(mut self, runtime: Handle) -> Self {
        self.runtime = Some(runtime);
        self
    }

    /// The client. The program is not started yet.
    pub fn build(self) -> Client {
        Client::new(Way::Process(Box::new(self.program)), self.limits, self.runtime)
    }
}

/// Starts the program, and asks it which revision it speaks.
impl IntoFuture for SpawnBuilder {
    type Output = Result<Client, ClientError>;
    type IntoFuture = BoxFuture<'static, Result<Client, ClientError>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let client = self.build();
            client.open().await?;
            Ok(client)
        })
    }
}

impl Program {
    /// The program's name, for people.
    pub(crate) fn name(&self) -> Box<str> {
        opentool_http::bounded(&self.program.to_string_lossy()).into()
    }
}

impl fmt::Debug for SpawnBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Arguments and variables may be secrets.
        f.debug_struct("SpawnBuilder")
            .field("program", &self.program.program)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
