//! The signature of a function that becomes a tool: who calls it how, and which parameters are arguments.
//!
//! Owned parameters come from the model, borrowed ones from the host: `&self` is state, `&ToolContext` is the
//! call. Whatever breaks that rule is noted here, at the user's own token.

use syn::ext::IdentExt;
use syn::{FnArg, GenericParam, Ident, Pat, PatType, Receiver, ReceiverKind, ReturnType, Signature, Type};

use crate::arg_attr::ArgAttr;
use crate::checks;
use crate::docs;
use crate::errors::Errors;
use crate::fit;
use crate::tool_attr::ToolAttr;
use crate::types;

/// Where a function stands.
#[derive(Clone, Copy)]
pub(crate) enum Place<'a> {
    /// Free.
    Module,
    /// In an `impl` block of this type.
    Impl(&'a Type),
}

/// One parameter, in the order of the function.
pub(crate) enum Parameter {
    /// The call's context.
    Context,
    /// From the model.
    Argument(Box<Argument>),
}

/// A parameter that the model gives.
pub(crate) struct Argument {
    /// What the model calls it.
    pub(crate) name: String,
    /// What the function calls it.
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    pub(crate) docs: Option<proc_macro2::TokenStream>,
    pub(crate) attr: ArgAttr,
    /// Not in the schema: its default is used always.
    pub(crate) ignored: bool,
}

/// What is needed to call the function.
pub(crate) struct Callee {
    pub(crate) ident: Ident,
    pub(crate) has_receiver: bool,
    pub(crate) is_async: bool,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) output: Type,
}

/// Reads a signature; takes our attributes and the doc comments off its parameters.
pub(crate) fn read(
    signature: &mut Signature,
    attr: &ToolAttr,
    place: Place<'_>,
    errors: &mut Errors,
) -> Callee {
    check_head(signature, errors);
    let self_type = match place {
        Place::Module => None,
        Place::Impl(ty) => Some(ty),
    };
    let ident = signature.ident.clone();
    let mut has_receiver = false;
    let mut parameters = Vec::new();
    for input in &mut signature.inputs {
        match input {
            FnArg::Receiver(receiver) => {
                has_receiver = true;
                check_receiver(receiver, &ident, place, errors);
            }
            FnArg::Typed(typed) => parameters.extend(parameter(typed, attr, self_type, errors)),
        }
    }
    check_names(&parameters, attr, errors);
    let output = match &signature.output {
        ReturnType::Default => syn::parse_quote_spanned!(ident.span()=> ()),
        ReturnType::Type(_, ty) => {
            let is_async = signature.asyncness.is_some();
            let may_construct = self_type.is_some() && !has_receiver;
            checks::return_type(ty, &ident, is_async, may_construct, errors);
            types::outside((**ty).clone(), self_type)
        }
    };
    Callee { ident, has_receiver, is_async: signature.asyncness.is_some(), parameters, output }
}

fn check_head(signature: &Signature, errors: &mut Errors) {
    let ident = &signature.ident;
    for parameter in &signature.generics.params {
        let name = match parameter {
            GenericParam::Lifetime(_) => continue,
            GenericParam::Type(ty) => &ty.ident,
            GenericParam::Const(constant) => &constant.ident,
        };
        errors.at(
            name,
            format!("`{name}` makes `{ident}` generic, but a tool has one schema; write concrete types"),
        );
    }
    if let syn::Safety::Unsafe(token) = &signature.safety {
        errors.at(token, format!("`{ident}` is unsafe, but a model calls it; wrap it in a safe function"));
    }
    if let Some(variadic) = &signature.variadic {
        errors.at(variadic, "a tool has a fixed number of parameters; take a `Vec<..>`");
    }
}

fn check_receiver(receiver: &Receiver, ident: &Ident, place: Place<'_>, errors: &mut Errors) {
    if let Place::Module = place {
        errors.at(
            receiver,
            format!(
                "`self` in `{ident}`: a tool with state is a method; put `#[tool]` on the whole `impl` block"
            ),
        );
        return;
    }
    match &receiver.kind {
        ReceiverKind::Reference(_, _, None) => {}
        ReceiverKind::Reference(_, _, Some(_)) => errors.at(
            receiver,
            format!(
                "`&mut self` in `{ident}`: calls run at the same time; write `&self` and keep what changes in a `Mutex`"
            ),
        ),
        _ => errors.at(
            receiver,
            format!("`self` in `{ident}`: a tool is called many times; write `&self`"),
        ),
    }
}

