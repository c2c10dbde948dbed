//! Arguments that are secrets of the host: its configuration says where they are kept, models neither see nor set them.
//!
//! They are read as late as credentials are, by whoever sends the request, and covered in all that is shown of it and of its
//! answer. What is not sent has `***` in their place, and nothing is read for it. What is shown of a request that is sent is
//! that one, so that it does not matter how a secret is written.
//!
//! Where a secret is kept there are texts only; it is sent as the type that the document asks for. What was parsed is written
//! anew, so the values in it are secrets as well as the text.

use std::time::Instant;

use opentool_core::{Arguments, Schema, ToolError};
use opentool_http::scrub::LONG;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use crate::SecretSource;
use crate::oauth::read_kept;
use crate::plan::{Operation, ParameterForm, is_json};
use crate::request::media::MediaKind;
use crate::request::{self, Located, MASK, Request, Settings};

/// The arguments of a tool that are kept elsewhere, by their names.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kept {
    own: Vec<(String, SecretSource)>,
    /// What all arguments of the tool are, made when the first is read.
    schema: Option<Schema>,
}

/// What was read, in the order of the arguments.
pub(crate) struct Revealed(Vec<SecretString>);

impl Kept {
    /// None yet, of a tool with these arguments.
    pub(crate) fn of(schema: Schema) -> Self {
        Self { own: Vec::new(), schema: Some(schema) }
    }

    pub(crate) fn add(&mut self, argument: &str, source: SecretSource) {
        self.own.push((argument.to_owned(), source));
    }

    /// Whether this argument is one of them.
    pub(crate) fn has(&self, argument: &str) -> bool {
        self.own.iter().any(|(name, _)| name == argument)
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.own.is_empty()
    }

    /// Reads them all.
    ///
    /// # Errors
    /// If one cannot be read; where it is kept is the operator's to know.
    pub(crate) async fn read(&self, end: Option<Instant>) -> Result<Revealed, ToolError> {
        let mut read = Vec::with_capacity(self.own.len());
        for (argument, source) in &self.own {
            read.push(read_kept(source, &format!("value of the argument `{argument}`"), end).await?);
        }
        Ok(Revealed(read))
    }

    /// Throws away what a service refused. `false` if there is none, so that another try would be the same.
    pub(crate) fn forget(&self, refused: &Revealed) -> bool {
        for ((_, source), secret) in self.own.iter().zip(&refused.0) {
            source.forget(secret);
        }
        !self.own.is_empty()
    }

    /// The request with what was read, which nothing shows; without, with what stands in its place.
    ///
    /// # Errors
    /// Those of [`request::build`].
    pub(crate) fn build(
        &self,
        operation: &Operation,
        arguments: &Arguments,
        settings: &Settings,
        read: Option<&Revealed>,
    ) -> Result<Request, ToolError> {
        if self.is_empty() {
            return request::build(operation, arguments, settings);
        }
        let build = |own: Vec<Value>| {
            let mut members = arguments.clone().into_map();
            members.extend(self.own.iter().map(|(name, _)| name.clone()).zip(own));
            request::build(operation, &members.into(), settings)
        };
        // What the model did wrong is said of this one, in which there is nothing to repeat.
        let masked = build(self.masks()).and_then(|request| request.masked(operation, settings))?;
        let Some(Revealed(secrets)) = read else { return Ok(masked) };
        let typed = self.typed(operation, secrets)?;
        let mut hidden = secrets.to_vec();
        for (value, secret) in typed.iter().zip(secrets) {
            written(value, secret.expose_secret(), &mut hidden);
        }
        let request = build(typed).map_err(|_| {
            let names: Vec<String> = self.own.iter().map(|(name, _)| format!("`{name}`")).collect();
            ToolError::failed(format!(
                "nothing was sent: what the operator has set for {} cannot be sent in its place; it may hold a line end or \
                 another control character",
                names.join(", ")
            ))
        })?;
        Ok(request.shown_as(&masked, &hidden))
    }

    /// The request for arguments that are sorted by place, with what stands in the place of secrets.
    ///
    /// # Errors
    /// Those of [`request::build_located`].
    pub(crate) fn build_located(
        &self,
        operation: &Operation,
        mut located: Located,
        settings: &Settings,
    ) -> Result<Request, ToolError> {
        for ((name, _), mask) in self.own.iter().zip(self.masks()) {
            located.set(operation, name, mask);
        }
        let request = request::build_located(operation, &located, settings)?;
        if self.is_empty() { Ok(request) } else { request.masked(operation, settings) }
    }

    fn masks(&self) -> Vec<Value> {
        self.own.iter().map(|_| MASK.into()).collect()
    }

    /// The secrets as the document wants them.
    ///
    /// # Errors
    /// If one cannot be what it has to be.
    fn typed(&self, operation: &Operation, secrets: &[SecretString]) -> Result<Vec<Value>, ToolError> {
        let schema = self.schema.as_ref().map_or(&Value::Null, Schema::as_value);
        let typed = |((name, _), secret): (&(String, SecretSource), &SecretString)| {
            let text = secret.expose_secret();
            typed(schema, name, text).or_else(|expected| match is_text(operation, name) {
                true => Ok(text.into()),
                false => Err(ToolError::failed(format!(
                    "nothing was sent: what the operator has set for `{name}` is not {expected}, which the document asks for"
                ))),
            })
        };
        self.own.iter().zip(secrets).map(typed).collect()
    }
}

