//! `opentool check`: what is wrong with documents.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use clap::ValueEnum;
use opentool::Severity;
use opentool::openapi::LoadOptions;
use opentool_text::Renderer;
use serde_json::{Value, json};

use crate::args::examples;
use crate::check::{Checked, check};
use crate::console::{Console, counted};
use crate::error::CliError;
use crate::render;
use crate::source::{
    DocumentSpec, Kind, Place, References, Shape, bytes, client, documents, one_standard_input, read, seconds,
};

/// Check documents, and show what is wrong with each line
///
/// An OpenTool document is checked by every rule of its format; of an OpenAPI document
/// (all its files, where it refers to others) and of tool definitions it says what is
/// left out or read in another way than it is written. All that is found is shown at
/// once, and no file hides another.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, after_help = examples! {
    "opentool check weather.opentool.json"
    "opentool check specs/shop/openapi.yaml --ref-root specs"
    "opentool check openapi.yaml --config shop.yaml"
    "opentool check *.opentool.json --deny warnings"
    "opentool check weather.opentool.json --json | jq -r '.files[].diagnostics[].code'"
})]
pub(crate) struct Args {
    /// A path, an http(s) URL, or `-`; what it is, is recognised from its content, or said: `opentool:FILE`,
    /// `openapi:FILE`, `definitions:FILE`. A directory stands for the OpenAPI documents in it
    #[arg(required = true, value_name = "FILE")]
    files: Vec<DocumentSpec>,
    /// Fail for warnings too
    #[arg(long, value_name = "WHAT")]
    deny: Option<Deny>,
    /// Check this configuration of OpenAPI documents against them too
    #[arg(long, value_name = "FILE")]
    config: Option<String>,
    /// Warn of each tool of OpenAPI documents whose definition is larger, whatever is left out of it; at least 256
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    max_tool_bytes: Option<usize>,
    /// The longest wait for a document, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    timeout: Duration,
    #[command(flatten)]
    references: References,
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
    let mut apis = 0_usize;
    let trusted = args.references.authorities(None, &[])?;
    let options = args.references.options(args.timeout)?.client(client(args.timeout, trusted.clone()));
    let documents = expand(args.files, &options)?;
    let number = documents.len();
    for (DocumentSpec { kind, place }, options) in documents {
        let shown = place.to_string();
        let (text, address, _) = match read(&place, args.timeout, trusted.clone()) {
            Ok(read) => read,
            Err(error @ CliError::Source(_)) if number > 1 => {
                console.error(&error)?;
                unreadable = unreadable.saturating_add(1);
                continue;
            }
            Err(error) => return Err(error),
        };
        let mut checked = check(kind, text, &shown, address, &options)?;
        if checked.kind == Kind::OpenApi {
            apis = apis.saturating_add(1);
            look_at_tools(args.config.as_deref(), args.max_tool_bytes, &mut checked)?;
        }
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
    let about_apis = match (&args.config, args.max_tool_bytes) {
        (Some(_), _) => Some("--config"),
        (None, Some(_)) => Some("--max-tool-bytes"),
        (None, None) => None,
    };
    if let Some(option) = about_apis.filter(|_| apis == 0 && unreadable == 0) {
        return Err(CliError::usage(
            format!("`{option}` is about OpenAPI documents, and none of the files is one"),
            "leave it out",
        ));
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
        "documents": checked.documents,
        "errors": count.errors,
        "warnings": count.warnings,
        "notes": count.notes,
        "diagnostics": checked.diagnostics,
    })
}

/// Adds what is wrong with a configuration of the document, and with its tools, if it is usable.
fn look_at_tools(
    path: Option<&str>,
    max_tool_bytes: Option<usize>,
    checked: &mut Checked,
) -> Result<(), CliError> {
    let Some(api) = &checked.api else { return Ok(()) };
    let found = Shape::check(path, max_tool_bytes, api)?;
    checked.diagnostics.extend(found);
    if let Some(path) = path {
        // It was read a moment ago.
        let text = std::fs::read(path).unwrap_or_default();
        checked.texts.insert(path.to_owned(), String::from_utf8_lossy(&text).into_owned());
    }
    Ok(())
}

/// The documents that are meant, and what each of them may consist of.
fn expand(
    files: Vec<DocumentSpec>,
    options: &LoadOptions,
) -> Result<Vec<(DocumentSpec, LoadOptions)>, CliError> {
    let mut expanded = Vec::new();
    for file in files {
        let Some(found) = documents(&file.place, file.kind, options)? else {
            expanded.push((file, options.clone()));
            continue;
        };
        let mut within = options.clone();
        within.root = within.root.or_else(|| file.place.file().map(Path::to_owned));
        let spec = |path| DocumentSpec { kind: Some(Kind::OpenApi), place: Place::File(path) };
        expanded.extend(found.into_iter().map(|path| (spec(path), within.clone())));
    }
    Ok(expanded)
}

fn show(checked: &Checked, console: &Console) -> Result<(), CliError> {
    let texts: BTreeMap<&str, Renderer<'_>> =
        checked.texts.iter().map(|(file, text)| (file.as_str(), Renderer::new(text))).collect();
    let own = checked.documents.first().and_then(|own| texts.get(own.as_str()));
    let nothing = Renderer::new("");
    let mut page = String::new();
    for found in &checked.diagnostics {
        let renderer = found.file.as_deref().and_then(|file| texts.get(file)).or(own).unwrap_or(&nothing);
        page.push_str(&render::finding(&renderer.render(found), found.severity));
        page.push_str("\n\n");
    }
    Ok(console.styled(&page)?)
}
