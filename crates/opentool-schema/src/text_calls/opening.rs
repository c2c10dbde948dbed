//! Where calls begin: the marks of all templates, and which of them comes first.
//!
//! The earliest mark decides how the text behind it is read, up to where that call ends; marks in between are part of
//! its strings. So nothing that a model quotes in an argument is taken for a call of its own.

use super::tagged::{self, BARE, WRAPPERS};
use super::{MOST, TextCalls, is_name, is_quoted, marked, react};

/// What stands behind a mark.
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// A call of any inner form, up to the closing tag.
    Wrapper(&'static str),
    /// `<function=…>`, `<invoke name="…">`.
    Element,
    /// Name, mark, arguments, mark.
    Parts(&'static str, &'static str),
    /// Calls as JSON or Python, up to the closing mark where there is one.
    Before(&'static str),
    Mistral,
    Harmony,
    React,
    /// All that stood before was only thought.
    Thoughts,
}

/// What was read behind a mark.
#[derive(Debug, Default)]
pub(super) struct Run<'t> {
    pub(super) found: TextCalls,
    /// What follows; `None` where nobody knows what the rest of the text is.
    pub(super) rest: Option<&'t str>,
}

/// A mark, and where it comes next.
struct Mark {
    word: &'static str,
    kind: Kind,
    next: Option<usize>,
}

/// Marks that calls follow, as JSON or as Python; and the marks behind them, where there are any.
const BEFORE: [(&str, &str); 7] = [
    ("<|python_tag|>", "<|eom_id|>"),
    ("<|tool_call|>", "<|/tool_call|>"),
    ("<|tool_calls|>", "<|/tool_calls|>"),
    ("<|START_ACTION|>", "<|END_ACTION|>"),
    ("<|tool_call_start|>", "<|tool_call_end|>"),
    ("<|action_start|><|plugin|>", "<|action_end|>"),
    ("functools", "\0"),
];

/// Marks of one call each: before the name, between name and arguments, after the arguments.
const PARTS: [(&str, &str, &str); 2] = [
    ("<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>"),
    ("<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>"),
];

/// How often thoughts may end before a text that is nothing but calls.
const ENDS_OF_THOUGHTS: usize = 8;

/// Around what a model thinks to itself. The opening one is often part of the prompt.
pub(super) const THOUGHTS: [(&str, &str); 3] =
    [("<think>", "</think>"), ("<thinking>", "</thinking>"), ("[THINK]", "[/THINK]")];

fn marks() -> Vec<Mark> {
    let wrappers = WRAPPERS.iter().map(|(open, close)| (*open, Kind::Wrapper(close)));
    let bare = BARE.iter().map(|open| (*open, Kind::Element));
    let parts = PARTS.iter().map(|(begin, middle, end)| (*begin, Kind::Parts(middle, end)));
    let before = BEFORE.iter().map(|(mark, end)| (*mark, Kind::Before(end)));
    let thoughts = THOUGHTS.iter().map(|(_, end)| (*end, Kind::Thoughts));
    let others = [("[TOOL_CALLS]", Kind::Mistral), ("<|message|>", Kind::Harmony), ("Action:", Kind::React)];
    let all = wrappers.chain(bare).chain(parts).chain(before).chain(thoughts).chain(others);
    all.map(|(word, kind)| Mark { word, kind, next: Some(0) }).collect()
}

