//! Files of this machine as the bytes of a call, where the host allows it.
//!
//! A model that has to write a file as base64 pays for every byte, so a host may name a directory
//! ([`Settings::uploads`]) below which models name files: `{"$file": "report.pdf"}`. That works only where a body
//! is bytes anyway (parts of a multipart body, and bodies that are files); in JSON it means nothing. Nothing outside of the
//! directory can be read or asked after: not by `..` or an absolute path, which are refused as they are written, and not
//! through a symbolic link, which looks like a file that is not there.

use std::fs::File;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use opentool_core::{Arguments, InvalidArguments, Problem, ToolError};
use opentool_text::pointer;
use serde_json::{Map, Value};

use crate::plan::{BodyArguments, Operation};
use crate::request::Settings;
use crate::request::media::MediaKind;

/// The member that names a file.
pub(crate) const MEMBER: &str = "$file";

/// The largest file in bytes; it is held in memory in several forms.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// Whether some argument names a file that is to be read.
pub(crate) fn are_named(operation: &Operation, settings: &Settings, arguments: &Arguments) -> bool {
    settings.uploads.is_some()
        && takes_bytes(operation)
        && arguments.iter().any(|(_, value)| {
            names_file(value)
                || value.as_array().is_some_and(|items| items.iter().any(names_file))
                || value.as_object().is_some_and(|members| {
                    members.values().any(|value| {
                        names_file(value) || value.as_array().is_some_and(|all| all.iter().any(names_file))
                    })
                })
        })
}

/// The arguments with the bytes of files in the place of their names. Blocks while they are read.
///
/// # Errors
/// [`ToolError::InvalidArguments`] for what is no file below the directory of the host, or is too large.
pub(crate) fn read(
    operation: &Operation,
    settings: &Settings,
    arguments: Arguments,
) -> Result<Arguments, ToolError> {
    let Some(root) = settings.uploads.as_deref().filter(|_| are_named(operation, settings, &arguments))
    else {
        return Ok(arguments);
    };
    let mut arguments = arguments.into_map();
    let mut reader = Reader { root, left: MOST_BYTES, problems: Vec::new() };
    let Some(body) = &operation.body else { return Ok(arguments.into()) };
    match &body.arguments {
        BodyArguments::Properties(names) => {
            for name in names {
                if let Some(value) = arguments.get_mut(name) {
                    reader.part(value, &pointer::join("", name));
                }
            }
        }
        BodyArguments::Whole(name) => {
            let at = pointer::join("", name);
            match arguments.get_mut(name) {
                Some(value) if names_file(value) => reader.file(value, &at),
                Some(parts @ Value::Array(_)) => reader.part(parts, &at),
                Some(Value::Object(members)) => {
                    for (member, value) in members {
                        reader.part(value, &pointer::join(&at, member));
                    }
                }
                _ => {}
            }
        }
    }
    if reader.problems.is_empty() {
        Ok(arguments.into())
    } else {
        Err(InvalidArguments::new(reader.problems).into())
    }
}

/// Whether the body is bytes, or has parts that can be.
fn takes_bytes(operation: &Operation) -> bool {
    let media = operation.body.as_ref().and_then(|body| body.preferred());
    media.is_some_and(|media| {
        matches!(
            MediaKind::of(&media.media_type),
            MediaKind::Multipart | MediaKind::Binary | MediaKind::Text | MediaKind::Xml
        )
    })
}

fn names_file(value: &Value) -> bool {
    value.get(MEMBER).is_some_and(Value::is_string)
}

/// Reads files until too much was read.
struct Reader<'r> {
    root: &'r Path,
    /// How many bytes may still be read.
    left: u64,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    /// A part, or a list of them.
    fn part(&mut self, value: &mut Value, at: &str) {
        match value {
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    self.file(item, &pointer::join(at, &index.to_string()));
                }
            }
            value => self.file(value, at),
        }
    }

    fn file(&mut self, value: &mut Value, at: &str) {
        let Some(name) = value.get(MEMBER).and_then(Value::as_str).map(str::to_owned) else { return };
        match self.read(&name) {
            Ok((bytes, path)) => {
                let mut members = match value.take() {
                    Value::Object(members) => members,
                    _ => Map::new(),
                };
                members.shift_remove(MEMBER);
                let own = path.file_name().map(|name| name.to_string_lossy().into_owned());
                if let Some(own) = own {
                    if let Some(media_type) = media_type(&own) {
                        members.entry("contentType").or_insert_with(|| media_type.into());
                    }
                    members.entry("filename").or_insert_with(|| own.into());
                }
                members.insert("$base64".to_owned(), STANDARD.encode(bytes).into());
                *value = members.into();
            }
            Err(expected) => self.problems.push(
                Problem::new(pointer::join(at, MEMBER), "file")
                    .expected(expected)
                    .found(format!("\"{}\"", name.chars().take(80).collect::<String>().escape_debug())),
            ),
        }
    }

    fn read(&mut self, name: &str) -> Result<(Vec<u8>, PathBuf), &'static str> {
        const OUTSIDE: &str = "expected the name of a file below the directory that the operator allows, such as \"report.pdf\", \
            without `..` and without a `/` before it";
        const NONE: &str = "expected the name of a file that is there; below the directory that the operator allows is none of \
            this name";
        let relative = Path::new(name);
        let is_plain =
            relative.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !is_plain || name.is_empty() || name.contains('\0') {
            return Err(OUTSIDE);
        }
        let root = self.root.canonicalize().map_err(|_| NONE)?;
        let path = root.join(relative).canonicalize().map_err(|_| NONE)?;
        // Before it is opened, too: opening a pipe waits for somebody who writes into it.
        let is_file = path.starts_with(&root) && path.metadata().is_ok_and(|metadata| metadata.is_file());
        let file = if is_file { open(&path) } else { None }.ok_or(NONE)?;
        let mut bytes = Vec::new();
        file.take(self.left.saturating_add(1)).read_to_end(&mut bytes).map_err(|_| NONE)?;
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        self.left = self.left.checked_sub(length).ok_or("expected files of 64 MiB at most, all together")?;
        Ok((bytes, path))
    }
}

/// Opens a file, and nothing that came into its place since somebody looked: neither waits for the other end of a pipe, nor
/// goes through a link.
fn open(path: &Path) -> Option<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK | libc::O_NOFOLLOW);
    let file = options.open(path).ok()?;
    file.metadata().is_ok_and(|metadata| metadata.is_file()).then_some(file)
}

/// What a file is by the end of its name, where that leaves no doubt.
fn media_type(name: &str) -> Option<&'static str> {
    Some(match name.rsplit_once('.')?.1.to_ascii_lowercase().as_str() {
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "svg" => "image/svg+xml",
        "pdf" => "application/pdf",
        "zip" => "application/zip",
        "gz" => "application/gzip",
        "json" => "application/json",
        "jsonl" => "application/jsonl",
        "xml" => "application/xml",
        "csv" => "text/csv",
        "txt" => "text/plain",
        "md" => "text/markdown",
        "html" | "htm" => "text/html",
        "mp3" => "audio/mpeg",
        "wav" => "audio/wav",
        "ogg" => "audio/ogg",
        "mp4" => "video/mp4",
        "webm" => "video/webm",
        _ => return None,
    })
}
