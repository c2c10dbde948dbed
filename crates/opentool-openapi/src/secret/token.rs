//! What a command printed: a secret as it is, or an object that says how long it lives as well.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use super::{Fault, Found, date, filled};

/// Where tools write the token: OAuth endpoints, Azure's, Kubernetes' credential plugins, Google Cloud's.
const TOKENS: [&str; 5] =
    ["/access_token", "/accessToken", "/token", "/status/token", "/credential/access_token"];

/// Where they write until when it is good, as a date.
const DATES: [&str; 4] =
    ["/expiry", "/expirationTimestamp", "/status/expirationTimestamp", "/credential/token_expiry"];

/// The secret of an output.
///
/// # Errors
/// If it is empty, or an object without a token.
pub(super) fn read(output: &SecretString) -> Result<Found, Fault> {
    let text = output.expose_secret().trim();
    if !text.starts_with('{') {
        return Ok(Found { secret: filled(output)?, lives: None });
    }
    let Ok(object) = serde_json::from_str::<Value>(text) else {
        // A secret may begin like that.
        return Ok(Found { secret: filled(output)?, lives: None });
    };
    let token = TOKENS.iter().find_map(|at| object.pointer(at)?.as_str().filter(|token| !token.is_empty()));
    let Some(token) = token else {
        return Err(Fault::new(
            "it prints a JSON object without a token; `access_token`, `accessToken`, `token`, `status.token` and \
             `credential.access_token` are looked for",
        ));
    };
    Ok(Found { secret: token.into(), lives: lives(&object, SystemTime::now()) })
}

/// How long the token of the object is good.
fn lives(object: &Value, now: SystemTime) -> Option<Duration> {
    if let Some(seconds) = object.get("expires_in").and_then(seconds) {
        return Some(Duration::from_secs(seconds));
    }
    let epoch = object.get("expires_on").and_then(seconds);
    let date = || DATES.iter().find_map(|at| date::seconds(object.pointer(at)?.as_str()?));
    let until = UNIX_EPOCH.checked_add(Duration::from_secs(epoch.or_else(date)?))?;
    // One that is over is not used a second time.
    Some(until.duration_since(now).unwrap_or(Duration::ZERO))
}

/// A number, which some write as a text.
fn seconds(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => text.parse().ok(),
        other => other.as_u64(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use secrecy::ExposeSecret as _;
    use serde_json::json;

    use super::{lives, read};

    #[test]
    fn a_text_is_the_secret_and_an_object_holds_it() {
        let secret =
            |text: &str| read(&text.into()).map(|found| found.secret.expose_secret().to_owned()).ok();
        for (printed, expected) in [
            ("s3cret\n", Some("s3cret")),
            ("user:pass word \r\n", Some("user:pass word ")),
            ("{not json", Some("{not json")),
            (r#"{"access_token": "a", "expires_in": 3599}"#, Some("a")),
            (r#"{"accessToken": "a", "expiresOn": "x"}"#, Some("a")),
            (r#"{"kind": "ExecCredential", "status": {"token": "a"}}"#, Some("a")),
            (r#"{"credential": {"access_token": "a"}}"#, Some("a")),
            (r#"{"access_token": ""}"#, None),
            (r#"{"error": "s3cret"}"#, None),
            (" \n", None),
            ("", None),
        ] {
            assert_eq!(secret(printed).as_deref(), expected, "{printed}");
        }
    }

    #[test]
    fn an_object_says_how_long_it_lives() {
        let now = UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        let seconds = |object| lives(&object, now).map(|lives| lives.as_secs());
        assert_eq!(seconds(json!({"expires_in": 60})), Some(60));
        assert_eq!(seconds(json!({"expires_in": "60"})), Some(60));
        assert_eq!(seconds(json!({"expires_on": 1_700_000_100})), Some(100));
        assert_eq!(seconds(json!({"expires_on": "1600000000"})), Some(0));
        assert_eq!(seconds(json!({"status": {"expirationTimestamp": "2023-11-14T22:15:00Z"}})), Some(100));
        assert_eq!(seconds(json!({"credential": {"token_expiry": "2023-11-14T23:15:00+01:00"}})), Some(100));
        assert_eq!(seconds(json!({"expiry": "soon"})), None);
        assert_eq!(seconds(json!({})), None);
    }
}
