//! `opentool ask` and `opentool chat`, with a model on loopback that speaks a provider's wire, and from recordings.

use std::io::Write as _;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::support::{Run, Shop, Upstream, opentool};

/// A service that speaks Chat Completions and gives these answers, one after the other.
fn model(answers: Vec<Value>) -> Upstream {
    let asked = AtomicUsize::new(0);
    Upstream::treating(move |mut stream| {
        let answer = answers.get(asked.fetch_add(1, Ordering::Relaxed));
        let (status, body) = match answer {
            Some(answer) => ("200 OK", answer.to_string()),
            None => ("400 Bad Request", json!({"error": {"message": "no further answer"}}).to_string()),
        };
        let head = format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        // Who stops a turn does not wait for the answer.
        let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
    })
}

fn says(text: &str) -> Value {
    json!({
        "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 120, "completion_tokens": 7},
    })
}

fn calls(calls: &[(&str, Value)]) -> Value {
    let calls: Vec<Value> = calls
        .iter()
        .enumerate()
        .map(|(i, (name, arguments))| {
            let function = json!({"name": name, "arguments": arguments.to_string()});
            json!({"id": format!("call_{i}{name}"), "type": "function", "function": function})
        })
        .collect();
    json!({"choices": [{
        "message": {"role": "assistant", "content": null, "tool_calls": calls},
        "finish_reason": "tool_calls",
    }]})
}

fn pending() -> Vec<Value> {
    vec![calls(&[("findPetsByStatus", json!({"status": ["pending"]}))]), says("Miso and Pepper are pending.")]
}

/// The command, with this model; nothing of the environment names another one.
fn with_model(words: &[&str], model: &Upstream) -> Run {
    quiet(opentool(words))
        .variable("OPENAI_BASE_URL", &format!("{}/v1", model.url))
        .variable("OPENTOOL_MODEL", "gpt-5")
}

fn quiet(run: Run) -> Run {
    let keys = ["OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENTOOL_MODEL", "XDG_STATE_HOME"];
    keys.iter().fold(run, |run, name| run.variable(name, ""))
}

#[test]
fn a_question_is_answered_with_tools_recorded_and_played_without_a_model() {
    let shop = Shop::open();
    let server = model(pending());
    let words = ["ask", "petstore.yaml", "Which pets are pending?", "--server", &shop.url];
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("pets.json");
    let words: Vec<&str> = words.into_iter().chain(["--record", kept.to_str().unwrap(), "--trace"]).collect();
    let ran = with_model(&words, &server).end().success();
    assert_eq!(ran.text(), "Miso and Pepper are pending.\n");
    for line in [
        "→ findPetsByStatus(status: [\"pending\"])",
        "GET http://",
        "← findPetsByStatus: [{",
        "invoke_agent ",
    ] {
        assert!(ran.stderr.contains(line), "no `{line}` in\n{ran}");
    }
    assert!(
        ran.stderr.contains("├─ execute_tool findPetsByStatus") && ran.stderr.contains("└─ chat gpt-5 "),
        "\n{ran}"
    );
    assert!(ran.stderr.contains("120 tokens in, 7 out"), "\n{ran}");

    let cassette = std::fs::read_to_string(&kept).unwrap();
    let replay = |question: &str| {
        let words = ["ask", "petstore.yaml", question, "--model", "replay:pets.json", "--server", &shop.url];
        quiet(opentool(words)).file("pets.json", &cassette).end()
    };
    assert_eq!(replay("Which pets are pending?").success().text(), ran.text());
    replay("Which pets are sold?").failure(
        5,
        &[
            "question 1 of pets.json was another one",
            "\"Which pets are pending?\"",
            "record the cassette anew",
        ],
    );
}

#[test]
fn every_event_is_a_line_of_json() {
    let shop = Shop::open();
    let server = model(pending());
    let words = ["ask", "petstore.yaml", "-", "--server", &shop.url, "--json"];
    let ran = with_model(&words, &server).input("Which pets are pending?\n").end().success();
    let events: Vec<Value> = ran.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let names: Vec<&str> = events.iter().filter_map(|event| event["event"].as_str()).collect();
    for name in ["round_started", "call_started", "call_validated", "call_finished", "text_delta", "finished"]
    {
        assert!(names.contains(&name), "no {name} in {names:?}");
    }
    let last = events.last().unwrap();
    assert_eq!(
        (&last["event"], &last["reply"]["text"]),
        (&json!("done"), &json!("Miso and Pepper are pending."))
    );
    assert_eq!(last["reply"]["messages"][0]["message"][0]["value"], "Which pets are pending?");
    assert_eq!(ran.stderr, "");

    let ran = with_model(&words, &model(Vec::new())).input("?").end();
    assert_eq!(ran.code, 5, "\n{ran}");
    ran.failure_json("rejected");
    let ran = with_model(&words, &model(vec![says("")])).input("?").end();
    assert_eq!(ran.code, 1, "\n{ran}");
    ran.failure_json("empty");
}

#[test]
fn what_changes_something_runs_only_if_that_was_allowed() {
    let shop = Shop::open();
    let answers = || vec![calls(&[("placeOrder", json!({"petId": 2}))]), says("Done.")];
    let orders = |server: &Upstream| server.requests().len();
    let words = ["ask", "petstore.yaml", "Reserve pet no. 2.", "--server", &shop.url];
    let server = model(answers());
    let ran = with_model(&words, &server).end();
    let ran = ran.failure(
        1,
        &["the model wants to call `placeOrder`, which may change something", "`--yes` runs every call"],
    );
    assert!(!ran.stderr.contains("POST"), "nothing was sent\n{ran}");
    assert_eq!(orders(&server), 1);

    let allowed: Vec<&str> = words.into_iter().chain(["--yes"]).collect();
    let ran = with_model(&allowed, &model(answers())).end().success();
    assert!(ran.stderr.contains("POST http://"), "\n{ran}");
    assert_eq!(ran.text(), "Done.\n");

    // The model is not even told of such tools.
    let read_only: Vec<&str> = words.into_iter().chain(["--read-only"]).collect();
    let server = model(answers());
    let ran = with_model(&read_only, &server).end().success();
    assert!(ran.stderr.contains("✗ placeOrder: there is no tool `placeOrder`"), "\n{ran}");
    assert!(!server.requests()[0].contains("placeOrder"));
}

