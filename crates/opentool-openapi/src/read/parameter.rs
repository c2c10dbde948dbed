//! Parameters in path, query, header and cookie.

use std::collections::HashSet;

use opentool_core::Diagnostic;
use opentool_text::{kind, pointer};
use serde_json::{Map, Value, json};

use super::operation::{placeholders, text};
use super::{PathItem, Reader, swagger};
use crate::plan::{Parameter, ParameterForm, Place, Style};
use crate::reference::{Broken, Found};
use crate::request::header;
use crate::request::media::MediaKind;
use crate::schema::Direction;
use crate::version::Version;

/// A part without which an operation cannot be called rightly.
pub(super) struct Unreadable {
    pub(super) code: &'static str,
    pub(super) pointer: String,
    pub(super) problem: String,
    pub(super) help: &'static str,
    /// The operation can do without it, unless it is said to be required.
    can_be_left_out: bool,
}

impl Unreadable {
    pub(super) fn new(
        code: &'static str,
        pointer: impl Into<String>,
        problem: impl Into<String>,
        help: &'static str,
    ) -> Self {
        Self { code, pointer: pointer.into(), problem: problem.into(), help, can_be_left_out: false }
    }

    fn optional(mut self) -> Self {
        self.can_be_left_out = true;
        self
    }
}

impl<'d> Reader<'d> {
    /// The parameters of an operation, those of its path item first where they are not replaced.
    pub(super) fn parameters(
        &mut self,
        item: &PathItem<'d>,
        operation: &'d Map<String, Value>,
        pointer: &str,
        path: &str,
    ) -> Result<Vec<Parameter>, Unreadable> {
        let mut parameters: Vec<Parameter> = Vec::new();
        let in_path: HashSet<&str> = placeholders(path).collect();
        let own = operation.get("parameters").map(|list| (list, pointer));
        let shared = item.members.get("parameters").map(|list| (list, item.pointer.as_str()));
        // What the operation says replaces what its path says, so it is read into the same places.
        for (list, holder) in [shared, own].into_iter().flatten() {
            let at = pointer::join(holder, "parameters");
            if list.is_null() {
                continue;
            }
            let Some(items) = list.as_array() else {
                let message = format!("`parameters` is {}, not a list; it is left out", kind(list));
                self.findings
                    .add(Diagnostic::error("parameters", at, message).help("write a list of parameters"));
                continue;
            };
            let first_own = parameters.len();
            let mut seen: HashSet<(Place, String)> = HashSet::new();
            for (index, value) in items.iter().enumerate() {
                let at = pointer::join(&at, &index.to_string());
                let Some(parameter) = self.parameter(value, &at, &in_path)? else { continue };
                let key = (parameter.place, key(&parameter));
                if !seen.insert(key.clone()) {
                    let message = format!(
                        "the {} parameter `{}` is listed twice; the first counts",
                        key.0.as_str(),
                        key.1
                    );
                    self.warn("duplicate-parameter", at, message, "remove one of the two");
                    continue;
                }
                let inherited = parameters
                    .iter_mut()
                    .take(first_own)
                    .find(|other| other.place == key.0 && self::key(other) == key.1);
                match inherited {
                    Some(inherited) => *inherited = parameter,
                    None => parameters.push(parameter),
                }
            }
        }
        for name in placeholders(path) {
            if !parameters.iter().any(|p| p.place == Place::Path && p.name == name) {
                let message =
                    format!("the path's parameter `{name}` is not described; it is taken to be a text");
                self.warn("path-parameter", pointer, message, "add it to `parameters` with `in: path`");
                parameters.push(undescribed(name));
            }
        }
        Ok(parameters)
    }

