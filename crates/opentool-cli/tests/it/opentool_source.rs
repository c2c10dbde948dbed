//! OpenTool documents and servers as sources: listed, exported, called.

use std::io::{BufRead as _, Write as _};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::support::{Ran, Run, Serving, Shop, Upstream, golden, opentool};

const WEATHER: &str = include_str!("../../templates/opentool.json");

/// The document with its server at this address, or without one.
fn weather(server: Option<&str>) -> String {
    let mut document: Value = serde_json::from_str(WEATHER).unwrap();
    match server {
        Some(url) => document["server"]["url"] = url.into(),
        None => drop(document.as_object_mut().unwrap().remove("server")),
    }
    document.to_string()
}

/// A server of the weather document that answers with examples.
fn mocked(words: &[&str]) -> Serving {
    let start = ["serve", "weather.json", "--mock", "--opentool", "0", "--json"];
    Serving::start(opentool(start.iter().chain(words)).file("weather.json", WEATHER))
}

fn run(words: &[&str]) -> Run {
    opentool(words)
}

#[test]
fn a_document_is_listed_shown_and_exported() {
    let run = |words: &[&str]| opentool(words).file("weather.json", WEATHER).end().success();
    golden("opentool/list", &run(&["list", "weather.json"]).to_string());
    golden("opentool/show", &run(&["show", "weather.json", "get_weather"]).to_string());
    let yaml = "opentool: 1.0.0\ninfo: {title: Clock, version: 1.0.0}\nfunctions:\n  - name: now\n    description: The time.\n    parameters: []\n";
    let list = opentool(["list", "clock.yaml", "--json"]).file("clock.yaml", yaml).end().success();
    assert_eq!(list.json()[0]["source"], "opentool clock.yaml now", "\n{list}");
    let openai = run(&["export", "weather.json", "--to", "openai"]).json();
    assert_eq!(openai[0]["function"]["parameters"]["required"], json!(["city"]));
    let names = run(&["list", "mine=opentool:weather.json", "--json"]).json();
    assert_eq!(names[0]["name"], "mine__get_weather");
}

