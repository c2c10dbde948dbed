//! One run of the binary in a directory of its own.

use std::fmt;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A run that has not started.
pub(crate) struct Run {
    directory: TempDir,
    arguments: Vec<String>,
    variables: Vec<(String, String)>,
    input: Vec<u8>,
}

/// The binary with these arguments, in an empty directory but for `petstore.yaml`.
pub(crate) fn opentool<S: AsRef<str>>(arguments: impl IntoIterator<Item = S>) -> Run {
    let run = Run {
        directory: tempfile::tempdir().unwrap(),
        arguments: arguments.into_iter().map(|argument| argument.as_ref().to_owned()).collect(),
        variables: Vec::new(),
        input: Vec::new(),
    };
    run.file("petstore.yaml", opentool_petshop::PETSTORE_YAML)
}

impl Run {
    /// Puts a file into the directory, or below it.
    pub(crate) fn file(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.directory.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    /// Sets an environment variable.
    pub(crate) fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// What comes on standard input.
    pub(crate) fn input(mut self, input: impl AsRef<[u8]>) -> Self {
        self.input = input.as_ref().to_vec();
        self
    }

    /// The directory of the run.
    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_opentool"));
        command.args(&self.arguments).current_dir(self.directory());
        // What the person who runs the tests has set must not matter.
        for name in [
            "OPENTOOL_BEARER",
            "OPENTOOL_API_KEY",
            "OPENTOOL_BASIC",
            "OPENTOOL_SERVER_KEY",
            "OPENTOOL_CLIENT_SECRET",
            "OPENTOOL_REFRESH_TOKEN",
            "OTEL_EXPORTER_OTLP_ENDPOINT",
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
            "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
            "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT",
            "NO_COLOR",
            "CLICOLOR_FORCE",
        ] {
            command.env_remove(name);
        }
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Starts it and leaves it running; all its pipes are open.
    pub(crate) fn start(&self) -> Child {
        self.command().spawn().unwrap()
    }

    /// Runs it to its end, with standard output going to this file.
    pub(crate) fn into(self, file: File) -> Ran {
        let child = self.command().stdout(file).spawn().unwrap();
        self.wait(child)
    }

    /// Runs it to its end.
    pub(crate) fn end(self) -> Ran {
        let child = self.start();
        self.wait(child)
    }

    fn wait(self, mut child: Child) -> Ran {
        let mut stdin = child.stdin.take().unwrap();
        let input = self.input.clone();
        // A program that does not read its input closes it early, which is fine.
        let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        Ran {
            line: self.arguments.join(" "),
            code: output.status.code().expect("not killed by a signal"),
            stdout: output.stdout,
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A run that has ended. Prints as a golden file shows it.
pub(crate) struct Ran {
    line: String,
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Ran {
    /// Standard output as text.
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).unwrap()
    }

    /// Standard output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.stdout).unwrap_or_else(|error| panic!("{error}\n{self}"))
    }

    /// The run was a success: exit code 0.
    #[track_caller]
    pub(crate) fn success(self) -> Self {
        assert_eq!(self.code, 0, "\n{self}");
        self
    }

    /// The run failed, and the error object on standard error has this code.
    #[track_caller]
    pub(crate) fn failure_json(self, code: &str) -> Self {
        assert_ne!(self.code, 0, "\n{self}");
        let last = self.stderr.lines().last().unwrap_or_default();
        let error: Value = serde_json::from_str(last).unwrap_or_else(|error| panic!("{error}\n{self}"));
        assert_eq!(error["error"]["code"], code, "\n{self}");
        self
    }

    /// The run failed with this code, said nothing on standard output, and these texts are on standard error.
    #[track_caller]
    pub(crate) fn failure(self, code: i32, texts: &[&str]) -> Self {
        assert_eq!(self.code, code, "\n{self}");
        assert_eq!(self.text(), "", "nothing half-done\n{self}");
        assert!(self.stderr.contains("error: "), "\n{self}");
        for text in texts {
            assert!(self.stderr.contains(text), "no `{text}` in\n{self}");
        }
        assert!(!self.stderr.contains("panicked"), "\n{self}");
        self
    }
}

impl fmt::Display for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "$ opentool {}\nexit code {}", self.line, self.code)?;
        for (name, text) in [("stdout", &*String::from_utf8_lossy(&self.stdout)), ("stderr", &self.stderr)] {
            if !text.is_empty() {
                write!(f, "--- {name}\n{text}")?;
            }
        }
        Ok(())
    }
}
