//! What a person types in a chat: words for the model, or a command that begins with a slash.

/// What was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Typed {
    /// Nothing.
    Nothing,
    /// Words for the model.
    Words(String),
    /// The tools, or what one of them takes.
    Tools(Option<String>),
    /// The tree of the last turn.
    Trace,
    /// Write the conversation to a file.
    Save(String),
    /// Begin anew.
    New,
    /// The commands.
    Help,
    /// Leave.
    Quit,
    /// A command that is none, with what is wrong.
    Unknown(String),
}

/// What `/help` says.
pub(crate) const HELP: &str = "\
/tools [NAME]   the tools; with a name what it takes
/trace          what the last turn did, and how long it took
/save FILE      write the conversation to a file; `--continue FILE` goes on with it
/new            forget the conversation and begin a new one
/help           this
/quit           leave; so does Ctrl-D
Ctrl-C stops a turn. Alt-Enter, or a \\ at the end of a line, goes on in the next line.
A line that begins with // begins with a slash and is for the model.
";

/// Reads a line.
pub(crate) fn read_command(line: &str) -> Typed {
    let line = line.trim();
    if line.is_empty() {
        return Typed::Nothing;
    }
    let Some(command) = line.strip_prefix('/') else { return Typed::Words(line.to_owned()) };
    if command.starts_with('/') {
        return Typed::Words(command.to_owned());
    }
    let (name, rest) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
    let rest = rest.trim();
    match (name, rest) {
        ("tools", "") => Typed::Tools(None),
        ("tools", name) => Typed::Tools(Some(name.to_owned())),
        ("trace", "") => Typed::Trace,
        ("save", "") => Typed::Unknown("`/save` needs the name of a file".to_owned()),
        ("save", file) => Typed::Save(file.to_owned()),
        ("new", "") => Typed::New,
        ("help" | "?", "") => Typed::Help,
        ("quit" | "exit" | "q", "") => Typed::Quit,
        ("trace" | "new" | "help" | "?" | "quit" | "exit" | "q", _) => {
            Typed::Unknown(format!("`/{name}` stands alone: write it without more words"))
        }
        (name, _) => Typed::Unknown(format!("there is no command `/{name}`; `/help` lists them")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_words_or_commands() {
        for (line, typed) in [
            ("  ", Typed::Nothing),
            (" Hello. ", Typed::Words("Hello.".into())),
            ("//etc is a folder", Typed::Words("/etc is a folder".into())),
            ("/tools", Typed::Tools(None)),
            ("/tools getPetById", Typed::Tools(Some("getPetById".into()))),
            ("/save my talk.json", Typed::Save("my talk.json".into())),
            ("/quit", Typed::Quit),
        ] {
            assert_eq!(read_command(line), typed, "{line}");
        }
        assert!(matches!(read_command("/save"), Typed::Unknown(why) if why.contains("file")));
        assert!(matches!(read_command("/quit now"), Typed::Unknown(why) if why.contains("stands alone")));
        assert!(matches!(read_command("/toolz"), Typed::Unknown(why) if why.contains("/toolz")));
    }
}
