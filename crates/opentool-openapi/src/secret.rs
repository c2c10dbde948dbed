//! Credentials that are kept elsewhere: in a file, in an environment variable, behind a command.
//!
//! A host that names the place in its configuration has no secret there. What is at the place is read when the first call
//! needs it, by one reader however many calls wait, kept in memory for a while, and read once more when a service refuses
//! it. A command is run without a shell, for a bounded time, and a bounded part of its output is read.
//!
//! It deliberately writes nothing and asks nobody: a command that wants to talk to a person finds its input closed.

mod command;
mod date;
mod token;
mod written;

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use secrecy::{ExposeSecret as _, SecretString};

use crate::OpenApiError;
use crate::oauth::until;
pub use written::words;

/// The largest file or output in bytes. Tokens have a few thousand.
const MOST_BYTES: u64 = 64 * 1024;

/// How long what was read is used where nothing else is said.
const LIFETIME: Duration = Duration::from_secs(60);
const COMMAND_LIFETIME: Duration = Duration::from_secs(300);

/// How long a command may take.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Where a secret is kept: a file, an environment variable, a command that prints it. `Debug` shows the place and never
/// the secret. Clones share what was read.
///
/// ```
/// use opentool_openapi::{Credential, SecretSource};
///
/// let robot = SecretSource::command("gcloud", ["auth", "print-access-token"]);
/// let api = opentool_openapi::parse(r#"{"openapi": "3.1.0", "paths": {}}"#, "api.json")?
///     .credential("oauth", Credential::Kept(robot))
///     .credential("key", Credential::file("/run/secrets/api-key"));
/// # Ok::<(), opentool_openapi::OpenApiError>(())
/// ```
#[derive(Clone)]
pub struct SecretSource {
    config: Arc<Config>,
    state: Arc<State>,
}

#[derive(Clone)]
struct Config {
    place: Place,
    lifetime: Duration,
    timeout: Duration,
}

#[derive(Clone)]
enum Place {
    File(PathBuf),
    Environment(OsString),
    Command { program: OsString, arguments: Vec<OsString> },
}

#[derive(Default)]
struct State {
    known: Mutex<Option<Known>>,
    /// What went wrong last, and when: calls that waited for that very reading have the same answer.
    failed: Mutex<Option<(Instant, Fault)>>,
    /// Held by the one who reads.
    reading: tokio::sync::Mutex<()>,
}

struct Known {
    secret: SecretString,
    /// Until when it is used.
    until: Option<Instant>,
}

/// What was read, and how long it lives by its own word.
struct Found {
    secret: SecretString,
    lives: Option<Duration>,
}

/// Why there is no secret; never with any of it.
#[derive(Debug, Clone)]
struct Fault(Arc<str>);

impl Fault {
    fn new(reason: impl Into<Arc<str>>) -> Self {
        Self(reason.into())
    }

    fn cannot_be_read<E: fmt::Display>(error: E) -> Self {
        Self::new(format!("it cannot be read: {error}"))
    }
}

impl SecretSource {
    fn new(place: Place, lifetime: Duration) -> Self {
        let config = Config { place, lifetime, timeout: TIMEOUT };
        Self { config: Arc::new(config), state: Arc::default() }
    }

