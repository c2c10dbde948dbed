//! Request bodies, and how they stand among the arguments.

use opentool_text::{kind, pointer};
use serde_json::{Map, Value, json};

use super::credential::in_form;
use super::operation::text;
use super::parameter::Unreadable;
use super::{Reader, argument};
use crate::bytes::is_bytes;
use crate::document::Document;
use crate::plan::{Body, BodyArguments, JSON_PATCH, Media, Operation, Parameter, XmlForm, essence};
use crate::request::media::MediaKind;
use crate::request::multipart::headers;
use crate::schema::{Direction, Knowledge, definition_name};
use crate::version::Version;

/// How many references one behind the other are followed.
const MAX_CHAIN: usize = 32;

/// The argument that a body is where it is one.
pub(super) const WHOLE: &str = "body";

impl<'d> Reader<'d> {
    /// The body of an operation.
    pub(super) fn body(
        &mut self,
        operation: &'d Map<String, Value>,
        pointer: &str,
        parameters: &[Parameter],
    ) -> Result<Option<Body>, Unreadable> {
        let Some(value) = operation.get("requestBody").filter(|body| !body.is_null()) else {
            return Ok(None);
        };
        let at = pointer::join(pointer, "requestBody");
        let found = self.document.follow(value, &at).map_err(|broken| {
            let finding = broken.finding(&at, "the body cannot be read");
            let help = broken.refusal_help().unwrap_or("let it lead to a body of this document");
            Unreadable::new(finding.code, finding.pointer, finding.message, help)
        })?;
        let Some(members) = found.value.as_object() else {
            let problem = format!("the body is {}, not an object", kind(found.value));
            return Err(Unreadable::new("body", at, problem, "write an object with `content`"));
        };
        let at = pointer::join(&found.pointer, "content");
        let content = match members.get("content") {
            Some(Value::Object(content)) => content,
            Some(Value::Null) | None => return Ok(None),
            Some(other) => {
                let problem = format!("the `content` of the body is {}, not an object", kind(other));
                return Err(Unreadable::new(
                    "body",
                    at,
                    problem,
                    "write media types as keys: `application/json: {…}`",
                ));
            }
        };
        let media = self.media(content, &at)?;
        if media.is_empty() {
            return Ok(None);
        }
        let mut body = Body {
            required: members.get("required").and_then(Value::as_bool) == Some(true),
            description: text(members, "description"),
            arguments: BodyArguments::Whole(WHOLE.to_owned()),
            media,
            credential: None,
        };
        if let Some(properties) = self.flatten(&body, parameters) {
            body.arguments = BodyArguments::Properties(properties);
        }
        Ok(Some(body))
    }

