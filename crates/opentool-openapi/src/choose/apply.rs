//! From what was read to what is chosen.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::{Budget, Config, Marked, OperationConfig};
use crate::OpenApiError;
use crate::plan::Operation;

/// What the host says about the tools that were chosen.
#[derive(Debug, Clone, Default)]
pub(crate) struct Told {
    pub(crate) budget: Budget,
    /// By the tool's name.
    pub(crate) operations: HashMap<String, Arc<OperationConfig>>,
}

impl Told {
    pub(crate) fn about(&self, tool: &str) -> Option<&Arc<OperationConfig>> {
        self.operations.get(tool)
    }
}

/// The operations that are chosen, under their names, and what is said about them.
pub(crate) fn apply(
    operations: &[Arc<Operation>],
    config: &Config,
) -> Result<(Vec<Arc<Operation>>, Told), OpenApiError> {
    let said = by_tool(operations, &config.operations)?;
    let mut told = Told { budget: config.budget, operations: HashMap::new() };
    let mut chosen: Vec<Arc<Operation>> = Vec::new();
    let mut taken: HashMap<String, &Operation> = HashMap::new();
    for operation in operations {
        let own = said.get(operation.name.as_str());
        if !is_chosen(operation, own.copied(), config) {
            continue;
        }
        let renamed = match own.and_then(|own| own.name.as_deref()) {
            Some(name) if name != operation.name => {
                check_name(name)?;
                Arc::new(Operation { name: name.to_owned(), ..(**operation).clone() })
            }
            _ => Arc::clone(operation),
        };
        if let Some(other) = taken.insert(renamed.name.clone(), operation) {
            return Err(refused(format!(
                "two operations would have the name `{}`: `{} {}` and `{} {}`; give one of them another `name`",
                renamed.name, other.method, other.path, operation.method, operation.path
            )));
        }
        if let Some(own) = own {
            check_arguments(operation, own)?;
            told.operations.insert(renamed.name.clone(), Arc::new((*own).clone()));
        }
        chosen.push(renamed);
    }
    Ok((chosen, told))
}

fn is_chosen(operation: &Operation, own: Option<&OperationConfig>, config: &Config) -> bool {
    if let Some(exclude) = own.and_then(|own| own.exclude) {
        return !exclude;
    }
    let marked = match config.marked {
        Marked::Respect => operation.marks.enabled != Some(false),
        Marked::Ignore => true,
        Marked::Only => operation.marks.enabled == Some(true),
    };
    marked
        && (config.include.is_empty() || config.include.iter().any(|filter| filter.matches(operation)))
        && !config.exclude.iter().any(|filter| filter.matches(operation))
}

/// What is said about each operation, by the name of its tool.
fn by_tool<'a>(
    operations: &'a [Arc<Operation>],
    said: &'a BTreeMap<String, OperationConfig>,
) -> Result<HashMap<&'a str, &'a OperationConfig>, OpenApiError> {
    let mut by_tool = HashMap::new();
    for (key, config) in said {
        let by_name = operations.iter().find(|operation| operation.name == *key);
        let mut meant: Vec<&Arc<Operation>> = by_name.into_iter().collect();
        if meant.is_empty() {
            let is_meant = |operation: &&Arc<Operation>| {
                operation.operation_id.as_deref() == Some(key)
                    || key.split_once(' ').is_some_and(|(method, path)| {
                        method.eq_ignore_ascii_case(operation.method.as_str())
                            && path.trim() == operation.path
                    })
            };
            meant = operations.iter().filter(is_meant).collect();
        }
        let operation = match meant.as_slice() {
            [one] => one,
            [] => return Err(unknown(operations, key)),
            several => {
                let names: Vec<String> =
                    several.iter().map(|operation| format!("`{}`", operation.name)).collect();
                let names = names.join(", ");
                return Err(refused(format!("`{key}` means several operations; name one of {names}")));
            }
        };
        if by_tool.insert(operation.name.as_str(), config).is_some() {
            return Err(refused(format!(
                "the operation `{}` is configured twice, once as `{key}`",
                operation.name
            )));
        }
    }
    Ok(by_tool)
}

fn unknown(operations: &[Arc<Operation>], key: &str) -> OpenApiError {
    let wanted = key.to_lowercase();
    let near = operations.iter().map(|operation| &operation.name).find(|name| {
        let name = name.to_lowercase();
        name.contains(&wanted) || wanted.contains(&name)
    });
    let near = near.map(|name| format!("; there is `{name}`")).unwrap_or_default();
    refused(format!(
        "the document has no operation `{key}`{near}; write an `operationId`, a tool's name, or `GET /path`"
    ))
}

fn check_name(name: &str) -> Result<(), OpenApiError> {
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let fits = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    if starts && fits && name.len() <= 64 {
        return Ok(());
    }
    let shown: String = name.chars().take(80).collect();
    Err(refused(format!(
        "`{shown}` cannot be the name of a tool; write 1 to 64 letters, digits, `_` and `-`, a letter or `_` first"
    )))
}

fn check_arguments(operation: &Operation, own: &OperationConfig) -> Result<(), OpenApiError> {
    let names: Vec<&str> = operation.arguments().collect();
    if let Some(name) = own.arguments.keys().find(|name| !names.contains(&name.as_str())) {
        return Err(refused(format!(
            "`{}` has no argument `{name}`; it has: {}",
            operation.name,
            names.join(", ")
        )));
    }
    if let Some(pointer) = own.result.iter().find(|pointer| !pointer.is_empty() && !pointer.starts_with('/'))
    {
        return Err(refused(format!("`{pointer}` is no JSON Pointer; write `/items/*/name`")));
    }
    Ok(())
}

fn refused(reason: String) -> OpenApiError {
    OpenApiError::Config { reason: reason.into() }
}
