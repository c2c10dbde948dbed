//! Asking a person about a call that may change something.

use std::io::Write as _;

use opentool::agent::{Decision, PendingCall};
use opentool_text::printable;
use serde_json::Value;

use super::prompt::{Editor, Said};
use super::show::call_line;
use crate::console::{FAINT, STRONG, WARNING};
use crate::error::CliError;

/// Asks about one call; `None` if the person gave up the turn.
pub(crate) fn question(call: &PendingCall, editor: &mut Editor) -> Result<Option<Decision>, CliError> {
    let arguments = Value::Object(call.arguments.clone().into_map());
    let mut out = anstream::stdout();
    let what = call_line(&call.tool, &arguments);
    writeln!(out, "{WARNING}?{WARNING:#} {STRONG}{}{STRONG:#}", printable(&what))?;
    writeln!(out, "  {FAINT}{}{FAINT:#}", printable(&call.reason))?;
    loop {
        out.flush()?;
        let answer = match editor.line("  run it? yes, no, always (this tool), details, or say why not: ")? {
            Said::Line(line) => line,
            Said::Nothing | Said::End => return Ok(None),
        };
        return Ok(Some(match answer.trim() {
            "" => continue,
            "y" | "yes" => Decision::Allow,
            "a" | "always" => Decision::AllowTool,
            "n" | "no" => Decision::deny("the user said no"),
            "d" | "details" => {
                let text = serde_json::to_string_pretty(&arguments).unwrap_or_default();
                writeln!(out, "{}", printable(&text))?;
                continue;
            }
            why => Decision::deny(why),
        }));
    }
}
