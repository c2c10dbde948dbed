//! Streams whose beginning is waited for: until the first piece is there, another attempt or another model can take over.

use futures_util::stream::{iter, once};
use futures_util::{StreamExt as _, TryStreamExt as _};
use opentool_core::{ModelError, ReplyEvent, ReplyStream};

/// A stream that has begun: its first event, and the rest.
pub(super) struct Begun<'a> {
    first: Option<ReplyEvent>,
    rest: ReplyStream<'a>,
}

/// Waits for the first event; an error if that is what comes first.
pub(super) async fn begun(mut stream: ReplyStream<'_>) -> Result<Begun<'_>, ModelError> {
    Ok(Begun { first: stream.next().await.transpose()?, rest: stream })
}

/// The stream that begins as this future says; it ends with the error of a beginning that failed.
pub(super) fn beginning_with<'a>(
    begin: impl Future<Output = Result<Begun<'a>, ModelError>> + Send + 'a,
) -> ReplyStream<'a> {
    Box::pin(once(begin).map_ok(|begun| iter(begun.first.map(Ok)).chain(begun.rest)).try_flatten())
}
