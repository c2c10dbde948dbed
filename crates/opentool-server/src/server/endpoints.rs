//! The endpoints on connections of our own: found without the router, which is for what else there is, and with one
//! clock for the calls of a connection.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};
use opentool_listen::{Respond, route};

use super::cutoff::Clock;
use super::host::Host;
use super::routes::{self, Endpoint};

/// What a server that listens answers.
pub(super) struct Endpoints {
    pub(super) host: Arc<Host>,
    /// The base path of the endpoints, without a slash at its end.
    pub(super) base: String,
    /// Everything that is no endpoint.
    pub(super) router: Router,
}

impl Respond for Endpoints {
    type Connection = Arc<Clock>;

    fn connect(&self) -> Arc<Clock> {
        Clock::new(self.host.timeout)
    }

    async fn beside(&self, clock: &Arc<Clock>) {
        clock.run(&self.host.aborting).await;
    }

    async fn respond(&self, request: Request<Body>, clock: &Arc<Clock>) -> Response<Body> {
        match Endpoint::at(request.uri().path(), &self.base) {
            Some(endpoint) => routes::answer(&self.host, endpoint, request, Some(clock)).await,
            None => route(&self.router, request).await,
        }
    }
}
