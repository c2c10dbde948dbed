//! Servers that speak Chat Completions in their own way, and conversations that other providers began.

use axum::response::IntoResponse as _;
use futures_util::TryStreamExt as _;
use opentool_agent::chat::{Model, Provider};
use opentool_core::{
    AssistantMessage, ChatModel, ChatReply, ChatRequest, Content, Message, ReplyEvent, StopReason, ToolCall,
    ToolOutput, ToolResult, ToolSet,
};
use opentool_schema::ToolSetExt as _;
use serde_json::{Value, json};

use super::{events, seen};
use crate::fixtures::{raw, set};
use crate::loopback::{json_answer, server, streamed};

async fn asked(provider: Provider, name: &str, messages: &[Message], answer: Value) -> (Value, ChatReply) {
    let server = server(move |_| json_answer(&answer)).await;
    let model = Model::new(provider, name).base_url(&server.base).unwrap();
    let reply = model.reply(ChatRequest::new(messages, &ToolSet::new())).await.unwrap();
    let received = server.received.lock().unwrap();
    (received[0].body.clone(), reply)
}

async fn answered(message: Value, finish: Value) -> ChatReply {
    let answer = json!({"choices": [{"index": 0, "message": message, "finish_reason": finish}]});
    asked(Provider::OpenAi, "m", &[Message::user("?")], answer).await.1
}

#[tokio::test]
async fn odd_answers_are_understood() {
    let call = json!({"function": {"name": "f"}, "index": 0});
    let reply =
        answered(json!({"content": "", "tool_calls": [call, {"type": "unknown"}]}), json!("stop")).await;
    assert_eq!(reply.message.tool_calls, [ToolCall::new("call_1", "f", Value::Null)]);
    assert_eq!(reply.stop, StopReason::ToolCalls, "some servers say `stop` beside calls");

    let parts = json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]);
    assert_eq!(answered(json!({"content": parts}), Value::Null).await.message.to_text(), "ab");

    let reply = answered(json!({"content": null, "tool_calls": null}), json!("abort")).await;
    assert_eq!(reply.message, AssistantMessage::default());
    assert_eq!(reply.stop, StopReason::Other("abort".into()));

    for arguments in [json!("{\"a\" : 1}"), json!("{broken"), json!({"a": 1}), Value::Null] {
        let call = json!({"id": "a", "type": "function", "function": {"name": "f", "arguments": arguments}});
        let reply = answered(json!({"content": null, "tool_calls": [call]}), json!("tool_calls")).await;
        assert_eq!(reply.message.tool_calls, [ToolCall::new("a", "f", arguments)], "as the model wrote them");
    }
}

/// The calls of a stream of these fragments: id, name, arguments.
async fn calls(fragments: Value) -> Vec<(String, String, Value)> {
    calls_told(fragments).await.0
}

/// The same, and what was told of them while they came: name and text, by their numbers.
async fn calls_told(fragments: Value) -> (Vec<(String, String, Value)>, Vec<(String, String)>) {
    let mut chunks: Vec<Value> = fragments
        .as_array()
        .unwrap()
        .iter()
        .map(|fragment| json!({"choices": [{"index": 0, "delta": {"tool_calls": [fragment]}}]}))
        .collect();
    chunks.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}));
    let text = events(&chunks, "data: [DONE]\n\n");
    let server = server(move |_| streamed("text/event-stream", &text, 11)).await;
    let model = Model::new(Provider::OpenAi, "m").base_url(&server.base).unwrap();
    let (messages, tools) = ([Message::user("?")], ToolSet::new());
    let events: Vec<ReplyEvent> =
        model.stream(ChatRequest::new(&messages, &tools)).try_collect().await.unwrap();
    let Some(ReplyEvent::Done { reply }) = events.last() else { panic!("{events:?}") };
    let told = seen(&events).2;
    assert_eq!(told.len(), reply.message.tool_calls.len());
    let parsed =
        |value: &Value| value.as_str().map_or(value.clone(), |text| serde_json::from_str(text).unwrap());
    let calls = reply.message.tool_calls.iter();
    (calls.map(|call| (call.id.clone(), call.name.clone(), parsed(&call.arguments))).collect(), told)
}

fn call(id: &str, name: &str, arguments: Value) -> (String, String, Value) {
    (id.to_owned(), name.to_owned(), arguments)
}

