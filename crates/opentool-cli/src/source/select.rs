//! Putting the tools of several sources together, and choosing some of them.

use std::collections::HashSet;

use opentool::openapi::{Api, Filter};
use opentool::{ToolDefinition, ToolSet, UnknownTool};
use serde_json::Value;

use crate::console::Console;
use crate::error::CliError;
use crate::source::Source;

/// Which tools of the sources to take.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Choosing tools")]
pub(crate) struct Selection {
    /// Only these tools; `*` stands for any characters
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// All but these tools; `*` stands for any characters
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    without: Vec<String>,
    /// Only tools that bear one of these tags
    #[arg(long, value_name = "TAG", value_delimiter = ',')]
    tag: Vec<String>,
    /// Only tools that say that they change nothing
    #[arg(long)]
    read_only: bool,
    /// Only operations of OpenAPI documents with such a path: `/pets/*` (one segment), `/admin/**` (all below)
    #[arg(long, value_name = "PATH")]
    path: Vec<String>,
    /// Only operations of OpenAPI documents with one of these methods
    #[arg(long, value_name = "METHOD", value_delimiter = ',')]
    method: Vec<String>,
    /// No tools that are marked as going away
    #[arg(long)]
    no_deprecated: bool,
}

impl Selection {
    /// Whether a tool of the source is taken.
    fn takes(&self, definition: &ToolDefinition, fitting: &Fitting<'_>) -> bool {
        let named = |patterns: &[String]| patterns.iter().any(|pattern| matches(pattern, &definition.name));
        (self.only.is_empty() || named(&self.only))
            && !named(&self.without)
            && (self.tag.is_empty() || self.tag.iter().any(|tag| definition.has_tag(tag)))
            && (!self.read_only || definition.annotations.read_only == Some(true))
            && (!self.no_deprecated || definition.metadata.get("deprecated") != Some(&Value::Bool(true)))
            && fitting.takes(&definition.name)
    }

    /// The tools of the source whose operations have such paths and methods.
    fn fitting<'t>(&self, source: &Source, set: &'t ToolSet) -> Fitting<'t> {
        if self.path.is_empty() && self.method.is_empty() {
            return Fitting::All;
        }
        let Some(api) = source.api() else { return Fitting::Only(HashSet::new()) };
        let mut filter = Filter::new();
        filter.path.clone_from(&self.path);
        filter.method.clone_from(&self.method);
        // The names here may be others than those of the API, in the same order.
        let operations = api.operations().iter().zip(set.names());
        let fitting = operations.filter(|(operation, _)| filter.matches(operation)).map(|(_, name)| name);
        Fitting::Only(fitting.collect())
    }

    /// Whether nothing is left out.
    pub(crate) fn is_everything(&self) -> bool {
        let lists = [&self.only, &self.without, &self.tag, &self.path, &self.method];
        lists.iter().all(|list| list.is_empty()) && !self.read_only && !self.no_deprecated
    }
}

/// Tools by what their operations are.
enum Fitting<'t> {
    /// Every tool.
    All,
    /// Those of these names.
    Only(HashSet<&'t str>),
}

impl Fitting<'_> {
    fn takes(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(names) => names.contains(name),
        }
    }
}

/// The chosen tools of all sources, in order. The choice is made before the sources are put together, so that a
/// tool that is left out cannot clash. A tag that no tool bears is named, also where others of the choice are known.
///
/// # Errors
/// [`CliError::Clash`], and [`CliError::Call`] or [`CliError::Usage`] for a name that no source has.
pub(crate) fn gather(
    sources: &[Source],
    selection: &Selection,
    console: &Console,
) -> Result<ToolSet, CliError> {
    let sets = sources.iter().map(Source::tools).collect::<Result<Vec<_>, _>>()?;
    let patterns = selection.only.iter().chain(&selection.without);
    let unknown = patterns.map(|pattern| known(pattern, &sets, sources)).find_map(Result::err);
    if unknown.is_some() || selection.is_everything() {
        sources.iter().try_for_each(Source::tell_all)?;
    }
    if let Some(error) = unknown {
        return Err(error);
    }
    let chosen = sources.iter().zip(&sets).try_fold(ToolSet::new(), |all, (source, set)| {
        let chosen = if selection.is_everything() {
            set.clone()
        } else {
            let fitting = selection.fitting(source, set);
            let chosen = set.filter(|definition| selection.takes(definition, &fitting));
            source.tell_of(chosen.names())?;
            chosen
        };
        all.merge(chosen).map_err(|mut clash| {
            // Origins are for programs; a person knows the sources by what was written.
            if let Some((first, _)) = sources.iter().zip(&sets).find(|(_, set)| set.contains(&clash.name)) {
                clash.first = first.spec.place.to_string();
            }
            clash.second = source.spec.place.to_string();
            CliError::Clash(Box::new(clash))
        })
    })?;
    // Where nothing is left the command itself says why.
    if let (false, Some(why)) = (chosen.is_empty(), meaningless(&sets, sources, selection)) {
        console.warning(&why)?;
    }
    Ok(chosen)
}

/// There is nothing to serve or export: because of the choice, or because of what a source has wrong.
pub(crate) fn none_left(sources: &[Source], selection: &Selection) -> CliError {
    let why = why_none(sources, selection);
    if let (None, Err(error)) = (&why, sources.iter().try_for_each(Source::complete)) {
        return error;
    }
    CliError::usage("no tool is left", why.unwrap_or_else(|| "the sources hold no tools".to_owned()))
}

