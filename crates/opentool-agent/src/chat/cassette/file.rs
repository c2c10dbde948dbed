//! The file of a cassette: read in bounded memory, written as a whole or not at all, and for its owner alone.
//!
//! What is said to a model is nobody else's business. A file that is there keeps who may read it: one in a repository is
//! for everybody.

use std::fs::{self, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The text of a file that is no larger than this, in bytes.
pub(super) fn read(path: &Path, largest: u64) -> io::Result<String> {
    let mut text = String::new();
    fs::File::open(path)?.take(largest.saturating_add(1)).read_to_string(&mut text)?;
    if text.len() as u64 > largest {
        let why = format!("it is larger than the limit of {largest} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
    }
    Ok(text)
}

/// Writes beside the file, and puts what was written in its place.
pub(super) fn save(path: &Path, text: &str) -> io::Result<()> {
    let beside = beside(path)?;
    let written = write(&beside, text).and_then(|()| {
        if let Ok(there) = fs::symlink_metadata(path)
            && there.is_file()
        {
            fs::set_permissions(&beside, there.permissions())?;
        }
        fs::rename(&beside, path)
    });
    if written.is_err() {
        // What is left of the attempt; the first error is the one that tells why.
        let _ = fs::remove_file(&beside);
    }
    written
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
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
