//! Where something begins that is, or may hold, a call: the marks of all templates.
//!
//! Which mark stands at a place, and which comes next. How a call goes on behind its mark, the readers know.

use super::tag::Tag;

/// What begins at a place of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// Tags around a call of any inner form: `<tool_call>`, `<x:function_calls>`.
    Wrapper,
    /// `<function=…>`, `<invoke name="…">`.
    Element,
    /// Name, mark, arguments, mark: the place in [`PARTS`].
    Parts(&'static Parts),
    /// Calls as JSON or Python: the mark before them, and the one behind, where there is one.
    Before(&'static str, &'static str),
    /// `[TOOL_CALLS]`.
    Mistral,
    /// The head of a message, or its last token.
    Harmony,
    /// `Action:`.
    React,
    /// What a tool answered, or somebody else said: not the model's to write.
    Foreign,
    /// Thoughts, with their closing mark.
    Thoughts,
    /// The end of thoughts, and its length.
    ThoughtsEnd(usize),
    /// Code in a line, in so many backticks.
    Quote(usize),
    /// An object without any mark.
    Json,
    /// The arguments of a call without any mark, from the bracket on.
    Python,
}

/// Before the name, between name and arguments, after the arguments.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Parts {
    pub(super) begin: &'static str,
    pub(super) middle: &'static str,
    pub(super) end: &'static str,
}

/// Kimi's, and DeepSeek's.
static PARTS: [Parts; 2] = [
    Parts { begin: "<|tool_call_begin|>", middle: "<|tool_call_argument_begin|>", end: "<|tool_call_end|>" },
    Parts {
        begin: "<｜tool▁call▁begin｜>", middle: "<｜tool▁sep｜>", end: "<｜tool▁call▁end｜>"
    },
];

/// Marks that calls follow, as JSON or as Python; and the marks behind them, where there are any.
const BEFORE: [(&str, &str); 6] = [
    ("<|python_tag|>", "<|eom_id|>"),
    ("<|tool_call|>", "<|/tool_call|>"),
    ("<|tool_calls|>", "<|/tool_calls|>"),
    ("<|START_ACTION|>", "<|END_ACTION|>"),
    ("<|tool_call_start|>", "<|tool_call_end|>"),
    ("<|action_start|><|plugin|>", "<|action_end|>"),
];

/// The tokens in and before the head of a message.
pub(super) const HEADS: [&str; 4] = ["<|start|>", "<|channel|>", "<|constrain|>", "<|message|>"];

/// Tokens before the results of tools, and before turns of others.
const FOREIGN: [&str; 11] = [
    "<|observation|>",
    "<|user|>",
    "<|tool|>",
    "<|tool_response|>",
    "<|tool_result|>",
    "<|tool_outputs|>",
    "<|START_TOOL_RESULT|>",
    "<｜tool▁outputs▁begin｜>",
    "<｜tool▁output▁begin｜>",
    "<｜User｜>",
    "<|tool_response_start|>",
];

/// Tokens before the name of who speaks.
const ROLES: [&str; 3] = ["<|im_start|>", "<|start_header_id|>", "<|start_of_role|>"];

/// Tags around the results of tools.
const RESULTS: [&str; 11] = [
    "tool_response",
    "tool_responses",
    "tool_result",
    "tool_results",
    "tool_output",
    "tool_outputs",
    "function_response",
    "function_result",
    "function_results",
    "function_output",
    "observation",
];

/// Tags around calls.
const WRAPPERS: [&str; 4] = ["tool_call", "tool_calls", "function_call", "function_calls"];

/// Tags around what a model thinks to itself. The opening one is often part of the prompt.
const THOUGHTS: [&str; 5] = ["think", "thinking", "thought", "thoughts", "reasoning"];

/// Thoughts between other marks.
const THOUGHT_TOKENS: [(&str, &str); 2] =
    [("[THINK]", "[/THINK]"), ("<|START_THINKING|>", "<|END_THINKING|>")];

/// With what marks begin.
const STARTS: [char; 7] = ['<', '[', '{', '(', '`', 'A', 'O'];

impl Mark {
    /// Whether a template marks something here; all others are only words that may look like it.
    pub(super) fn is_templates(self) -> bool {
        !matches!(self, Self::ThoughtsEnd(_) | Self::Quote(_) | Self::Json | Self::Python)
    }
}

/// The first mark from `from` on, and where.
pub(super) fn next(text: &str, mut from: usize) -> Option<(usize, Mark)> {
    loop {
        let at = text.get(from..)?.find(STARTS)?.saturating_add(from);
        if let Some(mark) = at_place(text, at) {
            return Some((at, mark));
        }
        let ticks = ticks(text.get(at..)?);
        from = at.saturating_add(ticks.max(1));
    }
}

