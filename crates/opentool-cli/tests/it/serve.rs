//! `opentool serve`, with clients that know nothing but JSON-RPC and HTTP.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ChildStdin, ChildStdout};
use std::sync::{Mutex, mpsc};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{self, Run, Serving, Shop, Upstream, get_document, opentool};
use crate::talk::{Gate, changing, listed};

fn request(id: u32, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn initialize() -> Value {
    let client = json!({"name": "test", "version": "1"});
    request(
        0,
        "initialize",
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}),
    )
}

fn call(id: u32, tool: &str, arguments: Value) -> Value {
    request(id, "tools/call", json!({"name": tool, "arguments": arguments}))
}

/// How long anything may take that a server says.
const PATIENCE: Duration = Duration::from_secs(60);

fn lines_of(output: ChildStdout) -> mpsc::Receiver<String> {
    let (line, lines) = mpsc::channel();
    std::thread::spawn(move || {
        let mut output = BufReader::new(output);
        loop {
            let mut next = String::new();
            if output.read_line(&mut next).unwrap_or(0) == 0 || line.send(next).is_err() {
                break;
            }
        }
    });
    lines
}

/// A server over stdio, and the pipes to it.
struct Stdio {
    child: Child,
    to: ChildStdin,
    /// The lines of its standard output; a server that says nothing fails a test and does not hang it.
    from: mpsc::Receiver<String>,
    _run: Run,
}

impl Stdio {
    fn start(run: Run) -> Self {
        let mut child = run.start();
        let (to, from) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut server = Self { child, to, from: lines_of(from), _run: run };
        server.send(&initialize());
        assert_eq!(server.receive()["id"], 0);
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        server
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.to, "{message}").unwrap();
    }

    /// The next message; every line on standard output is one.
    fn receive(&mut self) -> Value {
        let line = self.from.recv_timeout(PATIENCE).expect("a message");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// Closes the pipe and waits for the end.
    fn close(mut self) -> (Option<i32>, String) {
        drop(self.to);
        let rest = self.from.iter().collect();
        (self.child.wait().unwrap().code(), rest)
    }
}

/// Sends a message and leaves the connection open.
fn send(server: &Serving, message: &Value) -> TcpStream {
    let (host, path) = server.mcp();
    let head = "content-type: application/json\r\naccept: application/json, text/event-stream\r\n";
    support::send(&host, "POST", &path, head, &message.to_string())
}

/// The whole answer as text.
fn ask(server: &Serving, message: &Value) -> String {
    let mut answer = String::new();
    send(server, message).read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_client_that_leaves_while_a_call_runs_is_no_error() {
    let (asked, was_asked) = mpsc::channel();
    let (answer, may_answer) = mpsc::channel::<()>();
    let may_answer = Mutex::new(may_answer);
    let upstream = Upstream::treating(move |mut stream| {
        asked.send(()).unwrap();
        may_answer.lock().unwrap().recv().unwrap();
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
    });
    let run = opentool(["serve", "api.json"]).file("api.json", get_document(&upstream.url, "/x", "[]"));
    let mut server = Stdio::start(run);
    server.send(&call(1, "get", json!({})));
    was_asked.recv().unwrap();
    let Stdio { mut child, to, from, _run } = server;
    drop((to, from));
    answer.send(()).unwrap();
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{said}");
    assert!(!said.contains("ERROR"), "{said}");
}

#[cfg(unix)]
#[test]
fn over_stdio_a_signal_leaves_a_running_call_its_time() {
    let (asked, was_asked) = mpsc::channel();
    let (answer, may_answer) = mpsc::channel::<()>();
    let may_answer = Mutex::new(may_answer);
    let upstream = Upstream::treating(move |mut stream| {
        asked.send(()).unwrap();
        may_answer.lock().unwrap().recv().unwrap();
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\ndone");
    });
    let run = opentool(["serve", "api.json"]).file("api.json", get_document(&upstream.url, "/x", "[]"));
    let mut server = Stdio::start(run);
    server.send(&call(1, "get", json!({})));
    was_asked.recv().unwrap();
    let kill = std::process::Command::new("kill").args(["-INT", &server.child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    answer.send(()).unwrap();
    let answer = server.receive();
    assert_eq!(answer["id"], 1);
    assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains("done"), "{answer}");
    // The input stays open: it is the signal that ends the server.
    let rest: String = server.from.iter().collect();
    assert_eq!((server.child.wait().unwrap().code(), &*rest), (Some(0), ""));
}

#[test]
fn over_stdio_nothing_but_the_protocol_is_on_standard_output() {
    let shop = Shop::open();
    let mut server = Stdio::start(opentool(["serve", "petstore.yaml", "--server", &shop.url, "-v"]));
    server.send(&request(1, "tools/list", json!({})));
    let tools = server.receive()["result"]["tools"].clone();
    assert!(tools.as_array().unwrap().iter().any(|tool| tool["name"] == "getPetById"), "{tools}");
    server.send(&call(2, "getPetById", json!({"petId": 2})));
    let answer = server.receive();
    assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains("Miso"), "{answer}");
    server.send(&call(3, "getPetById", json!({"petId": 99})));
    assert_eq!(server.receive()["result"]["isError"], true);
    server.send(&call(4, "getPetByID", json!({"petId": 2})));
    assert!(server.receive()["error"]["message"].as_str().unwrap().contains("getPetById"));
    assert_eq!(server.close(), (Some(0), String::new()));
}

#[test]
fn over_stdio_a_client_that_goes_away_in_mid_call_ends_the_server() {
    let silent = Upstream::silent();
    let document = get_document(&silent.url, "/x", "[]");
    let mut server = Stdio::start(opentool(["serve", "api.json"]).file("api.json", document));
    server.send(&call(1, "get", json!({})));
    let started = std::time::Instant::now();
    let (code, _) = server.close();
    assert_eq!(code, Some(0));
    assert!(started.elapsed().as_secs() < 20);
}

#[test]
fn over_http_it_says_where_serves_and_ends_when_asked() {
    let shop = Shop::open();
    let run = opentool([
        "serve",
        "petstore.yaml",
        "--server",
        &shop.url,
        "--http",
        "0",
        "--json",
        "--name",
        "pets",
    ]);
    let server = Serving::start(run);
    let answer = ask(&server, &initialize());
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("\"pets\""), "{answer}");
    let (code, stderr) = server.terminate();
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
}

