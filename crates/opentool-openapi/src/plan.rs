//! The pure plan of an operation: all that is needed to turn arguments into a request, and nothing that does I/O.
//!
//! The reader makes plans from a document, the request builder reads them. Every form of parameter, body and
//! security that OpenAPI has is representable here, so that neither side has to change when the other learns more.

use std::sync::Arc;

use http::Method;
use serde_json::Value;

pub use crate::other::OtherDocument;
use crate::request::media::MediaKind;
pub use crate::xml::XmlForm;

/// One operation of a document.
#[derive(Debug, Clone)]
pub struct Operation {
    /// The name of the tool: valid for every provider, unique in the document.
    pub name: String,
    /// The `operationId` as the document has it.
    pub operation_id: Option<String>,
    /// The JSON Pointer of the operation in its document.
    pub pointer: String,
    /// The document in which it stands, where that is another than the one that was asked for.
    pub document: Option<Arc<OtherDocument>>,
    /// The HTTP method.
    pub method: Method,
    /// The path template: `/pet/{petId}`.
    pub path: String,
    /// A few words.
    pub summary: Option<String>,
    /// More words.
    pub description: Option<String>,
    /// The document's tags.
    pub tags: Vec<String>,
    /// Marked as going away.
    pub deprecated: bool,
    /// What the document says about it to readers like this one.
    pub marks: Marks,
    /// Where it can be sent; the first is the default. The operation's own, or its path's, or the document's.
    pub servers: Arc<[Server]>,
    /// The document that names the servers, where that is another than the one that was asked for.
    pub servers_of: Option<Arc<OtherDocument>>,
    /// Its parameters, those of the path item merged in.
    pub parameters: Vec<Parameter>,
    /// Parameters that carry its credential, as only their descriptions say: no arguments, unless the host's configuration
    /// names them.
    pub set_aside: Vec<Parameter>,
    /// Its body.
    pub body: Option<Body>,
    /// The alternatives of credentials, the first that the host can satisfy is used. Empty: the document says nothing.
    /// That none are needed is a [`Requirement`] without schemes.
    pub security: Arc<[Requirement]>,
}

/// What `x-opentool` and `x-mcp` say about an operation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Marks {
    /// Whether it is a tool.
    pub enabled: Option<bool>,
    /// What the tool should be called.
    pub name: Option<String>,
    /// A name for people.
    pub title: Option<String>,
    /// What a model should be told, in place of summary and description.
    pub description: Option<String>,
    /// It changes something, whatever its method says.
    pub writes: bool,
    /// It may destroy something, whatever its method says.
    pub destroys: bool,
}

/// A place to send requests to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// The URL, possibly with `{variables}`; absolute where the document's own address was known.
    pub url: String,
    /// Its variables.
    pub variables: Vec<ServerVariable>,
}

/// A variable of a server's URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerVariable {
    /// Its name.
    pub name: String,
    /// Its value where the host sets none.
    pub default: String,
    /// The allowed values; empty: any.
    pub allowed: Vec<String>,
}

/// Where a parameter stands in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// In the path.
    Path,
    /// In the query.
    Query,
    /// In a header.
    Header,
    /// In a cookie.
    Cookie,
    /// It is the whole query (3.2).
    QueryString,
}

impl Place {
    /// The word that documents use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Query => "query",
            Self::Header => "header",
            Self::Cookie => "cookie",
            Self::QueryString => "querystring",
        }
    }
}

/// A parameter.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// Its name among the tool's arguments; differs from `name` where two places use the same name.
    pub argument: String,
    /// Its name in the request.
    pub name: String,
    /// Where it stands.
    pub place: Place,
    /// Must be sent. The caller has to give it, unless its schema has a `default` and it is not in the path.
    pub required: bool,
    /// May be sent as `name=` (query only).
    pub allow_empty: bool,
    /// How its value is written.
    pub form: ParameterForm,
    /// Its schema in 2020-12 terms, as an input (`$ref`s point into the tool's `$defs`).
    pub schema: Value,
}

/// How a parameter's value is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParameterForm {
    /// By a style of the specification.
    Style {
        /// The style.
        style: Style,
        /// Whether lists and objects are spread out.
        explode: bool,
        /// Whether reserved characters are left as they are (query only).
        allow_reserved: bool,
    },
    /// As a text of this media type.
    Content {
        /// The media type.
        media_type: String,
    },
}

/// The styles of OpenAPI 3.0 to 3.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Style {
    Simple,
    Label,
    Matrix,
    Form,
    SpaceDelimited,
    PipeDelimited,
    /// Values between tabs (Swagger 2.0's `tsv`).
    TabDelimited,
    DeepObject,
    /// Cookie values as they are (3.2).
    Cookie,
}

/// A request body.
#[derive(Debug, Clone)]
pub struct Body {
    /// Must be given.
    pub required: bool,
    /// What it is for.
    pub description: Option<String>,
    /// How it stands among the tool's arguments.
    pub arguments: BodyArguments,
    /// The media types, in document order; the request builder takes the first that it prefers.
    pub media: Vec<Media>,
    /// The member in which the credential of the operation is sent once more, where it is a form that has one. The host's goes
    /// there; models neither see nor set it then.
    pub credential: Option<FormCredential>,
}

