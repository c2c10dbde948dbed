//! The conversations that both sides hold: ours by a [`Model`], theirs by a plan for the program with the SDK.

use axum::response::Response;
use futures_util::TryStreamExt as _;
use opentool_agent::chat::{Model, Provider};
use opentool_core::{
    ChatModel, ChatReply, ChatRequest, Content, Message, ModelError, ParallelCalls, ReplyEvent, Strict,
    ToolChoice, ToolOutput, ToolResult, ToolSet,
};
use serde_json::{Value, json};

use crate::fixtures::{raw, set};
use crate::loopback::{Received, Server, json_answer, server, streamed};
use crate::wires::{Answer, Wire, plainly};

const KEY: &str = "key-0123456789";
const MODEL: &str = "some-model";
const SYSTEM: &str = "Be short.";
const LAST: &str = "Thanks.";
/// Headers that say who asks, and for what.
const HEADERS: [&str; 5] =
    ["authorization", "x-api-key", "x-goog-api-key", "anthropic-version", "content-type"];

fn tools() -> ToolSet {
    let none = async |_, _| Ok(ToolOutput::new());
    let number = |what: &str| json!({"type": "integer", "description": what});
    let sum = json!({"type": "object", "properties": {"a": number("The first."), "b": number("The second.")},
                     "required": ["a", "b"]});
    set![
        raw("add", none).define(|tool| tool.input_schema(sum)),
        raw("shot", none).define(|tool| tool.input_schema(json!({"type": "object", "properties": {}}))),
    ]
}

/// What the tools answered.
fn outputs() -> [ToolOutput; 3] {
    [
        ToolOutput::json(3),
        ToolOutput::text("the screen").block(Content::image(&b"png"[..], "image/png")),
        ToolOutput::error("There is no b."),
    ]
}

fn question() -> Vec<Message> {
    let blocks = vec![Content::text("1 + 2?"), Content::image(&b"jpg"[..], "image/jpeg")];
    vec![Message::system(SYSTEM), Message::User(blocks)]
}

/// An answer as both sides tell it.
fn told(reply: ChatReply) -> Value {
    let reply = plainly(reply);
    let calls: Vec<Value> = reply
        .message
        .tool_calls
        .iter()
        .map(|call| json!({"name": call.name, "arguments": call.arguments}))
        .collect();
    let usage = reply.usage;
    json!({"text": reply.message.to_text(), "reasoning": reply.message.reasoning, "calls": calls,
           "usage": [usage.input_tokens, usage.output_tokens, usage.cached_tokens]})
}

/// A request as it arrived.
fn sent(received: &Received) -> Value {
    let headers: serde_json::Map<String, Value> = HEADERS
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), received.headers.get(*name)?.to_str().ok()?.into())))
        .collect();
    json!({"path": received.uri.to_string(), "headers": headers, "body": received.body})
}

fn all_sent(servers: &[&Server]) -> Vec<Value> {
    let of = |server: &&Server| -> Vec<Value> { server.received.lock().unwrap().iter().map(sent).collect() };
    servers.iter().flat_map(of).collect()
}

fn answered(wire: &Wire, answer: &Answer, streaming: bool) -> Response {
    if streaming { streamed(wire.kind, &answer.stream, 7) } else { json_answer(&answer.whole) }
}

/// Calls, then words, then words.
async fn talking(wire: &Wire, streaming: bool) -> Server {
    let wire = wire.clone();
    server(move |number| answered(&wire, if number == 0 { &wire.calls } else { &wire.plain }, streaming))
        .await
}

/// Always words.
async fn wishing(wire: &Wire) -> Server {
    let answer = wire.plain.whole.clone();
    server(move |_| json_answer(&answer)).await
}

/// Every answer whole and streamed, and then the failure.
async fn reading(wire: &Wire) -> Server {
    let wire = wire.clone();
    server(move |number| match (readings(&wire).get(number / 2), &wire.failure) {
        (Some(answer), _) => answered(&wire, answer, number % 2 == 1),
        (None, Some(failure)) => streamed(wire.kind, failure, 7),
        (None, None) => panic!("there is no answer {number}"),
    })
    .await
}

