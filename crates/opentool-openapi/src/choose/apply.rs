//! From what was read to what is chosen.

use std::collections::HashMap;
use std::sync::Arc;

use indexmap::IndexMap;
use opentool_core::{Arguments, Diagnostic};
use opentool_text::pointer;
use serde_json::Value;

use super::said::Said;
use super::{Budget, Config, Filter, Marked, OperationConfig};
use crate::definition::{self, Source};
use crate::kept::Kept;
use crate::plan::{Body, BodyArguments, Operation, Parameter, Place};
use crate::{OpenApiError, SecretSource};

/// What the host says about the tools that were chosen.
#[derive(Debug, Clone, Default)]
pub(crate) struct Told {
    pub(crate) budget: Budget,
    /// By the tool's name.
    pub(crate) operations: HashMap<String, Arc<OperationConfig>>,
    /// The arguments that are secrets of the host, by the tool's name.
    kept: HashMap<String, Arc<Kept>>,
    /// What is shown of results where an operation's own configuration does not say.
    result: Vec<String>,
}

impl Told {
    pub(crate) fn about(&self, tool: &str) -> Option<&Arc<OperationConfig>> {
        self.operations.get(tool)
    }

    /// The arguments that are secrets of the host.
    pub(crate) fn kept(&self, tool: &str) -> Arc<Kept> {
        self.kept.get(tool).cloned().unwrap_or_default()
    }

    /// What is sent in every call, by the names of arguments.
    pub(crate) fn fixed(&self, tool: &str) -> impl Iterator<Item = (&str, &Value)> {
        let arguments = self.about(tool).into_iter().flat_map(|said| &said.arguments);
        let kept = self.kept.get(tool);
        arguments
            .filter(move |(name, _)| !kept.is_some_and(|kept| kept.has(name)))
            .filter_map(|(name, argument)| Some((name.as_str(), argument.value.as_ref()?)))
    }

    /// The arguments of a call, with what the host sends in every call and is no secret.
    pub(crate) fn fill(&self, tool: &str, arguments: Arguments) -> Arguments {
        let mut fixed = self.fixed(tool).peekable();
        if fixed.peek().is_none() {
            return arguments;
        }
        let mut members = arguments.into_map();
        members.extend(fixed.map(|(name, value)| (name.to_owned(), value.clone())));
        members.into()
    }

    /// The parts of its result that are shown; empty: all.
    pub(crate) fn result_of(&self, tool: &str) -> &[String] {
        match self.about(tool) {
            Some(said) if !said.result.is_empty() => &said.result,
            _ => &self.result,
        }
    }
}

/// The operations that are chosen, under their names, and what is said about them.
pub(crate) fn apply(
    operations: &[Arc<Operation>],
    config: &Config,
    source: &Arc<Source>,
) -> Result<(Vec<Arc<Operation>>, Told), OpenApiError> {
    let fault = |fault: Fault| config.refused(&fault.pointer, fault.reason);
    choose(operations, config, source).map_err(fault)
}

/// An operation of which one media type is left; `None` if it has none that fits.
pub(crate) type Only<'a> = &'a dyn Fn(&Operation, &str) -> Option<Operation>;

/// What a configuration has wrong, and where.
pub(super) struct Fault {
    pointer: String,
    reason: String,
}

pub(super) fn refused(pointer: impl Into<String>, reason: String) -> Fault {
    Fault { pointer: pointer.into(), reason }
}