    fn media(&mut self, content: &'d Map<String, Value>, at: &str) -> Result<Vec<Media>, Unreadable> {
        let mut all = Vec::with_capacity(content.len());
        let mut unwritable = None;
        for (media_type, value) in content {
            let at = pointer::join(at, media_type);
            if !media_type.contains('/') {
                let message = format!("`{media_type}` is not a media type; it is left out");
                self.warn("media-type", at, message, "write `application/json`");
                continue;
            }
            // OpenAPI 3.2 has references here.
            let (value, at) = match self.document.follow(value, &at) {
                Ok(found) => (found.value, found.pointer.into_owned()),
                Err(broken) => {
                    self.findings.add(broken.finding(&at, "the media type is taken without a schema"));
                    (&Value::Null, at)
                }
            };
            if essence(media_type) == "multipart/form-data" && self.is_sequence(value, &at) {
                let problem = "the parts of `multipart/form-data` have names, and a list is described, whose items have none";
                let help = "describe an object, or write `multipart/mixed`";
                unwritable = Some(Unreadable::new("media-type", at, problem, help));
                continue;
            }
            let schema = match value.get("schema") {
                Some(schema) if has_no_names(self.document, media_type, schema, &at) => {
                    let message = format!(
                        "what is sent as `{media_type}` has names, and one value without a name is described; any names are taken"
                    );
                    let help = "describe an object: `{type: object, properties: {file: {type: string, format: binary}}}`";
                    self.warn("media-type", pointer::join(&at, "schema"), message, help);
                    any_names()
                }
                Some(schema) => self.schema(schema, &pointer::join(&at, "schema"), Direction::Input),
                // OpenAPI 3.2: one item of a sequence, which is a list among the arguments.
                None => match value.get("itemSchema") {
                    Some(item) => {
                        let at = pointer::join(&at, "itemSchema");
                        json!({"type": "array", "items": self.schema(item, &at, Direction::Input)})
                    }
                    None => json!({}),
                },
            };
            let schema = settled_by_default(media_type, schema);
            let encoding = self.encoding(value.get("encoding"), media_type, &at);
            let part_headers = self.part_headers(value.get("encoding"), media_type, &at);
            let described = value.get("schema").map(|_| pointer::join(&at, "schema"));
            let xml = described.and_then(|at| self.xml_form(media_type, &encoding, &at));
            let in_order = self.in_order(value, &at);
            all.push(Media { encoding, in_order, xml, part_headers, ..Media::new(media_type, schema) });
        }
        match unwritable {
            Some(unreadable) if all.is_empty() => Err(unreadable),
            Some(Unreadable { code, pointer, problem, help, .. }) => {
                self.warn(code, pointer, format!("{problem}; it is sent as another media type"), help);
                Ok(all)
            }
            None => Ok(all),
        }
    }

    /// Whether a media type describes a list, which the parts of a multipart body are in their order.
    fn is_sequence(&self, media: &'d Value, at: &str) -> bool {
        match media.get("schema") {
            Some(schema) => {
                let found = self.document.follow(schema, &pointer::join(at, "schema"));
                found.is_ok_and(|found| found.value.get("type").is_some_and(|name| name == "array"))
            }
            None => media.get("itemSchema").is_some(),
        }
    }

    /// The properties of a body that can be arguments of their own: those of a plain object whose names nobody else has.
    pub(super) fn flatten(&mut self, body: &Body, parameters: &[Parameter]) -> Option<Vec<String>> {
        let media = body.preferred().filter(|media| takes_object(media))?;
        self.know_chain(&media.schema);
        flattened(self.document, &self.knowledge, body, parameters)
    }
}

