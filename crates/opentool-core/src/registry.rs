//! Tools that register themselves: `#[tool(register)]`, and the sets that are made of them.
//!
//! The linker puts the list together (the crate `inventory`), so that no function has to be named twice. The list has
//! no order of its own; sets made of it have that of the modules and of the lines in them, the same in every build. It
//! holds functions only: a method needs a value, which nobody could make here.

use std::sync::Arc;

use crate::__private::NamedTool;
use crate::{NameClash, Tool, ToolSet};

/// One registered tool.
#[derive(Debug)]
pub struct Registered {
    make: fn() -> Arc<dyn Tool>,
    place: Place,
}

/// Where a tool stands: what it is sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    module: &'static str,
    file: &'static str,
    line: u32,
    column: u32,
}

impl Registered {
    /// The tool of this type, which stands there.
    pub const fn of<T: NamedTool>(module: &'static str, file: &'static str, line: u32, column: u32) -> Self {
        Self { make: || Arc::new(T::TOOL), place: Place { module, file, line, column } }
    }
}

inventory::collect!(Registered);

impl ToolSet {
    /// All functions of the program with `#[tool(register)]`, in the order of their modules' paths, and within a module
    /// in that of the source. Needs the feature `register`.
    ///
    /// A crate that nothing refers to is not linked, nor are its tools: `use that_crate as _;` is enough to have them.
    ///
    /// # Errors
    /// [`NameClash`] if two have the same name; [`ToolSet::registered_in`] takes those of one module.
    pub fn registered() -> Result<Self, NameClash> {
        Self::registered_where(|_| true)
    }

    /// The functions with `#[tool(register)]` of a module and the modules in it: `ToolSet::registered_in("shop::orders")`,
    /// `ToolSet::registered_in(module_path!())`, or a whole crate by its name. Needs the feature `register`.
    ///
    /// # Errors
    /// [`NameClash`] if two have the same name.
    pub fn registered_in(module: &str) -> Result<Self, NameClash> {
        Self::registered_where(|of_tool| {
            of_tool.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
        })
    }

    fn registered_where(wanted: impl Fn(&str) -> bool) -> Result<Self, NameClash> {
        let mut found: Vec<&Registered> =
            inventory::iter::<Registered>.into_iter().filter(|tool| wanted(tool.place.module)).collect();
        found.sort_by_key(|tool| tool.place);
        Self::from_tools(found.into_iter().map(|tool| (tool.make)()))
    }
}

/// What `#[tool(register)]` expands to.
#[doc(hidden)]
#[macro_export]
macro_rules! __register {
    ($tool:ty) => {
        $crate::__private::inventory::submit! {
            $crate::__private::Registered::of::<$tool>(
                ::core::module_path!(), ::core::file!(), ::core::line!(), ::core::column!()
            )
        }
    };
}
