//! Harmony: `<|start|>assistant<|channel|>commentary to=functions.name <|constrain|>json<|message|>{…}<|call|>`.
//!
//! Who speaks, and to whom, stands in the head of a message; the beginning of the first head may be part of the prompt.
//! Messages to nobody are prose.

use opentool_core::Problem;

use super::marks::{self, HEADS};
use super::{Calls, Read, TextCall, Unread, cut_off, json};

/// Parts of a head.
const PARTS: usize = 8;
/// Bytes of one part of a head.
const LONGEST: usize = 256;

/// Tokens that end a message.
const ENDS: [&str; 3] = ["<|call|>", "<|end|>", "<|return|>"];

/// To whom a message is of use.
const CHANNELS: [&str; 3] = ["analysis", "commentary", "final"];

/// Who speaks to whom.
struct Head<'t> {
    author: &'t str,
    to: Option<&'t str>,
    content: &'t str,
}

/// The message whose first token the text begins with. `before` is what stands between it and what was read before.
pub(super) fn read<'t>(before: &'t str, text: &'t str) -> Read<'t> {
    let head = head(before, text)?;
    if !head.author.starts_with("assistant") {
        return Err(Unread::Foreign(head.content));
    }
    match head.to.filter(|to| !matches!(*to, "assistant" | "user" | "all")) {
        Some(to) => call(to, head.content),
        None => prose(head.content),
    }
}

fn head<'t>(before: &'t str, text: &'t str) -> Result<Head<'t>, Unread<'t>> {
    let mut head = Head { author: "assistant", to: None, content: "" };
    let mut rest = text;
    let mut is_told = false;
    // The beginning of a head whose token is part of the prompt, or words that have nothing to do with it.
    if !text.starts_with("<|start|>") {
        let before = before.trim_end().rsplit('\n').next().unwrap_or_default();
        let mut others = before.split_whitespace().filter(|word| !word.starts_with("to="));
        // The channel, whose token is part of the prompt as well.
        let first = others.next().filter(|word| !CHANNELS.contains(word));
        head.author = first.unwrap_or("assistant");
        words(&mut head, before)?;
        is_told = head.to.is_none() && head.author != "assistant";
    }
    for _ in 0..PARTS {
        let Some((token, after)) = HEADS.iter().find_map(|token| Some((*token, rest.strip_prefix(token)?)))
        else {
            return Err(unread(&head, rest.is_empty()));
        };
        if token == "<|message|>" {
            head.content = after;
            if is_told && head.to.is_some() {
                return Err(not_a_head().into());
            }
            if is_told {
                head.author = "assistant";
            }
            return Ok(head);
        }
        let (part, next) = after.find("<|").and_then(|at| after.split_at_checked(at)).unwrap_or((after, ""));
        if part.len() > LONGEST {
            return Err(unread(&head, false));
        }
        if token == "<|start|>" {
            head.author = part.split_whitespace().next().unwrap_or_default();
        }
        words(&mut head, part)?;
        rest = next;
    }
    Err(unread(&head, false))
}

/// Takes the recipient from a part of a head.
fn words<'t>(head: &mut Head<'t>, part: &'t str) -> Result<(), Problem> {
    for to in part.split_whitespace().filter_map(|word| word.strip_prefix("to=")) {
        if head.to.is_some_and(|before| before != to) {
            return Err(not_a_head());
        }
        head.to = Some(to);
    }
    Ok(())
}

/// A head without its end: cut off, or only a token that somebody talks of.
fn unread<'t>(head: &Head<'t>, is_cut: bool) -> Unread<'t> {
    match (is_cut, head.to) {
        (true, Some(_)) => cut_off().into(),
        _ => Unread::Talk(not_a_head()),
    }
}

fn not_a_head() -> Problem {
    Problem::new("", "call")
        .expected("expected the head of a message: `<|start|>assistant<|channel|>commentary to=functions.name<|message|>`")
}

fn call<'t>(to: &str, content: &'t str) -> Read<'t> {
    let (arguments, after) = json::value(content).ok_or_else(|| json::fault(content))?;
    let after = after.trim_start();
    let rest = match ENDS.iter().find_map(|end| after.strip_prefix(end)) {
        Some(rest) => rest,
        None if after.is_empty() || after.starts_with("<|start|>") => after,
        None => {
            return Err(Problem::new("", "call")
                .expected("expected nothing behind the arguments of a call")
                .into());
        }
    };
    let name = to.strip_prefix("functions.").unwrap_or(to);
    let call = json::arguments(arguments).and_then(|arguments| TextCall::new(name, arguments));
    Ok((Calls::one(call), rest))
}

/// A message that is no call, up to its end: what its words quote is none either.
fn prose(content: &str) -> Read<'_> {
    for (at, _) in content.match_indices("<|") {
        let rest = content.get(at..).unwrap_or_default();
        if let Some(next) = ENDS.iter().find_map(|end| rest.strip_prefix(end)) {
            return Ok((Calls::default(), next));
        }
        if HEADS.iter().any(|head| rest.starts_with(head)) {
            return Err(cut_off().into());
        }
    }
    match marks::next_of_template(content, 0) {
        Some(_) => Err(cut_off().into()),
        // Nobody knows whether it is the answer, or a thought.
        None => Err(Unread::Foreign("")),
    }
}
