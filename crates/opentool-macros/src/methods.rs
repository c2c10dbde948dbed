//! `#[tool]` on an `impl` block: its methods and associated functions become tools that share the value.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, GenericParam, Ident, ImplItem, ImplItemFn, ItemImpl, Meta, Path, Type};

use crate::docs;
use crate::errors::Errors;
use crate::expand::{self, ToolFn};
use crate::signature::{self, Place};
use crate::tool_attr::ToolAttr;
use crate::types;

/// The block, and `From<TheType> for ToolSet`.
pub(crate) fn methods(attr: ToolAttr, mut block: ItemImpl, mut errors: Errors) -> TokenStream {
    let krate = attr.krate.clone().unwrap_or_else(expand::default_crate);
    check_block(&attr, &block, &mut errors);
    let state = (*block.self_ty).clone();
    let mut tools: Vec<(Vec<Attribute>, ToolFn)> = Vec::new();
    for item in &mut block.items {
        let ImplItem::Fn(method) = item else { continue };
        let cfgs: Vec<Attribute> =
            method.attrs.iter().filter(|a| a.path().is_ident("cfg")).cloned().collect();
        if let Some(tool) = method_tool(method, &attr, &state, &mut errors) {
            // Two of one name are possible where `cfg` decides.
            if let (Some((_, other)), true) =
                (tools.iter().find(|(_, other)| other.name == tool.name), cfgs.is_empty())
            {
                errors.at(&tool.callee.ident, clash(&tool, other));
            }
            tools.push((cfgs, tool));
        }
    }
    if tools.is_empty() && errors.is_empty() {
        errors.at(
            &state,
            format!(
                "`{}` gets no tools, for this block has no method to call; write one without `#[tool(skip)]`, or take `#[tool]` off the block",
                types::spelt(&state)
            ),
        );
    }
    let generated = if errors.is_empty() {
        generate(&state, &tools, &krate)
    } else {
        let body = quote!(loop {});
        conversions(&state, None, &body, &krate)
    };
    let errors = errors.into_tokens();
    quote! {
        #block

        const _: () = {
            #generated
        };

        #errors
    }
}

fn clash(tool: &ToolFn, other: &ToolFn) -> String {
    let (ident, there, name) = (&tool.callee.ident, &other.callee.ident, &tool.name);
    format!("`{ident}` and `{there}` are both named `{name}`; write `#[tool(name = \"..\")]` on one of them")
}

fn check_block(attr: &ToolAttr, block: &ItemImpl, errors: &mut Errors) {
    if let Some((path, _)) = &block.trait_ {
        let name = path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        let ty = types::spelt(&block.self_ty);
        errors.at(
            path,
            format!(
                "`{name}` is a trait, and tools are methods of the type itself; write `impl {ty} {{ .. }}`"
            ),
        );
    }
    if let Some(parameter) = block.generics.params.first() {
        let name = match parameter {
            GenericParam::Lifetime(lifetime) => lifetime.lifetime.to_string(),
            GenericParam::Type(ty) => ty.ident.to_string(),
            GenericParam::Const(constant) => constant.ident.to_string(),
        };
        errors.at(
            parameter,
            format!(
                "`{name}` makes the tools generic; write the `impl` for a concrete type, with owned values"
            ),
        );
    }
    check_not_registered(attr, &block.self_ty, errors);
    let of_a_tool = [
        attr.name.as_ref().map(|v| (v.span(), "name")),
        attr.title.as_ref().map(|v| (v.span(), "title")),
        attr.description.as_ref().map(|v| (v.span(), "description")),
        attr.skip.as_ref().map(|v| (v.span(), "skip")),
        attr.ignored.first().map(|v| (v.span(), "ignore_parameters")),
    ];
    for (span, setting) in of_a_tool.into_iter().flatten() {
        let message = format!("`{setting}` is about one tool; write `#[tool({setting} ..)]` on the method");
        errors.add(syn::Error::new(span, message));
    }
}

/// Notes `register`: the linker has functions, but no value whose methods could be called.
fn check_not_registered(attr: &ToolAttr, state: &Type, errors: &mut Errors) {
    if let Some(register) = &attr.register {
        let ty = types::spelt(state);
        errors.at(
            register,
            format!(
                "`register` is for functions, for nobody could make the `{ty}` that a method needs; take `register` off and write `ToolSet::from(value)`"
            ),
        );
    }
}

