//! How a text is written.

/// The notation of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notation {
    /// JSON.
    Json,
    /// YAML 1.2.
    Yaml,
}

impl Notation {
    /// What the ending of a file name says: `json`, `yaml`, `yml`.
    pub fn of_extension(extension: &str) -> Option<Self> {
        match extension.to_ascii_lowercase().as_str() {
            "json" => Some(Self::Json),
            "yaml" | "yml" => Some(Self::Yaml),
            _ => None,
        }
    }
}
