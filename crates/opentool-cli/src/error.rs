//! Why a command failed: one variant for each thing the person at the keyboard can do about it.
//!
//! Shown as `error: …` and `help: …`, or with `--json` as one JSON object, always on standard error.

use std::borrow::Cow;
use std::io;
use std::time::Duration;

use opentool::openapi::{OpenApiError, Sent};
use opentool::schema::{Dialect, LowerError, MessageError, problem_code};
use opentool::{InvalidArguments, NameClash, Problem, ToolError, UnknownTool, Upstream};
use opentool_http::HttpError;
use serde_json::{Map, Value, json};

use crate::exit::Exit;
use crate::source::SourceError;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum CliError {
    /// The command line cannot be followed.
    #[error("{message}")]
    Usage {
        /// What is wrong.
        message: String,
        /// What to write instead.
        help: String,
    },
    /// A source cannot be read.
    #[error(transparent)]
    Source(#[from] Box<SourceError>),
    /// Two sources have a tool of the same name.
    #[error("two sources have a tool named `{}`: {} and {}", .0.name, .0.first, .0.second)]
    Clash(Box<NameClash>),
    /// A source was read and shown, but for what could not be understood.
    #[error("{place} was not read as a whole: {} in it, said above", crate::console::counted(*.faults, "error"))]
    Incomplete {
        /// The source.
        place: String,
        /// How many errors were found in it.
        faults: usize,
    },
    /// There is no such tool; it may be one of those that were left out.
    #[error("{}", no_tool(.unknown, .place, *.left_out, .why.as_deref()))]
    NoTool {
        /// What was asked for.
        unknown: Box<UnknownTool>,
        /// The source, as the person wrote it.
        place: String,
        /// How many operations of it are no tools, because they could not be read.
        left_out: usize,
        /// Why it is no tool although the document has it, in words.
        why: Option<String>,
    },
    /// The arguments do not fit the tool.
    #[error("{}", call_text(.error))]
    Unfit {
        /// Why not.
        error: ToolError,
        /// The source, as the person wrote it.
        place: String,
        /// The tool.
        tool: String,
    },
    /// Arguments that were only checked do not fit the tool.
    #[error("{}", misfit_text(.error))]
    Misfit {
        /// Why not.
        error: ToolError,
        /// The source, as the person wrote it.
        place: String,
        /// The tool, by its own name.
        tool: String,
    },
    /// A call failed, before or after it left.
    #[error("{}", call_text(.0))]
    Call(#[from] ToolError),
    /// A document describes the function, and nothing says where it is run.
    #[error("{place}: the document names no server, so its functions cannot be called")]
    NoServer {
        /// The document.
        place: String,
    },
    /// The request lacks nothing but a credential.
    #[error("{}", call_text(.0))]
    NoCredential(ToolError),
    /// The request lacks nothing but a client certificate.
    #[error("{}", call_text(.0))]
    NoCertificate(ToolError),
    /// There was no answer within the limit of the command line.
    #[error("{server} gave no answer within {}", crate::console::seconds(*.limit))]
    TooLate {
        /// Who: scheme, host and port, or the tool.
        server: String,
        /// The limit.
        limit: Duration,
    },
    /// The request could not be made: a server is missing, or a value cannot stand where it goes.
    #[error("{}", call_text(.0))]
    NotSent(ToolError),
    /// The tool answered with an error, which has been shown.
    #[error("the tool answered with an error")]
    Answer,
    /// The server did not start, or ended with an error.
    #[error("{message}")]
    Server {
        /// What went wrong, with its causes.
        message: String,
        /// What to do about it.
        help: Option<Cow<'static, str>>,
    },
    /// A check found what it must not find, or could not look at a file; all of it has been shown.
    #[error("{words}")]
    Checked {
        /// What was found, in words.
        words: String,
        /// How many files could not be read.
        unreadable: usize,
    },
    /// What should be a provider's answer is none.
    #[error("{place}: {error}")]
    NoAnswer {
        /// Where it was read from.
        place: String,
        /// Why it is none.
        error: MessageError,
    },
    /// Nothing was to be lost, and something would have been.
    #[error(
        "{} would be lost in {format}, and `--deny loss` does not accept that; nothing was written",
        crate::console::counted(*.losses, "thing")
    )]
    WouldLose {
        /// How many things, which have been shown.
        losses: usize,
        /// What would have been written, in words.
        format: String,
    },
    /// Tools that a provider would refuse were left out; each has been shown with the reason.
    #[error("{}", not_lowered(*.refused, *.tools, *.dialect))]
    NotLowered {
        /// How many.
        refused: usize,
        /// Of how many.
        tools: usize,
        /// The dialect.
        dialect: Dialect,
    },
    /// A provider takes no request with all of these tools; nothing was written.
    #[error("{error}; nothing was written")]
    NoRequest {
        /// Which rule they break.
        error: LowerError,
    },
    /// A model gave no answer, or none that ends a turn well.
    #[error("{message}")]
    Model {
        /// What went wrong, with its causes.
        message: String,
        /// What to do about it.
        help: Option<Cow<'static, str>>,
        /// How the program ends.
        exit: Exit,
        /// A short name for programs.
        code: &'static str,
    },
    /// The file that was to be written is there.
    #[error("{file}: there is a file of this name, and it stays as it is")]
    FileExists {
        /// The path.
        file: String,
    },
    /// The file cannot be written.
    #[error("{file}: cannot be written: {error}")]
    NotWritten {
        /// The path.
        file: String,
        /// What the system says.
        error: io::Error,
    },
    /// Standard output or error cannot be written.
    #[error("the output cannot be written: {0}")]
    Output(#[from] io::Error),
    /// A file that the person named for an argument cannot be read, or is not what the argument needs.
    #[error("{message}")]
    Argument {
        /// What is wrong.
        message: String,
        /// What to write instead.
        help: String,
    },
}

impl CliError {
    /// The command line cannot be followed.
    pub(crate) fn usage(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), help: help.into() }
    }

    /// The same with the source and the tool that the arguments were for, if it is they that are wrong.
    pub(crate) fn of_tool(self, place: &str, tool: &str) -> Self {
        match self {
            Self::Call(error @ ToolError::InvalidArguments(_))
            | Self::NotSent(error @ ToolError::InvalidArguments(_)) => {
                Self::Unfit { error, place: place.to_owned(), tool: tool.to_owned() }
            }
            other => other,
        }
    }

    /// An argument of a call cannot be read.
    pub(crate) fn argument(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Argument { message: message.into(), help: help.into() }
    }

    /// A server did not start or ended with an error; the causes are added to the text.
    pub(crate) fn server(error: &dyn std::error::Error) -> Self {
        Self::Server { message: chain(error), help: None }
    }

    /// The exit code.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Usage { .. } => Exit::Usage,
            Self::Source(error) if error.is_config() => Exit::Usage,
            Self::Source(_) | Self::Clash(_) | Self::Incomplete { .. } => Exit::Source,
            Self::Argument { .. }
            | Self::NoTool { .. }
            | Self::Unfit { .. }
            | Self::Misfit { .. }
            | Self::NoServer { .. }
            | Self::NoCredential(_)
            | Self::NoCertificate(_)
            | Self::NotSent(_) => Exit::Call,
            Self::Call(error) if lacks_credential(error) => Exit::Call,
            Self::Call(error) => match error {
                ToolError::UnknownTool(_) | ToolError::InvalidArguments(_) | ToolError::Refused(_) => {
                    Exit::Call
                }
                // A service that says "no" has answered; a status below 400 means that the answer was unusable.
                ToolError::Upstream(upstream) if upstream.status.is_none_or(|status| status < 400) => {
                    Exit::NoAnswer
                }
                ToolError::TimedOut(_) | ToolError::Cancelled => Exit::NoAnswer,
                _ => Exit::Negative,
            },
            Self::TooLate { .. } => Exit::NoAnswer,
            Self::Checked { unreadable: 0, .. }
            | Self::WouldLose { .. }
            | Self::NotLowered { .. }
            | Self::NoRequest { .. }
            | Self::Answer => Exit::Negative,
            Self::Checked { .. } | Self::NoAnswer { .. } => Exit::Source,
            Self::Server { .. } => Exit::Server,
            Self::Model { exit, .. } => *exit,
            Self::FileExists { .. } | Self::NotWritten { .. } | Self::Output(_) => Exit::Output,
        }
    }

    /// A short, stable name for programs.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Usage { .. } => "usage",
            Self::Source(error) => error.code(),
            Self::Clash(_) => "name_clash",
            Self::Incomplete { .. } => "source_incomplete",
            Self::NoTool { .. } => "unknown_tool",
            Self::Unfit { error, .. } | Self::Misfit { error, .. } => error.code(),
            Self::Argument { .. } => "invalid_arguments",
            Self::NotSent(ToolError::Failed(_))
            | Self::NoCredential(_)
            | Self::NoCertificate(_)
            | Self::NoServer { .. } => "not_sent",
            Self::TooLate { .. } => "timed_out",
            Self::Call(error) if lacks_credential(error) => "not_sent",
            Self::Call(error) | Self::NotSent(error) => error.code(),
            Self::Answer => "failed",
            Self::Server { .. } => "server",
            Self::Model { code, .. } => code,
            Self::Checked { .. } => "check_failed",
            Self::NoAnswer { .. } => "not_an_answer",
            Self::WouldLose { .. } => "would_lose",
            Self::NotLowered { .. } => "not_lowered",
            Self::NoRequest { .. } => "not_one_request",
            Self::FileExists { .. } => "file_exists",
            Self::NotWritten { .. } | Self::Output(_) => "output",
        }
    }

    /// What to do about it.
    pub(crate) fn help(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Usage { help, .. } | Self::Argument { help, .. } => Some(help.into()),
            Self::Source(error) => error.help(),
            Self::Clash(clash) => Some(
                format!(
                    "put a name before one of the sources, as in `shop=SOURCE`, and its tools are named \
                     `shop__{0}`; or leave the tool out: `--without {0}`",
                    clash.name
                )
                .into(),
            ),
            Self::NoTool { place: source, left_out: 1.., .. } => {
                let all = "with `--verbose` all that is wrong in the document";
                Some(format!("`opentool list {source}` shows the tools, {all}").into())
            }
            Self::NoTool { unknown, place: source, .. } if unknown.nearest.is_empty() => {
                Some(format!("`opentool list {source}` shows the tools").into())
            }
            Self::NotSent(error) | Self::Call(error) if lacks_credential(error) => Some(
                "give the credential again, or say where it is kept (`env:VARIABLE`, `file:PATH`, `command:WORDS`): it is \
                 one line without control characters"
                    .into(),
            ),
            Self::NoCertificate(_) => Some(
                "give it with `--client-cert FILE --client-key FILE`, which are PEM files; `--anonymous` sends without"
                    .into(),
            ),
            Self::NotSent(ToolError::Failed(_)) => {
                Some("`--server URL` and its like set what is missing: `opentool call --help`".into())
            }
            Self::NoServer { .. } => Some(
                "`--server URL` says where they are run; `--mock` answers with examples; or give the document a \
                 `server` with a `url`"
                    .into(),
            ),
            Self::NoCredential(_) => Some(
                "set it with `--api-key`, `--bearer` or `--basic`, better in the environment: `OPENTOOL_API_KEY`, \
                 `OPENTOOL_BEARER`, `OPENTOOL_BASIC`; for one scheme with `--credential SCHEME=VALUE`; \
                 `--anonymous` sends without"
                    .into(),
            ),
            Self::TooLate { .. } => Some("`--timeout SECONDS` waits longer".into()),
            Self::Unfit { place: source, tool, .. } | Self::Misfit { place: source, tool, .. } => {
                Some(format!("`opentool show {source} {tool}` shows what the tool takes").into())
            }
            Self::Call(ToolError::Upstream(upstream)) => match sent_error(upstream)? {
                error @ HttpError::Connect { .. } if error.trust().is_some() => {
                    error.trust().map(crate::source::trust_help)
                }
                HttpError::Connect { .. } => {
                    Some("is the service up, and its address right? `--server URL` calls another one".into())
                }
                HttpError::TimedOut { .. } => Some("`--timeout SECONDS` waits longer".into()),
                _ => None,
            },
            Self::Server { help, .. } | Self::Model { help, .. } => help.as_deref().map(Cow::Borrowed),
            Self::FileExists { .. } => Some("`--force` replaces it".into()),
            Self::NoRequest { error } => {
                let strict = matches!(error, LowerError::Request { finding, .. } if finding.rule.starts_with("strict"));
                let instead = if strict { ", and `--strict auto` makes only some of them strict" } else { "" };
                Some(format!("`--only`, `--without`, `--tag`, `--path` and `--method` choose tools{instead}").into())
            }
            _ => None,
        }
    }

    /// The error as one JSON object.
    pub(crate) fn to_json(&self) -> Value {
        let mut error = Map::new();
        error.insert("code".into(), self.code().into());
        let request = match self {
            Self::Call(error @ ToolError::Upstream(_)) => sent(std::error::Error::source(error)),
            _ => None,
        };
        let message = match (self, request) {
            (Self::Call(error), Some(sent)) => error_with_cause(error, sent),
            _ => self.to_string(),
        };
        error.insert("message".into(), message.into());
        if let Some(sent) = request {
            error.insert("request".into(), sent.request().into());
        }
        if let Some(help) = self.help() {
            error.insert("help".into(), help.into());
        }
        match self {
            Self::Call(ToolError::InvalidArguments(invalid))
            | Self::Unfit { error: ToolError::InvalidArguments(invalid), .. }
            | Self::Misfit { error: ToolError::InvalidArguments(invalid), .. }
            | Self::NotSent(ToolError::InvalidArguments(invalid)) => {
                error.insert("problems".into(), invalid.problems.iter().map(coded).collect());
            }
            Self::Call(ToolError::UnknownTool(unknown)) => {
                error.insert("did_you_mean".into(), json!(unknown.nearest));
            }
            Self::NoTool { unknown, .. } => {
                error.insert("did_you_mean".into(), json!(unknown.nearest));
            }
            Self::Call(ToolError::Upstream(upstream)) => {
                if let Some(status) = upstream.status {
                    error.insert("status".into(), status.into());
                }
            }
            Self::Source(source) => source.add_to(&mut error),
            _ => {}
        }
        error.insert("exit".into(), self.exit().code().into());
        json!({"error": error})
    }
}

