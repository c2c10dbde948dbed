//! The conversations of the examples, each with a script in the model's place, and from its recording. The recordings are
//! those of the scripts: `UPDATE=1` writes them anew.

// The settings for tests do not reach functions beside them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod alarm;
mod memory;
mod pet_shop;
mod return_direct;
mod tenant;

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use opentool::ChatModel;
use opentool::agent::{Finish, Reply};
use opentool::chat::{Player, Recorder, Script};
use opentool::{Content, Message};

/// What a turn came to: its text, why it ended, and what the tools answered.
type Said = (String, Finish, Vec<(String, String)>);

/// Holds the conversation with the script, makes sure that it says what the recording says, and holds it from there.
pub(crate) async fn held<T>(
    name: &str,
    script: Script,
    talk: impl AsyncFn(Arc<dyn ChatModel>) -> Result<T, Box<dyn Error>>,
    replies: impl Fn(&T) -> &[Reply],
) -> T {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    let scripted = talk(Arc::new(Recorder::new(script, &file).unwrap())).await.unwrap();

    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("cassettes").join(name);
    let recorded = std::fs::read_to_string(&file).unwrap();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&kept, &recorded).unwrap();
    }
    let wanted = std::fs::read_to_string(&kept).unwrap_or_default();
    assert!(recorded == wanted, "{name} says something else; look at it with UPDATE=1 and git diff");

    let player = Player::open(&kept).unwrap();
    let played = talk(Arc::new(player.clone())).await.unwrap();
    // What is for the host alone has times and ports in it.
    let said = |talk: &T| -> Vec<Said> {
        let said = |reply: &Reply| {
            let results = results(reply).into_iter().map(|(name, text)| (name.to_owned(), text));
            (reply.text.clone(), reply.finish, results.collect())
        };
        replies(talk).iter().map(said).collect()
    };
    assert_eq!(said(&played), said(&scripted));
    assert_eq!(player.left(), 0, "all of {name} was played");
    scripted
}

/// What the tools answered, in order: the name, and the text.
pub(crate) fn results(reply: &Reply) -> Vec<(&str, String)> {
    let results = reply.messages.iter().filter_map(|message| match message {
        Message::Tool(result) => Some((result.name.as_str(), result.output.to_text())),
        _ => None,
    });
    results.collect()
}

/// What a person said first.
pub(crate) fn first_words(messages: &[Message]) -> Option<&str> {
    messages.iter().find_map(|message| match message {
        Message::User(said) => said.iter().find_map(|block| match block {
            Content::Text(text) => Some(text.as_str()),
            _ => None,
        }),
        _ => None,
    })
}
