//! What an operation asks for, read from the document by the rules of the specification.
//!
//! The reader of the importer has its own plan; this is a second reading, so that a default that one of them gets wrong
//! does not go unnoticed. Bodies of Swagger 2.0 and servers and security are taken from the plan: there is no second way to
//! read them.

use std::sync::Arc;

use opentool_text::pointer;
use serde_json::{Map, Value, json};

use super::made::Kept;
use super::schema::Judge;
use crate::Api;
use crate::document::Document;
use crate::plan::{self, Operation, Place};
use crate::read::body::{any_names, has_no_names};
use crate::read::credential::{is_sent_by, sounds_like_one};
use crate::reference::Found;
use crate::request::header::unsendable;
use crate::schema::definitions::attach;
use crate::schema::{Direction, merge_patch};
use crate::version::Version;
use crate::xml::{Learner, XmlForm};

/// An operation as a service sees it.
#[derive(Debug)]
pub(super) struct Contract {
    pub(super) operation: Arc<Operation>,
    pub(super) parameters: Vec<Wanted>,
    pub(super) body: Option<WantedBody>,
    /// The values of answers that were made before.
    pub(super) made: Kept,
}

/// A parameter.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) name: String,
    pub(super) place: Place,
    pub(super) required: bool,
    /// `name=` is allowed.
    pub(super) allow_empty: bool,
    pub(super) written: Written,
    pub(super) judge: Judge,
}

/// How a parameter is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Written {
    /// By a style, and whether it is spread out.
    Style(Style, bool),
    /// As a text of a media type.
    Content(String),
}

/// The styles of the specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Simple,
    Label,
    Matrix,
    Form,
    /// Values between this character, which is a space, a bar or a tab.
    Delimited(char),
    DeepObject,
    /// Form, without percent-encoding (3.2).
    Cookie,
}

/// A body.
#[derive(Debug)]
pub(super) struct WantedBody {
    pub(super) required: bool,
    pub(super) media: Vec<WantedMedia>,
}

/// One media type of a body.
#[derive(Debug)]
pub(super) struct WantedMedia {
    pub(super) media_type: String,
    pub(super) encoding: Value,
    pub(super) judge: Judge,
    /// The headers that parts must have: the property and the name.
    pub(super) needed_headers: Vec<(String, String)>,
    /// What the document's `xml` objects say.
    pub(super) xml: Option<XmlForm>,
}

impl Contract {
    pub(super) fn read(api: &Api, operation: &Arc<Operation>) -> Self {
        let document = api.document();
        let place = document.place(operation.document.as_deref(), &operation.pointer);
        let reading = Reading { document, is_swagger: document.version_at(&place) == Version::V2 };
        Self {
            parameters: reading.parameters(operation, &place),
            body: match reading.is_swagger {
                true => swagger_body(api, operation),
                false => reading.body(&place).or_else(|| swagger_body(api, operation)),
            },
            operation: Arc::clone(operation),
            made: Kept::default(),
        }
    }
}

struct Reading<'d> {
    document: &'d Document,
    is_swagger: bool,
}

impl<'d> Reading<'d> {
    fn parameters(&self, operation: &Operation, place: &str) -> Vec<Wanted> {
        let item = item_of(place);
        let mut all: Vec<Wanted> = Vec::new();
        for holder in [item, place] {
            let at = pointer::join(holder, "parameters");
            let listed = self.document.at(&at).and_then(Value::as_array).into_iter().flatten();
            let mut own: Vec<Wanted> = Vec::new();
            for (index, value) in listed.enumerate() {
                let at = pointer::join(&at, &index.to_string());
                let Ok(found) = self.document.follow(value, &at) else { continue };
                let Some(wanted) = self.parameter(&found) else { continue };
                // What a service sees first of two that are the same is up to it.
                if !own.iter().any(|other| other.is_same(&wanted)) {
                    own.push(wanted);
                }
            }
            all.retain(|shared| !own.iter().any(|other| other.is_same(shared)));
            all.append(&mut own);
        }
        // What security sends is looked at there.
        let has = |wanted: &Wanted| {
            let same = |own: &plan::Parameter| own.place == wanted.place && own.name == wanted.name;
            operation.parameters.iter().any(same)
        };
        all.retain(|wanted| {
            let is_sent = || is_sent_by(&operation.security, wanted.place, &wanted.name);
            has(wanted) || (!is_sent() && !sounds_like_one(&wanted.name))
        });
        let in_path = |name: &str| operation.path.contains(&format!("{{{name}}}"));
        all.retain(|wanted| wanted.place != Place::Path || in_path(&wanted.name));
        // A service has to read what stands in the path, described or not.
        for name in operation.path.split('{').skip(1).filter_map(|part| Some(part.split_once('}')?.0)) {
            if !all.iter().any(|wanted| wanted.place == Place::Path && wanted.name == name) {
                all.push(Wanted {
                    name: name.to_owned(),
                    place: Place::Path,
                    required: true,
                    allow_empty: false,
                    written: Written::Style(Style::Simple, false),
                    judge: Judge::ready(json!({"type": "string"})),
                });
            }
        }
        all
    }