#[test]
fn without_a_model_or_a_key_it_says_what_to_set() {
    let ask = || quiet(opentool(["ask", "petstore.yaml", "Hi."]));
    ask()
        .end()
        .failure(2, &["no model is named", "OPENAI_API_KEY, ANTHROPIC_API_KEY", "`--model replay:FILE`"]);
    let named = || ask().variable("OPENTOOL_MODEL", "gpt-5");
    named()
        .end()
        .failure(4, &["set OPENAI_API_KEY", "`--model replay:FILE` plays a recording and needs no key"]);
    ask().variable("OPENTOOL_MODEL", "qwen3").end().failure(2, &["does not say whose model it is"]);
    ask().variable("OPENTOOL_MODEL", "replay:none.json").end().failure(2, &["none.json cannot be read"]);
    quiet(opentool(["ask", " "])).end().failure(2, &["the question is empty"]);
    let ran = quiet(opentool(["chat", "--json"])).end().failure_json("usage");
    assert!(ran.stderr.contains("`opentool ask --json`"), "\n{ran}");
}

#[test]
fn a_question_needs_no_tools_and_instructions_come_from_a_file() {
    let server = model(vec![says("Hello.")]);
    let ran = with_model(&["ask", "Hi.", "--system", "@rules.txt"], &server)
        .file("rules.txt", "Be brief and kind.")
        .end()
        .success();
    assert_eq!(ran.text(), "Hello.\n");
    assert!(server.requests()[0].contains("Be brief and kind."), "{:?}", server.requests());
}

#[test]
fn what_the_model_writes_cannot_drive_the_terminal() {
    let bad = "\u{1b}]0;owned\u{7}";
    let server = model(vec![calls(&[("findPetsByStatus", json!({"status": [bad]}))]), says("ok")]);
    let ran = with_model(&["ask", "petstore.yaml", "?", "--server", "http://127.0.0.1:9"], &server).end();
    assert!(!ran.stderr.contains('\u{1b}'), "\n{ran}");
}

#[test]
fn a_chat_can_be_scripted() {
    let shop = Shop::open();
    let server = model(vec![
        calls(&[("findPetsByStatus", json!({"status": ["pending"]}))]),
        says("Miso and Pepper."),
        calls(&[("placeOrder", json!({"petId": 2}))]),
        says("As you like."),
        calls(&[("placeOrder", json!({"petId": 2}))]),
        says("Reserved."),
    ]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("talk.json");
    let lines = "Which pets \\\nare pending?\n/toolz\nReserve Miso.\nnot today\nDo it.\nyes\n/trace\n";
    let lines = format!("{lines}/save {}\n/new\n/quit\n", file.display());
    let ran =
        with_model(&["chat", "petstore.yaml", "--server", &shop.url], &server).input(lines).end().success();
    let saved = std::fs::read_to_string(file).unwrap();
    let text = ran.text();
    for line in [
        "gpt-5 with ",
        "→ findPetsByStatus(",
        "Miso and Pepper.",
        "? placeOrder(petId: 2)",
        "As you like.",
        "Reserved.",
        "└─ chat gpt-5",
        "A new conversation.",
    ] {
        assert!(text.contains(line), "no `{line}` in\n{ran}");
    }
    assert!(ran.stderr.contains("no command `/toolz`") && ran.stderr.contains(" messages in "), "\n{ran}");
    let requests = server.requests();
    assert!(requests[0].contains("Which pets \\nare pending?"), "{}", requests[0]);
    assert!(requests[3].contains("not today"), "the model reads why: {}", requests[3]);
    assert_eq!(text.matches("\n  POST http://").count(), 1, "only what was allowed was sent\n{ran}");
    let messages: Value = serde_json::from_str(&saved).unwrap();
    assert_eq!(messages.as_array().unwrap().len(), 12);

    // It goes on where it was.
    let server = model(vec![says("You asked for pending pets.")]);
    let words = ["ask", "petstore.yaml", "What did I ask?", "--continue", "talk.json"];
    with_model(&words, &server).file("talk.json", &saved).end().success();
    assert!(server.requests()[0].contains("Reserve Miso."));
}

/// At a terminal: a prompt with editing, and Ctrl-C that stops a turn and not the chat.
#[test]
fn ctrl_c_stops_a_turn_and_not_the_chat() {
    let home = tempfile::tempdir().unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/pty/chat.py");
    let python = std::env::var("OPENTOOL_TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let ended = Command::new(python)
        .args([script, env!("CARGO_BIN_EXE_opentool")])
        .current_dir(home.path())
        .env("HOME", home.path())
        .env_remove("XDG_STATE_HOME")
        .env("OPENTOOL_MODEL", "gpt-5")
        .output();
    match ended {
        Ok(ended) => assert!(
            ended.status.success(),
            "{}\n{}",
            String::from_utf8_lossy(&ended.stdout),
            String::from_utf8_lossy(&ended.stderr)
        ),
        Err(error) => {
            let required = std::env::var("OPENTOOL_TEST_PEERS").is_ok_and(|value| value == "required");
            assert!(!required, "no Python: {error}");
            eprintln!("skipped: no Python ({error})");
        }
    }
}
