//! Where a reference to another document leads, and whether it may lead there.
//!
//! A hostile document must not make its reader open files of the machine or ask addresses of its network. So a file has
//! to be below the root twice: as it is written, before the file system is asked anything, and as it really is, when
//! symbolic links are resolved. An address has to be of the document's own origin or of a host that was named.

use std::net::IpAddr;
use std::path::{Component, Path, PathBuf};

use opentool_http::Addresses;
use percent_encoding::percent_decode_str;
use url::Url;

use super::options::{LoadOptions, References};
use crate::Address;
use crate::document::Refusal;
use crate::hash::short_hash;

/// Where a reference leads.
#[derive(Debug)]
pub(super) enum Target {
    /// A file: its real path, its path to be shown, and its path below the root.
    File { real: PathBuf, shown: PathBuf, name: String },
    /// An address.
    Url(Url),
}

impl Target {
    /// What is the same for the same document.
    pub(super) fn key(&self) -> String {
        match self {
            Self::File { real, .. } => real.to_string_lossy().into_owned(),
            Self::Url(url) => url.to_string(),
        }
    }

    /// A name that is the same on every machine.
    pub(super) fn name(&self) -> Box<str> {
        match self {
            Self::File { name, .. } => name.as_str().into(),
            Self::Url(url) => {
                let mut shown = Address::Url(url.clone()).to_string();
                if url.query().is_some() {
                    // What is not shown tells it apart from others.
                    shown.truncate(shown.trim_end_matches('…').len());
                    shown.push_str(&short_hash(url.as_str()));
                }
                shown.into()
            }
        }
    }

    pub(super) fn address(&self) -> Address {
        match self {
            Self::File { shown, .. } => Address::File(shown.clone()),
            Self::Url(url) => Address::Url(url.clone()),
        }
    }
}

/// What references of one document may reach.
#[derive(Debug)]
pub(super) struct Scope<'o> {
    options: &'o LoadOptions,
    /// The address of the document that was asked for.
    main: Address,
    /// The root as it is written, and as it really is.
    root: Option<(PathBuf, PathBuf)>,
    /// The root as somebody named it.
    named: PathBuf,
}

impl<'o> Scope<'o> {
    pub(super) fn new(main: &Address, options: &'o LoadOptions) -> Self {
        let own = match main {
            Address::File(path) => Some(directory(path)),
            Address::Url(_) | Address::Named(_) => None,
        };
        let root = options.root.clone().or(own);
        let named = root.clone().unwrap_or_default();
        let root =
            root.and_then(|root| Some((clean(&std::path::absolute(&root).ok()?), root.canonicalize().ok()?)));
        Self { options, main: main.clone(), root, named }
    }

    /// The real path of the document that was asked for, if it is a file.
    pub(super) fn main_key(&self) -> Option<String> {
        match &self.main {
            Address::File(path) => Some(path.canonicalize().ok()?.to_string_lossy().into_owned()),
            Address::Url(url) => {
                let mut url = url.clone();
                url.set_fragment(None);
                Some(url.to_string())
            }
            Address::Named(_) => None,
        }
    }

    /// Where a reference leads that stands in the document at `from`; only the text before its `#`.
    pub(super) fn target(&self, from: &Address, reference: &str) -> Result<Target, Refusal> {
        if let Ok(url) = Url::parse(reference) {
            return match url.scheme() {
                "http" | "https" => self.url(url),
                scheme => Err(refusal(
                    "ref-external",
                    format!("addresses of the scheme `{scheme}` are never followed"),
                    "write a path relative to this document",
                )),
            };
        }
        match from {
            Address::Url(base) => {
                let url = base.join(reference).map_err(|error| {
                    refusal(
                        "ref-unreadable",
                        format!("it is no address ({error})"),
                        "write a relative address",
                    )
                })?;
                self.url(url)
            }
            Address::File(path) => self.file(&directory(path), reference),
            Address::Named(_) => match &self.options.root {
                Some(root) => self.file(root, reference),
                None => Err(refusal(
                    "ref-external",
                    "the document has no place that it could start from",
                    "load it from a file, or name the directory of its files",
                )),
            },
        }
    }

    fn url(&self, mut url: Url) -> Result<Target, Refusal> {
        url.set_fragment(None);
        let is_own = self.options.references == References::SameOrigin
            && self.main.url().is_some_and(|main| main.origin() == url.origin());
        if is_own || self.names(&url) {
            return Ok(Target::Url(url));
        }
        Err(refusal(
            "ref-external",
            format!("it would be fetched from {}, which was not allowed", url.origin().ascii_serialization()),
            "allow that host for references, or bundle the documents into one, for example with `npx @redocly/cli bundle`",
        ))
    }

    /// Whether the host named the machine itself.
    fn names(&self, url: &Url) -> bool {
        self.options.hosts.iter().any(|host| is_host(url, host))
    }

    /// The addresses that may be behind a target. The name of a document's own origin may lead elsewhere the second time.
    pub(super) fn addresses(&self, target: &Target) -> Addresses {
        let public = |peer: IpAddr| opentool_http::not_public(peer).is_none();
        match target {
            Target::Url(url) if !self.names(url) && self.options.document_peer.is_some_and(public) => {
                Addresses::Public
            }
            Target::Url(_) | Target::File { .. } => Addresses::Named,
        }
    }

    fn file(&self, from: &Path, reference: &str) -> Result<Target, Refusal> {
        let unreadable = |reason: String| refusal("ref-unreadable", reason, "check the spelling");
        let Some((root, real_root)) = &self.root else {
            return Err(unreadable("the directory that files must be below does not exist".to_owned()));
        };
        let outside = || {
            refusal(
                "ref-outside",
                format!("it leads out of the directory `{}`", self.named.display()),
                "allow a directory above both as the root, or copy the file below it",
            )
        };
        let decoded = percent_decode_str(reference)
            .decode_utf8()
            .map_err(|_| unreadable("it is no path".to_owned()))?;
        let shown = clean(&from.join(decoded.as_ref()));
        let absolute = std::path::absolute(from.join(decoded.as_ref())).map(|path| clean(&path));
        let absolute = absolute.map_err(|error| unreadable(error.to_string()))?;
        // The file system is not asked about what lies outside: not even whether it exists.
        let Ok(name) = absolute.strip_prefix(root) else { return Err(outside()) };
        let real = absolute.canonicalize().map_err(|error| {
            unreadable(match error.kind() {
                std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
                _ => error.to_string(),
            })
        })?;
        if !real.starts_with(real_root) {
            return Err(outside());
        }
        let name =
            name.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/");
        Ok(Target::File { real, shown, name })
    }
}

pub(super) fn refusal(code: &'static str, reason: impl Into<Box<str>>, help: &'static str) -> Refusal {
    Refusal { code, reason: reason.into(), help }
}

/// The directory of a file; of a bare name the current one.
fn directory(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// The path without `.` and, as far as possible, without `..`, by its text alone.
fn clean(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => match out.components().next_back() {
                Some(Component::Normal(_)) => {
                    out.pop();
                }
                Some(Component::RootDir | Component::Prefix(_)) => {}
                _ => out.push(".."),
            },
            other => out.push(other),
        }
    }
    out
}

/// Whether a URL is of a host as a person names it, with or without its port.
fn is_host(url: &Url, host: &str) -> bool {
    let Some(own) = url.host_str() else { return false };
    match url.port() {
        Some(port) => format!("{own}:{port}").eq_ignore_ascii_case(host),
        None => own.eq_ignore_ascii_case(host),
    }
}