    /// The text of a file, without the line end after it. Read again after a minute, so that a secret that is renewed in
    /// its place is found.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self::new(Place::File(path.into()), LIFETIME)
    }

    /// The value of an environment variable of this process.
    pub fn environment(variable: impl Into<OsString>) -> Self {
        Self::new(Place::Environment(variable.into()), LIFETIME)
    }

    /// What a command prints, run without a shell: each argument is passed on as it is. A text is the secret, without the
    /// line end after it, and is used for five minutes. A JSON object is read as the tools of clouds and clusters write
    /// it: `access_token`, `accessToken` or `token` (also below `credential` or `status`) is the secret, and `expires_in`
    /// (seconds), `expires_on` (seconds since 1970), `token_expiry`, `expiry` or `expirationTimestamp` (a date) says how
    /// long it is used.
    pub fn command(
        program: impl Into<OsString>,
        arguments: impl IntoIterator<Item = impl Into<OsString>>,
    ) -> Self {
        let arguments = arguments.into_iter().map(Into::into).collect();
        Self::new(Place::Command { program: program.into(), arguments }, COMMAND_LIFETIME)
    }

    /// Sets how long what was read is used before it is read again, where it does not say so itself. Default: one minute;
    /// for a command five. Zero: it is read for every call.
    pub fn lifetime(self, lifetime: Duration) -> Self {
        self.change(|config| config.lifetime = lifetime)
    }

    /// Sets how long a command may take. Default: 30 seconds. It is killed then.
    pub fn timeout(self, limit: Duration) -> Self {
        self.change(|config| config.timeout = limit)
    }

    fn change(mut self, change: impl FnOnce(&mut Config)) -> Self {
        change(Arc::make_mut(&mut self.config));
        self.state = Arc::default();
        self
    }

    /// The secret: the one that is known, or what is read now. Needs a Tokio runtime with time and I/O.
    ///
    /// # Errors
    /// [`OpenApiError::Credential`] if nothing can be read, or what is read is empty.
    pub async fn read(&self) -> Result<SecretString, OpenApiError> {
        if let Some(known) = self.known() {
            return Ok(known);
        }
        let came = Instant::now();
        let _turn = self.state.reading.lock().await;
        // Somebody may have read it while this call waited.
        if let Some(known) = self.known() {
            return Ok(known);
        }
        let failed = lock(&self.state.failed).clone();
        if let Some((at, fault)) = failed
            && at > came
        {
            return Err(self.error(fault));
        }
        match self.find().await {
            Ok(found) => {
                let until = match found.lives {
                    Some(lives) => until(lives),
                    None => Instant::now().checked_add(self.config.lifetime),
                };
                *lock(&self.state.known) = Some(Known { secret: found.secret.clone(), until });
                Ok(found.secret)
            }
            Err(fault) => {
                *lock(&self.state.failed) = Some((Instant::now(), fault.clone()));
                Err(self.error(fault))
            }
        }
    }

    async fn find(&self) -> Result<Found, Fault> {
        let text = match &self.config.place {
            Place::File(path) => read_file(path.clone()).await?,
            Place::Environment(name) => match std::env::var(name) {
                Ok(text) => text.into(),
                Err(std::env::VarError::NotPresent) => return Err(Fault::new("it is not set")),
                Err(std::env::VarError::NotUnicode(_)) => return Err(Fault::new("it is no Unicode text")),
            },
            Place::Command { program, arguments } => {
                let output = command::run(program, arguments, self.config.timeout).await?;
                return token::read(&output);
            }
        };
        Ok(Found { secret: filled(&text)?, lives: None })
    }

    fn known(&self) -> Option<SecretString> {
        let known = lock(&self.state.known);
        let known = known.as_ref()?;
        known.until.is_none_or(|until| until > Instant::now()).then(|| known.secret.clone())
    }

    /// Throws a secret away that a service refused, unless another call has done so already.
    pub(crate) fn forget(&self, refused: &SecretString) {
        let mut known = lock(&self.state.known);
        if known.as_ref().is_some_and(|known| known.secret.expose_secret() == refused.expose_secret()) {
            *known = None;
        }
    }

    fn error(&self, fault: Fault) -> OpenApiError {
        OpenApiError::Credential {
            place: self.config.place.to_string().into(),
            reason: fault.0.as_ref().into(),
        }
    }
}

/// A text without the line ends after it.
///
/// # Errors
/// If nothing is left: sending nothing in place of a credential would look like a service that refuses a good one.
fn filled(text: &SecretString) -> Result<SecretString, Fault> {
    let text = text.expose_secret().trim_start_matches('\u{feff}').trim_end_matches(['\r', '\n']);
    if text.trim().is_empty() { Err(Fault::new("it is empty")) } else { Ok(text.into()) }
}

async fn read_file(path: PathBuf) -> Result<SecretString, Fault> {
    let read = tokio::task::spawn_blocking(move || read_now(&path)).await;
    read.unwrap_or_else(|error| Err(Fault::cannot_be_read(error)))
}

fn read_now(path: &Path) -> Result<SecretString, Fault> {
    use std::io::Read as _;
    let failed = Fault::cannot_be_read::<std::io::Error>;
    // Before it is opened, too: opening a pipe waits for somebody who writes into it.
    if !std::fs::metadata(path).map_err(failed)?.is_file() {
        return Err(Fault::new("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(failed)?;
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    text(bytes)
}

/// Bytes as a text, if they are one of the right size.
fn text(bytes: Vec<u8>) -> Result<SecretString, Fault> {
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > MOST_BYTES {
        return Err(Fault::new("it is larger than 64 KiB, which no credential is"));
    }
    // The error holds the bytes.
    String::from_utf8(bytes).map(SecretString::from).map_err(|_| Fault::new("it is no UTF-8 text"))
}

/// A panic elsewhere leaves whole values behind.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The place without what may be secret: the arguments of a command.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "the file `{}`", path.display()),
            Self::Environment(name) => write!(f, "the environment variable `{}`", name.display()),
            Self::Command { program, .. } => write!(f, "the command `{}`", program.display()),
        }
    }
}

impl fmt::Debug for SecretSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SecretSource").field(&format_args!("{}", self.config.place)).finish()
    }
}