#[test]
fn over_http_a_client_that_goes_away_in_mid_call_harms_nobody() {
    let silent = Upstream::silent();
    let document = get_document(&silent.url, "/x", "[]");
    let run = opentool(["serve", "api.json", "--http", "127.0.0.1:0", "--json"]).file("api.json", document);
    let server = Serving::start(run);
    drop(send(&server, &initialize()));
    let stateless = |id| {
        let mut message = call(id, "get", json!({}));
        message["params"]["_meta"] = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28"});
        message
    };
    drop(send(&server, &stateless(1)));
    assert!(ask(&server, &initialize()).starts_with("HTTP/1.1 200"));
    let (code, stderr) = server.terminate();
    assert_eq!(code, Some(0), "{stderr}");
    assert!(!stderr.contains("panicked"), "{stderr}");
}

#[test]
fn a_port_in_use_is_an_error_of_its_own() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    opentool(["serve", "petstore.yaml", "--http", &address]).end().failure(6, &[&address, "in use"]);
}

#[test]
fn an_address_that_others_can_reach_comes_with_a_warning() {
    let server = Serving::start(opentool(["serve", "petstore.yaml", "--http", "0.0.0.0:0", "--json"]));
    let (code, stderr) = server.terminate();
    assert_eq!(code, Some(0));
    assert!(
        stderr.starts_with("{\"warning\":\"there is no authentication: whoever can reach 0.0.0.0:0"),
        "{stderr}"
    );
    let local = Serving::start(opentool(["serve", "petstore.yaml", "--http", "0", "--json"]));
    assert_eq!(local.terminate(), (Some(0), String::new()));
}

#[test]
fn what_cannot_be_served_is_refused_before_anything_listens() {
    opentool(["serve", "nowhere.yaml"]).end().failure(3, &["nowhere.yaml: there is no such file"]);
    let tools = r#"[{"name":"a","inputSchema":{"type":"object"}}]"#;
    opentool(["serve", "tools.json"]).file("tools.json", tools).end().failure(2, &["holds definitions only"]);
    opentool(["serve", "petstore.yaml", "--tag", "none"]).end().failure(2, &["no tool is left"]);
    opentool(["serve", "--http", "petstore.yaml"])
        .end()
        .failure(2, &["expected HOST:PORT", "put sources before"]);
    opentool(["serve", "petstore.yaml", "--stdio", "--http"]).end().failure(2, &["cannot be used with"]);
}

#[test]
fn models_get_long_results_cut_and_people_get_them_whole() {
    let items: Vec<Value> =
        (0..5_000).map(|id| json!({"id": id, "name": "Rex the dog of the house"})).collect();
    let body = json!({"items": items}).to_string();
    let upstream = Upstream::answering("200 OK", "application/json", &body);
    let document = get_document(&upstream.url, "/pets", "[]");
    let answered = |words: &[&str]| -> Value {
        let words = ["serve", "api.json"].iter().chain(words);
        let mut server = Stdio::start(opentool(words).file("api.json", &document));
        server.send(&call(1, "get", json!({})));
        server.receive()["result"].clone()
    };
    let cut = answered(&[]);
    let (text, notice) = (&cut["content"][0]["text"], cut["content"][1]["text"].as_str().unwrap());
    assert!(cut.to_string().len() < 130_000 && cut.get("structuredContent").is_none());
    assert!(serde_json::from_str::<Value>(text.as_str().unwrap()).is_ok());
    assert!(
        notice.starts_with("[Shortened: `/items` has ") && notice.contains("of 5000 entries"),
        "{notice}"
    );
    let whole = answered(&["--result-limit", "none"]);
    assert_eq!(whole["structuredContent"]["items"].as_array().unwrap().len(), 5_000);
    let person = opentool(["call", "api.json", "get"]).file("api.json", &document).end().success();
    assert_eq!(person.text().trim_end(), body);
}

#[test]
fn what_an_mcp_server_behind_it_changes_its_own_clients_hear_of() {
    let lists = Gate::default();
    let upstream =
        changing(&lists, |calls| ["unlock", "open"].map(listed)[calls.min(1)..=calls.min(1)].to_vec());
    let mut server = Stdio::start(opentool(["serve", &format!("far=mcp:{}/mcp", upstream.url)]));
    let names = |server: &mut Stdio| -> Vec<String> {
        server.send(&request(1, "tools/list", json!({})));
        let listed = server.receive();
        let tools = listed["result"]["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&mut server), ["far__unlock"]);
    server.send(&call(2, "far__unlock", json!({})));
    // The answer and the news come in any order.
    let mut came = [server.receive(), server.receive()];
    came.sort_by_key(|message| message["id"].is_null());
    assert_eq!(came[0]["result"]["content"][0]["text"], "unlocked");
    assert_eq!(came[1]["method"], "notifications/tools/list_changed");
    assert_eq!(names(&mut server), ["far__open"]);
    server.send(&call(3, "far__open", json!({})));
    assert_eq!(server.receive()["result"]["content"][0]["text"], "opened");
    server.close();
}