/// A member of a form that is the operation's credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FormCredential {
    /// The API key of the query that has this name.
    Key(String),
    /// The token that the operation takes.
    Token(String),
}

impl FormCredential {
    /// The name of the member.
    pub fn member(&self) -> &str {
        match self {
            Self::Key(name) | Self::Token(name) => name,
        }
    }
}

/// How a body stands among the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BodyArguments {
    /// As one argument of this name.
    Whole(String),
    /// Its properties are arguments of their own; the names are those of the properties.
    Properties(Vec<String>),
}

/// One media type of a body.
#[derive(Debug, Clone)]
pub struct Media {
    /// The media type as the document has it: `application/json`, `image/*`.
    pub media_type: String,
    /// The schema in 2020-12 terms, as an input.
    pub schema: Value,
    /// The `encoding` object, as the document has it. In `multipart/form-data` of OpenAPI 3.0 without the styles, which that
    /// version says are ignored there.
    pub encoding: Value,
    /// The `encoding` objects of parts that have places in place of names (3.2), `prefixEncoding` first.
    pub in_order: InOrder,
    /// How values are written, where the media type is XML, or that of one of its parts, and the document describes them.
    pub xml: Option<XmlForm>,
    /// The headers of parts, where the media type is multipart and the document describes them.
    pub part_headers: Vec<PartHeader>,
}

/// How the items of a list are written, each of which is a part of a multipart body (3.2).
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct InOrder {
    /// The `encoding` objects of the first items.
    pub first: Vec<Value>,
    /// That of all further ones.
    pub further: Value,
}

impl InOrder {
    /// The media type that the document says the part at this place has; empty if it says none.
    pub(crate) fn content_type(&self, index: usize) -> &str {
        let encoding = self.first.get(index).unwrap_or(&self.further);
        encoding.get("contentType").and_then(Value::as_str).unwrap_or_default()
    }
}

/// A header of a part of a multipart body. What it says is the caller's word (`headers` beside `$base64`), else what the
/// document leaves no choice about.
#[derive(Debug, Clone, PartialEq)]
pub struct PartHeader {
    /// The property that the part is.
    pub property: String,
    /// The name of the header.
    pub name: String,
    /// Must be there.
    pub required: bool,
    /// Its schema in 2020-12 terms, as an input.
    pub schema: Value,
}

/// Schemes that must all be satisfied. Empty: no credentials are needed.
#[derive(Debug, Clone)]
pub struct Requirement {
    /// The schemes.
    pub schemes: Vec<SchemeUse>,
}

/// A scheme as a requirement uses it.
#[derive(Debug, Clone)]
pub struct SchemeUse {
    /// Its name in the document.
    pub name: String,
    /// What it is.
    pub scheme: Arc<SecurityScheme>,
    /// The scopes that are asked for.
    pub scopes: Vec<String>,
}

/// A way to authenticate.
#[derive(Debug, Clone, PartialEq)]
pub enum SecurityScheme {
    /// A key in a header, the query or a cookie.
    ApiKey {
        /// Where.
        place: Place,
        /// Under which name.
        name: String,
    },
    /// HTTP Basic.
    Basic,
    /// HTTP Bearer.
    Bearer,
    /// OAuth 2 with its `flows` as the document has them; an access token is a bearer token.
    OAuth2 {
        /// The flows.
        flows: Value,
        /// The document that names their addresses, where that is another than the one that was asked for.
        named_by: Option<Arc<OtherDocument>>,
    },
    /// OpenID Connect; an access token is a bearer token.
    OpenIdConnect {
        /// The discovery address.
        url: String,
        /// The document that names it, where that is another than the one that was asked for.
        named_by: Option<Arc<OtherDocument>>,
    },
    /// A client certificate.
    MutualTls,
    /// Anything else, by its name.
    Other(String),
}

impl SecurityScheme {
    /// The document that names the addresses where tokens are, where that is another than the one that was asked for.
    pub(crate) fn named_by(&self) -> Option<&OtherDocument> {
        match self {
            Self::OAuth2 { named_by, .. } | Self::OpenIdConnect { named_by, .. } => named_by.as_deref(),
            _ => None,
        }
    }
}

impl Parameter {
    /// What is sent where a required parameter is left out, such as the version of an API. Not in paths: what an operation is
    /// about is for the caller to say. Of what may be left out the server knows the default itself.
    pub(crate) fn sent_default(&self) -> Option<&Value> {
        let is_sent = self.required && self.place != Place::Path;
        is_sent.then(|| self.schema.get("default")).flatten().filter(|value| !value.is_null())
    }
}

impl Operation {
    /// The names of its tool's arguments.
    pub fn arguments(&self) -> impl Iterator<Item = &str> {
        let body: &[String] = match self.body.as_ref().map(|body| &body.arguments) {
            Some(BodyArguments::Whole(name)) => std::slice::from_ref(name),
            Some(BodyArguments::Properties(names)) => names,
            None => &[],
        };
        self.parameters
            .iter()
            .map(|parameter| parameter.argument.as_str())
            .chain(body.iter().map(String::as_str))
    }
}