fn parameter(
    typed: &mut PatType,
    attr: &ToolAttr,
    self_type: Option<&Type>,
    errors: &mut Errors,
) -> Option<Parameter> {
    let docs = docs::of(&typed.attrs);
    typed.attrs.retain(|attribute| !docs::is_doc(attribute));
    let had_arg = typed.attrs.iter().find(|attribute| attribute.path().is_ident("arg")).cloned();
    let arg = ArgAttr::take(&mut typed.attrs, errors);
    if let Some(cfg) = typed.attrs.iter().find(|attribute| attribute.path().is_ident("cfg")) {
        errors.at(cfg, "`cfg` on a parameter would change the schema; put `#[cfg(..)]` on two functions");
    }
    if is_context(&typed.ty) {
        if let Some(attribute) = had_arg {
            let pattern = &typed.pat;
            let name = quote::quote!(#pattern);
            errors.at(
                attribute,
                format!("`{name}` comes from the host, not from the model; take `#[arg(..)]` off"),
            );
        }
        return Some(Parameter::Context);
    }
    if !checks::argument_type(&typed.pat, &typed.ty, errors) {
        return None;
    }
    let ident = argument_ident(&typed.pat, errors)?;
    let own_name = ident.unraw().to_string();
    let name = arg.rename.as_ref().map_or_else(|| own_name.clone(), syn::LitStr::value);
    fit::check(&arg, &own_name, &typed.ty, errors);
    let ignored = attr.ignore_all || attr.ignored.contains(&ident);
    if ignored && arg.default.is_none() && !types::is_option(&typed.ty) {
        errors.at(
            &ident,
            format!(
                "`{own_name}` is ignored, so the model cannot give it; write `#[arg(default = ..)]` before it"
            ),
        );
    }
    let ty = types::outside((*typed.ty).clone(), self_type);
    Some(Parameter::Argument(Box::new(Argument { name, ident, ty, docs, attr: arg, ignored })))
}

fn is_context(ty: &Type) -> bool {
    matches!(ty, Type::Reference(reference)
        if reference.mutability.is_none() && types::is_named(&reference.elem, "ToolContext"))
}

fn argument_ident(pattern: &Pat, errors: &mut Errors) -> Option<Ident> {
    match pattern {
        Pat::Ident(pattern) if pattern.by_ref.is_none() && pattern.subpat.is_none() => {
            Some(pattern.ident.clone())
        }
        other => {
            let pattern = quote::quote!(#other);
            let message = format!(
                "`{pattern}` is no name that a model can write; name the parameter and take it apart in the body"
            );
            errors.at(other, message);
            None
        }
    }
}

fn check_names(parameters: &[Parameter], attr: &ToolAttr, errors: &mut Errors) {
    let arguments: Vec<&Argument> = parameters
        .iter()
        .filter_map(|parameter| match parameter {
            Parameter::Argument(argument) => Some(&**argument),
            Parameter::Context => None,
        })
        .collect();
    for (position, argument) in arguments.iter().enumerate() {
        if arguments.iter().take(position).any(|other| other.name == argument.name) {
            let name = &argument.name;
            let message = format!("two parameters are called `{name}`; change one `rename`");
            match &argument.attr.rename {
                Some(rename) => errors.at(rename, message),
                None => errors.at(&argument.ident, message),
            }
        }
    }
    for ignored in &attr.ignored {
        if arguments.iter().any(|argument| argument.ident == *ignored) {
            continue;
        }
        let names: Vec<String> = arguments.iter().map(|a| a.ident.unraw().to_string()).collect();
        let hint = match crate::settings::nearest(&ignored.to_string(), names.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None if names.is_empty() => "the function has no arguments".to_owned(),
            None => format!("it has {}", quoted(&names)),
        };
        errors.at(ignored, format!("there is no parameter `{ignored}` to ignore; {hint}"));
    }
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
