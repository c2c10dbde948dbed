//! Parameters that are credentials: a document may list the key of its security scheme among an operation's parameters.
//!
//! Credentials are the host's, so such a parameter is no argument. What is known to be one: the name and place of an
//! API key that the document declares; `access_token` (RFC 6750, section 2.3) and `oauth_token` in the query of an
//! operation that takes tokens; `key` in the documents of Google, which describe it and declare no scheme for it; `token` where
//! an operation takes tokens and the description begins as Slack's do; and what signatures of AWS consist of. In a form
//! such a member is an argument until the host has the credential, since services may ask for it there.
//!
//! A token may as well be data: the one that is revoked, looked up, exchanged. The host's own in its place does harm that nobody
//! can undo, so an operation that sounds like it works on tokens has no token that is guessed, and what a host configures for
//! such a member counts before every guess.

use std::borrow::Cow;
use std::sync::Arc;

use opentool_core::Diagnostic;
use opentool_text::pointer;
use serde_json::{Map, Value};

use super::Reader;
use super::body::referenced;
use crate::document::Document;
use crate::plan::{
    FormCredential, Media, Operation, Parameter, Place, Requirement, SchemeUse, SecurityScheme,
};
use crate::request::media::MediaKind;
use crate::schema::{Direction, Knowledge};

/// How descriptions of Google's `key` begin.
const GOOGLE_KEY: &str = "API key.";

/// Whether a parameter of this place and name is what one of the requirements sends.
pub(crate) fn is_sent_by(security: &[Requirement], place: Place, name: &str) -> bool {
    is_key_of(security, place, name) || is_token_of(security, place, name)
}

/// Whether it is the key of one of the requirements.
fn is_key_of(security: &[Requirement], place: Place, name: &str) -> bool {
    schemes(security).any(|scheme| match scheme {
        SecurityScheme::ApiKey { place: own, name: key } => *own == place && is_same(place, key, name),
        _ => false,
    })
}

/// Whether it is where RFC 6750 has the token of a query.
fn is_token_of(security: &[Requirement], place: Place, name: &str) -> bool {
    place == Place::Query
        && matches!(name, "access_token" | "oauth_token")
        && schemes(security).any(takes_token)
}

fn schemes(security: &[Requirement]) -> impl Iterator<Item = &SecurityScheme> {
    security.iter().flat_map(|requirement| &requirement.schemes).map(|used| &*used.scheme)
}

/// How words begin that say what is done to a token. An operation that has one in its path or its `operationId` may be about
/// the token that it is given.
const DONE_TO_TOKENS: [&str; 9] =
    ["revok", "revoc", "verif", "validat", "introspect", "inspect", "exchang", "rotat", "refresh"];

/// The same, where longer words say something else (`checkout`), also as two words.
const WHOLE: [&str; 6] = ["check", "checks", "checked", "checking", "logout", "tokeninfo"];

/// Whether an operation with these words about itself may be about the token that it is given.
fn works_on_tokens(about: [&str; 2]) -> bool {
    about.into_iter().any(|text| {
        let words = words(text);
        let has_token = words.iter().any(|word| word.contains(TOKEN));
        let is_one = |word: &str| {
            DONE_TO_TOKENS.iter().any(|begins| word.starts_with(begins))
                || WHOLE.contains(&word)
                // A session is made invalid as well, and then the token is nothing but the credential.
                || has_token && word.starts_with("invalidat")
        };
        // Some write words as one: `checktoken`.
        words.iter().any(|word| is_one(word) || word.split(TOKEN).any(is_one))
            || words.windows(2).any(|two| WHOLE.contains(&two.concat().as_str()))
    })
}

