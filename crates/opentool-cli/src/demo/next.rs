//! The three commands at the end of the demo, as they work where the person is.
//!
//! The same program is started in many ways: by `cargo run`, from the path, by its place in `target`. What is
//! printed has to work when it is typed into the same shell, so it is made from how this process was started
//! and what lies in the current directory.

use std::env;
use std::path::Path;

use opentool_petshop::PETSTORE_YAML;

use super::event::NextStep;

/// The document's place in a checkout.
const EXAMPLE: &str = "examples/petstore.yaml";

/// What a person would try next.
pub(super) fn steps() -> [NextStep; 3] {
    let program = program();
    // Only the very document of this program: another one of that name may lack the operations.
    let here = std::fs::read_to_string(EXAMPLE).is_ok_and(|text| text == PETSTORE_YAML);
    let on_document = |rest: &str, after: &str| {
        if here {
            format!("{program} {rest} {EXAMPLE}{after}")
        } else {
            format!("{program} demo --document | {program} {rest} -{after}")
        }
    };
    [
        NextStep { about: "List the tools of an API, yours too", command: on_document("list", "") },
        NextStep {
            about: "See the request of a call, without sending it",
            command: on_document("call", " placeOrder petId=2 --dry-run"),
        },
        NextStep {
            about: "Keep the shop open as an MCP server for your own assistant",
            command: format!("{program} demo --serve"),
        },
    ]
}

/// How to let a real model hold the conversation: OpenAI's, and one of the person's own.
pub(super) fn with_a_real_model() -> [String; 2] {
    let program = program();
    [
        format!("OPENAI_API_KEY=... {program} demo --model gpt-5"),
        format!("OPENAI_BASE_URL=http://localhost:11434/v1 {program} demo --model qwen3"),
    ]
}

/// How this program is started from here.
fn program() -> String {
    if started_by_cargo() {
        let profile = if cfg!(debug_assertions) { "" } else { " --release" };
        return format!("cargo run{profile} --");
    }
    let typed = env::args_os().next().map(|name| name.to_string_lossy().into_owned());
    quoted(&typed.filter(|name| !name.is_empty()).unwrap_or_else(|| "opentool".to_owned()))
}

/// Whether `cargo run` started this process, in the directory where a bare `cargo run` means this program.
fn started_by_cargo() -> bool {
    let (Some(_), Some(package)) = (env::var_os("CARGO"), env::var_os("CARGO_MANIFEST_DIR")) else {
        return false;
    };
    let root = Path::new(&package).parent().and_then(Path::parent);
    // Cargo's variables reach everything that it starts, test programs for example, and what these start.
    let ours = Path::new(&package).file_name().is_some_and(|name| name == env!("CARGO_PKG_NAME"));
    ours && root.is_some_and(|root| env::current_dir().is_ok_and(|here| here == root))
}

/// A word for a POSIX shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%".contains(c);
    if word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_place_with_spaces_stays_one_word() {
        assert_eq!(quoted("target/release/opentool"), "target/release/opentool");
        assert_eq!(quoted("/my tools/it's/opentool"), r"'/my tools/it'\''s/opentool'");
    }
}
