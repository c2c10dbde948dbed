//! From a plan and arguments to a request, without any I/O.
//!
//! The model writes arguments; this module decides what they can reach. A value cannot leave its place: in a path it
//! stays in its segment, in a query in its value, in a header in its line. Two walls stand behind each other: values
//! are encoded or refused where they are written (`path`, `query`, `header`, `body`), and the finished address
//! is parsed again and compared with the server and the template before it is given out. Credentials are added last
//! and replace whatever an argument of the same name says.
//!
//! It deliberately does not validate arguments by their schemas: that has happened before.

mod body;
mod encode;
mod file;
mod form;
mod given;
pub(crate) mod header;
pub(crate) mod idempotency;
mod located;
pub(crate) mod media;
mod message;
pub(crate) mod multipart;
mod pair;
mod path;
mod print;
mod problems;
mod query;
mod secrets;
mod security;
pub(crate) mod server;
mod settings;
mod style;
mod value;

use std::borrow::Cow;

use opentool_core::{Arguments, Failure, ToolError};
use opentool_http::{HeaderName, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;
use url::Url;

pub use body::{Part, PartBody, RequestBody};
pub use located::Located;
pub use message::Request;
pub(crate) use security::{General, MASK, Needed, in_form, needed};
pub use settings::{Credential, MissingCredentials, RESULT_LIMIT, Settings};

use crate::OpenApiError;
use crate::plan::{Operation, Place};
use given::Given;
use header::header_value;
use message::{Header, plain_masks};
use pair::Pair;
use problems::Problems;
use security::Carried;
use server::Base;

/// The request that a call of the operation's tool sends.
///
/// # Errors
/// [`ToolError::InvalidArguments`] with all that cannot be sent, by argument; [`ToolError::Failed`] if the server or
/// the credentials are not set, or the document cannot be followed.
pub fn build(
    operation: &Operation,
    arguments: &Arguments,
    settings: &Settings,
) -> Result<Request, ToolError> {
    send_given(operation, Given::from_arguments(operation, arguments)?, settings)
}

/// The request for arguments that are already sorted by place.
///
/// # Errors
/// Those of [`build`].
pub fn build_located(
    operation: &Operation,
    located: &Located,
    settings: &Settings,
) -> Result<Request, ToolError> {
    send_given(operation, Given::from_located(operation, located), settings)
}

fn send_given(
    operation: &Operation,
    mut given: Given<'_>,
    settings: &Settings,
) -> Result<Request, ToolError> {
    let mut problems = Problems::default();
    let base = server::resolve(operation, settings)?;
    let path = path::expand(operation, &given, &mut problems)?;
    let whole = query::whole(operation, &given, &mut problems);
    let query = query::pairs(operation, &given, &mut problems);
    let mut headers = header::headers(operation, &given, &mut problems)?;
    let mut cookies = Cookies::default();
    cookies.pairs = header::cookies(operation, &given, &mut problems);
    let credentials = security::choose(operation, settings);
    let in_form = credentials.as_ref().ok().and_then(|chosen| chosen.in_form(operation));
    let mut shown_body = None;
    if let (Some((member, secret)), Some(body)) = (in_form, &operation.body)
        && body.is_written_with_credential(given.media_type)
        && let Some(form) = given.body.as_mut().and_then(|form| form.to_mut().as_object_mut())
    {
        // What is shown is written with no secret at all, so that none can be found in it.
        form.insert(member.to_owned(), MASK.into());
        let masked = Value::Object(form.clone());
        form.insert(member.to_owned(), secret.expose_secret().into());
        let (masked, _) =
            body::build(body, Some(Cow::Owned(masked)), given.media_type, &mut Problems::default());
        shown_body = Some(masked.map_texts(&plain_masks));
    }
    let (body, content_type) = match &operation.body {
        Some(body) => body::build(body, given.body.take(), given.media_type, &mut problems),
        None => (RequestBody::None, None),
    };
    problems.finish()?;

    let own = own_headers(settings, &mut headers)?;
    let credentials = credentials?;
    if credentials.show_who(settings) {
        server::may_know_who(operation, settings, &base.url)?;
    }
    let template = path.query.clone();
    let mut address = Address { base: &base, path: &path, template, whole, query, secrets: Vec::new() };
    for carried in &credentials.carried {
        match carried.place {
            Place::Query | Place::QueryString | Place::Path => address.carry(carried),
            Place::Cookie => cookies.carry(carried),
            Place::Header => carry_in_header(carried, operation, &mut headers)?,
        }
    }
    let content_type = content_type.map(|text| fixed("content-type", "Content-Type", &text, operation));
    let mut all: Vec<Header> = Vec::with_capacity(headers.len().saturating_add(3));
    all.extend(content_type.transpose()?);
    all.append(&mut headers);
    cookies.append_to(&mut all, operation)?;
    if !all.iter().any(|header| header.name == http::header::ACCEPT) {
        all.push(Header::new(http::header::ACCEPT, "Accept", HeaderValue::from_static(ACCEPT)));
    }

    let sent_url = address.text(|carried| encode::strict(&carried.value()).into_owned());
    let parsed = wall(&sent_url, &base, operation)?;
    let url = if address.secrets.is_empty() { sent_url.clone() } else { address.text(Carried::shown) };
    let secrets = secrets::carried(&credentials.carried, &own);
    let identity = credentials.identity(&base.url)?;
    let method = operation.method.clone();
    Ok(Request { method, sent_url, parsed, url, headers: all, body, shown_body, secrets, identity })
}

/// JSON is what tools are best with; anything is better than nothing.
const ACCEPT: &str = "application/json, */*;q=0.8";

fn fixed(
    name: &'static str,
    written: &'static str,
    text: &str,
    operation: &Operation,
) -> Result<Header, ToolError> {
    let value = header_value(text).ok_or_else(|| {
        ToolError::failed(format!("the document's {written} cannot be sent (at {})", operation.pointer))
    })?;
    Ok(Header::new(HeaderName::from_static(name), written, value))
}

/// Adds the headers that the host sends with everything; those among them that may be secrets.
fn own_headers<'s>(
    settings: &'s Settings,
    headers: &mut Vec<Header>,
) -> Result<Vec<&'s SecretString>, ToolError> {
    let mut secrets = Vec::new();
    for (name, secret) in &settings.headers {
        headers.retain(|header| header.name != *name || header.shown.is_some());
        let value = secret_value(secret.expose_secret(), name.as_str())?;
        headers.push(Header::secret(name.clone(), name.to_string(), value, "***".to_owned()));
        if secrets::may_be_one(name.as_str(), secret) {
            secrets.push(secret);
        }
    }
    Ok(secrets)
}

