//! What a client shows to a token endpoint, read at the moment when it is needed.

use std::sync::atomic::Ordering;
use std::time::Instant;

use opentool_core::{Failure, ToolError};
use secrecy::{ExposeSecret as _, SecretString};

use super::endpoint::Asking;
use super::{Grant, Held, OAuth, Rotated, lock};
use crate::SecretSource;

/// The secrets of a client as they are now.
pub(super) struct Shown {
    pub(super) client: Option<SecretString>,
    pub(super) refresh: Option<SecretString>,
}

impl Shown {
    /// What must not be repeated.
    pub(super) fn all(&self) -> Vec<SecretString> {
        self.client.iter().chain(&self.refresh).cloned().collect()
    }

    /// Whether both are what the other has.
    pub(super) fn is(&self, other: &Self) -> bool {
        let same = |one: &Option<SecretString>, other: &Option<SecretString>| {
            one.as_ref().map(|text| text.expose_secret()) == other.as_ref().map(|text| text.expose_secret())
        };
        same(&self.client, &other.client) && same(&self.refresh, &other.refresh)
    }
}

impl OAuth {
    /// Reads the secrets from where they are.
    ///
    /// # Errors
    /// If one cannot be read; where it is kept is the operator's to know.
    pub(super) async fn shown(&self, asking: &Asking<'_>) -> Result<Shown, ToolError> {
        let client = match &self.config.client_secret {
            Some(held) => Some(held.read("secret of the client", asking).await?),
            None => None,
        };
        let rotated = lock(&self.state.rotated).clone();
        let refresh = match (&self.config.grant, rotated) {
            (Grant::ClientCredentials, _) => None,
            (Grant::RefreshToken(_), Some(rotated)) => Some(rotated.now),
            (Grant::RefreshToken(held), None) => Some(held.read("refresh token", asking).await?),
        };
        Ok(Shown { client, refresh })
    }

    /// Keeps the refresh token that the endpoint sent in place of the one that it was shown, and says so: to the host's own
    /// function each time, else once to the operator.
    pub(super) fn rotate(&self, scheme: &str, shown: &Shown, now: SecretString) {
        let Some(used) = &shown.refresh else { return };
        if used.expose_secret() == now.expose_secret() {
            return;
        }
        {
            let mut rotated = lock(&self.state.rotated);
            let given = rotated.take().map_or_else(|| used.clone(), |before| before.given);
            *rotated = Some(Rotated { given, now: now.clone() });
        }
        match &self.config.on_rotation {
            Some(keep) => keep(&now),
            None if self.state.told.swap(true, Ordering::Relaxed) => {}
            None => tracing::warn!(
                target: "opentool::openapi",
                "the service replaced the refresh token of the scheme `{scheme}`: the new one is used while this program runs \
                 and kept nowhere, and the one that was given may work no more; keep it by `OAuth::on_rotation`, or let a \
                 command that keeps its own tokens give access tokens (`--credential '{scheme}=command:…'`)"
            ),
        }
    }

    /// Throws away what was read and then refused, so that it is read again. `false` if nothing is kept elsewhere. A refresh
    /// token that the endpoint sent itself is thrown away when it is dead: the operator may have put another one where the
    /// first was.
    pub(super) fn forget_shown(&self, shown: &Shown, is_dead: bool) -> bool {
        let refresh = match &self.config.grant {
            Grant::RefreshToken(held) => Some(held),
            Grant::ClientCredentials => None,
        };
        let held = [(self.config.client_secret.as_ref(), &shown.client), (refresh, &shown.refresh)];
        let mut any = false;
        let mut rotated = lock(&self.state.rotated);
        let of_shown = |rotated: &&mut Rotated| {
            shown.refresh.as_ref().is_some_and(|shown| shown.expose_secret() == rotated.now.expose_secret())
        };
        if is_dead
            && rotated.as_mut().filter(of_shown).is_some()
            && let (Some(Rotated { given, .. }), Some(Held::Kept(source))) = (rotated.take(), refresh)
        {
            source.forget(&given);
            any = true;
        }
        drop(rotated);
        for (held, secret) in held {
            if let (Some(Held::Kept(source)), Some(secret)) = (held, secret) {
                source.forget(secret);
                any = true;
            }
        }
        any
    }
}

impl Held {
    async fn read(&self, what: &str, asking: &Asking<'_>) -> Result<SecretString, ToolError> {
        match self {
            Self::Text(secret) => Ok(secret.clone()),
            Self::Kept(source) => {
                read_kept(source, &format!("{what} for the scheme `{}`", asking.scheme), asking.end).await
            }
        }
    }
}

/// What is kept elsewhere, within the time of the call. Where it is kept is the operator's to know.
///
/// # Errors
/// If it cannot be read; the message says what it is: `credential for the API`.
pub(crate) async fn read_kept(
    source: &SecretSource,
    what: &str,
    end: Option<Instant>,
) -> Result<SecretString, ToolError> {
    let begun = Instant::now();
    let read = match end {
        Some(end) => tokio::time::timeout_at(end.into(), source.read())
            .await
            .map_err(|_| ToolError::TimedOut(begun.elapsed()))?,
        None => source.read().await,
    };
    read.map_err(|error| {
        let message = format!(
            "nothing was sent: the {what} cannot be read where it is kept; its operator has the details"
        );
        Failure::new(message).source(error).into()
    })
}
