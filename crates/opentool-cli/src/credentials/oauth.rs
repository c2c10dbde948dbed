//! Access tokens that are fetched for the calls: as which client, from where, for what.
//!
//! A client's secret and a refresh token never stand on the command line, where every user of the machine can read them.

use opentool::openapi::plan::SecurityScheme;
use opentool::openapi::{Api, Credential, OAuth, Settings};
use secrecy::{ExposeSecret as _, SecretString};

use super::scope::{Scope, environment};
use super::secret::{FORMS, Secret};
use super::{address, two};
use crate::error::CliError;

/// How access tokens are fetched.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "OAuth 2 and OpenID Connect")]
pub(crate) struct OAuthOptions {
    /// Fetch access tokens as this client, for all schemes of the document that take them or for the one of this name
    #[arg(long, value_name = "[NAME=][SCHEME=]CLIENT_ID", hide_short_help = true)]
    oauth: Vec<String>,
    /// Where the client's secret is: `env:VARIABLE`, `file:PATH`, `command:WORDS` [env: OPENTOOL_CLIENT_SECRET]
    #[arg(long, value_name = "[NAME=]PLACE", hide_short_help = true)]
    client_secret: Vec<SecretString>,
    /// Where a refresh token is, for a client that acts for somebody: as for --client-secret. A new one that the service sends
    /// is used while this program runs and not kept: where services send a new one each time, the old one works once
    /// [env: OPENTOOL_REFRESH_TOKEN]
    #[arg(long, value_name = "[NAME=]PLACE", hide_short_help = true)]
    refresh_token: Vec<SecretString>,
    /// Fetch tokens here, whatever the document says
    #[arg(long, value_name = "[NAME=]URL", hide_short_help = true)]
    token_url: Vec<String>,
    /// Ask for this scope; by default for those that the operation needs
    #[arg(long, value_name = "[NAME=]SCOPE", hide_short_help = true)]
    scope: Vec<String>,
    /// Tell the token endpoint this besides: `audience=https://api.example.com`
    #[arg(long, value_name = "[NAME=]PARAMETER=VALUE", hide_short_help = true)]
    token_parameter: Vec<String>,
}

impl OAuthOptions {
    /// Adds the clients to the settings of an API.
    ///
    /// # Errors
    /// [`CliError::Usage`] for a scheme that the document does not have, a secret that is missing or stands on the command
    /// line, and options that are about no client.
    pub(super) fn add_to(
        &self,
        settings: &mut Settings,
        scope: &Scope<'_>,
        api: &Api,
    ) -> Result<(), CliError> {
        let clients = scope.values("--oauth", self.oauth.iter().map(String::as_str))?;
        if clients.is_empty() {
            return if self.oauth.is_empty() { self.refuse_rest() } else { Ok(()) };
        }
        let known = schemes(api, Tokens::All);
        // A bearer token may be of any kind; it is fetched where it is said from where.
        let usual = schemes(api, if self.token_url.is_empty() { Tokens::Fetched } else { Tokens::All });
        for client in clients {
            let (scheme, client_id) = match client.split_once('=') {
                Some((scheme, id)) => (Some(scheme), id),
                None => (None, client),
            };
            let meant: Vec<&String> = match scheme {
                Some(scheme) => known.iter().filter(|name| *name == scheme).collect(),
                None => usual.iter().collect(),
            };
            if meant.is_empty() {
                return Err(unknown(scheme, &known));
            }
            if client_id.trim().is_empty() {
                return Err(CliError::usage(
                    "`--oauth` names no client",
                    "write the client's id: `--oauth CLIENT_ID`",
                ));
            }
            let oauth = self.client(client_id, scope)?;
            for scheme in meant {
                settings.credentials.insert(scheme.clone(), Credential::OAuth(oauth.clone()));
            }
        }
        Ok(())
    }

