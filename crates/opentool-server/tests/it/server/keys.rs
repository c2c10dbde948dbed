//! Who may call.

use std::sync::Arc;

use opentool_core::ToolSet;
use opentool_server::server::{Server, Stop};
use serde_json::json;

use super::raw::Ask;
use super::support::{add, set, start};

#[tokio::test]
async fn any_of_the_keys_opens_every_endpoint_and_nothing_else_does() {
    let server = Server::new(set([Arc::new(add()) as _])).api_key("first-key").api_key("second-key");
    let server = start(server.allow_stop(Stop::Allowed)).await;
    let all = || {
        [
            Ask::get("/opentool/version"),
            Ask::get("/opentool/load"),
            Ask::call("add", json!({"a": 1, "b": 1})),
            Ask::stream("add", json!({"a": 1, "b": 1})),
        ]
    };
    for ask in all() {
        for key in ["Bearer first-key", "Bearer second-key", "bearer second-key", "second-key"] {
            let reply = ask.clone().header("Authorization", key).send(server.address).await;
            assert_eq!(reply.status, 200, "{key}");
        }
    }
    let closed = [
        Ask::get("/opentool/nothing"),
        Ask::get("/"),
        Ask::get("/opentool/call"),
        Ask::post("/opentool/call", "nonsense"),
        Ask::post("/opentool/stop", ""),
    ];
    for ask in all().into_iter().chain(closed) {
        assert_unauthorized(&ask.clone().send(server.address).await);
        for key in
            ["", "Bearer", "Bearer ", "Bearer first-ke", "Bearer first-keyy", "Basic first-key", "third"]
        {
            assert_unauthorized(&ask.clone().header("Authorization", key).send(server.address).await);
        }
        let twice =
            ask.header("Authorization", "Bearer first-key").another("Authorization", "Bearer first-key");
        assert_unauthorized(&twice.send(server.address).await);
    }
}

fn assert_unauthorized(reply: &super::raw::Reply) {
    assert_eq!((reply.status, reply.header("www-authenticate")), (401, Some("bearer")), "{reply:?}");
    assert_eq!(reply.json()["code"], 401);
    assert!(!reply.body.contains("first-key") && !reply.body.contains("second-key"));
}

#[tokio::test]
async fn an_empty_key_does_not_start() {
    for key in ["", " ", "line\nend"] {
        let error =
            Server::new(ToolSet::new()).api_key("good").api_key(key).bind("127.0.0.1:0").await.unwrap_err();
        assert!(error.to_string().contains("API key is not usable"), "{error}");
    }
}

#[tokio::test]
async fn a_key_is_not_in_what_a_program_prints() {
    let server = Server::new(ToolSet::new()).api_key("very-secret");
    assert!(!format!("{server:?}").contains("very-secret"));
    let bound = server.bind("127.0.0.1:0").await.unwrap();
    assert!(!format!("{bound:?}").contains("very-secret"));
}

#[tokio::test]
async fn a_large_body_without_a_key_is_not_waited_for_and_its_sender_sees_why() {
    let server = start(Server::new(ToolSet::new()).api_key("key")).await;
    let reply = Ask::post("/opentool/call", vec![b' '; 3_000_000]).send(server.address).await;
    assert_unauthorized(&reply);
}
