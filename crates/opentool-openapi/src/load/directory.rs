//! A directory as a source: every OpenAPI document in it.

use std::num::NonZero;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::IgnoredAny;
use tokio::task::JoinSet;

use super::options::LoadOptions;
use super::text;
use crate::{Address, Api, OpenApiError};

/// How deep directories may be nested.
const MAX_DEPTH: usize = 16;

/// The documents of a directory.
#[derive(Debug)]
#[non_exhaustive]
pub struct Directory {
    /// What was read, in the order of the paths.
    pub apis: Vec<Api>,
    /// Documents that give no tools, and why. Files that are no OpenAPI documents are not among them: parts of
    /// documents lie in the same directories.
    pub failures: Vec<OpenApiError>,
}

impl LoadOptions {
    /// Reads every document below a directory: files that end in `.json`, `.yaml` or `.yml` and say that they are
    /// OpenAPI documents. Hidden files and directories, and symbolic links, are passed over. References may reach
    /// whatever is below the directory, unless another root is set. At most [`LoadOptions::max_documents`] files are looked
    /// at.
    ///
    /// # Errors
    /// [`OpenApiError::NotFound`] if there is no such directory, or no document in it; [`OpenApiError::Unreachable`] if
    /// it cannot be read, or holds more files than are looked at.
    pub async fn load_directory(&self, path: impl Into<PathBuf>) -> Result<Directory, OpenApiError> {
        let path = path.into();
        let files = self.files_in(&path).await?;
        let mut options = self.clone();
        options.root.get_or_insert_with(|| path.clone());
        let mut directory = Directory { apis: Vec::new(), failures: Vec::new() };
        // As many at once as there are processors: reading is what they do.
        let most = std::thread::available_parallelism().map_or(1, NonZero::get);
        let mut waiting = files.into_iter().enumerate();
        let (mut reading, mut read) = (JoinSet::new(), Vec::new());
        loop {
            while reading.len() < most
                && let Some((index, file)) = waiting.next()
            {
                let options = options.clone();
                reading.spawn(async move { (index, options.read_if_document(file).await) });
            }
            match reading.join_next().await {
                Some(Ok(outcome)) => read.push(outcome),
                // The work itself is on threads of its own, whose panics are errors already.
                Some(Err(_)) => {}
                None => break,
            }
        }
        read.sort_by_key(|(index, _)| *index);
        for (_, outcome) in read {
            match outcome {
                Some(Ok(api)) => directory.apis.push(api),
                Some(Err(error)) => directory.failures.push(error),
                None => {}
            }
        }
        if directory.apis.is_empty() && directory.failures.is_empty() {
            return Err(OpenApiError::NotFound {
                address: path.display().to_string().into(),
                reason: "the directory holds no OpenAPI document".into(),
            });
        }
        Ok(directory)
    }
}

impl LoadOptions {
    /// Reads a file; `None` if it is no document, and does not say that it is one.
    async fn read_if_document(&self, file: PathBuf) -> Option<Result<Api, OpenApiError>> {
        let bytes = match text::file(&file).await {
            Ok(bytes) => bytes,
            Err(error) => return Some(Err(error)),
        };
        let claims = claims_to_be_one(&bytes);
        match self.read(bytes, Address::File(file)).await {
            Err(_) if !claims => None,
            outcome => Some(outcome),
        }
    }

    /// The files below a directory that say that they are OpenAPI documents, sorted by their paths; see
    /// [`LoadOptions::load_directory`].
    ///
    /// # Errors
    /// [`OpenApiError::NotFound`] if there is no such directory, [`OpenApiError::Unreachable`] if it cannot be read, or
    /// holds more files than are looked at.
    pub async fn documents_in(&self, directory: impl Into<PathBuf>) -> Result<Vec<PathBuf>, OpenApiError> {
        let files = self.files_in(&directory.into()).await?;
        let mut documents = Vec::new();
        for file in files {
            // What cannot be read may be one: whoever reads it says why it cannot.
            if text::file(&file).await.map_or(true, |bytes| claims_to_be_one(&bytes)) {
                documents.push(file);
            }
        }
        Ok(documents)
    }

    /// All files that could be documents.
    async fn files_in(&self, directory: &Path) -> Result<Vec<PathBuf>, OpenApiError> {
        let (path, most) = (directory.to_owned(), self.max_documents);
        super::aside(move || list(&path, most), &directory.display().to_string()).await?
    }
}

/// Whether a text says that it is an OpenAPI document, however broken it may be.
fn claims_to_be_one(text: &[u8]) -> bool {
    // A key of the root. Files of packages mention the word too.
    #[derive(Deserialize)]
    struct Root {
        openapi: Option<IgnoredAny>,
        swagger: Option<IgnoredAny>,
    }
    let text =
        opentool_text::decode(text).map_or_else(|_| String::from_utf8_lossy(text), |decoded| decoded.text);
    if let Ok(root) = serde_json::from_str::<Root>(&text) {
        return root.openapi.is_some() || root.swagger.is_some();
    }
    ["openapi", "swagger"].iter().any(|word| match text.trim_start().starts_with(['{', '[']) {
        true => text.contains(&format!("\"{word}\"")),
        false => text.lines().any(|line| is_key(line, word)),
    })
}

/// Whether a line of YAML begins with this key.
fn is_key(line: &str, key: &str) -> bool {
    let (start, _) = line.split_once(':').unwrap_or_default();
    start.trim_end().trim_matches(['"', '\'']) == key
}

/// The files that can be documents, sorted by their paths.
fn list(root: &Path, most: usize) -> Result<Vec<PathBuf>, OpenApiError> {
    let address = || root.display().to_string().into_boxed_str();
    let unreachable = |reason: String| OpenApiError::Unreachable {
        address: address(),
        reason: reason.into(),
        source: None,
    };
    let mut files = Vec::new();
    let mut waiting = vec![(root.to_owned(), 0_usize)];
    while let Some((directory, depth)) = waiting.pop() {
        let entries = std::fs::read_dir(&directory).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                OpenApiError::NotFound { address: address(), reason: "there is no such directory".into() }
            }
            _ => unreachable(format!("{}: {error}", directory.display())),
        })?;
        for entry in entries.flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            let path = entry.path();
            if kind.is_dir() && depth < MAX_DEPTH {
                waiting.push((path, depth.saturating_add(1)));
            } else if kind.is_file() && has_known_ending(&path) {
                files.push(path);
            }
        }
        if files.len() > most {
            return Err(unreachable(format!(
                "it holds more than {most} files that could be documents; raise the limit"
            )));
        }
    }
    files.sort();
    Ok(files)
}

fn has_known_ending(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    ["json", "yaml", "yml"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}
