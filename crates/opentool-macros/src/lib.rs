//! The attributes #[tool] and #[tools] of opentool.
use proc_macro::TokenStream;

/// Makes a function a tool.
#[proc_macro_attribute]
pub fn tool(_attr: TokenStream, item: TokenStream) -> TokenStream {
    item
}

/// Makes the methods of a type tools.
#[proc_macro_attribute]
pub fn tools(_attr: TokenStream, item: TokenStream) -> TokenStream {
    item
}
