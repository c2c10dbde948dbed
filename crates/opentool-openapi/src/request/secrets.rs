//! The secrets that a request carries, so that nothing that comes back repeats them.
//!
//! A secret is known by what was sent and by what was configured: a password is one without its user, too. How it may
//! be written in an answer is not decided here.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use secrecy::{ExposeSecret as _, SecretString};

use super::security::Carried;

/// A password of fewer characters stands in for none: then the user is what is secret, as in `key:x`.
const NO_PASSWORD: usize = 6;

/// All texts that must not be repeated, the longest first. Allocates nothing where there are no credentials.
pub(super) fn carried(credentials: &[Carried]) -> Vec<SecretString> {
    let mut secrets = Vec::new();
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