    /// One parameter; nothing where the specification says that it is ignored.
    fn parameter(
        &mut self,
        value: &'d Value,
        at: &str,
        in_path: &HashSet<&str>,
    ) -> Result<Option<Parameter>, Unreadable> {
        let found = match self.document.follow(value, at) {
            Ok(found) => found,
            Err(broken) => {
                // What was not read is there, and may be required; the host can let it be read.
                if let Broken::Elsewhere(..) = broken {
                    let finding = broken.finding(at, "the parameter cannot be read");
                    let help = broken.refusal_help().unwrap_or("let it lead to a parameter of this document");
                    return Err(Unreadable::new(finding.code, finding.pointer, finding.message, help));
                }
                let finding = broken.finding(at, "the parameter is left out");
                self.findings.add(finding.help("let it lead to a parameter of this document"));
                return Ok(None);
            }
        };
        let Some(members) = found.value.as_object() else {
            let message = format!("a parameter is {}, not an object; it is left out", kind(found.value));
            let found = Diagnostic::error("parameter", at, message);
            self.findings.add(found.help("write an object with `name`, `in` and `schema`"));
            return Ok(None);
        };
        if swagger::is_body(members) {
            self.look_at_swagger_body(&found.pointer);
            return Ok(None);
        }
        let is_required = members.get("required").and_then(Value::as_bool) == Some(true);
        let (name, place) = match self.identity(members, &found.pointer, in_path) {
            Ok(identity) => identity,
            Err(unreadable) if is_required || !unreadable.can_be_left_out => return Err(unreadable),
            Err(unreadable) => {
                let message = format!("{}; it is left out", unreadable.problem);
                let finding = Diagnostic::error(unreadable.code, unreadable.pointer, message);
                self.findings.add(finding.help(unreadable.help));
                return Ok(None);
            }
        };
        let lower = name.to_ascii_lowercase();
        if place == Place::Header && matches!(lower.as_str(), "accept" | "content-type" | "authorization") {
            return Ok(None);
        }
        // What is sent says how long it is, and where it goes.
        if place == Place::Header && matches!(lower.as_str(), "content-length" | "host") {
            return Ok(None);
        }
        if let Some(why) = (place == Place::Header).then(|| header::unsendable(&name)).flatten() {
            let message = format!("the header parameter `{}` {why}; it is left out", shorten(&name));
            let help = "remove it, or give it the name of a header of your own";
            self.warn("parameter-name", found.pointer, message, help);
            return Ok(None);
        }
        if place == Place::Path && !in_path.contains(name.as_str()) {
            let message = format!("the path has no `{{{name}}}`; the parameter is left out");
            self.warn(
                "path-parameter",
                found.pointer,
                message,
                "add it to the path, or give it another `in`",
            );
            return Ok(None);
        }
        let required = place == Place::Path || is_required;
        let (form, schema) = self.form(members, place, &found);
        let schema = annotate(schema, members, value);
        let allow_empty = members.get("allowEmptyValue").and_then(Value::as_bool) == Some(true);
        Ok(Some(Parameter {
            argument: name.clone(),
            name,
            place,
            required,
            allow_empty: allow_empty && place == Place::Query,
            form,
            schema,
        }))
    }

    /// The name and the place of a parameter.
    fn identity(
        &mut self,
        members: &Map<String, Value>,
        at: &str,
        in_path: &HashSet<&str>,
    ) -> Result<(String, Place), Unreadable> {
        // YAML reads unquoted digits as a number.
        let digits = || members.get("name").filter(|name| name.is_number()).map(ToString::to_string);
        let Some(name) = text(members, "name").or_else(digits) else {
            let help = "every parameter needs `name` and `in`";
            return Err(Unreadable::new("parameter", at, "a parameter has no `name`", help).optional());
        };
        let place = self.place(members, &name, at, in_path)?;
        Ok((name, place))
    }

    fn place(
        &mut self,
        members: &Map<String, Value>,
        name: &str,
        at: &str,
        in_path: &HashSet<&str>,
    ) -> Result<Place, Unreadable> {
        let written = members.get("in").and_then(Value::as_str).unwrap_or_default();
        let place = match written.trim().to_ascii_lowercase().as_str() {
            "path" => Some(Place::Path),
            "query" => Some(Place::Query),
            "header" => Some(Place::Header),
            "cookie" => Some(Place::Cookie),
            "querystring" => Some(Place::QueryString),
            "" if in_path.contains(name) => {
                let message = format!("the parameter `{name}` has no `in`; it stands in the path");
                self.warn("parameter-in", at, message, "write `in: path`");
                Some(Place::Path)
            }
            _ => None,
        };
        place.ok_or_else(|| {
            let problem = match written {
                "" => format!("the parameter `{name}` has no `in`"),
                other => {
                    format!("the parameter `{name}` is `in: {}`", other.chars().take(40).collect::<String>())
                }
            };
            let help = "the places are path, query, header, cookie; bodies go into `requestBody`";
            Unreadable::new("parameter-in", at, problem, help).optional()
        })
    }