/// Whether an argument is a text on the wire whatever its type: all that is not written as JSON.
fn is_text(operation: &Operation, argument: &str) -> bool {
    if let Some(parameter) = operation.parameters.iter().find(|own| own.argument == argument) {
        return match &parameter.form {
            ParameterForm::Style { .. } => true,
            ParameterForm::Content { media_type } => !is_json(media_type),
        };
    }
    let Some(media) = operation.body.as_ref().and_then(|body| body.preferred()) else { return false };
    let declared =
        media.encoding.get(argument).and_then(|own| own.get("contentType")).and_then(Value::as_str);
    matches!(MediaKind::of(&media.media_type), MediaKind::Form | MediaKind::Multipart)
        && !declared.is_some_and(is_json)
}

/// Adds the ways in which the values within a secret may be written where that is not the text that is kept. Short ones would
/// stand in messages by chance.
fn written(value: &Value, kept: &str, hidden: &mut Vec<SecretString>) {
    let mut add = |text: String| {
        if text != kept && text.chars().nth(LONG - 1).is_some() {
            hidden.push(text.into());
        }
    };
    match value {
        Value::Null | Value::Bool(_) => {}
        Value::String(text) => add(text.clone()),
        Value::Number(number) => {
            add(number.to_string());
            // Without its point and with it: who reads `7.0` may write `7`.
            if let Some(whole) = number.as_f64().filter(|float| float.fract() == 0.0 && number.is_f64()) {
                add(format!("{whole:.0}"));
            } else if !number.is_f64() {
                add(format!("{number}.0"));
            }
        }
        Value::Array(items) => items.iter().for_each(|item| written(item, kept, hidden)),
        Value::Object(members) => members.values().for_each(|member| written(member, kept, hidden)),
    }
}

/// How many references one behind the other are followed.
const MAX_CHAIN: usize = 32;

/// A text as the type that arguments of this name have; where texts are allowed it stays one.
///
/// # Errors
/// What it should have been.
fn typed(root: &Value, argument: &str, text: &str) -> Result<Value, String> {
    let own = Value::String(text.to_owned());
    let schema = root.get("properties").and_then(|all| all.get(argument));
    let Some(types) = schema.and_then(|schema| types(root, schema, MAX_CHAIN)) else { return Ok(own) };
    let allows = |name: &str| types.iter().any(|own| own == name);
    if allows("string") {
        return Ok(own);
    }
    match serde_json::from_str::<Value>(text) {
        // A double does not hold all digits of a whole number; on the wire outside of JSON the text is the number.
        Ok(Value::Number(number)) if number.is_f64() && !text.contains(['.', 'e', 'E']) => return Ok(own),
        Ok(value) if kinds(&value).iter().any(|kind| allows(kind)) => return Ok(value),
        _ => {}
    }
    // What is written as a list or an object elsewhere than in JSON may be any text.
    if allows("array") || allows("object") {
        return Ok(own);
    }
    Err(format!("of the type {}", types.join(" or ")))
}

/// The types that a schema allows, as far as that is simply said; `None`: any.
fn types(root: &Value, schema: &Value, depth: usize) -> Option<Vec<String>> {
    let depth = depth.checked_sub(1)?;
    let name = |value: &Value| value.as_str().map(str::to_owned);
    match schema.get("type") {
        Some(Value::Array(names)) => return names.iter().map(name).collect(),
        Some(single) => return name(single).map(|single| vec![single]),
        None => {}
    }
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        return types(root, root.pointer(reference.strip_prefix('#')?)?, depth);
    }
    let list = |keyword: &str| schema.get(keyword).and_then(Value::as_array);
    if let Some(values) = list("enum") {
        return Some(values.iter().flat_map(kinds).map(|kind| (*kind).to_owned()).collect());
    }
    if let Some(value) = schema.get("const") {
        return Some(kinds(value).iter().map(|kind| (*kind).to_owned()).collect());
    }
    if let Some(any) = list("anyOf").or_else(|| list("oneOf")) {
        let each: Option<Vec<Vec<String>>> = any.iter().map(|one| types(root, one, depth)).collect();
        return each.map(|each| each.concat());
    }
    list("allOf")?.iter().find_map(|one| types(root, one, depth))
}

/// The names of types that a value has.
fn kinds(value: &Value) -> &'static [&'static str] {
    match value {
        Value::Null => &["null"],
        Value::Bool(_) => &["boolean"],
        Value::Number(number) if number.as_f64().is_some_and(|float| float.fract() == 0.0) => {
            &["integer", "number"]
        }
        Value::Number(_) => &["number"],
        Value::String(_) => &["string"],
        Value::Array(_) => &["array"],
        Value::Object(_) => &["object"],
    }
}
