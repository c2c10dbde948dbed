//! Where requests go and with which credentials, from the command line and the environment.
//!
//! With several APIs a value without a name in front of it is refused: a token must never reach a service that it
//! was not meant for.

use std::env::VarError;

use opentool::ToolError;
use opentool::openapi::{Credential, MissingCredentials, Settings};
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

use crate::error::CliError;
use crate::source::{Content, Loading, Place, Source, SourceError, Way};

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
    /// The token for HTTP bearer, OAuth 2 and OpenID Connect; better in the environment, where `ps` does not show it
    /// [env: OPENTOOL_BEARER]
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
            self.settle(source, &names, unnamed, loading)
        };
        sources.into_iter().map(settle).collect()
    }

    /// Gives the only API its settings.
    ///
    /// # Errors
    /// [`CliError::Usage`] for a value that cannot be read.
    pub(crate) fn apply_to(&self, source: Source, loading: &Loading) -> Result<Source, CliError> {
        let names: Vec<String> = source.spec.name.iter().cloned().collect();
        self.settle(source, &names, Unnamed::Own, loading)
    }

    /// The settings of the only API without any credential but those of `--credential`, which stand on the command
    /// line for everyone to see.
    ///
    /// # Errors
    /// [`CliError::Usage`] for a value that cannot be read.
    pub(crate) fn typed(&self, source: &Source) -> Result<Settings, CliError> {
        let own = source.spec.name.as_deref();
        let names: Vec<String> = own.map(str::to_owned).into_iter().collect();
        let mut settings = self.settings(&Scope { names: &names, own, unnamed: Unnamed::Own }, None)?;
        (settings.bearer, settings.api_key, settings.basic) = (None, None, None);
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
    ) -> Result<Source, CliError> {
        let Source { spec, content, findings } = source;
        let scope = Scope { names, own: spec.name.as_deref(), unnamed };
        let content = match content {
            Content::OpenApi(api) => {
                let mut settings = self.settings(&scope, Some(loading))?;
                settings.timeout = Some(loading.timeout);
                Content::OpenApi(Box::new(api.with(settings)))
            }
            Content::OpenTool(opentool) => {
                let server = scope.values("--server", self.server.iter().map(String::as_str))?.pop();
                let web = match &spec.place {
                    Place::Web(url) => Some(&**url),
                    Place::File(_) | Place::StandardInput => None,
                };
                let strange = server.is_none() && web.is_some_and(|web| opentool.leads_away_from(web));
                // A document of the web does not decide who is sent a key that nobody meant for it.
                let api_key = match strange && loading.api_key.is_empty() {
                    true => scope.own_variable("API_KEY")?,
                    false => scope.api_key(&loading.api_key)?,
                };
                let way = Way { server: server.map(str::to_owned), api_key, timeout: loading.timeout };
                let place = spec.place.to_string();
                let connected = opentool.connect(&way);
                Content::OpenTool(Box::new(
                    connected
                        .map_err(|error| Box::new(SourceError::Server { place, error: Box::new(error) }))?,
                ))
            }
            definitions @ Content::Definitions(_) => definitions,
        };
        Ok(Source { spec, content, findings })
    }

    /// Without `loading` there is no key of the environment or of `--api-key`.
    fn settings(&self, scope: &Scope<'_>, loading: Option<&Loading>) -> Result<Settings, CliError> {
        let mut settings = Settings::new();
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
        settings.bearer = scope.secret("--bearer", "BEARER", &self.bearer)?;
        if let Some(loading) = loading {
            settings.api_key = scope.api_key(&loading.api_key)?;
        }
        if let Some(text) = scope.secret("--basic", "BASIC", &self.basic)? {
            let (user, password) = two(text.expose_secret(), ':', "--basic USER:PASSWORD")?;
            settings.basic = Some((user.to_owned(), password.into()));
        }
        for text in scope.values("--credential", self.credential.iter().map(|text| text.expose_secret()))? {
            let (scheme, value) = two(text, '=', "--credential SCHEME=VALUE")?;
            if value.is_empty() {
                return Err(CliError::usage(
                    format!("`--credential {scheme}=` has no value"),
                    "leave it out, or give it a value; `--anonymous` sends without credentials",
                ));
            }
            settings.credentials.insert(scheme.to_owned(), Credential::text(value));
        }
        if self.anonymous {
            settings.missing_credentials = MissingCredentials::SendWithout;
        }
        Ok(settings)
    }
}

