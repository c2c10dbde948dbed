//! The line that a person types at: editing, history, several lines, completion of commands and of tools' names.
//!
//! Where standard input is no terminal it reads plain lines, so that a chat can be scripted.

use std::io::{self, IsTerminal as _};
use std::path::PathBuf;

use rustyline::completion::Completer;
use rustyline::config::Configurer as _;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Cmd, Context, Helper, KeyCode, KeyEvent, Modifiers};

use crate::error::CliError;

/// How many lines are remembered.
const REMEMBERED: usize = 1_000;
/// What can follow a slash.
const COMMANDS: [&str; 6] = ["/help", "/new", "/quit", "/save ", "/tools", "/trace"];

/// What came of asking for a line.
#[derive(Debug)]
pub(crate) enum Said {
    /// A line, or several.
    Line(String),
    /// Ctrl-C: the line is given up.
    Nothing,
    /// Ctrl-D, or the end of the input.
    End,
}

/// Reads lines.
pub(crate) struct Editor {
    lines: Option<rustyline::Editor<Words, FileHistory>>,
    history: Option<PathBuf>,
}

impl Editor {
    /// An editor that knows these names of tools.
    ///
    /// # Errors
    /// [`CliError::Output`] if the terminal cannot be used.
    pub(crate) fn new(tools: Vec<String>) -> Result<Self, CliError> {
        if !io::stdin().is_terminal() {
            return Ok(Self { lines: None, history: None });
        }
        let mut lines = rustyline::Editor::new().map_err(unusable)?;
        lines.set_max_history_size(REMEMBERED).map_err(unusable)?;
        lines.set_helper(Some(Words { tools }));
        lines.bind_sequence(KeyEvent(KeyCode::Enter, Modifiers::ALT), Cmd::Newline);
        let history = history_file();
        if let Some(file) = &history {
            // There is none the first time.
            let _ = lines.load_history(file);
        }
        Ok(Self { lines: Some(lines), history })
    }

    /// Completes these names of tools from here on.
    pub(crate) fn complete(&mut self, tools: Vec<String>) {
        if let Some(lines) = &mut self.lines {
            lines.set_helper(Some(Words { tools }));
        }
    }

    /// Whether a person is there to be asked.
    pub(crate) fn is_terminal(&self) -> bool {
        self.lines.is_some()
    }

    /// Asks for what to say, which may have several lines.
    ///
    /// # Errors
    /// [`CliError::Output`] if the terminal is gone.
    pub(crate) fn ask(&mut self) -> Result<Said, CliError> {
        let said = self.line("> ")?;
        if let (Said::Line(line), Some(lines)) = (&said, &mut self.lines)
            && !line.trim().is_empty()
        {
            let _ = lines.add_history_entry(line.as_str());
        }
        Ok(match said {
            // What goes on in the next line is one text.
            Said::Line(line) => Said::Line(line.replace("\\\n", "\n")),
            other => other,
        })
    }

    /// Asks one question, whose answer is not remembered.
    ///
    /// # Errors
    /// [`CliError::Output`] if the terminal is gone.
    pub(crate) fn line(&mut self, prompt: &str) -> Result<Said, CliError> {
        let Some(lines) = &mut self.lines else { return plain_line() };
        match lines.readline(prompt) {
            Ok(line) => Ok(Said::Line(line)),
            Err(ReadlineError::Interrupted) => Ok(Said::Nothing),
            Err(ReadlineError::Eof) => Ok(Said::End),
            Err(error) => Err(unusable(error)),
        }
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let (Some(lines), Some(file)) = (&mut self.lines, &self.history) else { return };
        if let Some(folder) = file.parent() {
            let _ = std::fs::create_dir_all(folder);
        }
        // A history that cannot be kept is no reason to complain at the end of a talk.
        let _ = lines.save_history(file);
    }
}

/// A line of a pipe or a file; a backslash at its end goes on in the next one.
fn plain_line() -> Result<Said, CliError> {
    let mut text = String::new();
    loop {
        if io::stdin().read_line(&mut text)? == 0 {
            return Ok(if text.is_empty() { Said::End } else { Said::Line(text) });
        }
        let whole = text.trim_end_matches(['\n', '\r']);
        if whole.ends_with('\\') {
            text = format!("{whole}\n");
        } else {
            return Ok(Said::Line(whole.to_owned()));
        }
    }
}

fn unusable(error: ReadlineError) -> CliError {
    match error {
        ReadlineError::Io(error) => error.into(),
        other => io::Error::other(other.to_string()).into(),
    }
}

/// Where typed lines are kept, by the XDG conventions; nowhere without a home.
fn history_file() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = set("XDG_STATE_HOME").or_else(|| set("HOME").map(|home| home.join(".local/state")))?;
    Some(state.join("opentool/chat_history"))
}

/// What the editor knows of what is typed.
struct Words {
    tools: Vec<String>,
}

impl Helper for Words {}
impl Highlighter for Words {}

impl Hinter for Words {
    type Hint = String;
}

impl Validator for Words {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        Ok(if context.input().ends_with('\\') {
            ValidationResult::Incomplete
        } else {
            ValidationResult::Valid(None)
        })
    }
}

impl Completer for Words {
    type Candidate = String;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        let typed = line.get(..at).unwrap_or_default();
        let starting = |start: &str, words: &mut dyn Iterator<Item = &str>| -> Vec<String> {
            words.filter(|word| word.starts_with(start)).map(str::to_owned).collect()
        };
        if let Some(start) = typed.strip_prefix("/tools ") {
            return Ok(("/tools ".len(), starting(start, &mut self.tools.iter().map(String::as_str))));
        }
        match typed.starts_with('/') {
            true => Ok((0, starting(typed, &mut COMMANDS.into_iter()))),
            false => Ok((at, Vec::new())),
        }
    }
}