#[tokio::test]
async fn fragments_find_their_calls() {
    let expected = [call("a", "f", json!({"x": 1})), call("b", "g", json!({"y": 2}))];
    // Every call has the number 0, as Ollama numbers them.
    let same_number = json!([
        {"index": 0, "id": "a", "function": {"name": "f", "arguments": "{\"x\":1}"}},
        {"index": 0, "id": "b", "function": {"name": "g", "arguments": "{\"y\":2}"}},
    ]);
    assert_eq!(calls(same_number).await, expected);
    // No numbers, and the id and the name with every fragment.
    let repeated = json!([
        {"id": "a", "function": {"name": "f", "arguments": "{\"x\""}},
        {"id": "a", "function": {"name": "f", "arguments": ":1}"}},
        {"id": "b", "function": {"name": "g", "arguments": {"y": 2}}},
    ]);
    assert_eq!(calls(repeated).await, expected);
    // Neither numbers nor ids: a name behind whole arguments begins the next call.
    let bare = json!([
        {"function": {"name": "f", "arguments": ""}},
        {"function": {"arguments": "{\"x\":"}},
        {"function": {"arguments": "1}"}},
        {"function": {"name": "f", "arguments": {"x": 2}}},
    ]);
    assert_eq!(
        calls(bare).await,
        [call("call_1", "f", json!({"x": 1})), call("call_2", "f", json!({"x": 2}))]
    );
    // The number comes late.
    let late = json!([
        {"id": "a", "function": {"name": "f", "arguments": "{\"x\""}},
        {"index": 0, "function": {"arguments": ":1}"}},
        {"index": 1, "id": "b", "function": {"name": "g", "arguments": "{\"y\":2}"}},
    ]);
    assert_eq!(calls(late).await, expected);
    // The number 1 comes before the number 0, and ids come late: the numbers are the order of the answer, and those who
    // watch are told of `f` first, which began first.
    let crossed = json!([
        {"index": 1, "function": {"name": "f", "arguments": "{\"x\""}},
        {"index": 0, "id": "b", "function": {"name": "g", "arguments": "{\"y\":"}},
        {"index": 1, "id": "a", "function": {"arguments": ":1}"}},
        {"index": 0, "function": {"arguments": "2}"}},
    ]);
    let [first, second] = expected;
    let (crossed, told) = calls_told(crossed).await;
    assert_eq!(crossed, [second, first]);
    assert_eq!(told, [("f".to_owned(), "{\"x\":1}".to_owned()), ("g".to_owned(), "{\"y\":2}".to_owned())]);
}

#[tokio::test]
async fn two_calls_of_one_id_are_two_calls() {
    let fragment = |index: Value, x: i64| {
        let arguments = format!("{{\"x\":{x}}}");
        json!({"index": index, "id": "same", "function": {"name": "f", "arguments": arguments}})
    };
    let expected = |calls: &[(String, String, Value)]| {
        let arguments: Vec<&Value> = calls.iter().map(|(_, _, arguments)| arguments).collect();
        assert_eq!(arguments, [&json!({"x": 1}), &json!({"x": 2})]);
    };
    expected(&calls(json!([fragment(json!(0), 1), fragment(json!(1), 2)])).await);
    expected(&calls(json!([fragment(json!(0), 1), fragment(json!(0), 2)])).await);
    expected(&calls(json!([fragment(Value::Null, 1), fragment(Value::Null, 2)])).await);
    // What is said twice is one call.
    let twice = calls(json!([fragment(json!(0), 1), fragment(json!(0), 1)])).await;
    assert_eq!(twice.len(), 1);
    // Fragments of calls of one id that come by turns.
    let crossed = json!([
        {"index": 0, "id": "same", "function": {"name": "f", "arguments": "{\"x\""}},
        {"index": 1, "id": "same", "function": {"name": "f", "arguments": "{\"x\""}},
        {"index": 0, "id": "same", "function": {"arguments": ":1}"}},
        {"index": 1, "id": "same", "function": {"arguments": ":2}"}},
    ]);
    expected(&calls(crossed).await);
}

