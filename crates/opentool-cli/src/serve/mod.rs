//! Serving tools over several protocols at once: what is bound, what is said about it, and how it ends.

mod endpoint;
mod options;
mod run;

use std::time::Duration;

use opentool::LiveTools;

use crate::describe::Shown;

pub(crate) use endpoint::Endpoint;
pub(crate) use options::OpenToolOptions;
pub(crate) use run::{Serving, run};

/// What is served, over whichever protocol.
#[derive(Debug)]
pub(crate) struct Served {
    /// The tools.
    pub(crate) tools: LiveTools,
    /// What the OpenTool server shows as its document.
    pub(crate) document: Shown,
    /// The name that MCP clients see.
    pub(crate) name: String,
    /// What a model should know about the tools as a whole.
    pub(crate) instructions: Option<String>,
    /// How long a call may take.
    pub(crate) timeout: Duration,
    /// Further names of the machine.
    pub(crate) allow_host: Vec<String>,
    /// Web pages that may call.
    pub(crate) allow_origin: Vec<String>,
}

impl Served {
    /// The MCP server of these tools.
    pub(crate) fn mcp(&self) -> opentool::mcp::Server {
        use opentool::mcp::Server;

        let mut server = Server::new(self.tools.clone())
            .name(self.name.clone())
            .version(env!("CARGO_PKG_VERSION"))
            .timeout(self.timeout);
        if let Some(instructions) = &self.instructions {
            server = server.instructions(instructions.clone());
        }
        server = self.allow_host.iter().fold(server, Server::allow_host);
        self.allow_origin.iter().fold(server, Server::allow_origin)
    }
}
