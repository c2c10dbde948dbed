//! What definitions are written as: a provider's dialect, or an OpenTool document of some version.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use opentool::doc::Version;
use opentool::schema::{Dialect, LowerOptions, Strict};

use crate::error::CliError;

/// A format to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    /// A list of definitions.
    Dialect(Dialect),
    /// A document.
    OpenTool(OpenTool),
}

/// An OpenTool document of this version; without one the source's own, or 1.1.0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OpenTool(pub(crate) Option<Version>);

const OPENTOOL: &str = "opentool";

/// The same with a version.
const VERSIONS: [(&str, Version); Version::ALL.len()] = [
    ("opentool@1.0.0", Version::V1_0_0),
    ("opentool@1.1.0", Version::V1_1_0),
    ("opentool@2.0.0", Version::V2_0_0),
];

/// Every format by name, for `export` and `check-args`.
pub(crate) fn any() -> impl TypedValueParser<Value = Target> {
    let versions = VERSIONS.map(|(name, _)| PossibleValue::new(name).hide(true));
    let names = dialects().chain([PossibleValue::new(OPENTOOL)]).chain(versions);
    PossibleValuesParser::new(names).try_map(|name| read(&name).ok_or("there is no such format"))
}

/// The documents by name, for `convert`. The names of dialects are known and refused with what to write instead.
pub(crate) fn document() -> impl TypedValueParser<Value = OpenTool> {
    let versions = VERSIONS.map(|(name, _)| PossibleValue::new(name));
    let names = [PossibleValue::new(OPENTOOL)].into_iter().chain(versions);
    let names = names.chain(dialects().map(|name| name.hide(true)));
    PossibleValuesParser::new(names).try_map(|name| match read(&name) {
        Some(Target::OpenTool(document)) => Ok(document),
        _ => Err(format!("`opentool export SOURCE --to {name}` writes definitions")),
    })
}

/// The answers to "which tools are strict".
pub(crate) fn strictness() -> impl TypedValueParser<Value = Strict> {
    PossibleValuesParser::new(["auto", "always", "never"]).map(|word| match word.as_str() {
        "auto" => Strict::Auto,
        "always" => Strict::Always,
        _ => Strict::Never,
    })
}

/// A format without a strict mode is to be strict.
pub(crate) fn has_no_strict() -> CliError {
    CliError::usage(
        "this format has no strict mode, and `--strict always` asks for it",
        "leave `--strict` out, or write `--strict auto`",
    )
}

/// What to lower to: as strict as is wanted, or as the name of the dialect says.
pub(crate) fn lowering(dialect: Dialect, strict: Option<Strict>) -> LowerOptions {
    strict.into_iter().fold(LowerOptions::new(dialect), LowerOptions::strict)
}

fn dialects() -> impl Iterator<Item = PossibleValue> {
    Dialect::all().iter().map(|dialect| match dialect {
        // The newest revision, by its date too.
        Dialect::Mcp => PossibleValue::new(dialect.name()).alias("mcp-2026-07-28"),
        _ => PossibleValue::new(dialect.name()),
    })
}

fn read(name: &str) -> Option<Target> {
    let version = VERSIONS.iter().find(|(known, _)| *known == name).map(|(_, version)| *version);
    match version {
        None if name == OPENTOOL => Some(Target::OpenTool(OpenTool(None))),
        None => Some(Target::Dialect(name.parse().ok()?)),
        version => Some(Target::OpenTool(OpenTool(version))),
    }
}