fn carry_in_header(
    carried: &Carried,
    operation: &Operation,
    headers: &mut Vec<Header>,
) -> Result<(), ToolError> {
    let name = header::name(&carried.name, operation)?;
    headers.retain(|header| header.name != name);
    let value = secret_value(&carried.value(), &carried.name)?;
    headers.push(Header::secret(name, carried.name.clone(), value, carried.shown()));
    Ok(())
}

fn secret_value(text: &str, name: &str) -> Result<HeaderValue, ToolError> {
    header_value(text).ok_or_else(|| {
        let message = format!(
            "nothing was sent: the credential for `{name}` holds a line end or another control character; \
             the operator has to set it again"
        );
        // For hosts, which tell by the type what to do.
        let place = format!("`{name}`").into();
        let cause = OpenApiError::Credential { place, reason: "it holds a control character".into() };
        ToolError::Failed(Box::new(Failure::new(message).source(cause)))
    })
}

/// The parts of the address until it is written.
struct Address<'a> {
    base: &'a Base,
    path: &'a path::Path,
    /// The query of the template.
    template: Option<String>,
    /// The query as one parameter says it.
    whole: Option<String>,
    query: Vec<Pair>,
    secrets: Vec<(Cow<'a, str>, &'a Carried)>,
}

impl<'a> Address<'a> {
    /// Adds a credential. An argument of the same name is not sent.
    fn carry(&mut self, carried: &'a Carried) {
        let name = encode::strict(&carried.name);
        self.query.retain(|pair| pair.name() != name);
        // Those too whose names and values are written by a template or by a parameter that is the whole query.
        self.whole = self.whole.take().and_then(|query| without(&query, &carried.name));
        self.template = self.template.take().and_then(|query| without(&query, &carried.name));
        self.secrets.push((name, carried));
    }