impl Body {
    /// The media type that is shown to the model and sent where the caller does not choose: JSON first (of
    /// patches in JSON a merge patch before a list of steps), then forms, then text, then whatever comes first in the document.
    pub fn preferred(&self) -> Option<&Media> {
        // `min_by_key` keeps the first of equals: the document's order decides.
        self.media.iter().min_by_key(|media| media.rank())
    }

    /// Whether the credential of the operation is in it when it is sent as this of its media types, or as the preferred one.
    pub(crate) fn is_written_with_credential(&self, media_type: Option<&str>) -> bool {
        let is_form = |media: &Media| {
            matches!(MediaKind::of(&media.media_type), MediaKind::Form | MediaKind::Multipart)
        };
        self.credential.is_some()
            && media_type.is_none_or(|wanted| self.choose(wanted).as_ref().is_some_and(is_form))
    }

    /// Whether it is sent as a patch in which null takes a member away (RFC 7396, and what Kubernetes made of it).
    pub(crate) fn is_merge_patch(&self) -> bool {
        self.preferred().is_some_and(|media| is_merge_patch(&media.media_type))
    }

    /// The media type of the document that a caller means by this one; a range (`image/*`) becomes what is meant. `None` if
    /// the document has none that fits.
    pub fn choose(&self, wanted: &str) -> Option<Media> {
        let wanted = wanted.trim();
        let essence = essence(wanted);
        let covers = |declared: &str| {
            let declared = self::essence(declared);
            declared == essence
                || declared == "*/*"
                || declared.strip_suffix('*').is_some_and(|prefix| essence.starts_with(prefix))
        };
        let exact = self.media.iter().find(|media| media.essence() == essence);
        let media = exact.or_else(|| {
            let fits = |media: &&Media| media.media_type.split(',').any(covers);
            // What a header cannot hold, or what names no type, would be sent as it is.
            self.media.iter().find(fits).filter(|_| crate::request::media::is_concrete(wanted))
        })?;
        let media_type = if exact.is_some() { media.media_type.clone() } else { wanted.to_owned() };
        Some(Media { media_type, ..media.clone() })
    }
}

impl Media {
    /// A media type with its schema, and nothing said about how it is written.
    pub fn new(media_type: impl Into<String>, schema: Value) -> Self {
        Self {
            media_type: media_type.into(),
            schema,
            encoding: Value::Null,
            in_order: InOrder::default(),
            xml: None,
            part_headers: Vec::new(),
        }
    }

    /// The media type in lower case, without its parameters.
    pub fn essence(&self) -> String {
        essence(&self.media_type)
    }

    /// Whether it is JSON: `application/json` or anything `+json`.
    pub fn is_json(&self) -> bool {
        is_json(&self.media_type)
    }

    /// Whether the document describes an object or a list, and the media type is none that says how it is written. What is
    /// meant is JSON: nothing else in HTTP has objects that need no more explaining.
    pub(crate) fn is_json_in_disguise(&self) -> bool {
        let is_open = matches!(MediaKind::of(&self.media_type), MediaKind::Text | MediaKind::Binary);
        let names_structure = match self.schema.get("type") {
            Some(Value::String(name)) => name == "object" || name == "array",
            Some(_) => false,
            None => self.schema.get("properties").is_some(),
        };
        is_open && names_structure
    }

    /// Whether it is a media type of one thing that is no object: mail, an image, a film.
    pub(crate) fn is_no_object(&self) -> bool {
        let essence = self.essence();
        ["message/", "image/", "audio/", "video/", "font/"].iter().any(|kind| essence.starts_with(kind))
    }

    fn rank(&self) -> u8 {
        match self.essence().as_str() {
            "application/json" => 0,
            // Of patches, the one that is written like what is patched; a list of steps is the hardest to get right.
            "application/strategic-merge-patch+json" => 2,
            JSON_PATCH => 3,
            _ if self.is_json() => 1,
            "*/*" | "application/*" => 4,
            _ if MediaKind::of(&self.media_type) == MediaKind::JsonLines => 5,
            "application/x-www-form-urlencoded" => 6,
            "multipart/form-data" => 7,
            essence if essence.starts_with("multipart/") => 8,
            essence if essence.starts_with("text/") => 9,
            "application/octet-stream" => 10,
            _ => 11,
        }
    }
}

/// The media type of a list of steps that change a JSON value (RFC 6902).
pub(crate) const JSON_PATCH: &str = "application/json-patch+json";

/// Whether a media type is of patches in which null takes a member away.
pub(crate) fn is_merge_patch(media_type: &str) -> bool {
    let essence = essence(media_type);
    matches!(essence.as_str(), "application/merge-patch+json" | "application/strategic-merge-patch+json")
}

/// A media type in lower case, without its parameters.
pub(crate) fn essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Whether a media type is JSON: `application/json` or anything `+json`.
pub(crate) fn is_json(media_type: &str) -> bool {
    let essence = essence(media_type);
    essence == "application/json" || essence == "text/json" || essence.ends_with("+json")
}
