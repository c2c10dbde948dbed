//! Recordings: what is recorded, what is not, and what a player says to a question that was not asked before.

use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::TryStreamExt as _;
use opentool_agent::chat::{self, Match, Player, Recorder, Script};
use opentool_agent::{Agent, AgentError, Reply};
use opentool_core::{
    ChatModel, ChatReply, ChatRequest, Message, ModelError, ReplyEvent, ToolChoice, ToolOutput, ToolSet,
};
use serde_json::{Value, json};

use crate::fixtures::{add, raw, set};

fn script() -> Script {
    chat::script()
        .named("some-model")
        .calls([("add", json!({"a": 1, "b": 2})), ("clock", json!({}))])
        .text("It is three, and it is noon in the whole town.")
        .text("I said that it is three.")
}

fn tools() -> ToolSet {
    let clock = raw("clock", async |_, _| Ok(ToolOutput::text("12:00").metadata("http.date", "now")));
    set![add(), clock]
}

async fn talk(model: impl ChatModel) -> Result<[Reply; 2], AgentError> {
    let agent = Agent::new(model, tools()).system("Be brief.");
    let mut conversation = agent.conversation();
    let first = conversation.say("Add one and two.").await?;
    Ok([first, conversation.say("What did you say?").await?])
}

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/cassettes").join(name)
}

#[tokio::test]
async fn a_conversation_is_recorded_once_and_played_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("new/folder/talk.json");
    let recorded = talk(Recorder::new(script(), &file).unwrap()).await.unwrap();
    let bytes = std::fs::read_to_string(&file).unwrap();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(golden("")).unwrap();
        std::fs::write(golden("talk.json"), &bytes).unwrap();
    }
    assert_eq!(bytes, std::fs::read_to_string(golden("talk.json")).unwrap(), "the same bytes every time");

    let model = Player::open(&file).unwrap();
    assert_eq!(model.name(), "some-model");
    let played = talk(model.clone()).await.unwrap();
    assert_eq!((played, model.left()), (recorded, 0));
    model.rewind();
    talk(model).await.unwrap();
    // By name, as on a command line.
    talk(chat::model(&format!("replay:{}", golden("talk.json").display())).unwrap()).await.unwrap();
}

/// All events of an answer; the last one is the answer.
async fn events(model: &impl ChatModel, text: &str) -> Vec<ReplyEvent> {
    let (messages, tools) = ([Message::user(text)], tools());
    model.stream(ChatRequest::new(&messages, &tools)).try_collect().await.unwrap()
}