    /// How the value is written, and its schema.
    fn form(
        &mut self,
        members: &'d Map<String, Value>,
        place: Place,
        found: &Found<'d>,
    ) -> (ParameterForm, Value) {
        if let Some((media_type, media)) =
            members.get("content").and_then(Value::as_object).and_then(|content| content.iter().next())
        {
            let at = pointer::join(&pointer::join(&found.pointer, "content"), media_type);
            let schema = match media.get("schema") {
                Some(schema) => self.schema(schema, &pointer::join(&at, "schema"), Direction::Input),
                None => json!({}),
            };
            if matches!(MediaKind::of(media_type), MediaKind::Xml | MediaKind::Multipart)
                && !schema.get("type").is_some_and(|name| name == "string")
            {
                let shown = shorten(media_type);
                let message =
                    format!("a parameter cannot be written as `{shown}`; lists and objects are sent as JSON");
                self.warn("media-type", at, message, "describe a text, or write `application/json`");
            }
            return (ParameterForm::Content { media_type: media_type.clone() }, schema);
        }
        let is_swagger = self.document.version_at(&found.pointer) == Version::V2;
        let (style, explode) = if is_swagger {
            self.collection(members, place, &found.pointer)
        } else {
            let style = self.style(members, place, &found.pointer);
            let explode = members.get("explode").and_then(Value::as_bool);
            (style, explode.unwrap_or(matches!(style, Style::Form | Style::Cookie)))
        };
        let form = ParameterForm::Style {
            style,
            explode,
            allow_reserved: members.get("allowReserved").and_then(Value::as_bool) == Some(true),
        };
        let schema = match members.get("schema") {
            Some(schema) => self.schema(schema, &pointer::join(&found.pointer, "schema"), Direction::Input),
            // The way of Swagger 2.0.
            None if members.contains_key("type") => {
                let at = found.pointer.as_ref();
                if !is_swagger {
                    let message = "the type stands on the parameter itself";
                    self.warn("parameter-schema", at, message, "move it into `schema`");
                }
                self.inline(members, at)
            }
            None => json!({}),
        };
        (form, schema)
    }

    fn style(&mut self, members: &Map<String, Value>, place: Place, at: &str) -> Style {
        let default = match place {
            Place::Path | Place::Header => Style::Simple,
            Place::Query | Place::QueryString | Place::Cookie => Style::Form,
        };
        let Some(written) = members.get("style").filter(|style| !style.is_null()) else { return default };
        let style = match written.as_str().unwrap_or_default() {
            "simple" => Some(Style::Simple),
            "label" => Some(Style::Label),
            "matrix" => Some(Style::Matrix),
            "form" => Some(Style::Form),
            "spaceDelimited" => Some(Style::SpaceDelimited),
            "pipeDelimited" => Some(Style::PipeDelimited),
            "deepObject" => Some(Style::DeepObject),
            "cookie" => Some(Style::Cookie),
            _ => None,
        };
        let fits = style.filter(|style| match place {
            Place::Path => matches!(style, Style::Simple | Style::Label | Style::Matrix),
            Place::Query => {
                matches!(
                    style,
                    Style::Form | Style::SpaceDelimited | Style::PipeDelimited | Style::DeepObject
                )
            }
            Place::Header => *style == Style::Simple,
            Place::Cookie => matches!(style, Style::Form | Style::Cookie),
            Place::QueryString => false,
        });
        fits.unwrap_or_else(|| {
            let at = pointer::join(at, "style");
            let message =
                format!("this style does not exist for {} parameters; the default is used", place.as_str());
            self.warn("parameter-style", at, message, "see the table of styles in the specification");
            default
        })
    }
}

/// A name as it may stand in a message.
fn shorten(name: &str) -> String {
    name.chars().take(60).collect::<String>().escape_debug().to_string()
}

/// What two parameters of one place must not share. Header names have no case.
fn key(parameter: &Parameter) -> String {
    if parameter.place == Place::Header {
        parameter.name.to_ascii_lowercase()
    } else {
        parameter.name.clone()
    }
}

fn undescribed(name: &str) -> Parameter {
    Parameter {
        argument: name.to_owned(),
        name: name.to_owned(),
        place: Place::Path,
        required: true,
        allow_empty: false,
        form: ParameterForm::Style { style: Style::Simple, explode: false, allow_reserved: false },
        schema: json!({"type": "string"}),
    }
}

/// The schema with what the parameter itself says about its value. `outer` is the parameter as it is listed, perhaps a
/// reference with a description of its own.
pub(super) fn annotate(schema: Value, members: &Map<String, Value>, outer: &Value) -> Value {
    let Value::Object(mut schema) = schema else { return schema };
    let description = outer.get("description").and_then(Value::as_str).map(str::trim).map(str::to_owned);
    if let Some(description) =
        description.filter(|text| !text.is_empty()).or_else(|| text(members, "description"))
    {
        schema.insert("description".to_owned(), Value::String(description));
    }
    if members.get("deprecated").and_then(Value::as_bool) == Some(true) {
        schema.insert("deprecated".to_owned(), Value::Bool(true));
    }
    if !schema.contains_key("examples") {
        let named = members.get("examples").and_then(Value::as_object).into_iter().flatten();
        let examples: Vec<Value> = members
            .get("example")
            .into_iter()
            .chain(named.filter_map(|(_, example)| example.get("value")))
            .filter(|example| crate::schema::is_plain(example))
            .cloned()
            .collect();
        if !examples.is_empty() {
            schema.insert("examples".to_owned(), Value::Array(examples));
        }
    }
    Value::Object(schema)
}
