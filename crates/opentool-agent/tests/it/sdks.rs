//! The providers' own SDKs as a second opinion on the wires: what they send we send, what they understand of a server
//! we understand, and their types fit what both sides say.
//!
//! The SDKs are Python packages, pinned in `xtask/src/peers.rs`; programs in `tests/sdks` hold the conversations. Where
//! opentool differs on purpose, `docs/sdks.md` says why: a difference that is not in its tables fails here, and so does a
//! line of the tables that is no difference any more. Without `OPENTOOL_TEST_SDKS` these tests are left out.

mod explained;
mod talk;

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use opentool_agent::chat::Provider;
use serde_json::{Value, json};

use crate::wires::wires;
use explained::{Difference, differences};
use talk::{Ours, Servers};

/// The program that speaks a provider's wire by its SDK.
fn module(provider: Provider) -> &'static str {
    match provider {
        Provider::OpenAi => "openai_chat",
        Provider::OpenAiResponses => "openai_responses",
        Provider::Anthropic => "anthropic_messages",
        Provider::Gemini => "gemini_content",
        Provider::Mistral => "mistral_chat",
        Provider::Ollama => "ollama_chat",
        other => panic!("there is no SDK for {other}"),
    }
}

/// The interpreter that has the SDKs.
fn python() -> Option<String> {
    let python = std::env::var("OPENTOOL_TEST_SDKS").ok();
    let required = std::env::var("OPENTOOL_TEST_PEERS").is_ok_and(|value| value == "required");
    assert!(python.is_some() || !required, "OPENTOOL_TEST_SDKS is not set; run `cargo xtask ci`");
    if python.is_none() {
        println!("left out: OPENTOOL_TEST_SDKS is not set, see `cargo xtask setup`");
    }
    python
}

/// Has the SDK do what the plan says.
async fn run(python: String, plan: Value) -> Value {
    let talk = move || {
        let mut child = Command::new(python)
            .args(["-B", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sdks/talk.py")])
            // Only the server of the test is to be asked, with the key of the test.
            .env_clear()
            .env("NO_PROXY", "127.0.0.1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        serde_json::to_writer(child.stdin.take().unwrap(), &plan).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "the program with the SDK failed");
        serde_json::from_slice(&output.stdout).unwrap()
    };
    tokio::task::spawn_blocking(talk).await.unwrap()
}

/// What an answer says, without what only an SDK's users see of it.
fn plain(answer: &Value) -> Value {
    let mut calls = answer["calls"].clone();
    for call in calls.as_array_mut().into_iter().flatten() {
        call.as_object_mut().unwrap().remove("id");
    }
    json!({"text": answer["text"], "reasoning": answer["reasoning"], "calls": calls, "usage": answer["usage"]})
}

async fn second_opinion(provider: Provider) {
    let Some(python) = python() else { return };
    let wire = wires().into_iter().find(|wire| wire.provider == provider).unwrap();
    let ours = Ours::of(&wire).await;
    let servers = Servers::start(&wire).await;
    let theirs = run(python, servers.plan(&wire, module(provider), &ours)).await;

    let mut wrong = requests(provider, &servers.sent(), &ours.sent);
    wrong.extend(complaints(provider, &ours.judged, &theirs["complaints"]));

    let talks: Vec<Value> = theirs["talks"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|talk| talk.as_array().unwrap())
        .map(plain)
        .collect();
    assert_eq!(talks, ours.talks, "{provider}: the answers of the conversations");
    let readings = theirs["readings"].as_array().unwrap();
    for (number, (theirs, ours)) in readings.iter().zip(&ours.readings).enumerate() {
        assert!(theirs.get("error").is_none(), "{provider}: reading {number}: {theirs}");
        assert_eq!(plain(theirs), *ours, "{provider}: reading {number}");
        // Whole and streamed, one after the other.
        assert_eq!(theirs["stop"], readings[number ^ 1]["stop"], "{provider}: reading {number}");
        assert!(theirs["stop"].is_string(), "{provider}: reading {number}: {theirs}");
    }
    let failures = &readings[ours.readings.len()..];
    assert_eq!(failures.len(), usize::from(wire.failure.is_some()));
    for failure in failures {
        assert!(failure["error"].is_string(), "{provider}: {failure}");
        // Mistral's SDK knows no event for a failure: it says that this is no chunk.
        let said = failure["text"].as_str().unwrap();
        assert!(said.contains("overloaded") || provider == Provider::Mistral, "{provider}: {failure}");
    }
    assert!(wrong.is_empty(), "{provider}: not as docs/sdks.md says:\n{}", wrong.join("\n"));
}

/// Requests of both sides that differ otherwise than the table says.
fn requests(provider: Provider, theirs: &[Value], ours: &[Value]) -> Vec<String> {
    assert_eq!(theirs.len(), ours.len(), "{provider}: requests");
    let found: BTreeSet<Difference> =
        theirs.iter().zip(ours).flat_map(|(theirs, ours)| differences(theirs, ours)).collect();
    let said: BTreeSet<Difference> = explained::differences_of(provider).into_iter().collect();
    let new = found.difference(&said).map(|difference| format!("not explained: {difference}"));
    let gone = said.difference(&found).map(|difference| format!("no difference any more: {difference}"));
    new.chain(gone).collect()
}

/// What the SDK's types refuse, otherwise than the table says.
fn complaints(provider: Provider, judged: &[Value], lists: &Value) -> Vec<String> {
    let lists = lists.as_array().unwrap();
    assert_eq!(judged.len(), lists.len());
    let found: BTreeSet<(String, String)> = judged
        .iter()
        .zip(lists)
        .flat_map(|(one, list)| {
            let kind = one["kind"].as_str().unwrap();
            let list = list.as_array().unwrap().iter();
            list.map(|complaint| (kind.to_owned(), complaint.as_str().unwrap().to_owned()))
        })
        .collect();
    let said: BTreeSet<(String, String)> = explained::complaints_of(provider).into_iter().collect();
    let new = found.difference(&said).map(|(kind, what)| format!("not explained: {kind} {what}"));
    let gone = said.difference(&found).map(|(kind, what)| format!("no complaint any more: {kind} {what}"));
    new.chain(gone).collect()
}

#[tokio::test]
async fn openai_for_chat_completions() {
    second_opinion(Provider::OpenAi).await;
}

#[tokio::test]
async fn openai_for_responses() {
    second_opinion(Provider::OpenAiResponses).await;
}

#[tokio::test]
async fn anthropic() {
    second_opinion(Provider::Anthropic).await;
}

#[tokio::test]
async fn google_genai() {
    second_opinion(Provider::Gemini).await;
}

#[tokio::test]
async fn mistralai() {
    second_opinion(Provider::Mistral).await;
}

#[tokio::test]
async fn ollama() {
    second_opinion(Provider::Ollama).await;
}
