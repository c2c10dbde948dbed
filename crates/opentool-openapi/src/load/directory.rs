//! A directory as a source: every OpenAPI document in it.

use std::path::{Path, PathBuf};

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
        let files = {
            let (path, most) = (path.clone(), self.max_documents);
            let shown = path.display().to_string();
            super::aside(move || list(&path, most), &shown).await??
        };
        let mut options = self.clone();
        options.root.get_or_insert_with(|| path.clone());
        let mut directory = Directory { apis: Vec::new(), failures: Vec::new() };
        for file in files {
            let bytes = match text::file(&file).await {
                Ok(bytes) => bytes,
                Err(error) => {
                    directory.failures.push(error);
                    continue;
                }
            };
            let claims = claims_to_be_one(&bytes);
            match options.read(bytes, Address::File(file)).await {
                Ok(api) => directory.apis.push(api),
                Err(error) if claims => directory.failures.push(error),
                Err(_) => {}
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

/// Whether a text says that it is an OpenAPI document, however broken it may be.
fn claims_to_be_one(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    ["openapi", "swagger"].iter().any(|word| {
        text.contains(&format!("\"{word}\""))
            || text.lines().any(|line| line.starts_with(&format!("{word}:")))
    })
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
