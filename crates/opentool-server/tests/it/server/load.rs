//! Many clients, large results, slow readers.

use std::sync::Arc;

use opentool_core::ToolOutput;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::Barrier;

use super::raw::{Ask, body, reply, until};
use super::support::{add, serve, soon, tool};

const CLIENTS: usize = 64;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_four_calls_run_side_by_side_and_each_gets_its_own_answer() {
    let all = Arc::new(Barrier::new(CLIENTS));
    let meets = tool("meets", move |_, arguments| {
        let all = Arc::clone(&all);
        async move {
            // Nobody gets past this before all are there.
            all.wait().await;
            Ok(ToolOutput::json(arguments))
        }
    });
    let server = serve([meets]).await;
    let clients: Vec<_> = (0..CLIENTS)
        .map(|n| {
            let body = json!({"jsonrpc": "2.0", "method": "meets", "params": {"n": n}, "id": n});
            tokio::spawn(Ask::post("/opentool/call", body.to_string()).send(server.address))
        })
        .collect();
    for (n, client) in clients.into_iter().enumerate() {
        let reply = soon("an answer", client).await.unwrap();
        assert_eq!(reply.json(), json!({"jsonrpc": "2.0", "result": {"n": n}, "id": n}));
    }
}

#[tokio::test]
async fn one_connection_serves_many_calls_also_such_that_do_not_wait() {
    let server = serve([Arc::new(add()) as _]).await;
    let mut bytes = Vec::new();
    for n in 0..20 {
        bytes.extend(Ask::post("/opentool/call", body("add", json!({"a": n, "b": 1}))).bytes());
    }
    let mut socket = tokio::net::TcpStream::connect(server.address).await.unwrap();
    socket.write_all(&bytes).await.unwrap();
    let text = until(&mut socket, "{\"result\":20}").await;
    let places: Vec<_> = (1..=20).map(|sum| text.find(&format!("{{\"result\":{sum}}}")).unwrap()).collect();
    assert!(places.is_sorted(), "{places:?}");
}

const LARGE: usize = 20 * 1024 * 1024;

// Two threads: to write twenty megabytes takes an unoptimised build seconds, in which the others need another one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_megabytes_arrive_whole_also_at_a_client_that_reads_slowly() {
    let large = tool("large", |cx, _| async move {
        cx.partial("y".repeat(LARGE)).await;
        Ok(ToolOutput::text("x".repeat(LARGE)))
    });
    let server = serve([large]).await;
    let reply = Ask::call("large", json!({})).send(server.address).await;
    let answer = |letter: &str| {
        format!(r#"{{"jsonrpc":"2.0","result":{{"result":"{}"}},"id":"callId-0"}}"#, letter.repeat(LARGE))
    };
    assert!(reply.body == answer("x"), "{} bytes", reply.body.len());

    let mut socket = Ask::stream("large", json!({})).header("Connection", "close").open(server.address).await;
    let mut bytes = Vec::new();
    let mut piece = vec![0; 64 * 1024];
    loop {
        // Others get their turn between two pieces.
        assert_eq!(Ask::get("/opentool/version").send(server.address).await.status, 200);
        let mut read = 0;
        while read < LARGE / 8 {
            match soon("a piece", socket.read(&mut piece)).await.unwrap() {
                0 => break,
                some => {
                    bytes.extend_from_slice(&piece[..some]);
                    read += some;
                }
            }
        }
        if read < LARGE / 8 {
            break;
        }
    }
    let body = self::reply(&bytes).body;
    let expected = format!(
        "event:start\ndata:{{\"start\":\"large\"}}\n\nevent:data\ndata:{}\n\nevent:data\ndata:{}\n\n\
         event:done\ndata:{{\"done\":\"large\"}}\n\n",
        answer("y"),
        answer("x")
    );
    assert!(body == expected, "{} bytes of {}", body.len(), expected.len());
}
