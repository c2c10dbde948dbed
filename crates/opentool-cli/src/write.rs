//! Files that commands write: there as a whole or not at all, and never in the place of another unless that is wanted.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::error::CliError;

/// What to do where a file is already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Existing {
    /// Leave it, and refuse.
    Keep,
    /// Replace it.
    Replace,
}

/// Who may read a file that was not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Readers {
    /// As the system has it for files.
    Usual,
    /// Its owner.
    Owner,
}

/// Where to write to.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Target {
    /// Write to this file instead of standard output; it is there as a whole or not at all
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file if it is there
    #[arg(long, requires = "output")]
    force: bool,
}

impl Target {
    /// The file; `None` for standard output, which is `-` too.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| *path != Path::new("-"))
    }

    /// Writes the file.
    ///
    /// # Errors
    /// [`CliError::FileExists`], [`CliError::NotWritten`].
    pub(crate) fn write(&self, file: &Path, content: &str) -> Result<(), CliError> {
        let existing = if self.force { Existing::Replace } else { Existing::Keep };
        write(file, content.as_bytes(), existing, Readers::Usual)
    }

    /// Says early that the file is there and will not be replaced: before work is done for nothing.
    ///
    /// # Errors
    /// [`CliError::FileExists`].
    pub(crate) fn check(&self) -> Result<(), CliError> {
        match self.file() {
            Some(file) if !self.force && file.is_file() => Err(exists(file)),
            _ => Ok(()),
        }
    }
}

/// Writes a file, for its owner alone if it was not there: what is said to a model is nobody else's business.
///
/// # Errors
/// If it is there and is to stay, or cannot be written.
pub(crate) fn private(file: &Path, content: &str, existing: Existing) -> io::Result<()> {
    write(file, content.as_bytes(), existing, Readers::Owner).map_err(|error| match error {
        CliError::NotWritten { error, .. } => error,
        other => io::Error::new(io::ErrorKind::AlreadyExists, other.to_string()),
    })
}

fn exists(file: &Path) -> CliError {
    CliError::FileExists { file: file.display().to_string() }
}

fn write(file: &Path, content: &[u8], existing: Existing, readers: Readers) -> Result<(), CliError> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::AlreadyExists => exists(file),
        _ => CliError::NotWritten { file: file.display().to_string(), error },
    };
    // Through a link to the file that it means: a link is not to become a file.
    let target = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let there = std::fs::metadata(&target).ok();
    if there.as_ref().is_some_and(|there| !there.is_file() && !there.is_dir()) {
        // A device or a pipe cannot be replaced, and nothing in it gets lost.
        return std::fs::write(&target, content).map_err(failed);
    }
    if there.as_ref().is_some_and(std::fs::Metadata::is_dir) {
        return Err(failed(io::Error::from(io::ErrorKind::IsADirectory)));
    }
    let directory = target.parent().filter(|parent| *parent != Path::new(""));
    if let Some(missing) = directory.filter(|directory| !directory.is_dir()) {
        let message = format!("there is no folder `{}`", missing.display());
        return Err(failed(io::Error::new(io::ErrorKind::NotFound, message)));
    }
    let mut temporary = builder(readers).tempfile_in(directory.unwrap_or(Path::new("."))).map_err(failed)?;
    temporary.write_all(content).and_then(|()| temporary.as_file().sync_all()).map_err(failed)?;
    match (existing, there) {
        (Existing::Keep, _) => temporary.persist_noclobber(&target),
        (Existing::Replace, there) => {
            if let Some(there) = there {
                temporary.as_file().set_permissions(there.permissions()).map_err(failed)?;
            }
            temporary.persist(&target)
        }
    }
    .map(drop)
    .map_err(|error| failed(error.error))
}

/// Temporary files are for their owner only; this one may become an ordinary file.
#[cfg(unix)]
fn builder(readers: Readers) -> tempfile::Builder<'static, 'static> {
    use std::os::unix::fs::PermissionsExt as _;

    let mut builder = tempfile::Builder::new();
    builder.prefix(".opentool-");
    if readers == Readers::Usual {
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder
}

#[cfg(not(unix))]
fn builder(_: Readers) -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".opentool-");
    builder
}