#[tokio::test]
async fn a_name_that_the_provider_refuses_is_another_one_there_and_itself_here() {
    let delta = json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "shop_find", "arguments": "{}"}}]});
    let text = events(&[json!({"choices": [{"delta": delta, "finish_reason": "tool_calls"}]})], "");
    let server = server(move |_| streamed("text/event-stream", &text, 64)).await;
    let model = Model::new(Provider::OpenAi, "m").base_url(&server.base).unwrap();
    let tools = set![raw("shop/find", async |_, _| Ok(ToolOutput::new()))];
    let earlier = ToolCall::new("0", "shop/find", json!({}));
    let messages = [
        Message::user("?"),
        Message::Assistant(AssistantMessage::calls([earlier.clone()])),
        Message::Tool(ToolResult::new(&earlier, ToolOutput::text("none"))),
    ];
    let events: Vec<ReplyEvent> =
        model.stream(ChatRequest::new(&messages, &tools)).try_collect().await.unwrap();
    assert_eq!(seen(&events).2, [("shop/find".to_owned(), "{}".to_owned())]);
    let Some(ReplyEvent::Done { reply }) = events.last() else { panic!("{events:?}") };
    assert_eq!(reply.message.tool_calls[0].name, "shop/find");
    let received = server.received.lock().unwrap();
    assert_eq!(received[0].body["tools"][0]["function"]["name"], "shop_find");
    assert_eq!(received[0].body["messages"][1]["tool_calls"][0]["function"]["name"], "shop_find");
}

#[tokio::test]
async fn what_people_show_is_written_as_each_provider_has_it() {
    let blocks = vec![
        Content::text("What?"),
        Content::image(&b"png"[..], "image/png"),
        Content::audio(&b"ogg"[..], "audio/ogg"),
    ];
    let messages = [Message::User(blocks)];
    let chat = json!({"choices": [{"message": {"content": "A cat."}}]});
    let cases = [
        (
            Provider::OpenAi,
            chat.clone(),
            "/messages/0/content",
            json!([
                {"type": "text", "text": "What?"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,cG5n"}},
                {"type": "text", "text": "[audio audio/ogg, 3 bytes]"},
            ]),
        ),
        (
            Provider::Mistral,
            chat,
            "/messages/0/content/1",
            json!(
                {"type": "image_url", "image_url": "data:image/png;base64,cG5n"}
            ),
        ),
        (
            Provider::Anthropic,
            json!({"content": []}),
            "/messages/0/content/1",
            json!(
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "cG5n"}}
            ),
        ),
        (
            Provider::Gemini,
            json!({"candidates": [{}]}),
            "/contents/0/parts",
            json!([
                {"text": "What?"},
                {"inlineData": {"mimeType": "image/png", "data": "cG5n"}},
                {"inlineData": {"mimeType": "audio/ogg", "data": "b2dn"}},
            ]),
        ),
        (
            Provider::OpenAiResponses,
            json!({"output": []}),
            "/input/0/content/1",
            json!(
                {"type": "input_image", "image_url": "data:image/png;base64,cG5n", "detail": "auto"}
            ),
        ),
        (
            Provider::Ollama,
            json!({"message": {"content": ""}, "done": true}),
            "/messages/0",
            json!(
                {"role": "user", "content": "What?\n[audio audio/ogg, 3 bytes]", "images": ["cG5n"]}
            ),
        ),
    ];
    for (provider, answer, pointer, expected) in cases {
        let (body, _) = asked(provider, "m", &messages, answer).await;
        assert_eq!(body.pointer(pointer), Some(&expected), "{provider}");
    }
}

#[tokio::test]
async fn a_conversation_goes_on_with_another_provider() {
    // Gemini's thoughts are of no use to Claude, and a call of Claude's has no signature for Gemini.
    let call = ToolCall::new("toolu.1", "find", json!({"q": "x"}));
    let turn = vec![json!({"role": "model", "parts": [{"text": "secret thought", "thought": true}]})];
    let answer = AssistantMessage::calls([call.clone()]).keep("gemini", turn);
    let messages = [
        Message::user("Find x."),
        Message::Assistant(answer),
        Message::Tool(ToolResult::new(&call, ToolOutput::json(json!({"n": 1})))),
        Message::user("And y?"),
    ];
    let (body, _) = asked(Provider::Anthropic, "claude", &messages, json!({"content": []})).await;
    let sent = body["messages"].as_array().unwrap();
    assert!(!body.to_string().contains("secret thought"));
    assert_eq!(sent.len(), 3, "results and what is said behind them are one message: {body:#}");
    assert_eq!(sent[1]["content"][0]["id"], sent[2]["content"][0]["tool_use_id"]);
    assert_eq!(sent[2]["content"][1], json!({"type": "text", "text": "And y?"}));

    let claude = vec![json!({"role": "assistant", "content": []})];
    let messages =
        [Message::user("?"), Message::Assistant(AssistantMessage::calls([call]).keep("anthropic", claude))];
    let signature = async |model| {
        let (body, _) = asked(Provider::Gemini, model, &messages, json!({"candidates": [{}]})).await;
        body.pointer("/contents/1/parts/0/thoughtSignature").cloned()
    };
    assert_eq!(signature("gemini-3-pro").await, Some(json!("skip_thought_signature_validator")));
    assert_eq!(signature("gemini-2.5-flash").await, None);
}

