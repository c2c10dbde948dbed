//! What a person writes where a command wants a SOURCE: `[NAME=][KIND:]PATH|URL|-`, `mcp:URL`, `mcp+stdio:COMMAND`.
//!
//! Only the writing is read here; nothing is opened.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use url::Url;

use crate::credentials::words;

/// A source as the person wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SourceSpec {
    /// The namespace of its tools.
    pub(crate) name: Option<String>,
    /// What it is, where the person said it.
    pub(crate) kind: Option<Kind>,
    /// Where it is.
    pub(crate) place: Place,
    /// The directory that was named in place of the document, which is one of those in it.
    pub(crate) directory: Option<PathBuf>,
}

/// What a source is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An OpenAPI document.
    OpenApi,
    /// A list of tool definitions.
    Definitions,
    /// An OpenTool document.
    OpenTool,
}

/// Where a source is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// Standard input.
    StandardInput,
    /// A file.
    File(PathBuf),
    /// An `http` or `https` address.
    Web(Box<Url>),
    /// The `http` or `https` address of an MCP server.
    Mcp(Box<Url>),
    /// A program that is an MCP server, and its arguments. Never empty.
    Program(Vec<String>),
}

/// What stands before the address of an MCP server.
const MCP: &str = "mcp:";

/// What stands before a command that is an MCP server.
const MCP_STDIO: &str = "mcp+stdio:";

impl FromStr for SourceSpec {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, Self::Err> {
        let (name, rest) = match written.split_once('=') {
            Some((name, rest)) if is_name(name) => (Some(name.to_owned()), rest),
            _ => (None, written),
        };
        let DocumentSpec { kind, place } = rest.parse()?;
        Ok(Self { name, kind, place, directory: None })
    }
}

impl SourceSpec {
    /// As the person wrote it, without the secrets of an address: for commands that they may try next.
    pub(crate) fn written(&self) -> String {
        let mut written = String::new();
        for (word, sign) in [(self.name.as_deref(), '='), (self.kind.map(Kind::word), ':')] {
            if let Some(word) = word {
                written.push_str(word);
                written.push(sign);
            }
        }
        match &self.place {
            Place::StandardInput => written.push('-'),
            place => written.push_str(&place.to_string()),
        }
        written
    }
}

/// A document as the person wrote it: a source that has no name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DocumentSpec {
    /// What it is, where the person said it.
    pub(crate) kind: Option<Kind>,
    /// Where it is.
    pub(crate) place: Place,
}

impl FromStr for DocumentSpec {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, Self::Err> {
        let said = Kind::ALL
            .into_iter()
            .find_map(|kind| Some((kind, written.strip_prefix(kind.word())?.strip_prefix(':')?)));
        let (kind, rest) = said.map_or((None, written), |(kind, rest)| (Some(kind), rest));
        Ok(Self { kind, place: rest.parse()? })
    }
}

impl Kind {
    const ALL: [Self; 3] = [Self::OpenApi, Self::Definitions, Self::OpenTool];

    /// What a person writes before a colon to say the kind.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::OpenApi => "openapi",
            Self::Definitions => "definitions",
            Self::OpenTool => "opentool",
        }
    }
}

impl FromStr for Place {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, Self::Err> {
        if let Some(command) = written.strip_prefix(MCP_STDIO) {
            return program(command);
        }
        if let Some(address) = written.strip_prefix(MCP) {
            return match address.split_once("://").map(|(scheme, _)| web(address, scheme)) {
                Some(Ok(Self::Web(url))) => Ok(Self::Mcp(url)),
                Some(Err(error)) => Err(error),
                _ => Err("write the server's address, `mcp:http://127.0.0.1:3000/mcp`, or its program, \
                          `mcp+stdio:COMMAND`"
                    .into()),
            };
        }
        match written {
            "" => {
                Err("a SOURCE is a path, an http(s) URL, or `-` for standard input; this one is empty".into())
            }
            "-" => Ok(Self::StandardInput),
            _ => match written.split_once("://") {
                Some((scheme, _))
                    if scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c)) =>
                {
                    web(written, scheme)
                }
                _ => Ok(Self::File(written.into())),
            },
        }
    }
}

fn program(command: &str) -> Result<Place, String> {
    match words(command) {
        Some(words) if words.first().is_some_and(|program| !program.is_empty()) => Ok(Place::Program(words)),
        Some(_) => Err("write the program that is the server: `mcp+stdio:npx -y some-server`".into()),
        None => Err("a quotation mark in the command has no end".into()),
    }
}