/// An error with its causes, as an operator wants to read it: `a: b: c`. A cause that the text before it
/// already says is not repeated.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        let is_said = text.ends_with(&next) || format!(": {text}: ").contains(&format!(": {next}: "));
        if !is_said {
            text.truncate(text.trim_end_matches('.').len());
            text.push_str(": ");
            text.push_str(&next);
        }
        cause = error.source();
    }
    text
}

/// `there is no tool `x` in FILE; did you mean …`.
fn no_tool(unknown: &UnknownTool, source: &str, left_out: usize, why: Option<&str>) -> String {
    let name = opentool_text::printable_line(&unknown.name);
    let mut text = format!("there is no tool `{name}` in {source}");
    if let Some(why) = why {
        return format!("{text}: {why}");
    }
    let nearest: Vec<String> = unknown.nearest.iter().map(|name| format!("`{name}`")).collect();
    if !nearest.is_empty() {
        text.push_str(&format!("; did you mean {}?", nearest.join(" or ")));
    }
    if left_out > 0 {
        let operations = crate::console::counted(left_out, "operation");
        let are = if left_out == 1 { "is" } else { "are" };
        text.push_str(&format!("; {operations} of the document could not be read and {are} left out"));
    }
    text
}

/// What the HTTP client says about a call that got no answer.
fn sent_error(upstream: &Upstream) -> Option<&HttpError> {
    sent(std::error::Error::source(upstream))?.error()
}