#[tokio::test]
async fn reasoning_that_cannot_go_back_takes_its_ids_with_it() {
    let output = json!([
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "web_search_call", "id": "ws_1", "status": "completed"},
        {"type": "function_call", "id": "fc_1", "call_id": "a", "name": "f", "arguments": "{}"},
    ]);
    let (_, reply) =
        asked(Provider::OpenAiResponses, "o3", &[Message::user("?")], json!({"output": output})).await;
    let messages = [Message::user("?"), Message::Assistant(reply.message)];
    let (body, _) = asked(Provider::OpenAiResponses, "o3", &messages, json!({"output": []})).await;
    assert_eq!(body["include"], json!(["reasoning.encrypted_content"]));
    assert_eq!(
        body["input"].as_array().unwrap()[1..],
        [
            json!({"type": "web_search_call", "status": "completed"}),
            json!({"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"}),
        ]
    );
    let (body, _) = asked(Provider::OpenAiResponses, "gpt-4o", &messages[..1], json!({"output": []})).await;
    assert_eq!(body.get("include"), None, "models without reasoning refuse the question for it");
}

#[tokio::test]
async fn no_digit_of_an_argument_is_lost_in_a_stream() {
    let number = "123456789012345678901234567890";
    let ollama = format!(
        "{{\"message\":{{\"content\":\"\",\"thinking\":\"Hm.\",\"tool_calls\":[{{\"function\":{{\"name\":\"f\",\"arguments\":{{\"id\":{number}}}}}}}]}},\"done\":true}}\n"
    );
    let gemini = format!(
        "data: {{\"candidates\":[{{\"content\":{{\"role\":\"model\",\"parts\":[{{\"thoughtSignature\":\"c2ln\",\"functionCall\":{{\"name\":\"f\",\"args\":{{\"id\":{number}}}}}}}]}},\"finishReason\":\"STOP\"}}]}}\n\n"
    );
    for (provider, text) in [(Provider::Ollama, ollama), (Provider::Gemini, gemini)] {
        let server = server(move |_| streamed("text/event-stream", &text, 9)).await;
        let model = Model::new(provider, "m").base_url(server.base.trim_end_matches("/v1")).unwrap();
        let (mut messages, tools) = (vec![Message::user("?")], ToolSet::new());
        let events: Vec<ReplyEvent> =
            model.stream(ChatRequest::new(&messages, &tools)).try_collect().await.unwrap();
        let written = format!("{{\"id\":{number}}}");
        assert_eq!(seen(&events).2, [("f".to_owned(), written.clone())], "{provider}");
        let Some(ReplyEvent::Done { reply }) = events.last() else { panic!("{events:?}") };
        assert_eq!(reply.message.tool_calls[0].arguments, json!(written), "{provider}");
        // The turn goes back with an object, which is all that these providers take.
        messages.push(Message::Assistant(reply.message.clone()));
        model.stream(ChatRequest::new(&messages, &tools)).try_collect::<Vec<_>>().await.unwrap();
        let received = server.received.lock().unwrap();
        let pointers =
            ["/messages/1/tool_calls/0/function/arguments", "/contents/1/parts/0/functionCall/args"];
        let sent = pointers.iter().find_map(|pointer| received[1].body.pointer(pointer)).unwrap();
        assert!(sent.is_object(), "{provider}: {sent}");
    }
}

#[tokio::test]
async fn a_number_that_nothing_holds_hides_no_other_call() {
    hides_no_other_call("1e400").await;
}

#[tokio::test]
async fn a_call_that_nests_too_deep_hides_no_other_call() {
    for levels in [128, 150, 1_000] {
        hides_no_other_call(&format!("{}{}", "[".repeat(levels), "]".repeat(levels))).await;
    }
}

