//! The query of a request.

use std::borrow::Cow;

use opentool_core::Problem;
use serde_json::Value;

use super::given::Given;
use super::media::MediaKind;
use super::pair::Pair;
use super::problems::{Problems, pointer};
use super::style::{self, Encode};
use super::value::text;
use super::{encode, form};
use crate::plan::{Media, Operation, Parameter, ParameterForm, Place, Style};

/// The pairs of the query parameters, in the document's order.
pub(super) fn pairs(operation: &Operation, given: &Given<'_>, problems: &mut Problems) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for parameter in operation.parameters.iter().filter(|p| p.place == Place::Query) {
        match given.get(parameter) {
            Some(value) => serialise(parameter, value, &mut pairs),
            None => require(parameter, problems),
        }
    }
    pairs
}

/// The parameter that is the whole query (3.2): a form, or a text of its media type.
pub(super) fn whole(operation: &Operation, given: &Given<'_>, problems: &mut Problems) -> Option<String> {
    let parameter = operation.parameters.iter().find(|p| p.place == Place::QueryString)?;
    let Some(value) = given.get(parameter) else {
        require(parameter, problems);
        return None;
    };
    let media_type = match &parameter.form {
        ParameterForm::Content { media_type } => media_type.as_str(),
        ParameterForm::Style { .. } => "application/x-www-form-urlencoded",
    };
    let text = match (value, MediaKind::of(media_type)) {
        (Value::Object(members), MediaKind::Form) => {
            let schema = parameter.schema.clone();
            form::write(&Media::new(media_type, schema), members).unwrap_or_default()
        }
        _ => encode::strict(&content(media_type, value, &parameter.schema)?).into_owned(),
    };
    (!text.is_empty()).then_some(text)
}

/// Adds a problem if the parameter must be there.
pub(super) fn require(parameter: &Parameter, problems: &mut Problems) {
    if parameter.required {
        let at = pointer([parameter.argument.as_str()]);
        let place = parameter.place.as_str();
        problems.add(Problem::new(at, "required").expected(format!("expected a value for the {place}")));
    }
}

fn serialise(parameter: &Parameter, value: &Value, pairs: &mut Vec<Pair>) {
    match &parameter.form {
        ParameterForm::Style { style, explode, allow_reserved } => {
            let style = match style {
                Style::Simple | Style::Label | Style::Matrix | Style::Cookie => Style::Form,
                style => *style,
            };
            let encode: Encode = if *allow_reserved { encode::reserved } else { encode::strict };
            style::pairs(style, *explode, &parameter.name, value, &parameter.schema, encode, pairs);
        }
        ParameterForm::Content { media_type } => {
            let text = content(media_type, value, &parameter.schema);
            pairs
                .extend(text.map(|text| Pair::new(&encode::strict(&parameter.name), &encode::strict(&text))));
        }
    }
}

/// A value as a text of a media type: JSON where it says so, the pairs of an object where it is a form, else the plain text.
pub(super) fn content<'a>(media_type: &str, value: &'a Value, schema: &Value) -> Option<Cow<'a, str>> {
    match (value, MediaKind::of(media_type)) {
        (Value::Object(members), MediaKind::Form) => {
            form::write(&Media::new(media_type, schema.clone()), members).ok().map(Into::into)
        }
        _ if crate::plan::is_json(media_type) => Some(value.to_string().into()),
        _ => text(value, schema),
    }
}
