//! What a configuration says about each operation: under a key of its own, and under patterns.
//!
//! A key is first taken as it is written; only one that means no operation so, and has a `*`, is a pattern. What is said under
//! an operation's own key counts before what patterns say, and of patterns the first that says something counts. Of an
//! argument that an operation does not have, or a media type that it does not take, a pattern says nothing to it.

use std::collections::HashMap;
use std::sync::Arc;

use indexmap::IndexMap;
use opentool_text::pointer;

use super::OperationConfig;
use super::apply::{Fault, Only, check_result, refused};
use super::pattern::fits;
use crate::plan::Operation;

/// What is said about one operation.
pub(super) struct Said<'a> {
    /// All of it.
    pub(super) config: OperationConfig,
    /// Where it is said, what counts first before the rest.
    from: Vec<(&'a str, &'a OperationConfig)>,
}

impl<'a> Said<'a> {
    /// What is said about each operation, by the name of its tool.
    pub(super) fn by_tool(
        operations: &'a [Arc<Operation>],
        said: &'a IndexMap<String, OperationConfig>,
        only: Only<'_>,
    ) -> Result<HashMap<&'a str, Self>, Fault> {
        let mut by_tool: HashMap<&str, Self> = HashMap::new();
        let mut patterns = Vec::new();
        for (key, config) in said {
            let operation = match named(operations, key).as_slice() {
                [one] => *one,
                [] if key.contains('*') => {
                    patterns.push((key, config));
                    continue;
                }
                [] => return Err(unknown(operations, key)),
                several => {
                    let names: Vec<String> =
                        several.iter().map(|operation| format!("`{}`", operation.name)).collect();
                    let names = names.join(", ");
                    let reason = format!("`{key}` means several operations; name one of {names}");
                    return Err(refused(pointer::join("/operations", key), reason));
                }
            };
            let own = Self { config: config.clone(), from: vec![(key, config)] };
            if by_tool.insert(operation.name.as_str(), own).is_some() {
                return Err(refused(
                    pointer::join("/operations", key),
                    format!("the operation `{}` is configured twice, once as `{key}`", operation.name),
                ));
            }
        }
        for (key, config) in patterns {
            add_pattern(operations, key, config, only, &mut by_tool)?;
        }
        Ok(by_tool)
    }

    /// The pointer of what is said in the configuration.
    pub(super) fn at(&self, members: &[&str]) -> String {
        let says = |(_, config): &&(&str, &OperationConfig)| match members {
            ["arguments", name, ..] => config.arguments.contains_key(*name),
            ["media-type"] => config.media_type.is_some(),
            _ => true,
        };
        let key = self.from.iter().find(says).or(self.from.first()).map_or("", |(key, _)| key);
        let operation = pointer::join("/operations", key);
        members.iter().fold(operation, |at, member| pointer::join(&at, member))
    }
}

/// The operations that a key means as it is written.
fn named<'a>(operations: &'a [Arc<Operation>], key: &str) -> Vec<&'a Arc<Operation>> {
    if let Some(by_name) = operations.iter().find(|operation| operation.name == *key) {
        return vec![by_name];
    }
    let is_meant = |operation: &&Arc<Operation>| {
        operation.operation_id.as_deref() == Some(key)
            || key.split_once(' ').is_some_and(|(method, path)| {
                method.eq_ignore_ascii_case(operation.method.as_str()) && path.trim() == operation.path
            })
    };
    operations.iter().filter(is_meant).collect()
}

/// Whether an operation fits a pattern: for its `operationId` or its tool's name, or for a method and its path.
fn is_meant(operation: &Operation, pattern: &str) -> bool {
    match pattern.split_once(' ') {
        Some((method, path)) => {
            (method == "*" || method.eq_ignore_ascii_case(operation.method.as_str()))
                && fits(path.trim(), &operation.path)
        }
        None => {
            fits(pattern, &operation.name)
                || operation.operation_id.as_deref().is_some_and(|id| fits(pattern, id))
        }
    }
}

/// Adds what is said under a pattern to all operations that fit.
fn add_pattern<'a>(
    operations: &'a [Arc<Operation>],
    key: &'a str,
    config: &'a OperationConfig,
    only: Only<'_>,
    by_tool: &mut HashMap<&'a str, Said<'a>>,
) -> Result<(), Fault> {
    let at = pointer::join("/operations", key);
    let wrong = |member: &str, reason: String| Err(refused(pointer::join(&at, member), reason));
    if config.name.is_some() {
        return wrong(
            "name",
            format!("`{key}` is a pattern, and no two tools have one name; name one operation"),
        );
    }
    check_result(&pointer::join(&at, "result"), &config.result)?;
    let meant: Vec<&Arc<Operation>> =
        operations.iter().filter(|operation| is_meant(operation, key)).collect();
    if meant.is_empty() {
        return Err(refused(at, format!("no operation of the document fits `{key}`")));
    }
    let mut unheard: Vec<&String> = config.arguments.keys().collect();
    let mut is_taken = config.media_type.is_none();
    for operation in meant {
        let before = by_tool.get(operation.name.as_str());
        let mut fitting = config.clone();
        let wanted =
            before.and_then(|before| before.config.media_type.as_ref()).or(config.media_type.as_ref());
        let with = wanted.and_then(|media_type| only(operation, media_type));
        if config.media_type.is_some() {
            let takes = config.media_type.as_deref().is_some_and(|own| only(operation, own).is_some());
            is_taken |= takes;
            fitting.media_type = fitting.media_type.filter(|_| takes);
        }
        let meant = with.as_ref().unwrap_or(operation);
        let aside = meant.set_aside.iter().map(|parameter| parameter.argument.as_str());
        let arguments: Vec<&str> = meant.arguments().chain(aside).collect();
        fitting.arguments.retain(|name, _| arguments.contains(&name.as_str()));
        unheard.retain(|name| !fitting.arguments.contains_key(*name));
        let said = by_tool
            .entry(operation.name.as_str())
            .or_insert_with(|| Said { config: OperationConfig::new(), from: Vec::new() });
        said.config = std::mem::take(&mut said.config).or(fitting);
        said.from.push((key, config));
    }
    if let Some(name) = unheard.first() {
        let at = pointer::join(&pointer::join(&at, "arguments"), name);
        return Err(refused(at, format!("no operation that fits `{key}` has an argument `{name}`")));
    }
    if let (Some(media_type), false) = (&config.media_type, is_taken) {
        return wrong("media-type", format!("no operation that fits `{key}` takes `{media_type}`"));
    }
    Ok(())
}

fn unknown(operations: &[Arc<Operation>], key: &str) -> Fault {
    let wanted = key.to_lowercase();
    let near = operations.iter().map(|operation| &operation.name).find(|name| {
        let name = name.to_lowercase();
        name.contains(&wanted) || wanted.contains(&name)
    });
    let near = near.map(|name| format!("; there is `{name}`")).unwrap_or_default();
    let reason = format!(
        "the document has no operation `{key}`{near}; write an `operationId`, a tool's name, or `GET /path`, in which `*` may \
         stand for many"
    );
    refused(pointer::join("/operations", key), reason)
}