    fn parameter(&self, found: &Found<'d>) -> Option<Wanted> {
        let members = found.value.as_object()?;
        let name = members.get("name")?.as_str()?.trim().to_owned();
        let place = match members.get("in")?.as_str()?.trim() {
            "path" => Place::Path,
            "query" => Place::Query,
            "header" => Place::Header,
            "cookie" => Place::Cookie,
            "querystring" => Place::QueryString,
            _ => return None,
        };
        let lower = name.to_ascii_lowercase();
        if place == Place::Header
            && ["accept", "content-type", "authorization", "content-length", "host"].contains(&lower.as_str())
        {
            return None;
        }
        if place == Place::Header && unsendable(&name).is_some() {
            return None;
        }
        let content =
            members.get("content").and_then(Value::as_object).and_then(|content| content.iter().next());
        let (written, judge) = match content {
            Some((media_type, media)) => {
                let at = pointer::join(&pointer::join(&found.pointer, "content"), media_type);
                let judge = self.judge(media.get("schema"), &pointer::join(&at, "schema"));
                (Written::Content(media_type.clone()), judge)
            }
            None => self.styled(members, place, &found.pointer),
        };
        Some(Wanted {
            name,
            place,
            required: place == Place::Path || flag(members, "required"),
            allow_empty: place == Place::Query && flag(members, "allowEmptyValue"),
            written,
            judge,
        })
    }

    fn styled(&self, members: &Map<String, Value>, place: Place, at: &str) -> (Written, Judge) {
        if let Some(schema) = members.get("schema").filter(|_| !self.is_swagger) {
            let style = style(members.get("style").and_then(Value::as_str), place);
            // "When style is form, the default value is true. For all other styles, the default value is false."
            let default = matches!(style, Style::Form | Style::Cookie);
            let explode = members.get("explode").and_then(Value::as_bool).unwrap_or(default);
            return (Written::Style(style, explode), self.judge(Some(schema), &pointer::join(at, "schema")));
        }
        let explode = members.get("collectionFormat").and_then(Value::as_str) == Some("multi");
        let style = match (members.get("collectionFormat").and_then(Value::as_str), place) {
            (Some("ssv"), _) => Style::Delimited(' '),
            (Some("tsv"), _) => Style::Delimited('\t'),
            (Some("pipes"), _) => Style::Delimited('|'),
            _ => style(None, place),
        };
        let mut inline = members.clone();
        for keyword in ["name", "in", "required", "description"] {
            inline.shift_remove(keyword);
        }
        (Written::Style(style, explode), self.judge(Some(&Value::Object(inline)), at))
    }

    fn judge(&self, schema: Option<&Value>, at: &str) -> Judge {
        match schema {
            Some(schema) => Judge::of(self.document, schema, at),
            None => Judge::ready(json!({})),
        }
    }

    fn body(&self, place: &str) -> Option<WantedBody> {
        let at = pointer::join(place, "requestBody");
        let found = self.document.follow(self.document.at(&at)?, &at).ok()?;
        let content = found.value.get("content")?.as_object().filter(|content| !content.is_empty())?;
        let at = pointer::join(&found.pointer, "content");
        let media = content.iter().filter(|(name, _)| name.contains('/')).map(|(media_type, media)| {
            let at = pointer::join(&at, media_type);
            let (media, at) = match self.document.follow(media, &at) {
                Ok(found) => (found.value, found.pointer.into_owned()),
                Err(_) => (media, at),
            };
            let schema = media.get("schema");
            let place = pointer::join(&at, "schema");
            let judge = match (schema, media.get("itemSchema")) {
                (None, Some(item)) => {
                    let item = super::schema::convert(
                        self.document,
                        item,
                        &pointer::join(&at, "itemSchema"),
                        Direction::Input,
                    );
                    Judge::ready(super::schema::sequence(item))
                }
                (Some(schema), _) if has_no_names(self.document, media_type, schema, &at) => {
                    Judge::ready(any_names())
                }
                (Some(schema), _) if plan::is_merge_patch(media_type) => Judge::ready(merge_patch::in_body(
                    super::schema::convert(self.document, schema, &place, Direction::Input),
                )),
                _ => self.judge(schema, &place),
            };
            WantedMedia {
                media_type: media_type.clone(),
                encoding: encoding(media.get("encoding"), media_type, self.document.version_at(&at)),
                judge,
                needed_headers: self.needed_headers(media.get("encoding"), &at),
                xml: schema.map(|_| xml_form(self.document, &place)),
            }
        });
        let media: Vec<WantedMedia> = media.collect();
        // Read leniently: a body without a media type is none.
        (!media.is_empty()).then(|| WantedBody {
            required: found.value.get("required").and_then(Value::as_bool) == Some(true),
            media,
        })
    }
}

