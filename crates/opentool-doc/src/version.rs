//! The versions of the format.

use std::fmt;
use std::str::FromStr;

/// A version of the OpenTool document format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Version {
    /// The first.
    V1_0_0,
    /// Adds `server`.
    V1_1_0,
    /// Adds `stream` to functions. It is what SDKs of that version write; the specification has not taken it up.
    V2_0_0,
}

impl Version {
    /// All of them, the oldest first.
    pub const ALL: [Self; 3] = [Self::V1_0_0, Self::V1_1_0, Self::V2_0_0];

    /// As it stands in a document.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V1_0_0 => "1.0.0",
            Self::V1_1_0 => "1.1.0",
            Self::V2_0_0 => "2.0.0",
        }
    }

    /// The version whose rules a document of this version is read by: the newest one that is not newer. The last
    /// number does not matter. `None` for a text that is not a version, and for versions before the first.
    pub(crate) fn rules_for(text: &str) -> Option<Self> {
        let (major, minor, _) = numbers(text)?;
        Self::ALL.into_iter().rev().find(|version| {
            let (known_major, known_minor) = version.numbers();
            (known_major, known_minor) <= (major, minor)
        })
    }

    /// Whether this text is a version that is known, the last number aside.
    pub(crate) fn is_known(text: &str) -> bool {
        let Some((major, minor, _)) = numbers(text) else { return false };
        Self::ALL.into_iter().any(|version| version.numbers() == (major, minor))
    }

    fn numbers(self) -> (u64, u64) {
        match self {
            Self::V1_0_0 => (1, 0),
            Self::V1_1_0 => (1, 1),
            Self::V2_0_0 => (2, 0),
        }
    }
}

/// The three numbers of `1.2.3`, also of `1.2.3-beta.1+build`.
pub(crate) fn numbers(text: &str) -> Option<(u64, u64, u64)> {
    let (text, build) = text.split_once('+').map_or((text, None), |(text, build)| (text, Some(build)));
    let (text, pre) = text.split_once('-').map_or((text, None), |(text, pre)| (text, Some(pre)));
    let is_suffix = |suffix: &str| {
        let plain = |part: &str| {
            !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        };
        suffix.split('.').all(plain)
    };
    if !build.is_none_or(is_suffix) || !pre.is_none_or(is_suffix) {
        return None;
    }
    let mut parts = text.split('.').map(|part| {
        let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| part.parse::<u64>().ok()).flatten()
    });
    let version = (parts.next()??, parts.next()??, parts.next()??);
    parts.next().is_none().then_some(version)
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A version that the format does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no version of the OpenTool format; there are 1.0.0, 1.1.0 and 2.0.0")]
pub struct UnknownVersion(
    /// What was asked for.
    pub String,
);

/// Exactly one of `1.0.0`, `1.1.0`, `2.0.0`.
impl FromStr for Version {
    type Err = UnknownVersion;

    fn from_str(text: &str) -> Result<Self, UnknownVersion> {
        Self::ALL
            .into_iter()
            .find(|version| version.as_str() == text)
            .ok_or_else(|| UnknownVersion(text.to_owned()))
    }
}