    fn text(&self, secret: impl Fn(&Carried) -> String) -> String {
        let pairs = self.query.iter().map(|pair| pair.text().len().saturating_add(1)).sum::<usize>();
        let known = self.base.text.len().saturating_add(self.path.text.len()).saturating_add(pairs);
        let mut text = String::with_capacity(known);
        text.push_str(&self.base.text);
        text.push_str(&self.path.text);
        let mut separator = '?';
        let mut add = |part: &str| {
            text.push(separator);
            text.push_str(part);
            separator = '&';
        };
        self.base.query.iter().chain(&self.template).chain(&self.whole).for_each(|part| add(part));
        self.query.iter().for_each(|pair| add(pair.text()));
        self.secrets.iter().for_each(|(name, carried)| add(&format!("{name}={}", secret(carried))));
        text
    }
}

/// A query without the pairs of a name, however that is written.
fn without(query: &str, name: &str) -> Option<String> {
    let is_it = |pair: &&str| {
        let written = pair.split('=').next().unwrap_or_default().replace('+', " ");
        encode::decoded(&written).trim() == name.trim()
    };
    let kept: Vec<&str> = query.split('&').filter(|pair| !is_it(pair)).collect();
    (!kept.is_empty()).then(|| kept.join("&"))
}

/// The pairs of the one `Cookie` header.
#[derive(Default)]
struct Cookies {
    pairs: Vec<Pair>,
    secrets: Vec<(String, String, String)>,
}

impl Cookies {
    fn carry(&mut self, carried: &Carried) {
        self.pairs.retain(|pair| !sets(pair.text(), &carried.name));
        self.secrets.push((carried.name.clone(), carried.value(), carried.shown()));
    }

    fn append_to(self, headers: &mut Vec<Header>, operation: &Operation) -> Result<(), ToolError> {
        if self.pairs.is_empty() && self.secrets.is_empty() {
            return Ok(());
        }
        let own = self.pairs.iter().map(|pair| pair.text().to_owned());
        let text = |secret: fn(&(String, String, String)) -> &String| {
            let secrets = self.secrets.iter().map(|all| format!("{}={}", all.0, secret(all)));
            own.clone().chain(secrets).collect::<Vec<_>>().join("; ")
        };
        let (sent, shown) = (text(|all| &all.1), text(|all| &all.2));
        let name = header::name("cookie", operation)?;
        if self.secrets.is_empty() {
            headers.push(fixed("cookie", "Cookie", &sent, operation)?);
        } else {
            // A header parameter of this name could name the secret cookie again.
            headers.retain(|header| header.name != name);
            headers.push(Header::secret(name, "Cookie", secret_value(&sent, "Cookie")?, shown));
        }
        Ok(())
    }
}

/// Whether some reader could take a cookie for one of this name: blanks are taken off, and older ones end a cookie at a
/// comma as well.
fn sets(cookie: &str, name: &str) -> bool {
    let mut parts = cookie.split([',', ';']).filter_map(|part| part.split_once('='));
    parts.any(|(own, _)| own.trim().trim_matches('"') == name.trim())
}

/// The second wall: the finished address has the server's scheme, host, port and path, and as many segments as the
/// template. Whatever gets here in spite of the first wall is a fault of this crate, and is not sent. What passes is sent as
/// it was parsed here.
fn wall(text: &str, base: &Base, operation: &Operation) -> Result<Url, ToolError> {
    let refused = || {
        ToolError::failed(format!(
            "nothing was sent: the arguments would lead out of `{}` (at {})",
            operation.path, operation.pointer
        ))
    };
    let url = Url::parse(text).map_err(|_| refused())?;
    let same_place = url.scheme() == base.url.scheme()
        && url.host() == base.url.host()
        && url.port_or_known_default() == base.url.port_or_known_default()
        && url.username().is_empty()
        && url.password().is_none()
        && url.fragment().is_none();
    let template = operation.path.split(['?', '#']).next().unwrap_or_default();
    let slashes = |text: &str| text.matches('/').count();
    let prefix = base.url.path().trim_end_matches('/');
    let depth = slashes(prefix) + slashes(template) + usize::from(!template.starts_with('/'));
    let same_path = url.path().strip_prefix(prefix).is_some_and(|rest| rest.starts_with('/'))
        && slashes(url.path()) == depth;
    if same_place && same_path { Ok(url) } else { Err(refused()) }
}
