//! MCP clients written by others list and call the pet shop's tools through `opentool serve`.
//!
//! They run where `cargo xtask setup` has installed them: `OPENTOOL_TEST_PYTHON` names the interpreter,
//! `OPENTOOL_TEST_NODE` the folder with `node_modules`. Without these variables a test says that it did nothing,
//! unless `OPENTOOL_TEST_PEERS=required`, as in `cargo xtask ci`.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use opentool_petshop::PetShop;
use serde_json::{Value, json};

const BINARY: &str = env!("CARGO_BIN_EXE_opentool");

/// Where the shop's document is.
fn document() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/petstore.yaml").to_owned()
}

/// The value of a variable that names a peer, or `None` where peers are optional.
fn peer(variable: &str) -> Option<String> {
    let found = std::env::var(variable).ok();
    let required = std::env::var("OPENTOOL_TEST_PEERS").is_ok_and(|value| value == "required");
    assert!(found.is_some() || !required, "{variable} is not set; run `cargo xtask ci`");
    if found.is_none() {
        println!("left out: {variable} is not set, see `cargo xtask setup`");
    }
    found
}

/// `opentool serve --http` on a free port, ended with the test.
struct Served(Child, String);

impl Served {
    fn start(shop: &PetShop) -> Self {
        let mut child = Command::new(BINARY)
            .args(["serve", &document(), "--server", shop.base_url(), "--http", "127.0.0.1:0", "--json"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap();
        Self(child, said["url"].as_str().unwrap().to_owned())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs a client and reads what it saw.
fn seen(command: &mut Command) -> Value {
    let output = command.output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the client failed:\n{stderr}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {:?}\n{stderr}", output.stdout))
}

/// What every client must have seen, whatever it is written in.
fn check(seen: &Value) {
    let tools = seen["tools"].as_object().unwrap();
    assert_eq!(tools.len(), 10);
    assert_eq!(tools["getPetById"]["required"], json!(["petId"]));

    let pending = &seen["pending"];
    assert_eq!(pending["error"], false, "{pending}");
    let text: Value = serde_json::from_str(pending["text"].as_str().unwrap()).unwrap();
    let ids: Vec<&Value> = text.as_array().unwrap().iter().map(|pet| &pet["id"]).collect();
    assert_eq!(ids, [&json!(2), &json!(5)]);
    assert_eq!(pending["structured"]["result"], text);

    let pet = &seen["pet"];
    assert_eq!(pet["structured"]["name"], "Miso");
    assert!(pet["text"].as_str().unwrap().contains("Miso"));

    let wrong = &seen["wrong"];
    assert_eq!(wrong["error"], true);
    assert!(wrong["text"].as_str().unwrap().contains("/petId: expected an integer"), "{wrong}");

    let missing = &seen["missing"];
    assert_eq!(missing["error"], true);
    assert!(missing["text"].as_str().unwrap().contains("404"), "{missing}");

    let unknown = &seen["unknown"];
    assert_eq!(unknown["code"], -32602, "{unknown}");
    assert!(unknown["text"].as_str().unwrap().contains("getPetById"), "no suggestion: {unknown}");
}

fn script(name: &str) -> String {
    format!("{}/tests/peers/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn stdio(shop: &PetShop) -> String {
    json!({"command": [BINARY, "serve", document(), "--server", shop.base_url(), "--stdio"]}).to_string()
}

fn http(served: &Served) -> String {
    json!({"url": served.1}).to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_python_sdk_over_stdio_and_http_in_both_eras() {
    let Some(python) = peer("OPENTOOL_TEST_PYTHON") else { return };
    let shop = PetShop::start("127.0.0.1:0").await.unwrap();
    let served = Served::start(&shop);
    for target in [stdio(&shop), http(&served)] {
        for (mode, protocol) in [("auto", "2026-07-28"), ("legacy", "2025-11-25")] {
            let seen = seen(Command::new(&python).arg(script("client.py")).args([&target, mode]));
            check(&seen);
            assert_eq!(seen["protocol"], protocol, "{target} {mode}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_typescript_sdk_over_stdio_and_http_in_both_eras() {
    let Some(home) = peer("OPENTOOL_TEST_NODE") else { return };
    let shop = PetShop::start("127.0.0.1:0").await.unwrap();
    let served = Served::start(&shop);
    for target in [stdio(&shop), http(&served)] {
        for (mode, protocol) in [("auto", "2026-07-28"), ("legacy", "2025-11-25")] {
            let seen = seen(Command::new("node").arg(script("client.mjs")).args([&home, &target, mode]));
            check(&seen);
            assert_eq!(seen["protocol"], protocol, "{target} {mode}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_typescript_sdk_of_the_1_x_line_over_stdio_and_http() {
    let Some(home) = peer("OPENTOOL_TEST_NODE") else { return };
    let shop = PetShop::start("127.0.0.1:0").await.unwrap();
    let served = Served::start(&shop);
    for target in [stdio(&shop), http(&served)] {
        check(&seen(Command::new("node").arg(script("legacy.mjs")).args([&home, &target])));
    }
}
