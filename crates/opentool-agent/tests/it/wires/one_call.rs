//! One call in an answer, on every wire, whole and streamed: it is run, and its result goes back; but not where the
//! provider says that the answer is not whole.

use opentool_agent::chat::{Model, Provider};
use opentool_agent::{Agent, Finish};
use serde_json::{Value, json};

use super::{Whole, events, wires};
use crate::fixtures::{add, set, texts};
use crate::loopback::{json_answer, server, streamed};

/// `add(1, 2)`, at once and as a stream, in an answer that ends for this reason; of Responses, `incomplete/` goes before
/// the reason of an incomplete answer.
fn call(provider: Provider, reason: &str) -> (Value, String) {
    let (text, object) = ("{\"a\":1,\"b\":2}", json!({"a": 1, "b": 2}));
    match provider {
        Provider::OpenAiResponses => {
            let item = json!({"type": "function_call", "id": "fc_1", "call_id": "c", "name": "add", "arguments": text});
            let whole = match reason.split_once('/') {
                Some((status, why)) => {
                    json!({"status": status, "incomplete_details": {"reason": why}, "output": [item]})
                }
                None => json!({"status": reason, "output": [item]}),
            };
            let end =
                if reason.starts_with("incomplete") { "response.incomplete" } else { "response.completed" };
            let list = [
                json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
                json!({"type": "response.function_call_arguments.delta", "output_index": 0, "delta": text}),
                json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
                json!({"type": end, "response": whole}),
            ];
            (whole, events(&list, ""))
        }
        Provider::Anthropic => {
            let block = |input: Value| json!({"type": "tool_use", "id": "t", "name": "add", "input": input});
            let list = [
                json!({"type": "content_block_start", "index": 0, "content_block": block(json!({}))}),
                json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": text}}),
                json!({"type": "message_delta", "delta": {"stop_reason": reason}}),
                json!({"type": "message_stop"}),
            ];
            (json!({"content": [block(object)], "stop_reason": reason}), events(&list, ""))
        }
        Provider::Gemini => {
            let part = json!({"functionCall": {"name": "add", "args": object}});
            let whole = json!({"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": reason}]});
            (whole.clone(), events(&[whole], ""))
        }
        Provider::Ollama => {
            let message = json!({"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "add", "arguments": object}}]});
            let whole = json!({"message": message, "done": true, "done_reason": reason});
            (whole.clone(), format!("{whole}\n"))
        }
        _ => {
            let call = json!({"index": 0, "id": "D681PevKs", "type": "function", "function": {"name": "add", "arguments": text}});
            let turn = json!({"role": "assistant", "content": null, "tool_calls": [call]});
            let choice = |key: &str| json!({"choices": [{"index": 0, key: turn, "finish_reason": reason}]});
            (choice("message"), events(&[choice("delta")], "data: [DONE]\n\n"))
        }
    }
}

/// Asks a server whose first answer is that one, and whose second one is "Hello."; how the turn ended, the provider's word
/// for it, and what the results say.
async fn run(provider: Provider, reason: &str, streaming: bool) -> (Finish, Option<String>, Vec<String>) {
    let wire = wires().into_iter().find(|wire| wire.provider == provider).unwrap();
    let ((whole, stream), kind, plain) = (call(provider, reason), wire.kind, wire.plain);
    let server = server(move |number| match (streaming, number) {
        (false, 0) => json_answer(&whole),
        (false, _) => json_answer(&plain.whole),
        (true, 0) => streamed(kind, &stream, 5),
        (true, _) => streamed(kind, &plain.stream, 5),
    })
    .await;
    let model = Model::new(provider, "m").base_url(server.base.trim_end_matches("/v1")).unwrap();
    let agent = Agent::new(Whole { model, streaming }, set![add()]);
    let reply = agent.run("1 + 2?").await.unwrap();
    let questions = server.received.lock().unwrap().len();
    assert_eq!(questions, if reply.finish == Finish::Answered { 2 } else { 1 }, "{provider} {reason}");
    (reply.finish, reply.reason.map(String::from), texts(&reply.messages))
}

/// What becomes of a call in an answer that ended for a reason.
#[derive(Clone, Copy)]
enum Then {
    Runs,
    /// The model is told that the call was not run.
    Told,
    Refused,
    Broken,
}

#[tokio::test]
async fn a_call_is_run_only_in_an_answer_that_is_whole() {
    use Then::{Broken, Refused, Runs, Told};
    let chat = [
        ("tool_calls", Runs),
        ("function_call", Runs),
        ("tool_use", Runs),
        ("TOOL_CALL", Runs),
        ("stop", Runs),
        ("length", Told),
        ("content_filter", Refused),
        ("error", Broken),
        ("abort", Broken),
        ("insufficient_system_resource", Broken),
        ("invented", Broken),
    ];
    let table: [(Provider, &[(&str, Then)]); 6] = [
        (Provider::OpenAi, &chat),
        (
            Provider::Mistral,
            &[("tool_calls", Runs), ("model_length", Told), ("error", Broken), ("invented", Broken)],
        ),
        (
            Provider::OpenAiResponses,
            &[
                ("completed", Runs),
                ("incomplete/max_output_tokens", Told),
                ("incomplete", Told),
                ("incomplete/content_filter", Refused),
                ("incomplete/invented", Broken),
                ("cancelled", Broken),
                ("failed", Broken),
                ("invented", Broken),
            ],
        ),
        (
            Provider::Anthropic,
            &[
                ("tool_use", Runs),
                ("end_turn", Runs),
                ("max_tokens", Told),
                ("model_context_window_exceeded", Told),
                ("refusal", Refused),
                ("stop_sequence", Broken),
                ("pause_turn", Broken),
                ("invented", Broken),
            ],
        ),
        (
            Provider::Gemini,
            &[
                ("STOP", Runs),
                ("MAX_TOKENS", Told),
                ("SAFETY", Refused),
                ("RECITATION", Refused),
                ("MALFORMED_FUNCTION_CALL", Broken),
                ("UNEXPECTED_TOOL_CALL", Broken),
                ("TOO_MANY_TOOL_CALLS", Broken),
                ("OTHER", Broken),
                ("FINISH_REASON_UNSPECIFIED", Broken),
                ("INVENTED", Broken),
            ],
        ),
        (
            Provider::Ollama,
            &[("stop", Runs), ("length", Told), ("load", Broken), ("unload", Broken), ("invented", Broken)],
        ),
    ];
    for (provider, reasons) in table {
        for (reason, then) in reasons {
            for streaming in [false, true] {
                let case = format!("{provider} {reason}, streaming: {streaming}");
                let (finish, word, results) = run(provider, reason, streaming).await;
                match then {
                    Runs => assert_eq!((finish, results), (Finish::Answered, vec!["3".to_owned()]), "{case}"),
                    Told => {
                        assert_eq!((finish, results.len()), (Finish::Answered, 1), "{case}");
                        assert!(results[0].contains("length limit"), "{case}: {results:?}");
                    }
                    Refused => assert_eq!((finish, results), (Finish::Refused, vec![]), "{case}"),
                    Broken => {
                        let said = reason.rsplit('/').next().map(str::to_owned);
                        assert_eq!((finish, word, results), (Finish::Broken, said, vec![]), "{case}");
                    }
                }
            }
        }
    }
}
