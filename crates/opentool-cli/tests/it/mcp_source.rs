//! MCP servers as sources: at an address, as a command, and behind an address that says nothing of it.

use serde_json::json;

use crate::support::{Serving, Shop, Upstream, opentool};

const BINARY: &str = env!("CARGO_BIN_EXE_opentool");

const PETSTORE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/petstore.yaml");

/// The pet shop's tools behind an MCP server, and its address.
fn served(shop: &Shop) -> (Serving, String) {
    let run = opentool(["serve", PETSTORE, "--server", &shop.url, "--http", "127.0.0.1:0", "--json"]);
    let serving = Serving::start(run);
    let url = serving.said()["url"].as_str().unwrap().to_owned();
    (serving, url)
}

#[test]
fn a_server_at_an_address_is_listed_shown_exported_and_called() {
    let shop = Shop::open();
    let (_serving, url) = served(&shop);
    let source = format!("mcp:{url}");
    let list = opentool(["list", &source, "--json"]).end().success().json();
    assert_eq!(list.as_array().unwrap().len(), 10);
    assert_eq!(list[0]["source"], format!("mcp {url} {}", list[0]["name"].as_str().unwrap()));
    let shown = opentool(["show", &source, "getPetById"]).end().success();
    assert!(shown.text().contains("petId"), "{shown}");
    let openai = opentool(["export", &source, "--to", "openai"]).end().success().json();
    assert_eq!(openai.as_array().unwrap().len(), 10);
    let pet = opentool(["call", &source, "getPetById", "petId=2", "--json"]).end().success().json();
    assert_eq!(pet["structured"]["name"], "Miso");
    opentool(["call", &source, "getPetById", "petId=Rex"]).end().failure(4, &["/petId: expected an integer"]);
    let missing = opentool(["call", &source, "getPetById", "petId=999999"]).end();
    assert!(missing.stderr.contains("404"), "{missing}");
    opentool(["call", &source, "getPetById", "petId=2", "--public-only"]).end().failure(3, &["loopback"]);
}

#[test]
fn a_dry_run_shows_the_message_and_sends_none() {
    let shop = Shop::open();
    let (_serving, url) = served(&shop);
    let source = format!("shop=mcp:{url}");
    let dry =
        opentool(["call", &source, "shop__deletePet", "petId=2", "--dry-run", "--json"]).end().success();
    let expected = json!({"name": "deletePet", "arguments": {"petId": 2}});
    assert_eq!(dry.json()["params"], expected, "{dry}");
    opentool(["call", &source, "shop__getPetById", "petId=2"]).end().success();
}

#[test]
fn an_address_that_says_nothing_of_it_is_recognised() {
    let shop = Shop::open();
    let (_serving, url) = served(&shop);
    let list = opentool(["list", &url, "--json"]).end().success().json();
    assert_eq!(list.as_array().unwrap().len(), 10);
}

#[test]
fn a_command_is_started_listed_and_called() {
    let shop = Shop::open();
    let source = format!("mcp+stdio:'{BINARY}' serve '{PETSTORE}' --server {} --stdio", shop.url);
    let list = opentool(["list", &source, "--json"]).end().success().json();
    assert_eq!(list.as_array().unwrap().len(), 10);
    let pet = opentool(["call", &source, "getPetById", "petId=2", "--json"]).end().success().json();
    assert_eq!(pet["structured"]["name"], "Miso");
    // A server in front of a server.
    let chain = Serving::start(opentool(["serve", &source, "--http", "127.0.0.1:0", "--json"]));
    let front = format!("mcp:{}", chain.said()["url"].as_str().unwrap());
    let pet = opentool(["call", &front, "getPetById", "petId=2", "--json"]).end().success().json();
    assert_eq!(pet["structured"]["name"], "Miso");
}

#[test]
fn what_is_wrong_with_a_server_is_said() {
    let missing = opentool(["list", "mcp+stdio:opentool-no-such-program --key hunter2"]).end();
    assert!(missing.stderr.contains("there is no such program on `PATH`"), "{missing}");
    assert!(!missing.stderr.contains("hunter2"), "{missing}");
    let command = format!("mcp+stdio:'{BINARY}' list no-such-file.yaml");
    let died = opentool(["list", &command]).end();
    assert!(died.stderr.contains("no-such-file.yaml: there is no such file"), "{died}");
    let page = Upstream::answering("200 OK", "text/html", "<html>");
    let page = opentool(["list", &format!("mcp:{}/mcp", page.url)]).end();
    assert!(page.stderr.contains("neither JSON nor an event stream"), "{page}");
    let locked = Upstream::answering("401 Unauthorized", "text/plain", "");
    let locked = opentool(["list", &format!("mcp:{}/mcp", locked.url)]).end();
    assert!(locked.stderr.contains("wants a token") && locked.stderr.contains("--api-key KEY"), "{locked}");
    opentool(["list", "mcp:npx server"]).end().failure(2, &["mcp+stdio:COMMAND"]);
    opentool(["check", "mcp:http://127.0.0.1:9/mcp"]).end().failure(3, &["a document is wanted here"]);
}

#[test]
fn a_key_that_is_kept_elsewhere_is_read_when_a_server_asks_for_it() {
    // Both protocols: what asks for a key first is a request without one.
    for source in ["mcp:", ""] {
        let locked = Upstream::answering("401 Unauthorized", "text/plain", "");
        for place in ["env:OPENTOOL_TEST_KEY", "file:key.txt", "command:printf hunter2hunter2"] {
            let ran = opentool(["list", &format!("{source}{}/mcp", locked.url), "--api-key", place])
                .variable("OPENTOOL_TEST_KEY", "hunter2hunter2")
                .file("key.txt", "hunter2hunter2")
                .end();
            assert!(!ran.stderr.contains("panicked") && !ran.stderr.contains("hunter2"), "{place}: {ran}");
            assert!(ran.stderr.contains("does not accept the"), "{place}: {ran}");
            if source == "mcp:" {
                let last = locked.requests().pop().unwrap().to_ascii_lowercase();
                assert!(last.contains("authorization: bearer hunter2hunter2"), "{place}: {last}");
            }
        }
        let missing =
            opentool(["list", &format!("{source}{}/mcp", locked.url), "--api-key", "file:none.txt"]);
        missing.end().failure(2, &["none.txt"]);
    }
}
