//! The bytes of a document: from a file, an address or standard input, within limits of size and time.

use std::io::{self, Read as _};
use std::net::IpAddr;
use std::time::Duration;

use opentool::openapi::Address;
use opentool_http::{Authorities, Client, HttpError, Redirects, Request, Response};
use url::Url;

use crate::error::CliError;
use crate::runtime;
use crate::source::SourceError;
use crate::source::references::client;
use crate::source::spec::Place;

/// The largest document that is read. The largest known one in use has 40 MB.
pub(crate) const DOCUMENT_LIMIT: u64 = 128 * 1024 * 1024;

/// Reads what is at the place, of servers for which these authorities vouch too. Comes back with the address that it really has, since relative servers start from there, and with the
/// machine that it came from.
///
/// # Errors
/// [`CliError::Source`].
pub(crate) fn read(
    place: &Place,
    limit: Duration,
    authorities: Option<Authorities>,
) -> Result<(Vec<u8>, Address, Option<IpAddr>), CliError> {
    let shown = place.to_string();
    Ok(match place {
        Place::Web(url) => {
            let answer = runtime::wait_for(fetch(url, &shown, client(limit, authorities)))?;
            (answer.body.into(), Address::Url(answer.url), answer.peer)
        }
        Place::File(path) => (read_local(place, &shown)?, Address::File(path.clone()), None),
        Place::StandardInput => (read_local(place, &shown)?, Address::Named(shown), None),
        Place::Mcp(_) | Place::Program(_) => {
            let reason = "it is an MCP server, and a document is wanted here".to_owned();
            return Err(Box::new(SourceError::Unreadable { place: shown, reason }).into());
        }
    })
}

fn read_local(place: &Place, shown: &str) -> Result<Vec<u8>, Box<SourceError>> {
    let unreadable = |error: io::Error| {
        Box::new(match error.kind() {
            io::ErrorKind::NotFound => SourceError::NoFile { place: shown.to_owned() },
            _ => SourceError::Unreadable { place: shown.to_owned(), reason: error.to_string() },
        })
    };
    let mut bytes = Vec::new();
    let read = match place.file() {
        // A limit here too: `/dev/zero` and a pipe that never ends are files.
        Some(path) => {
            std::fs::File::open(path).and_then(|file| file.take(DOCUMENT_LIMIT + 1).read_to_end(&mut bytes))
        }
        None => io::stdin().lock().take(DOCUMENT_LIMIT + 1).read_to_end(&mut bytes),
    };
    if read.map_err(unreadable)? as u64 > DOCUMENT_LIMIT {
        let reason = format!("it is larger than {} MiB", DOCUMENT_LIMIT / 1024 / 1024);
        return Err(Box::new(SourceError::Unreadable { place: shown.to_owned(), reason }));
    }
    Ok(bytes)
}

async fn fetch(url: &Url, shown: &str, client: Client) -> Result<Response, CliError> {
    let place = || shown.to_owned();
    // Documents are public things: they may move to another host.
    let request = Request::get(url.clone()).redirects(Redirects::Any);
    let response = client.send(request).await.map_err(|error| {
        Box::new(match error {
            HttpError::TimedOut { after, .. } => SourceError::TooLate { place: place(), after },
            error => SourceError::NoAnswer { place: place(), error: Box::new(error) },
        })
    })?;
    if !response.status.is_success() {
        let (status, code) = (response.status.to_string(), response.status.as_u16());
        return Err(Box::new(SourceError::Status { place: place(), status, code }).into());
    }
    Ok(response)
}
