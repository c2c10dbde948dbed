//! From what was read to what is chosen.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use opentool_core::{Arguments, Diagnostic};
use opentool_text::pointer;
use serde_json::Value;

use super::{Budget, Config, Filter, Marked, OperationConfig};
use crate::OpenApiError;
use crate::plan::{BodyArguments, Operation, Parameter, Place};

/// What the host says about the tools that were chosen.
#[derive(Debug, Clone, Default)]
pub(crate) struct Told {
    pub(crate) budget: Budget,
    /// By the tool's name.
    pub(crate) operations: HashMap<String, Arc<OperationConfig>>,
    /// What is shown of results where an operation's own configuration does not say.
    result: Vec<String>,
}

impl Told {
    pub(crate) fn about(&self, tool: &str) -> Option<&Arc<OperationConfig>> {
        self.operations.get(tool)
    }

    /// What is sent in every call, by the names of arguments.
    pub(crate) fn fixed(&self, tool: &str) -> impl Iterator<Item = (&str, &Value)> {
        let arguments = self.about(tool).into_iter().flat_map(|said| &said.arguments);
        arguments.filter_map(|(name, argument)| Some((name.as_str(), argument.value.as_ref()?)))
    }

    /// The arguments of a call, with what the host sends in every call.
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

/// What is said about one operation, and under which key.
#[derive(Clone, Copy)]
struct Said<'a> {
    key: &'a str,
    config: &'a OperationConfig,
}

impl Said<'_> {
    /// The pointer of a member in the configuration.
    fn at(&self, member: &str) -> String {
        pointer::join(&pointer::join("/operations", self.key), member)
    }
}

/// The operations that are chosen, under their names, and what is said about them.
///
/// `only` makes an operation of one that sends bodies as this media type only.
pub(crate) fn apply(
    operations: &[Arc<Operation>],
    config: &Config,
    only: Only<'_>,
) -> Result<(Vec<Arc<Operation>>, Told), OpenApiError> {
    let fault = |fault: Fault| config.refused(&fault.pointer, fault.reason);
    choose(operations, config, only).map_err(fault)
}

/// An operation of which one media type is left; `None` if it has none that fits.
pub(crate) type Only<'a> = &'a dyn Fn(&Operation, &str) -> Option<Operation>;

/// What a configuration has wrong, and where.
struct Fault {
    pointer: String,
    reason: String,
}

fn refused(pointer: impl Into<String>, reason: String) -> Fault {
    Fault { pointer: pointer.into(), reason }
}

fn choose(
    operations: &[Arc<Operation>],
    config: &Config,
    only: Only<'_>,
) -> Result<(Vec<Arc<Operation>>, Told), Fault> {
    check_result("/result", &config.result)?;
    check_budget(&config.budget)?;
    let said = by_tool(operations, &config.operations)?;
    let mut told = Told { budget: config.budget, operations: HashMap::new(), result: config.result.clone() };
    let mut chosen: Vec<Arc<Operation>> = Vec::new();
    let mut taken: HashMap<String, (&Operation, Option<Said<'_>>)> = HashMap::new();
    for operation in operations {
        let own = said.get(operation.name.as_str()).copied();
        if !is_chosen(operation, own.map(|own| own.config), config) {
            continue;
        }
        let renamed = match own.and_then(|own| Some((own, own.config.name.as_deref()?))) {
            Some((own, name)) if name != operation.name => {
                check_name(&own.at("name"), name)?;
                Arc::new(Operation { name: name.to_owned(), ..(**operation).clone() })
            }
            _ => Arc::clone(operation),
        };
        let renamed = match own.and_then(|own| Some((own, own.config.media_type.as_deref()?))) {
            Some((own, media_type)) => {
                Arc::new(only(&renamed, media_type).ok_or_else(|| no_such_media(operation, own, media_type))?)
            }
            None => renamed,
        };
        if let Some((other, its)) = taken.insert(renamed.name.clone(), (operation, own)) {
            let renaming = [own, its].into_iter().flatten().find(|said| said.config.name.is_some());
            let place = renaming.map(|said| said.at("name")).unwrap_or_default();
            return Err(refused(
                place,
                format!(
                    "two operations would have the name `{}`: `{} {}` and `{} {}`; give one of them another `name`",
                    renamed.name, other.method, other.path, operation.method, operation.path
                ),
            ));
        }
        let mut renamed = renamed;
        if let Some(own) = own {
            check_arguments(&renamed, own)?;
            if own.config.arguments.values().any(|argument| argument.is_hidden() && argument.value.is_none())
            {
                leave_out(Arc::make_mut(&mut renamed), own)?;
            }
            told.operations.insert(renamed.name.clone(), Arc::new(own.config.clone()));
        }
        chosen.push(renamed);
    }
    Ok((chosen, told))
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

/// What is said about each operation, by the name of its tool.
fn by_tool<'a>(
    operations: &'a [Arc<Operation>],
    said: &'a BTreeMap<String, OperationConfig>,
) -> Result<HashMap<&'a str, Said<'a>>, Fault> {
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
                let reason = format!("`{key}` means several operations; name one of {names}");
                return Err(refused(pointer::join("/operations", key), reason));
            }
        };
        if by_tool.insert(operation.name.as_str(), Said { key, config }).is_some() {
            return Err(refused(
                pointer::join("/operations", key),
                format!("the operation `{}` is configured twice, once as `{key}`", operation.name),
            ));
        }
    }
    Ok(by_tool)
}

