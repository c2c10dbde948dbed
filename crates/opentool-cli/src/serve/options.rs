//! The options of an OpenTool server, under their own names and under those that the published guidelines for packaged
//! tools, and newer SDKs, give them.

use std::path::PathBuf;

use secrecy::SecretString;

use opentool::server::{DEFAULT_ADDRESS, Stop};

use super::Endpoint;
use crate::credentials::environment;
use crate::error::CliError;
use crate::listen::Listen;

const DEFAULT_HOST: &str = "127.0.0.1";
const DEFAULT_PORT: u16 = 17001;

/// How tools are served over OpenTool.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Serving over OpenTool")]
pub(crate) struct OpenToolOptions {
    /// Speak OpenTool at /opentool of this address: `HOST:PORT` or `PORT`; port 0 takes a free one. It may be the
    /// address of --http. It holds 512 connections, of which idle ones make room for new ones, and runs 256 calls at
    /// once, each for --timeout at most; a connection has 5 seconds for its first request, which may have 4 MiB
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = DEFAULT_ADDRESS)]
    opentool: Option<Listen>,
    /// Let in who shows this key, and nobody without one; several are possible [env: OPENTOOL_SERVER_KEY]
    #[arg(long, value_name = "KEY", value_parser = key)]
    opentool_key: Vec<SecretString>,
    /// Another path than /opentool
    #[arg(long, value_name = "PATH")]
    opentool_path: Option<String>,
    /// Let clients end the program with `POST /stop`
    #[arg(long)]
    opentool_allow_stop: bool,
    /// Speak HTTPS, with the certificate chain in this PEM file
    #[arg(long, value_name = "FILE", requires = "opentool_tls_key")]
    opentool_tls_cert: Option<PathBuf>,
    /// The private key of the certificate, a PEM file
    #[arg(long, value_name = "FILE", requires = "opentool_tls_cert")]
    opentool_tls_key: Option<PathBuf>,
    // What the published guidelines for packaged tools call it.
    #[arg(long = "toolPort", short = 't', value_name = "PORT", hide = true, value_parser = port)]
    tool_port: Option<u16>,
    // The same; a name of its own, so that a mistake is told by the name that was written.
    #[arg(long = "opentoolServerPort", value_name = "PORT", hide = true, value_parser = port, conflicts_with = "tool_port")]
    server_port: Option<u16>,
    #[arg(long = "opentoolServerHost", value_name = "HOST", hide = true, conflicts_with = "opentool")]
    server_host: Option<String>,
    #[arg(
        long = "apiKeys",
        alias = "opentoolServerApiKeys",
        short = 'k',
        value_name = "KEY",
        value_delimiter = ',',
        value_parser = key,
        hide = true
    )]
    api_keys: Vec<SecretString>,
    // By it hosts that start many servers tell them apart in their lists of processes; a server has no use for it.
    #[arg(long = "opentoolServerTag", value_name = "TAG", hide = true)]
    server_tag: Option<String>,
}

impl OpenToolOptions {
    /// Where to listen; `None` if nothing is to be served over OpenTool.
    ///
    /// # Errors
    /// [`CliError::Usage`] for options that mean two addresses, or that are about a server that there is not.
    pub(crate) fn listen(&self) -> Result<Option<Listen>, CliError> {
        let (port, option) = match self.tool_port {
            Some(port) => (Some(port), "--toolPort"),
            None => (self.server_port, "--opentoolServerPort"),
        };
        let by_guideline = port.is_some()
            || self.server_host.is_some()
            || !self.api_keys.is_empty()
            || self.server_tag.is_some();
        match &self.opentool {
            Some(_) if port.is_some() => Err(CliError::usage(
                format!("`--opentool` and `{option}` both say where to listen"),
                "keep `--opentool HOST:PORT`",
            )),
            Some(listen) => Ok(Some(listen.clone())),
            None if by_guideline => {
                let host = self.server_host.as_deref().unwrap_or(DEFAULT_HOST);
                let port = port.unwrap_or(DEFAULT_PORT);
                let listen = format!("{host}:{port}").parse();
                listen.map(Some).map_err(|error| {
                    CliError::usage(
                        format!("`--opentoolServerHost {host}` is not a host: {error}"),
                        "write `0.0.0.0`",
                    )
                })
            }
            None => self.refuse_rest(),
        }
    }

    /// Refuses a path that hides the MCP server which is to stand beside this one.
    ///
    /// # Errors
    /// [`CliError::Usage`].
    pub(crate) fn leave_mcp(&self) -> Result<(), CliError> {
        let path = self.opentool_path.as_deref().unwrap_or_default();
        if path.trim_matches('/') != "mcp" {
            return Ok(());
        }
        Err(CliError::usage(
            format!("`--opentool-path {path}` is where MCP is, on the same address: nobody could reach it"),
            "choose another path, or another address for `--http`",
        ))
    }

    /// Options that would have no effect are a mistake: somebody believes that there is a key.
    fn refuse_rest(&self) -> Result<Option<Listen>, CliError> {
        let given = [
            ("--opentool-key", !self.opentool_key.is_empty()),
            ("--opentool-path", self.opentool_path.is_some()),
            ("--opentool-allow-stop", self.opentool_allow_stop),
            ("--opentool-tls-cert", self.opentool_tls_cert.is_some()),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((option, _)) => Err(CliError::usage(
                format!("`{option}` is about OpenTool, and nothing is served over it"),
                "add `--opentool`, or leave it out",
            )),
            None => Ok(None),
        }
    }

    /// Everything about the server.
    ///
    /// # Errors
    /// [`CliError::Usage`] if the key in the environment is empty or not text.
    pub(crate) fn endpoint(self, listen: Listen) -> Result<Endpoint, CliError> {
        let mut keys = self.opentool_key;
        keys.extend(self.api_keys);
        if keys.is_empty() {
            keys.extend(server_key()?);
        }
        Ok(Endpoint {
            listen,
            keys,
            path: self.opentool_path,
            stop: if self.opentool_allow_stop { Stop::Allowed } else { Stop::Refused },
            tls: self.opentool_tls_cert.zip(self.opentool_tls_key),
        })
    }
}

/// A key of the command line. Its error cannot repeat it: only an empty one is refused.
fn key(text: &str) -> Result<SecretString, &'static str> {
    if text.is_empty() {
        return Err(
            "it is empty, and the server would let everybody in; give it a value, or leave it out to serve \
                    without a key",
        );
    }
    Ok(text.into())
}

fn port(text: &str) -> Result<u16, &'static str> {
    text.parse().map_err(|_| "expected a number from 0 to 65535; 0 takes a free port")
}

/// The key of the environment. Unlike other variables one that is set and empty is a mistake: whoever writes
/// `OPENTOOL_SERVER_KEY=$KEY` means the server to be closed, and without `KEY` it would be open to everybody.
fn server_key() -> Result<Option<SecretString>, CliError> {
    const NAME: &str = "OPENTOOL_SERVER_KEY";
    match std::env::var_os(NAME) {
        Some(value) if value.is_empty() => Err(CliError::usage(
            format!("{NAME} is set and empty, and the server would let everybody in"),
            "give it a value, or unset it to serve without a key",
        )),
        _ => environment(NAME),
    }
}