/// The words of a path or a name in lower case: `/oauth2/revokeToken` has `oauth`, `revoke` and `token`.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        // In `APIToken` the last of the capitals begins a word.
        let begins = c.is_uppercase()
            && (!before.is_uppercase() || rest.peek().is_some_and(|next| next.is_lowercase()));
        if begins || !c.is_alphabetic() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphabetic()) {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether a parameter has the name of one that carries credentials, of which no scheme says that it sends it.
pub(crate) fn sounds_like_one(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name == TOKEN || SIGNATURE.contains(&name.as_str())
}

/// The parts of a signature of AWS (version 4), as parameters.
const SIGNATURE: [&str; 7] = [
    "x-amz-algorithm",
    "x-amz-content-sha256",
    "x-amz-credential",
    "x-amz-date",
    "x-amz-security-token",
    "x-amz-signature",
    "x-amz-signedheaders",
];

/// Whether a parameter of a secured operation is a part of a signature.
fn is_signature(security: &[Requirement], parameter: &Parameter) -> bool {
    matches!(parameter.place, Place::Query | Place::Header)
        && SIGNATURE.contains(&parameter.name.to_ascii_lowercase().as_str())
        && schemes(security).next().is_some()
}

/// Whether a parameter is the token of an operation that takes one, as its description says.
fn is_told_to_be_token(security: &[Requirement], parameter: &Parameter, about: [&str; 2]) -> bool {
    matches!(parameter.place, Place::Query | Place::Header)
        && parameter.name.eq_ignore_ascii_case(TOKEN)
        && calls_it_token(&parameter.schema)
        && schemes(security).any(takes_token)
        && !works_on_tokens(about)
}

/// What documents name a token.
const TOKEN: &str = "token";

/// The member of an operation's form that is its credential, said once more: named as an API key of the query, or called a
/// token by its description where tokens are taken (Slack). JSON that is offered beside such a form has the same. Asked when
/// all bodies are settled.
pub(crate) fn in_form(
    document: &Document,
    knowledge: &Knowledge,
    operation: &Operation,
) -> Option<FormCredential> {
    let body = operation.body.as_ref()?;
    let is_form =
        |media: &&Media| matches!(MediaKind::of(&media.media_type), MediaKind::Form | MediaKind::Multipart);
    let form = body.media.iter().find(is_form)?;
    let preferred = body.preferred().filter(|media| media.is_json() || is_form(media))?;
    let found = |media: &Media| {
        let schema = match media.schema.get("$ref") {
            Some(_) => Cow::Owned(referenced(document, knowledge, &media.schema, Direction::Input)),
            None => Cow::Borrowed(&media.schema),
        };
        let properties = schema.get("properties")?.as_object()?;
        let mut keys = schemes(&operation.security).filter_map(|scheme| match scheme {
            SecurityScheme::ApiKey { place: Place::Query, name } => Some(name),
            _ => None,
        });
        if let Some(key) = keys.find(|key| properties.contains_key(*key)) {
            return Some(FormCredential::Key(key.clone()));
        }
        let about = [operation.path.as_str(), operation.operation_id.as_deref().unwrap_or_default()];
        let is_token = properties.get(TOKEN).is_some_and(calls_it_token)
            && schemes(&operation.security).any(takes_token)
            && !works_on_tokens(about);
        is_token.then(|| FormCredential::Token(TOKEN.to_owned()))
    };
    let credential = found(preferred)?;
    (is_form(&preferred) || found(form).as_ref() == Some(&credential)).then_some(credential)
}

fn takes_token(scheme: &SecurityScheme) -> bool {
    matches!(
        scheme,
        SecurityScheme::Bearer | SecurityScheme::OAuth2 { .. } | SecurityScheme::OpenIdConnect { .. }
    )
}

/// Whether a description begins as Slack's do: "Authentication token.", "Authentication token bearing required scopes."
fn calls_it_token(schema: &Value) -> bool {
    let described = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let described = described.trim().to_ascii_lowercase();
    let rest = described.strip_prefix("authentication token");
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.') || rest.starts_with(" bearing"))
}

/// Names of headers have no case.
fn is_same(place: Place, one: &str, other: &str) -> bool {
    if place == Place::Header { one.eq_ignore_ascii_case(other) } else { one == other }
}

impl Reader<'_> {
    /// Takes the parameters away that are credentials; what the operation then asks the host for, and those of which only
    /// their descriptions say it. `about` is the path and the `operationId`.
    pub(super) fn without_credentials(
        &mut self,
        parameters: &mut Vec<Parameter>,
        mut security: Arc<[Requirement]>,
        about: [&str; 2],
        used_at: &str,
    ) -> (Arc<[Requirement]>, Vec<Parameter>) {
        if security.is_empty() {
            // The document says nothing about the operation's security but by the parameter itself.
            let declared = parameters
                .iter()
                .filter(|parameter| matches!(parameter.place, Place::Query | Place::Header | Place::Cookie))
                .find_map(|parameter| Some((self.key_scheme(parameter)?, parameter.required)));
            if let Some((name, required)) = declared {
                let scheme = SchemeUse { scheme: self.scheme(&name, used_at), name, scopes: Vec::new() };
                let mut requirements = vec![Requirement { schemes: vec![scheme] }];
                if !required {
                    requirements.push(Requirement { schemes: Vec::new() });
                }
                security = requirements.into();
            }
        }
        let google = parameters.iter().position(is_google_key).filter(|_| {
            let takes_tokens = |scheme: &SecurityScheme| matches!(scheme, SecurityScheme::OAuth2 { .. });
            schemes(&security).any(takes_tokens)
        });
        if let Some(key) = google.map(|at| parameters.remove(at)) {
            let scheme = SecurityScheme::ApiKey { place: key.place, name: key.name.clone() };
            let used = SchemeUse { name: key.name, scheme: Arc::new(scheme), scopes: Vec::new() };
            let own = Requirement { schemes: vec![used] };
            security = security.iter().cloned().chain([own]).collect();
        }
        let all = parameters.len();
        let mut set_aside = Vec::new();
        parameters.retain(|parameter| {
            let (place, name) = (parameter.place, parameter.name.as_str());
            if is_told_to_be_token(&security, parameter, about) {
                set_aside.push(parameter.clone());
                return false;
            }
            let is_token = is_token_of(&security, place, name) && !works_on_tokens(about);
            !is_token && !is_key_of(&security, place, name) && !is_signature(&security, parameter)
        });
        if google.is_some() || parameters.len() < all {
            // Documents that do this do it everywhere, so it is said once.
            let message = "parameters that carry credentials (the key of a security scheme, an access token) are no \
                           arguments; whoever runs the tools sets them";
            self.findings.add(Diagnostic::note("credential-parameter", "/paths", message));
        }
        (security, set_aside)
    }

    /// The name of the scheme of an API key that has this place and name.
    fn key_scheme(&self, parameter: &Parameter) -> Option<String> {
        let place = self.schemes_at();
        let text = |scheme: &Map<String, Value>, member: &str| {
            scheme.get(member).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let schemes = self.document.at(place)?.as_object()?;
        schemes.iter().find_map(|(name, scheme)| {
            let at = pointer::join(place, name);
            let scheme = self.document.follow(scheme, &at).ok()?.value.as_object()?;
            let fits = text(scheme, "type").eq_ignore_ascii_case("apikey")
                && text(scheme, "in").eq_ignore_ascii_case(parameter.place.as_str())
                && is_same(parameter.place, &text(scheme, "name"), &parameter.name);
            fits.then(|| name.clone())
        })
    }
}

fn is_google_key(parameter: &Parameter) -> bool {
    let described = parameter.schema.get("description").and_then(Value::as_str).unwrap_or_default();
    parameter.place == Place::Query
        && parameter.name == "key"
        && !parameter.required
        && described.starts_with(GOOGLE_KEY)
}
