//! Swagger 2.0: what it says in other places than OpenAPI 3, read into the same plan.
//!
//! Bodies and form fields are parameters there, a server is a host, a path and schemes, media types stand beside the
//! operation, and lists have a `collectionFormat`. Nothing is rewritten, so findings name places of the document as it
//! is.

use opentool_text::pointer;
use serde_json::{Map, Value, json};

use super::body::{self, WHOLE};
use super::operation::text;
use super::parameter::{Unreadable, annotate};
use super::{PathItem, Reader};
use crate::plan::{Body, BodyArguments, Media, Parameter, Place, Server, Style, essence, is_json};
use crate::reference::Found;
use crate::request::media::MediaKind;
use crate::schema::Direction;
use crate::version::Version;

/// Whether a parameter is a body or a part of one.
pub(super) fn is_body(parameter: &Map<String, Value>) -> bool {
    let place = parameter.get("in").and_then(Value::as_str).unwrap_or_default().trim();
    place.eq_ignore_ascii_case("body") || place.eq_ignore_ascii_case("formData")
}

/// How a list of a `collectionFormat` is written, and whether it is spread out.
pub(super) fn collection(format: Option<&str>, place: Place) -> Result<(Style, bool), &str> {
    let is_query = place == Place::Query;
    let default = match place {
        Place::Path | Place::Header => Style::Simple,
        Place::Query | Place::QueryString | Place::Cookie => Style::Form,
    };
    match format {
        None | Some("csv" | "") => Ok((default, false)),
        Some("multi") if is_query => Ok((default, true)),
        Some("ssv") => Ok((Style::SpaceDelimited, false)),
        Some("pipes") => Ok((Style::PipeDelimited, false)),
        Some("tsv") => Ok((Style::TabDelimited, false)),
        Some(other) => Err(other),
    }
}

impl<'d> Reader<'d> {
    /// The servers of a document: its host and path with each scheme that can be called, `https` first.
    pub(super) fn swagger_servers(&mut self, schemes: Option<&Value>) -> Vec<Server> {
        let root = self.document.root();
        let word = |member: &str| root.get(member).and_then(Value::as_str).map(str::trim).unwrap_or_default();
        let base = word("basePath").trim_end_matches('/');
        let base =
            if base.is_empty() || base.starts_with('/') { base.to_owned() } else { format!("/{base}") };
        let host = word("host").trim_end_matches('/');
        if host.is_empty() {
            let url = if base.is_empty() { "/".to_owned() } else { base };
            return vec![Server { url, variables: Vec::new() }];
        }
        // Some writers put the scheme here.
        if host.starts_with("http://") || host.starts_with("https://") {
            return vec![Server { url: format!("{host}{base}"), variables: Vec::new() }];
        }
        let listed = schemes.or_else(|| root.get("schemes")).and_then(Value::as_array).into_iter().flatten();
        let mut schemes: Vec<String> = listed
            .filter_map(|scheme| Some(scheme.as_str()?.trim().to_ascii_lowercase()))
            .filter(|scheme| matches!(scheme.as_str(), "http" | "https"))
            .collect();
        if schemes.is_empty() {
            // The scheme by which the document itself came, says the specification.
            let own = self.document.address.url().map_or("https", |url| url.scheme());
            schemes.push(own.to_owned());
        }
        // Nobody's credentials go unprotected where they need not.
        schemes.sort_by_key(|scheme| scheme != "https");
        schemes.dedup();
        let server = |scheme| Server { url: format!("{scheme}://{host}{base}"), variables: Vec::new() };
        schemes.into_iter().map(server).collect()
    }

    /// The body of an operation: its `body` parameter, or its form fields as one object.
    pub(super) fn swagger_body(
        &mut self,
        item: &PathItem<'d>,
        operation: &'d Map<String, Value>,
        pointer: &str,
        parameters: &[Parameter],
    ) -> Result<Option<Body>, Unreadable> {
        let (whole, fields) = self.body_parameters(item, operation, pointer);
        let consumes = self.consumes(operation);
        let mut body = match (whole, fields.is_empty()) {
            (None, true) => return Ok(None),
            (Some(found), true) => self.whole_body(&found, consumes),
            (whole, false) => {
                if let Some(found) = whole {
                    let message = "an operation has a `body` or `formData`, not both; the fields count";
                    self.warn("body", found.pointer.as_ref(), message, "remove one of the two");
                }
                self.form_body(fields, &consumes)
            }
        };
        if let Some(properties) = self.flatten(&body, parameters) {
            body.arguments = BodyArguments::Properties(properties);
        }
        Ok(Some(body))
    }

