//! Where requests go and with which credentials, from the command line and the environment.
//!
//! With several APIs a value without a name in front of it is refused: a token must never reach a service that it
//! was not meant for.

mod header;
mod known;
mod oauth;
mod plain;
mod scope;
mod secret;

use std::path::PathBuf;

use opentool::ToolError;
use opentool::openapi::{Addresses, Credential, MissingCredentials, Retries, Settings};
use opentool_http::Identity;
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

use crate::error::CliError;
use crate::source::{Content, Loading, Place, Source, SourceError, Way, authorities, bytes};
use oauth::OAuthOptions;
pub(crate) use opentool::openapi::__private::words;
pub(crate) use scope::{Scope, Unnamed, environment, not_empty};
use secret::Secret;

/// Makes a request, and tells apart why it cannot be made.
///
/// # Errors
/// [`CliError::NoCredential`] if it could be made without credentials, else [`CliError::NotSent`].
pub(crate) fn request<T>(
    settings: &Settings,
    make: impl Fn(&Settings) -> Result<T, ToolError>,
) -> Result<T, CliError> {
    make(settings).map_err(|error| {
        let mut without = settings.clone();
        without.missing_credentials = MissingCredentials::SendWithout;
        if make(&without).is_ok() { CliError::NoCredential(error) } else { CliError::NotSent(error) }
    })
}

/// Where requests go and with which credentials.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Sending")]
pub(crate) struct Access {
    /// Send to this address, whatever the document says
    #[arg(long, value_name = "[NAME=]URL")]
    server: Vec<String>,
    /// Where the document comes from: relative server addresses in it start from there. Known for a SOURCE that is a URL
    #[arg(long, value_name = "[NAME=]URL")]
    document_url: Vec<String>,
    /// Set a variable of the document's server address
    #[arg(long, value_name = "[NAME=]VARIABLE=VALUE")]
    server_variable: Vec<String>,
    /// The token for HTTP bearer, OAuth 2 and OpenID Connect; better in the environment, where `ps` does not show it, or
    /// elsewhere, as every secret: `env:VARIABLE`, `file:PATH`, `command:WORDS` [env: OPENTOOL_BEARER]
    #[arg(long, value_name = "[NAME=]TOKEN", value_parser = not_empty)]
    bearer: Vec<SecretString>,
    /// User and password for HTTP Basic [env: OPENTOOL_BASIC]
    #[arg(long, value_name = "[NAME=]USER:PASSWORD", value_parser = not_empty)]
    basic: Vec<SecretString>,
    /// The credential for one security scheme of the document
    #[arg(long, value_name = "[NAME=]SCHEME=VALUE")]
    credential: Vec<SecretString>,
    /// Send without credentials where the document asks for some that are not set
    #[arg(long)]
    anonymous: bool,
    /// Send this header with every request: `Name: value`. Shown as `***`; taken out of results too if it may be a
    /// credential: by its name (`X-Api-Key`) if it has six characters at least, or because it is long. What is shorter stands
    /// in data by chance, and stays there
    #[arg(long, value_name = "[NAME=]HEADER")]
    header: Vec<SecretString>,
    /// How often a request that failed for the moment is sent again, if it may be: 0 for never; by default 2
    #[arg(long, value_name = "TIMES", value_parser = clap::value_parser!(u32).range(0..=20), hide_short_help = true)]
    retries: Option<u32>,
    /// The longest result: what is too much of it is cut, with a notice; `none` cuts nothing. By default 100kB where models
    /// read results, and none for `call`
    #[arg(long, value_name = "BYTES", value_parser = longest, hide_short_help = true)]
    result_limit: Option<Longest>,
    /// Let documents that were fetched name servers in private networks too, and all documents link-local ones
    #[arg(long, conflicts_with = "public_only", hide_short_help = true)]
    allow_private: bool,
    /// Connect to public addresses only, whoever names the server
    #[arg(long, hide_short_help = true)]
    public_only: bool,
    /// Show this client certificate: a PEM file with its chain
    #[arg(long, value_name = "[NAME=]FILE", requires = "client_key", hide_short_help = true)]
    client_cert: Vec<String>,
    /// The private key of the client certificate: a PEM file
    #[arg(long, value_name = "[NAME=]FILE", requires = "client_cert", hide_short_help = true)]
    client_key: Vec<String>,
    /// Let models name files below this directory as what is uploaded (`{"$file": "report.pdf"}`), in place of base64
    #[arg(long, value_name = "[NAME=]DIR", hide_short_help = true)]
    upload_dir: Vec<String>,
    #[command(flatten)]
    oauth: OAuthOptions,
}

