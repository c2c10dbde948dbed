//! A configuration as a file holds it: YAML or JSON, with the line of what is wrong in it.
//!
//! Pure: the text is the host's to read. Keys that do not exist and keys that stand twice are refused, since a
//! configuration that says less than its author believes lets in what was to stay out.

use std::sync::Arc;

use opentool_core::Diagnostic;
use opentool_text::{Decoded, Expected, Notation, Spot, decode, kind, locate, parse, pointer};
use serde_path_to_error::Segment;

use super::Config;
use super::words::plainly;
use crate::OpenApiError;

const EXPECTED: Expected<'static> = Expected::new("a configuration", "include: [{tag: pets}]");

/// The text that a configuration was read from, to show what is wrong with it. What was read is what counts where two
/// configurations are compared.
#[derive(Debug, Clone, Default)]
pub(super) struct Written(Option<Arc<Text>>);

#[derive(Debug)]
struct Text {
    name: String,
    text: String,
    notation: Notation,
}

impl PartialEq for Written {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Written {
    /// What is wrong at a pointer.
    pub(super) fn refused(&self, pointer: &str, reason: String) -> OpenApiError {
        OpenApiError::Config(Box::new(self.located(Diagnostic::error("config", pointer, reason))))
    }

    /// A finding with its file and line.
    pub(super) fn located(&self, mut found: Diagnostic) -> Diagnostic {
        if let Some(text) = &self.0 {
            let spot = [Spot::Key(found.pointer.as_str())];
            found.location = locate(&text.text, text.notation, spot).into_iter().next().flatten();
            found.file = Some(text.name.clone());
        }
        found
    }
}

impl Config {
    /// Reads a text: YAML or JSON. The name of the file is for messages.
    ///
    /// ```
    /// let config = opentool_openapi::Config::parse("include: [{tag: pets}]\nexclud: []\n", "shop.yaml");
    /// let error = config.unwrap_err().to_string();
    /// assert!(error.starts_with("the configuration cannot be used: shop.yaml:2:1: error[config]: there is no key `exclud` here; did you mean `exclude`?"));
    /// ```
    ///
    /// # Errors
    /// [`OpenApiError::Config`] with the place of what is wrong.
    pub fn parse(text: impl AsRef<[u8]>, name: &str) -> Result<Self, OpenApiError> {
        let broken = |found: Box<Diagnostic>| OpenApiError::Config(Box::new(found.file(name)));
        let Decoded { text, findings, .. } = decode(text.as_ref()).map_err(broken)?;
        let notation = name.rsplit_once('.').and_then(|(_, extension)| Notation::of_extension(extension));
        let parsed = parse(&text, &EXPECTED.notation(notation)).map_err(broken)?;
        let text = Text { name: name.to_owned(), text: text.into_owned(), notation: parsed.notation };
        let written = Written(Some(Arc::new(text)));
        // Nothing of it may be read in another way than it is written.
        let odd = findings.into_iter().filter(|found| found.code == "encoding").chain(parsed.findings).next();
        if let Some(odd) = odd {
            let mut found = written.located(Diagnostic::error("config", odd.pointer, odd.message));
            found.location = odd.location.or(found.location);
            return Err(OpenApiError::Config(Box::new(found)));
        }
        // A list would be taken for the values of all members in their order.
        if !parsed.value.is_object() {
            let reason = format!("a configuration is an object, and this is {}", kind(&parsed.value));
            return Err(written.refused("", reason));
        }
        let config: Self = serde_path_to_error::deserialize(&parsed.value).map_err(|error| {
            let mut place = String::new();
            for segment in error.path() {
                place = match segment {
                    Segment::Seq { index } => pointer::join(&place, &index.to_string()),
                    Segment::Map { key } => pointer::join(&place, key),
                    Segment::Enum { .. } | Segment::Unknown => break,
                };
            }
            written.refused(&place, plainly(&error.inner().to_string()))
        })?;
        Ok(config.written(written))
    }
}
