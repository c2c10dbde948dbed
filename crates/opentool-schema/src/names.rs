//! The tool that a model meant by the name it wrote.
//!
//! Models write prefixes of their vendors, other cases and separators, quotes, tokens of their chat format. All
//! that is taken off where exactly one tool is left. A name that only looks like another is suggested, never run.

use opentool_core::UnknownTool;

use crate::Repairs;
use crate::nearest::ranked;

/// What vendors and models put before a name.
const PREFIXES: [&str; 9] = [
    "functions.",
    "function.",
    "tools.",
    "tool.",
    "functions/",
    "functions:",
    "default_api.",
    "default_api:",
    "namespace.",
];
/// Names that are suggested.
const SUGGESTED: usize = 3;
/// Bytes of a name; longer ones are no names.
const LONGEST: usize = 512;

/// The one of `names` that was meant by `written`.
///
/// [`Repairs::Off`] takes exact names only. By default white space, quotes, vendors' prefixes (`functions.`) and
/// tokens (`<|channel|>`) are taken off, and case and separators do not count where one name is left.
/// [`Repairs::Wide`] also takes a name without its namespace (`github.create_issue` for
/// `mcp__github__create_issue`), if there is one only.
///
/// # Errors
/// [`UnknownTool`] with the names that look like it.
pub fn resolve_name<'n>(
    written: &str,
    names: impl IntoIterator<Item = &'n str>,
    repairs: Repairs,
) -> Result<&'n str, UnknownTool> {
    let names: Vec<&'n str> = names.into_iter().collect();
    let known = |wanted: &str| names.iter().copied().find(|name| *name == wanted);
    if let Some(name) = known(written) {
        return Ok(name);
    }
    let unknown = |near: &str| {
        let nearest = ranked(near, names.iter().copied(), SUGGESTED);
        Err(UnknownTool::new(written, nearest.into_iter().map(str::to_owned).collect()))
    };
    if matches!(repairs, Repairs::Off | Repairs::Partial) || written.len() > LONGEST {
        return unknown(written);
    }
    let bare = bare(written);
    if bare.is_empty() {
        return unknown(bare);
    }
    if let Some(name) = known(bare) {
        return Ok(name);
    }
    let wanted = segments(bare);
    let mut same = names.iter().copied().filter(|name| segments(name).concat() == wanted.concat());
    match (same.next(), same.next()) {
        (Some(name), None) => return Ok(name),
        (Some(_), Some(_)) => return unknown(bare),
        _ => {}
    }
    if repairs == Repairs::Wide && wanted.len() > 1 {
        let mut ends = names.iter().copied().filter(|name| {
            let whole = segments(name);
            whole.ends_with(&wanted) || wanted.ends_with(&whole)
        });
        if let (Some(name), None) = (ends.next(), ends.next()) {
            return Ok(name);
        }
    }
    unknown(bare)
}

/// The name without what certainly is none of it.
pub(crate) fn bare(written: &str) -> &str {
    let name = written.split("<|").next().unwrap_or_default();
    let name = name.trim().trim_matches(['"', '\'', '`']).trim();
    let name = name.strip_suffix("()").unwrap_or(name);
    // `functions.weather:0`: some models number their calls.
    let counted = |number: &str| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    let name = name.rsplit_once(':').filter(|(_, number)| counted(number)).map_or(name, |(name, _)| name);
    PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name)
}

/// The words of a name in lower case: `mcp__github.createIssue` is `mcp`, `github`, `createissue`.
fn segments(name: &str) -> Vec<String> {
    name.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}
