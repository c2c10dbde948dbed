//! Web pages in a browser on this machine.

use std::sync::Arc;

use opentool_server::server::Server;
use serde_json::json;

use super::raw::Ask;
use super::support::{add, serve, set, start};

fn call() -> Ask {
    Ask::call("add", json!({"a": 1, "b": 1}))
}

#[tokio::test]
async fn a_name_that_a_stranger_points_here_is_not_answered() {
    let server = serve([Arc::new(add()) as _]).await;
    let reply = call().header("Host", "evil.example").send(server.address).await;
    assert_eq!((reply.status, reply.json()["code"].clone()), (403, json!(403)));
    let reply = call().another("Host", "evil.example").send(server.address).await;
    assert_eq!(reply.status, 400);
    for host in [server.address.to_string(), "10.1.2.3".to_owned(), "localhost:1".to_owned()] {
        assert_eq!(call().header("Host", &host).send(server.address).await.status, 200, "{host}");
    }
    let server = Server::new(set([Arc::new(add()) as _])).allow_host("tools.example");
    let server = start(server).await;
    assert_eq!(call().header("Host", "tools.example:80").send(server.address).await.status, 200);
}

#[tokio::test]
async fn pages_of_other_origins_are_not_answered_unless_they_are_allowed() {
    let server = Server::new(set([Arc::new(add()) as _])).allow_origin("https://app.example").api_key("key");
    let server = start(server).await;
    let call = || call().header("Authorization", "Bearer key").header("Host", "tools.example");
    for origin in ["https://evil.example", "null"] {
        let reply = call().header("Origin", origin).send(server.address).await;
        assert_eq!((reply.status, reply.header("access-control-allow-origin")), (403, None), "{origin}");
    }
    let allowed = call().header("Origin", "https://app.example").send(server.address).await;
    assert_eq!(allowed.status, 200);
    assert_eq!(allowed.header("access-control-allow-origin"), Some("https://app.example"));
    assert_eq!(allowed.header("vary"), Some("origin"));

    let preflight = |origin: &str| {
        Ask::get("/opentool/call")
            .method("OPTIONS")
            .header("Origin", origin)
            .header("Access-Control-Request-Method", "POST")
            .header("Access-Control-Request-Headers", "authorization,content-type")
    };
    let reply = preflight("https://app.example").send(server.address).await;
    assert_eq!((reply.status, reply.header("access-control-allow-methods")), (204, Some("post")));
    assert!(
        reply.header("access-control-allow-headers").is_some_and(|names| names.contains("authorization"))
    );
    assert_eq!(preflight("https://evil.example").send(server.address).await.status, 403);
}

#[tokio::test]
async fn wrong_entries_do_not_start() {
    let server = || Server::new(opentool_core::ToolSet::new());
    let error = server().allow_host("https://tools.example").bind("127.0.0.1:0").await.unwrap_err();
    assert!(error.to_string().contains("is not a host name"), "{error}");
    let error = server().allow_origin("*").bind("127.0.0.1:0").await.unwrap_err();
    assert!(error.to_string().contains("is not an origin"), "{error}");
}
