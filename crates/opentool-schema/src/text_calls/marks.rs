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
    /// The same, right behind a call; elsewhere a word.
    Result,
    /// `Thought:`, which lasts to the next label.
    Thought,
    /// Thoughts, with their closing mark.
    Thoughts,
    /// The end of thoughts, and its length.
    ThoughtsEnd(usize),
    /// Code in a line, in so many backticks.
    Quote(usize),
    /// A line of so many backticks or tildes.
    Fence(usize),
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

/// Tokens of the model's own turn, and those that end it. Behind any other one it is not the model that speaks.
const OWN: [&str; 25] = [
    "<|tool_calls_section_begin|>",
    "<|tool_calls_section_end|>",
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁calls▁end｜>",
    "<|im_assistant|>",
    "<|im_middle|>",
    "<|assistant|>",
    "<｜Assistant｜>",
    "<|begin_of_text|>",
    "<｜begin▁of▁sentence｜>",
    "<|startoftext|>",
    "<|end_header_id|>",
    "<|header_end|>",
    "<|end_of_role|>",
    "<|START_OF_TURN_TOKEN|>",
    "<|CHATBOT_TOKEN|>",
    "<|START_RESPONSE|>",
    "<|END_RESPONSE|>",
    "<|START_TEXT|>",
    "<|END_TEXT|>",
    "<|END_OF_TURN_TOKEN|>",
    "<|plugin|>",
    "<|call|>",
    "<|end|>",
    "<|return|>",
];

/// Tokens before the name of who speaks.
const ROLES: [&str; 4] = ["<|im_start|>", "<|start_header_id|>", "<|start_of_role|>", "<|header_start|>"];

/// What a line begins with, before a number and a colon, that a tool answered, or that is said at last.
const LABELS: [&str; 9] = [
    "Observation",
    "Tool result",
    "Tool Result",
    "Tool response",
    "Tool Response",
    "Tool output",
    "Tool Output",
    "Function result",
    "Final Answer",
];

/// The same, right behind a call.
const RESULT_LABELS: [&str; 3] = ["Result", "Response", "Output"];

