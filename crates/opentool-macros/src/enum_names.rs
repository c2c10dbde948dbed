//! `#[enum_names]`: an enum that tells its schema what its variants are called.
//!
//! It adds one attribute for schemars and the list of names; which value of JSON stands for which variant is found at
//! run time, by serde itself. It does not read serde's attributes.

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use syn::{Attribute, Fields, Item, ItemEnum, Meta};

use crate::errors::Errors;
use crate::expand;
use crate::settings;
use crate::settings::Word;

const WORDS: &[Word] = &[("crate", &["krate"])];

/// The expansion of the attribute.
pub(crate) fn enum_names(attributes: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let krate = settings::parse("enum_names", WORDS, attributes, &mut errors)
        .into_iter()
        .find_map(|setting| setting.path("::opentool", &mut errors))
        .unwrap_or_else(expand::default_crate);
    let generated = match syn::parse2::<Item>(item.clone()) {
        Ok(Item::Enum(mut item)) => {
            check(&item, &mut errors);
            let ident = &item.ident;
            let marked = quote!(transform = #krate::__private::mark_names::<#ident>);
            let names = names(&item, &krate);
            if errors.is_empty() {
                // Behind the derives: an attribute of theirs must not stand before them.
                item.attrs.push(syn::parse_quote!(#[schemars(#marked)]));
                quote!(#item #names)
            } else {
                quote!(#item)
            }
        }
        Ok(_) => {
            let first = item.clone().into_iter().next();
            errors.at(
                first,
                "`#[enum_names]` is about the variants of an enum; take it off, or write it on an `enum`",
            );
            item
        }
        Err(error) => {
            errors.add(error);
            item
        }
    };
    let errors = errors.into_tokens();
    quote!(#generated #errors)
}

fn check(item: &ItemEnum, errors: &mut Errors) {
    let ident = &item.ident;
    if let Some(parameter) = item.generics.params.first() {
        errors
            .at(parameter, format!("`{ident}` is generic; `#[enum_names]` takes an enum without parameters"));
    }
    if item.variants.is_empty() {
        errors.at(ident, format!("`{ident}` has no variants, so no value fits it; give it one"));
    }
    if !item.attrs.iter().any(derives_a_schema) {
        errors.at(
            ident,
            format!(
                "`{ident}` gets no schema below `#[enum_names]`; put `#[derive(serde::Deserialize, schemars::JsonSchema)]` below it, not above"
            ),
        );
    }
}

fn derives_a_schema(attribute: &Attribute) -> bool {
    let Meta::List(list) = &attribute.meta else { return false };
    attribute.path().is_ident("derive")
        && list
            .tokens
            .clone()
            .into_iter()
            .any(|token| matches!(token, TokenTree::Ident(i) if i == "JsonSchema"))
}

fn names(item: &ItemEnum, krate: &syn::Path) -> TokenStream {
    use syn::ext::IdentExt as _;
    let ident = &item.ident;
    let (mut pushes, mut arms) = (TokenStream::new(), TokenStream::new());
    for variant in &item.variants {
        let cfgs: Vec<&Attribute> = variant.attrs.iter().filter(|a| a.path().is_ident("cfg")).collect();
        let of = &variant.ident;
        let name = of.unraw().to_string();
        let rest = match &variant.fields {
            Fields::Unit => TokenStream::new(),
            Fields::Named(_) => quote!({ .. }),
            Fields::Unnamed(_) => quote!((..)),
        };
        pushes.extend(quote!(#(#cfgs)* names.push(#name);));
        arms.extend(quote!(#(#cfgs)* #ident::#of #rest => #name,));
    }
    quote! {
        #[automatically_derived]
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction, deprecated)]
        impl #krate::__private::EnumNames for #ident {
            fn names() -> ::std::vec::Vec<&'static str> {
                let mut names = ::std::vec::Vec::new();
                #pushes
                names
            }

            fn name(&self) -> &'static str {
                match self {
                    #arms
                }
            }
        }
    }
}
