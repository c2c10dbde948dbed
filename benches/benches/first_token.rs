//! What streaming adds to the first token: an agent's stream until its first text, beside a raw HTTP stream of the same
//! request from the same server until the first text has arrived. The limit is one millisecond more.
//!
//! The server is a real one on loopback that speaks Chat Completions over Server-Sent Events. Both sides keep their
//! connection, as programs do that ask more than once, and read each answer to its end outside of the measurement. The raw
//! side posts the bytes that the agent sent and looks for the text in the bytes that come; it reads no JSON. The third
//! figure is the difference alone: one question of each kind in turn, so that what slows the machine slows both.

#![allow(missing_docs, clippy::expect_used)]

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::post;
use axum::serve::ListenerExt as _;
use criterion::{Criterion, criterion_group, criterion_main};
use futures_util::{StreamExt as _, stream};
use opentool::agent::chat::{Model, Provider};
use opentool::agent::{Agent, AgentEvent};
use opentool::{tool, tools};
use tokio::net::TcpListener;
use tokio::runtime::Builder;

/// How many pieces an answer has.
const PIECES: usize = 20;
/// The text of the first piece.
const FIRST: &[u8] = b"Once";

/// Current weather for a city.
#[tool]
fn weather(
    /// City name, for example `Paris`.
    city: String,
) -> String {
    city
}

/// Adds two numbers.
#[tool]
fn add(
    /// The first.
    a: i64,
    /// The second.
    b: i64,
) -> i64 {
    a + b
}

/// The bytes of the latest question.
type Asked = Arc<Mutex<Bytes>>;

/// A server whose answers come piece by piece.
async fn server(asked: Asked) -> SocketAddr {
    async fn answer(State(asked): State<Asked>, question: Bytes) -> impl IntoResponse {
        *asked.lock().unwrap_or_else(PoisonError::into_inner) = question;
        let chunk = |delta: &str, finish: &str| {
            format!(
                "data: {{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\
                 \"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n"
            )
        };
        let mut pieces = vec![chunk("{\"role\":\"assistant\",\"content\":\"Once\"}", "null")];
        pieces.extend((1..PIECES).map(|_| chunk("{\"content\":\" more\"}", "null")));
        pieces.push(chunk("{}", "\"stop\"") + "data: [DONE]\n\n");
        let pieces = stream::iter(pieces).then(|piece| async move {
            // The next piece is another frame of the body.
            tokio::task::yield_now().await;
            Ok::<_, std::io::Error>(piece)
        });
        ([(CONTENT_TYPE, "text/event-stream")], Body::from_stream(pieces))
    }
    let app = axum::Router::new().route("/v1/chat/completions", post(answer)).with_state(asked);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("bound");
    let listener = listener.tap_io(|stream| stream.set_nodelay(true).expect("a socket"));
    tokio::spawn(axum::serve(listener, app).into_future());
    address
}

/// The time until an agent tells the first text.
async fn agents(agent: &Agent) -> Duration {
    let begun = Instant::now();
    let mut events = pin!(agent.stream("Tell me a story."));
    let mut first = None;
    while let Some(event) = events.next().await {
        if first.is_none() && matches!(event.expect("an answer"), AgentEvent::TextDelta { .. }) {
            first = Some(begun.elapsed());
        }
    }
    first.expect("a text")
}

/// The time until the bytes of the first text are there.
async fn raw(client: &reqwest::Client, url: &str, question: &Bytes) -> Duration {
    let begun = Instant::now();
    let post = client.post(url).header(CONTENT_TYPE, "application/json").body(question.clone());
    let mut answer = post.send().await.expect("an answer").bytes_stream();
    let (mut seen, mut first) = (Vec::new(), None);
    while let Some(bytes) = answer.next().await {
        seen.extend_from_slice(&bytes.expect("more of the answer"));
        if first.is_none() && seen.windows(FIRST.len()).any(|part| part == FIRST) {
            first = Some(begun.elapsed());
        }
    }
    first.expect("a text")
}

fn first_token(c: &mut Criterion) {
    let serving = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
    let asking = Builder::new_current_thread().enable_all().build().expect("a runtime");
    let asked = Asked::default();
    let address = serving.block_on(server(Arc::clone(&asked)));
    let base = format!("http://{address}/v1");
    let model = Model::new(Provider::OpenAi, "m").base_url(&base).expect("an address").api_key("key");
    let agent = Agent::new(model, tools![weather, add]).system("You tell stories.");
    // Nothing is encrypted on loopback, but the client wants to know how it would be.
    rustls::crypto::ring::default_provider().install_default().expect("the first one");
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    let url = format!("{base}/chat/completions");
    asking.block_on(agents(&agent));
    let question = asked.lock().unwrap_or_else(PoisonError::into_inner).clone();

    let mut group = c.benchmark_group("first token of a stream on loopback");
    group.bench_function("raw HTTP", |b| {
        b.iter_custom(|times| {
            asking.block_on(async {
                let mut total = Duration::ZERO;
                for _ in 0..times {
                    total += raw(&client, &url, &question).await;
                }
                total
            })
        });
    });
    group.bench_function("agent", |b| {
        b.iter_custom(|times| {
            asking.block_on(async {
                let mut total = Duration::ZERO;
                for _ in 0..times {
                    total += agents(&agent).await;
                }
                total
            })
        });
    });
    group.bench_function("what the agent adds", |b| {
        b.iter_custom(|times| {
            asking.block_on(async {
                let (mut ours, mut theirs) = (Duration::ZERO, Duration::ZERO);
                for _ in 0..times {
                    theirs += raw(&client, &url, &question).await;
                    ours += agents(&agent).await;
                }
                // No time at all cannot be shown; an agent that is faster than no agent is noise.
                ours.saturating_sub(theirs).max(Duration::from_nanos(1))
            })
        });
    });
    group.finish();
}

criterion_group!(benches, first_token);
criterion_main!(benches);
