//! The exit codes, in one place: what the program promises to scripts.

use std::process::ExitCode;

/// How the program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// The answer is no: of a tool, or of a check.
    Negative = 1,
    /// The command line cannot be followed. clap uses the same number.
    Usage = 2,
    /// A source cannot be read, or the sources do not go together.
    Source = 3,
    /// The call cannot be made. Nothing was sent.
    Call = 4,
    /// There was no usable answer.
    NoAnswer = 5,
    /// The server did not start, or ended with an error.
    Server = 6,
    /// The output could not be written.
    Output = 7,
    /// The person gave up. What shells report of a process that Ctrl-C ended.
    Interrupted = 130,
}

/// The part of `opentool --help` that says what the numbers mean. A test compares it with the enum.
pub(crate) const HELP: &str = "\
\x1b[1m\x1b[4mExit codes:\x1b[0m
  0  done
  1  the tool answered, and the answer is an error; `ask` came to no answer: refused,
     cut off, a call that nobody allowed; `check` or `parse-calls` found errors;
     something would be lost that `--deny loss` protects; `export` left out tools that
     the provider would refuse, or all, since it takes no request of so many
  2  the command line cannot be followed
  3  a source cannot be read, or two sources have a tool of the same name; also when
     `list`, `show`, `export` or `convert` left out what a source has wrong (the rest
     is shown)
  4  the call cannot be made, and nothing was sent: no such tool, arguments that do
     not fit, credentials or the model's key that are missing
  5  no usable answer from the service: unreachable, too late, too large, broken
  6  the server could not start, or ended with an error
  7  the output could not be written
  130  you ended `ask` (Ctrl-C, or SIGTERM): what you were asked about was not run";

impl Exit {
    /// The number.
    pub(crate) fn code(self) -> u8 {
        self as u8
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::{Exit, HELP};

    #[test]
    fn the_help_names_every_code_once() {
        let all = [
            Exit::Negative,
            Exit::Usage,
            Exit::Source,
            Exit::Call,
            Exit::NoAnswer,
            Exit::Server,
            Exit::Output,
            Exit::Interrupted,
        ];
        let numbers: Vec<u8> = HELP
            .lines()
            .filter_map(|line| line.strip_prefix("  ")?.split_once("  ")?.0.parse().ok())
            .collect();
        let codes: Vec<u8> = std::iter::once(0).chain(all.map(Exit::code)).collect();
        assert_eq!(numbers, codes);
    }
}