fn web(written: &str, scheme: &str) -> Result<Place, String> {
    let url = Url::parse(written).map_err(|error| format!("this is not a URL: {error}"))?;
    match url.scheme() {
        "http" | "https" => Ok(Place::Web(Box::new(url))),
        "file" => {
            url.to_file_path().map(Place::File).map_err(|()| "this file: URL names no local path".into())
        }
        _ => Err(format!("`{scheme}:` addresses are not read; a SOURCE is a path, an http(s) URL, or `-`")),
    }
}

/// Whether the text can be a namespace: short, and a valid beginning of a tool's name with every provider.
fn is_name(text: &str) -> bool {
    text.len() <= 32
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}

/// The place without secrets: a URL loses its user, and the values of its query; a command its arguments.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StandardInput => f.write_str("standard input"),
            Self::File(path) => path.display().fmt(f),
            Self::Web(url) => f.write_str(&without_secrets(url)),
            Self::Mcp(url) => write!(f, "{MCP}{}", without_secrets(url)),
            Self::Program(words) => {
                let program = words.first().map_or("", String::as_str);
                write!(f, "{MCP_STDIO}{program}{}", if words.len() > 1 { " …" } else { "" })
            }
        }
    }
}

impl Place {
    /// The file, if it is one.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::StandardInput | Self::Web(_) | Self::Mcp(_) | Self::Program(_) => None,
        }
    }
}

/// The address as it may be shown.
pub(crate) fn without_secrets(url: &Url) -> String {
    let mut shown = url.clone();
    // These fail for addresses that cannot have a user, which then have none.
    let _ = shown.set_username("");
    let _ = shown.set_password(None);
    if shown.query().is_some() {
        shown.set_query(Some("…"));
        return shown.as_str().replace("%E2%80%A6", "…");
    }
    shown.into()
}

#[cfg(test)]
mod tests {
    use super::{Kind, Place, SourceSpec};

    fn read(written: &str) -> SourceSpec {
        written.parse().unwrap_or_else(|e| panic!("{written}: {e}"))
    }

    #[test]
    fn names_and_kinds_stand_before_the_place() {
        let source = read("shop=openapi:pets/petstore.yaml");
        assert_eq!(source.name.as_deref(), Some("shop"));
        assert_eq!(source.kind, Some(Kind::OpenApi));
        assert_eq!(source.place, Place::File("pets/petstore.yaml".into()));
        assert_eq!(read("definitions:-").place, Place::StandardInput);
        assert_eq!(read("opentool:weather.json").kind, Some(Kind::OpenTool));
    }

    #[test]
    fn an_equals_sign_inside_a_path_or_url_names_nothing() {
        assert_eq!(read("./a=b.yaml").name, None);
        assert_eq!(read("https://example.test/api?format=json").name, None);
        assert_eq!(read("C:=x").name, None);
    }

    #[test]
    fn addresses_are_shown_without_secrets() {
        let source = read("https://me:hunter2@example.test/openapi.json?token=hunter2");
        let shown = source.place.to_string();
        assert_eq!(shown, "https://example.test/openapi.json?…");
    }

    #[test]
    fn servers_of_mcp_are_addresses_or_commands() {
        let source = read("files=mcp+stdio:npx -y 'a server' --root=/srv");
        assert_eq!(source.name.as_deref(), Some("files"));
        let words = ["npx", "-y", "a server", "--root=/srv"].map(str::to_owned);
        assert_eq!(source.place, Place::Program(words.to_vec()));
        assert_eq!(source.place.to_string(), "mcp+stdio:npx …");
        let source = read("mcp:https://me:hunter2@example.test/mcp?key=hunter2");
        assert_eq!(source.place.to_string(), "mcp:https://example.test/mcp?…");
        for wrong in [
            "mcp:",
            "mcp:npx server",
            "mcp:ftp://x/",
            "mcp:file:///x",
            "mcp+stdio:",
            "mcp+stdio: 'x",
            "mcp+stdio:''",
        ] {
            assert!(wrong.parse::<SourceSpec>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_what_can() {
        let error = "ftp://example.test/a".parse::<SourceSpec>().unwrap_err();
        assert!(error.contains("`ftp:` addresses are not read"), "{error}");
        assert!("".parse::<SourceSpec>().is_err());
        assert!("http://".parse::<SourceSpec>().is_err());
    }
}
