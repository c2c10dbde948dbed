//! A streaming call, event by event.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::{Stream, StreamExt as _};
use serde_json::Value;

use super::{Client, ClientError, FunctionCall, stream};

/// What a streaming call tells. A failure is not one of these: it is the error that ends the stream.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum StreamEvent {
    /// The function of this name has begun.
    Start(String),
    /// A datum: an object by the protocol, and whatever the server sent.
    Data(Value),
    /// The function has ended well. The last event, also where the server closed the stream without saying so.
    Done,
}

/// The events of a streaming call: at most one [`StreamEvent::Start`], data, and [`StreamEvent::Done`] or an error.
///
/// The call is made when the stream is first polled. Dropping it closes the connection, by which the server learns that
/// nobody waits any more.
#[must_use = "a stream does nothing until it is polled"]
pub struct EventStream(Pin<Box<dyn Stream<Item = Result<StreamEvent, ClientError>> + Send>>);

impl EventStream {
    /// The next event; `None` after the last one, or after an error.
    pub async fn next(&mut self) -> Option<Result<StreamEvent, ClientError>> {
        self.0.next().await
    }
}

impl Stream for EventStream {
    type Item = Result<StreamEvent, ClientError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(cx)
    }
}

impl fmt::Debug for EventStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventStream").finish_non_exhaustive()
    }
}

impl Client {
    /// Calls a function and gives what it tells while it runs.
    ///
    /// ```no_run
    /// # use opentool_server::client::{Client, ClientError, FunctionCall, StreamEvent};
    /// # async fn run(server: Client) -> Result<(), ClientError> {
    /// let mut events = server.stream_call(FunctionCall::new("1", "count").argument("to", 3));
    /// while let Some(event) = events.next().await {
    ///     if let StreamEvent::Data(datum) = event? {
    ///         println!("{datum}");
    ///     }
    /// }
    /// # Ok(()) }
    /// ```
    pub fn stream_call(&self, call: FunctionCall) -> EventStream {
        let client = self.clone();
        let events = stream::open(self.clone(), call, None).map(move |told| {
            Ok(match told? {
                stream::Told::Start(function) => StreamEvent::Start(function),
                stream::Told::Data(datum) => StreamEvent::Data(match serde_json::from_str(&datum) {
                    Ok(datum) => datum,
                    Err(error) => {
                        let reason = format!("a datum cannot be read: {error}");
                        return Err(client.exchange().not_opentool(reason));
                    }
                }),
                stream::Told::Done(_) => StreamEvent::Done,
            })
        });
        EventStream(Box::pin(events))
    }
}
