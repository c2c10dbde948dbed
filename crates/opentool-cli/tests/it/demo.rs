//! `opentool demo`: the story, its end, the real model's part, and the server that stays.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::support::{Run, Upstream, opentool};

/// The events of a run with `--json`.
fn events(run: Run) -> Vec<Value> {
    let ran = run.end().success();
    ran.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn named<'a>(events: &'a [Value], name: &'a str) -> impl Iterator<Item = &'a Value> {
    events.iter().filter(move |event| event["event"] == name)
}

#[test]
fn the_story_is_told_in_80_columns_of_ascii() {
    let ran = opentool(["demo"]).end().success();
    assert_eq!(ran.stderr, "");
    let text = ran.text();
    // A command is never shortened, and the temporary directory of the test is in it.
    let story = text.split("What to try next").next().unwrap();
    for line in story.lines().filter(|line| !line.contains("_API_KEY=") && !line.contains("_BASE_URL=")) {
        assert!(line.is_ascii() && line.len() <= 80, "{line:?}");
    }
    let mut rest = story;
    for part in [
        "findPetsByStatus  Find pets by status ",
        "GET /pet/findByStatus",
        "cancelOrder",
        "adoption_fee",
        "Rust function",
        "is a script",
        "demo --model",
        "you    Is there any pending pet?",
        "call   findPetsByStatus {\"status\":[\"pending\"]}",
        "sent   GET http://127.0.0.1:",
        "/pet/findByStatus?status=pending",
        "result [{\"id\":2,\"name\":\"Miso\"",
        " ms\n",
        "model  Yes, two: no. 2, Miso (a cat); no. 5, Pepper (a bird).",
        "you    Tell me more about pet no. 2.",
        "call   getPetById {\"petId\":2}",
        "call   today {}",
        "call   adoption_fee {\"species\":\"cat\",\"age_in_months\":",
        "result {\"euros\":1",
        "model  Miso is a cat, born on 2025-03-14, ",
        "you    Reserve it for me.",
        "call   placeOrder {\"petId\":2}",
        "sent   POST http://127.0.0.1:",
        "/store/order\n",
        "result {\"id\":1,\"petId\":2,\"status\":\"placed\"}",
        "model  Done: order no. 1 reserves Miso for you.",
    ] {
        let at = rest.find(part).unwrap_or_else(|| panic!("no `{part}` in what is left:\n{rest}"));
        rest = &rest[at + part.len()..];
    }
}

#[test]
fn the_commands_at_the_end_work_as_printed() {
    for with_example in [false, true] {
        let run = opentool(["demo", "--json"]);
        let directory = run.directory().to_owned();
        if with_example {
            std::fs::create_dir(directory.join("examples")).unwrap();
            let example = directory.join("examples/petstore.yaml");
            std::fs::write(example, opentool_petshop::PETSTORE_YAML).unwrap();
        }
        // The directory is there until the run is dropped, and it has to be there for the commands.
        let output = run.start().wait_with_output().unwrap();
        let lines = output.stdout.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
        let events: Vec<Value> = lines.map(|line| serde_json::from_slice(line).unwrap()).collect();
        let commands = named(&events, "next").next().unwrap()["commands"].as_array().unwrap();
        let commands: Vec<&str> = commands.iter().map(|step| step["command"].as_str().unwrap()).collect();
        assert_eq!(commands[0].contains("examples/petstore.yaml"), with_example, "{commands:?}");
        let [list, call, serve] = commands[..] else { panic!("{commands:?}") };
        let shell = |command: &str| -> Output {
            let output = Command::new("sh").args(["-c", command]).current_dir(&directory).output().unwrap();
            assert!(output.status.success(), "{command}: {output:?}");
            output
        };
        assert!(String::from_utf8(shell(list).stdout).unwrap().contains("findPetsByStatus"));
        assert!(String::from_utf8(shell(call).stdout).unwrap().contains("/store/order"));
        assert!(serve.ends_with(" demo --serve"), "{serve}");
    }
}

#[test]
fn started_by_cargo_the_commands_are_cargos() {
    let run = opentool(["demo", "--json"]);
    let root = run.directory().canonicalize().unwrap();
    let package = root.join("crates/opentool-cli");
    let run = run.variable("CARGO", "cargo").variable("CARGO_MANIFEST_DIR", package.to_str().unwrap());
    let events = events(run);
    for step in named(&events, "next").next().unwrap()["commands"].as_array().unwrap() {
        let command = step["command"].as_str().unwrap();
        assert!(command.starts_with("cargo run ") && command.contains(" -- "), "{command}");
    }
}

#[test]
fn a_program_reads_the_story_as_json_lines() {
    let events = events(opentool(["demo", "--json"]));
    let tools = named(&events, "tools_ready").next().unwrap()["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 12, "ten operations and two functions");
    assert!(tools.iter().all(|tool| tool["inputSchema"]["type"] == "object" && tool["source"].is_string()));
    let started = named(&events, "conversation_started").next().unwrap();
    assert_eq!((&started["model"], &started["scripted"]), (&json!("script"), &json!(true)));

    let calls: Vec<&str> =
        named(&events, "call_started").map(|call| call["name"].as_str().unwrap()).collect();
    assert_eq!(calls, ["findPetsByStatus", "getPetById", "today", "adoption_fee", "placeOrder"]);
    let finished: Vec<&Value> = named(&events, "call_finished").collect();
    assert_eq!(finished.len(), calls.len());
    for call in &finished {
        assert!(call["duration_ms"].as_f64().unwrap() > 0.0, "{call}");
        assert!(call["output"].get("is_error").is_none(), "{call}");
    }
    // Every call: it is written, begins, is validated, its request leaves if it is one to the shop, its result comes.
    for (name, is_http) in calls.iter().zip([true, true, false, false, true]) {
        let of_call: Vec<&str> = events
            .iter()
            .filter(|event| event["name"] == *name)
            .map(|event| event["event"].as_str().unwrap())
            .collect();
        let expected: &[&str] = if is_http {
            &["call_writing", "call_started", "call_validated", "call_sent", "call_finished"]
        } else {
            &["call_writing", "call_started", "call_validated", "call_finished"]
        };
        assert_eq!(of_call, expected, "{name}");
    }
    let url = named(&events, "shop_opened").next().unwrap()["url"].as_str().unwrap();
    let order = finished.iter().find(|call| call["name"] == "placeOrder").unwrap();
    assert_eq!(order["output"]["metadata"]["http.request"], format!("POST {url}/store/order"));
    assert_eq!(order["output"]["metadata"]["http.status"], 201);
    let sent = named(&events, "call_sent").find(|call| call["name"] == "placeOrder").unwrap();
    assert_eq!(sent["request"], format!("POST {url}/store/order"));
    assert_eq!(named(&events, "user").count(), 3);
    assert_eq!(named(&events, "finished").count(), 3);
}

#[test]
fn a_reader_that_goes_away_ends_it_silently() {
    let run = opentool(["demo"]);
    let mut child = run.start();
    drop(child.stdout.take());
    let ended = child.wait_with_output().unwrap();
    assert_eq!((ended.status.code(), ended.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn the_document_is_printed_as_it_is() {
    let ran = opentool(["demo", "--document"]).end().success();
    assert_eq!(ran.text(), opentool_petshop::PETSTORE_YAML);
    let listed = opentool(["list", "-"]).input(ran.text()).end().success();
    assert!(listed.text().contains("placeOrder"), "{listed}");
}

#[test]
fn a_real_model_gets_the_tools_and_holds_the_conversation() {
    let said = json!({
        "choices": [{"message": {"role": "assistant", "content": "I \u{1b}[31mcannot say."}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3}
    });
    let server = Upstream::answering("200 OK", "application/json", &said.to_string());
    let ran = opentool(["demo", "--model", "mine"])
        .variable("OPENAI_BASE_URL", &format!("{}/v1", server.url))
        .variable("OPENAI_API_KEY", "sk-very-secret")
        .end()
        .success();
    assert_eq!(ran.text().matches("model  I \\u{1b}[31mcannot say.").count(), 3, "{ran}");
    assert!(ran.text().contains("The model is mine.") && !ran.text().contains("is a script"), "{ran}");
    assert!(!ran.text().contains("sk-very-secret"), "{ran}");
    let requests = server.requests();
    assert_eq!(requests.len(), 3);
    for part in
        ["POST /v1/chat/completions", "\"placeOrder\"", "\"adoption_fee\"", "Is there any pending pet?"]
    {
        assert!(requests[0].contains(part), "no {part} in {}", requests[0]);
    }
    assert!(!requests[0].contains("open-sesame"), "the key of the shop is none of the model's business");
}

#[test]
fn a_real_model_that_is_not_there_is_told_with_the_way_out() {
    let none = |run: Run| run.variable("OPENAI_API_KEY", "").variable("OPENAI_BASE_URL", "");
    none(opentool(["demo", "--model", "gpt-5"])).end().failure(2, &["OPENAI_API_KEY", "OPENAI_BASE_URL"]);

    let server = Upstream::answering("429 Too Many Requests", "application/json", "{}");
    let url = format!("{}/v1", server.url);
    let ran = opentool(["demo", "--model", "gpt-5"]).variable("OPENAI_BASE_URL", &url).end();
    assert_eq!(ran.code, 5, "{ran}");
    assert!(ran.stderr.contains("slow down"), "{ran}");
}

#[test]
fn everything_stays_up_until_it_is_asked_to_end() {
    let run = opentool(["demo", "--serve", "--http", "0", "--json"]);
    let mut child = run.start();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let up: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!((&up["event"], &up["tools"]), (&json!("serving"), &json!(12)));

    let pet = request(up["shop"].as_str().unwrap(), "GET", "/pet/2", "");
    assert!(pet.contains("\"Miso\""), "{pet}");
    let mcp = up["mcp"].as_str().unwrap().strip_suffix("/mcp").unwrap();
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    let answer = request(mcp, "POST", "/mcp", &hello.to_string());
    assert!(answer.contains("opentool-demo"), "{answer}");

    let killed = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(lines.next().unwrap().unwrap(), r#"{"event":"closed"}"#);
    let ended = child.wait_with_output().unwrap();
    assert_eq!((ended.status.code(), ended.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn a_port_that_was_asked_for_and_is_taken_is_an_error() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    opentool(["demo", "--serve", "--http", &address]).end().failure(6, &[&address]);
    opentool(["demo", "--http", "3000"]).end().failure(2, &["--serve"]);
    opentool(["demo", "--serve", "--http", "0.0.0.0:0"]).end().failure(2, &["opentool serve"]);
}

/// One request on a connection of its own; the whole answer.
fn request(base: &str, method: &str, path: &str, body: &str) -> String {
    let host = base.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    let length = body.len();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}
