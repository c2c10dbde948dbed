//! The path of a request: the template with its values, where no value can leave its segment.

use std::borrow::Cow;

use opentool_core::{Problem, ToolError};

use super::encode;
use super::given::Given;
use super::problems::{Problems, pointer, shown};
use super::style;
use super::value::{Shape, text};
use crate::plan::{Operation, Parameter, ParameterForm, Place, Style};

/// An expanded path template.
#[derive(Debug)]
pub(super) struct Path {
    /// The path with a slash at its beginning.
    pub(super) text: String,
    /// The query that the template itself holds (`/do?action=list`).
    pub(super) query: Option<String>,
}

/// Fills in the template. Values that cannot stand in a path become problems.
pub(super) fn expand(
    operation: &Operation,
    given: &Given<'_>,
    problems: &mut Problems,
) -> Result<Path, ToolError> {
    // Some documents tell operations of one path apart by a fragment, which is never sent, or by a query.
    let template = operation.path.split('#').next().unwrap_or_default();
    let (template, query) = match template.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (template, None),
    };
    let mut path = String::with_capacity(template.len() + 32);
    for segment in template.strip_prefix('/').unwrap_or(template).split('/') {
        path.push('/');
        let begin = path.len();
        let used = fill(segment, operation, given, problems, &mut path)?;
        let written = path.get(begin..).unwrap_or_default();
        if encode::climbs(written) && !is_empty_label(&used, written) {
            match used.first() {
                Some((parameter, value)) => problems.add(
                    Problem::new(pointer([parameter.argument.as_str()]), "path")
                        .expected("expected a value without `.` or `..` as a path segment: it would change the path")
                        .found(shown(value)),
                ),
                None => return Err(broken(operation, "it has a `.` or `..` segment")),
            }
        }
    }
    let query = match query.filter(|query| !query.is_empty()) {
        Some(template) => {
            let mut query = String::new();
            fill(template, operation, given, problems, &mut query)?;
            Some(query)
        }
        None => None,
    };
    Ok(Path { text: path, query })
}

/// A parameter of the template, and its value as text.
type Used<'a> = (&'a Parameter, Cow<'a, str>);

/// A label style value that is empty is a single dot by the specification. It does not lead out of its segment.
fn is_empty_label(used: &[Used<'_>], written: &str) -> bool {
    matches!(used, [(parameter, value)] if value.is_empty() && written == "."
        && matches!(parameter.form, ParameterForm::Style { style: Style::Label, .. }))
}

/// Expands one part of the template; returns the parameters that stand in it, and their values as text.
fn fill<'a>(
    part: &str,
    operation: &'a Operation,
    given: &Given<'a>,
    problems: &mut Problems,
    out: &mut String,
) -> Result<Vec<Used<'a>>, ToolError> {
    let mut used = Vec::new();
    let mut rest = part;
    while let Some((before, from)) = rest.split_once('{') {
        let Some((name, after)) = from.split_once('}') else {
            return Err(broken(operation, "a `{` is not closed"));
        };
        out.push_str(&encode::literal(before));
        let parameter = parameter(operation, name)
            .ok_or_else(|| broken(operation, &format!("`{{{name}}}` is not declared as a path parameter")))?;
        match value(parameter, given) {
            Ok((written, plain)) => {
                out.push_str(&written);
                used.push((parameter, plain));
            }
            Err(problem) => {
                problems.add(problem);
                // Something must stand here for the checks of the rest to make sense.
                out.push('-');
            }
        }
        rest = after;
    }
    out.push_str(&encode::literal(rest));
    Ok(used)
}

/// The parameter of `{name}`; gateways write `{name+}` for one that takes the rest of the path.
fn parameter<'a>(operation: &'a Operation, name: &str) -> Option<&'a Parameter> {
    let mut in_path = operation.parameters.iter().filter(|p| p.place == Place::Path);
    let plain = name.trim_end_matches(['+', '*']);
    in_path.clone().find(|p| p.name == name).or_else(|| in_path.find(|p| p.name == plain))
}

/// The encoded value, and what it was as text.
fn value<'a>(parameter: &Parameter, given: &Given<'a>) -> Result<(Cow<'a, str>, Cow<'a, str>), Problem> {
    let problem = |rule, expected: &str| {
        Problem::new(pointer([parameter.argument.as_str()]), rule).expected(expected.to_owned())
    };
    let Some(value) = given.get(parameter) else {
        return Err(problem("required", "expected a value: it is part of the path"));
    };
    let empty = || {
        problem("path", "expected a value that is not empty: it is part of the path")
            .found(shown(&text(value, &parameter.schema).unwrap_or(Cow::Borrowed("null"))))
    };
    let plain = text(value, &parameter.schema).ok_or_else(empty)?;
    // Raw strings and those within lists and objects, which `plain` holds as JSON with escapes.
    if holds_control(value) {
        return Err(problem(
            "path",
            "expected a value without control characters (line ends, NUL): it is part of the path",
        )
        .found(shown(&plain)));
    }
    let written = match &parameter.form {
        ParameterForm::Content { .. } => Some(encoded(&plain)),
        ParameterForm::Style { style: Style::Simple, .. } if !value.is_array() && !value.is_object() => {
            Some(encoded(&plain))
        }
        ParameterForm::Style { style, explode, .. } => {
            let shape = Shape::of(value, &parameter.schema);
            style::path(*style, *explode, &parameter.name, &shape).map(Cow::Owned)
        }
    };
    match written {
        Some(written) if !written.is_empty() => Ok((written, plain)),
        _ => Err(empty()),
    }
}

/// The text as it stands in a path.
fn encoded<'a>(text: &Cow<'a, str>) -> Cow<'a, str> {
    match text {
        Cow::Borrowed(text) => encode::strict(text),
        Cow::Owned(text) => encode::strict(text).into_owned().into(),
    }
}

fn holds_control(value: &serde_json::Value) -> bool {
    use serde_json::Value;
    match value {
        Value::String(text) => text.contains(char::is_control),
        Value::Array(items) => items.iter().any(holds_control),
        Value::Object(members) => {
            members.iter().any(|(name, value)| name.contains(char::is_control) || holds_control(value))
        }
        _ => false,
    }
}

fn broken(operation: &Operation, why: &str) -> ToolError {
    ToolError::failed(format!(
        "the path `{}` of the document cannot be used: {why} (at {})",
        operation.path, operation.pointer
    ))
}
