//! Servers of the document, of paths and of operations, as they are written. Relative ones are resolved when a request is
//! built, when it is known where the document came from.

use std::sync::Arc;

use opentool_core::Diagnostic;
use opentool_text::{kind, pointer};
use serde_json::Value;

use super::Reader;
use crate::plan::{Server, ServerVariable};
use crate::version::Version;

impl Reader<'_> {
    /// The document's own servers; without any, the place of the document itself, as the specification says.
    pub(super) fn document_servers(&mut self) -> Arc<[Server]> {
        if let Some(known) = &self.servers {
            return Arc::clone(known);
        }
        let document = self.document;
        let mut servers = match document.root().get("servers") {
            _ if document.version() == Version::V2 => self.swagger_servers(None),
            Some(servers) => self.servers(servers, "/servers"),
            None => Vec::new(),
        };
        if servers.is_empty() {
            servers.push(Server { url: "/".to_owned(), variables: Vec::new() });
        }
        let servers: Arc<[Server]> = servers.into();
        self.servers = Some(Arc::clone(&servers));
        servers
    }

    /// The servers of a list; those that cannot be understood are left out.
    pub(super) fn servers(&mut self, value: &Value, at: &str) -> Vec<Server> {
        let Some(items) = value.as_array() else {
            if !value.is_null() {
                let message = format!("`servers` is {}, not a list; it is ignored", kind(value));
                self.warn("servers", at, message, "write `servers: [{\"url\": \"https://…\"}]`");
            }
            return Vec::new();
        };
        let mut servers = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let at = pointer::join(at, &index.to_string());
            let Some(url) = item.get("url").and_then(Value::as_str) else {
                self.warn("server", at, "a server has no `url`; it is left out", "write `url: https://…`");
                continue;
            };
            let variables = self.variables(item.get("variables"), &pointer::join(&at, "variables"));
            servers.push(Server { url: url.trim().to_owned(), variables });
        }
        servers
    }

    fn variables(&mut self, value: Option<&Value>, at: &str) -> Vec<ServerVariable> {
        let members = value.and_then(Value::as_object);
        let mut variables = Vec::new();
        for (name, variable) in members.into_iter().flatten() {
            let allowed: Vec<String> = variable
                .get("enum")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(word)
                .collect();
            let default = variable.get("default").and_then(word).or_else(|| allowed.first().cloned());
            if let Some(default) = default.as_ref().filter(|_| !allowed.is_empty())
                && !allowed.contains(default)
            {
                let list = allowed.iter().take(10).map(|word| format!("`{word}`")).collect::<Vec<_>>();
                let message = format!(
                    "the default `{default}` is none of the variable's `enum` ({}); it is used all the same",
                    list.join(", ")
                );
                let at = pointer::join(&pointer::join(at, name), "default");
                self.warn(
                    "server-variable",
                    at,
                    message,
                    "add it to `enum`, or let `default` be one of them",
                );
            }
            match default {
                Some(default) => variables.push(ServerVariable { name: name.clone(), default, allowed }),
                None => self.findings.add(
                    Diagnostic::warning(
                        "server-variable",
                        pointer::join(at, name),
                        "the variable has no `default`; a value has to be set before calling",
                    )
                    .help("add `default`"),
                ),
            }
        }
        variables
    }
}

/// A value as it stands in a URL: ports are often written as numbers.
fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}
