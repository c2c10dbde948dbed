//! Why a source cannot be read, by what the person can do about it.

use std::borrow::Cow;
use std::time::Duration;

use opentool::Diagnostic;
use opentool::client::ClientError;
use opentool::doc::DocError;
use opentool::mcp::client::ClientError as McpError;
use opentool::openapi::OpenApiError;
use opentool::schema::DefinitionsError;
use opentool_http::{HttpError, Trust};
use serde_json::{Map, Value, json};

use crate::error::chain;
use crate::source::spec::Place;

/// Why a source cannot be read. Every text names the source, without secrets.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum SourceError {
    /// There is no such file.
    #[error("{place}: there is no such file")]
    NoFile {
        /// The path.
        place: String,
    },
    /// The file is there and cannot be read.
    #[error("{place}: cannot be read: {reason}")]
    Unreadable {
        /// The path.
        place: String,
        /// What the system says.
        reason: String,
    },
    /// The address gave no answer.
    #[error("{place}: {}", chain(.error))]
    NoAnswer {
        /// The address.
        place: String,
        /// What happened.
        error: Box<HttpError>,
    },
    /// Standard input or the whole loading took too long.
    #[error("{place}: no complete answer within {}", crate::console::seconds(*.after))]
    TooLate {
        /// The address.
        place: String,
        /// The limit.
        after: Duration,
    },
    /// The address answered with something else than a document.
    #[error("{place}: the server answered {status}")]
    Status {
        /// The address.
        place: String,
        /// The status and its words.
        status: String,
        /// The number.
        code: u16,
    },
    /// The text is empty.
    #[error("{place}: is empty")]
    Empty {
        /// The source.
        place: String,
    },
    /// A directory without a document.
    #[error("{place}: is a directory that holds no OpenAPI document")]
    NoDocument {
        /// The path.
        place: String,
    },
    /// The bytes are not text.
    #[error("{place}: {reason}")]
    NotText {
        /// The source.
        place: String,
        /// Why not.
        reason: String,
    },
    /// The text is nothing that is known.
    #[error(
        "{place}: is {found}; it is neither an OpenAPI or OpenTool document nor a list of tool definitions"
    )]
    Unknown {
        /// The source.
        place: String,
        /// What it seems to be.
        found: String,
    },
    /// A text that cannot be read.
    #[error("{}", pointed(.fault))]
    Syntax {
        /// What is wrong; names the source.
        fault: Box<Diagnostic>,
    },
    /// JSON with a fault.
    #[error("{place}:{line}:{column}: this is not JSON: {reason}")]
    NotJson {
        /// The source.
        place: String,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What is wrong there.
        reason: String,
    },
    /// JSON that holds no definitions.
    #[error("{place}: {}", chain(.error))]
    Definitions {
        /// The source.
        place: String,
        /// What is wrong.
        error: DefinitionsError,
    },
    /// An OpenAPI document that cannot be used.
    #[error("{}", openapi_text(.error))]
    OpenApi {
        /// What is wrong; names the document.
        error: Box<OpenApiError>,
    },
    /// An OpenTool server that gives no document that can be used.
    #[error("{place}: {}", chain(.error))]
    Server {
        /// The address.
        place: String,
        /// What happened.
        error: Box<ClientError>,
    },
    /// An MCP server that gives no tools.
    #[error("{place}: {}", chain(.error))]
    Mcp {
        /// The address or the program.
        place: String,
        /// What happened.
        error: Box<McpError>,
    },
    /// A text that is no OpenTool document.
    #[error("{}", pointed(.error.diagnostic()))]
    OpenTool {
        /// What is wrong; names the document.
        error: DocError,
    },
}

