//! What importing one document gives, and what is wrong with it.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use opentool::openapi::{Api, LoadOptions, OpenApiError};
use opentool::schema::Validator;
use opentool::{Schema, Severity};
use serde_json::{Value, json};

/// What importing one document gave.
pub(crate) fn import(file: &Path) -> Value {
    let bytes = match std::fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) => return json!({"failure": error.to_string()}),
    };
    let size = bytes.len();
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let api = match read(&bytes, file) {
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
    let mut schema_bytes = 0;
    for definition in tools.definitions() {
        let schemas =
            [("input", Some(&definition.input_schema)), ("output", definition.output_schema.as_ref())];
        for (which, schema) in schemas {
            schema_bytes += schema.map_or(0, |schema| schema.to_string().len());
            if let Some(fault) = schema.and_then(fault) {
                broken.push(format!("{} {which}: {fault}", definition.name));
            }
        }
    }
    let (mut codes, mut skips) = (BTreeMap::new(), BTreeMap::new());
    for found in api.diagnostics() {
        *codes.entry(found.code).or_insert(0_u64) += 1;
        if found.severity == Severity::Error && found.message.ends_with("` is left out") {
            *skips.entry(found.code).or_insert(0_u64) += 1;
        }
    }
    json!({
        "bytes": size,
        "left out": api.left_out(),
        "not chosen": api.not_chosen(),
        "codes": codes,
        "skips": skips,
        "schema bytes": schema_bytes,
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

/// Reads the document, and what it refers to where that is in other files.
fn read(bytes: &[u8], file: &Path) -> Result<Api, OpenApiError> {
    let alone = opentool::openapi::parse(bytes, file);
    let refers = |api: &Api| api.diagnostics().iter().any(|found| found.code == "ref-external");
    if alone.as_ref().is_ok_and(|api| !refers(api)) {
        return alone;
    }
    match tokio::runtime::Builder::new_current_thread().build() {
        Ok(runtime) => runtime.block_on(LoadOptions::new().load(file)),
        Err(_) => alone,
    }
}

/// Why a schema cannot be used, by a compiler that is not part of the importer.
fn fault(schema: &Schema) -> Option<String> {
    if let Some(dangling) = dangling(schema.as_value(), schema.as_value()) {
        return Some(format!("`$ref` to nowhere: {dangling}"));
    }
    if has_nullable(schema.as_value()) {
        return Some("the keyword `nullable` is in it".to_owned());
    }
    Validator::new(schema).err().map(|error| error.to_string())
}

fn has_nullable(schema: &Value) -> bool {
    match schema {
        Value::Array(items) => items.iter().any(has_nullable),
        Value::Object(members) => members.iter().any(|(keyword, member)| match (keyword.as_str(), member) {
            ("properties" | "patternProperties" | "$defs" | "dependentSchemas", Value::Object(schemas)) => {
                schemas.values().any(has_nullable)
            }
            ("default" | "const" | "enum" | "examples", _) => false,
            ("nullable", _) => true,
            (_, member) => has_nullable(member),
        }),
        _ => false,
    }
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
            // Names of properties can look like keywords.
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
