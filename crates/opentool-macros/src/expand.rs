//! The code of one tool: its definition, and the call of the function behind it.
//!
//! Everything is named by its full path below `opentool::__private`, so that nothing in the user's scope can
//! change what it means. Names of our own are hygienic.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, GenericArgument, Ident, Lit, LitStr, Path, PathArguments, Type};

use crate::arg_attr::Default;
use crate::errors::Errors;
use crate::fit::literal;
use crate::signature::{Argument, Callee, Parameter};
use crate::tool_attr::ToolAttr;

/// One function that becomes a tool.
pub(crate) struct ToolFn {
    pub(crate) name: String,
    pub(crate) docs: Option<TokenStream>,
    pub(crate) attr: ToolAttr,
    pub(crate) callee: Callee,
    /// Path of the function below its module: `weather`, `Shop::orders`.
    pub(crate) item: String,
    /// What stands before the arguments' parentheses: `weather`, `<Shop>::orders`.
    pub(crate) function: TokenStream,
}

impl ToolFn {
    /// The name that the model calls; notes a name that no provider would take.
    pub(crate) fn name_of(ident: &Ident, given: Option<&LitStr>, errors: &mut Errors) -> String {
        use syn::ext::IdentExt as _;
        let name = given.map_or_else(|| ident.unraw().to_string(), LitStr::value);
        let start = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let rest = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
        if !(start && rest && name.len() <= 64) {
            let message = format!(
                "`{name}` cannot be a tool's name everywhere; use up to 64 of `A-Z a-z 0-9 _ -`, not starting with a digit"
            );
            match given {
                Some(given) => errors.at(given, message),
                None => errors.at(ident, format!("{message}: `#[tool(name = \"..\")]`")),
            }
        }
        name
    }

    /// Notes a tool that nothing describes.
    pub(crate) fn check_described(&self, errors: &mut Errors) {
        if self.docs.is_none() && self.attr.description.is_none() && !self.attr.ignore_description {
            let ident = &self.callee.ident;
            errors.at(
                ident,
                format!("`{ident}` has no description, and a model chooses by it; write `/// What it does.` above it"),
            );
        }
    }