#[tokio::test]
async fn streams_and_whole_answers_are_one_recording() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, streamed) = (folder.path().join("whole.json"), folder.path().join("streamed.json"));
    let (messages, tools) = ([Message::user("Hi.")], tools());
    let ask = ChatRequest::new(&messages, &tools);
    let script = || chat::script().text("A text that is long enough for several pieces.");
    let reply = Recorder::new(script(), &whole).unwrap().reply(ask).await.unwrap();
    events(&Recorder::new(script(), &streamed).unwrap(), "Hi.").await;
    assert_eq!(std::fs::read(&whole).unwrap(), std::fs::read(&streamed).unwrap());

    let model = Player::open(&streamed).unwrap();
    assert_eq!(model.reply(ask).await.unwrap(), reply);
    model.rewind();
    let events = events(&model, "Hi.").await;
    let text: String = events
        .iter()
        .filter_map(|event| match event {
            ReplyEvent::Text { text } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(text, reply.message.to_text());
    assert!(events.len() > 3, "in pieces: {events:?}");
    assert_eq!(events.last(), Some(&ReplyEvent::Done { reply }));
}

async fn ask(model: &impl ChatModel, text: &str) -> Result<ChatReply, ModelError> {
    let (messages, tools) = ([Message::user(text)], tools());
    model.reply(ChatRequest::new(&messages, &tools)).await
}

#[tokio::test]
async fn a_question_that_was_not_recorded_is_told_where_it_differs() {
    let says = |error: ModelError, words: &[&str]| {
        let text = error.to_string();
        assert!(matches!(error, ModelError::ScriptEnded(_)), "{text}");
        for word in words {
            assert!(text.contains(word), "`{word}` in: {text}");
        }
    };
    let player = || Player::open(golden("talk.json")).unwrap();

    // Other words of the user, in the second message.
    let model = player();
    let error =
        Agent::new(model.clone(), tools()).system("Be brief.").run("Add two and two.").await.unwrap_err();
    let Some(text) = error.run().map(|_| error.to_string()) else { panic!("{error:?}") };
    assert!(text.contains("question 1 of ") && text.contains("message 2 (what the user says)"), "{text}");
    assert!(text.contains("recorded \"Add one and two.\", asked \"Add two and two.\""), "{text}");
    assert_eq!(model.left(), 3, "nothing was played");

    // No instructions: another message at the start.
    says(ask(&player(), "Add one and two.").await.unwrap_err(), &["message 1 (the instructions)", "/role"]);

    // A tool's result that is not what it was.
    let other = set![
        raw("add", async |_, _| Ok(ToolOutput::json(4))),
        raw("clock", async |_, _| { Ok(ToolOutput::text("12:00")) })
    ];
    let agent = Agent::new(player().matching(Match::Messages), other.clone()).system("Be brief.");
    let error = agent.run("Add one and two.").await.unwrap_err().to_string();
    assert!(error.contains("question 2 of ") && error.contains("message 4 (the result of `add`)"), "{error}");
    assert!(error.contains("/message/output/structured: recorded 3, asked 4"), "{error}");

    // Other tools, and other wishes.
    let messages = [Message::system("Be brief."), Message::user("Add one and two.")];
    let asked = |tools: &ToolSet, choice: &ToolChoice| {
        let (model, tools, choice) = (player(), tools.clone(), choice.clone());
        let messages = messages.clone();
        async move { model.reply(ChatRequest::new(&messages, &tools).tool_choice(&choice)).await.unwrap_err() }
    };
    says(asked(&other, &ToolChoice::Auto).await, &["the tool `add` is described otherwise at /description"]);
    let more = tools().merge(set![raw("more", async |_, _| Ok(ToolOutput::new()))]).unwrap();
    says(asked(&more, &ToolChoice::Auto).await, &["the tool `more` is not in the recording"]);
    let less = tools().without(["clock"]).unwrap();
    says(asked(&less, &ToolChoice::Auto).await, &["the tool `clock` of the recording is not there"]);
    says(
        asked(&tools(), &ToolChoice::Required).await,
        &["what is asked of the model differs at /tool_choice"],
    );

    // And after the last answer.
    let model = player().matching(Match::Order);
    for _ in 0..3 {
        ask(&model, "anything").await.unwrap();
    }
    says(ask(&model, "anything").await.unwrap_err(), &["has 3 answers, and all were given"]);
}

#[tokio::test]
async fn no_secret_is_recorded_and_another_one_fits_in_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("secrets.json");
    let run = |model: std::sync::Arc<dyn ChatModel>, key: &'static str, tenant: &'static str| async move {
        let vault = raw("vault", move |_, _| async move {
            Ok(ToolOutput::json(json!({"password": key, "tenant": tenant})))
        });
        let prompt = format!("My key is sk-proj-{key}0123456789abcdef, open the vault of {tenant}.");
        Agent::new(model, set![vault]).run(prompt).await
    };
    let script =
        chat::script().calls([("vault", json!({"api_key": "abc"}))]).text("Authorization: Bearer abcdefgh12");
    let recorder = Recorder::new(script, &file).unwrap().secret("ACME");
    run(std::sync::Arc::new(recorder), "tulip", "ACME").await.unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    for secret in ["tulip", "ACME", "sk-proj", "abcdefgh12", "\"abc\""] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
    let player = Player::open(&file).unwrap();
    let reply = run(std::sync::Arc::new(player), "rose", "Other Ltd.").await.unwrap();
    assert_eq!(reply.text, "Authorization: Bearer [secret]");
}

#[tokio::test]
async fn conversations_side_by_side_may_come_in_another_order() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("both.json");
    let model = Recorder::new(
        Script::always(|request| match request.messages {
            [Message::User(blocks)] => opentool_core::AssistantMessage::text(format!("to {blocks:?}")),
            _ => opentool_core::AssistantMessage::text("?"),
        }),
        &file,
    )
    .unwrap();
    let (a, b) = tokio::join!(ask(&model, "a"), ask(&model, "b"));
    let player = Player::open(&file).unwrap();
    assert_eq!(ask(&player, "b").await.unwrap(), b.unwrap());
    assert_eq!(ask(&player, "a").await.unwrap(), a.unwrap());
    assert!(ask(&player, "a").await.is_err(), "each answer is given once");
}