/// The first mark of a template from `from` on, and where.
pub(super) fn next_of_template(text: &str, mut from: usize) -> Option<(usize, Mark)> {
    loop {
        let (at, mark) = next(text, from)?;
        if mark.is_templates() {
            return Some((at, mark));
        }
        from = at.saturating_add(if let Mark::Quote(ticks) = mark { ticks } else { 1 });
    }
}

/// The mark at a place.
pub(super) fn at_place(text: &str, at: usize) -> Option<Mark> {
    let (before, rest) = text.split_at_checked(at)?;
    match rest.chars().next()? {
        '<' => token(rest).or_else(|| tag(rest)),
        '[' if rest.starts_with("[TOOL_CALLS]") => Some(Mark::Mistral),
        '[' if rest.starts_with("[TOOL_RESULTS]") || rest.starts_with("[INST]") => Some(Mark::Foreign),
        '[' if before.strip_suffix("functools").is_some_and(begins_line) => Some(Mark::Before("", "\0")),
        '[' => token(rest),
        '{' => rest.get(1..)?.trim_start().starts_with(['"', '\'', '“']).then_some(Mark::Json),
        '(' => python(before, rest).then_some(Mark::Python),
        '`' => {
            let ticks = ticks(rest);
            let opens = ticks < 3 && !before.ends_with(|c: char| c.is_alphanumeric() || c == '`');
            opens.then_some(Mark::Quote(ticks))
        }
        'A' => (rest.starts_with("Action:") && begins_line(before)).then_some(Mark::React),
        'O' => (rest.starts_with("Observation:") && begins_line(before)).then_some(Mark::Foreign),
        _ => None,
    }
}

/// The closing mark of the thoughts that begin here.
pub(super) fn thoughts_end(text: &str) -> String {
    let token = THOUGHT_TOKENS.iter().find(|(open, _)| text.starts_with(open)).map(|(_, close)| *close);
    token.map_or_else(|| Tag::at(text).map(|tag| tag.close()).unwrap_or_default(), str::to_owned)
}

/// How many backticks a text begins with.
pub(super) fn ticks(text: &str) -> usize {
    text.len().saturating_sub(text.trim_start_matches('`').len())
}

fn begins_line(before: &str) -> bool {
    before.trim_end_matches([' ', '*']).chars().next_back().is_none_or(|c| c == '\n')
}

fn token(rest: &str) -> Option<Mark> {
    if let Some(parts) = PARTS.iter().find(|parts| rest.starts_with(parts.begin)) {
        return Some(Mark::Parts(parts));
    }
    if let Some((mark, end)) = BEFORE.iter().find(|(mark, _)| rest.starts_with(mark)) {
        return Some(Mark::Before(mark, end));
    }
    if HEADS.iter().any(|head| rest.starts_with(head)) {
        return Some(Mark::Harmony);
    }
    if FOREIGN.iter().any(|mark| rest.starts_with(mark)) {
        return Some(Mark::Foreign);
    }
    if let Some(role) = ROLES.iter().find_map(|role| rest.strip_prefix(role)) {
        return (!role.trim_start().starts_with("assistant")).then_some(Mark::Foreign);
    }
    THOUGHT_TOKENS.iter().find_map(|(open, close)| {
        if rest.starts_with(open) {
            return Some(Mark::Thoughts);
        }
        rest.starts_with(close).then_some(Mark::ThoughtsEnd(close.len()))
    })
}

fn tag(rest: &str) -> Option<Mark> {
    let tag = Tag::at(rest)?;
    let is = |names: &[&str]| names.contains(&tag.name);
    if tag.is_closing {
        let length = tag.head.len().saturating_add("</>".len());
        return (is(&THOUGHTS) && tag.is_plain()).then_some(Mark::ThoughtsEnd(length));
    }
    let is_open = tag.is_plain() || tag.after.starts_with(char::is_whitespace);
    match tag.name {
        "function" | "invoke" if tag.has_more() => Some(Mark::Element),
        _ if is_open && is(&WRAPPERS) => Some(Mark::Wrapper),
        _ if is_open && is(&RESULTS) => Some(Mark::Foreign),
        _ if tag.is_plain() && is(&THOUGHTS) => Some(Mark::Thoughts),
        _ => None,
    }
}

/// Whether a bracket opens the arguments of a call in Python: keywords; or text, where nothing stands before the call.
fn python(before: &str, rest: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let other = before.trim_end_matches(is_part);
    if other.len() == before.len() {
        return false;
    }
    let inside = rest.get(1..).unwrap_or_default().trim_start();
    let after = inside.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
    let keyword = after.len() < inside.len() && after.trim_start().starts_with('=');
    keyword
        || (inside.starts_with(['"', '\'', '{', '['])
            && other.trim_end_matches(['[', '`', ' ', '\n']).is_empty())
}
