//! Imports every OpenAPI document of a folder and prints a table; `cargo xtask corpus` runs it.
//!
//! Each document is imported by a process of its own (this program again, with `--one FILE`), so that its seconds
//! and its peak memory are its own, and a crash is one row of the table. Fails if a document of version 3 gives no
//! tool, or if one of its schemas is not valid Draft 2020-12 or points to nowhere.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use opentool::Schema;
use opentool::schema::Validator;
use serde_json::{Value, json};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--one", file] => {
            println!("{}", one(Path::new(file)));
            ExitCode::SUCCESS
        }
        [folder] => table(Path::new(folder)),
        _ => {
            eprintln!("usage: corpus FOLDER | corpus --one FILE");
            ExitCode::from(2)
        }
    }
}

/// What importing one document gave.
fn one(file: &Path) -> Value {
    let bytes = match std::fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) => return json!({"failure": error.to_string()}),
    };
    let size = bytes.len();
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let api = match opentool::openapi::parse(&bytes, file.to_string_lossy().as_ref()) {
        Ok(api) => api,
        Err(error) => return json!({"failure": error.to_string(), "bytes": size}),
    };
    drop(bytes);
    let tools = match api.tools() {
        Ok(tools) => tools,
        Err(error) => return json!({"failure": error.to_string(), "bytes": size}),
    };
    let (seconds, cpu, memory) = (start.elapsed().as_secs_f64(), cpu_seconds() - cpu, peak_memory());
    let mut broken = Vec::new();
    for definition in tools.definitions() {
        let schemas =
            [("input", Some(&definition.input_schema)), ("output", definition.output_schema.as_ref())];
        for (which, schema) in schemas {
            if let Some(fault) = schema.and_then(fault) {
                broken.push(format!("{} {which}: {fault}", definition.name));
            }
        }
    }
    json!({
        "bytes": size,
        "operations": operations(file),
        "tools": tools.len(),
        "diagnostics": api.diagnostics().len(),
        "seconds": seconds,
        "cpu": cpu,
        "memory": memory,
        "schema seconds": start.elapsed().as_secs_f64() - seconds,
        "broken": broken,
    })
}

/// Why a schema cannot be used, by a compiler that is not part of the importer.
fn fault(schema: &Schema) -> Option<String> {
    if let Some(dangling) = dangling(schema.as_value(), schema.as_value()) {
        return Some(format!("`$ref` to nowhere: {dangling}"));
    }
    Validator::new(schema).err().map(|error| error.to_string())
}

fn dangling(schema: &Value, root: &Value) -> Option<String> {
    match schema {
        Value::Array(items) => items.iter().find_map(|item| dangling(item, root)),
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get("$ref") {
                let found =
                    reference.strip_prefix('#').is_some_and(|pointer| root.pointer(pointer).is_some());
                if !found {
                    return Some(reference.clone());
                }
            }
            let data = ["default", "const", "enum", "examples"];
            members
                .iter()
                .filter(|(keyword, _)| !data.contains(&keyword.as_str()))
                .find_map(|(_, member)| dangling(member, root))
        }
        _ => None,
    }
}

/// How many operations the document has, counted without the importer. Only JSON; `null` for YAML.
fn operations(file: &Path) -> Value {
    const METHODS: &[&str] = &["get", "put", "post", "delete", "options", "head", "patch", "trace"];
    let document: Option<Value> =
        std::fs::read(file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let Some(document) = document else { return Value::Null };
    let items = document.get("paths").and_then(Value::as_object).into_iter().flatten();
    let count = items
        .filter_map(|(_, item)| item.as_object())
        .flat_map(|item| item.keys().filter(|key| METHODS.contains(&key.as_str())))
        .count();
    json!(count)
}

/// Prints one row per document and the sums.
fn table(folder: &Path) -> ExitCode {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .map(|entries| entries.filter_map(|entry| entry.ok().map(|e| e.path())).collect())
        .unwrap_or_default();
    files.retain(|file| file.extension().is_some_and(|e| e == "json" || e == "yaml"));
    files.sort();
    println!(
        "{:<34} {:>8} {:>6} {:>6} {:>6} {:>7} {:>7} {:>6}",
        "document", "kB", "ops", "tools", "diag", "seconds", "cpu s", "MB"
    );
    let (mut tools, mut operations, mut refused, mut failures) = (0, 0, 0, Vec::new());
    for file in &files {
        let name = file.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let row = run(file);
        let number = |key: &str| row.get(key).and_then(Value::as_f64).unwrap_or_default();
        if let Some(failure) = row.get("failure").and_then(Value::as_str) {
            let first = failure.lines().next().unwrap_or_default();
            println!("{name:<34} {:>8.0} not read: {first}", number("bytes") / 1e3);
            if is_version_3(file) {
                failures.push(format!("{name}: {first}"));
            } else {
                refused += 1;
            }
            continue;
        }
        let count = row.get("operations").and_then(Value::as_u64);
        println!(
            "{name:<34} {:>8.0} {:>6} {:>6} {:>6} {:>7.3} {:>7.3} {:>6.0}",
            number("bytes") / 1e3,
            count.map_or_else(|| "-".to_owned(), |c| c.to_string()),
            number("tools"),
            number("diagnostics"),
            number("seconds"),
            number("cpu"),
            number("memory") / 1e6,
        );
        tools += row.get("tools").and_then(Value::as_u64).unwrap_or_default();
        operations += count.unwrap_or_default();
        for broken in row.get("broken").and_then(Value::as_array).into_iter().flatten() {
            failures.push(format!("{name}: {}", broken.as_str().unwrap_or_default()));
        }
    }
    println!(
        "{} documents, {refused} of a version that is not read; {operations} operations counted in JSON, {tools} tools",
        files.len()
    );
    for failure in failures.iter().take(50) {
        println!("FAILED {failure}");
    }
    println!("corpus: {} passed, {} failed", files.len() - refused, failures.len());
    if failures.is_empty() && !files.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn run(file: &Path) -> Value {
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

/// Whether a document says that it is OpenAPI 3.
fn is_version_3(file: &Path) -> bool {
    std::fs::read_to_string(file).is_ok_and(|text| {
        text.lines().take(50).any(|line| line.trim_start().trim_start_matches('"').starts_with("openapi"))
            || text.get(..200.min(text.len())).is_some_and(|head| head.contains("\"openapi\""))
    })
}

/// Seconds of processor time of this process so far.
fn cpu_seconds() -> f64 {
    // The 14th and 15th fields, counted after the name in parentheses; in hundredths on every Linux.
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit(')').next().unwrap_or_default();
    let ticks: f64 = after.split_whitespace().skip(11).take(2).filter_map(|f| f.parse::<f64>().ok()).sum();
    ticks / 100.0
}

/// The largest resident size of this process so far, in bytes.
fn peak_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<f64>().ok()).unwrap_or_default() * 1024.0
}
