//! Addresses that only those may use who name them.

use std::future::Future;
use std::net::{IpAddr, Ipv4Addr};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::http::{StatusCode, header};
use axum::routing::any;
use opentool_http::{Addresses, Client, HttpError, Options, Redirects, Request, Resolve, Url, not_public};

use crate::server::serve;

/// A server, and how often it was asked.
async fn counted() -> (Url, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&count);
    let seen = move || {
        counter.fetch_add(1, Ordering::Relaxed);
        async { "seen" }
    };
    (serve(Router::new().fallback(any(seen))).await, count)
}

fn kind(error: &HttpError) -> &'static str {
    let HttpError::NotPublic { kind, .. } = error else { panic!("{error:?}") };
    kind
}

/// Every name leads to loopback.
#[derive(Debug, Clone, Default)]
struct Rebound(Arc<AtomicUsize>);

impl Resolve for Rebound {
    fn resolve(&self, _: &str) -> Pin<Box<dyn Future<Output = std::io::Result<Vec<IpAddr>>> + Send>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Box::pin(async { Ok(vec![Ipv4Addr::LOCALHOST.into()]) })
    }
}

#[test]
fn what_is_public() {
    for (address, expected) in [
        ("127.0.0.1", Some("loopback")),
        ("127.255.0.9", Some("loopback")),
        ("10.1.2.3", Some("private")),
        ("172.16.0.1", Some("private")),
        ("172.31.255.255", Some("private")),
        ("172.32.0.1", None),
        ("192.168.0.1", Some("private")),
        ("169.254.169.254", Some("link-local")),
        ("100.64.0.1", Some("shared")),
        ("100.100.100.200", Some("metadata")),
        ("100.100.100.201", Some("shared")),
        ("100.128.0.1", None),
        ("168.63.129.16", Some("metadata")),
        ("192.0.0.192", Some("reserved")),
        ("198.19.0.1", Some("reserved")),
        ("224.0.0.1", Some("multicast")),
        ("0.0.0.0", Some("reserved")),
        ("255.255.255.255", Some("reserved")),
        ("8.8.8.8", None),
        ("::", Some("reserved")),
        ("::1", Some("loopback")),
        ("::ffff:127.0.0.1", Some("loopback")),
        ("::ffff:169.254.169.254", Some("link-local")),
        ("::ffff:8.8.8.8", None),
        ("::127.0.0.1", Some("reserved")),
        ("64:ff9b::10.0.0.1", Some("private")),
        ("64:ff9b::8.8.8.8", None),
        ("64:ff9b:1::1", Some("reserved")),
        ("fd00:ec2::254", Some("metadata")),
        ("fd00:ec2::255", Some("private")),
        ("fe80::1", Some("link-local")),
        ("fec0::1", Some("private")),
        ("ff02::1", Some("multicast")),
        ("2002:7f00:1::", Some("reserved")),
        ("2001::1", Some("reserved")),
        ("2001:db8::1", Some("reserved")),
        ("2606:4700::1111", None),
    ] {
        assert_eq!(not_public(address.parse().unwrap()), expected, "{address}");
    }
}

#[tokio::test]
async fn numbers_in_an_address_are_looked_at_however_they_are_written() {
    let (url, count) = counted().await;
    let port = url.port().unwrap();
    let client = Client::default();
    for host in ["127.0.0.1", "2130706433", "0x7f.1", "0177.0.0.1", "127.1", "[::ffff:7f00:1]", "127.0.0.1."]
    {
        let url: Url = format!("http://{host}:{port}/").parse().unwrap();
        let error = client.send(Request::get(url).addresses(Addresses::Public)).await.unwrap_err();
        assert_eq!(kind(&error), "loopback", "{host}");
    }
    assert_eq!(count.load(Ordering::Relaxed), 0);
    // The same address is asked for those who name it.
    assert_eq!(client.send(Request::get(url)).await.unwrap().text(), "seen");
}