impl Access {
    /// Gives every API its settings.
    ///
    /// # Errors
    /// [`CliError::Usage`] for a value that cannot be read, or that could be meant for more than one API.
    pub(crate) fn apply_to_all(
        &self,
        sources: Vec<Source>,
        loading: &Loading,
    ) -> Result<Vec<Source>, CliError> {
        let names: Vec<String> = sources.iter().filter_map(|source| source.spec.name.clone()).collect();
        let only = sources.len() == 1;
        let apis = sources.iter().filter(|source| calls_somebody(source)).count();
        let settle = |source: Source| {
            let unnamed = match (calls_somebody(&source), apis) {
                _ if only => Unnamed::Own,
                (true, 1) => Unnamed::Own,
                (true, _) => Unnamed::Unclear,
                (false, _) => Unnamed::Others,
            };
            self.settle(source, &names, unnamed, loading, Settings::new())
        };
        sources.into_iter().map(settle).collect()
    }

    /// Gives the only API its settings, for calls whose results a person or a program reads: they are whole.
    ///
    /// # Errors
    /// [`CliError::Usage`] for a value that cannot be read.
    pub(crate) fn apply_to(&self, source: Source, loading: &Loading) -> Result<Source, CliError> {
        let names: Vec<String> = source.spec.name.iter().cloned().collect();
        let mut whole = Settings::new();
        whole.result_limit = None;
        self.settle(source, &names, Unnamed::Own, loading, whole)
    }

    /// The settings of the only API without any credential but those of `--credential`, which stand on the command
    /// line for everyone to see.
    ///
    /// # Errors
    /// [`CliError::Usage`] for a value that cannot be read.
    pub(crate) fn typed(&self, source: &Source) -> Result<Settings, CliError> {
        let own = source.spec.name.as_deref();
        let names: Vec<String> = own.map(str::to_owned).into_iter().collect();
        let scope = Scope { names: &names, own, unnamed: Unnamed::Own };
        let mut settings = self.settings(&scope, None, Typed::Only, Settings::new())?;
        (settings.bearer, settings.api_key, settings.basic) = (None, None, None);
        (settings.bearer_from, settings.api_key_from, settings.basic_from) = (None, None, None);
        if settings.document_url.is_none() {
            settings.document_url = source.api().and_then(|api| api.settings().document_url.clone());
        }
        Ok(settings)
    }

    fn settle(
        &self,
        source: Source,
        names: &[String],
        unnamed: Unnamed,
        loading: &Loading,
        before: Settings,
    ) -> Result<Source, CliError> {
        let Source { spec, content, findings } = source;
        let scope = Scope { names, own: spec.name.as_deref(), unnamed };
        let content = match content {
            Content::OpenApi(api) => {
                let mut settings = self.settings(&scope, Some(loading), Typed::AndKept, before)?;
                settings.timeout = Some(loading.timeout);
                self.oauth.add_to(&mut settings, &scope, &api)?;
                // Of several sources, one may have what another has not.
                if names.len() < 2 {
                    known::check(&api, &settings, findings.console())?;
                }
                for name in settings.uncovered_headers() {
                    findings.console().warning(&format!(
                        "the value of `--header {name}` has fewer than six characters: should the service repeat it, it stays in \
                         results; it is hidden in messages and dry runs"
                    ))?;
                }
                let api = api.with(settings);
                if let Some(url) = plain::of_api(&api) {
                    findings.console().warning(&plain::told(&url))?;
                }
                Content::OpenApi(Box::new(api))
            }
            Content::OpenTool(opentool) => {
                let server = scope.values("--server", self.server.iter().map(String::as_str))?.pop();
                let web = match &spec.place {
                    Place::Web(url) => Some(&**url),
                    _ => None,
                };
                let strange = server.is_none() && web.is_some_and(|web| opentool.leads_away_from(web));
                // A document of the web does not decide who is sent a key that nobody meant for it.
                let api_key = match strange && loading.api_key.is_empty() {
                    true => scope.own_variable("API_KEY")?,
                    false => scope.api_key(&loading.api_key)?,
                };
                if strange && api_key.is_none() && environment("OPENTOOL_API_KEY")?.is_some() {
                    findings.console().note(&format!(
                        "OPENTOOL_API_KEY is not sent: {} names a server elsewhere, {}; `--api-key KEY` sends one there",
                        spec.place,
                        opentool.named_server().unwrap_or_default()
                    ))?;
                }
                let mut sending = Settings::new();
                self.certificates(&mut sending, &scope, Some(loading))?;
                let addresses = match (self.allow_private, self.public_only) {
                    (true, _) => Addresses::Any,
                    (false, true) => Addresses::Public,
                    // Nor does it decide which machines of this network are called.
                    (false, false) if server.is_some() => Addresses::Named,
                    (false, false) => opentool.may_name(web),
                };
                let unheard = self.unheard(&scope)?;
                if !unheard.is_empty() {
                    findings.console().warning(&format!(
                        "{} is an OpenTool source, for which {} {} nothing",
                        spec.place,
                        unheard.join(", "),
                        if unheard.len() == 1 { "does" } else { "do" }
                    ))?;
                }
                let way = Way {
                    server: server.map(str::to_owned),
                    api_key,
                    timeout: loading.timeout,
                    addresses,
                    authorities: sending.authorities,
                };
                let place = spec.place.to_string();
                let connected = opentool
                    .connect(&way)
                    .map_err(|error| Box::new(SourceError::Server { place, error: Box::new(error) }))?;
                if let Some(url) = plain::of_opentool(&connected) {
                    findings.console().warning(&plain::told(&url))?;
                }
                Content::OpenTool(Box::new(connected))
            }
            Content::Mcp(server) => {
                let unheard = self.unheard(&scope)?;
                if !unheard.is_empty() {
                    findings.console().warning(&format!(
                        "{} is an MCP server, for which {} {} nothing",
                        spec.place,
                        unheard.join(", "),
                        if unheard.len() == 1 { "does" } else { "do" }
                    ))?;
                }
                let place = spec.place.to_string();
                Content::Mcp(if self.public_only { Box::new(server.public_only(&place)?) } else { server })
            }
            definitions @ Content::Definitions(_) => definitions,
        };
        Ok(Source { spec, content, findings })
    }