    /// `impl Tool for` the type, whose `self.state` is what the methods are called on; `given` is its `where`.
    pub(crate) fn implementation(
        &self,
        ty: &Ident,
        given: Option<&TokenStream>,
        krate: &Path,
    ) -> TokenStream {
        let definition = self.definition(krate);
        let call = self.call(krate);
        quote! {
            #[automatically_derived]
            #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction, deprecated, unused_lifetimes)]
            impl #krate::__private::Tool for #ty #given {
                fn definition(&self) -> &#krate::__private::ToolDefinition {
                    static DEFINITION: #krate::__private::OnceLock<#krate::__private::ToolDefinition> =
                        #krate::__private::OnceLock::new();
                    DEFINITION.get_or_init(|| #definition)
                }

                #call
            }
        }
    }

    fn definition(&self, krate: &Path) -> TokenStream {
        let Self { name, attr, item, .. } = self;
        let description = match (&attr.description, &self.docs) {
            _ if attr.ignore_description => quote!(""),
            (Some(given), _) => quote!(#given),
            (None, Some(docs)) => quote!(#krate::__private::describe(#docs)),
            (None, None) => quote!(""),
        };
        let title = attr.title.iter();
        let tags = &attr.tags;
        let return_direct = attr.return_direct.then(|| quote!(.return_direct(true)));
        let hints = [
            ("read_only", attr.read_only),
            ("destructive", attr.destructive),
            ("idempotent", attr.idempotent),
            ("open_world", attr.open_world),
        ];
        let hints = hints.into_iter().filter_map(|(hint, value)| {
            let hint = Ident::new(hint, Span::call_site());
            value.map(|value| quote!(.#hint(#value)))
        });
        let input = self.input(krate);
        let probe = self.returned(krate);
        quote! {{
            #[allow(unused_imports)]
            use #krate::__private::{NotReturnable as _, PlainReturn as _, ResultReturn as _};
            let mut definition = #krate::__private::ToolDefinition::new(#name, #description)
                #(.title(#title))*
                #(.tag(#tags))*
                #return_direct
                .annotations(#krate::__private::Annotations::new()#(#hints)*)
                .input_schema(#input)
                .origin(#krate::__private::Origin::new("rust").item(::core::concat!(
                    ::core::module_path!(), "::", #item
                )));
            definition.output_schema = #probe.value().schema();
            definition
        }}
    }

    fn input(&self, krate: &Path) -> TokenStream {
        let mut arguments = self.arguments().filter(|argument| !argument.ignored).peekable();
        if arguments.peek().is_none() {
            return quote!(#krate::__private::Schema::no_arguments());
        }
        let properties = arguments.map(|argument| self.property(argument, krate));
        quote! {
            #krate::__private::Schema::of_types(|| {
                #[allow(unused_imports)]
                use #krate::__private::{NoSchema as _, NotReadable as _, NotWritable as _};
                let mut input = #krate::__private::Input::new();
                #(#properties)*
                input.finish()
            })
        }
    }

    fn property(&self, argument: &Argument, krate: &Path) -> TokenStream {
        let Argument { name, ty, attr, docs, .. } = argument;
        let argument_of = quote_spanned!(ty.span()=> #krate::__private::Argument::<#ty>::new());
        // The method's name carries the user's span: the compiler points there if the type does not fit.
        let schema = quote_spanned!(ty.span()=> schema);
        let description = match (&attr.description, docs) {
            _ if self.attr.ignore_parameter_descriptions => Some(quote!(.no_description())),
            (Some(given), _) => Some(quote!(.description(#given))),
            (None, Some(docs)) => Some(quote!(.description(#krate::__private::describe(#docs)))),
            (None, None) => None,
        };
        let default = self
            .default_of(argument, krate)
            .map(|default| quote!(.default(#krate::__private::Argument::<#ty>::new().shown(#default))));
        let json = |expr: &Expr| quote!(#krate::__private::serde_json::json!(#expr));
        let rules = attr.rules.iter().map(|rule| {
            let keyword = rule.keyword;
            let value = json(&wide(&rule.value));
            quote!(.rule(#keyword, #value))
        });
        let values = (!attr.values.is_empty()).then(|| {
            let values = attr.values.iter().map(|value| json(&wide(value)));
            quote!(.values([#(#values),*]))
        });
        let examples = (!attr.examples.is_empty()).then(|| {
            let examples = attr.examples.iter().map(|example| json(&wide(example)));
            quote!(.examples([#(#examples),*]))
        });
        quote! {
            let schema = #argument_of.#schema(input.generator());
            input.push(
                #krate::__private::Property::new(
                    #name,
                    schema,
                    #krate::__private::Argument::<#ty>::new().optional(),
                )
                #(#rules)*
                #values
                #examples
                #default
                #description
            );
        }
    }

    /// The default of an argument, as an expression of the argument's type.
    fn default_of(&self, argument: &Argument, krate: &Path) -> Option<TokenStream> {
        let ty = &argument.ty;
        match argument.attr.default.as_ref()? {
            Default::OfType(key) => {
                let default_value = Ident::new("default_value", key.span());
                Some(quote_spanned! {key.span()=> {
                    #[allow(unused_imports)]
                    use #krate::__private::NoDefault as _;
                    #krate::__private::Argument::<#ty>::new().#default_value()
                }})
            }
            // A literal or a constant may stand for a type that is made of it; any other expression has the
            // argument's type, so that the compiler can infer what is in it.
            Default::Value(value) if literal(value).is_some() || matches!(value, Expr::Path(_)) => {
                Some(quote_spanned! {value.span()=> #krate::__private::default_for::<#ty, _>(#value)})
            }
            Default::Value(value) => Some(quote_spanned! {value.span()=> {
                let default: #ty = #value;
                default
            }}),
        }
    }

    fn call(&self, krate: &Path) -> TokenStream {
        let site = Span::mixed_site();
        let (this, cx, arguments, reader) = (
            Ident::new("self", Span::call_site()),
            Ident::new("cx", site),
            Ident::new("arguments", site),
            Ident::new("reader", site),
        );
        let mut reads = Vec::new();
        let mut unwraps = Vec::new();
        let mut passed = Vec::new();
        if self.callee.has_receiver {
            passed.push(quote!(&*#this.state));
        }
        for (position, parameter) in self.callee.parameters.iter().enumerate() {
            match parameter {
                Parameter::Context => passed.push(quote!(#cx)),
                Parameter::Argument(argument) => {
                    let local = Ident::new(&format!("argument_{position}"), site);
                    let read = self.read(argument, &reader, krate);
                    reads.push(quote!(let #local = #read;));
                    unwraps.push(quote! {
                        let ::core::option::Option::Some(#local) = #local else {
                            return ::core::result::Result::Err(#reader.into_error());
                        };
                    });
                    passed.push(quote!(#local));
                }
            }
        }
        let straight = self.straight(krate);
        let function = &self.function;
        let pin = quote_spanned!(self.callee.ident.span()=> ::std::boxed::Box::pin);
        let wait = self.callee.is_async.then(|| quote!(.await));
        let span = self.callee.output.span();
        let probe = self.returned(krate);
        let output = Ident::new("output", span);
        let raise = Ident::new("raise", span);
        // Where the compiler points if a result does not fit. Nothing of the user's is in their scope.
        let value = Ident::new("value", span);
        let error = Ident::new("error", span);
        let reader_of = if reads.is_empty() {
            quote!(let _ = #arguments;)
        } else {
            quote!(let mut #reader = #krate::__private::Reader::new(#arguments);)
        };
        let result = quote! {
            ::core::result::Result<#krate::__private::ToolOutput, #krate::__private::ToolError>
        };
        let run = quote! {
            let returned = #function(#(#passed),*)#wait;
            match #probe.result(returned) {
                ::core::result::Result::Ok(#value) => #probe.value().#output(#value),
                ::core::result::Result::Err(#error) => {
                    ::core::result::Result::Err(#probe.error().#raise(#error))
                }
            }
        };
        let started = if self.callee.is_async {
            quote!(#krate::__private::Started::Running(#pin(async move { #run })))
        } else {
            quote!({
                *answer = ::core::option::Option::Some({ #run });
                #krate::__private::Started::Ended
            })
        };
        let call_straight = straight.map(|reads| {
            quote! {
                fn call_straight<'a>(
                    &'a #this,
                    #cx: &'a #krate::__private::ToolContext,
                    #arguments: &#krate::__private::serde_json::Value,
                    answer: &mut ::core::option::Option<#result>,
                ) -> ::core::option::Option<#krate::__private::Started<'a>> {
                    #[allow(unused_imports)]
                    use #krate::__private::{
                        NotAnError as _, NotReturnable as _, NotStraight as _, PlainReturn as _, ResultReturn as _,
                    };
                    let _ = (#cx, &answer);
                    let mut call = #krate::__private::Straight::new(#arguments)?;
                    #reads
                    call.end()?;
                    ::core::option::Option::Some(#started)
                }
            }
        });
        quote! {
            fn call<'a>(
                &'a #this,
                #cx: &'a #krate::__private::ToolContext,
                #arguments: #krate::__private::Arguments,
            ) -> #krate::__private::BoxFuture<'a, #result> {
                #[allow(unused_imports)]
                use #krate::__private::{
                    NotAnError as _, NotReadable as _, NotReturnable as _, PlainReturn as _, ResultReturn as _,
                };
                let _ = #cx;
                #pin(async move {
                    #reader_of
                    #(#reads)*
                    #(#unwraps)*
                    #run
                })
            }

            #call_straight
        }
    }

    /// Reads the arguments straight from what the model wrote, where each parameter is told to the model and has no
    /// rule or default of its own.
    fn straight(&self, krate: &Path) -> Option<TokenStream> {
        let mut reads = TokenStream::new();
        for (position, parameter) in self.callee.parameters.iter().enumerate() {
            let Parameter::Argument(argument) = parameter else { continue };
            let Argument { name, ty, attr, ignored, .. } = &**argument;
            let word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
            let ruled = attr.default.is_some() || !attr.rules.is_empty() || !attr.values.is_empty();
            if *ignored || ruled || !word || !plain(ty) {
                return None;
            }
            let local = Ident::new(&format!("argument_{position}"), Span::mixed_site());
            reads.extend(quote! {
                let #local = #krate::__private::Argument::<#ty>::new().read_straight(&mut call, #name)?;
            });
        }
        (!reads.is_empty()).then_some(reads)
    }

    fn read(&self, argument: &Argument, reader: &Ident, krate: &Path) -> TokenStream {
        let Argument { name, ty, ignored, .. } = argument;
        let of = quote_spanned!(ty.span()=> #krate::__private::Argument::<#ty>::new());
        let method = |name: &str| Ident::new(name, ty.span());
        let default = self.default_of(argument, krate);
        match (ignored, default) {
            (false, None) => {
                let read = method("read");
                quote!(#of.#read(&mut #reader, #name))
            }
            (false, Some(default)) => {
                let read = method("read_or");
                quote!(#of.#read(&mut #reader, #name, || #default))
            }
            (true, None) => {
                let read = method("absent");
                quote!(#of.#read(&mut #reader, #name))
            }
            (true, Some(default)) => quote!(::core::option::Option::Some(#default)),
        }
    }

    /// What tells results and plain values apart; see `opentool_core::__private::returned`.
    fn returned(&self, krate: &Path) -> TokenStream {
        let ty = &self.callee.output;
        quote_spanned!(ty.span()=> (&&#krate::__private::Returned::<#ty>::new()))
    }

    fn arguments(&self) -> impl Iterator<Item = &Argument> {
        self.callee.parameters.iter().filter_map(|parameter| match parameter {
            Parameter::Argument(argument) => Some(&**argument),
            Parameter::Context => None,
        })
    }
}

/// Whether a type looks like one that can be read straight from text. What it really is, its methods decide.
fn plain(ty: &Type) -> bool {
    const PLAIN: &[&str] = &["bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f64", "String"];
    let Type::Path(path) = ty else { return false };
    let Some(last) = path.path.segments.last() else { return false };
    match &last.arguments {
        PathArguments::None => PLAIN.iter().any(|name| last.ident == name),
        PathArguments::AngleBracketed(arguments) if last.ident == "Option" => {
            matches!(arguments.args.first(), Some(GenericArgument::Type(inner)) if plain(inner) && !is_option(inner))
        }
        _ => false,
    }
}

fn is_option(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Option"))
}

/// What stands in for the tool when something is wrong with it: the mistakes are then the only errors.
pub(crate) fn stand_in(ty: &Ident, krate: &Path) -> TokenStream {
    let lifetime = syn::Lifetime::new("'a", Span::mixed_site());
    quote! {
        impl #krate::__private::Tool for #ty {
            fn definition(&self) -> &#krate::__private::ToolDefinition {
                loop {}
            }

            fn call<#lifetime>(
                &#lifetime self,
                _: &#lifetime #krate::__private::ToolContext,
                _: #krate::__private::Arguments,
            ) -> #krate::__private::BoxFuture<
                #lifetime,
                ::core::result::Result<#krate::__private::ToolOutput, #krate::__private::ToolError>,
            > {
                loop {}
            }
        }
    }
}

/// An integer literal without a suffix as `i64`, so that it does not end at 2^31.
fn wide(expr: &Expr) -> Expr {
    let mut expr = expr.clone();
    match &mut expr {
        Expr::Lit(literal) => {
            if let Lit::Int(int) = &literal.lit
                && int.suffix().is_empty()
            {
                let ty = if int.base10_parse::<i64>().is_ok() { "i64" } else { "u64" };
                literal.lit = Lit::Int(syn::LitInt::new(&format!("{int}{ty}"), int.span()));
            }
        }
        Expr::Unary(unary) => *unary.expr = wide(&unary.expr),
        _ => {}
    }
    expr
}

/// The path of `opentool` when nobody says otherwise.
pub(crate) fn default_crate() -> Path {
    let opentool = format_ident!("opentool");
    syn::parse_quote!(::#opentool)
}