/// The request among the causes of an error.
fn sent<'e>(mut cause: Option<&'e (dyn std::error::Error + 'static)>) -> Option<&'e Sent> {
    while let Some(error) = cause {
        if let Some(sent) = error.downcast_ref() {
            return Some(sent);
        }
        cause = error.source();
    }
    None
}

/// Whether nothing was sent because a credential could not be read where it is kept.
fn lacks_credential(error: &ToolError) -> bool {
    let ToolError::Failed(failure) = error else { return false };
    let cause = failure.source.as_deref().and_then(|source| source.downcast_ref::<OpenApiError>());
    matches!(cause, Some(OpenApiError::Credential { .. }))
}

/// What failed and at last why, and on a line of its own what was sent. What lies between the two is how the program
/// is made.
fn upstream_text(error: &ToolError) -> String {
    let Some(sent) = sent(std::error::Error::source(error)) else { return chain(error) };
    let mut text = error_with_cause(error, sent);
    text.push_str("\n  ");
    text.push_str(&sent.to_string());
    text
}

/// What failed, and at last why.
fn error_with_cause(error: &ToolError, sent: &Sent) -> String {
    let mut text = error.to_string();
    let mut last = std::error::Error::source(sent);
    while let Some(next) = last.and_then(std::error::Error::source) {
        last = Some(next);
    }
    if let Some(why) = last.map(ToString::to_string).filter(|why| !text.contains(why.as_str())) {
        text.truncate(text.trim_end_matches('.').len());
        text.push_str(": ");
        text.push_str(&why);
    }
    text
}

/// A problem with the code that `check-args` gives it, besides the rule of the schema.
fn coded(problem: &Problem) -> Value {
    let mut coded = json!({"code": problem_code(problem)});
    if let (Some(members), Value::Object(told)) = (coded.as_object_mut(), json!(problem)) {
        members.extend(told);
    }
    coded
}

fn not_lowered(refused: usize, tools: usize, dialect: Dialect) -> String {
    let others = if refused < tools { "; the others are" } else { "" };
    let tools = crate::console::counted(tools, "tool");
    format!("{refused} of {tools} cannot be written for `{dialect}`, said above{others}")
}

/// The operator's text of a failed call. Arguments that do not fit are listed one a line already.
fn misfit_text(error: &ToolError) -> String {
    let ToolError::InvalidArguments(invalid) = error else { return chain(error) };
    let mut text = "the arguments do not fit the tool".to_owned();
    add_problems(&mut text, invalid);
    text
}

fn add_problems(text: &mut String, invalid: &InvalidArguments) {
    for problem in &invalid.problems {
        text.push_str("\n  ");
        text.push_str(&problem.to_string());
    }
}

fn call_text(error: &ToolError) -> String {
    match error {
        ToolError::InvalidArguments(invalid) => {
            let mut text = "the arguments do not fit the tool; nothing was sent".to_owned();
            add_problems(&mut text, invalid);
            text
        }
        ToolError::Upstream(_) => upstream_text(error),
        other => chain(other),
    }
}