/// Tags around the results of tools.
const RESULTS: [&str; 13] = [
    "result",
    "results",
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
const THOUGHT_TOKENS: [(&str, &str); 5] = [
    ("[THINK]", "[/THINK]"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|channel>thought", "<channel|>"),
    ("◁think▷", "◁/think▷"),
];

/// Tags of calls, and the token `<s>`, which is no element.
const PARTS_OF_CALLS: [&str; 6] = ["function", "invoke", "parameter", "arg_key", "arg_value", "s"];

/// Characters of a token.
const LONGEST: usize = 64;

/// With what marks begin.
const STARTS: [char; 12] = ['<', '[', '{', '(', '`', '~', '◁', 'A', 'O', 'T', 'F', 'R'];

impl Mark {
    /// Whether a template marks something here; all others are only words that may look like it.
    pub(super) fn is_templates(self) -> bool {
        !matches!(
            self,
            Self::ThoughtsEnd(_)
                | Self::Quote(_)
                | Self::Fence(_)
                | Self::Json
                | Self::Python
                | Self::Thought
                | Self::Result
        )
    }
}

/// The first mark from `from` on, and where.
pub(super) fn next(text: &str, mut from: usize) -> Option<(usize, Mark)> {
    loop {
        let at = text.get(from..)?.find(STARTS)?.saturating_add(from);
        if let Some(mark) = at_place(text, at) {
            return Some((at, mark));
        }
        from = at.saturating_add(run(text.get(at..)?));
    }
}

/// The first mark of a template from `from` on, and where.
pub(super) fn next_of_template(text: &str, mut from: usize) -> Option<(usize, Mark)> {
    loop {
        let (at, mark) = next(text, from)?;
        if mark.is_templates() {
            return Some((at, mark));
        }
        from = at.saturating_add(run(text.get(at..)?));
    }
}

/// The mark at a place.
pub(super) fn at_place(text: &str, at: usize) -> Option<Mark> {
    let (before, rest) = text.split_at_checked(at)?;
    match rest.chars().next()? {
        '<' => token(rest).or_else(|| tag(before, rest)),
        '[' if rest.starts_with("[TOOL_CALLS]") => Some(Mark::Mistral),
        '[' if rest.starts_with("[TOOL_RESULTS]") || rest.starts_with("[INST]") => Some(Mark::Foreign),
        '[' if before.strip_suffix("functools").is_some_and(begins_line) => Some(Mark::Before("", "\0")),
        '[' | '◁' => token(rest),
        '{' => is_object(rest).then_some(Mark::Json),
        '(' => python(before, rest).then_some(Mark::Python),
        '`' | '~' => {
            let run = run(rest);
            if run >= 3 && begins_line(before) {
                return Some(Mark::Fence(run));
            }
            let opens = run < 3 && !before.ends_with(|c: char| c.is_alphanumeric() || c == '`');
            (opens && rest.starts_with('`')).then_some(Mark::Quote(run))
        }
        _ if rest.starts_with("Action:") => begins_line(before).then_some(Mark::React),
        _ => label(rest).filter(|_| begins_line(before)),
    }
}

/// Whether an object may begin here: a key in quotes, or a word and a colon.
fn is_object(text: &str) -> bool {
    let inside = text.get(1..).unwrap_or_default().trim_start();
    let after = inside.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
    inside.starts_with(['"', '\'', '“', '‘'])
        || (after.len() < inside.len() && after.trim_start().starts_with(':'))
}

/// What the label is with which a line begins.
fn label(line: &str) -> Option<Mark> {
    let is = |label: &&str| {
        line.strip_prefix(*label).is_some_and(|rest| {
            rest.trim_start_matches(|c: char| c == ' ' || c.is_ascii_digit())
                .trim_start_matches('*')
                .starts_with(':')
        })
    };
    if LABELS.iter().any(&is) {
        return Some(Mark::Foreign);
    }
    if RESULT_LABELS.iter().any(&is) {
        return Some(Mark::Result);
    }
    is(&"Thought").then_some(Mark::Thought)
}

/// The next line of ReAct that begins with another label.
pub(super) fn next_label(text: &str, from: usize) -> Option<usize> {
    let lines =
        text.get(from..)?.match_indices('\n').map(|(at, _)| at.saturating_add(from).saturating_add(1));
    lines.into_iter().find(|at| text.get(*at..).is_some_and(begins_with_label))
}

/// Whether a line of ReAct begins here: `Action:`, `Observation:`, `Thought:`, `Final Answer:`, and their like.
pub(super) fn begins_with_label(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '\t', '*']);
    line.starts_with("Action:") || matches!(label(line), Some(Mark::Foreign | Mark::Thought))
}

/// Whether a line of ReAct begins with what a tool answered.
pub(super) fn is_result(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '\t', '*']);
    label(line) == Some(Mark::Foreign) && !line.starts_with("Final")
}

/// Whether it is known what becomes of such a tag.
pub(super) fn is_known(name: &str) -> bool {
    let mut known = WRAPPERS.iter().chain(&RESULTS).chain(&PARTS_OF_CALLS).any(|known| *known == name);
    known |= is_thought(name);
    known
}

fn is_thought(name: &str) -> bool {
    THOUGHTS.iter().any(|thought| thought.eq_ignore_ascii_case(name))
}

/// Where the thoughts end that begin here.
pub(super) fn thoughts_end(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    if let Some((_, close)) = THOUGHT_TOKENS.iter().find(|(open, _)| rest.starts_with(open)) {
        return Some(at.saturating_add(rest.find(close)?).saturating_add(close.len()));
    }
    let open = Tag::at(rest)?;
    let ends = rest.match_indices("</").map(|(end, _)| end.saturating_add(at));
    ends.into_iter().find_map(|end| {
        let (before, rest) = text.split_at_checked(end)?;
        let close = Tag::at(rest).filter(|close| close.head.eq_ignore_ascii_case(open.head))?;
        matches!(tag(before, rest), Some(Mark::ThoughtsEnd(_)))
            .then(|| end.saturating_add(close.head.len()).saturating_add("</>".len()))
    })
}