/// The calls behind marks. A text behind thoughts is for `whole` first, as at the beginning.
pub(super) fn read(text: &str, whole: impl Fn(&str) -> Option<TextCalls>) -> TextCalls {
    // Whoever ends thoughts again and again says nothing: each time the rest is looked through.
    let mut ends = 0;
    let mut marks = marks();
    let mut found = TextCalls::default();
    for mark in &mut marks {
        let is_possible = !matches!(mark.kind, Kind::Harmony) || text.contains(" to=");
        mark.next = if is_possible { position(text, 0, mark) } else { None };
    }
    while !found.full()
        && let Some((at, first)) =
            marks.iter().filter_map(|mark| Some((mark.next?, mark))).min_by_key(|(at, _)| *at)
    {
        let Some(behind) = text.get(at..) else { break };
        let run = match first.kind {
            Kind::Wrapper(close) => tagged::wrapped(behind, first.word, close),
            Kind::Element => tagged::bare(behind),
            Kind::Parts(middle, end) => marked::parted(behind, first.word, middle, end),
            Kind::Before(end) => marked::before(behind, first.word, end),
            Kind::Mistral => marked::mistral(behind, first.word),
            Kind::Harmony => marked::harmony(text, at),
            Kind::React => react::read(behind),
            Kind::Thoughts => {
                found = TextCalls::default();
                let rest = behind.get(first.word.len()..).unwrap_or_default();
                ends += 1;
                if ends <= ENDS_OF_THOUGHTS
                    && let Some(all) = whole(rest)
                {
                    return all;
                }
                Run { rest: Some(rest), ..Run::default() }
            }
        };
        found.extend(run.found);
        let Some(rest) = run.rest else { break };
        // Forward at least, whatever a reader says.
        let from = text.len().saturating_sub(rest.len()).max(at.saturating_add(1));
        for mark in marks.iter_mut().filter(|mark| mark.next.is_some_and(|next| next < from)) {
            mark.next = position(text, from, mark);
        }
    }
    found
}

/// The first place from `from` on where a mark is used: not quoted, and with the beginning of a call behind it.
fn position(text: &str, from: usize, mark: &Mark) -> Option<usize> {
    let Some(rest) = text.get(from..) else {
        // In the middle of a character.
        return position(text, from.checked_add(1).filter(|from| *from <= text.len())?, mark);
    };
    for (at, _) in rest.match_indices(mark.word).take(MOST) {
        let at = at.saturating_add(from);
        let (before, after) = text.split_at_checked(at)?;
        let after = after.get(mark.word.len()..).unwrap_or_default();
        let unquoted = !is_quoted(before, after);
        let start = match mark.kind {
            Kind::Wrapper(_) => (unquoted && begins_wrapped(after)).then_some(at),
            Kind::Element => {
                // From the bracket on, which the prefix of a name separates from the word.
                let bracket = if mark.word.starts_with('<') {
                    Some(at)
                } else {
                    before.get(from..)?.rfind('<').map(|at| at.saturating_add(from))
                };
                bracket.filter(|at| text.get(..*at).is_some_and(|before| !is_quoted(before, "")))
            }
            Kind::Before(_) if mark.word == "functools" => {
                (before.trim().is_empty() && after.starts_with('[')).then_some(at)
            }
            Kind::Mistral => (unquoted && begins_named(after)).then_some(at),
            Kind::Parts(..) | Kind::Before(_) => unquoted.then_some(at),
            Kind::React => (before.is_empty() || before.ends_with('\n')).then_some(at),
            Kind::Thoughts | Kind::Harmony => Some(at),
        };
        if start.is_some() {
            return start;
        }
    }
    None
}

/// Whether what follows an opening tag can be a call.
fn begins_wrapped(after: &str) -> bool {
    let next = after.trim_start();
    let word = next.split(|c: char| c.is_whitespace() || c == '<').next().unwrap_or_default();
    let behind = next.get(word.len()..).unwrap_or_default().trim_start();
    next.is_empty()
        || next.starts_with(['{', '[', '<'])
        || next.starts_with("```")
        || (is_name(word) && (behind.is_empty() || behind.starts_with('<')))
}

/// Whether what follows Mistral's mark can be a call: a list of them, or a name and what stands behind it.
fn begins_named(after: &str) -> bool {
    let after = after.trim_start();
    let name = after.split(['[', '{']).next().unwrap_or_default();
    after.is_empty() || after.starts_with(['[', '{']) || is_name(name.trim_end())
}
