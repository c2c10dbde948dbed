//! The `OTEL_…` variables that this crate reads itself. What the SDK reads, such as samplers and intervals, is left to it.

use std::time::Duration;

use opentool_http::{Authorities, Identity};
use url::Url;

use crate::OtelError;

/// How long one request may take if nobody says otherwise.
const TIMEOUT: Duration = Duration::from_secs(10);

/// What is exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    Traces,
    Metrics,
}

impl Signal {
    fn as_str(self) -> &'static str {
        match self {
            Self::Traces => "TRACES",
            Self::Metrics => "METRICS",
        }
    }

    /// What is appended to the address of a collector.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Traces => "v1/traces",
            Self::Metrics => "v1/metrics",
        }
    }

    /// The name and the value of a setting of the exporter: this signal's own, or the one for all.
    fn setting(self, name: &str) -> Option<(String, String)> {
        let own = format!("OTEL_EXPORTER_OTLP_{}_{name}", self.as_str());
        let general = format!("OTEL_EXPORTER_OTLP_{name}");
        [own, general].into_iter().find_map(|variable| {
            let value = read(&variable)?;
            Some((variable, value))
        })
    }

    /// Whether it is to be exported at all.
    ///
    /// # Errors
    /// If an exporter is named that is not here.
    pub(crate) fn is_wanted(self) -> Result<bool, OtelError> {
        let variable = format!("OTEL_{}_EXPORTER", self.as_str());
        match read(&variable).as_deref() {
            None | Some("otlp") => Ok(true),
            Some("none") => Ok(false),
            Some(other) => {
                let problem = format!("is `{}`; write `otlp` or `none`", shown(other));
                Err(OtelError::variable(&variable, problem))
            }
        }
    }

    /// How long one request may take.
    pub(crate) fn timeout(self) -> Result<Duration, OtelError> {
        let Some((variable, value)) = self.setting("TIMEOUT") else { return Ok(TIMEOUT) };
        match value.parse() {
            Ok(milliseconds) => Ok(Duration::from_millis(milliseconds)),
            Err(_) => {
                let problem = format!("is `{}`; write a number of milliseconds", shown(&value));
                Err(OtelError::variable(&variable, problem))
            }
        }
    }

    /// Refuses a protocol that is not here, and an address that nothing can be sent to.
    pub(crate) fn check(self) -> Result<(), OtelError> {
        if let Some((variable, value)) = self.setting("PROTOCOL")
            && value != "http/protobuf"
        {
            let problem = format!(
                "is `{}`; only `http/protobuf` is spoken here, which collectors expect at port 4318",
                shown(&value)
            );
            return Err(OtelError::variable(&variable, problem));
        }
        if let Some((variable, value)) = self.setting("COMPRESSION")
            && value != "none"
        {
            let problem = format!("is `{}`; only `none` is possible here", shown(&value));
            return Err(OtelError::variable(&variable, problem));
        }
        match self.setting("ENDPOINT") {
            Some((variable, value)) => {
                address(&value).map(drop).map_err(|why| OtelError::variable(&variable, why))
            }
            None => Ok(()),
        }
    }

    /// Authorities that are trusted besides those of the platform.
    pub(crate) fn authorities(self) -> Result<Option<Authorities>, OtelError> {
        let Some((variable, file)) = self.setting("CERTIFICATE") else { return Ok(None) };
        let loaded = Authorities::load(file);
        loaded
            .map(Some)
            .map_err(|error| OtelError::Certificate { variable: variable.into(), source: Box::new(error) })
    }

    /// Who this program is to the collector.
    pub(crate) fn identity(self) -> Result<Option<Identity>, OtelError> {
        match (self.setting("CLIENT_CERTIFICATE"), self.setting("CLIENT_KEY")) {
            (None, None) => Ok(None),
            (Some((variable, certificate)), Some((_, key))) => {
                Identity::load(certificate, key).map(Some).map_err(|error| OtelError::Certificate {
                    variable: variable.into(),
                    source: Box::new(error),
                })
            }
            (Some((variable, _)), None) => {
                Err(OtelError::variable(&variable, "needs the key beside it: OTEL_EXPORTER_OTLP_CLIENT_KEY"))
            }
            (None, Some((variable, _))) => {
                let problem = "needs the certificate beside it: OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE";
                Err(OtelError::variable(&variable, problem))
            }
        }
    }
}

/// Whether somebody has said where traces and metrics go: `OTEL_EXPORTER_OTLP_ENDPOINT`, or the one for traces or metrics
/// alone, is set, and `OTEL_SDK_DISABLED` is not `true`. For programs that export only if they are told to.
pub fn is_configured() -> bool {
    let set = |signal: Signal| signal.setting("ENDPOINT").is_some();
    !is_disabled() && (set(Signal::Traces) || set(Signal::Metrics))
}

/// Whether all of it is switched off.
pub(crate) fn is_disabled() -> bool {
    read("OTEL_SDK_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true"))
}

/// Whether traces go from program to program by W3C's headers.
pub(crate) fn propagates() -> bool {
    let listed = |list: String| list.split(',').any(|name| name.trim() == "tracecontext");
    read("OTEL_PROPAGATORS").is_none_or(listed)
}

/// The address of a collector.
///
/// # Errors
/// What is wrong with it; whatever is secret in it is not repeated.
pub(crate) fn address(text: &str) -> Result<Url, Box<str>> {
    const WRITE: &str = "write a URL such as `http://localhost:4318`";
    let url = Url::parse(text).map_err(|error| format!("is no address ({error}); {WRITE}"))?;
    match url.scheme() {
        "http" | "https" if url.has_host() => Ok(url),
        scheme => Err(format!("has the scheme `{}`; {WRITE}", shown(scheme)).into()),
    }
}

/// The variable, unless it is empty, which means that it is not set.
fn read(variable: &str) -> Option<String> {
    std::env::var(variable).ok().map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

/// So much of a value as fits a message.
fn shown(value: &str) -> String {
    value.chars().filter(|character| !character.is_control()).take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn addresses_are_http_and_faults_do_not_repeat_secrets() {
        assert!(address("https://otel.example.com/otlp").is_ok());
        for text in ["localhost:4318", "grpc://a:4317", "4318", "http://", "http://user:hunter2@"] {
            let fault = address(text).unwrap_err();
            assert!(fault.contains("http://localhost:4318") && !fault.contains("hunter2"), "{text}: {fault}");
        }
    }
}