#[test]
fn a_document_with_a_server_is_called_there_and_checked_before() {
    let upstream = Upstream::answering(
        "200 OK",
        "application/json",
        r#"{"jsonrpc":"2.0.0","result":{"summary":"rain"},"id":1,"error":null}"#,
    );
    let url = format!("{}/opentool", upstream.url);
    let call = |words: &[&str]| {
        let words = ["call", "weather.json", "get_weather"].iter().chain(words);
        opentool(words).file("weather.json", weather(Some(&url))).end()
    };
    let ran = call(&["city=Paris"]).success();
    assert_eq!(ran.text(), "{\"summary\":\"rain\"}\n");
    let request = upstream.requests().pop().unwrap();
    assert!(request.starts_with("POST /opentool/call HTTP/1.1"), "{request}");
    assert!(request.contains(r#""method":"get_weather","params":{"city":"Paris"}"#), "{request}");
    assert!(!request.to_lowercase().contains("authorization"), "{request}");
    let before = upstream.requests().len();
    call(&["days=3"]).failure(4, &["/city: required but missing", "nothing was sent"]);
    call(&["city=Paris", "unit=kelvin"]).failure(4, &["/unit"]);
    assert_eq!(upstream.requests().len(), before, "nothing leaves that is not valid");
    call(&["city=Paris", "--api-key", "hunter2"]).success();
    assert!(upstream.requests().pop().unwrap().contains("Bearer hunter2"));
    let before = upstream.requests().len();
    call(&["city=Paris", "--public-only"]).failure(5, &["loopback"]);
    assert_eq!(upstream.requests().len(), before, "the guard is the same for every source");
    call(&["city=Paris", "--ca-file", "absent.pem"]).failure(2, &["absent.pem"]);
    let ran = call(&["city=Paris", "--header", "X-Tenant: blue"]).success();
    assert!(ran.stderr.contains("for which --header does nothing"), "{ran}");
}

#[test]
fn a_dry_run_shows_the_call_and_sends_nothing() {
    let dry = |words: &[&str]| {
        let start = ["call", "weather.json", "get_weather", "city=L'Aquila", "--dry-run"];
        let run = opentool(start.iter().chain(words)).file("weather.json", WEATHER);
        run.variable("OPENTOOL_API_KEY", "hunter2").end().success()
    };
    assert_eq!(
        dry(&[]).text(),
        "curl --request POST http://127.0.0.1:17001/opentool/call --header 'Content-Type: application/json' \
         --header 'Authorization: Bearer ***' --data-raw \
         '{\"jsonrpc\":\"2.0\",\"method\":\"get_weather\",\"params\":{\"city\":\"L'\\''Aquila\"},\"id\":\"1\"}'\n"
    );
    let json = dry(&["--json", "--server", "https://other.test/base/"]).json();
    assert_eq!(json["url"], "https://other.test/base/call");
    assert_eq!(json["body"]["params"], json!({"city": "L'Aquila"}));
}

#[test]
fn a_document_without_a_server_answers_with_examples_or_not_at_all() {
    let call = |words: &[&str]| {
        let words = ["call", "weather.json", "get_weather", "city=Paris"].iter().chain(words);
        opentool(words).file("weather.json", weather(None)).end()
    };
    call(&[]).failure(4, &["weather.json: the document names no server", "--server URL", "--mock"]);
    call(&["--dry-run"]).failure(4, &["names no server"]);
    let answer = call(&["--mock"]).success().json();
    assert!(answer["summary"].is_string() && answer["temperature"].is_number(), "{answer}");
    call(&["--mock", "days=soon"]).failure(4, &["/days"]);
    call(&["--mock", "--dry-run"]).failure(2, &["cannot be used with"]);
    let serve = opentool(["serve", "weather.json", "--opentool", "0"]).file("weather.json", weather(None));
    serve.end().failure(4, &["names no server"]);
    // Any source can be tried without its service.
    let pet = run(&["call", "petstore.yaml", "getPetById", "petId=2", "--mock"]).end().success();
    assert!(pet.json()["name"].is_string(), "\n{pet}");
}

#[test]
fn a_server_is_a_source_by_its_address() {
    let server = mocked(&[]);
    let url = server.opentool();
    for source in [url.clone(), format!("{url}/"), format!("opentool:{url}"), url.replace("/opentool", "")] {
        let list = run(&["list", &source, "--json"]).end().success();
        assert_eq!(list.json()[0]["name"], "get_weather", "\n{list}");
    }
    let answer = run(&["call", &url, "get_weather", "city=Paris"]).end().success().json();
    assert!(answer["summary"].is_string(), "{answer}");
    run(&["call", &url, "get_weather"]).end().failure(4, &["/city"]);
    run(&["call", &url, "get_whether"]).end().failure(4, &["did you mean `get_weather`?"]);
    let document = run(&["convert", &url, "--to", "opentool"]).end().success();
    let expected: Value = serde_json::from_str(&weather(None)).unwrap();
    assert_eq!(document.json(), expected, "where the functions really run is not told");
    let dry = run(&["call", &url, "get_weather", "city=Paris", "--dry-run", "--json"]).end().success();
    assert_eq!(dry.json()["url"], format!("{url}/call"));
}

#[test]
fn a_key_is_asked_for_sent_and_never_shown() {
    let server = mocked(&["--opentool-key", "right-key", "-k", "other,third"]);
    let url = server.opentool();
    let list = |words: &[&str]| run(&[&["list", url.as_str()], words].concat());
    let refused = ["wants an API key, and none was given", "OPENTOOL_API_KEY"];
    list(&[]).end().failure(3, &refused);
    list(&["--json"]).end().failure_json("source_unauthorized");
    let wrong = list(&["--api-key", "hunter2"]).end().failure(3, &["does not accept the API key"]);
    assert!(!wrong.stderr.contains("hunter2"), "\n{wrong}");
    for key in ["right-key", "other", "third"] {
        list(&["--api-key", key]).end().success();
        list(&[]).variable("OPENTOOL_API_KEY", key).end().success();
    }
    let call = ["call", &url, "get_weather", "city=Paris"];
    run(&call).variable("OPENTOOL_API_KEY", "right-key").end().success();
    // With several sources a key has to say for which one it is.
    let two = |words: &[&str]| run(&[&["list", url.as_str(), "shop=petstore.yaml"], words].concat()).end();
    two(&["--api-key", "right-key"]).failure(2, &["several APIs", "`--api-key` does not say which one"]);
    let named = format!("w={url}");
    let list = run(&["list", &named, "petstore.yaml", "--api-key", "w=right-key"]).end().success();
    assert!(list.text().contains("w__get_weather"), "\n{list}");
    run(&["list", &named]).variable("OPENTOOL_W_API_KEY", "right-key").end().success();
}

#[test]
fn a_key_does_not_go_to_an_address_that_is_only_looked_at() {
    let upstream = Upstream::answering("404 Not Found", "text/plain", "no");
    let ran = run(&["list", &upstream.url]).variable("OPENTOOL_API_KEY", "hunter2").end();
    ran.failure(3, &["the server answered 404"]);
    let ran =
        run(&["list", &format!("opentool:{}", upstream.url)]).variable("OPENTOOL_API_KEY", "hunter2").end();
    ran.failure(3, &["no access to an OpenTool server"]);
    for request in upstream.requests() {
        assert!(!request.contains("hunter2"), "{request}");
    }
}

#[test]
fn a_document_of_the_web_does_not_choose_who_gets_the_key_of_the_environment() {
    let answer = r#"{"jsonrpc":"2.0","result":{"summary":"sun"},"id":"1"}"#;
    let elsewhere = Upstream::answering("200 OK", "application/json", answer);
    let document = weather(Some(&elsewhere.url));
    let web = Upstream::answering("200 OK", "application/json", &document);
    let call = |words: &[&str]| {
        let run = run(&[&["call", web.url.as_str(), "get_weather", "city=Paris"], words].concat());
        run.variable("OPENTOOL_API_KEY", "hunter2").end()
    };
    let ran = call(&[]);
    assert!(
        ran.stderr.contains("OPENTOOL_API_KEY is not sent") && ran.stderr.contains("--api-key"),
        "\n{ran}"
    );
    for request in elsewhere.requests() {
        assert!(!request.contains("hunter2"), "{request}");
    }
    // Whoever names server or key means it.
    let _ = call(&["--server", &elsewhere.url]);
    assert!(elsewhere.requests().iter().any(|request| request.contains("hunter2")));
}

#[test]
fn what_a_server_says_of_itself_is_believed_only_so_far() {
    // It has a version, and gives the same answer where its document should be.
    let upstream = Upstream::answering("200 OK", "application/json", r#"{"version":"1.0.0"}"#);
    let source = format!("opentool:{}", upstream.url);
    run(&["list", &source]).end().failure(3, &["gives a document that cannot be read"]);
    // It is asked for itself, for its version and for its document, which it does not have.
    let asked = AtomicUsize::new(0);
    let empty = Upstream::treating(move |mut stream| {
        let (status, body) = match asked.fetch_add(1, Ordering::Relaxed) {
            0 => ("404 Not Found", "{}"),
            1 => ("200 OK", r#"{"version":"1.0.0"}"#),
            _ => ("200 OK", r#"{"code":404,"message":"Json Parser NOT implement"}"#),
        };
        let head = "content-type: application/json\r\nconnection: close\r\n";
        let length = body.len();
        write!(stream, "HTTP/1.1 {status}\r\n{head}content-length: {length}\r\n\r\n{body}").unwrap();
    });
    let source = format!("opentool:{}", empty.url);
    run(&["list", &source]).end().failure(3, &["gives no document", "--server URL"]);
    let page = Upstream::answering("200 OK", "text/html", "<html>Sign in</html>");
    run(&["list", &page.url]).end().failure(3, &["is a web page"]);
    run(&["list", &format!("opentool:{}", page.url)]).end().failure(3, &["does not speak OpenTool"]);
}

#[test]
fn an_error_of_the_function_is_an_error_of_the_call() {
    let answering = |body: &str| {
        let upstream = Upstream::answering("200 OK", "application/json", body);
        let document = weather(Some(&upstream.url));
        let run =
            opentool(["call", "weather.json", "get_weather", "city=Paris"]).file("weather.json", document);
        run.end()
    };
    answering(r#"{"jsonrpc":"2.0","result":{},"error":{"code":500,"message":"no data"},"id":"1"}"#)
        .failure(1, &["error: no data"]);
    answering(r#"{"jsonrpc":"2.0","result":{"code":405,"message":"Function Not Supported: x"},"id":"1"}"#)
        .failure(1, &["Function Not Supported"]);
    answering("<html>").failure(5, &["does not speak OpenTool"]);
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let document = weather(Some(&format!("http://{free}/opentool")));
    let run = opentool(["call", "weather.json", "get_weather", "city=Paris"]).file("weather.json", document);
    run.end().failure(5, &["nothing was run", &free.to_string()]);
    for url in ["ftp://h/x", "http://me:hunter2@h/x", "not an address"] {
        let run = opentool(["call", "weather.json", "get_weather", "city=Paris"]);
        let ran = run.file("weather.json", weather(Some(url))).end();
        let ran = ran.failure(3, &["is not the address of an OpenTool server"]);
        assert!(!ran.stderr.contains("hunter2"), "\n{ran}");
    }
}

/// Where `through` says less than `direct`, or something else: pointers into the definition.
fn differences(direct: &Value, through: &Value, at: &str, found: &mut Vec<String>) {
    match (direct, through) {
        (Value::Object(direct), Value::Object(through)) => {
            for (key, value) in direct {
                let at = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
                match through.get(key) {
                    Some(other) => differences(value, other, &at, found),
                    None => found.push(at),
                }
            }
            found.extend(
                through.keys().filter(|key| !direct.contains_key(*key)).map(|key| format!("{at}/{key}")),
            );
        }
        (direct, through) if direct == through => {}
        _ => found.push(at.to_owned()),
    }
}

#[test]
fn the_pet_shop_through_a_document_and_a_server_is_the_same_pet_shop() {
    let shop = Shop::open();
    let converted =
        run(&["convert", "petstore.yaml", "--to", "opentool", "--losses", "json"]).end().success();
    let losses: Vec<Value> =
        converted.stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let serve = ["serve", "petstore.yaml", "--server", &shop.url, "--opentool", "0", "--json"];
    let server = Serving::start(run(&serve));
    let url = server.opentool();
    // What the server shows is what was converted.
    let loaded = run(&["convert", &url, "--to", "opentool"]).end().success().json();
    assert_eq!(loaded["functions"], converted.json()["functions"]);
    assert_eq!(loaded["schemas"], converted.json()["schemas"]);
    // Calls arrive at the shop.
    let pet = run(&["call", &url, "getPetById", "petId=2"]).end().success().json();
    assert_eq!(pet["name"], "Miso");
    let gone = run(&["call", &url, "getPetById", "petId=99"]).end();
    assert_eq!(gone.code, 1, "\n{gone}");
    // The definitions say the same, but for what is in the list of losses.
    let export = |source: &str| -> Vec<Value> {
        let ran: Ran = run(&["export", source, "--to", "openai"]).end().success();
        ran.json().as_array().unwrap().clone()
    };
    let (direct, through) = (export("petstore.yaml"), export(&url));
    assert_eq!(direct.len(), through.len());
    for (direct, through) in direct.iter().zip(&through) {
        let (direct, through) = (&direct["function"], &through["function"]);
        let name = direct["name"].as_str().unwrap();
        assert_eq!(
            (direct["name"].clone(), &direct["description"]),
            (through["name"].clone(), &through["description"])
        );
        let mut found = Vec::new();
        differences(&direct["parameters"], &through["parameters"], "/inputSchema", &mut found);
        for pointer in found {
            let is_listed = losses.iter().map(|loss| &loss["loss"]).any(|loss| {
                let lost = loss["pointer"].as_str().unwrap();
                // What a description says at its end was said beside it.
                let beside = pointer.strip_suffix("/description").zip(lost.rsplit_once('/'));
                let is_moved = beside.is_some_and(|(at, (parent, _))| at == parent)
                    && loss["message"].as_str().unwrap().contains("moved to the description");
                let is_there = pointer == lost || pointer.starts_with(&format!("{lost}/"));
                loss["tool"] == name && (is_there || is_moved)
            });
            assert!(is_listed, "{name} {pointer} differs, and no loss says so");
        }
    }
}

/// A document of the streaming version with one function, and the stream of a call of it that gives two data.
const COUNT: &str = r#"{"opentool": "2.0.0", "info": {"title": "Count", "version": "1.0.0"}, "functions": [
 {"name": "count", "description": "Counts.", "parameters": [], "stream": {"data": {"name": "number", "description": "A number.", "schema": {"type": "object", "properties": {"n": {"type": "integer"}}}}}}]}"#;
const COUNTED: &str = "event:start\ndata:{\"start\":\"count\"}\n\n\
    event:data\ndata:{\"jsonrpc\":\"2.0\",\"result\":{\"n\":1},\"id\":\"1\"}\n\n\
    event:data\ndata:{\"jsonrpc\":\"2.0\",\"result\":{\"n\":2},\"id\":\"1\"}\n\n\
    event:done\ndata:{\"done\":\"count\"}\n\n";

#[test]
fn what_a_streaming_function_gives_is_shown_on_standard_error_too() {
    let upstream = Upstream::answering("200 OK", "text/event-stream", COUNTED);
    let call = |words: &[&str]| {
        let words = ["call", "count.json", "count", "--server", &upstream.url]
            .into_iter()
            .chain(words.iter().copied());
        opentool(words).file("count.json", COUNT).end().success()
    };
    let ran = call(&[]);
    assert_eq!(ran.stderr, "partial: {\"n\":1}\npartial: {\"n\":2}\n", "\n{ran}");
    assert_eq!(ran.text(), "{\"n\":1}\n{\"n\":2}\n", "\n{ran}");
    let ran = call(&["--json"]);
    let partial: Vec<Value> = ran.stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(partial.len(), 2, "\n{ran}");
    assert_eq!(partial[1]["partial"]["structured"], json!({"n": 2}), "\n{ran}");
    assert_eq!(ran.json()["structured"], json!([{"n": 1}, {"n": 2}]), "\n{ran}");
}

#[test]
fn a_stream_that_breaks_off_is_said_to() {
    let (all, _) = COUNTED.split_once("event:done").unwrap();
    let upstream = Upstream::answering("200 OK", "text/event-stream", all);
    let call = ["call", "count.json", "count", "--server", &upstream.url];
    let ran = opentool(call).file("count.json", COUNT).end().success();
    assert!(ran.stderr.ends_with("note: the stream ended without `done`\n"), "\n{ran}");
    assert_eq!(ran.text(), "{\"n\":1}\n{\"n\":2}\n", "\n{ran}");
}

#[test]
fn what_a_streaming_function_gives_is_shown_as_it_comes() {
    let (first, rest) =
        COUNTED.split_at(COUNTED.find("event:data\ndata:{\"jsonrpc\":\"2.0\",\"result\":{\"n\":2}").unwrap());
    let (seen, wait) = std::sync::mpsc::channel::<()>();
    let wait = std::sync::Mutex::new(wait);
    let upstream = Upstream::treating(move |mut stream| {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(first.as_bytes()).unwrap();
        // The second datum is sent only once the first was read on standard error.
        wait.lock().unwrap().recv().unwrap();
        stream.write_all(rest.as_bytes()).unwrap();
    });
    let run = opentool(["call", "count.json", "count", "--server", &upstream.url]).file("count.json", COUNT);
    let mut child = run.start();
    let mut line = String::new();
    let mut errors = std::io::BufReader::new(child.stderr.take().unwrap());
    errors.read_line(&mut line).unwrap();
    assert_eq!(line, "partial: {\"n\":1}\n");
    seen.send(()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "{\"n\":1}\n{\"n\":2}\n");
}
