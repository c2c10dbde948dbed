//! A directory as a SOURCE: every OpenAPI document in it is one, and their tools have the documents' names in front.
//!
//! A directory that holds one document, and perhaps the parts that it refers to, is that document. Whatever else lies in
//! a directory is passed over: it may hold anything.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use opentool::openapi::{LoadOptions, OpenApiError};

use crate::error::CliError;
use crate::runtime;
use crate::source::SourceError;
use crate::source::spec::{Kind, Place, SourceSpec};

/// Names of files that say nothing: the directory's says more.
const PLAIN: [&str; 6] = ["openapi", "swagger", "index", "api", "spec", "schema"];

/// The longest name of a source.
const LONGEST: usize = 32;

/// The documents of a directory, if this is one.
///
/// # Errors
/// [`CliError::Source`] if there is none in it.
pub(crate) fn documents(
    place: &Place,
    kind: Option<Kind>,
    options: &LoadOptions,
) -> Result<Option<Vec<PathBuf>>, CliError> {
    let Some(directory) = place.file().filter(|path| path.is_dir()) else { return Ok(None) };
    if kind.is_some_and(|kind| kind != Kind::OpenApi) {
        return Err(CliError::usage(
            format!("{place}: is a directory, and those are read for OpenAPI documents only"),
            "give the path of the document",
        ));
    }
    let found = runtime::wait_for(async { Ok(options.documents_in(directory).await) })?;
    let refused = |error: OpenApiError| SourceError::OpenApi { error: Box::new(error) };
    let documents = found.map_err(|error| Box::new(refused(error)))?;
    if documents.is_empty() {
        return Err(Box::new(SourceError::NoDocument { place: place.to_string() }).into());
    }
    Ok(Some(documents))
}

/// The source, or those that it stands for.
///
/// # Errors
/// Those of [`documents`].
pub(super) fn expand(spec: SourceSpec, options: &LoadOptions) -> Result<Vec<SourceSpec>, CliError> {
    let Some(documents) = documents(&spec.place, spec.kind, options)? else { return Ok(vec![spec]) };
    let directory = spec.place.file().unwrap_or(Path::new("")).to_owned();
    let names = match documents.as_slice() {
        [_] => vec![spec.name],
        several => names(&directory, several, spec.name.as_deref()).into_iter().map(Some).collect(),
    };
    let specs = names.into_iter().zip(documents).map(|(name, document)| SourceSpec {
        name,
        kind: Some(Kind::OpenApi),
        place: Place::File(document),
        directory: Some(directory.clone()),
    });
    Ok(specs.collect())
}

/// A name for each document: that of its file, or its directory's where that says more; with all directories in front
/// where two would have the same.
fn names(root: &Path, documents: &[PathBuf], prefix: Option<&str>) -> Vec<String> {
    let short: Vec<String> = documents.iter().map(|path| name(prefix, &parts(root, path), 1)).collect();
    let mut taken: HashMap<String, usize> = HashMap::new();
    let mut named = Vec::new();
    for (path, own) in documents.iter().zip(&short) {
        let is_unique = short.iter().filter(|other| *other == own).count() == 1;
        let own = if is_unique { own.clone() } else { name(prefix, &parts(root, path), usize::MAX) };
        let times = taken.entry(own.clone()).or_default();
        *times = times.saturating_add(1);
        named.push(match *times {
            1 => own,
            times => {
                let end = format!("_{times}");
                let start = own.get(..own.len().min(LONGEST.saturating_sub(end.len()))).unwrap_or(&own);
                format!("{start}{end}")
            }
        });
    }
    named
}

/// What a path below the root says, the plain names of files left out.
fn parts(root: &Path, path: &Path) -> Vec<String> {
    let below = path.strip_prefix(root).unwrap_or(path).with_extension("");
    let mut parts: Vec<String> =
        below.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    let is_plain = parts.last().is_some_and(|last| PLAIN.contains(&last.to_lowercase().as_str()));
    if is_plain && parts.len() > 1 {
        parts.pop();
    }
    parts
}

/// The last parts as the name of a source.
fn name(prefix: Option<&str>, parts: &[String], last: usize) -> String {
    let last = parts.iter().skip(parts.len().saturating_sub(last));
    let words: Vec<&str> = prefix.into_iter().chain(last.map(String::as_str)).collect();
    let fits = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let mut name: String = words.join("_").chars().map(fits).collect();
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        name.insert_str(0, "api_");
    }
    name.truncate(LONGEST);
    name
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::names;

    #[test]
    fn documents_are_named_by_what_tells_them_apart() {
        let named = |paths: &[&str], prefix| {
            let paths: Vec<PathBuf> = paths.iter().map(|path| Path::new("apis").join(path)).collect();
            names(Path::new("apis"), &paths, prefix)
        };
        assert_eq!(named(&["pets.yaml", "shop/openapi.json"], None), ["pets", "shop"]);
        assert_eq!(named(&["a/v1.yaml", "b/v1.yaml", "c.yaml"], None), ["a_v1", "b_v1", "c"]);
        assert_eq!(named(&["pets.json", "pets.yaml"], None), ["pets", "pets_2"]);
        assert_eq!(named(&["2024 pets.yaml", "ü.yaml"], Some("x")), ["x_2024_pets", "x__"]);
        assert_eq!(named(&["2024.yaml", "ü.yaml"], None), ["api_2024", "api__"]);
        assert!(named(&[&"long".repeat(20), &"long".repeat(21)], None).iter().all(|name| name.len() <= 32));
    }
}
