//! What a server that is a program says beside the protocol, and how it ended.
//!
//! Servers write their logs to standard error. They go to `tracing` line by line, and the last words are kept: where a
//! program does not start, they say why. Values of the environment that the host gave are covered.

use std::process::ExitStatus;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use opentool_core::visible::printable_line;
use opentool_http::scrub::{self, Reach};
use secrecy::SecretString;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// The longest line that is passed on, in bytes; the rest of it is dropped.
const LONGEST_LINE: usize = 8 * 1024;

/// How much of the last words is kept, in bytes.
const KEPT: usize = 1_024;

/// How long the words of a program that is lost may be on their way: another one may hold its standard error open.
const ON_THEIR_WAY: Duration = Duration::from_millis(500);

/// What is known of a program from the outside. Clones are the same.
#[derive(Debug, Clone, Default)]
pub(crate) struct LastWords {
    known: Arc<Mutex<Known>>,
    /// Everything was read.
    over: CancellationToken,
}

#[derive(Debug, Default)]
struct Known {
    said: String,
    status: Option<ExitStatus>,
}

impl LastWords {
    /// The program has ended.
    pub(crate) fn ended(&self, status: ExitStatus) {
        self.known(|known| known.status = Some(status));
    }

    /// Waits for the last of them, of a program that is lost.
    pub(crate) async fn arrived(&self) {
        let _ = timeout(ON_THEIR_WAY, self.over.cancelled()).await;
    }

    /// For the operator: how it ended, and what it said last.
    pub(crate) fn reason(&self) -> Box<str> {
        self.known(|known| {
            let ended = known.status.map(|status| match status.code() {
                Some(code) => format!("it ended with exit code {code}"),
                None => format!("it was ended ({status})"),
            });
            match (ended, known.said.trim()) {
                (Some(ended), "") => ended.into(),
                (Some(ended), said) => format!("{ended}, and said: {said}").into(),
                (None, "") => "".into(),
                (None, said) => format!("it said: {said}").into(),
            }
        })
    }

    /// Reads what the program says, to its end.
    pub(crate) async fn listen(
        self,
        mut from: impl AsyncRead + Unpin,
        program: Box<str>,
        secrets: Vec<SecretString>,
    ) {
        let (mut line, mut part) = (Vec::new(), [0_u8; 4096]);
        let tell = |line: &mut Vec<u8>| {
            let text = String::from_utf8_lossy(line);
            let text = scrub::text(text.trim_end(), &secrets, Reach::Message);
            if !text.is_empty() {
                let text = printable_line(&text);
                tracing::debug!(%program, "{text}");
                self.keep(&text);
            }
            line.clear();
        };
        while let Ok(read) = from.read(&mut part).await {
            if read == 0 {
                break;
            }
            for byte in part.iter().take(read) {
                match byte {
                    b'\n' => tell(&mut line),
                    byte if line.len() < LONGEST_LINE => line.push(*byte),
                    _ => {}
                }
            }
        }
        tell(&mut line);
        self.over.cancel();
    }

    fn keep(&self, text: &str) {
        self.known(|known| {
            known.said.push_str(text);
            known.said.push('\n');
            let much = known.said.len().saturating_sub(KEPT);
            if much > 0 {
                let from = known.said.ceil_char_boundary(much);
                known.said.drain(..from);
            }
        });
    }

    fn known<T>(&self, look: impl FnOnce(&mut Known) -> T) -> T {
        look(&mut self.known.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
