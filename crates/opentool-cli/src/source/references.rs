//! Which documents may be read because an OpenAPI document refers to them, as a person says it.

use std::path::PathBuf;
use std::time::Duration;

use opentool::Diagnostic;
use opentool::openapi::{self, LoadOptions};
use opentool_http::{Authorities, Client, Options};

use crate::error::CliError;
use crate::source::read::DOCUMENT_LIMIT;

/// What references of documents may reach.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Reading OpenAPI documents")]
pub(crate) struct References {
    /// Read files below this directory where a document refers to them; by default those below the document's own
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    ref_root: Option<PathBuf>,
    /// Fetch documents from this host (`HOST` or `HOST:PORT`) where a document refers to them; by default none are
    #[arg(long, value_name = "HOST", value_parser = host, hide_short_help = true)]
    ref_host: Vec<String>,
    /// Fetch documents from the host of a SOURCE that is a URL where it refers to them
    #[arg(long, hide_short_help = true)]
    ref_same_origin: bool,
    /// Read no other document, whatever a document refers to
    #[arg(long, conflicts_with_all = ["ref_root", "ref_host", "ref_same_origin"], hide_short_help = true)]
    no_refs: bool,
    /// Keep YAML documents in this directory in a form that is read faster; without a directory, where this system keeps
    /// such things. Written with `=`: `--cache=DIR`
    #[arg(
        long,
        value_name = "DIR",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        hide_short_help = true
    )]
    cache: Option<PathBuf>,
    /// Trust the authorities of this PEM file too, where documents are fetched as where tools are called
    #[arg(long, value_name = "[NAME=]FILE", hide_short_help = true, help_heading = "Sending")]
    ca_file: Vec<String>,
}

impl References {
    /// How documents are loaded, before it is known which authorities a source has besides. `limit` is the longest wait for one
    /// that is fetched.
    ///
    /// # Errors
    /// [`CliError::Usage`] if the directory that was named is none.
    pub(crate) fn options(&self, limit: Duration) -> Result<LoadOptions, CliError> {
        let follow = match (self.no_refs, self.ref_same_origin) {
            (true, _) => openapi::References::Ignore,
            (false, true) => openapi::References::SameOrigin,
            (false, false) => openapi::References::Files,
        };
        let mut options = LoadOptions::new().references(follow).client(client(limit, None));
        options = self.ref_host.iter().fold(options, LoadOptions::host);
        if let Some(root) = &self.ref_root {
            if !root.is_dir() {
                return Err(CliError::usage(
                    format!("`--ref-root {}` is no directory", root.display()),
                    "name the directory that holds the document and what it refers to",
                ));
            }
            options = options.root(root);
        }
        match &self.cache {
            None => Ok(options),
            Some(named) if !named.as_os_str().is_empty() => Ok(options.cache(named)),
            Some(_) => usual_cache().map(|directory| options.cache(directory)).ok_or_else(|| {
                CliError::usage(
                    "nothing says where this system keeps caches: HOME is not set",
                    "name a directory: `--cache=DIR`",
                )
            }),
        }
    }
}

impl References {
    /// The authorities that are trusted besides for the source of this name; those without a name before them for every source.
    ///
    /// # Errors
    /// [`CliError::Usage`] for a file that cannot be used.
    pub(crate) fn authorities(
        &self,
        own: Option<&str>,
        names: &[String],
    ) -> Result<Option<Authorities>, CliError> {
        let mut meant = self.ca_file.iter().filter_map(|text| match text.split_once('=') {
            Some((name, file)) if names.iter().any(|known| known == name) => {
                (Some(name) == own).then_some(file)
            }
            _ => Some(text.as_str()),
        });
        meant.next_back().map(authorities).transpose()
    }

    /// The files of authorities as they were written, for calls.
    pub(crate) fn ca_files(&self) -> &[String] {
        &self.ca_file
    }
}

/// Reads a file of authorities.
///
/// # Errors
/// [`CliError::Usage`] for one that cannot be used.
pub(crate) fn authorities(file: &str) -> Result<Authorities, CliError> {
    Authorities::load(file)
        .map_err(|error| CliError::usage(crate::error::chain(&error), "certificates are files in PEM form"))
}

/// A client that fetches documents.
pub(crate) fn client(limit: Duration, authorities: Option<Authorities>) -> Client {
    let options = Options::new().timeout(limit).idle_timeout(limit).body_limit(DOCUMENT_LIMIT);
    Client::new(options.connect_timeout(limit.min(Duration::from_secs(10))).authorities(authorities))
}

/// Where this system keeps what can be made again.
fn usual_cache() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from);
    let directory = if cfg!(windows) {
        variable("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        variable("HOME").map(|home| home.join("Library/Caches"))
    } else {
        variable("XDG_CACHE_HOME").or_else(|| variable("HOME").map(|home| home.join(".cache")))
    };
    directory.map(|directory| directory.join("opentool"))
}

/// A finding about a reference that was not followed, with the option that would let it.
pub(crate) fn with_option(mut found: Diagnostic) -> Diagnostic {
    let option = match found.code {
        "ref-outside" => "`--ref-root DIR`".to_owned(),
        "ref-external" if found.message.contains("which was not allowed") => {
            // With its port, where it has one of its own.
            let named = found.message.split_once(", which was not allowed");
            let named = named.and_then(|(before, _)| before.rsplit_once("://"));
            format!("`--ref-host {}`, or `--ref-same-origin`", named.map_or("HOST", |(_, host)| host))
        }
        _ => return found,
    };
    found.help = found.help.map(|help| format!("{option}: {help}"));
    found
}

fn host(text: &str) -> Result<String, &'static str> {
    let is_plain = !text.is_empty() && !text.contains(['/', '?', '#', '@', '*', ' ']);
    if is_plain { Ok(text.to_owned()) } else { Err("expected a host name, such as `schemas.example.com`") }
}