impl SourceError {
    /// A short, stable name for programs.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::NoFile { .. } | Self::NoDocument { .. } => "source_not_found",
            Self::Unreadable { .. } => "source_unreadable",
            Self::NoAnswer { .. } | Self::TooLate { .. } => "source_unreachable",
            Self::Status { code: 404 | 410, .. } => "source_not_found",
            Self::Status { .. } => "source_status",
            Self::Server { error, .. } => match **error {
                ClientError::Unauthorized { .. } => "source_unauthorized",
                ClientError::NoAccess { .. } | ClientError::Http(_) => "source_unreachable",
                _ => "source_server",
            },
            Self::Mcp { error, .. } => match **error {
                McpError::Unauthorized { .. } => "source_unauthorized",
                McpError::NoAccess { .. } | McpError::TimedOut { .. } | McpError::Http(_) => {
                    "source_unreachable"
                }
                McpError::Spawn { .. } => "source_not_found",
                _ => "source_server",
            },
            Self::Empty { .. } => "source_empty",
            Self::NotText { .. } | Self::Syntax { .. } | Self::NotJson { .. } => "source_syntax",
            Self::Unknown { .. } => "source_unknown",
            Self::Definitions { .. } => "source_definitions",
            Self::OpenApi { .. } if self.is_config() => "config",
            Self::OpenApi { .. } => "source_openapi",
            Self::OpenTool { .. } => "source_opentool",
        }
    }

    /// What to do about it.
    pub(crate) fn help(&self) -> Option<Cow<'_, str>> {
        Some(match self {
            Self::NoFile { .. } => "give a path, an http(s) URL, or `-` for standard input".into(),
            Self::NoDocument { .. } => {
                "documents are files that end in .json, .yaml or .yml and say `openapi` or `swagger`; others have to \
                 be named by their paths"
                    .into()
            }
            Self::Unreadable { .. } => "is it a file, and may you read it?".into(),
            Self::NoAnswer { error, .. } => match error.trust() {
                Some(trust) => trust_help(trust),
                None => "is the address right, and is the server up?".into(),
            },
            Self::TooLate { .. } => "`--timeout SECONDS` waits longer".into(),
            Self::Status { code: 401 | 403, .. } => {
                "download the document yourself and give its path, or pipe it in and write `-`".into()
            }
            Self::Status { code: 500.., .. } => {
                "the server has a fault of its own: try again later, or give the path of a copy".into()
            }
            Self::Status { .. } => "give the address of the document itself, not that of its web page".into(),
            Self::Server { error, .. } => match **error {
                ClientError::Unauthorized { .. } => {
                    "`--api-key KEY` gives one, better in the environment: `OPENTOOL_API_KEY`".into()
                }
                ClientError::NoDocument { .. } => {
                    "save its document to a file, and give that with `--server URL`".into()
                }
                ClientError::NoAccess { .. } => {
                    "a server of OpenTool is named with its base path: `http://127.0.0.1:17001/opentool`"
                        .into()
                }
                _ => return None,
            },
            Self::Mcp { error, .. } => match **error {
                McpError::Unauthorized { .. } => {
                    "`--api-key KEY` gives the token, better in the environment: `OPENTOOL_API_KEY`".into()
                }
                McpError::NoAccess { .. } => {
                    "a server is named with its path: `mcp:http://127.0.0.1:3000/mcp`".into()
                }
                McpError::Spawn { .. } | McpError::Lost { .. } => {
                    "a command is run without a shell: `mcp+stdio:PROGRAM ARGUMENTS`; `--pass-env VARIABLE` passes a \
                     variable on, and `-vv` shows what the program says"
                        .into()
                }
                McpError::TimedOut { .. } => "`--timeout SECONDS` waits longer".into(),
                _ => return None,
            },
            Self::NotText { .. } | Self::Empty { .. } => {
                "a SOURCE holds an OpenAPI or OpenTool document (JSON or YAML) or tool definitions (JSON)"
                    .into()
            }
            Self::Unknown { .. } => {
                "an OpenAPI document starts with `openapi: 3.…`, an OpenTool document with `opentool: 1.…`; \
                 `openapi:SOURCE` reads it as one whatever it looks like"
                    .into()
            }
            Self::Syntax { fault } => {
                let help = "is it cut off? A SOURCE is an OpenAPI or OpenTool document or a list of tool definitions";
                fault.help.as_deref().map_or(help.into(), Cow::Borrowed)
            }
            Self::NotJson { .. } | Self::Definitions { .. } => {
                "definitions are JSON: what `opentool list --json` prints, MCP's `tools` array, or OpenAI's"
                    .into()
            }
            Self::OpenApi { error } if self.is_config() => {
                let help = "the keys of a configuration are in the documentation of `--config`: `opentool list --help`";
                found_in(error)?.help.as_deref().map_or(help.into(), Cow::Borrowed)
            }
            Self::OpenApi { error } => return found_in(error)?.help.as_deref().map(Cow::Borrowed),
            Self::OpenTool { error } => return error.diagnostic().help.as_deref().map(Cow::Borrowed),
        })
    }

    /// Whether it is the configuration that is at fault, and not the source.
    pub(crate) fn is_config(&self) -> bool {
        matches!(self, Self::OpenApi { error } if matches!(**error, OpenApiError::Config(_)))
    }

    /// What was found at a place of a text, if the error is one of those.
    pub(crate) fn found(&self) -> Option<&Diagnostic> {
        match self {
            Self::OpenApi { error } => found_in(error),
            Self::Syntax { fault } => Some(&**fault),
            Self::OpenTool { error } => Some(error.diagnostic()),
            _ => None,
        }
    }

    /// The same as something that was found in the source, which is passed over.
    pub(crate) fn diagnostic(&self, place: &Place) -> Diagnostic {
        self.found().cloned().unwrap_or_else(|| {
            let (place, message) = (place.to_string(), self.to_string());
            let message = message.strip_prefix(&format!("{place}: ")).unwrap_or(&message);
            Diagnostic::error("not-usable", "", message).file(place)
        })
    }

    /// Adds what programs may want to the error's JSON.
    pub(crate) fn add_to(&self, error: &mut Map<String, Value>) {
        match self {
            Self::NotJson { line, column, .. } => {
                error.insert("line".into(), (*line).into());
                error.insert("column".into(), (*column).into());
            }
            Self::Status { code, .. } => {
                error.insert("status".into(), (*code).into());
            }
            Self::Syntax { fault } => {
                error.insert("diagnostic".into(), json!(fault));
            }
            Self::OpenTool { error: document } => {
                error.insert("diagnostic".into(), json!(document.diagnostic()));
            }
            Self::OpenApi { error: document } => {
                if let Some(diagnostic) = found_in(document) {
                    error.insert("diagnostic".into(), json!(diagnostic));
                }
            }
            _ => {}
        }
    }
}

