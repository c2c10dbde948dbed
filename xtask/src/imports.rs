//! What importing costs, here and with FastMCP, in one run on one machine.
//!
//! Each document is imported by a process of its own on both sides, so that seconds and peak memory are those of one
//! document. The limits are ours to keep; the peer's numbers are there to be compared with. The page is `docs/speed.md`.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::run::{cargo, output, root, target};
use crate::{corpus, peers};

/// The peer's side.
const SCRIPT: &str = include_str!("imports.py");

/// What importing a document may cost us.
struct Limit {
    document: &'static str,
    cpu_seconds: f64,
    megabytes: f64,
    /// Of all schemas together; none: any size.
    schema_megabytes: Option<f64>,
    peer: Peer,
}

/// Whether the peer is asked.
#[derive(Clone, Copy, PartialEq)]
enum Peer {
    Asked,
    /// It would take minutes and gigabytes.
    Spared,
}

const fn limit(document: &'static str, cpu_seconds: f64, megabytes: f64) -> Limit {
    Limit { document, cpu_seconds, megabytes, schema_megabytes: None, peer: Peer::Asked }
}

const DOCUMENTS: &[Limit] = &[
    limit("github.json", 0.4, 150.0),
    Limit { schema_megabytes: Some(5.0), ..limit("dir-stripe.com.json", 0.3, 100.0) },
    limit("dir-kubernetes.io.json", 0.3, 200.0),
    limit("figma.yaml", 0.3, 200.0),
    limit("openai.yaml", 1.0, 200.0),
    Limit { peer: Peer::Spared, ..limit("dir-microsoft.com_graph.json", 3.0, 500.0) },
];

/// Imports every document on both sides, prints the table and keeps it.
///
/// # Errors
/// If one of our limits does not hold.
pub(crate) fn run() -> Result<(), String> {
    let documents = corpus::documents()?;
    let python = peers::fastmcp()?;
    let script = target().join("peers/imports.py");
    std::fs::write(&script, SCRIPT).map_err(|error| format!("{}: {error}", script.display()))?;
    cargo(&["build", "--quiet", "--release", "--package", "opentool-benches", "--bin", "corpus"])?;
    let ours = target().join("release/corpus");
    let mut rows = Vec::new();
    let mut broken = Vec::new();
    for limit in DOCUMENTS {
        let file = documents.join(limit.document);
        let own = measured(Command::new(&ours).arg("--one").arg(&file));
        let peer = match limit.peer {
            Peer::Asked => measured(Command::new(&python).arg(&script).arg(&file)),
            Peer::Spared => serde_json::json!({"failure": "not asked, it would take minutes and gigabytes"}),
        };
        broken.extend(limit.broken(&own));
        rows.push(row(&file, &own, &peer));
        println!("{}", rows.last().map(String::as_str).unwrap_or_default());
    }
    let page = root().join("docs/speed.md");
    std::fs::write(&page, text(&rows)).map_err(|error| format!("{}: {error}", page.display()))?;
    if broken.is_empty() { Ok(()) } else { Err(broken.join("\n")) }
}

/// What a process says of itself, in one line of JSON.
fn measured(command: &mut Command) -> Value {
    let failure = |text: &str| serde_json::json!({"failure": text});
    match output(command) {
        Ok(text) => text
            .lines()
            .rev()
            .find_map(|line| serde_json::from_str(line).ok())
            .unwrap_or_else(|| failure("it printed no JSON")),
        Err(error) if error.contains("signal") => failure("more than 60 CPU-seconds"),
        Err(error) => failure(error.lines().last().unwrap_or_default()),
    }
}

impl Limit {
    fn broken(&self, own: &Value) -> Vec<String> {
        let document = self.document;
        if let Some(failure) = own.get("failure").and_then(Value::as_str) {
            return vec![format!("{document}: {failure}")];
        }
        let number = |member| own.get(member).and_then(Value::as_f64).unwrap_or(f64::INFINITY);
        let checks = [
            ("CPU-seconds", number("cpu"), self.cpu_seconds),
            ("MB of memory", number("memory") / 1e6, self.megabytes),
            ("MB of schemas", number("schema bytes") / 1e6, self.schema_megabytes.unwrap_or(f64::INFINITY)),
        ];
        checks
            .iter()
            .filter(|(_, value, limit)| value > limit)
            .map(|(what, value, limit)| format!("{document}: {value:.2} {what}, the limit is {limit}"))
            .collect()
    }
}

fn row(file: &Path, own: &Value, peer: &Value) -> String {
    let name = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let mut row = format!("| {} | {} |", name.trim_start_matches("dir-"), cells(own));
    match peer.get("failure").and_then(Value::as_str) {
        Some(failure) => {
            let _ = write!(row, " {} | | | | | |", failure.replace('|', "/"));
        }
        None => {
            let number = |side: &Value, member| side.get(member).and_then(Value::as_f64).unwrap_or_default();
            // The clock of the system has hundredths.
            let ratio = |member, least: f64| number(peer, member) / number(own, member).max(least);
            let _ = write!(
                row,
                " {} | {:.0} × | {:.1} × |",
                cells(peer),
                ratio("cpu", 0.01),
                ratio("memory", 1.0)
            );
        }
    }
    row
}

/// Tools, processor time, memory, schemas.
fn cells(side: &Value) -> String {
    let number = |member| side.get(member).and_then(Value::as_f64).unwrap_or_default();
    format!(
        "{:.0} | {:.2} | {:.0} | {:.1}",
        number("tools"),
        number("cpu"),
        number("memory") / 1e6,
        number("schema bytes") / 1e6
    )
}

fn text(rows: &[String]) -> String {
    format!(
        "# What importing costs\n\nWritten by `cargo xtask import-peers`: both sides in one run on one machine, each document in a \
         process of its own, from the\ntext of the document to a ready tool set; the programs themselves are loaded before. FastMCP is \
         {}. `schemas` are\nthe input and output schemas of all tools as JSON. The last two columns say how many times more FastMCP \
         needs.\n\n| document | tools | CPU-s | MB | schemas, MB | FastMCP: tools | CPU-s | MB | schemas, MB | CPU | memory |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n{}\n",
        peers::FASTMCP.trim_start_matches("fastmcp=="),
        rows.join("\n")
    )
}