    /// The `body` parameter and the `formData` parameters, those of the operation in place of those of its path.
    fn body_parameters(
        &self,
        item: &PathItem<'d>,
        operation: &'d Map<String, Value>,
        pointer: &str,
    ) -> (Option<Found<'d>>, Vec<Found<'d>>) {
        let mut whole: Option<Found<'d>> = None;
        let mut fields: Vec<Found<'d>> = Vec::new();
        for (holder, at) in [(item.members, item.pointer.as_str()), (operation, pointer)] {
            let at = pointer::join(at, "parameters");
            let listed = holder.get("parameters").and_then(Value::as_array).into_iter().flatten();
            for (index, value) in listed.enumerate() {
                // A reference that leads nowhere was told when the other parameters were read.
                let at = pointer::join(&at, &index.to_string());
                let Ok(found) = self.document.follow(value, &at) else { continue };
                let Some(members) = found.value.as_object().filter(|members| is_body(members)) else {
                    continue;
                };
                let name = members.get("name").and_then(Value::as_str);
                let is_field = members.get("in").and_then(Value::as_str) != Some("body");
                let same = |field: &&mut Found<'d>| field.value.get("name").and_then(Value::as_str) == name;
                match (is_field, fields.iter_mut().find(same)) {
                    (false, _) => whole = Some(found),
                    (true, Some(earlier)) => *earlier = found,
                    (true, None) => fields.push(found),
                }
            }
        }
        (whole, fields)
    }

    /// The media types that an operation takes: its own, else the document's.
    fn consumes(&self, operation: &Map<String, Value>) -> Vec<String> {
        media_types(operation.get("consumes").or_else(|| self.document.root().get("consumes")))
    }

    fn whole_body(&mut self, found: &Found<'d>, mut consumes: Vec<String>) -> Body {
        let members = found.value.as_object();
        let schema = match found.value.get("schema") {
            Some(schema) => self.schema(schema, &pointer::join(&found.pointer, "schema"), Direction::Input),
            None => members.map_or_else(|| json!({}), |members| self.inline(members, &found.pointer)),
        };
        if consumes.is_empty() {
            consumes.push("application/json".to_owned());
        }
        let media = consumes
            .into_iter()
            .map(|media_type| {
                let schema = body::settled_by_default(&media_type, schema.clone());
                let xml = self.xml_form(&media_type, &Value::Null, &pointer::join(&found.pointer, "schema"));
                Media { xml, ..Media::new(media_type, schema) }
            })
            .collect();
        Body {
            required: found.value.get("required").and_then(Value::as_bool) == Some(true),
            description: members.and_then(|members| text(members, "description")),
            arguments: BodyArguments::Whole(WHOLE.to_owned()),
            media,
            credential: None,
        }
    }

    fn form_body(&mut self, fields: Vec<Found<'d>>, consumes: &[String]) -> Body {
        let mut properties = Map::new();
        let mut required = Vec::new();
        let mut encoding = Map::new();
        let mut has_file = false;
        for field in fields {
            let Some(members) = field.value.as_object() else { continue };
            let Some(name) = text(members, "name") else {
                self.warn(
                    "parameter",
                    field.pointer.as_ref(),
                    "a form field has no `name`; it is left out",
                    "add it",
                );
                continue;
            };
            has_file |= members.get("type").is_some_and(|name| name == "file");
            let schema = match members.get("schema") {
                Some(schema) => {
                    self.schema(schema, &pointer::join(&field.pointer, "schema"), Direction::Input)
                }
                None => self.inline(members, &field.pointer),
            };
            if members.get("required").and_then(Value::as_bool) == Some(true) {
                required.push(Value::String(name.clone()));
            }
            if members.get("type").is_some_and(|name| name == "array") {
                // In a form the fields are written as in a query.
                let (style, explode) = self.collection(members, Place::Query, &field.pointer);
                let style = match style {
                    Style::SpaceDelimited => "spaceDelimited",
                    Style::PipeDelimited => "pipeDelimited",
                    Style::TabDelimited => "tabDelimited",
                    _ => "form",
                };
                encoding.insert(name.clone(), json!({"style": style, "explode": explode}));
            }
            properties.insert(name, annotate(schema, members, field.value));
        }
        let is_required = !required.is_empty();
        let mut schema = json!({"type": "object", "properties": properties});
        if let (true, Value::Object(members)) = (is_required, &mut schema) {
            members.insert("required".to_owned(), Value::Array(required));
        }
        let fits = |media_type: &&String| match MediaKind::of(media_type) {
            MediaKind::Multipart => true,
            MediaKind::Form => !has_file,
            _ => false,
        };
        let mut media_types: Vec<String> = consumes.iter().filter(fits).cloned().collect();
        if media_types.is_empty() {
            let usual = if has_file { "multipart/form-data" } else { "application/x-www-form-urlencoded" };
            media_types.push(usual.to_owned());
        }
        let media = media_types.into_iter().map(|media_type| {
            // A `collectionFormat` holds for parts as for pairs: `csv`, which is the default, is one part.
            let encoding = match encoding.is_empty() {
                false => Value::Object(encoding.clone()),
                true => Value::Null,
            };
            Media { encoding, ..Media::new(media_type, schema.clone()) }
        });
        Body {
            required: is_required,
            description: None,
            arguments: BodyArguments::Whole(WHOLE.to_owned()),
            media: media.collect(),
            credential: None,
        }
    }

