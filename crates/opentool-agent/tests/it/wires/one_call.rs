//! One call in an answer, on every wire, whole and streamed: it is run, and its result goes back.

use opentool_agent::Agent;
use opentool_agent::chat::{Model, Provider};
use serde_json::{Value, json};

use super::{Whole, events, wires};
use crate::fixtures::{add, set, texts};
use crate::loopback::{json_answer, server, streamed};

/// `add(1, 2)`, at once and as a stream.
fn call(provider: Provider) -> (Value, String) {
    let (text, object) = ("{\"a\":1,\"b\":2}", json!({"a": 1, "b": 2}));
    match provider {
        Provider::OpenAiResponses => {
            let item = json!({"type": "function_call", "id": "fc_1", "call_id": "c", "name": "add", "arguments": text});
            let whole = json!({"status": "completed", "output": [item]});
            let list = [
                json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
                json!({"type": "response.function_call_arguments.delta", "output_index": 0, "delta": text}),
                json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
                json!({"type": "response.completed", "response": whole}),
            ];
            (whole, events(&list, ""))
        }
        Provider::Anthropic => {
            let block = |input: Value| json!({"type": "tool_use", "id": "t", "name": "add", "input": input});
            let list = [
                json!({"type": "content_block_start", "index": 0, "content_block": block(json!({}))}),
                json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": text}}),
                json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
                json!({"type": "message_stop"}),
            ];
            (json!({"content": [block(object)], "stop_reason": "tool_use"}), events(&list, ""))
        }
        Provider::Gemini => {
            let part = json!({"functionCall": {"name": "add", "args": object}});
            let whole = json!({"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}]});
            (whole.clone(), events(&[whole], ""))
        }
        Provider::Ollama => {
            let message = json!({"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "add", "arguments": object}}]});
            let whole = json!({"message": message, "done": true, "done_reason": "stop"});
            (whole.clone(), format!("{whole}\n"))
        }
        _ => {
            let call = json!({"index": 0, "id": "D681PevKs", "type": "function", "function": {"name": "add", "arguments": text}});
            let turn = json!({"role": "assistant", "content": null, "tool_calls": [call]});
            let choice =
                |key: &str| json!({"choices": [{"index": 0, key: turn, "finish_reason": "tool_calls"}]});
            (choice("message"), events(&[choice("delta")], "data: [DONE]\n\n"))
        }
    }
}

#[tokio::test]
async fn one_call_is_run_and_its_result_goes_back() {
    for wire in wires() {
        let (whole, stream) = call(wire.provider);
        for streaming in [false, true] {
            let (kind, plain) = (wire.kind, wire.plain.clone());
            let (whole, stream) = (whole.clone(), stream.clone());
            let server = server(move |number| match (streaming, number) {
                (false, 0) => json_answer(&whole),
                (false, _) => json_answer(&plain.whole),
                (true, 0) => streamed(kind, &stream, 5),
                (true, _) => streamed(kind, &plain.stream, 5),
            })
            .await;
            let model = Model::new(wire.provider, "m").base_url(server.base.trim_end_matches("/v1")).unwrap();
            let agent = Agent::new(Whole { model, streaming }, set![add()]);
            let reply = agent.run("1 + 2?").await.unwrap();
            assert_eq!(reply.text, "Hello.", "{:?}, streaming: {streaming}", wire.provider);
            assert_eq!(texts(&reply.messages), ["3"], "{:?}, streaming: {streaming}", wire.provider);
            assert_eq!(server.received.lock().unwrap().len(), 2);
        }
    }
}
