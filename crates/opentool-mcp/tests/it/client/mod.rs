//! The client: against our own server, against scripted ones that do everything wrong, and against the Python SDK's.

mod faults;
mod http;
mod listing;
mod peers;
mod program;
mod scripted;
mod source;

/// What a builder gives.
async fn opened<T>(builder: impl IntoFuture<Output = T>) -> T {
    crate::support::soon("the connection", builder.into_future()).await
}