    fn client(&self, id: &str, scope: &Scope<'_>) -> Result<OAuth, CliError> {
        let secret = kept("--client-secret", "CLIENT_SECRET", &self.client_secret, scope)?;
        let refresh = kept("--refresh-token", "REFRESH_TOKEN", &self.refresh_token, scope)?;
        let mut oauth = match (refresh, secret) {
            (Some(token), secret) => {
                let oauth = match token {
                    Secret::Text(token) => OAuth::refresh_token(id, token.expose_secret()),
                    Secret::Kept(source) => OAuth::refresh_token_from(id, source),
                };
                match secret {
                    None => oauth,
                    Some(Secret::Text(secret)) => oauth.client_secret(secret.expose_secret()),
                    Some(Secret::Kept(source)) => oauth.client_secret_from(source),
                }
            }
            (None, Some(Secret::Text(secret))) => OAuth::client_credentials(id, secret.expose_secret()),
            (None, Some(Secret::Kept(source))) => OAuth::client_credentials_from(id, source),
            (None, None) => {
                return Err(CliError::usage(
                    format!("the secret of the client `{id}` is missing"),
                    format!(
                        "set OPENTOOL_CLIENT_SECRET (or OPENTOOL_REFRESH_TOKEN), or say where it is: `--client-secret` with {FORMS}"
                    ),
                ));
            }
        };
        for url in scope.values("--token-url", self.token_url.iter().map(String::as_str))? {
            oauth = oauth.token_url(address("--token-url", url)?);
        }
        let scopes = scope.values("--scope", self.scope.iter().map(String::as_str))?;
        if !scopes.is_empty() {
            oauth = oauth.scopes(scopes.into_iter().flat_map(str::split_whitespace));
        }
        for text in scope.values("--token-parameter", self.token_parameter.iter().map(String::as_str))? {
            let (name, value) = two(text, '=', "--token-parameter PARAMETER=VALUE")?;
            oauth = oauth.parameter(name, value);
        }
        Ok(oauth)
    }

    /// Options that would have no effect are a mistake.
    fn refuse_rest(&self) -> Result<(), CliError> {
        let given = [
            ("--client-secret", !self.client_secret.is_empty()),
            ("--refresh-token", !self.refresh_token.is_empty()),
            ("--token-url", !self.token_url.is_empty()),
            ("--scope", !self.scope.is_empty()),
            ("--token-parameter", !self.token_parameter.is_empty()),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((option, _)) => Err(CliError::usage(
                format!("`{option}` is about a client that fetches tokens, and there is none"),
                "add `--oauth CLIENT_ID`, or leave it out",
            )),
            None => Ok(()),
        }
    }
}

/// A secret that is kept elsewhere: where the option says, or in the environment. What the option names is read when a token
/// is fetched.
fn kept(
    option: &str,
    variable: &str,
    values: &[SecretString],
    scope: &Scope<'_>,
) -> Result<Option<Secret>, CliError> {
    let given = scope.values(option, values.iter().map(|value| value.expose_secret()))?;
    let Some(text) = given.last() else {
        let own = scope.own_variable(variable)?;
        let common =
            || if values.is_empty() { environment(&format!("OPENTOOL_{variable}")) } else { Ok(None) };
        let text = own.map_or_else(common, |own| Ok(Some(own)))?;
        return text.map(|text| Secret::of_variable(option, text.expose_secret())).transpose();
    };
    match Secret::place(option, text)? {
        Some(source) => Ok(Some(Secret::Kept(source))),
        None => Err(CliError::usage(
            format!("`{option}` is not the secret itself, which everybody on this machine could read"),
            format!("say where it is: {FORMS}"),
        )),
    }
}

/// Which schemes take tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tokens {
    /// Those whose document says how one is got.
    Fetched,
    /// And HTTP bearer.
    All,
}

/// The schemes of the document that take access tokens, in the order of their use.
fn schemes(api: &Api, tokens: Tokens) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let requirements = api.operations().iter().flat_map(|operation| operation.security.iter());
    for used in requirements.flat_map(|requirement| &requirement.schemes) {
        let takes_tokens = match *used.scheme {
            SecurityScheme::OAuth2 { .. } | SecurityScheme::OpenIdConnect { .. } => true,
            SecurityScheme::Bearer => tokens == Tokens::All,
            _ => false,
        };
        if takes_tokens && !names.contains(&used.name) {
            names.push(used.name.clone());
        }
    }
    names
}

fn unknown(scheme: Option<&str>, known: &[String]) -> CliError {
    let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
    let help = match known.is_empty() {
        true => "the document asks for no token; leave `--oauth` out".to_owned(),
        false => format!("the schemes that take tokens are {}", known.join(", ")),
    };
    let message = match scheme {
        Some(scheme) => format!("the document has no security scheme `{scheme}` that takes tokens"),
        None => "the document has no security scheme that takes tokens".to_owned(),
    };
    CliError::usage(message, help)
}