/// Why a choice of tools leaves none; `None` if nothing was chosen from. A tag that no tool bears is named, with those
/// that there are.
pub(crate) fn why_none(sources: &[Source], selection: &Selection) -> Option<String> {
    let sets: Vec<ToolSet> = sources.iter().filter_map(|source| source.tools().ok()).collect();
    let is_empty = sets.iter().all(ToolSet::is_empty);
    if is_empty || selection.is_everything() {
        return None;
    }
    let why = meaningless(&sets, sources, selection);
    Some(why.unwrap_or_else(|| "the choice of tools leaves none".to_owned()))
}

/// The first word of the choice that means no tool of any source.
fn meaningless(sets: &[ToolSet], sources: &[Source], selection: &Selection) -> Option<String> {
    unknown_tag(sets, selection).or_else(|| unknown_operation(sources, selection))
}

/// The first method or path of the choice that no operation has.
fn unknown_operation(sources: &[Source], selection: &Selection) -> Option<String> {
    let operations = || sources.iter().filter_map(Source::api).flat_map(Api::operations);
    let mut methods: Vec<&str> = Vec::new();
    for operation in operations() {
        if !methods.contains(&operation.method.as_str()) {
            methods.push(operation.method.as_str());
        }
    }
    let is_known = |wanted: &&String| methods.iter().any(|method| method.eq_ignore_ascii_case(wanted));
    if let Some(wanted) = selection.method.iter().find(|wanted| !is_known(wanted)) {
        let known = methods.join(", ");
        let known = if known.is_empty() {
            "there is no operation".to_owned()
        } else {
            format!("the methods are {known}")
        };
        return Some(format!("`--method {wanted}`: no operation has this method; {known}"));
    }
    let has = |wanted: &&String| {
        let filter = Filter::new().path(wanted.as_str());
        operations().any(|operation| filter.matches(operation))
    };
    let wanted = selection.path.iter().find(|wanted| !has(wanted))?;
    Some(format!(
        "`--path {wanted}`: no operation has such a path; `*` stands for one segment, `**` for all below"
    ))
}

/// The first tag of the choice that no tool bears, with those that there are.
fn unknown_tag(sets: &[ToolSet], selection: &Selection) -> Option<String> {
    let mut tags: Vec<&str> = Vec::new();
    for tag in sets.iter().flat_map(|set| set.definitions()).flat_map(|definition| &definition.tags) {
        if !tags.contains(&tag.as_str()) {
            tags.push(tag);
        }
    }
    let wanted = selection.tag.iter().find(|wanted| !tags.contains(&wanted.as_str()))?;
    let more = tags.len().saturating_sub(SHOWN_TAGS);
    let known: Vec<String> = tags.iter().take(SHOWN_TAGS).map(|tag| format!("`{tag}`")).collect();
    Some(match (known.is_empty(), more) {
        (true, _) => format!("no tool bears the tag `{wanted}`: none has tags"),
        (false, 0) => format!("no tool bears the tag `{wanted}`; the tags are {}", known.join(", ")),
        (false, _) => {
            format!("no tool bears the tag `{wanted}`; the tags are {} and {more} more", known.join(", "))
        }
    })
}

/// How many tags a person is told.
const SHOWN_TAGS: usize = 30;

/// A name that fits nothing is a mistake, and would be a dangerous one in `--without`.
fn known(pattern: &str, sets: &[ToolSet], sources: &[Source]) -> Result<(), CliError> {
    if sets.iter().flat_map(|set| set.names()).any(|name| matches(pattern, name)) {
        return Ok(());
    }
    if pattern.contains('*') {
        return Err(CliError::usage(
            format!("no tool has a name like `{pattern}`"),
            format!("`opentool list {}` shows the names", written(sources)),
        ));
    }
    let mut seen = HashSet::new();
    let mut nearest: Vec<String> = sets.iter().flat_map(|set| set.nearest(pattern)).collect();
    nearest.retain(|name| seen.insert(name.clone()));
    nearest.truncate(3);
    let left_out = sources.iter().filter_map(Source::api).map(Api::left_out).sum();
    let unknown = Box::new(UnknownTool::new(pattern, nearest));
    let why = sources.iter().find_map(|source| source.absent(pattern));
    Err(CliError::NoTool { unknown, place: written(sources), left_out, why })
}

/// The sources as the person wrote them.
fn written(sources: &[Source]) -> String {
    sources.iter().map(|source| source.spec.written()).collect::<Vec<_>>().join(" ")
}

/// Whether the name is of the pattern, in which `*` stands for any characters.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut left) = name.strip_prefix(head) else { return false };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return left.ends_with(part);
        }
        // The leftmost place is always a right one: what follows only gets more room.
        let Some((_, after)) = left.split_once(part) else { return false };
        left = after;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_stands_for_any_characters() {
        for (pattern, name) in [
            ("get*", "getPet"),
            ("*Pet", "getPet"),
            ("g*P*t", "getPet"),
            ("*", "x"),
            ("a**b", "ab"),
            ("a", "a"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in
            [("get*", "forget"), ("*Pet", "getPets"), ("a*a", "a"), ("get", "getPet"), ("", "a")]
        {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}