/// Runs the call beside one with this argument, and never that one.
async fn hides_no_other_call(x: &str) {
    let ollama = r#"{"message":{"content":"","tool_calls":[{"function":{"name":"f","arguments":{"x":X}}},{"function":{"name":"g","arguments":{"x":1}}}]},"done":true}"#.replace('X', x);
    let part = |name: &str, x: &str| format!(r#"{{"functionCall":{{"name":"{name}","args":{{"x":{x}}}}}}}"#);
    let parts = [part("f", x), part("g", "1")].join(",");
    let gemini = format!(
        r#"{{"candidates":[{{"content":{{"role":"model","parts":[{parts}]}},"finishReason":"STOP"}}]}}"#
    );
    for (provider, answer, event) in [
        (Provider::Ollama, ollama.clone(), format!("{ollama}\n")),
        (Provider::Gemini, gemini.clone(), format!("data: {gemini}\n\n")),
    ] {
        for text in [answer, event] {
            let streaming = text.ends_with('\n');
            let kind = if streaming { "text/event-stream" } else { "application/json" };
            let server = server(move |_| streamed(kind, &text, 1_000)).await;
            let model = Model::new(provider, "m").base_url(server.base.trim_end_matches("/v1")).unwrap();
            let (messages, tools) = ([Message::user("?")], ToolSet::new());
            let request = ChatRequest::new(&messages, &tools);
            let reply = if streaming {
                match model.stream(request).try_collect::<Vec<_>>().await.unwrap().pop() {
                    Some(ReplyEvent::Done { reply }) => reply,
                    other => panic!("{other:?}"),
                }
            } else {
                model.reply(request).await.unwrap()
            };
            let [first, second] = reply.message.tool_calls.as_slice() else { panic!("{reply:?}") };
            assert_eq!((second.name.as_str(), &second.arguments), ("g", &json!({"x": 1})), "{provider}");
            // The number is not another one now: no tool takes this.
            let tool = raw(&first.name, |_, _| async { panic!("nothing is run") });
            let tools = ToolSet::from_tools([tool]).unwrap();
            assert!(tools.check(first).is_err(), "{provider}: {first:?}");
        }
    }
}

/// A name with every fragment: what is there of the arguments is not read anew with each.
#[tokio::test]
async fn a_long_call_in_many_fragments_takes_no_longer_than_in_one() {
    let named =
        |arguments: &str| json!({"index": 0, "id": "a", "function": {"name": "f", "arguments": arguments}});
    let mut fragments = vec![named(&format!("{{\"x\":\"{}", "y".repeat(400_000)))];
    fragments.extend((0..2_000).map(|_| named("z")));
    fragments.push(named("\"}"));
    let started = std::time::Instant::now();
    let calls = calls(fragments.into()).await;
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0].2["x"].as_str().map(str::len), Some(402_000));
    assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
}

/// What is sent for a conversation whose last answer was this one, which was cut off.
async fn sent_again(provider: Provider, answer: Value) -> Value {
    let server = server(move |_| json_answer(&answer)).await;
    let base = server.base.trim_end_matches("/v1");
    let model = Model::new(provider, "gpt-5").base_url(base).unwrap().api_key("key-0123456789");
    let tools = ToolSet::new();
    let mut messages = vec![Message::user("Think.")];
    let reply = model.reply(ChatRequest::new(&messages, &tools)).await.unwrap();
    messages.extend([Message::Assistant(reply.message), Message::user("Well?")]);
    model.reply(ChatRequest::new(&messages, &tools)).await.unwrap();
    let received = server.received.lock().unwrap();
    received[1].body.clone()
}

#[tokio::test]
async fn thoughts_that_were_cut_off_do_not_go_back() {
    let anthropic = |blocks: Value| {
        let answer =
            json!({"type": "message", "role": "assistant", "content": blocks, "stop_reason": "max_tokens"});
        async { sent_again(Provider::Anthropic, answer).await["messages"].clone() }
    };
    let both = json!([{"role": "user", "content": [{"type": "text", "text": "Think."}, {"type": "text", "text": "Well?"}]}]);
    for signature in [json!(""), Value::Null] {
        let thought = json!({"type": "thinking", "thinking": "I", "signature": signature});
        assert_eq!(anthropic(json!([thought])).await, both);
    }
    let signed = json!({"type": "thinking", "thinking": "I", "signature": "c2ln"});
    let unsigned = json!({"type": "thinking", "thinking": "II"});
    let said = json!({"type": "text", "text": "So"});
    assert_eq!(anthropic(json!([signed, said, unsigned])).await[1]["content"], json!([signed, said]));

    let responses = |items: Value| {
        let answer = json!({"output": items, "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}});
        async { sent_again(Provider::OpenAiResponses, answer).await["input"].clone() }
    };
    let thought = json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "abc"});
    let kinds = |input: &Value| -> Vec<String> {
        let kind = |item: &Value| item["type"].as_str().or(item["role"].as_str()).unwrap_or("?").to_owned();
        input.as_array().unwrap().iter().map(kind).collect()
    };
    assert_eq!(kinds(&responses(json!([thought])).await), ["user", "user"]);
    let said = json!({"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": "So"}]});
    let sent = responses(json!([thought, said, thought])).await;
    assert_eq!(kinds(&sent), ["user", "reasoning", "message", "user"]);
}

