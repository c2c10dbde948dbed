//! `#[tool]` on an item: free functions here, `impl` blocks in `methods`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::{FnArg, Item, ItemFn};

use crate::docs;
use crate::errors::Errors;
use crate::expand::{self, ToolFn};
use crate::methods;
use crate::signature::{self, Place};
use crate::tool_attr::ToolAttr;

/// The expansion of the attribute.
pub(crate) fn tool(attributes: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let attr = ToolAttr::parse(attributes, &mut errors);
    match syn::parse2::<Item>(item.clone()) {
        Ok(Item::Fn(function)) => free_function(attr, function, errors),
        Ok(Item::Impl(block)) => methods::methods(attr, block, errors),
        Ok(other) => {
            let name = name_of(&other);
            let message = format!(
                "`{name}` is no function; write `#[tool]` on a `fn`, or on an `impl` block with methods"
            );
            errors.at(name, message);
            with_errors(item, errors)
        }
        Err(error) => {
            errors.add(error);
            with_errors(item, errors)
        }
    }
}

/// The expansion of `#[tools]`, which is `#[tool]` for `impl` blocks only.
pub(crate) fn tools(attributes: TokenStream, item: TokenStream) -> TokenStream {
    match syn::parse2::<Item>(item.clone()) {
        Ok(Item::Fn(function)) => {
            let mut errors = Errors::default();
            let name = &function.sig.ident;
            errors.at(
                name,
                format!("`{name}` is one function: write `#[tool]` on it; `#[tools]` is for `impl` blocks"),
            );
            with_errors(item, errors)
        }
        _ => tool(attributes, item),
    }
}

fn with_errors(item: TokenStream, errors: Errors) -> TokenStream {
    let errors = errors.into_tokens();
    quote!(#item #errors)
}

/// What a person would point at in an item that is not for us.
fn name_of(item: &Item) -> TokenStream {
    match item {
        Item::Struct(item) => item.ident.to_token_stream(),
        Item::Enum(item) => item.ident.to_token_stream(),
        Item::Trait(item) => item.ident.to_token_stream(),
        Item::Mod(item) => item.ident.to_token_stream(),
        Item::Const(item) => item.ident.to_token_stream(),
        Item::Static(item) => item.ident.to_token_stream(),
        Item::Type(item) => item.ident.to_token_stream(),
        other => other.to_token_stream(),
    }
}

fn free_function(attr: ToolAttr, mut function: ItemFn, mut errors: Errors) -> TokenStream {
    let krate = attr.krate.clone().unwrap_or_else(expand::default_crate);
    if let Some(skip) = &attr.skip {
        errors.at(skip, "`skip` is for methods of an `impl` block; take `#[tool]` off this function");
    }
    let ident = function.sig.ident.clone();
    let name = ToolFn::name_of(&ident, attr.name.as_ref(), &mut errors);
    let callee = signature::read(&mut function.sig, &attr, Place::Module, &mut errors);
    let docs = docs::of(&function.attrs);
    let tool = ToolFn { name, docs, attr, callee, item: ident.to_string(), function: quote!(#ident) };
    tool.check_described(&mut errors);

    let visibility = &function.vis;
    // The struct is there when the function is, and says the same in the documentation.
    let shared = function.attrs.iter().filter(|a| docs::is_doc(a) || a.path().is_ident("cfg"));
    let cfgs: Vec<_> = function.attrs.iter().filter(|a| a.path().is_ident("cfg")).collect();
    let name = &tool.name;
    let about = format!("The tool `{name}`, made of the function of the same name.");
    let implementation = if errors.is_empty() {
        tool.implementation(&ident, None, &krate)
    } else {
        expand::stand_in(&ident, &krate)
    };
    let register = match &tool.attr.register {
        Some(key) if errors.is_empty() => Some(quote_spanned!(key.span()=> #krate::__register!(#ident);)),
        _ => None,
    };
    let item = quote! {
        #[doc = #about]
        #[doc = ""]
        #(#shared)*
        #[allow(non_camel_case_types)]
        #[derive(::core::fmt::Debug, ::core::clone::Clone, ::core::marker::Copy)]
        #visibility struct #ident {}

        #(#cfgs)*
        const _: () = {
            impl #krate::__private::NamedTool for #ident {
                const NAME: &'static str = #name;
                const TOOL: Self = #ident {};
            }

            #implementation

            #register
        };
    };
    if matches!(function.sig.inputs.first(), Some(FnArg::Receiver(_))) {
        // With `self` the function is no function; its own errors would drown ours.
        return with_errors(item, errors);
    }
    let errors = errors.into_tokens();
    quote!(#function #item #errors)
}
