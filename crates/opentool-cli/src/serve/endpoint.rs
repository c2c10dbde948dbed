//! The OpenTool server of the command line.

use std::io;
use std::path::PathBuf;

use opentool::server::{Bound, Server, ServerError, Stop};
use secrecy::SecretString;

use super::Served;
use crate::console::Console;
use crate::describe::Shown;
use crate::error::{CliError, chain};
use crate::listen::Listen;

/// Where and how tools are served over OpenTool.
#[derive(Debug)]
pub(crate) struct Endpoint {
    /// Where to listen.
    pub(crate) listen: Listen,
    /// The keys that open; without any everybody may call.
    pub(crate) keys: Vec<SecretString>,
    /// Another path than the usual one.
    pub(crate) path: Option<String>,
    /// Whether clients may end the program.
    pub(crate) stop: Stop,
    /// The files of the certificate chain and of its key.
    pub(crate) tls: Option<(PathBuf, PathBuf)>,
}

/// What stands on the command line and cannot be is for its author to mend; the rest is about the machine.
fn refused(error: &ServerError) -> CliError {
    let help = match error {
        ServerError::InvalidBasePath { .. } => "`--opentool-path` takes it",
        ServerError::InvalidApiKey { .. } => "`--opentool-key` and OPENTOOL_SERVER_KEY take it",
        ServerError::InvalidHost { .. } => "`--allow-host` takes it",
        ServerError::InvalidOrigin { .. } => "`--allow-origin` takes it",
        ServerError::Bind { source, .. } if source.kind() != io::ErrorKind::PermissionDenied => {
            "`--opentool` takes a name or an IP address of this machine"
        }
        _ => return CliError::server(error),
    };
    CliError::usage(chain(error), help)
}

impl Endpoint {
    /// Listens; nothing is served yet.
    ///
    /// # Errors
    /// [`CliError::Usage`] if what was asked for cannot be; [`CliError::Server`].
    pub(crate) async fn bind(&self, served: &Served) -> Result<Bound, CliError> {
        let mut server = Server::new(served.tools.clone()).timeout(served.timeout).allow_stop(self.stop);
        server = match &served.document {
            Shown::Document(document) => server.document((**document).clone()),
            Shown::Made { title, version } => server.info(title.clone(), version.clone()),
        };
        server = self.keys.iter().cloned().fold(server, Server::api_key);
        server = served.allow_host.iter().fold(server, Server::allow_host);
        server = served.allow_origin.iter().fold(server, Server::allow_origin);
        if let Some(path) = &self.path {
            server = server.base_path(path.clone());
        }
        if let Some((certificates, key)) = &self.tls {
            server = server.tls(certificates.clone(), key.clone());
        }
        server.bind(self.listen.to_string()).await.map_err(|error| refused(&error))
    }

    /// Warns of what others could do.
    pub(crate) fn warn(&self, console: &Console) -> Result<(), CliError> {
        let listen = &self.listen;
        if listen.is_local() {
            return Ok(());
        }
        if self.keys.is_empty() {
            console.warning(&format!(
                "there is no key: whoever can reach {listen} can call the tools, with the credentials that you gave; \
                 `--opentool-key KEY` or OPENTOOL_SERVER_KEY asks for one"
            ))?;
        } else if self.tls.is_none() {
            console.warning(&format!(
                "keys travel unencrypted to {listen}; `--opentool-tls-cert` and `--opentool-tls-key` speak HTTPS"
            ))?;
        }
        Ok(())
    }
}
