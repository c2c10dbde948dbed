//! Doc comments, as one expression of type `&str`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The lines of a doc comment, or `None` if there is nothing in it.
///
/// `#[doc = include_str!("..")]` works: the text is put together by the compiler.
pub(crate) fn of(attributes: &[Attribute]) -> Option<TokenStream> {
    let lines: Vec<&Expr> = attributes
        .iter()
        .filter_map(|attribute| match &attribute.meta {
            Meta::NameValue(doc) if doc.path.is_ident("doc") => Some(&doc.value),
            _ => None,
        })
        .collect();
    let says_nothing = lines.iter().all(|line| match line {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => text.value().trim().is_empty(),
        _ => false,
    });
    (!says_nothing).then(|| quote!(::core::concat!(#(#lines, "\n"),*)))
}

/// Whether this is a doc comment or another `doc` attribute.
pub(crate) fn is_doc(attribute: &Attribute) -> bool {
    attribute.path().is_ident("doc")
}