#[tokio::test]
async fn failures_are_recorded_too() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("failures.json");
    let limited =
        || ModelError::RateLimited { message: "slow down".into(), retry_after: Some(Duration::from_secs(3)) };
    let model = Recorder::new(chat::script().fails(limited).text("Hi."), &file).unwrap();
    ask(&model, "Hi.").await.unwrap_err();
    ask(&model, "Hi.").await.unwrap();
    let player = Player::open(&file).unwrap();
    let error = ask(&player, "Hi.").await.unwrap_err();
    assert!(
        matches!(&error, ModelError::RateLimited { message, retry_after: Some(wait) } if &**message == "slow down" && wait.as_secs() == 3),
        "{error:?}"
    );
    assert!(ask(&player, "Hi.").await.is_ok());
}

#[tokio::test]
async fn a_recording_that_is_there_stays_until_there_is_an_answer_to_put_in_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kept.json");
    ask(&Recorder::new(chat::script().text("Old."), &file).unwrap(), "Hi.").await.unwrap();
    let before = std::fs::read_to_string(&file).unwrap();
    let away = || ModelError::Unreachable { message: "no route".into(), source: None };
    let model = Recorder::new(chat::script().fails(away).text("New."), &file).unwrap();
    ask(&model, "Hi.").await.unwrap_err();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
    ask(&model, "Hi.").await.unwrap();
    let player = Player::open(&file).unwrap();
    ask(&player, "Hi.").await.expect_err("the failure is on the new one");
    assert_eq!(ask(&player, "Hi.").await.unwrap().message.to_text(), "New.");
}

#[tokio::test]
async fn a_test_records_the_first_time_and_plays_from_then_on() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("once.json");
    let model = chat::cassette(&file, || Ok(chat::script().text("Recorded."))).unwrap();
    assert_eq!(ask(&model, "Hi.").await.unwrap().message.to_text(), "Recorded.");
    let model =
        chat::cassette(&file, || -> Result<Script, ModelError> { panic!("no model is needed") }).unwrap();
    assert_eq!(ask(&model, "Hi.").await.unwrap().message.to_text(), "Recorded.");
}

#[test]
fn what_is_no_cassette_is_refused_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let write = |value: &Value| {
        let file = folder.path().join("file.json");
        std::fs::write(&file, value.to_string()).unwrap();
        Player::open(&file).unwrap_err().to_string()
    };
    assert!(
        Player::open(folder.path().join("none.json")).unwrap_err().to_string().contains("cannot be read")
    );
    assert!(write(&json!({"cassette": 9, "model": "m", "exchanges": []})).contains("of version 9"));
    assert!(write(&json!([])).contains("no cassette"));
    let answered = json!({"message": {}, "stop": "end", "usage": {}});
    let exchange = json!({"continues": 1, "messages": [], "answered": answered});
    let error = write(&json!({"cassette": 1, "model": "m", "exchanges": [exchange]}));
    assert!(error.contains("question 1 goes on with one that is not before it"), "{error}");
    assert!(Recorder::new(chat::script(), folder.path()).is_err(), "a folder is no file");
}

#[tokio::test]
async fn a_cassette_whose_questions_go_on_with_each_other_stays_small_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("long.json");
    let answered =
        json!({"message": {"content": [{"type": "text", "value": "y"}]}, "stop": "end", "usage": {}});
    let said = json!([Message::user("x")]);
    let exchange = |n: usize| match n {
        0 => json!({"messages": said, "tools": [], "answered": answered}),
        n => json!({"continues": n, "messages": said, "answered": answered}),
    };
    // Written out it would be half a gigabyte of messages, and far more in memory.
    const EXCHANGES: usize = 3_000;
    let exchanges: Vec<Value> = (0..EXCHANGES).map(exchange).collect();
    let cassette = json!({"cassette": 1, "model": "m", "exchanges": exchanges});
    std::fs::write(&file, cassette.to_string()).unwrap();
    let player = Player::open(&file).unwrap();
    let mut conversation = Vec::new();
    let tools = ToolSet::new();
    for _ in 0..3 {
        conversation.push(Message::user("x"));
        let reply = player.reply(ChatRequest::new(&conversation, &tools)).await.unwrap();
        conversation.push(Message::Assistant(reply.message));
    }
    assert_eq!(player.left(), EXCHANGES - 3);
}