    /// The schema of a parameter whose type stands on itself.
    pub(super) fn inline(&mut self, members: &Map<String, Value>, at: &str) -> Value {
        let mut inline = members.clone();
        for member in ["name", "in", "description", "required", "example", "examples", "deprecated", "style"]
        {
            inline.shift_remove(member);
        }
        self.schema(&Value::Object(inline), at, Direction::Input)
    }

    /// How a list is written, with a finding where that does not exist.
    pub(super) fn collection(
        &mut self,
        members: &Map<String, Value>,
        place: Place,
        at: &str,
    ) -> (Style, bool) {
        let inner =
            members.get("items").filter(|items| items.get("type").is_some_and(|name| name == "array"));
        if inner.is_some() {
            let message = "lists within a list are written as JSON, whatever their `collectionFormat` says";
            let help = "describe a list of single values, or a body in JSON";
            self.warn("parameter-style", pointer::join(at, "items"), message, help);
        }
        let format = members.get("collectionFormat").and_then(Value::as_str);
        collection(format, place).unwrap_or_else(|other| {
            let other: String = other.chars().take(40).collect();
            let message =
                format!("`{other}` does not exist for {} parameters; `csv` is used", place.as_str());
            let help = "the formats are csv, ssv, tsv, pipes, and multi for query and form fields";
            self.warn("parameter-style", pointer::join(at, "collectionFormat"), message, help);
            collection(None, place).unwrap_or((Style::Simple, false))
        })
    }

    /// Says that a document of another version has parameters as Swagger 2.0 has them.
    pub(super) fn look_at_swagger_body(&mut self, at: &str) {
        if self.document.version_at(at) != Version::V2 {
            let message = "a body stands in `parameters`, the way of Swagger 2.0; it is read as one";
            self.warn("body-parameter", at, message, "move it into `requestBody`");
        }
    }
}

/// The schema of a response, where it answers with JSON.
pub(super) fn response_schema<'d>(
    root: &'d Value,
    operation: Option<&'d Value>,
    response: &'d Value,
) -> Option<&'d Value> {
    let produces = operation.and_then(|operation| operation.get("produces")).or_else(|| root.get("produces"));
    let produces = media_types(produces);
    let takes = |media_type: &String| is_json(media_type) || essence(media_type) == "*/*";
    if !produces.is_empty() && !produces.iter().any(takes) {
        return None;
    }
    let schema = response.get("schema")?;
    (schema.get("type").is_none_or(|name| name != "file")).then_some(schema)
}

/// The flows of an OAuth 2 scheme in the form of OpenAPI 3.
pub(super) fn flows(scheme: &Value) -> Value {
    let flow = match scheme.get("flow").and_then(Value::as_str).unwrap_or_default() {
        "application" => "clientCredentials",
        "accessCode" => "authorizationCode",
        other => other,
    };
    let mut members = Map::new();
    for member in ["authorizationUrl", "tokenUrl", "scopes"] {
        if let Some(value) = scheme.get(member) {
            members.insert(member.to_owned(), value.clone());
        }
    }
    if flow.is_empty() { Value::Null } else { json!({ flow: members }) }
}

fn media_types(value: Option<&Value>) -> Vec<String> {
    let listed = value.and_then(Value::as_array).into_iter().flatten();
    listed
        .filter_map(|media_type| Some(media_type.as_str()?.trim().to_owned()))
        .filter(|media_type| media_type.contains('/'))
        .collect()
}
