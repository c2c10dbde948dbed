//! The attribute `#[tool]` of `opentool`: functions and methods become tools; and `#[enum_names]` for enums.
//!
//! The crate reads signatures and attributes, and reports every mistake in one go. What a tool does at run
//! time is not generated code but lives in `opentool_core::__private`; the expansion only calls it.

use proc_macro::TokenStream;

mod arg_attr;
mod checks;
mod docs;
mod enum_names;
mod errors;
mod expand;
mod fit;
mod function;
mod methods;
mod settings;
mod signature;
mod tool_attr;
mod types;

/// Makes a function a tool, or the methods of a type tools. The facade `opentool` re-exports it, with the
/// documentation.
#[proc_macro_attribute]
pub fn tool(attributes: TokenStream, item: TokenStream) -> TokenStream {
    let (attributes, item) = (attributes.into(), item.into());
    function::tool(attributes, item).into()
}

/// `#[tool]` for `impl` blocks, under the name that reads best there: `#[opentool::macros::tools] impl Shop { .. }`.
///
/// It is not at the root of the facade, where `tools![..]` has the name: a `use` brings in one macro per name.
#[proc_macro_attribute]
pub fn tools(attributes: TokenStream, item: TokenStream) -> TokenStream {
    let (attributes, item) = (attributes.into(), item.into());
    function::tools(attributes, item).into()
}

/// Keeps the names of an enum's variants beside the values that serde gives them, so that a profile
/// (`opentool_schema::profile`) can show models the names and read them back.
///
/// It stands above `#[derive(serde::Deserialize, schemars::JsonSchema)]` and takes `crate = path` where `opentool` goes by
/// another name. The schema of the enum stays as it is; `Schema::as_named` of `opentool_core` has the names too. Which
/// name belongs to which value is found by reading the value, so that all of serde's attributes count.
#[proc_macro_attribute]
pub fn enum_names(attributes: TokenStream, item: TokenStream) -> TokenStream {
    enum_names::enum_names(attributes.into(), item.into()).into()
}
