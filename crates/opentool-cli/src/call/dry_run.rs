//! A request that is shown and not sent: as a command for `curl`, or as JSON.

use opentool::Arguments;
use serde_json::{Value, json};

use crate::console::Console;
use crate::error::CliError;
use crate::source::OpenTool;

/// A request in both forms, secrets masked.
pub(crate) struct DryRun {
    /// `{method, url, headers, body, body_kind}`.
    pub(crate) json: Value,
    /// A command line for a POSIX shell.
    pub(crate) curl: String,
}

impl DryRun {
    /// The call of a function at an OpenTool server.
    pub(crate) fn of_function(opentool: &OpenTool, url: &str, function: &str, arguments: Arguments) -> Self {
        let streams = opentool.document().find(function).is_some_and(|function| !function.stream.is_empty());
        let url = format!("{url}/{}", if streams { "streamCall" } else { "call" });
        let params = Value::Object(arguments.into_map());
        let body = json!({"jsonrpc": "2.0", "method": function, "params": params, "id": "1"});
        let mut headers = vec![("Content-Type", "application/json")];
        if streams {
            headers.push(("Accept", "text/event-stream"));
        }
        if opentool.has_key() {
            headers.push(("Authorization", "Bearer ***"));
        }
        let mut curl = format!("curl --request POST {}", quoted(&url));
        for (name, value) in &headers {
            curl.push_str(&format!(" --header {}", quoted(&format!("{name}: {value}"))));
        }
        curl.push_str(&format!(" --data-raw {}", quoted(&body.to_string())));
        let headers: serde_json::Map<String, Value> =
            headers.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect();
        let json =
            json!({"method": "POST", "url": url, "headers": headers, "body": body, "body_kind": "json"});
        Self { json, curl }
    }

    /// The call of a tool at an MCP server: the message, which is no request by itself.
    pub(crate) fn of_mcp(tool: &str, arguments: Arguments) -> Self {
        let params = json!({"name": tool, "arguments": Value::Object(arguments.into_map())});
        let json = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        Self { curl: json.to_string(), json }
    }

    /// Prints it.
    pub(crate) fn show(self, console: &Console) -> Result<(), CliError> {
        if console.is_json() {
            console.json(&self.json)?;
        } else {
            console.data(format!("{}\n", self.curl).as_bytes())?;
        }
        Ok(())
    }
}

/// A word of a POSIX shell.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}