fn unknown(operations: &[Arc<Operation>], key: &str) -> Fault {
    let wanted = key.to_lowercase();
    let near = operations.iter().map(|operation| &operation.name).find(|name| {
        let name = name.to_lowercase();
        name.contains(&wanted) || wanted.contains(&name)
    });
    let near = near.map(|name| format!("; there is `{name}`")).unwrap_or_default();
    let reason = format!(
        "the document has no operation `{key}`{near}; write an `operationId`, a tool's name, or `GET /path`"
    );
    refused(pointer::join("/operations", key), reason)
}

fn no_such_media(operation: &Operation, own: Said<'_>, media_type: &str) -> Fault {
    let media = operation.body.iter().flat_map(|body| &body.media);
    let names: Vec<&str> = media.map(|media| media.media_type.as_str()).collect();
    let shown: String = media_type.chars().take(80).collect();
    let reason = match names.is_empty() {
        true => format!("`{}` has no body, which could be sent as `{shown}`", operation.name),
        false => format!("`{}` takes no `{shown}`; it takes: {}", operation.name, names.join(", ")),
    };
    refused(own.at("media-type"), reason)
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

fn check_arguments(operation: &Operation, own: Said<'_>) -> Result<(), Fault> {
    let names: Vec<&str> = operation.arguments().collect();
    if let Some(name) = own.config.arguments.keys().find(|name| !names.contains(&name.as_str())) {
        let reason = format!("`{}` has no argument `{name}`; it has: {}", operation.name, names.join(", "));
        return Err(refused(pointer::join(&own.at("arguments"), name), reason));
    }
    for (name, argument) in &own.config.arguments {
        argument.value.as_ref().map_or(Ok(()), |value| check_value(own, name, value))?;
    }
    check_result(&own.at("result"), &own.config.result)
}

/// Takes the arguments away that are hidden and have no value.
fn leave_out(operation: &mut Operation, own: Said<'_>) -> Result<(), Fault> {
    for (name, argument) in &own.config.arguments {
        if !argument.is_hidden() || argument.value.is_some() {
            continue;
        }
        let is_it = |parameter: &Parameter| parameter.argument == *name;
        if operation.parameters.iter().any(|parameter| is_it(parameter) && parameter.place == Place::Path) {
            let at = pointer::join(&pointer::join(&own.at("arguments"), name), "hide");
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

fn check_value(own: Said<'_>, name: &str, value: &Value) -> Result<(), Fault> {
    let is_secret = |text: &str| ["env:", "file:", "command:"].iter().any(|kept| text.starts_with(kept));
    if !value.as_str().is_some_and(is_secret) {
        return Ok(());
    }
    let at = pointer::join(&pointer::join(&own.at("arguments"), name), "value");
    let reason = format!(
        "the value of `{name}` is where a secret is kept, and values are sent as they are; write `hide: true`, and give the \
         secret as a credential or a header"
    );
    Err(refused(at, reason))
}

fn check_result(at: &str, pointers: &[String]) -> Result<(), Fault> {
    let wrong = |pointer: &&String| !pointer.is_empty() && !pointer.starts_with('/');
    match pointers.iter().enumerate().find(|(_, pointer)| wrong(pointer)) {
        Some((index, pointer)) => Err(refused(
            pointer::join(at, &index.to_string()),
            format!("`{pointer}` is no JSON Pointer; write `/items/*/name`"),
        )),
        None => Ok(()),
    }
}