/// What to do about a server whose certificate is not trusted.
pub(crate) fn trust_help(trust: Trust) -> Cow<'static, str> {
    match trust {
        Trust::UnknownIssuer => {
            "nobody whom this machine trusts vouches for the server; `--ca-file FILE` trusts the authority in a PEM \
             file too, which is how a company's own servers are reached"
        }
        Trust::Name => "the certificate is for another name: is the host in the address the right one?",
        Trust::Time => {
            "the certificate is not valid now: if the clock of this machine is right, the server's operator has to \
             renew it"
        }
        _ => "the server's operator has to give it a certificate that clients accept",
    }
    .into()
}

/// What was found at a place of the document, if the error is one of those.
fn found_in(error: &OpenApiError) -> Option<&Diagnostic> {
    match error {
        OpenApiError::Syntax(diagnostic)
        | OpenApiError::NotOpenApi(diagnostic)
        | OpenApiError::Config(diagnostic) => Some(diagnostic),
        _ => None,
    }
}

fn openapi_text(error: &OpenApiError) -> String {
    found_in(error).map_or_else(|| chain(error), pointed)
}

/// `file:line:column: message (at pointer)`; the rest of a diagnostic is said elsewhere.
pub(super) fn pointed(diagnostic: &Diagnostic) -> String {
    let mut text = diagnostic.file.clone().unwrap_or_default();
    if let Some(place) = diagnostic.location {
        text = format!("{text}:{}:{}", place.line, place.column);
    }
    text =
        if text.is_empty() { diagnostic.message.clone() } else { format!("{text}: {}", diagnostic.message) };
    if !diagnostic.pointer.is_empty() {
        text = format!("{text} (at {})", diagnostic.pointer);
    }
    text
}
