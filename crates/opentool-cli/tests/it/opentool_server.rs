//! `opentool serve --opentool`, asked by clients that know nothing but HTTP.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Mutex, mpsc};

use serde_json::{Value, json};

use crate::support::{Serving, Shop, Upstream, get_document, opentool, send, split};

const WEATHER: &str = include_str!("../../templates/opentool.json");

/// Status line and body of an answer.
fn ask(url: &str, method: &str, path: &str, head: &str, body: &str) -> (String, String) {
    let (host, base) = split(url);
    let mut answer = String::new();
    let mut stream = send(&host, method, &format!("{base}{path}"), head, body);
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    (head.lines().next().unwrap().to_owned(), body.to_owned())
}

fn call(url: &str, body: &Value) -> Value {
    let (status, body) = ask(url, "POST", "/call", "content-type: application/json\r\n", &body.to_string());
    assert!(status.contains("200"), "{status}");
    serde_json::from_str(&body).unwrap()
}

fn mocked(words: &[&str]) -> Serving {
    let start = ["serve", "weather.json", "--mock", "--json"];
    Serving::start(opentool(start.iter().chain(words)).file("weather.json", WEATHER))
}

#[test]
fn it_says_where_answers_calls_and_ends_when_asked() {
    let shop = Shop::open();
    let run = opentool(["serve", "petstore.yaml", "--server", &shop.url, "--opentool", "0", "--json"]);
    let server = Serving::start(run);
    assert_eq!(server.said()["tools"], 10, "{}", server.said());
    let url = server.opentool();
    let request = json!({"jsonrpc": "2.0.0", "method": "getPetById", "params": {"petId": 2}, "id": 7});
    let answer = call(&url, &request);
    assert_eq!((&answer["result"]["name"], &answer["id"]), (&json!("Miso"), &json!(7)), "{answer}");
    let (status, version) = ask(&url, "GET", "/version", "", "");
    assert!(status.contains("200") && version.contains("1.0.0"), "{status} {version}");
    let (status, _) = ask(&url, "POST", "/stop", "", "");
    assert!(status.contains("403"), "{status}");
    assert_eq!(server.terminate(), (Some(0), String::new()));
}