#[tokio::test]
async fn names_are_known_by_where_they_lead() {
    let (url, count) = counted().await;
    let port = url.port().unwrap();
    let rebound = Rebound::default();
    let client = Client::new(Options::new().resolver(rebound.clone()));
    let named: Url = format!("http://api.example.com:{port}/").parse().unwrap();

    // Somebody who may named it: this opens a connection, which the guarded request must not find again.
    assert_eq!(client.send(Request::get(named.clone())).await.unwrap().text(), "seen");
    let error = client.send(Request::get(named).addresses(Addresses::Public)).await.unwrap_err();
    assert_eq!(kind(&error), "loopback");
    assert!(error.to_string().contains(&format!("http://api.example.com:{port} was not asked")), "{error}");
    assert_eq!(count.load(Ordering::Relaxed), 1);
    // What is connected to is what was looked up: one look-up for each, and none besides.
    assert_eq!(rebound.0.load(Ordering::Relaxed), 2);

    // The system's own names.
    let local: Url = format!("http://localhost:{port}/").parse().unwrap();
    let error = Client::default().send(Request::get(local).addresses(Addresses::Public)).await.unwrap_err();
    assert_eq!(kind(&error), "loopback");
    assert_eq!(count.load(Ordering::Relaxed), 1);
}

/// Every name leads to this address.
#[derive(Debug, Clone)]
struct To(IpAddr);

impl Resolve for To {
    fn resolve(&self, _: &str) -> Pin<Box<dyn Future<Output = std::io::Result<Vec<IpAddr>>> + Send>> {
        let to = self.0;
        Box::pin(async move { Ok(vec![to]) })
    }
}

#[tokio::test]
async fn what_is_the_hosts_own_names_no_metadata_service() {
    for address in ["169.254.169.254", "fe80::1", "fd00:ec2::254", "100.100.100.200", "::ffff:169.254.1.1"] {
        let ip: IpAddr = address.parse().unwrap();
        let host = if ip.is_ipv6() { format!("[{ip}]") } else { ip.to_string() };
        let client = Client::new(Options::new().resolver(To(ip)));
        for host in [host.as_str(), "metadata.example.com"] {
            let url: Url = format!("http://{host}:1/").parse().unwrap();
            let error = client.send(Request::get(url).addresses(Addresses::Own)).await.unwrap_err();
            assert!(matches!(kind(&error), "link-local" | "metadata"), "{address} {host}");
        }
    }
    // Machines of the own network are.
    let (url, count) = counted().await;
    assert!(Client::default().send(Request::get(url.clone()).addresses(Addresses::Own)).await.is_ok());
    let named: Url = format!("http://api.example.com:{}/", url.port().unwrap()).parse().unwrap();
    let client = Client::new(Options::new().resolver(Rebound::default()));
    let answer = client.send(Request::get(named).addresses(Addresses::Own)).await.unwrap();
    assert_eq!((answer.peer, count.load(Ordering::Relaxed)), (Some(Ipv4Addr::LOCALHOST.into()), 2));
}

#[tokio::test]
async fn a_redirect_names_public_addresses_only() {
    let (inside, count) = counted().await;
    let redirecting = |target: String| async {
        let answer = move || {
            let target = target.clone();
            async move { (StatusCode::FOUND, [(header::LOCATION, target)]) }
        };
        serve(Router::new().fallback(any(answer))).await
    };
    let port = |url: &Url| url.port().unwrap();

    let outside = redirecting(inside.to_string()).await;
    let named: Url = format!("http://outside.example.com:{}/", port(&outside)).parse().unwrap();
    let client = Client::new(Options::new().resolver(Rebound::default()));
    let request = Request::get(named).redirects(Redirects::Any);
    let error = client.send(request.clone()).await.unwrap_err();
    assert_eq!(kind(&error), "loopback");
    assert_eq!(client.send(request.addresses(Addresses::Any)).await.unwrap().text(), "seen");
    assert_eq!(count.load(Ordering::Relaxed), 1);

    // A name on another port is another chance to lead elsewhere.
    let other_port = format!("http://outside.example.com:{}/", port(&inside));
    let outside = redirecting(other_port).await;
    let named: Url = format!("http://outside.example.com:{}/", port(&outside)).parse().unwrap();
    let error = client.send(Request::get(named).redirects(Redirects::Any)).await.unwrap_err();
    assert_eq!(kind(&error), "loopback");

    // From loopback to loopback, nobody gains anything.
    let local = redirecting(inside.to_string()).await;
    let answer = client.send(Request::get(local).redirects(Redirects::Any)).await.unwrap();
    assert_eq!(answer.text(), "seen");
    assert_eq!(count.load(Ordering::Relaxed), 2);
}
