//! `opentool completions`: a completion script for a shell.

use clap::{Command, CommandFactory as _};
use clap_complete::Shell;
use serde_json::json;

use crate::args::{Cli, examples};
use crate::console::Console;
use crate::error::CliError;

/// Print a completion script for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = examples! {
    "opentool completions bash > ~/.local/share/bash-completion/completions/opentool"
    "opentool completions zsh  > ~/.zfunc/_opentool"
    "opentool completions fish > ~/.config/fish/completions/opentool.fish"
})]
pub(crate) struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the script; with `--json` as `{"shell", "script"}`.
pub(crate) fn run(args: Args, console: &Console) -> Result<(), CliError> {
    // To memory first: the generator panics where a write fails.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut visible(&Cli::command()), "opentool", &mut script);
    if console.is_json() {
        let script = String::from_utf8_lossy(&script);
        console.json(&json!({"shell": args.shell.to_string(), "script": script}))?;
    } else {
        console.data(&script)?;
    }
    Ok(())
}

/// The command without what is hidden: options that are read for the sake of old scripts are not offered to anybody.
/// `clap` cannot take an option away, so what completions need is put together anew.
fn visible(command: &Command) -> Command {
    // A name lives as long as the program, as those that are written in it; this is done once, for a dozen of them.
    let name: &'static str = command.get_name().to_owned().leak();
    let about = command.get_about().cloned().unwrap_or_default();
    Command::new(name)
        .about(about)
        .args(command.get_arguments().filter(|argument| !argument.is_hide_set()).cloned())
        .subcommands(command.get_subcommands().filter(|command| !command.is_hide_set()).map(visible))
}
