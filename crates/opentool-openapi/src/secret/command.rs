//! Runs the command that prints a secret.
//!
//! No shell reads its words, its input is closed, its time and its output are bounded. What it says on its standard error
//! is told to the operator if it fails, without anything that it printed.

use std::ffi::{OsStr, OsString};
use std::process::Stdio;
use std::time::Duration;

use opentool_http::scrub::{self, Reach};
use secrecy::SecretString;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::Command;

use super::{Fault, MOST_BYTES, text};

/// How much of what a failed command said is told, in characters.
const MOST_SAID: usize = 500;

/// What the command prints.
pub(super) async fn run(
    program: &OsStr,
    arguments: &[OsString],
    limit: Duration,
) -> Result<SecretString, Fault> {
    let running = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn();
    let mut child = running.map_err(|error| Fault::new(format!("it cannot be started: {error}")))?;
    let (printed, said) = (child.stdout.take(), child.stderr.take());
    let all = async {
        // Both at once: a command that fills the one while the other is waited for would wait as well.
        let ((printed, whole), (said, _)) = tokio::join!(bounded(printed), bounded(said));
        // One that still has something to say is not waited for.
        let status = if whole { Some(child.wait().await) } else { None };
        (printed, said, status)
    };
    let (printed, said, status) = tokio::time::timeout(limit, all)
        .await
        .map_err(|_| Fault::new(format!("it did not end within {}", opentool_core::in_units(limit))))?;
    match status {
        None => Err(Fault::new("it prints more than 64 KiB, which no credential is")),
        Some(Err(error)) => Err(Fault::new(format!("it cannot be waited for: {error}"))),
        Some(Ok(status)) if status.success() => text(printed),
        Some(Ok(status)) => Err(Fault::new(format!("it failed ({status}){}", told(&said, &printed)))),
    }
}

/// What comes up to the limit, and whether that was all.
async fn bounded(from: Option<impl AsyncRead + Unpin>) -> (Vec<u8>, bool) {
    let mut bytes = Vec::new();
    let Some(mut from) = from else { return (bytes, true) };
    // A pipe that breaks is one that ends.
    let _ = (&mut from).take(MOST_BYTES).read_to_end(&mut bytes).await;
    let rest = from.read_u8().await;
    (bytes, rest.is_err())
}

/// The last of what it said, on one line, without the words that it printed.
fn told(said: &[u8], printed: &[u8]) -> String {
    let printed = String::from_utf8_lossy(printed);
    let secrets: Vec<SecretString> = printed.split_whitespace().map(SecretString::from).collect();
    let said = String::from_utf8_lossy(said);
    let said = scrub::text(&said, &secrets, Reach::Message);
    let words: Vec<&str> =
        said.split(|c: char| c.is_control() || c.is_whitespace()).filter(|w| !w.is_empty()).collect();
    let line = words.join(" ");
    if line.is_empty() {
        return String::new();
    }
    let skipped = line.chars().count().saturating_sub(MOST_SAID);
    let cut = if skipped > 0 { "… " } else { "" };
    format!(": {cut}{}", line.chars().skip(skipped).collect::<String>())
}