    /// The options that are given for an OpenTool source, which knows none of them.
    fn unheard(&self, scope: &Scope<'_>) -> Result<Vec<&'static str>, CliError> {
        let secret = |secrets: &[SecretString], option| {
            let given = secrets.iter().map(|secret| secret.expose_secret());
            Ok::<_, CliError>((option, !scope.values(option, given)?.is_empty()))
        };
        let text = |texts: &[String], option| {
            Ok::<_, CliError>((option, !scope.values(option, texts.iter().map(String::as_str))?.is_empty()))
        };
        let given = [
            text(&self.document_url, "--document-url")?,
            text(&self.server_variable, "--server-variable")?,
            secret(&self.bearer, "--bearer")?,
            secret(&self.basic, "--basic")?,
            secret(&self.credential, "--credential")?,
            secret(&self.header, "--header")?,
            text(&self.client_cert, "--client-cert")?,
            text(&self.upload_dir, "--upload-dir")?,
            ("--retries", self.retries.is_some() && scope.unnamed == Unnamed::Own),
            ("--result-limit", self.result_limit.is_some() && scope.unnamed == Unnamed::Own),
        ];
        Ok(given.into_iter().filter_map(|(option, given)| given.then_some(option)).collect())
    }

    /// What was set before, and what the command line says. Without `loading` there is no key of the environment or of
    /// `--api-key`.
    fn settings(
        &self,
        scope: &Scope<'_>,
        loading: Option<&Loading>,
        typed: Typed,
        mut settings: Settings,
    ) -> Result<Settings, CliError> {
        for text in scope.values("--server", self.server.iter().map(String::as_str))? {
            settings.server = Some(address("--server", text)?);
        }
        for text in scope.values("--document-url", self.document_url.iter().map(String::as_str))? {
            settings.document_url = Some(address("--document-url", text)?);
        }
        for text in scope.values("--server-variable", self.server_variable.iter().map(String::as_str))? {
            let (name, value) = two(text, '=', "--server-variable VARIABLE=VALUE")?;
            settings.server_variables.insert(name.to_owned(), value.to_owned());
        }
        match scope.secret("--bearer", "BEARER", &self.bearer)? {
            Some(Secret::Text(token)) => settings.bearer = Some(token),
            Some(Secret::Kept(source)) => settings.bearer_from = Some(source),
            None => {}
        }
        if let Some(loading) = loading {
            match scope.secret("--api-key", "API_KEY", &loading.api_key)? {
                Some(Secret::Text(key)) => settings.api_key = Some(key),
                Some(Secret::Kept(source)) => settings.api_key_from = Some(source),
                None => {}
            }
        }
        match scope.secret("--basic", "BASIC", &self.basic)? {
            Some(Secret::Text(text)) => {
                let (user, password) = two(text.expose_secret(), ':', "--basic USER:PASSWORD")?;
                settings.basic = Some((user.to_owned(), password.into()));
            }
            Some(Secret::Kept(source)) => settings.basic_from = Some(source),
            None => {}
        }
        for text in scope.values("--credential", self.credential.iter().map(|text| text.expose_secret()))? {
            let (scheme, value) = two(text, '=', "--credential SCHEME=VALUE")?;
            if value.is_empty() {
                return Err(CliError::usage(
                    format!("`--credential {scheme}=` has no value"),
                    "leave it out, or give it a value; `--anonymous` sends without credentials",
                ));
            }
            let credential = match Secret::place("--credential", value)? {
                Some(_) if typed == Typed::Only => continue,
                Some(source) => Credential::Kept(source),
                None => Credential::text(value),
            };
            settings.credentials.insert(scheme.to_owned(), credential);
        }
        for text in scope.values("--header", self.header.iter().map(|text| text.expose_secret()))? {
            let header::Given { name, value, is_typed } = header::read(text)?;
            if is_typed || typed == Typed::AndKept {
                settings.headers.push((name, value));
            }
        }
        self.certificates(&mut settings, scope, loading)?;
        for text in scope.values("--upload-dir", self.upload_dir.iter().map(String::as_str))? {
            settings.uploads = Some(directory("--upload-dir", text)?);
        }
        if let Some(times) = self.retries {
            settings.retries = Retries::default().attempts(times.saturating_add(1));
        }
        if let Some(Longest(limit)) = self.result_limit {
            settings.result_limit = limit;
        }
        settings.addresses = match (self.allow_private, self.public_only) {
            (true, _) => Some(Addresses::Any),
            (false, true) => Some(Addresses::Public),
            (false, false) => None,
        };
        if self.anonymous {
            settings.missing_credentials = MissingCredentials::SendWithout;
        }
        Ok(settings)
    }

    /// Adds the client certificate and the authorities.
    fn certificates(
        &self,
        settings: &mut Settings,
        scope: &Scope<'_>,
        loading: Option<&Loading>,
    ) -> Result<(), CliError> {
        let last = |option, values: &[String]| {
            let given = scope.values(option, values.iter().map(String::as_str))?;
            Ok::<_, CliError>(given.last().map(PathBuf::from))
        };
        let wrong = |error: opentool_http::HttpError| {
            CliError::usage(crate::error::chain(&error), "certificates and keys are files in PEM form")
        };
        let (certificate, key) =
            (last("--client-cert", &self.client_cert)?, last("--client-key", &self.client_key)?);
        settings.identity = match (certificate, key) {
            (Some(certificate), Some(key)) => Some(Identity::load(certificate, key).map_err(wrong)?),
            (None, None) => None,
            _ => {
                return Err(CliError::usage(
                    "`--client-cert` and `--client-key` go together, and one is not for the same API",
                    "give both for each API that asks for a certificate",
                ));
            }
        };
        let files = loading.map(|loading| loading.references.ca_files()).unwrap_or_default();
        let given = scope.values("--ca-file", files.iter().map(String::as_str))?;
        settings.authorities = given.last().map(|file| authorities(file)).transpose()?;
        Ok(())
    }
}

/// Which secrets are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Typed {
    /// Those that stand on the command line.
    Only,
    /// Those that are kept elsewhere too.
    AndKept,
}

