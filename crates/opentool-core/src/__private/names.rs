//! Tools whose names are known at compile time, so that two of one name in `tools![..]` do not compile.

use std::sync::Arc;

use crate::{Tool, ToolSet};

/// A tool that `#[tool]` made of a function.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a function with `#[tool]`; for the methods of a type write `ToolSet::from(value)`, for any other tool `ToolSet::insert(tool)`",
    label = "`tools![..]` takes functions with `#[tool]`"
)]
pub trait NamedTool: Tool + Sized {
    /// The tool's name.
    const NAME: &'static str;

    /// The tool.
    const TOOL: Self;
}

/// One tool of `tools![..]`: mentions its path once, so that a mistake is reported once.
#[derive(Debug)]
pub struct Named {
    name: &'static str,
    make: fn() -> Arc<dyn Tool>,
}

impl Named {
    /// The tool of this type.
    pub const fn of<T: NamedTool>() -> Self {
        Self { name: T::NAME, make: || Arc::new(T::TOOL) }
    }

    /// The tool.
    pub fn tool(&self) -> Arc<dyn Tool> {
        (self.make)()
    }
}

/// Refuses two equal names. Meant for a `const`: the panic is then an error of the compiler, at the caller.
#[track_caller]
#[allow(clippy::panic, clippy::indexing_slicing)] // The only way to report from a `const`.
pub const fn assert_distinct(tools: &[Named]) {
    let mut i = 0;
    while i < tools.len() {
        let mut j = i + 1;
        while j < tools.len() {
            if equal(tools[i].name.as_bytes(), tools[j].name.as_bytes()) {
                let (text, length) = clash(tools[i].name.as_bytes());
                match std::str::from_utf8(text.split_at(length).0) {
                    Ok(text) => panic!("{}", text),
                    Err(_) => panic!("two tools in one `tools![..]` have the same name"),
                }
            }
            j += 1;
        }
        i += 1;
    }
}

#[allow(clippy::indexing_slicing)]
const fn equal(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// The text of the error: `format!` does not work in a `const`.
#[allow(clippy::indexing_slicing)]
const fn clash(name: &[u8]) -> ([u8; 256], usize) {
    let parts =
        [b"two tools are named `", name, b"`; give one of them another name: `#[tool(name = \"..\")]`"];
    let mut text = [0; 256];
    let mut length = 0;
    let mut part = 0;
    while part < parts.len() {
        let mut i = 0;
        while i < parts[part].len() && length < text.len() {
            text[length] = parts[part][i];
            length += 1;
            i += 1;
        }
        part += 1;
    }
    (text, length)
}

/// The set of tools whose names were found to be distinct.
pub fn set_of(tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> ToolSet {
    let mut set = ToolSet::new();
    for tool in tools {
        let inserted = set.insert(tool);
        debug_assert!(inserted.is_ok(), "the macro checks the names");
    }
    set
}
