//! Types that cannot be an argument or a result, and what to write instead.

use quote::ToTokens;
use syn::{Ident, Pat, Type, TypeReference};

use crate::errors::Errors;
use crate::types::{self, Unfit};

/// Whether a parameter's type can be an argument, as far as its spelling tells; notes why not.
pub(crate) fn argument_type(pattern: &Pat, ty: &Type, errors: &mut Errors) -> bool {
    let name = pattern.to_token_stream();
    let spelt = types::spelt(ty);
    if types::is_named(ty, "ToolContext") {
        errors.at(ty, format!("`{spelt}` is the host's side of the call; write `{name}: &ToolContext`"));
        return false;
    }
    let Some(unfit) = types::unfit(ty) else { return true };
    match unfit {
        Unfit::Reference(reference) => borrowed(reference, ty, &name, errors),
        Unfit::Lifetime(lifetime) => {
            errors.at(
                lifetime,
                format!("`{spelt}` borrows, but an argument comes from the model; write an owned type or `'static`"),
            );
        }
        Unfit::ImplTrait(part) => {
            let part_text = types::spelt(part);
            errors.at(
                part,
                format!("`{part_text}` has no schema; write the concrete type, for example `String` or `Vec<String>`"),
            );
        }
        Unfit::TraitObject(part) => {
            let part_text = types::spelt(part);
            errors
                .at(part, format!("`{part_text}` has no schema; write a concrete type, for example an enum"));
        }
        Unfit::Inferred(part) => errors.at(part, "`_` has no schema; write the type"),
    }
    false
}

fn borrowed(reference: &TypeReference, whole: &Type, name: &impl ToTokens, errors: &mut Errors) {
    let name = name.to_token_stream();
    let spelt = types::spelt(&Type::Reference(reference.clone()));
    if types::is_named(&reference.elem, "ToolContext") {
        errors.at(reference, format!("`{spelt}`: the context is shared; write `{name}: &ToolContext`"));
        return;
    }
    let owned = match &*reference.elem {
        Type::Slice(slice) => format!("Vec<{}>", types::spelt(&slice.elem)),
        elem if types::is_named(elem, "str") => "String".to_owned(),
        elem if types::is_named(elem, "Path") => "PathBuf".to_owned(),
        elem => types::spelt(elem),
    };
    let instead = types::spelt(whole).replace(&spelt, &owned);
    let message = format!(
        "`{name}: {}` borrows, but an argument comes from the model; write `{name}: {instead}`",
        types::spelt(whole)
    );
    let common = types::is_named(&reference.elem, "str")
        || matches!(types::kind(&reference.elem), types::Kind::Text | types::Kind::List)
        || matches!(&*reference.elem, Type::Slice(_));
    if common {
        errors.at(reference, message);
    } else {
        errors.at(
            reference,
            format!("{message}, or, for something of the host, `cx: &ToolContext` and `cx.get::<{owned}>()`"),
        );
    }
}

/// Notes what is wrong with the spelling of a return type.
pub(crate) fn return_type(
    ty: &Type,
    function: &Ident,
    is_async: bool,
    may_construct: bool,
    errors: &mut Errors,
) {
    if let Type::Never(never) = ty {
        errors.at(
            never,
            format!("`{function}` never returns, so no model gets an answer; write a result type"),
        );
        return;
    }
    if let Some(part) = impl_trait(ty) {
        let spelt = types::spelt(part);
        let message = if !is_async && spelt.contains("Future") {
            format!("`{spelt}`: write `async fn {function}` and what the future gives")
        } else {
            format!("`{spelt}` has no schema; write the concrete type, or `ToolOutput`")
        };
        errors.at(part, message);
        return;
    }
    if may_construct && mentions_self(ty) {
        errors.at(
            ty,
            format!(
                "`{function}` returns `{}`, as constructors do; write `#[tool(skip)]` on it, or move it to another `impl`",
                types::spelt(ty)
            ),
        );
    }
}

fn impl_trait(ty: &Type) -> Option<&Type> {
    match types::unfit(ty) {
        Some(Unfit::ImplTrait(part)) => Some(part),
        _ => None,
    }
}

fn mentions_self(ty: &Type) -> bool {
    match ty {
        Type::Path(path) => {
            let Some(last) = path.path.segments.last() else { return false };
            if path.path.is_ident("Self") {
                return true;
            }
            match &last.arguments {
                syn::PathArguments::AngleBracketed(arguments)
                    if last.ident == "Result" || last.ident == "Option" =>
                {
                    matches!(arguments.args.first(), Some(syn::GenericArgument::Type(first)) if mentions_self(first))
                }
                _ => false,
            }
        }
        _ => false,
    }
}
