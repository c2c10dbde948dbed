//! Headers that a person adds to every request: `Name: value`.

use opentool::openapi::SecretSource;
use opentool_http::HeaderName;
use secrecy::{ExposeSecret as _, SecretString};

use super::secret::Secret;
use crate::error::CliError;

/// Those that the request itself decides about.
const OWN: [&str; 11] = [
    "host",
    "content-length",
    "content-type",
    "transfer-encoding",
    "connection",
    "cookie",
    "te",
    "trailer",
    "upgrade",
    "keep-alive",
    "proxy-connection",
];

/// A header, and whether its value stood on the command line.
pub(super) struct Given {
    pub(super) name: HeaderName,
    pub(super) value: SecretString,
    pub(super) is_typed: bool,
}

/// Reads `Name: value`; the value may be kept elsewhere, as other secrets.
///
/// # Errors
/// [`CliError::Usage`], which does not repeat the value.
pub(super) fn read(text: &str) -> Result<Given, CliError> {
    let form = "write `--header 'Name: value'`";
    let (name, value) = text
        .split_once(':')
        .ok_or_else(|| CliError::usage("a value of `--header` has no `:` between name and value", form))?;
    let name = name.trim();
    let header: HeaderName = name
        .parse()
        .map_err(|_| CliError::usage(format!("`{name}` cannot be the name of a header"), form))?;
    if OWN.contains(&header.as_str()) {
        return Err(CliError::usage(
            format!("`{name}` is decided by the request itself"),
            "leave it out; a cookie that is a credential is given by `--credential SCHEME=VALUE`",
        ));
    }
    let option = format!("--header {name}");
    let source: Option<SecretSource> = Secret::place(&option, value.trim())?;
    let is_typed = source.is_none();
    let value = match source {
        Some(source) => Secret::Kept(source).read()?,
        None => Secret::of_variable(&option, value.trim())?.read()?,
    };
    if !value.expose_secret().chars().all(|c| c == '\t' || !c.is_control()) {
        return Err(CliError::usage(format!("the value of `{option}` holds a control character"), form));
    }
    Ok(Given { name: header, value, is_typed })
}
