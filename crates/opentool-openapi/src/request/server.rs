//! Where a request goes: the server of the document with its variables, or the one that the host sets.

use opentool_core::ToolError;
use url::{Position, Url};

use super::encode;
use super::settings::Settings;
use crate::plan::{Operation, OtherDocument, Server};

/// The part of an address that comes before an operation's path.
#[derive(Debug)]
pub(super) struct Base {
    /// The parsed address, for checks.
    pub(super) url: Url,
    /// Scheme, host, port and path, without a slash at the end.
    pub(super) text: String,
    /// The server's own query, where it has one.
    pub(super) query: Option<String>,
}

/// The server for an operation.
pub(super) fn resolve(operation: &Operation, settings: &Settings) -> Result<Base, ToolError> {
    if let Some(url) = &settings.server {
        return base(url.clone());
    }
    let root = Server { url: "/".to_owned(), variables: Vec::new() };
    let server = operation.servers.first().unwrap_or(&root);
    let text = substitute(server, settings)?;
    let url = match Url::parse(&text) {
        Ok(url) => url,
        Err(url::ParseError::RelativeUrlWithoutBase) => relative(&text, settings)?,
        Err(error) => return Err(unusable(&text, &error.to_string())),
    };
    base(url)
}

/// Whether credentials may go to a server: one that the host or the document itself names. A part of the document that was
/// fetched from elsewhere, because the document refers to it, does not decide who gets them.
///
/// # Errors
/// If it is such a part that names the server.
pub(super) fn may_know_who(
    operation: &Operation,
    settings: &Settings,
    server: &Url,
) -> Result<(), ToolError> {
    let fetched = operation.servers_of.as_deref().and_then(OtherDocument::fetched);
    let Some(part) = fetched.filter(|_| settings.server.is_none()) else { return Ok(()) };
    if may_tell(settings, part, server) {
        return Ok(());
    }
    Err(ToolError::failed(format!(
        "nothing was sent: the operation is in a part of the document that was fetched from {}, which names the server \
         {}, and credentials go to servers that the document itself names; the operator can name this one: \
         `.server(\"https://…\")` or `--server https://…`",
        part.origin().ascii_serialization(),
        server.origin().ascii_serialization()
    )))
}

/// Whether credentials may go to an address that a part of the document names which was fetched: the document's own place is as
/// good as the document.
pub(crate) fn may_tell(settings: &Settings, part: &Url, address: &Url) -> bool {
    let own = settings.document_url.as_ref().map(Url::origin);
    own.is_some_and(|own| own == part.origin() || own == address.origin())
}

fn relative(text: &str, settings: &Settings) -> Result<Url, ToolError> {
    let document = settings.document_url.as_ref().filter(|url| matches!(url.scheme(), "http" | "https"));
    let Some(document) = document else {
        return Err(unusable(text, "it is relative, and the document was not read from an http address"));
    };
    document.join(text).map_err(|error| unusable(text, &error.to_string()))
}

fn base(url: Url) -> Result<Base, ToolError> {
    let shown = url.as_str();
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(unusable(shown, "it is not an http or https address"));
    }
    let host = url.domain().unwrap_or("-");
    if host.strip_suffix('.').unwrap_or(host).split('.').any(str::is_empty) {
        return Err(unusable(shown, &format!("its host `{host}` has an empty part")));
    }
    if !url.username().is_empty() || url.password().is_some() {
        // Not shown: it holds a password.
        return Err(unusable(
            &url.origin().ascii_serialization(),
            "it holds a user or password; give them as credentials instead",
        ));
    }
    let query = url.query().filter(|query| !query.is_empty()).map(str::to_owned);
    let text = url[..Position::AfterPath].trim_end_matches('/').to_owned();
    Ok(Base { url, text, query })
}

/// Fills in the variables.
fn substitute(server: &Server, settings: &Settings) -> Result<String, ToolError> {
    let mut out = String::with_capacity(server.url.len());
    let mut rest = server.url.as_str();
    while let Some((before, from)) = rest.split_once('{') {
        let Some((name, after)) = from.split_once('}') else { break };
        out.push_str(before);
        out.push_str(&variable(server, name, (&out, after), settings)?);
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

/// The value of a variable that stands between these.
fn variable(
    server: &Server,
    name: &str,
    (before, after): (&str, &str),
    settings: &Settings,
) -> Result<String, ToolError> {
    let declared = server.variables.iter().find(|variable| variable.name == name);
    let Some(value) = settings.server_variables.get(name) else {
        return declared.map(|variable| variable.default.clone()).ok_or_else(|| {
            unusable(&server.url, &format!("its variable `{name}` has no value; set it, or set the server"))
        });
    };
    let allowed = declared.map(|variable| variable.allowed.as_slice()).unwrap_or_default();
    if !allowed.is_empty() {
        return if allowed.contains(value) {
            Ok(value.clone())
        } else {
            let why =
                format!("its variable `{name}` cannot be \"{value}\"; it is one of: {}", allowed.join(", "));
            Err(unusable(&server.url, &why))
        };
    }
    // A value inside the host part must not end it: `{tenant}.api.test` with `evil.test/` is another host.
    let in_host = before.split_once("://").is_some_and(|(_, host)| !host.contains('/'));
    let taken =
        |c: char| c.is_control() || c.is_whitespace() || "?#\\".contains(c) || (in_host && "/@".contains(c));
    // At the very beginning a value may be a whole address, unless it is the scheme of one.
    let is_scheme = after.starts_with("://");
    if is_scheme && !matches!(value.as_str(), "http" | "https") {
        let why = format!("the value of its variable `{name}` is the scheme, which is `http` or `https`");
        return Err(unusable(&server.url, &why));
    }
    if !before.is_empty() && (value.contains(taken) || value.split('/').any(encode::climbs)) {
        let why = format!("the value of its variable `{name}` would change other parts of the address");
        return Err(unusable(&server.url, &why));
    }
    Ok(value.clone())
}

fn unusable(address: &str, why: &str) -> ToolError {
    ToolError::failed(format!(
        "the server address `{address}` of the API cannot be used: {why}; \
         the operator can set one: `.server(\"https://…\")` or `--server https://…`"
    ))
}