impl Reader<'_> {
    /// Says where an object is described for a media type that has none. Asked when all bodies are settled.
    pub(super) fn look_at_disguises(&mut self, operations: &[Operation]) {
        for operation in operations {
            let media = operation.body.as_ref().and_then(Body::preferred);
            let Some(media) = media.filter(|media| media.is_json_in_disguise()) else { continue };
            let place = self.document.place(operation.document.as_deref(), &operation.pointer);
            let name = if media.is_no_object() { "application/json" } else { &media.media_type };
            let message = format!(
                "`{}` does not say how an object is written; it is sent as JSON, as `{name}`",
                media.media_type
            );
            let at = match self.document.version_at(&place) {
                Version::V2 => place,
                _ => pointer::join(&place, "requestBody"),
            };
            self.warn("media-type", at, message, "write the media type that it is");
        }
    }

    /// Says which headers of parts nobody can give: those of parts that are no files, where the document leaves a choice.
    /// Asked when all bodies are settled.
    pub(super) fn look_at_part_headers(&mut self, operations: &[Operation]) {
        for operation in operations {
            let body = operation.body.as_ref();
            for media in body.into_iter().flat_map(|body| &body.media) {
                let is_file = |property: &str| {
                    let schema = media.schema.get("properties").and_then(|all| all.get(property));
                    schema.is_none_or(|schema| is_bytes(schema) || schema.get("items").is_some_and(is_bytes))
                };
                for header in &media.part_headers {
                    if !header.required
                        || headers::fixed(&header.schema).is_some()
                        || is_file(&header.property)
                    {
                        continue;
                    }
                    let place = self.document.place(operation.document.as_deref(), &operation.pointer);
                    let at = ["requestBody", "content", &media.media_type, "encoding", &header.property];
                    let at = at.iter().fold(place, |at, member| pointer::join(&at, member));
                    let message = format!(
                        "the part `{}` needs the header `{}`, whose value nobody can give for a part that is no file; it is \
                         sent without",
                        header.property, header.name
                    );
                    self.warn("part-header", at, message, "give the header a `const` or a `default`");
                }
            }
        }
    }

    /// How a body whose schema stands at a place is written, where it is XML.
    pub(super) fn xml_form(&mut self, media_type: &str, encoding: &Value, place: &str) -> Option<XmlForm> {
        let is_xml = match MediaKind::of(media_type) {
            MediaKind::Xml => true,
            MediaKind::Form | MediaKind::Multipart => {
                let mut types = encoding
                    .as_object()
                    .into_iter()
                    .flat_map(|all| all.values())
                    .map(|own| own.get("contentType"));
                types.any(|own| {
                    own.and_then(Value::as_str).is_some_and(|own| MediaKind::of(own) == MediaKind::Xml)
                })
            }
            _ => false,
        };
        is_xml.then(|| self.xml.form(self.document, place))
    }

    /// Makes the schemas known to which a schema that is only a reference leads. What is known otherwise depends on the
    /// operations that were read before.
    fn know_chain(&mut self, schema: &Value) {
        let name = schema.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix("#/$defs/"));
        let mut place = name.and_then(|name| self.knowledge.definitions.get(name).cloned());
        for _ in 0..MAX_CHAIN {
            let Some(at) = place.take() else { break };
            let reference = self.document.at(&at).and_then(|schema| schema.get("$ref")?.as_str());
            let found = reference.and_then(|reference| self.document.resolve(reference, &at).ok());
            place = found.map(|found| {
                let next = found.pointer.into_owned();
                self.knowledge.refer(&definition_name(self.document, &next), &next);
                next
            });
        }
    }
}

/// The same where all schemas are known.
fn flattened(
    document: &Document,
    knowledge: &Knowledge,
    body: &Body,
    parameters: &[Parameter],
) -> Option<Vec<String>> {
    let media = body.preferred().filter(|media| takes_object(media))?;
    let schema = referenced(document, knowledge, &media.schema, Direction::Input);
    let schema = schema.as_object()?;
    let is_composed =
        ["allOf", "anyOf", "oneOf", "not", "if", "$ref", "patternProperties", "dependentSchemas"]
            .iter()
            .any(|keyword| schema.contains_key(*keyword));
    let is_object = match schema.get("type") {
        None => true,
        Some(kind) => kind == "object",
    };
    let is_closed = matches!(schema.get("additionalProperties"), None | Some(Value::Bool(false)));
    let limits_count = schema.contains_key("minProperties") || schema.contains_key("maxProperties");
    if is_composed || !is_object || !is_closed || limits_count || is_base(document, knowledge, &media.schema)
    {
        return None;
    }
    let properties = schema.get("properties")?.as_object().filter(|properties| !properties.is_empty())?;
    let required = schema.get("required").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    // An optional body with required properties may be absent as a whole; separate arguments cannot say that.
    if !body.required && !required.is_empty() {
        return None;
    }
    // What is required but not described would have no argument.
    if required.iter().filter_map(Value::as_str).any(|name| !properties.contains_key(name)) {
        return None;
    }
    let clashes = parameters.iter().any(|parameter| properties.contains_key(&parameter.name));
    (!clashes).then(|| properties.keys().cloned().collect())
}

/// Whether a schema is a reference to one that others build on: it has a discriminator, and what they add to it is not
/// described there.
fn is_base(document: &Document, knowledge: &Knowledge, schema: &Value) -> bool {
    let name = schema.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix("#/$defs/"));
    let place = name.and_then(|name| knowledge.definitions.get(name));
    let found = place.and_then(|place| document.follow(document.at(place)?, place).ok());
    found.is_some_and(|found| {
        found.value.get("discriminator").is_some_and(|told| !told.is_null())
            && found.value.get("additionalProperties") != Some(&Value::Bool(false))
    })
}

