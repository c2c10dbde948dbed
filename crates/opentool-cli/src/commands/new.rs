//! `opentool new`: a document to start from.

use clap::ValueEnum;

use crate::args::examples;
use crate::console::Console;
use crate::error::CliError;
use crate::write;

/// Write a small, valid document to start from
#[derive(Debug, clap::Args)]
#[command(after_help = examples! {
    "opentool new opentool -o weather.opentool.json"
    "opentool new opentool | opentool check -"
})]
pub(crate) struct Args {
    /// What to write
    kind: Kind,
    #[command(flatten)]
    target: write::Target,
}

/// The documents that there are.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    /// An OpenTool document: one function, with parameters, a result and a shared schema
    #[value(name = "opentool")]
    OpenTool,
}

impl Kind {
    fn text(self) -> &'static str {
        match self {
            Self::OpenTool => include_str!("../../templates/opentool.json"),
        }
    }
}

/// Writes the document to the file or to standard output; it is JSON either way.
pub(crate) fn run(args: Args, console: &Console) -> Result<(), CliError> {
    let text = args.kind.text();
    let Some(file) = args.target.file() else {
        return Ok(console.json_text(text.to_owned())?);
    };
    args.target.write(file, text)?;
    let shown = file.display();
    console.aside(&format!(
        "Wrote {shown}. Change it; `opentool check {shown}` says whether it is right, and `opentool list {shown}` \
         shows its tools."
    ))?;
    Ok(())
}
