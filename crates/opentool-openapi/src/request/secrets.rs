//! The secrets that a request carries, so that nothing that comes back repeats them.
//!
//! A secret is known by what was sent and by what was configured: a password is one without its user, too. How it may
//! be written in an answer is not decided here.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use opentool_http::HeaderName;
use opentool_http::scrub::LONG as LONG_ENOUGH;
use secrecy::{ExposeSecret as _, SecretString};

use super::security::Carried;
use super::settings::Settings;

/// A password of fewer characters stands in for none: then the user is what is secret, as in `key:x`.
const NO_PASSWORD: usize = 6;

/// Parts of names of headers that hold a secret.
const SECRET_NAMES: [&str; 9] =
    ["auth", "key", "token", "secret", "password", "credential", "session", "signature", "cookie"];

/// A value of a header that nobody makes up by hand.
const LONG: usize = 16;

/// Whether a header of the host's is a credential, and not the name of a tenant, which a service may well repeat.
pub(super) fn may_be_one(header: &str, value: &SecretString) -> bool {
    let value = value.expose_secret();
    let is_long = value.len() >= LONG && !value.contains(' ');
    is_long || SECRET_NAMES.iter().any(|part| header.contains(part))
}

/// Whether a header of the host's is named like a credential, and too short to be taken out of answers.
fn is_uncovered(header: &str, value: &SecretString) -> bool {
    let last = value.expose_secret().trim().rsplit(' ').next().unwrap_or_default();
    SECRET_NAMES.iter().any(|part| header.contains(part)) && last.chars().count() < LONG_ENOUGH
}

impl Settings {
    /// The headers of the host that are named like a credential (`X-Api-Key`) and are so short that a service which repeats
    /// them is not hindered: texts of fewer than six characters stand in data by chance, so they are covered in
    /// messages and left in results.
    pub fn uncovered_headers(&self) -> impl Iterator<Item = &HeaderName> {
        let uncovered = self.headers.iter().filter(|(name, value)| is_uncovered(name.as_str(), value));
        uncovered.map(|(name, _)| name)
    }
}

/// All texts that must not be repeated, the longest first. Allocates nothing where there are no credentials.
pub(super) fn carried(credentials: &[Carried], headers: &[&SecretString]) -> Vec<SecretString> {
    let mut secrets = Vec::new();
    for value in headers {
        let value = value.expose_secret().trim();
        add(&mut secrets, value);
        // After `Bearer`, `Token` and the like.
        add(&mut secrets, value.rsplit(' ').next().unwrap_or_default());
    }
    for carried in credentials {
        let sent = carried.secret.expose_secret().trim();
        add(&mut secrets, sent);
        if carried.prefix == "Basic " {
            // What takes it out of a header or a log drops the padding now and then.
            add(&mut secrets, sent.trim_end_matches('='));
            let pair = STANDARD.decode(sent).ok().and_then(|pair| String::from_utf8(pair).ok());
            let pair = pair.unwrap_or_default();
            add(&mut secrets, &pair);
            let (user, password) = pair.split_once(':').unwrap_or_default();
            add(&mut secrets, password);
            if password.chars().count() < NO_PASSWORD {
                add(&mut secrets, user);
            }
        }
    }
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.expose_secret().len()));
    secrets
}

fn add(secrets: &mut Vec<SecretString>, text: &str) {
    if !text.is_empty() && !secrets.iter().any(|known| known.expose_secret() == text) {
        secrets.push(text.into());
    }
}
