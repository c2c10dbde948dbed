//! One operation.

use std::sync::{Arc, LazyLock};

use http::Method;
use opentool_core::Diagnostic;
use opentool_text::{kind, pointer};
use serde_json::{Map, Value};

use super::{PathItem, Reader, argument, keys, marks};
use crate::document::split;
use crate::plan::{Body, Media, Operation, OtherDocument, Server};
use crate::schema::Direction;
use crate::version::Version;

/// Why an operation is left out.
pub(super) type Unusable = Box<Diagnostic>;

/// The methods that have a key of their own in path items.
pub(super) const METHODS: [&str; 9] =
    ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

/// What is said of an operation of which nothing is said.
static NOTHING_SAID: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);

/// The method that a key of a path item means, in whatever case it is written.
pub(super) fn method(key: &str) -> Option<Method> {
    let known = METHODS.iter().any(|known| key.eq_ignore_ascii_case(known));
    known.then(|| Method::from_bytes(key.to_ascii_uppercase().as_bytes()).ok()).flatten()
}

impl<'d> Reader<'d> {
    /// The plan of an operation, or why there is none.
    pub(super) fn operation(
        &mut self,
        item: &PathItem<'d>,
        method: Method,
        value: &'d Value,
        pointer: String,
    ) -> Result<Operation, Unusable> {
        let what = format!("`{method} {}`", item.path);
        let left_out = |code, at: &str, problem: String, help: &str| -> Unusable {
            Box::new(Diagnostic::error(code, at, format!("{problem}; {what} is left out")).help(help))
        };
        let members = match value {
            Value::Object(members) => members,
            // Beside others it is how some writers say that there is none.
            Value::Null
                if !item.members.iter().any(|(key, own)| self::method(key).is_some() && !own.is_null()) =>
            {
                let message = "the operation is null; it is read as `{}`";
                self.warn("operation", pointer.as_str(), message, "write an object with `responses`");
                &NOTHING_SAID
            }
            other => {
                let problem = format!("the operation is {}, not an object", kind(other));
                return Err(left_out("operation", &pointer, problem, "write an object with `responses`"));
            }
        };
        keys::of_operation(members, &pointer, self.findings);
        let path = template(item.path).map_err(|problem| {
            left_out("path-template", &item.pointer, problem, "write parameters as `{name}` between slashes")
        })?;
        let mut parameters = self.parameters(item, members, &pointer, &path).map_err(|unreadable| {
            left_out(unreadable.code, &unreadable.pointer, unreadable.problem, unreadable.help)
        })?;
        let security = self.operation_security(members, &pointer);
        let about = [item.path, members.get("operationId").and_then(Value::as_str).unwrap_or_default()];
        let (security, set_aside) = self.without_credentials(&mut parameters, security, about, &pointer);
        let has_body = members.get("requestBody").is_some_and(|body| !body.is_null());
        let body = match has_body {
            true => self.body(members, &pointer, &parameters),
            false => self.swagger_body(item, members, &pointer, &parameters),
        };
        let body = body.map_err(|unreadable| {
            left_out(unreadable.code, &unreadable.pointer, unreadable.problem, unreadable.help)
        })?;
        let body = body.filter(|body| !says_nothing(&method, body));
        argument::name(&mut parameters, body.as_ref());
        self.look_at_response(members, &pointer);
        let mut marks = marks::read([Some(members), Some(item.members), self.document.root().as_object()]);
        marks::check(members, &pointer, &mut marks, self.findings);
        let (servers, servers_of) = self.operation_servers(item, members, &pointer);
        Ok(Operation {
            name: String::new(),
            operation_id: text(members, "operationId"),
            method,
            path,
            summary: text(members, "summary").or_else(|| text(item.members, "summary")),
            description: text(members, "description").or_else(|| text(item.members, "description")),
            tags: tags(members),
            deprecated: members.get("deprecated").and_then(Value::as_bool).unwrap_or(false),
            marks,
            servers,
            servers_of,
            parameters,
            set_aside,
            body,
            security,
            document: self.document.other(&pointer),
            pointer: split(&pointer).1.to_owned(),
        })
    }

    fn operation_servers(
        &mut self,
        item: &PathItem<'d>,
        members: &Map<String, Value>,
        pointer: &str,
    ) -> (Arc<[Server]>, Option<Arc<OtherDocument>>) {
        if self.document.version_at(pointer) == Version::V2 {
            if let Some(schemes) = members.get("schemes").filter(|schemes| schemes.is_array()) {
                return (self.swagger_servers(Some(schemes)).into(), None);
            }
            return (self.document_servers(), None);
        }
        for (holder, pointer) in [(members, pointer), (item.members, item.pointer.as_str())] {
            if let Some(servers) = holder.get("servers") {
                let servers = self.servers(servers, &pointer::join(pointer, "servers"));
                if !servers.is_empty() {
                    return (servers.into(), self.document.other(pointer));
                }
            }
        }
        (self.document_servers(), None)
    }

    fn look_at_response(&mut self, members: &Map<String, Value>, pointer: &str) {
        let Some(responses) = members.get("responses") else { return };
        let pointer = pointer::join(pointer, "responses");
        match super::response::success(self.document, responses, &pointer) {
            Ok(Some(found)) => {
                // Only to know its references and its faults; it is built when somebody looks.
                self.schema(found.value, &found.pointer, Direction::Output);
            }
            Ok(None) => {}
            Err(finding) => self.findings.add(*finding),
        }
    }
}

/// Whether a body can only be an empty object, of a method that needs none: what generators write where there is no body.
fn says_nothing(method: &Method, body: &Body) -> bool {
    let needs_none = matches!(*method, Method::GET | Method::HEAD | Method::DELETE);
    let is_empty = |media: &Media| {
        let Some(members) = media.schema.as_object() else { return false };
        let properties = members.get("properties").and_then(Value::as_object);
        properties.is_some_and(Map::is_empty)
            && members.iter().all(|(keyword, value)| match keyword.as_str() {
                "properties" => true,
                "type" => value == "object",
                "additionalProperties" => value == &Value::Bool(false),
                keyword => crate::schema::is_note(keyword),
            })
    };
    needs_none && !body.required && body.media.iter().all(is_empty)
}

/// A member that is a text with something in it.
pub(super) fn text(members: &Map<String, Value>, member: &str) -> Option<String> {
    let text = members.get(member)?.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn tags(members: &Map<String, Value>) -> Vec<String> {
    let listed = members.get("tags").and_then(Value::as_array).into_iter().flatten();
    let mut tags: Vec<String> = Vec::new();
    for tag in listed.filter_map(Value::as_str) {
        if !tags.iter().any(|known| known == tag) {
            tags.push(tag.to_owned());
        }
    }
    tags
}

/// The path as it is sent: from a slash on, without a fragment. Some documents tell operations of one path apart by
/// fragments, which no server ever sees.
fn template(path: &str) -> Result<String, String> {
    let path = path.trim();
    let path = path.split_once('#').map_or(path, |(before, _)| before);
    let opened = path.matches('{').count();
    if opened != path.matches('}').count() || placeholders(path).count() != opened {
        return Err(format!("the braces of the path `{path}` do not match"));
    }
    Ok(if path.starts_with('/') { path.to_owned() } else { format!("/{path}") })
}

/// The names between braces.
pub(super) fn placeholders(path: &str) -> impl Iterator<Item = &str> {
    path.split('{').skip(1).filter_map(|part| Some(part.split_once('}')?.0)).filter(|name| !name.is_empty())
}
