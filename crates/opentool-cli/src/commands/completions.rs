//! `opentool completions`: a completion script for a shell.

use clap::CommandFactory as _;
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
    clap_complete::generate(args.shell, &mut Cli::command(), "opentool", &mut script);
    if console.is_json() {
        let script = String::from_utf8_lossy(&script);
        console.json(&json!({"shell": args.shell.to_string(), "script": script}))?;
    } else {
        console.data(&script)?;
    }
    Ok(())
}