/// The operation with one of its media types only, as which its tool then sends bodies. `None` if the document has none that
/// fits.
pub(crate) fn only(
    document: &Document,
    knowledge: &Knowledge,
    operation: &Operation,
    media_type: &str,
) -> Option<Operation> {
    let mut operation = operation.clone();
    let body = operation.body.as_mut()?;
    body.media = vec![body.choose(media_type)?];
    body.arguments = match flattened(document, knowledge, body, &operation.parameters) {
        Some(properties) => BodyArguments::Properties(properties),
        None => BodyArguments::Whole(WHOLE.to_owned()),
    };
    for parameter in &mut operation.parameters {
        parameter.argument.clone_from(&parameter.name);
    }
    argument::name(&mut operation.parameters, operation.body.as_ref());
    let credential = in_form(document, knowledge, &operation);
    if let Some(body) = &mut operation.body {
        body.credential = credential;
    }
    Some(operation)
}

/// Whether a form, or a body of parts, is described as a single value, which has no name that it could be sent under.
pub(crate) fn has_no_names(document: &Document, media_type: &str, schema: &Value, media: &str) -> bool {
    let is_single =
        |name: &Value| ["string", "number", "integer", "boolean"].iter().any(|single| name == single);
    matches!(MediaKind::of(media_type), MediaKind::Form | MediaKind::Multipart)
        && document
            .follow(schema, &pointer::join(media, "schema"))
            .is_ok_and(|found| found.value.get("type").is_some_and(is_single))
}

/// The schema of a form whose names the document keeps to itself.
pub(crate) fn any_names() -> Value {
    json!({"type": "object", "description": "Fields by their names, such as `file`; bytes are {\"$base64\": \"…\"}, with a \
        `filename` and a `contentType`."})
}

/// The schema of a body; where it says nothing, what the media type says: bytes are bytes, and a form is an object.
pub(super) fn settled_by_default(media_type: &str, schema: Value) -> Value {
    if !schema.as_object().is_some_and(Map::is_empty) {
        return schema;
    }
    match MediaKind::of(media_type) {
        MediaKind::Binary => json!({"type": "string", "format": "binary"}),
        MediaKind::Form | MediaKind::Multipart => json!({"type": "object"}),
        _ => schema,
    }
}

/// Looks through the references of bodies that are written by their schema: forms, parts, text and bytes. Whoever
/// builds a request has the plan and not the document. Done when all schemas are known.
pub(super) fn settle(body: &mut Body, document: &Document, knowledge: &Knowledge) {
    let meant = |schema: &Value| referenced(document, knowledge, unwrapped(schema), Direction::Input);
    for media in &mut body.media {
        let media_kind = MediaKind::of(&media.media_type);
        if media.essence() == JSON_PATCH && !is_list(&meant(&media.schema)) {
            media.schema = steps();
        }
        if matches!(media_kind, MediaKind::Json | MediaKind::JsonLines) {
            // Where any media type will do, bytes are sent as what they are.
            if media.media_type.contains('*') && is_reference(&media.schema) {
                let found = meant(&media.schema);
                if is_bytes(&found) {
                    media.schema = found;
                }
            }
            continue;
        }
        if is_reference(&media.schema) {
            media.schema = meant(&media.schema);
        }
        for header in media.part_headers.iter_mut().filter(|header| is_reference(&header.schema)) {
            header.schema = meant(&header.schema);
        }
        // A file that is described as the form that it is not.
        if media.essence() == "application/octet-stream" && media.is_json_in_disguise() {
            let properties = media.schema.get("properties").and_then(Value::as_object);
            if properties.is_some_and(|all| all.values().any(|property| is_bytes(&meant(property)))) {
                media.schema = json!({"type": "string", "format": "binary"});
            }
        }
        if media_kind != MediaKind::Multipart {
            continue;
        }
        // Parts in their order.
        if let Some(items) = media.schema.get_mut("items").filter(|items| is_reference(items)) {
            let found = meant(items);
            if is_bytes(&found) {
                *items = found;
            }
        }
        let properties = media.schema.get_mut("properties").and_then(Value::as_object_mut);
        for property in properties.into_iter().flat_map(|properties| properties.values_mut()) {
            for schema in [property.get("items").map(|_| "/items"), Some("")].into_iter().flatten() {
                let Some(schema) = property.pointer_mut(schema).filter(|schema| is_reference(schema)) else {
                    continue;
                };
                // Others stay shared: how they are written does not depend on what they are.
                let found = meant(schema);
                if is_bytes(&found) || found.get("items").is_some_and(is_bytes) {
                    *schema = found;
                }
            }
        }
    }
}