fn readings(wire: &Wire) -> [&Answer; 4] {
    [&wire.plain, &wire.calls, &wire.refusal, &wire.cut_off]
}

/// The address that a provider's users write.
fn base(wire: &Wire, server: &Server) -> String {
    match wire.provider {
        Provider::OpenAi | Provider::OpenAiResponses => server.base.clone(),
        _ => server.base.trim_end_matches("/v1").to_owned(),
    }
}

fn model(wire: &Wire, server: &Server) -> Model {
    Model::new(wire.provider, MODEL).base_url(base(wire, server)).unwrap().api_key(KEY)
}

async fn ask(model: &Model, request: ChatRequest<'_>, streaming: bool) -> Result<ChatReply, ModelError> {
    if !streaming {
        return model.reply(request).await;
    }
    let events: Vec<ReplyEvent> = model.stream(request).try_collect().await?;
    match events.into_iter().next_back() {
        Some(ReplyEvent::Done { reply }) => Ok(reply),
        other => panic!("{other:?}"),
    }
}

/// Our side.
pub(super) struct Ours {
    /// The requests of the conversations and of the wishes.
    pub(super) sent: Vec<Value>,
    pub(super) talks: Vec<Value>,
    pub(super) readings: Vec<Value>,
    /// What the SDK's types are to judge.
    pub(super) judged: Vec<Value>,
    wishes: Vec<Value>,
}

impl Ours {
    pub(super) async fn of(wire: &Wire) -> Self {
        let tools = tools();
        let servers = Servers::start(wire).await;
        let mut talks = Vec::new();
        for streaming in [false, true] {
            let model = model(wire, &servers.talks[usize::from(streaming)]);
            let mut messages = question();
            for _ in 0..2 {
                let reply = ask(&model, ChatRequest::new(&messages, &tools), streaming).await.unwrap();
                talks.push(told(reply.clone()));
                let calls = reply.message.tool_calls.clone();
                messages.push(Message::Assistant(reply.message));
                let results = calls.iter().zip(outputs());
                messages.extend(results.map(|(call, output)| Message::Tool(ToolResult::new(call, output))));
            }
            messages.push(Message::user(LAST));
            let reply = ask(&model, ChatRequest::new(&messages, &tools), streaming).await.unwrap();
            talks.push(told(reply));
        }
        let wishes = wishes(&model(wire, &servers.wishes), &tools).await;
        let sent = servers.sent();
        let asking = model(wire, &servers.readings);
        let mut readings = Vec::new();
        for _ in self::readings(wire) {
            for streaming in [false, true] {
                let messages = [Message::user("?")];
                readings
                    .push(told(ask(&asking, ChatRequest::new(&messages, &tools), streaming).await.unwrap()));
            }
        }
        let bodies = sent.iter().map(|sent| sent["body"].clone()).chain(special(wire).await);
        let judge = |kind: &str, value: Value| json!({"kind": kind, "value": value});
        let judged = bodies
            .map(|body| judge("request", body))
            .chain(self::readings(wire).map(|answer| judge("answer", answer.whole.clone())))
            .chain(
                self::readings(wire)
                    .iter()
                    .flat_map(|answer| events(answer))
                    .map(|event| judge("event", event)),
            )
            .collect();
        Self { sent, talks, readings, judged, wishes }
    }
}

