//! Requests compared with those of an OpenAPI client that is not ours; `cargo xtask openapi-clients` runs it.
//!
//! For every operation of some real documents, arguments are made from the tool's schema, in three ways.
//! Our request for them and that of `swagger-client` (what Swagger UI sends) are compared part by part. A difference is
//! explained by a rule in `compare`, which says who follows the specification; one without a rule is a failure of the run.
//! Nothing is sent.

mod ask;
mod compare;
mod report;

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use serde_json::Value;

use compare::Verdict;
use report::Report;

/// The peer's side, run by Node.
const PEER: &str = include_str!("peer.mjs");

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, modules, report] = arguments.as_slice() else {
        eprintln!("usage: clients FOLDER NODE_FOLDER REPORT");
        return ExitCode::from(2);
    };
    match run(Path::new(folder), Path::new(modules), Path::new(report)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("clients: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(folder: &Path, modules: &Path, page: &Path) -> Result<bool, String> {
    let script = modules.join("peer.mjs");
    std::fs::write(&script, PEER).map_err(|error| format!("{}: {error}", script.display()))?;
    let mut report = Report::default();
    for name in ask::DOCUMENTS {
        let file = folder.join(name);
        if !file.exists() {
            return Err(format!("{} is not there; `cargo xtask corpus` fetches it", file.display()));
        }
        let questions = ask::questions(&file)?;
        let answers = answers(&script, &file, &questions)?;
        let verdicts: Vec<(String, Verdict)> = questions
            .iter()
            .zip(&answers)
            .map(|(question, answer)| {
                (question.name.clone(), compare::compare(&question.operation, &question.ours, answer))
            })
            .collect();
        println!("{}", report.add(name, verdicts));
    }
    print!("{}", report.summary());
    std::fs::write(page, report.page()).map_err(|error| format!("{}: {error}", page.display()))?;
    Ok(report.passes())
}

/// The peer's requests for the questions, in their order.
fn answers(script: &Path, document: &Path, questions: &[ask::Question]) -> Result<Vec<Value>, String> {
    let mut child = Command::new("node")
        .arg("--max-old-space-size=4096")
        .arg(script)
        .arg(document)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("node could not be started: {error}"))?;
    let mut input = child.stdin.take().ok_or("node has no input")?;
    let text: String = questions.iter().map(|question| format!("{}\n", question.asked)).collect();
    // It reads all before it answers, so that nobody waits for the other.
    input.write_all(text.as_bytes()).map_err(|error| error.to_string())?;
    drop(input);
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let answers: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    if answers.len() == questions.len() {
        return Ok(answers);
    }
    Err(format!(
        "{}: node gave {} answers to {} questions",
        document.display(),
        answers.len(),
        questions.len()
    ))
}