/// Whether a schema says that it is of a list, or says it in a way that is not looked through.
fn is_list(schema: &Value) -> bool {
    let is_array = |name: &Value| name == "array";
    match schema.get("type") {
        Some(Value::Array(names)) => names.iter().any(is_array),
        Some(name) => is_array(name),
        None => ["items", "prefixItems", "allOf", "anyOf", "oneOf", "$ref"]
            .iter()
            .any(|keyword| schema.get(*keyword).is_some()),
    }
}

/// What a JSON Patch is, for documents that describe the thing that is patched, or nothing.
fn steps() -> Value {
    json!({"type": "array", "description": "Steps of a JSON Patch (RFC 6902).", "items": {
        "type": "object",
        "properties": {
            "op": {"type": "string", "enum": ["add", "remove", "replace", "move", "copy", "test"]},
            "path": {"type": "string", "description": "A JSON Pointer."},
            "from": {"type": "string", "description": "A JSON Pointer, for move and copy."},
            "value": {"description": "For add, replace and test."},
        },
        "required": ["op", "path"],
    }})
}

fn is_reference(schema: &Value) -> bool {
    unwrapped(schema).get("$ref").is_some()
}

/// The only schema of an `allOf` without rules beside it: how some writers say a reference with notes.
fn unwrapped(schema: &Value) -> &Value {
    match schema.get("allOf").and_then(Value::as_array).map(Vec::as_slice) {
        Some([only])
            if schema.as_object().is_some_and(|members| {
                members.keys().all(|keyword| keyword == "allOf" || crate::schema::is_note(keyword))
            }) =>
        {
            only
        }
        _ => schema,
    }
}

/// Whether an object can be written in this media type property by property.
fn takes_object(media: &Media) -> bool {
    let essence = essence(&media.media_type);
    (media.is_json() && essence != JSON_PATCH)
        || matches!(essence.as_str(), "*/*" | "application/*" | "application/x-www-form-urlencoded")
        || essence.starts_with("multipart/form-data")
}

/// The converted schema that is meant where a converted schema is only a reference.
pub(crate) fn referenced(
    document: &Document,
    knowledge: &Knowledge,
    schema: &Value,
    direction: Direction,
) -> Value {
    let mut schema = schema.clone();
    // Circles of references were not cut yet when this is asked first.
    for _ in 0..MAX_CHAIN {
        let Some(members) = schema.as_object() else { break };
        let Some(reference) = members.get("$ref").and_then(Value::as_str) else { break };
        let has_rules = members.keys().any(|keyword| keyword != "$ref" && !crate::schema::is_note(keyword));
        let target = reference.strip_prefix("#/$defs/").and_then(|name| knowledge.definitions.get(name));
        let Some((pointer, target)) = target.and_then(|pointer| Some((pointer, document.at(pointer)?)))
        else {
            break;
        };
        if has_rules {
            break;
        }
        schema = crate::schema::Converter::build(document, direction, pointer, knowledge)
            .schema(target, crate::schema::Position::InPlace);
    }
    schema
}