/// Which values are meant for one source.
pub(crate) struct Scope<'a> {
    /// The names of all sources.
    pub(crate) names: &'a [String],
    /// The name of this one.
    pub(crate) own: Option<&'a str>,
    /// Whom values without a name are for.
    pub(crate) unnamed: Unnamed,
}

/// Whom a value without a name in front is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unnamed {
    /// This source: it is the only one that calls somebody.
    Own,
    /// One of several, nobody knows which.
    Unclear,
    /// Others: this source calls nobody.
    Others,
}

/// Whether calls of the source's tools leave this machine's program, as far as the source says.
fn calls_somebody(source: &Source) -> bool {
    match &source.content {
        Content::OpenApi(_) => true,
        Content::OpenTool(opentool) => opentool.client().is_some() || opentool.document().server.is_some(),
        Content::Definitions(_) => false,
    }
}

impl Scope<'_> {
    /// The API key for this source, of the command line or the environment.
    ///
    /// # Errors
    /// [`CliError::Usage`] if it is not certain for which source it is, or empty.
    pub(crate) fn api_key(&self, values: &[SecretString]) -> Result<Option<SecretString>, CliError> {
        self.secret("--api-key", "API_KEY", values)
    }

    /// The values of an option that are meant for this source, without the name in front.
    fn values<'v>(
        &self,
        option: &str,
        values: impl Iterator<Item = &'v str>,
    ) -> Result<Vec<&'v str>, CliError> {
        let mut own = Vec::new();
        for value in values {
            match value.split_once('=').filter(|(name, _)| self.names.iter().any(|known| known == name)) {
                Some((name, value)) if Some(name) == self.own => own.push(value),
                Some(_) => {}
                None if self.unnamed == Unnamed::Own => own.push(value),
                None if self.unnamed == Unnamed::Others => {}
                None => {
                    return Err(CliError::usage(
                        format!("there are several APIs, and `{option}` does not say which one it is for"),
                        format!("name the source and say the name: `shop=SOURCE {option} shop=…`"),
                    ));
                }
            }
        }
        Ok(own)
    }

    /// The same for a secret, which the environment can hold too: `OPENTOOL_BEARER`, and for a source named `shop`
    /// `OPENTOOL_SHOP_BEARER`. The option counts before either. A variable that is empty is not set; an empty option
    /// is most often a variable of the shell that was not, and to send without is asked for by `--anonymous`.
    fn secret(
        &self,
        option: &str,
        variable: &str,
        values: &[SecretString],
    ) -> Result<Option<SecretString>, CliError> {
        let common = if values.is_empty() { environment(&format!("OPENTOOL_{variable}"))? } else { None };
        let values = values.iter().chain(&common).map(|value| value.expose_secret());
        let given = self.values(option, values)?;
        if given.contains(&"") {
            return Err(CliError::usage(
                format!("the value of `{option}` is empty"),
                format!("leave `{option}` out, or give it a value; `--anonymous` sends without credentials"),
            ));
        }
        if given.iter().any(|secret| secret.contains(char::is_control)) {
            return Err(CliError::usage(
                format!("the value for `{option}` holds a line break or another control character"),
                format!(
                    "give it without: `{option} \"$(cat FILE)\"` leaves out the last line break of a file"
                ),
            ));
        }
        if let Some(last) = given.last() {
            return Ok(Some((*last).into()));
        }
        self.own_variable(variable)
    }

    /// The variable that is meant for this source by name: `OPENTOOL_SHOP_BEARER`.
    fn own_variable(&self, variable: &str) -> Result<Option<SecretString>, CliError> {
        match self.own {
            Some(name) => {
                let name = name.to_ascii_uppercase().replace('-', "_");
                environment(&format!("OPENTOOL_{name}_{variable}"))
            }
            None => Ok(None),
        }
    }
}

/// A variable of the environment, if it is set and not empty.
pub(crate) fn environment(name: &str) -> Result<Option<SecretString>, CliError> {
    match std::env::var(name) {
        Ok(value) if value.is_empty() => Ok(None),
        Ok(value) => Ok(Some(value.into())),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => Err(CliError::usage(
            format!("the value of the variable {name} is not text in UTF-8"),
            "set it again, or unset it",
        )),
    }
}

/// A secret of the command line. The error cannot repeat it: only an empty one is refused.
pub(crate) fn not_empty(text: &str) -> Result<SecretString, &'static str> {
    if text.is_empty() {
        return Err(
            "it is empty; leave it out, or give it a value (`--anonymous` sends without credentials)",
        );
    }
    Ok(text.into())
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
