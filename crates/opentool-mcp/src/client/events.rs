//! An event stream as the SDK wants it, with a bound on each event.
//!
//! The SDK reads the events; this counts their bytes before they are kept, and says which limit was met.

use std::error::Error;

use futures_util::stream::{BoxStream, StreamExt as _, try_unfold};
use opentool_http::{Bytes, HttpError, Incoming};
use sse_stream::{Error as SseError, Sse, SseStream};

use super::ClientError;

/// Reads the events of an answer, of at most `most` bytes each.
pub(crate) fn read(
    incoming: Incoming,
    server: Box<str>,
    most: usize,
) -> BoxStream<'static, Result<Sse, SseError>> {
    let parts = try_unfold((incoming, Count::default()), move |(mut incoming, mut count)| {
        let server = server.clone();
        async move {
            let Some(part) = incoming.chunk().await.map_err(|error| fault(error, &server))? else {
                return Ok::<Option<(Bytes, _)>, ClientError>(None);
            };
            if count.add(&part) > most {
                let limit = u64::try_from(most).unwrap_or(u64::MAX);
                return Err(ClientError::TooLarge { server, limit });
            }
            Ok(Some((part, (incoming, count))))
        }
    });
    SseStream::from_bytes_stream(parts.boxed()).boxed()
}

fn fault(error: HttpError, server: &str) -> ClientError {
    match error {
        HttpError::TimedOut { after, .. } => ClientError::TimedOut { server: server.into(), after },
        HttpError::TooLarge { limit, .. } => ClientError::TooLarge { server: server.into(), limit },
        error => error.into(),
    }
}

/// What ended a stream, if it was a limit of ours or the connection.
pub(crate) fn cause(error: SseError) -> Option<ClientError> {
    match error {
        SseError::Body(inner) => {
            let inner: Box<dyn Error + 'static> = inner;
            inner.downcast::<ClientError>().ok().map(|error| *error)
        }
        _ => None,
    }
}

/// The bytes of the event that is being read.
#[derive(Default)]
struct Count {
    event: usize,
    /// The line that is being read has no byte yet, so that its end would be that of the event.
    line_is_empty: bool,
}

impl Count {
    /// The size of the largest event that these bytes belong to, as far as it is read.
    fn add(&mut self, bytes: &[u8]) -> usize {
        let mut largest = self.event;
        for byte in bytes {
            match byte {
                b'\n' if self.line_is_empty => self.event = 0,
                b'\n' => self.line_is_empty = true,
                // Before a line end, or a line end by itself.
                b'\r' => {}
                _ => self.line_is_empty = false,
            }
            self.event = self.event.saturating_add(1);
            largest = largest.max(self.event);
        }
        largest
    }
}

#[cfg(test)]
mod tests {
    use super::Count;

    #[test]
    fn an_event_ends_with_an_empty_line_and_not_with_a_part() {
        let mut count = Count::default();
        assert_eq!(count.add(b"data: 1\n"), 8);
        assert_eq!(count.add(b"data: 2\r\n"), 17);
        assert_eq!(count.add(b"\r\ndata"), 18);
        assert_eq!(count.add(b": 3\n\n"), 9);
    }
}