#[tokio::test]
async fn branches_of_a_conversation_are_played_as_they_were_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("branches.json");
    let last = |request: &ChatRequest<'_>| format!("{:?}", request.messages.last());
    let model = Script::always(move |request| opentool_core::AssistantMessage::text(last(request)));
    let recorder = Recorder::new(model, &file).unwrap();
    let user = |text: &str| Message::user(text);
    let answer = |text: &str| Message::Assistant(opentool_core::AssistantMessage::text(text));
    let conversations = [
        vec![user("a")],
        vec![user("a"), answer("1"), user("b")],
        vec![user("a"), answer("1"), user("c")],
        vec![user("a"), answer("2"), user("b")],
        vec![user("z")],
        vec![user("a"), answer("1"), user("b"), answer("3"), user("d")],
    ];
    let tools = ToolSet::new();
    let mut replies = Vec::new();
    for messages in &conversations {
        replies.push(recorder.reply(ChatRequest::new(messages, &tools)).await.unwrap());
    }
    let player = Player::open(&file).unwrap();
    for (messages, reply) in conversations.iter().zip(&replies).rev() {
        assert_eq!(player.reply(ChatRequest::new(messages, &tools)).await.unwrap(), *reply);
    }
}

#[tokio::test]
async fn a_secret_in_an_error_is_not_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("errors.json");
    for error in [
        || ModelError::Rejected { status: 400, message: "no such key sk-proj-0123456789abcdef".into() },
        || ModelError::Rejected { status: 400, message: "ACME is unknown".into() },
        || ModelError::Protocol("Authorization: Bearer sk-proj-0123456789abcdef ACME".into()),
    ] {
        let model = Recorder::new(chat::script().fails(error), &file).unwrap().secret("ACME");
        ask(&model, "Hi.").await.unwrap_err();
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.contains("[secret]") && !text.contains("sk-proj") && !text.contains("ACME"), "{text}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn only_a_recording_is_recorded_over_and_nobody_else_reads_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let refused = |name: &str| Recorder::new(chat::script(), at(name)).unwrap_err().to_string();

    std::fs::write(at("thesis.json"), "{\"chapter\": 1}").unwrap();
    assert!(refused("thesis.json").contains("holds something else than a recording"));
    std::fs::write(at("notes.txt"), "notes").unwrap();
    std::os::unix::fs::symlink(at("notes.txt"), at("link")).unwrap();
    assert!(refused("link").contains("no regular file"));
    let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
    assert!(refused("socket").contains("no regular file"));
    assert_eq!(std::fs::read_to_string(at("notes.txt")).unwrap(), "notes");

    let mode = || std::fs::metadata(at("new.json")).unwrap().permissions().mode() & 0o777;
    for expected in [0o600, 0o640] {
        let model = Recorder::new(chat::script().text("Hi."), at("new.json")).unwrap();
        ask(&model, "Hi.").await.unwrap();
        assert_eq!(mode(), expected, "the owner decides who else reads it");
        std::fs::set_permissions(at("new.json"), std::fs::Permissions::from_mode(0o640)).unwrap();
    }
}

#[tokio::test]
async fn a_difference_far_inside_a_long_text_is_shown_without_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("long.json");
    let long = "word ".repeat(100);
    ask(&Recorder::new(chat::script().text("Hi."), &file).unwrap(), &format!("{long} one")).await.unwrap();
    let player = Player::open(&file).unwrap().secret("two");
    let error = ask(&player, &format!("{long} two")).await.unwrap_err().to_string();
    assert!(error.contains("one\", asked \"") || error.contains("one\""), "{error}");
    assert!(error.contains("…") && error.contains("[secret]") && !error.contains("two"), "{error}");
    let error = chat::model("replay:").map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("`replay:` names no file"), "{error}");
}

#[tokio::test]
async fn what_this_machine_holds_for_secret_does_not_change_what_fits() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("plain.json");
    ask(&Recorder::new(chat::script().text("Yes."), &file).unwrap(), "Is production ready?").await.unwrap();
    let player = Player::open(&file).unwrap().secret("production");
    assert_eq!(ask(&player, "Is production ready?").await.unwrap().message.to_text(), "Yes.");
}