/// The longest result; without a number there is no limit.
#[derive(Debug, Clone, Copy)]
struct Longest(Option<usize>);

fn longest(text: &str) -> Result<Longest, String> {
    match text.trim() {
        "none" | "0" => Ok(Longest(None)),
        text => bytes(text).map(|most| Longest(Some(most))),
    }
}

/// Whether calls of the source's tools leave this machine's program, as far as the source says.
fn calls_somebody(source: &Source) -> bool {
    match &source.content {
        Content::OpenApi(_) => true,
        Content::OpenTool(opentool) => opentool.client().is_some() || opentool.document().server.is_some(),
        Content::Mcp(_) => true,
        Content::Definitions(_) => false,
    }
}

/// A directory that is there.
fn directory(option: &str, text: &str) -> Result<PathBuf, CliError> {
    let path = PathBuf::from(text);
    if path.is_dir() {
        return Ok(path);
    }
    Err(CliError::usage(
        format!("`{option} {text}` is no directory"),
        "name the directory that holds what may be uploaded, and nothing else",
    ))
}

fn address(option: &str, text: &str) -> Result<Url, CliError> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    url.ok_or_else(|| {
        CliError::usage(
            format!("the value of `{option}` is not an http(s) address"),
            format!("write it with its scheme: `{option} https://api.example.com/v1`"),
        )
    })
}

/// Splits a value that may be a secret: the error does not repeat it.
fn two<'v>(text: &'v str, separator: char, form: &str) -> Result<(&'v str, &'v str), CliError> {
    text.split_once(separator).filter(|(name, _)| !name.is_empty()).ok_or_else(|| {
        CliError::usage(
            format!("a value has no `{separator}` where one is needed"),
            format!("write `{form}`"),
        )
    })
}
