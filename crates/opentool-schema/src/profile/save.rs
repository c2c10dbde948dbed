//! Definitions saved to a file, whole or not at all.
//!
//! The one place of this crate that touches a file, and it only writes the one that it is given.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;

use super::python;

/// How JSON is laid out in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Layout {
    /// Indented, with a newline at the end: for files that people read and compare. The default.
    #[default]
    Pretty,
    /// In one line, nothing between.
    Compact,
    /// As Python's `json.dump` writes it, and so tool2schema: in one line, ASCII only, without a newline at the end.
    Python,
}

/// Saves definitions (of [`crate::export`], [`Profile::tool2schema_list`](super::Profile::tool2schema_list)) to a file.
///
/// The file is there in whole or as it was before: the text goes to a new file beside it, which then takes its name.
/// A link at `path` is replaced, not followed.
///
/// # Errors
/// What the file system says, with the path in the text.
pub fn save(path: impl AsRef<Path>, definitions: &Value, layout: Layout) -> io::Result<()> {
    let path = path.as_ref();
    let named = |error: io::Error| {
        io::Error::new(error.kind(), format!("cannot save to {}: {error}", path.display()))
    };
    let beside = beside(path).map_err(named)?;
    let written = write(&beside, definitions, layout).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // What is left of the attempt; the first error is the one that tells why.
        let _ = fs::remove_file(&beside);
    }
    written.map_err(named)
}

fn write(path: &Path, definitions: &Value, layout: Layout) -> io::Result<()> {
    let file = OpenOptions::new().write(true).create_new(true).open(path)?;
    let mut out = BufWriter::new(file);
    match layout {
        Layout::Pretty => {
            serde_json::to_writer_pretty(&mut out, definitions)?;
            out.write_all(b"\n")?;
        }
        Layout::Compact => serde_json::to_writer(&mut out, definitions)?,
        Layout::Python => python::write(&mut out, definitions)?,
    }
    let file: File = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    // Before the name points to it, its content must be there, also after a power cut.
    file.sync_all()
}

/// A name in the same folder that nobody else uses.
fn beside(path: &Path) -> io::Result<PathBuf> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let Some(name) = path.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "this is no name of a file"));
    };
    let mut own = std::ffi::OsString::from(".");
    own.push(name);
    own.push(format!(".{}.{}.tmp", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
    Ok(path.with_file_name(own))
}