impl Reading<'_> {
    /// The headers that the parts of a body must have. A media type of its own is the part's, whatever stands here.
    fn needed_headers(&self, encoding: Option<&Value>, at: &str) -> Vec<(String, String)> {
        let mut needed = Vec::new();
        for (property, encoding) in encoding.and_then(Value::as_object).into_iter().flatten() {
            for (name, header) in encoding.get("headers").and_then(Value::as_object).into_iter().flatten() {
                let found = self.document.follow(header, at);
                let required =
                    found.is_ok_and(|found| found.value.get("required") == Some(&Value::Bool(true)));
                if required && !name.to_ascii_lowercase().starts_with("content-") {
                    needed.push((property.clone(), name.clone()));
                }
            }
        }
        needed
    }
}

impl Wanted {
    /// Whether both are one parameter. Names of headers have no case.
    fn is_same(&self, other: &Self) -> bool {
        self.place == other.place
            && match self.place {
                Place::Header => self.name.eq_ignore_ascii_case(&other.name),
                _ => self.name == other.name,
            }
    }
}

/// The `encoding` object; in parts the styles of 3.0 mean nothing.
fn encoding(encoding: Option<&Value>, media_type: &str, version: Version) -> Value {
    let mut encoding = encoding.cloned().unwrap_or(Value::Null);
    let is_ignored = version == Version::V3_0 && plan::essence(media_type).starts_with("multipart/");
    let properties = encoding.as_object_mut().filter(|_| is_ignored);
    for property in properties.into_iter().flat_map(|all| all.values_mut()).filter_map(Value::as_object_mut) {
        property.retain(|member, _| !matches!(member.as_str(), "style" | "explode" | "allowReserved"));
    }
    encoding
}

/// What the `xml` objects of the schema at a place say.
pub(super) fn xml_form(document: &Document, place: &str) -> XmlForm {
    let mut learner = Learner::default();
    let form = learner.form(document, place);
    learner.finish();
    form
}

fn swagger_body(api: &Api, operation: &Operation) -> Option<WantedBody> {
    let body = operation.body.as_ref()?;
    let source = api.source();
    let media = body.media.iter().map(|media| {
        let mut schema = media.schema.clone();
        if let Value::Object(root) = &mut schema {
            attach(root, &source.document, &source.knowledge, Direction::Input, usize::MAX);
        }
        if plan::is_merge_patch(&media.media_type) {
            schema = merge_patch::in_body(schema);
        }
        WantedMedia {
            media_type: media.media_type.clone(),
            encoding: media.encoding.clone(),
            judge: Judge::ready(schema),
            needed_headers: Vec::new(),
            xml: media.xml.clone(),
        }
    });
    Some(WantedBody { required: body.required, media: media.collect() })
}

/// The place of the path item that an operation stands in.
fn item_of(place: &str) -> &str {
    let item = place.rsplit_once('/').map_or("", |(item, _)| item);
    item.strip_suffix("/additionalOperations").unwrap_or(item)
}

fn style(written: Option<&str>, place: Place) -> Style {
    match (written, place) {
        (Some("label"), Place::Path) => Style::Label,
        (Some("matrix"), Place::Path) => Style::Matrix,
        (Some("spaceDelimited"), Place::Query) => Style::Delimited(' '),
        (Some("pipeDelimited"), Place::Query) => Style::Delimited('|'),
        (Some("deepObject"), Place::Query) => Style::DeepObject,
        (Some("cookie"), Place::Cookie) => Style::Cookie,
        (_, Place::Path | Place::Header) => Style::Simple,
        _ => Style::Form,
    }
}

fn flag(members: &Map<String, Value>, name: &str) -> bool {
    members.get(name).and_then(Value::as_bool) == Some(true)
}