/// How many backticks a text begins with.
pub(super) fn ticks(text: &str) -> usize {
    text.len().saturating_sub(text.trim_start_matches('`').len())
}

/// The length of the backticks or tildes with which a text begins, or of its first letter.
fn run(text: &str) -> usize {
    match text.chars().next() {
        Some(c @ ('`' | '~')) => text.len().saturating_sub(text.trim_start_matches(c).len()),
        first => first.map_or(1, char::len_utf8),
    }
}

fn begins_line(before: &str) -> bool {
    before.trim_end_matches([' ', '\t', '*']).chars().next_back().is_none_or(|c| c == '\n')
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
    if let Some(role) = ROLES.iter().find_map(|role| rest.strip_prefix(role)) {
        return (!role.trim_start().starts_with("assistant")).then_some(Mark::Foreign);
    }
    let thoughts = THOUGHT_TOKENS.iter().find_map(|(open, close)| {
        if rest.starts_with(open) {
            return Some(Mark::Thoughts);
        }
        rest.starts_with(close).then_some(Mark::ThoughtsEnd(close.len()))
    });
    thoughts
        .or_else(|| token_length(rest).and_then(|end| (!is_own(rest.get(..end)?)).then_some(Mark::Foreign)))
}

/// The length of the token with which a text begins: `<|…|>`, `<｜…｜>`.
pub(super) fn token_length(text: &str) -> Option<usize> {
    let bar = ['|', '｜']
        .into_iter()
        .find(|bar| text.strip_prefix('<').is_some_and(|text| text.starts_with(*bar)))?;
    let start = bar.len_utf8().saturating_add(1);
    let inside = text.get(start..)?;
    let no_part = |(_, c): &(usize, char)| matches!(c, '<' | '>' | '|' | '｜') || c.is_whitespace();
    let (length, _) = inside.char_indices().take(LONGEST).find(no_part)?;
    let is_closed = length > 0 && inside.get(length..)?.strip_prefix(bar)?.starts_with('>');
    is_closed.then(|| start.saturating_add(length).saturating_add(start))
}

/// Whether a token belongs to the model's own turn.
fn is_own(token: &str) -> bool {
    OWN.contains(&token)
        || super::ENDS.contains(&token)
        || BEFORE.iter().any(|(_, end)| *end == token)
        || PARTS.iter().any(|parts| parts.middle == token || parts.end == token)
}

fn tag(before: &str, rest: &str) -> Option<Mark> {
    let tag = Tag::at(rest)?;
    let is = |names: &[&str]| names.contains(&tag.name);
    if tag.is_closing {
        let length = tag.head.len().saturating_add("</>".len());
        let behind = rest.get(length..).unwrap_or_default();
        let is_quoted =
            ['"', '\'', '`'].into_iter().any(|quote| before.ends_with(quote) && behind.starts_with(quote));
        return (is_thought(tag.name) && tag.is_plain() && !is_quoted).then_some(Mark::ThoughtsEnd(length));
    }
    let is_open = tag.is_plain() || tag.after.starts_with(char::is_whitespace);
    match tag.name {
        "function" | "invoke" if tag.has_more() => Some(Mark::Element),
        _ if is_open && is(&WRAPPERS) => Some(Mark::Wrapper),
        _ if is_open && is(&RESULTS) => Some(Mark::Foreign),
        _ if is_thought(tag.name) && tag.is_whole() => Some(Mark::Thoughts),
        // Gemma's.
        "start_of_turn" if tag.is_plain() => (!tag.after.starts_with(">model")).then_some(Mark::Foreign),
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
