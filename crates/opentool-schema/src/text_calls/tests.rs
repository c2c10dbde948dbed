//! How much is looked at in a long text: twice the text, twice the work.

use std::cell::Cell;

use super::parse_text_calls_of;

thread_local! {
    /// How often a place was looked at for a tag.
    pub(super) static LOOKS: Cell<u64> = const { Cell::new(0) };
}

fn looks(text: &str) -> u64 {
    LOOKS.with(|looks| looks.set(0));
    let _ = parse_text_calls_of(text, ["f"]);
    LOOKS.with(Cell::get)
}

#[test]
fn twice_the_text_is_twice_the_work() {
    for piece in [
        "<function=f>",
        "<function=f></function>",
        "<function=f><parameter=x>",
        "</parameter>",
        "<tool_call>",
        "<tool_call>my ",
        "<tool_call>my </think>",
        "<tool_call><function=f>",
        "<tool_call>f<arg_key>x</arg_key><arg_value>",
        "<arg_value>",
        "<function=f><parameter=x>a</parameter></function></think>",
        "<tool_call>[f(x=1)]</tool_call></think>",
        "`<tool_call>` ",
        "`<tool_call>``x`` ",
        "<think></think>",
        "<|channel|>a</think>",
        "<|start|>user<|message|><",
        "<invoke name=\"f\"/></think>",
        "Action: a b\n<",
        "{'a': <}",
        "f(x=1) <",
        "<think ",
        "<b>",
        "<b></b>",
        "“<function=f></function>",
        "```\n<function=f></function>\n```\n",
    ] {
        let (once, twice) = (looks(&piece.repeat(1_000)), looks(&piece.repeat(2_000)));
        assert!(twice <= once * 2 + 1_000, "{piece}: {once}, {twice}");
    }
}