fn choose(
    operations: &[Arc<Operation>],
    config: &Config,
    source: &Arc<Source>,
) -> Result<(Vec<Arc<Operation>>, Told), Fault> {
    let only: Only<'_> = &|operation, media| source.only(operation, media);
    check_result("/result", &config.result)?;
    check_budget(&config.budget)?;
    let said = Said::by_tool(operations, &config.operations, only)?;
    let secrets = secrets(&config.operations)?;
    let mut told = Told { budget: config.budget, result: config.result.clone(), ..Told::default() };
    let mut chosen: Vec<Arc<Operation>> = Vec::new();
    let mut taken: HashMap<String, (&Operation, Option<&Said<'_>>)> = HashMap::new();
    for operation in operations {
        let own = said.get(operation.name.as_str());
        if !is_chosen(operation, own.map(|own| &own.config), config) {
            continue;
        }
        let mut renamed = match own.and_then(|own| Some((own, own.config.name.as_deref()?))) {
            Some((own, name)) if name != operation.name => {
                check_name(&own.at(&["name"]), name)?;
                Arc::new(Operation { name: name.to_owned(), ..(**operation).clone() })
            }
            _ => Arc::clone(operation),
        };
        if let Some((own, media_type)) = own.and_then(|own| Some((own, own.config.media_type.as_deref()?))) {
            renamed = Arc::new(
                only(&renamed, media_type).ok_or_else(|| no_such_media(operation, own, media_type))?,
            );
        }
        if let Some((other, its)) = taken.insert(renamed.name.clone(), (operation, own)) {
            let renaming = [own, its].into_iter().flatten().find(|said| said.config.name.is_some());
            let place = renaming.map(|said| said.at(&["name"])).unwrap_or_default();
            return Err(refused(
                place,
                format!(
                    "two operations would have the name `{}`: `{} {}` and `{} {}`; give one of them another `name`",
                    renamed.name, other.method, other.path, operation.method, operation.path
                ),
            ));
        }
        if let Some(own) = own {
            give_back(&mut renamed, &own.config);
            check_arguments(&renamed, own)?;
            if own.config.arguments.values().any(|argument| argument.is_hidden() && argument.value.is_none())
            {
                leave_out(Arc::make_mut(&mut renamed), own)?;
            }
            let mut kept = Kept::of(definition::arguments(source, &renamed));
            for (name, argument) in &own.config.arguments {
                let text = argument.value.as_ref().and_then(Value::as_str);
                if let Some(source) = text.and_then(|text| secrets.get(text)) {
                    kept.add(name, source.clone());
                }
            }
            if !kept.is_empty() {
                told.kept.insert(renamed.name.clone(), Arc::new(kept));
            }
            told.operations.insert(renamed.name.clone(), Arc::new(own.config.clone()));
        }
        chosen.push(renamed);
    }
    Ok((chosen, told))
}

/// The places of secrets that are named as values of arguments, by how they are written: one for all that name it.
fn secrets(said: &IndexMap<String, OperationConfig>) -> Result<HashMap<&str, SecretSource>, Fault> {
    let mut secrets = HashMap::new();
    for (key, config) in said {
        for (name, argument) in &config.arguments {
            let Some(value) = &argument.value else { continue };
            let at = ["operations", key, "arguments", name, "value"];
            let at = || at.iter().fold(String::new(), |at, member| pointer::join(&at, member));
            let Some(text) = value.as_str() else {
                check_no_place_within(value, &at())?;
                continue;
            };
            match SecretSource::parse(text) {
                Ok(Some(source)) => {
                    secrets.entry(text).or_insert(source);
                }
                Ok(None) => {}
                Err(error) => {
                    return Err(refused(at(), error.to_string()));
                }
            }
        }
    }
    Ok(secrets)
}

/// Refuses a place of a secret that is a part of a value: it would be sent as it is written.
fn check_no_place_within(value: &Value, at: &str) -> Result<(), Fault> {
    match value {
        Value::String(text) if !matches!(SecretSource::parse(text), Ok(None)) => Err(refused(
            at,
            "a place of a secret stands for a whole argument, and this one is within a value, where it would be sent as it is \
             written; name a place that holds all of the argument as its `value`"
                .to_owned(),
        )),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .try_for_each(|(index, item)| check_no_place_within(item, &pointer::join(at, &index.to_string()))),
        Value::Object(members) => members
            .iter()
            .try_for_each(|(name, member)| check_no_place_within(member, &pointer::join(at, name))),
        _ => Ok(()),
    }
}

/// What the host says about a member that the document seems to mean its credential by counts before that: it is an argument
/// like every other then.
fn give_back(operation: &mut Arc<Operation>, said: &OperationConfig) {
    let is_named = |name: &str| {
        said.arguments.get(name).is_some_and(|own| own.value.is_some() || own.hide == Some(false))
    };
    let is_free = |name: &str| !operation.arguments().any(|own| own == name);
    let aside = operation.set_aside.iter();
    let aside: Vec<Parameter> =
        aside.filter(|own| is_named(&own.argument) && is_free(&own.argument)).cloned().collect();
    if !aside.is_empty() {
        Arc::make_mut(operation).parameters.extend(aside);
    }
    let is_whole = |body: &Body| {
        let BodyArguments::Whole(name) = &body.arguments else { return false };
        said.arguments.get(name).is_some_and(|own| own.value.is_some())
    };
    let names = |body: &Body| {
        let own = body.credential.as_ref();
        own.is_some_and(|own| {
            said.arguments.get(own.member()).is_some_and(|said| said.value.is_some() || said.hide.is_some())
        })
    };
    if operation
        .body
        .as_ref()
        .is_some_and(|body| body.credential.is_some() && (is_whole(body) || names(body)))
        && let Some(body) = &mut Arc::make_mut(operation).body
    {
        body.credential = None;
    }
}

/// In less there is no room for a name, a description and one argument.
const LEAST_TOOL_BYTES: usize = 256;

fn check_budget(budget: &Budget) -> Result<(), Fault> {
    match budget.max_tool_bytes {
        Some(most) if most < LEAST_TOOL_BYTES => {
            let reason = format!(
                "no definition of a tool fits into {most} bytes; allow at least {LEAST_TOOL_BYTES}, for example 4000"
            );
            Err(refused("/budget/max-tool-bytes", reason))
        }
        _ => Ok(()),
    }
}

/// What a configuration says that means nothing in the document.
pub(crate) fn unused(operations: &[Arc<Operation>], config: &Config) -> Vec<Diagnostic> {
    let mut odd = Vec::new();
    for (list, filters) in [("/include", &config.include), ("/exclude", &config.exclude)] {
        for (index, filter) in filters.iter().enumerate() {
            if !operations.iter().any(|operation| filter.matches(operation)) {
                let at = pointer::join(list, &index.to_string());
                let (member, why) = why_none(operations, filter);
                let at = member.map_or(at.clone(), |member| pointer::join(&at, member));
                let found = config.odd(&at, &why);
                odd.push(found.help("`opentool list DOCUMENT --json` shows names, tags and paths"));
            }
        }
    }
    odd
}

/// Why a filter means no operation, and the member that alone is why, if one is.
fn why_none(operations: &[Arc<Operation>], filter: &Filter) -> (Option<&'static str>, String) {
    let quoted =
        |words: &[String]| words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    let (mut tag, mut path, mut method, mut operation) =
        (Filter::new(), Filter::new(), Filter::new(), Filter::new());
    tag.tag.clone_from(&filter.tag);
    path.path.clone_from(&filter.path);
    method.method.clone_from(&filter.method);
    operation.operation.clone_from(&filter.operation);
    let single = [
        ("tag", &tag, &filter.tag, "has the tag"),
        ("path", &path, &filter.path, "has a path like"),
        ("method", &method, &filter.method, "has the method"),
        ("operation", &operation, &filter.operation, "is named"),
    ];
    for (member, only, words, what) in single {
        if !operations.iter().any(|operation| only.matches(operation)) {
            return (Some(member), format!("no operation of the document {what} {}", quoted(words)));
        }
    }
    (None, "no operation of the document is all that this filter says".to_owned())
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

fn no_such_media(operation: &Operation, own: &Said<'_>, media_type: &str) -> Fault {
    let media = operation.body.iter().flat_map(|body| &body.media);
    let names: Vec<&str> = media.map(|media| media.media_type.as_str()).collect();
    let shown: String = media_type.chars().take(80).collect();
    let reason = match names.is_empty() {
        true => format!("`{}` has no body, which could be sent as `{shown}`", operation.name),
        false => format!("`{}` takes no `{shown}`; it takes: {}", operation.name, names.join(", ")),
    };
    refused(own.at(&["media-type"]), reason)
}

fn check_name(at: &str, name: &str) -> Result<(), Fault> {
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let fits = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    if starts && fits && name.len() <= 64 {
        return Ok(());
    }
    let shown: String = name.chars().take(80).collect();
    let reason = format!(
        "`{shown}` cannot be the name of a tool; write 1 to 64 letters, digits, `_` and `-`, a letter or `_` first"
    );
    Err(refused(at, reason))
}

fn check_arguments(operation: &Operation, own: &Said<'_>) -> Result<(), Fault> {
    let names: Vec<&str> = operation.arguments().collect();
    if let Some(name) = own.config.arguments.keys().find(|name| !names.contains(&name.as_str())) {
        let reason = format!("`{}` has no argument `{name}`; it has: {}", operation.name, names.join(", "));
        return Err(refused(own.at(&["arguments", name]), reason));
    }
    check_result(&own.at(&["result"]), &own.config.result)
}

/// Takes the arguments away that are hidden and have no value.
fn leave_out(operation: &mut Operation, own: &Said<'_>) -> Result<(), Fault> {
    for (name, argument) in &own.config.arguments {
        if !argument.is_hidden() || argument.value.is_some() {
            continue;
        }
        let is_it = |parameter: &Parameter| parameter.argument == *name;
        if operation.parameters.iter().any(|parameter| is_it(parameter) && parameter.place == Place::Path) {
            let at = own.at(&["arguments", name, "hide"]);
            return Err(refused(at, format!("the path cannot be without `{name}`; give it a `value`")));
        }
        operation.parameters.retain(|parameter| !is_it(parameter));
        match operation.body.as_mut().map(|body| &mut body.arguments) {
            Some(BodyArguments::Whole(body)) if body == name => operation.body = None,
            Some(BodyArguments::Properties(names)) => names.retain(|own| own != name),
            _ => {}
        }
    }
    Ok(())
}

pub(super) fn check_result(at: &str, pointers: &[String]) -> Result<(), Fault> {
    let wrong = |pointer: &&String| !pointer.is_empty() && !pointer.starts_with('/');
    match pointers.iter().enumerate().find(|(_, pointer)| wrong(pointer)) {
        Some((index, pointer)) => Err(refused(
            pointer::join(at, &index.to_string()),
            format!("`{pointer}` is no JSON Pointer; write `/items/*/name`"),
        )),
        None => Ok(()),
    }
}
