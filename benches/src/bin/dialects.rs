//! Lowers every tool of every OpenAPI document of a folder to every dialect, and prints what was lost and refused;
//! `cargo xtask dialects` runs it.
//!
//! Fails if the linter finds anything in what was lowered, or if the lowering panics, which ends the program. A tool
//! that is refused is no failure: the table says why.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use opentool::ToolDefinition;
use opentool::schema::{Dialect, Effect, LowerError, LowerOptions, Strict, lint, lower};

fn main() -> ExitCode {
    let Some(folder) = std::env::args().nth(1) else {
        eprintln!("usage: dialects FOLDER");
        return ExitCode::from(2);
    };
    let mut files: Vec<PathBuf> = std::fs::read_dir(Path::new(&folder))
        .map(|entries| entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect())
        .unwrap_or_default();
    files.retain(|file| file.extension().is_some_and(|e| e == "json" || e == "yaml"));
    files.sort();
    let mut rows: Vec<Row> = ways().into_iter().map(Row::new).collect();
    let mut tools_seen = 0_usize;
    for file in &files {
        let Ok(bytes) = std::fs::read(file) else { continue };
        let Ok(api) = opentool::openapi::parse(&bytes, file.to_string_lossy().as_ref()) else { continue };
        let Ok(tools) = api.tools() else { continue };
        for tool in tools.definitions() {
            // Made here, so that no dialect pays for it.
            if tool.input_schema.as_value().is_object() {
                tools_seen = tools_seen.saturating_add(1);
            }
            rows.iter_mut().for_each(|row| row.take(tool, file));
        }
    }
    print(&rows, files.len(), tools_seen);
    let dirty: Vec<&String> = rows.iter().flat_map(|row| &row.dirty).collect();
    for line in dirty.iter().take(40) {
        println!("FAILED {line}");
    }
    println!("dialects: {} findings of the linter", dirty.len());
    if dirty.is_empty() && tools_seen > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Every way of lowering.
fn ways() -> Vec<LowerOptions> {
    let mut ways: Vec<LowerOptions> = Dialect::all().iter().copied().map(LowerOptions::new).collect();
    ways.push(LowerOptions::new(Dialect::Bedrock).strict(Strict::Always));
    ways.push(LowerOptions::new(Dialect::OpenAi).strict(Strict::Auto));
    ways.push(LowerOptions::new(Dialect::Anthropic).strict(Strict::Auto));
    ways
}

/// What became of the tools in one dialect.
struct Row {
    way: LowerOptions,
    lowered: usize,
    strict: usize,
    unchanged: usize,
    by_effect: BTreeMap<Effect, usize>,
    refused: BTreeMap<String, (usize, String)>,
    keywords: BTreeMap<String, usize>,
    dirty: Vec<String>,
    time: Duration,
}

impl Row {
    fn new(way: LowerOptions) -> Self {
        Self {
            way,
            lowered: 0,
            strict: 0,
            unchanged: 0,
            by_effect: BTreeMap::new(),
            refused: BTreeMap::new(),
            keywords: BTreeMap::new(),
            dirty: Vec::new(),
            time: Duration::ZERO,
        }
    }

    fn take(&mut self, tool: &ToolDefinition, file: &Path) {
        let start = Instant::now();
        let lowered = lower(tool, self.way);
        self.time = self.time.saturating_add(start.elapsed());
        let place = || {
            let file = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            format!("{file} {}", tool.name)
        };
        let lowered = match lowered {
            Ok(lowered) => lowered,
            Err(error) => {
                let kind = match &error {
                    LowerError::Schema(_) => "the schema cannot be used or is too complex",
                    LowerError::OverBudget { what, .. } => what,
                    LowerError::NeverValid { .. } => "no arguments can fit",
                    _ => "no strict mode",
                };
                let example = format!("{}: {error}", place());
                let entry = self.refused.entry(kind.to_owned()).or_insert((0, example));
                entry.0 = entry.0.saturating_add(1);
                return;
            }
        };
        self.lowered = self.lowered.saturating_add(1);
        self.strict = self.strict.saturating_add(usize::from(lowered.strict.strict));
        self.unchanged = self.unchanged.saturating_add(usize::from(lowered.rewrites.is_empty()));
        let mut seen = Vec::new();
        for loss in lowered.losses() {
            if !seen.contains(&loss.effect) {
                seen.push(loss.effect);
                let count = self.by_effect.entry(loss.effect).or_default();
                *count = count.saturating_add(1);
            }
            let count = self.keywords.entry(loss.keyword.clone()).or_default();
            *count = count.saturating_add(1);
        }
        for finding in lint(self.way.dialect, &lowered.definition) {
            let line = format!("{} {} {}: {}", self.way.dialect, place(), finding.pointer, finding.message);
            self.dirty.push(line);
        }
    }

    fn label(&self) -> String {
        match self.way.strict {
            strict if strict == LowerOptions::new(self.way.dialect).strict => self.way.dialect.to_string(),
            Strict::Auto => format!("{} auto", self.way.dialect),
            _ => format!("{} strict", self.way.dialect),
        }
    }
}

fn print(rows: &[Row], documents: usize, tools: usize) {
    println!("{documents} documents, {tools} tools");
    println!(
        "{:<26} {:>7} {:>7} {:>7} {:>9} {:>7} {:>7} {:>8} {:>6} {:>8}",
        "dialect", "lowered", "refused", "strict", "unchanged", "hints", "wider", "narrower", "lint", "ms"
    );
    for row in rows {
        let effect = |effect| row.by_effect.get(&effect).copied().unwrap_or_default();
        let refused: usize = row.refused.values().map(|(count, _)| count).sum();
        println!(
            "{:<26} {:>7} {:>7} {:>7} {:>9} {:>7} {:>7} {:>8} {:>6} {:>8}",
            row.label(),
            row.lowered,
            refused,
            row.strict,
            row.unchanged,
            effect(Effect::Hint),
            effect(Effect::Wider),
            effect(Effect::Narrower),
            row.dirty.len(),
            row.time.as_millis(),
        );
    }
    println!("\nrefused, by reason");
    for row in rows {
        for (reason, (count, example)) in &row.refused {
            let example: String = example.chars().take(160).collect();
            println!("{:<26} {count:>7}  {reason}; for example {example}", row.label());
        }
    }
    println!("\nlost most often, by keyword");
    for row in rows.iter().filter(|row| !row.keywords.is_empty()) {
        let mut keywords: Vec<(&String, &usize)> = row.keywords.iter().collect();
        keywords.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
        let shown: Vec<String> =
            keywords.iter().take(8).map(|(keyword, count)| format!("{keyword} {count}")).collect();
        println!("{:<26} {}", row.label(), shown.join(", "));
    }
}
