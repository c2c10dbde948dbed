//! What was read of YAML before, on disk by the hash of the text, where the host asks for it.
//!
//! Reading YAML is most of what importing a YAML document costs, and reading the same tree as JSON costs a fraction; so
//! that is what is kept. JSON documents are not: reading the copy would cost what reading the document costs. A copy is
//! found by a hash of the text and of the version of this program, is written as a whole or not at all, and carries a
//! checksum. What cannot be used is passed over, and said. Whoever can write into the directory decides what documents
//! say, so it belongs to its user alone.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use opentool_core::Diagnostic;
use opentool_text::{Expected, Notation, Parsed};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// The form of the files, and of the trees in them. A new version of the program has a form of its own anyway.
const FORM: &str = concat!("opentool-yaml 1 ", env!("CARGO_PKG_VERSION"));

/// How many copies are kept; the oldest go first.
const MOST_FILES: usize = 200;

/// A smaller text is read as fast as a copy of it.
const LEAST_BYTES: usize = 16 * 1024;

/// A directory with copies.
#[derive(Debug, Clone)]
pub(crate) struct Cache {
    directory: PathBuf,
}

impl Cache {
    pub(super) fn new(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into() }
    }

    /// Reads a text as [`opentool_text::parse`] does, from its copy if there is one.
    pub(crate) fn parse(&self, text: &str, expected: &Expected<'_>) -> Result<Parsed, Box<Diagnostic>> {
        if text.len() < LEAST_BYTES || text.trim_start().starts_with(['{', '[', '<']) {
            return opentool_text::parse(text, expected);
        }
        let file = self.directory.join(format!("{}.json", hash(&[FORM.as_bytes(), text.as_bytes()])));
        let fault = match read(&file) {
            Ok(Some(value)) => return Ok(Parsed::new(value, Notation::Yaml)),
            Ok(None) => None,
            Err(reason) => {
                let found =
                    "the copy of this document in the cache cannot be used, so the document itself was read";
                let help = format!("it is written anew; {} was {reason}", file.display());
                Some(Diagnostic::note("cache-unusable", "", found).help(help))
            }
        };
        let mut parsed = opentool_text::parse(text, expected)?;
        // Findings are not kept, so a text with some is read anew, to say them again.
        if parsed.notation == Notation::Yaml && parsed.findings.is_empty() {
            let written = self.write(&file, &parsed.value);
            parsed.findings.extend(written.err().map(|error| {
                let found = format!("no copy of this document could be put into the cache: {error}");
                Diagnostic::note("cache-unwritable", "", found).help("name another directory, or none")
            }));
        }
        parsed.findings.extend(fault);
        Ok(parsed)
    }

    fn write(&self, file: &Path, value: &Value) -> std::io::Result<()> {
        let body = serde_json::to_vec(value)?;
        // What would not come back as it is (nested too deeply, say) is not kept.
        if serde_json::from_slice::<Value>(&body).ok().as_ref() != Some(value) {
            return Ok(());
        }
        private_directory(&self.directory)?;
        // Beside it and renamed: a run that is ended, or a second one, must not leave half a copy.
        let part =
            file.with_extension(format!("{}-{:?}.part", std::process::id(), std::thread::current().id()));
        let head = format!("{FORM} {}\n", hash(&[&body]));
        let written = std::fs::File::create(&part)
            .and_then(|mut out| out.write_all(head.as_bytes()).and_then(|()| out.write_all(&body)))
            .and_then(|()| std::fs::rename(&part, file));
        if written.is_err() {
            let _ = std::fs::remove_file(&part);
        }
        self.clear();
        written
    }

    /// Removes the oldest copies where there are too many. Nothing depends on it.
    fn clear(&self) {
        let Ok(entries) = std::fs::read_dir(&self.directory) else { return };
        let files = entries.flatten().filter(|entry| entry.path().extension().is_some_and(|e| e == "json"));
        let age = |path: &Path| std::fs::metadata(path).and_then(|facts| facts.modified());
        let mut files: Vec<(SystemTime, PathBuf)> =
            files.filter_map(|entry| Some((age(&entry.path()).ok()?, entry.path()))).collect();
        files.sort();
        for (_, path) in files.iter().take(files.len().saturating_sub(MOST_FILES)) {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// The tree of a copy; `None` if there is no copy.
fn read(file: &Path) -> Result<Option<Value>, &'static str> {
    let bytes = match std::fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(_) => return Err("not readable"),
    };
    let end = bytes.iter().position(|byte| *byte == b'\n').ok_or("cut off")?;
    let (head, body) = bytes.split_at_checked(end.saturating_add(1)).ok_or("cut off")?;
    if head.trim_ascii_end() != format!("{FORM} {}", hash(&[body])).as_bytes() {
        return Err("damaged");
    }
    serde_json::from_slice(body).map(Some).map_err(|_| "damaged")
}

fn hash(parts: &[&[u8]]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        // With their lengths, so that no two lists of parts are one text.
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Makes the directory, for its user alone where the system knows such a thing.
fn private_directory(directory: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}
