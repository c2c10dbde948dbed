//! What a server does with the requests of its connections.

use std::future::{Future, ready};

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};
use tower_service::Service as _;

/// Answers the requests of all connections of a server.
///
/// A trait and not a service of `tower`: answers may borrow from the server and from their connection, so that a request
/// clones neither and no future is boxed on the way.
pub trait Respond: Send + Sync + 'static {
    /// What the requests of one connection share, which come one after the other. `()` if that is nothing.
    type Connection: Send + Sync;

    /// A connection has begun.
    fn connect(&self) -> Self::Connection;

    /// Runs beside the requests of a connection, and is dropped with it; that it completes means nothing. Does nothing
    /// unless it is written.
    fn beside(&self, connection: &Self::Connection) -> impl Future<Output = ()> + Send {
        let _ = connection;
        ready(())
    }

    /// Answers a request. The future is dropped if the client leaves or the connection is cut.
    fn respond(
        &self,
        request: Request<Body>,
        connection: &Self::Connection,
    ) -> impl Future<Output = Response<Body>> + Send;
}

/// The answer of these routes.
pub async fn route(router: &Router, request: Request<Body>) -> Response<Body> {
    match router.clone().call(request).await {
        Ok(response) => response,
        Err(impossible) => match impossible {},
    }
}