#[test]
fn a_call_that_runs_may_finish_when_the_server_is_asked_to_end() {
    let (asked, was_asked) = mpsc::channel();
    let (answer, may_answer) = mpsc::channel::<()>();
    let may_answer = Mutex::new(may_answer);
    let upstream = Upstream::treating(move |mut stream| {
        asked.send(()).unwrap();
        may_answer.lock().unwrap().recv().unwrap();
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 8\r\n\r\n";
        stream.write_all(format!("{head}{{\"a\": 1}}").as_bytes()).unwrap();
    });
    let run = opentool(["serve", "api.json", "--opentool", "0", "--json"]);
    let server = Serving::start(run.file("api.json", get_document(&upstream.url, "/x", "[]")));
    let (host, base) = split(&server.opentool());
    let body = json!({"jsonrpc": "2.0", "method": "get", "id": "1"}).to_string();
    let head = "content-type: application/json\r\n";
    let mut stream = send(&host, "POST", &format!("{base}/call"), head, &body);
    was_asked.recv().unwrap();
    server.ask_to_end();
    answer.send(()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert!(text.contains(r#""result":{"a":1}"#), "{text}");
    assert_eq!(server.ended().0, Some(0));
}

#[test]
fn both_protocols_share_an_address_or_have_one_each() {
    for words in [&["--opentool", "0", "--http", "0"][..], &["--opentool", "0", "--http", "127.0.0.1:0"]] {
        let server = mocked(words);
        let (url, (host, path)) = (server.opentool(), server.mcp());
        assert_eq!(path, "/mcp");
        let answer = call(
            &url,
            &json!({"jsonrpc": "2.0", "method": "get_weather", "params": {"city": "x"}, "id": "1"}),
        );
        assert!(answer["result"]["summary"].is_string(), "{answer}");
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
        let head = "content-type: application/json\r\naccept: application/json, text/event-stream\r\n";
        let mut stream = send(&host, "POST", &path, head, &hello.to_string());
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        assert!(text.contains("protocolVersion"), "{text}");
        assert_eq!(server.terminate().0, Some(0));
    }
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let (one, other) = (format!("localhost:{port}"), format!("127.0.0.1:{port}"));
    let same = mocked(&["--opentool", &other, "--http", &one]);
    assert_eq!(split(&same.opentool()).0, same.mcp().0);
    let same = mocked(&["--opentool", "0", "--http", "0"]);
    assert_eq!(split(&same.opentool()).0, same.mcp().0);
}

#[test]
fn the_names_of_the_guidelines_are_understood() {
    let free = || TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let (one, two) = (free(), free());
    for words in [
        &["--toolPort", &one, "--apiKeys", "a", "--apiKeys", "b"][..],
        &["-t", &two, "-k", "a,b", "--opentoolServerTag", "x", "--opentoolServerHost", "127.0.0.1"],
        &["--opentoolServerPort", &free(), "--opentoolServerApiKeys", "a,b"],
    ] {
        let server = mocked(words);
        let url = server.opentool();
        let status = |head: &str| ask(&url, "GET", "/version", head, "").0;
        assert!(status("").contains("401"), "{words:?}");
        assert!(status("authorization: Bearer b\r\n").contains("200"), "{words:?}");
        assert_eq!(server.terminate(), (Some(0), String::new()));
    }
}

#[test]
fn keys_come_from_the_environment_too_and_stop_is_allowed_by_name() {
    let run =
        opentool(["serve", "weather.json", "--mock", "--json", "--opentool", "0", "--opentool-allow-stop"]);
    let run = run.file("weather.json", WEATHER).variable("OPENTOOL_SERVER_KEY", "secret-key");
    let server = Serving::start(run);
    let url = server.opentool();
    assert!(ask(&url, "POST", "/stop", "", "").0.contains("401"));
    let (status, body) = ask(&url, "POST", "/stop", "authorization: Bearer secret-key\r\n", "");
    assert!(status.contains("200") && body.contains("stopped"), "{status} {body}");
    let (code, stderr) = server.ended();
    assert!(code == Some(0) && stderr.contains("a client stops the server"), "{code:?} {stderr}");
}

#[test]
fn a_key_of_the_environment_that_is_empty_does_not_open_the_server() {
    let run = opentool(["serve", "weather.json", "--mock", "--opentool", "0"]).file("weather.json", WEATHER);
    run.variable("OPENTOOL_SERVER_KEY", "")
        .end()
        .failure(2, &["OPENTOOL_SERVER_KEY is set and empty", "unset it"]);
}

#[test]
fn a_server_that_would_call_itself_is_refused() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let document = WEATHER.replace("17001", &port);
    for words in
        [&["--opentool", &port][..], &["--toolPort", &port], &["--opentool", &format!("0.0.0.0:{port}")]]
    {
        let run = opentool([&["serve", "weather.json"], words].concat()).file("weather.json", &document);
        run.end().failure(2, &["calls would go round in circles", "`--mock`"]);
    }
}

#[test]
fn an_address_that_others_can_reach_comes_with_a_warning() {
    let warned = |words: &[&str]| mocked(words).terminate().1;
    assert!(warned(&["--opentool", "0.0.0.0:0"]).contains("there is no key: whoever can reach 0.0.0.0:0"));
    let keyed = warned(&["--opentool", "0.0.0.0:0", "--opentool-key", "secret-key"]);
    assert!(keyed.contains("keys travel unencrypted") && !keyed.contains("secret-key"), "{keyed}");
    let both = warned(&["--opentool", "0", "--http", "0", "--opentool-key", "secret-key"]);
    assert!(both.contains("over MCP there is no authentication"), "{both}");
}

#[test]
fn mistakes_are_refused_before_anything_listens() {
    let serve = |words: &[&str]| {
        opentool([&["serve", "weather.json", "--mock"], words].concat()).file("weather.json", WEATHER).end()
    };
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    serve(&["--opentool", &address]).failure(6, &[&address, "in use"]);
    serve(&["--opentool-key", "x"]).failure(2, &["`--opentool-key` is about OpenTool", "add `--opentool`"]);
    serve(&["--opentool-tls-cert", "c.pem"]).failure(2, &["--opentool-tls-key"]);
    serve(&["--opentool", "0", "--toolPort", "1"]).failure(2, &["both say where to listen"]);
    serve(&["--opentool", "0", "--opentool-key", ""]).failure(
        2,
        &["it is empty, and the server would let everybody in", "leave it out to serve without a key"],
    );
    serve(&["--opentoolServerPort", "x"])
        .failure(2, &["--opentoolServerPort", "expected a number from 0 to 65535"]);
    serve(&["--opentool", "0", "--opentoolServerPort", "1"]).failure(2, &["`--opentoolServerPort` both say"]);
    serve(&["--opentool", "0", "--opentool-path", "a b"]).failure(2, &["`a b` is not a base path"]);
    serve(&["--opentool", "0", "--opentool-tls-cert", "no.pem", "--opentool-tls-key", "no.key"])
        .failure(6, &["no.pem"]);
    serve(&["--allow-host", "x"]).failure(2, &["`--allow-host` and `--allow-origin` are about HTTP"]);
    opentool(["serve", "--opentool", "weather.json"])
        .end()
        .failure(2, &["expected HOST:PORT", "put sources before"]);
}

#[test]
fn what_cannot_be_served_is_a_bad_command_line() {
    let serve = |words: &[&str]| {
        let start = ["serve", "weather.json", "--mock"];
        opentool(start.iter().chain(words)).file("weather.json", WEATHER).end()
    };
    for path in ["/mcp", "mcp/", "/mcp/"] {
        serve(&["--opentool", "17991", "--http", "17991", "--opentool-path", path])
            .failure(2, &["is where MCP is", "choose another path"]);
    }
    serve(&["--opentool", "0", "--opentool-path", "a b/../x"]).failure(2, &["is not a base path"]);
    serve(&["--opentool", "no-such-host.invalid:1"]).failure(2, &["no-such-host.invalid:1"]);
}