/// Reads one method; takes our attributes off it. `None` for a method that is no tool.
fn method_tool(
    method: &mut ImplItemFn,
    of_block: &ToolAttr,
    state: &Type,
    errors: &mut Errors,
) -> Option<ToolFn> {
    let attr = of_method(&mut method.attrs, of_block, errors);
    check_not_registered(&attr, state, errors);
    if attr.skip.is_some() {
        return None;
    }
    let ident = method.sig.ident.clone();
    let name = ToolFn::name_of(&ident, attr.name.as_ref(), errors);
    let callee = signature::read(&mut method.sig, &attr, Place::Impl(state), errors);
    let docs = docs::of(&method.attrs);
    let item = format!("{}::{ident}", types::spelt(state));
    let function = quote_spanned!(ident.span()=> <#state>::#ident);
    let tool = ToolFn { name, docs, attr, callee, item, function };
    tool.check_described(errors);
    Some(tool)
}

/// The settings of a method: those of the block that are hints, and its own.
fn of_method(attributes: &mut Vec<Attribute>, of_block: &ToolAttr, errors: &mut Errors) -> ToolAttr {
    let mut tokens = TokenStream::new();
    attributes.retain(|attribute| {
        if !attribute.path().is_ident("tool") {
            return true;
        }
        match &attribute.meta {
            Meta::List(list) => {
                let own = &list.tokens;
                tokens.extend(quote!(#own,));
            }
            Meta::Path(_) => {}
            Meta::NameValue(_) => {
                errors.at(attribute, "write `#[tool(..)]`, for example `#[tool(read_only)]`")
            }
        }
        false
    });
    let mut attr = ToolAttr::parse(tokens, errors);
    if let Some(krate) = &attr.krate {
        errors.at(krate, "`crate` is said once, on the `impl` block: `#[tool(crate = ..)]`");
    }
    // What a method says of itself also answers the opposite.
    let (reads, destroys) = (attr.read_only == Some(true), attr.destructive == Some(true));
    attr.read_only = attr.read_only.or(of_block.read_only.filter(|yes| !(*yes && destroys)));
    attr.destructive = attr.destructive.or(of_block.destructive.filter(|yes| !(*yes && reads)));
    attr.idempotent = attr.idempotent.or(of_block.idempotent);
    attr.open_world = attr.open_world.or(of_block.open_world);
    attr.return_direct |= of_block.return_direct;
    attr.ignore_all |= of_block.ignore_all;
    attr.ignore_description |= of_block.ignore_description;
    attr.ignore_parameter_descriptions |= of_block.ignore_parameter_descriptions;
    let tags = of_block.tags.clone();
    attr.tags.splice(0..0, tags);
    attr
}

fn generate(state: &Type, tools: &[(Vec<Attribute>, ToolFn)], krate: &Path) -> TokenStream {
    let types: Vec<Ident> =
        tools.iter().map(|(_, tool)| format_ident!("__opentool_{}", tool.callee.ident)).collect();
    // What everything below relies on. `for<..>` makes the compiler believe it, so that a state that cannot be
    // shared is reported by the assertions alone, and not once more by each method.
    let shared = quote!(where for<'state> #state: #krate::__private::SharedState);
    let structs = tools.iter().zip(&types).map(|((cfgs, tool), ty)| {
        let implementation = tool.implementation(ty, Some(&shared), krate);
        quote! {
            #(#cfgs)*
            #[allow(non_camel_case_types, dead_code)]
            struct #ty {
                state: #krate::__private::Arc<#state>,
            }

            #(#cfgs)*
            #implementation
        }
    });
    let values = tools.iter().zip(&types).map(|((cfgs, _), ty)| {
        quote! {
            #(#cfgs)*
            tools.push(#krate::__private::Arc::new(#ty { state: #krate::__private::Arc::clone(&self) }));
        }
    });
    let body = quote! {
        let mut tools: ::std::vec::Vec<#krate::__private::Arc<dyn #krate::__private::Tool>> =
            ::std::vec::Vec::new();
        #(#values)*
        #krate::__private::set_of(tools)
    };
    let conversions = conversions(state, Some(&shared), &body, krate);
    let assertions = quote_spanned! {state.span()=>
        const _: () = #krate::__private::assert_shared::<#state>();
        const _: () = #krate::__private::assert_send_and_sync::<#state>();
    };
    quote! {
        #assertions
        #(#structs)*
        #conversions
    }
}

fn conversions(state: &Type, given: Option<&TokenStream>, body: &TokenStream, krate: &Path) -> TokenStream {
    // At the type, so that the compiler shows the line of the `impl` where there are two blocks.
    quote_spanned! {state.span()=>
        #[automatically_derived]
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction, unused_lifetimes)]
        impl #krate::__private::PutAllMethodsIntoOneToolImplBlock for #state #given {
            fn into_tools(self: #krate::__private::Arc<Self>) -> #krate::__private::ToolSet {
                #body
            }
        }
    }
}
