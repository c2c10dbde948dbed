//! Rules about the root of a document, `info` and `server`.

use opentool_text::{Members, Tree};

use super::members::{INFO, SERVER, Shape};
use super::{Culprit, Lint, rule};
use crate::Version;
use crate::members::DOCUMENT;
use crate::words::found;

const ROOT: Shape = Shape {
    what: "the document",
    names: DOCUMENT,
    required: &["opentool", "info", "functions"],
    called: "",
    example: r#"{"opentool": "1.1.0", "info": {…}, "functions": […]}"#,
};

impl<'d> Lint<'d> {
    pub(super) fn document(&mut self, value: &'d Tree<'d>) {
        if let Some(message) = not_opentool(value) {
            let help = "an OpenTool document is an object with `opentool`, `info` and `functions`";
            self.found(rule::NOT_OPENTOOL, Culprit::Value, message, help);
            return;
        }
        let Some(object) = self.object(value, &ROOT) else { return };
        self.format_version(object);
        if let Some(info) = present(object, "info") {
            self.within("info", |lint| lint.info(info));
        }
        if let Some(server) = present(object, "server") {
            self.within("server", |lint| {
                lint.since(Version::V1_1_0, "server");
                lint.server(server);
            });
        }
        if let Some(functions) = present(object, "functions") {
            self.within("functions", |lint| lint.functions(functions));
        }
        if let Some(schemas) = present(object, "schemas") {
            self.within("schemas", |lint| lint.schemas(schemas));
        }
    }

    fn info(&mut self, value: &'d Tree<'d>) {
        let Some(object) = self.object(value, &INFO) else { return };
        if self.text(object, "title").is_some_and(|title| title.trim().is_empty()) {
            self.within("title", |lint| {
                lint.found(
                    rule::EMPTY_TITLE,
                    Culprit::Value,
                    "the title is empty",
                    "say what the functions are about",
                );
            });
        }
        self.description(object);
        if let Some(version) = self.text(object, "version") {
            self.info_version(version);
        }
    }

    fn server(&mut self, value: &'d Tree<'d>) {
        let Some(object) = self.object(value, &SERVER) else { return };
        self.description(object);
        let Some(url) = self.text(object, "url") else { return };
        self.within("url", |lint| lint.server_url(url));
    }

    /// Only what every reader would stumble over; whether the address leads anywhere is not known here.
    fn server_url(&mut self, url: &str) {
        let rest = ["http://", "https://"].iter().find_map(|scheme| {
            let (head, rest) = url.split_at_checked(scheme.len())?;
            head.eq_ignore_ascii_case(scheme).then_some(rest)
        });
        let authority = rest.and_then(|rest| rest.split(['/', '?', '#']).next()).unwrap_or_default();
        let (credentials, host) = authority.rsplit_once('@').map_or((None, authority), |(c, h)| (Some(c), h));
        if credentials.is_some() {
            // The message does not repeat them.
            let message = "the address holds credentials, which everybody who has the document can read";
            let help = "remove them; a key is given to the client: `--api-key`";
            self.found(rule::SERVER_CREDENTIALS, Culprit::Value, message, help);
        }
        let odd = |c: char| c.is_whitespace() || c.is_control();
        if host.is_empty() || host.starts_with(':') || url.contains(odd) {
            let message = "the address of the server is not an http or https address with a host";
            let help = "write `\"http://127.0.0.1:17001/opentool\"`, base path included";
            self.found(rule::SERVER_URL, Culprit::Value, message, help);
        }
    }
}

/// A member that is there and not null.
pub(super) fn present<'o, 'd>(object: &'o Members<'d>, name: &str) -> Option<&'o Tree<'d>> {
    object.get(name).filter(|value| !value.is_null())
}

/// Why a value is not an OpenTool document at all.
pub(crate) fn not_opentool(value: &Tree<'_>) -> Option<String> {
    let Tree::Object(object) = value else {
        return Some(format!("this is {}, not an OpenTool document", found(value)));
    };
    if object.contains_key("opentool")
        || object.get("functions").is_some_and(|functions| functions.as_array().is_some())
    {
        return None;
    }
    let other = if object.contains_key("openapi") || object.contains_key("swagger") {
        "this is an OpenAPI document, not an OpenTool document"
    } else if object.contains_key("tools") {
        "this is a list of tool definitions, not an OpenTool document"
    } else {
        "this is not an OpenTool document: it has no `opentool` member"
    };
    Some(other.to_owned())
}
