//! `opentool check`: what is wrong with documents.

use std::time::Duration;

use clap::ValueEnum;
use opentool::Severity;
use opentool_text::Renderer;
use serde_json::{Value, json};

use crate::args::examples;
use crate::check::{Checked, check};
use crate::console::{Console, counted};
use crate::error::CliError;
use crate::render;
use crate::source::{DocumentSpec, one_standard_input, read, seconds};

/// Check documents, and show what is wrong with each line
///
/// An OpenTool document is checked by every rule of its format; of an OpenAPI document
/// and of tool definitions it says what is left out or read in another way than it is
/// written. All that is found is shown at once, and no file hides another.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, after_help = examples! {
    "opentool check weather.opentool.json"
    "opentool check *.opentool.json --deny warnings"
    "opentool check weather.opentool.json --json | jq -r '.files[].diagnostics[].code'"
})]
pub(crate) struct Args {
    /// A path, an http(s) URL, or `-`; what it is, is recognised from its content, or said: `opentool:FILE`,
    /// `openapi:FILE`, `definitions:FILE`
    #[arg(required = true, value_name = "FILE")]
    files: Vec<DocumentSpec>,
    /// Fail for warnings too
    #[arg(long, value_name = "WHAT")]
    deny: Option<Deny>,
    /// The longest wait for a document, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    timeout: Duration,
}

/// What is not accepted beside errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Deny {
    // Not a doc comment, which would make `--help` longer.
    Warnings,
}

/// How much was found.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    errors: usize,
    warnings: usize,
    notes: usize,
}

impl Count {
    fn of(checked: &Checked) -> Self {
        Self {
            errors: checked.count(Severity::Error),
            warnings: checked.count(Severity::Warning),
            notes: checked.count(Severity::Note),
        }
    }

    fn add(&mut self, other: Self) {
        self.errors = self.errors.saturating_add(other.errors);
        self.warnings = self.warnings.saturating_add(other.warnings);
        self.notes = self.notes.saturating_add(other.notes);
    }

    fn fails(self, deny: Option<Deny>) -> bool {
        self.errors > 0 || deny == Some(Deny::Warnings) && self.warnings > 0
    }

    /// `2 errors, 1 warning`; `nothing to mend`.
    fn words(self) -> String {
        let parts = [(self.errors, "error"), (self.warnings, "warning"), (self.notes, "note")];
        let parts: Vec<String> =
            parts.into_iter().filter(|(n, _)| *n > 0).map(|(n, word)| counted(n, word)).collect();
        if parts.is_empty() { "nothing to mend".to_owned() } else { parts.join(", ") }
    }
}

/// Shows every finding with its line, or with `--json` one object with all of them.
pub(crate) fn run(args: Args, console: &Console) -> Result<(), CliError> {
    one_standard_input(args.files.iter().map(|file| &file.place))?;
    let (mut all, mut failed) = (Count::default(), false);
    let (mut odd, mut unreadable) = (0_usize, 0_usize);
    let mut files = Vec::new();
    let number = args.files.len();
    for DocumentSpec { kind, place } in args.files {
        let shown = place.to_string();
        let (bytes, address) = match read(&place, args.timeout) {
            Ok(read) => read,
            Err(error @ CliError::Source(_)) if number > 1 => {
                console.error(&error)?;
                unreadable = unreadable.saturating_add(1);
                continue;
            }
            Err(error) => return Err(error),
        };
        let checked = check(kind, &bytes, &shown, address);
        drop(bytes);
        let count = Count::of(&checked);
        all.add(count);
        failed |= count.fails(args.deny);
        odd = odd.saturating_add(usize::from(!checked.diagnostics.is_empty()));
        if console.is_json() {
            files.push(entry(&shown, &checked, count));
        } else {
            show(&checked, console)?;
        }
    }
    if console.is_json() {
        let (errors, warnings, notes) = (all.errors, all.warnings, all.notes);
        let report = json!({"files": files, "errors": errors, "warnings": warnings, "notes": notes});
        console.json(&report)?;
    }
    let mut words = all.words();
    if number > 1 {
        let checked = counted(number.saturating_sub(unreadable), "file");
        words =
            if odd == 0 { format!("{words} in {checked}") } else { format!("{words} in {odd} of {checked}") };
    }
    if unreadable > 0 {
        words = format!("{words}; {} cannot be read", counted(unreadable, "file"));
    } else if !failed {
        return Ok(console.aside(&words)?);
    }
    if all.errors == 0 && failed {
        words.push_str(", which `--deny warnings` does not accept");
    }
    Err(CliError::Checked { words, unreadable })
}

fn entry(file: &str, checked: &Checked, count: Count) -> Value {
    json!({
        "file": file,
        "kind": checked.kind.word(),
        "errors": count.errors,
        "warnings": count.warnings,
        "notes": count.notes,
        "diagnostics": checked.diagnostics,
    })
}

fn show(checked: &Checked, console: &Console) -> Result<(), CliError> {
    let renderer = Renderer::new(&checked.text);
    let mut page = String::new();
    for found in &checked.diagnostics {
        page.push_str(&render::finding(&renderer.render(found), found.severity));
        page.push_str("\n\n");
    }
    Ok(console.styled(&page)?)
}
