//! Asking a person about a call that may change something.
//!
//! What is asked about was written by a model, for a tool that a document describes: neither may write a line of its own
//! into the question, nor hide from it what will be sent.

use std::io::Write as _;

use opentool::agent::{Decision, PendingCall};
use opentool_text::{printable, printable_line};
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
    writeln!(out, "{WARNING}?{WARNING:#} {STRONG}{}{STRONG:#}", what.text)?;
    writeln!(out, "  {FAINT}{}{FAINT:#}", printable_line(&call.reason))?;
    if what.is_cut {
        writeln!(out, "  {WARNING}not all is shown{WARNING:#}: `details` shows it")?;
    }
    loop {
        out.flush()?;
        let answer = match editor.line("  run it? yes, no, always (this tool), details, or say why not: ")? {
            Said::Line(line) => line,
            Said::Nothing | Said::End => return Ok(None),
        };
        match read(&answer) {
            Answer::Decision(decision) => return Ok(Some(decision)),
            Answer::Nothing => {}
            Answer::Details => {
                let text = serde_json::to_string_pretty(&arguments).unwrap_or_default();
                writeln!(out, "{}", printable(&text))?;
            }
            Answer::Unclear => {
                writeln!(out, "  that could mean both: say `yes` alone, or begin with `no`")?;
            }
        }
    }
}

/// What a person answered.
#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Nothing,
    Details,
    /// It begins as a consent and goes on: that may be one with a condition.
    Unclear,
    Decision(Decision),
}

fn read(answer: &str) -> Answer {
    let words = answer.trim();
    let plain = words.to_lowercase();
    let plain = plain.trim_end_matches(['.', '!']);
    let plain = plain.strip_suffix("please").map_or(plain, |rest| rest.trim_end_matches([',', ' ']));
    match plain {
        "" if words.is_empty() => Answer::Nothing,
        "y" | "yes" => Answer::Decision(Decision::Allow),
        "a" | "always" => Answer::Decision(Decision::AllowTool),
        "n" | "no" => Answer::Decision(Decision::deny("the user said no")),
        "d" | "details" => Answer::Details,
        _ => match plain.split(|c: char| !c.is_alphanumeric()).next() {
            Some("y" | "yes" | "always" | "ok" | "okay" | "sure") => Answer::Unclear,
            _ => Answer::Decision(Decision::deny(words)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_consent_is_one_however_it_is_written_and_a_condition_is_none() {
        for yes in ["y", "Y", "YES", " Yes. ", "yes please", "Yes, please!"] {
            assert_eq!(read(yes), Answer::Decision(Decision::Allow), "{yes}");
        }
        for unclear in ["yes but only pet 3", "Sure", "ok, if it is cheap", "y?"] {
            assert_eq!(read(unclear), Answer::Unclear, "{unclear}");
        }
        assert_eq!(read("Always"), Answer::Decision(Decision::AllowTool));
        assert_eq!(read("DETAILS"), Answer::Details);
        assert_eq!(read("  "), Answer::Nothing);
        assert_eq!(read("No!"), Answer::Decision(Decision::deny("the user said no")));
        for why in ["No, take pet 3.", "please", "yesterday was better"] {
            assert!(
                matches!(read(why), Answer::Decision(Decision::Deny { reason }) if reason == why),
                "{why}"
            );
        }
    }
}
