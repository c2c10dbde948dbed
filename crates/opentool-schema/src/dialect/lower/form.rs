//! In which form the arguments of a call are written: `gemini`, `openai strict`. What a call says of itself
//! ([`ToolCall::dialect`](opentool_core::ToolCall)), and the way back from it.

use std::fmt;
use std::str::FromStr;

use opentool_core::{BoxError, ToolDefinition};

use super::{LowerOptions, Lowered, LoweredSet, Strict, lower};
use crate::dialect::{Decoder, Dialect, UnknownDialect};

/// The word behind a dialect whose name does not say that it is strict.
const STRICT: &str = " strict";
/// The word where it is decided for each tool.
const AUTO: &str = " auto";

/// The dialect, and behind it `strict` or `auto` where its name does not say so: `openai-strict`, `bedrock strict`.
impl fmt::Display for LowerOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.strict {
            strict if strict == Self::new(self.dialect).strict => "",
            Strict::Auto => AUTO,
            _ => STRICT,
        };
        write!(f, "{}{word}", self.dialect.name())
    }
}

impl FromStr for LowerOptions {
    type Err = UnknownDialect;

    fn from_str(text: &str) -> Result<Self, UnknownDialect> {
        let (dialect, strict) = match (text.strip_suffix(STRICT), text.strip_suffix(AUTO)) {
            (Some(dialect), _) => (dialect, Some(Strict::Always)),
            (_, Some(dialect)) => (dialect, Some(Strict::Auto)),
            _ => (text, None),
        };
        let options = Self::new(Dialect::from_str(dialect)?);
        Ok(strict.map_or(options, |strict| options.strict(strict)))
    }
}

impl LoweredSet {
    /// The form in which a model writes the arguments for one of these tools; `None` where it is the tool's own.
    pub fn form(&self, lowered: &Lowered) -> Option<String> {
        let strict = if lowered.strict.strict { Strict::Always } else { Strict::Never };
        (!lowered.decoder.is_identity()).then(|| self.options.strict(strict).to_string())
    }
}

/// The way back from a form to the tool's own. The tool is lowered for it.
///
/// # Errors
/// There is no such form, or none of this tool.
pub(crate) fn decoder_of(tool: &ToolDefinition, form: &str) -> Result<Decoder, BoxError> {
    let options = LowerOptions::from_str(form)?;
    Ok(lower(tool, options)?.decoder)
}