/// Asks once with every wish; gives those that the provider has a way to keep, as the plan writes them.
async fn wishes(model: &Model, tools: &ToolSet) -> Vec<Value> {
    let mut kept = Vec::new();
    for (choice, written) in [
        (ToolChoice::Auto, json!("auto")),
        (ToolChoice::Required, json!("required")),
        (ToolChoice::None, json!("none")),
        (ToolChoice::tool("shot"), json!({"tool": "shot"})),
    ] {
        let messages = [Message::user("?")];
        let request =
            ChatRequest::new(&messages, tools).tool_choice(&choice).parallel_calls(ParallelCalls::One);
        match model.reply(request).await {
            Ok(_) => kept.push(written),
            Err(ModelError::Unsupported(_)) => {}
            Err(error) => panic!("{error}"),
        }
    }
    kept
}

/// Bodies beside those of the conversations: other files, strict tools, a turn that another provider began.
async fn special(wire: &Wire) -> Vec<Value> {
    let server = wishing(wire).await;
    let (model, tools) = (model(wire, &server), tools());
    let pdf = Content::BlobResource {
        uri: "file:///a.pdf".to_owned(),
        mime: Some("application/pdf".to_owned()),
        data: b"%PDF"[..].into(),
    };
    let files = [Message::User(vec![pdf, Content::audio(&b"wav"[..], "audio/wav")])];
    model.reply(ChatRequest::new(&files, &tools)).await.unwrap();
    let calls = ["a", "b"].map(|id| opentool_core::ToolCall::new(id, "add", json!({"a": 1, "b": 2})));
    let mut foreign = question();
    foreign.push(Message::Assistant(opentool_core::AssistantMessage::calls(calls.clone()).say("I add.")));
    let results = calls.iter().zip(outputs().into_iter().skip(1));
    foreign.extend(results.map(|(call, output)| Message::Tool(ToolResult::new(call, output))));
    model.reply(ChatRequest::new(&foreign, &tools).strict(Strict::Auto)).await.unwrap();
    let received = server.received.lock().unwrap();
    received.iter().map(|received| received.body.clone()).collect()
}

/// The events of a stream.
fn events(answer: &Answer) -> Vec<Value> {
    let lines = answer.stream.lines().map(|line| line.strip_prefix("data: ").unwrap_or(line));
    lines.filter(|line| line.starts_with('{')).map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The servers that one side talks to.
pub(super) struct Servers {
    /// Whole, streamed.
    talks: [Server; 2],
    wishes: Server,
    readings: Server,
}

impl Servers {
    pub(super) async fn start(wire: &Wire) -> Self {
        Self {
            talks: [talking(wire, false).await, talking(wire, true).await],
            wishes: wishing(wire).await,
            readings: reading(wire).await,
        }
    }

    /// The requests of the conversations and of the wishes.
    pub(super) fn sent(&self) -> Vec<Value> {
        all_sent(&[&self.talks[0], &self.talks[1], &self.wishes])
    }

    /// What the program with the SDK is to do at these servers.
    pub(super) fn plan(&self, wire: &Wire, module: &str, ours: &Ours) -> Value {
        let tools: Vec<Value> = tools()
            .definitions()
            .map(|tool| {
                json!({"name": tool.name, "description": tool.description,
                       "parameters": tool.input_schema.as_value()})
            })
            .collect();
        let image = |data: &str, mime: &str| json!({"data": data, "mime": mime});
        let streaming = [false, true].repeat(readings(wire).len());
        let streaming: Vec<bool> =
            streaming.into_iter().chain(wire.failure.is_some().then_some(true)).collect();
        json!({
            "wire": module, "key": KEY, "model": MODEL, "tools": tools, "system": SYSTEM, "last": LAST,
            "question": [{"text": "1 + 2?"}, image("anBn", "image/jpeg")],
            "results": [
                {"value": 3},
                {"text": "the screen", "image": image("cG5n", "image/png")},
                {"error": "There is no b."},
            ],
            "talks": [
                {"base": base(wire, &self.talks[0]), "streaming": false},
                {"base": base(wire, &self.talks[1]), "streaming": true},
            ],
            "wishes": {"base": base(wire, &self.wishes), "choices": ours.wishes},
            "readings": {"base": base(wire, &self.readings), "streaming": streaming},
            "judged": ours.judged,
        })
    }
}
