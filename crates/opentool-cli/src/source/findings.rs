//! What the reader of a source said about it, told once: all of it, or what concerns the tools that were asked for.
//!
//! What it says was found by the readers; what it means for the exit code is for [`super::Source`] and the commands.

use std::io;
use std::sync::OnceLock;

use opentool::openapi::Api;
use opentool::{Diagnostic, Severity, ToolSet};

use crate::console::{Amount, Console, counted};
use crate::source::Place;
use crate::source::references::with_option;

/// Codes of findings about entries of a list that became no tool.
const LEFT_OUT: [&str; 5] =
    ["not-a-definition", "duplicate-name", "hosted-tool", "no-name", "schema-not-an-object"];

/// The findings of one source.
pub(crate) struct Findings {
    /// The source, for people.
    place: String,
    /// What `opentool check` is to be given.
    file: String,
    all: Vec<Diagnostic>,
    /// The API that they are about: it knows what concerns which tool.
    api: Option<Api>,
    console: Console,
    /// How many errors concern what was asked for; unset until something was told.
    faults: OnceLock<usize>,
}

impl Findings {
    /// Nothing is told yet.
    pub(crate) fn new(place: &Place, all: Vec<Diagnostic>, console: Console) -> Self {
        let file = if *place == Place::StandardInput { "-".to_owned() } else { place.to_string() };
        Self { place: place.to_string(), file, all, api: None, console, faults: OnceLock::new() }
    }

    /// The findings are about this API.
    pub(crate) fn of_api(mut self, api: &Api) -> Self {
        self.api = Some(api.clone());
        self
    }

    /// Where they are told.
    pub(crate) fn console(&self) -> &Console {
        &self.console
    }

    /// How many errors there are: among those that were told, or in all.
    pub(crate) fn faults(&self) -> usize {
        self.faults.get().copied().unwrap_or_else(|| errors(&self.all))
    }

    /// Tells all, the warnings too where they may be why there is no tool.
    ///
    /// # Errors
    /// Those of writing to standard error.
    pub(crate) fn tell_all(&self, tools: usize) -> io::Result<()> {
        let amount = if tools == 0 { Amount::Most } else { Amount::Worst };
        let all: Vec<Diagnostic> = self.all.iter().cloned().map(with_option).collect();
        self.console.findings(&self.place, all.iter(), amount)
    }

    /// Tells what concerns some of the tools of the set, by their names in it, and how many errors there are elsewhere.
    ///
    /// # Errors
    /// Those of writing to standard error.
    pub(crate) fn tell_of(&self, names: &[&str], set: &ToolSet) -> io::Result<()> {
        let concerning = match &self.api {
            Some(api) => api.diagnostics_of(names.iter().copied()),
            None => of_entries(&self.all, set, names),
        };
        let told: Vec<Diagnostic> = concerning.iter().copied().cloned().map(with_option).collect();
        self.console.findings(&self.place, told.iter(), Amount::Worst)?;
        let here = concerning.iter().filter(|found| found.severity == Severity::Error).count();
        let elsewhere = errors(&self.all).saturating_sub(*self.faults.get_or_init(|| here));
        if elsewhere == 0 {
            return Ok(());
        }
        let (errors, shows) = (counted(elsewhere, "error"), if elsewhere == 1 { "it" } else { "them" });
        self.console.note(&format!(
            "{errors} elsewhere in {}; `opentool check {}` shows {shows}",
            self.place, self.file
        ))
    }
}

fn errors(all: &[Diagnostic]) -> usize {
    all.iter().filter(|found| found.severity == Severity::Error).count()
}

/// What was said about the entries that these tools are, or about what entries share. Entries that became no tool have
/// no place in the set, so they are counted out.
fn of_entries<'f>(all: &'f [Diagnostic], set: &ToolSet, names: &[&str]) -> Vec<&'f Diagnostic> {
    let left_out: Vec<usize> = all
        .iter()
        .filter(|found| found.severity == Severity::Error || found.code == "hosted-tool")
        .filter(|found| LEFT_OUT.contains(&found.code))
        .filter_map(|found| entry(&found.pointer))
        .collect();
    let entries: Vec<usize> = (0..set.len().saturating_add(all.len()))
        .filter(|index| !left_out.contains(index))
        .zip(set.names())
        .filter(|(_, name)| names.contains(name))
        .map(|(index, _)| index)
        .collect();
    all.iter().filter(|found| entry(&found.pointer).is_none_or(|entry| entries.contains(&entry))).collect()
}

/// The number of the entry that a pointer leads into: `/3/…`, `/tools/3/…`, `/result/tools/3/…`, `/functions/3/…`.
fn entry(pointer: &str) -> Option<usize> {
    let lists = ["/result/tools/", "/tools/", "/functions/", "/"];
    let rest = lists.iter().find_map(|list| pointer.strip_prefix(list))?;
    rest.split('/').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use opentool::schema::parse_definitions;
    use serde_json::json;

    use super::of_entries;

    #[test]
    fn entries_that_were_left_out_do_not_shift_the_others() {
        let broken = json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/Nowhere"}}});
        let list = json!({"tools": [{"no": "name"}, {"name": "bad", "inputSchema": broken},
            {"name": "good", "inputSchema": {"type": "object"}}]});
        let parsed = parse_definitions(&list).unwrap();
        let told = |name: &str| of_entries(&parsed.diagnostics, &parsed.tools, &[name]).len();
        assert_eq!((told("bad"), told("good")), (1, 0));
    }
}