#[tokio::test]
async fn words_that_stand_only_in_the_last_event_are_shown() {
    let said = json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hello."}]});
    let whole = json!({"type": "response.completed", "response": {"status": "completed", "output": [said]}});
    let item = json!({"type": "response.output_item.done", "output_index": 0, "item": said});
    let bare = json!({"type": "response.completed", "response": {"status": "completed", "output": []}});
    let delta = json!({"type": "response.output_text.delta", "output_index": 0, "delta": "Hello."});
    for list in [vec![whole.clone()], vec![item, bare], vec![delta, whole]] {
        let text = events(&list, "");
        let server = server(move |_| streamed("text/event-stream", &text, 11)).await;
        let model = Model::new(Provider::OpenAiResponses, "m").base_url(&server.base).unwrap();
        let (messages, tools) = ([Message::user("?")], ToolSet::new());
        let told: Vec<ReplyEvent> =
            model.stream(ChatRequest::new(&messages, &tools)).try_collect().await.unwrap();
        let words: Vec<&str> = told
            .iter()
            .filter_map(|event| match event {
                ReplyEvent::Text { text } => Some(text.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(words, ["Hello."]);
    }
}

/// The words and the reply of a stream of these events, as they stand on the wire.
async fn of_stream(list: &[&str]) -> (String, ChatReply) {
    let text: String = list.iter().map(|event| format!("data: {event}\n\n")).collect();
    let server = server(move |_| streamed("text/event-stream", &text, 11)).await;
    let model = Model::new(Provider::OpenAi, "m").base_url(&server.base).unwrap();
    let (messages, tools) = ([Message::user("?")], ToolSet::new());
    let told: Vec<ReplyEvent> =
        model.stream(ChatRequest::new(&messages, &tools)).try_collect().await.unwrap();
    let Some(ReplyEvent::Done { reply }) = told.last() else { panic!("{told:?}") };
    (seen(&told).0, reply.clone())
}

#[tokio::test]
async fn half_of_a_character_is_no_reason_to_lose_an_answer() {
    let says = |text: &str| format!(r#"{{"choices":[{{"index":0,"delta":{{"content":"{text}"}}}}]}}"#);
    let end = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;
    for (pieces, expected) in [
        // A character whose halves came in two events is whole again.
        (&[r"a\ud83d", r"\ude00b"][..], "a😀b"),
        (&[r"\uD83D", r"\uDE00\ud83d", r"\ude01", "!"], "😀😁!"),
        (&[r"\\\ud83d", r"\ude00"], "\\😀"),
        // What stays half of one is shown as such.
        (&[r"a\ud83d", "b"], "a\u{fffd}b"),
        (&[r"a\ud83d", r"\ud83d", r"\ude00"], "a\u{fffd}😀"),
        (&[r"a\ud83d"], "a\u{fffd}"),
        (&[r"a\ude00", r"\ud83d b", r"\ude00"], "a\u{fffd}\u{fffd} b\u{fffd}"),
        (&[r"a\\ud83d", r"\\ude00"], r"a\ud83d\ude00"),
    ] {
        let list: Vec<String> = pieces.iter().map(|text| says(text)).chain([end.to_owned()]).collect();
        let list: Vec<&str> = list.iter().map(String::as_str).chain(["[DONE]"]).collect();
        let (told, reply) = of_stream(&list).await;
        assert_eq!((told.as_str(), reply.message.to_text().as_str()), (expected, expected), "{pieces:?}");
    }
    // It waits for its other half, and is told where the stream ends before.
    let (told, _) = of_stream(&[&says(r"a\ud83d"), &end.replace("{}", r#"{"content":"\ude00"}"#)]).await;
    assert_eq!(told, "a😀");

    let whole = r#"{"choices":[{"message":{"content":"a\ud83d b","tool_calls":[{"id":"a","type":"function",
        "function":{"name":"f","arguments":"{\"x\":1.10}"}}]},"finish_reason":"tool_calls"}]}"#;
    let server =
        server(move |_| ([(axum::http::header::CONTENT_TYPE, "application/json")], whole).into_response())
            .await;
    let model = Model::new(Provider::OpenAi, "m").base_url(&server.base).unwrap();
    let reply = model.reply(ChatRequest::new(&[Message::user("?")], &ToolSet::new())).await.unwrap();
    assert_eq!(reply.message.to_text(), "a\u{fffd} b");
    assert_eq!(reply.message.tool_calls, [ToolCall::new("a", "f", json!("{\"x\":1.10}"))]);
}

#[tokio::test]
async fn the_one_call_of_old_is_read_from_a_stream_as_well() {
    let delta = |delta: &str| format!(r#"{{"choices":[{{"index":0,"delta":{delta}}}]}}"#);
    let list = [
        delta(r#"{"role":"assistant","content":null,"function_call":{"name":"f","arguments":""}}"#),
        delta(r#"{"function_call":{"arguments":"{\"x\""}}"#),
        delta(r#"{"function_call":{"arguments":":1}"}}"#),
        r#"{"choices":[{"index":0,"delta":{},"finish_reason":"function_call"}]}"#.to_owned(),
    ];
    let (_, reply) = of_stream(&list.iter().map(String::as_str).collect::<Vec<_>>()).await;
    assert_eq!(reply.message.tool_calls, [ToolCall::new("call_1", "f", json!("{\"x\":1}"))]);
    assert_eq!(reply.stop, StopReason::ToolCalls);
    let old = json!({"name": "f", "arguments": "{\"x\":1}"});
    let whole = answered(json!({"content": null, "function_call": old}), json!("function_call")).await;
    assert_eq!(whole.message.tool_calls, reply.message.tool_calls);
}

#[tokio::test]
async fn a_call_of_old_that_says_nothing_is_none() {
    for nothing in ["null", "{}", r#"{"name":null,"arguments":""}"#] {
        let chunk = |delta: &str, reason: &str| {
            let delta = format!(r#"{{{delta}"function_call":{nothing}}}"#);
            format!(r#"{{"choices":[{{"index":0,"delta":{delta},"finish_reason":{reason}}}]}}"#)
        };
        let text = [chunk(r#""content":"hi","#, "null"), chunk("", r#""stop""#)];
        let (_, reply) = of_stream(&text.iter().map(String::as_str).collect::<Vec<_>>()).await;
        assert_eq!((reply.message.to_text().as_str(), reply.message.tool_calls), ("hi", vec![]), "{nothing}");
        let calls = [
            chunk(r#""content":null,"#, "null"),
            chunk(r#""tool_calls":[{"index":1,"id":"b","function":{"name":"g","arguments":"{}"}}],"#, "null"),
            chunk(
                r#""tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":""}},{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}],"#,
                "null",
            ),
            chunk("", r#""tool_calls""#),
        ];
        let (_, reply) = of_stream(&calls.iter().map(String::as_str).collect::<Vec<_>>()).await;
        let expected = [ToolCall::new("a", "f", json!("{}")), ToolCall::new("b", "g", json!("{}"))];
        assert_eq!(reply.message.tool_calls, expected, "{nothing}");
    }
}

#[tokio::test]
async fn what_stands_in_one_list_is_several_calls_and_what_has_one_number_is_one() {
    let with = async |lists: Value| {
        let mut chunks: Vec<Value> = lists
            .as_array()
            .unwrap()
            .iter()
            .map(|list| json!({"choices": [{"index": 0, "delta": {"tool_calls": list}}]}))
            .collect();
        chunks.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}));
        let text = events(&chunks, "data: [DONE]\n\n");
        let server = server(move |_| streamed("text/event-stream", &text, 11)).await;
        let model = Model::new(Provider::OpenAi, "m").base_url(&server.base).unwrap();
        let (messages, tools) = ([Message::user("?")], ToolSet::new());
        let events: Vec<ReplyEvent> =
            model.stream(ChatRequest::new(&messages, &tools)).try_collect().await.unwrap();
        let Some(ReplyEvent::Done { reply }) = events.last() else { panic!("{events:?}") };
        let names: Vec<String> = seen(&events).2.into_iter().map(|(name, _)| name).collect();
        let calls = reply.message.tool_calls.iter();
        let calls: Vec<_> =
            calls.map(|call| (call.id.clone(), call.name.clone(), call.arguments.clone())).collect();
        assert_eq!(names, calls.iter().map(|(_, name, _)| name.clone()).collect::<Vec<_>>());
        calls
    };
    let named = |name: &str, arguments: &str| json!({"function": {"name": name, "arguments": arguments}});
    let pay = call("call_2", "pay", json!("{\"x\":1}"));
    for first in ["listAll", "pay"] {
        assert_eq!(
            with(json!([[named(first, ""), named("pay", "{\"x\":1}")]])).await,
            [call("call_1", first, json!("")), pay.clone()],
        );
        // What comes behind belongs to the last.
        assert_eq!(
            with(json!([[named(first, ""), named("pay", "{\"x\"")], [{"function": {"arguments": ":1}"}}]]))
                .await,
            [call("call_1", first, json!("")), pay.clone()],
        );
    }
    let of = |id: &str, name: Value, arguments: &str| json!([{"index": 0, "id": id, "function": {"name": name, "arguments": arguments}}]);
    let whole = [call("a", "pay", json!("{\"x\":1}"))];
    let (pay, none) = (json!("pay"), Value::Null);
    for name in [&none, &pay] {
        // A new id with every fragment.
        let pieces =
            json!([of("a", pay.clone(), ""), of("b", name.clone(), "{\"x\""), of("c", name.clone(), ":1}")]);
        assert_eq!(with(pieces).await, whole, "{name}");
    }
    let pieces = json!([of("a", pay.clone(), "{\"x\""), of("b", none.clone(), ":1}"), of("c", none, "")]);
    assert_eq!(with(pieces).await, whole);
    let two = json!([of("a", pay.clone(), "{\"x\":1}"), of("b", pay, "{\"x\":2}")]);
    assert_eq!(with(two).await, [whole[0].clone(), call("b", "pay", json!("{\"x\":2}"))]);
}

/// An image of a type that a provider does not document would make it refuse the conversation.
#[tokio::test]
async fn images_of_types_that_a_provider_does_not_take_are_words() {
    let blob = |mime: &str| Content::BlobResource {
        uri: "file:///a.svg".to_owned(),
        mime: Some(mime.to_owned()),
        data: b"<svg>"[..].into(),
    };
    for (provider, answer) in [
        (Provider::OpenAi, json!({"choices": [{"message": {"content": "A."}}]})),
        (Provider::Mistral, json!({"choices": [{"message": {"content": "A."}}]})),
        (Provider::Anthropic, json!({"content": []})),
        (Provider::Gemini, json!({"candidates": [{}]})),
        (Provider::OpenAiResponses, json!({"output": []})),
        (Provider::Ollama, json!({"message": {"content": ""}, "done": true})),
    ] {
        for (mime, is_taken) in [
            ("image/svg+xml", false),
            ("image/invented", false),
            ("image/png", true),
            ("IMAGE/PNG; q=1", true),
            ("image/jpg", true),
        ] {
            for block in [Content::image(&b"<svg>"[..], mime), blob(mime)] {
                let said = AssistantMessage::calls([ToolCall::new("abcdefghi", "shot", json!({}))]);
                let result = |output| Message::Tool(ToolResult::new(&said.tool_calls[0], output));
                for messages in [
                    vec![Message::User(vec![Content::text("What?"), block.clone()])],
                    vec![
                        Message::user("?"),
                        Message::Assistant(said.clone()),
                        result(ToolOutput::text("see:").block(block.clone())),
                    ],
                ] {
                    let (body, _) = asked(provider, "gemini-3", &messages, answer.clone()).await;
                    let body = body.to_string();
                    let case = format!("{provider} {mime}: {body}");
                    assert_eq!(body.contains("PHN2Zz4="), is_taken, "{case}");
                    if is_taken {
                        for wrong in ["data:image/jpg", "data:IMAGE", ":\"image/jpg", ":\"IMAGE"] {
                            assert!(!body.contains(wrong), "{case}");
                        }
                    } else {
                        assert!(body.contains(", 5 bytes]"), "{case}");
                    }
                }
            }
        }
    }
}
