//! A shop on a socket: opening it, finding it, closing it.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use axum::serve::ListenerExt as _;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::routes::router_with;
use crate::{DEFAULT_PORT, PETSTORE_YAML};

/// How long [`PetShop::shutdown`] waits for requests that run.
const PATIENCE: Duration = Duration::from_secs(2);

/// A shop that is open. It closes when it is dropped; [`PetShop::shutdown`] waits until it is closed.
#[derive(Debug)]
pub struct PetShop {
    address: SocketAddr,
    base_url: String,
    close: oneshot::Sender<()>,
    serving: JoinHandle<io::Result<()>>,
}

/// A shop could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// Another program listens there.
    #[error("the pet shop cannot open at {address}: the port is in use; take another, or 0 for any")]
    AddressInUse {
        /// The address as it was asked for.
        address: String,
    },
    /// The address is wrong, or this user may not listen there.
    #[error("the pet shop cannot open at {address}")]
    Bind {
        /// The address as it was asked for.
        address: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

impl PetShop {
    /// Opens a new shop at `address`, for example `127.0.0.1:0` for any free port. It has its own pets.
    ///
    /// Must be called within a tokio runtime, which runs the shop.
    ///
    /// # Errors
    /// [`StartError`].
    pub async fn start(address: impl AsRef<str>) -> Result<Self, StartError> {
        let asked = address.as_ref();
        let failed = |source: io::Error| match source.kind() {
            io::ErrorKind::AddrInUse => StartError::AddressInUse { address: asked.to_owned() },
            _ => StartError::Bind { address: asked.to_owned(), source },
        };
        let listener = TcpListener::bind(asked).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let reachable = SocketAddr::new(reachable(address.ip()), address.port());
        let (close, closed) = oneshot::channel::<()>();
        // Without it a small answer can wait 40 ms for the other side's acknowledgement. A socket that refuses
        // the option still works.
        let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
        let router = router_with(document(reachable));
        let serving = tokio::spawn(async move {
            axum::serve(listener, router)
                // A dropped sender closes the shop as well.
                .with_graceful_shutdown(async move { drop(closed.await) })
                .await
        });
        Ok(Self { address, base_url: format!("http://{reachable}"), close, serving })
    }

    /// Where the shop is reached from this machine, without a slash at the end: `http://127.0.0.1:7387`.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// The address that the shop listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Closes the shop: nothing new is accepted, and requests that run have two seconds to end.
    pub async fn shutdown(self) {
        let Self { close, mut serving, .. } = self;
        // Without a receiver the server has ended already.
        let _ = close.send(());
        if tokio::time::timeout(PATIENCE, &mut serving).await.is_err() {
            serving.abort();
        }
    }
}

/// The address to connect to where a server listens on all of them.
fn reachable(ip: IpAddr) -> IpAddr {
    match ip {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    }
}

/// The document with the server of this shop in it.
fn document(address: SocketAddr) -> String {
    let host = match address.ip() {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    };
    PETSTORE_YAML.replacen("http://127.0.0.1:{port}", &format!("http://{host}:{{port}}"), 1).replacen(
        &format!("\"{DEFAULT_PORT}\""),
        &format!("\"{}\"", address.port()),
        1,
    )
}

#[cfg(test)]
mod tests {
    use super::document;

    #[test]
    fn the_document_names_the_shop_that_serves_it() {
        for address in ["127.0.0.1:1", "127.0.0.2:65535", "[::1]:8080"] {
            let api = opentool_openapi::parse(document(address.parse().unwrap()), "petstore.yaml").unwrap();
            let request = api.request("getInventory", &opentool_core::Arguments::new()).unwrap();
            assert_eq!(request.url(), format!("http://{address}/store/inventory"));
        }
    }
}
