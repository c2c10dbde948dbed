//! What can be known of a type by its spelling.
//!
//! A macro sees no types, only how they are written. What is concluded here is therefore used for better
//! messages and never to decide what a tool does.

use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{GenericArgument, Lifetime, PathArguments, PathSegment, Type, TypePath, TypeReference};

/// What the values of a type look like, as far as its spelling tells.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Integer { min: i128, max: i128 },
    Float,
    Bool,
    Char,
    Text,
    List,
    Unknown,
}

/// The kind of a type; that of `T` for `Option<T>` and `Box<T>`.
pub(crate) fn kind(ty: &Type) -> Kind {
    let Some(segment) = last_segment(ty) else {
        return if matches!(ty, Type::Array(_)) { Kind::List } else { Kind::Unknown };
    };
    let integer = |min: i128, max: i128| Kind::Integer { min, max };
    match segment.ident.to_string().as_str() {
        "i8" => integer(i8::MIN.into(), i8::MAX.into()),
        "i16" => integer(i16::MIN.into(), i16::MAX.into()),
        "i32" => integer(i32::MIN.into(), i32::MAX.into()),
        "i64" | "isize" => integer(i64::MIN.into(), i64::MAX.into()),
        "i128" => integer(i128::MIN, i128::MAX),
        "u8" => integer(0, u8::MAX.into()),
        "u16" => integer(0, u16::MAX.into()),
        "u32" => integer(0, u32::MAX.into()),
        "u64" | "usize" => integer(0, u64::MAX.into()),
        "u128" => integer(0, i128::MAX),
        "f32" | "f64" => Kind::Float,
        "bool" => Kind::Bool,
        "char" => Kind::Char,
        "String" => Kind::Text,
        "Vec" | "VecDeque" | "HashSet" | "BTreeSet" => Kind::List,
        "Option" | "Box" => only_argument(segment).map_or(Kind::Unknown, kind),
        _ => Kind::Unknown,
    }
}

/// Whether the type is spelt `Option<..>`.
pub(crate) fn is_option(ty: &Type) -> bool {
    last_segment(ty).is_some_and(|segment| segment.ident == "Option")
}

/// Whether the last word of the type's path is this one.
pub(crate) fn is_named(ty: &Type, name: &str) -> bool {
    last_segment(ty).is_some_and(|segment| segment.ident == name)
}

fn last_segment(ty: &Type) -> Option<&PathSegment> {
    match ty {
        Type::Path(TypePath { path, .. }) => path.segments.last(),
        Type::Paren(inner) => last_segment(&inner.elem),
        Type::Group(inner) => last_segment(&inner.elem),
        _ => None,
    }
}

fn only_argument(segment: &PathSegment) -> Option<&Type> {
    match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => match arguments.args.first() {
            Some(GenericArgument::Type(ty)) if arguments.args.len() == 1 => Some(ty),
            _ => None,
        },
        _ => None,
    }
}

/// The type as a person writes it: `Option<& str>` becomes `Option<&str>`.
pub(crate) fn spelt(ty: &Type) -> String {
    let mut text = quote::quote!(#ty).to_string();
    for (from, to) in [
        (" < ", "<"),
        (" <", "<"),
        ("< ", "<"),
        (" >", ">"),
        ("& ", "&"),
        (" :: ", "::"),
        (":: ", "::"),
        (" ,", ","),
        (" ;", ";"),
        (" (", "("),
        ("( ", "("),
        (" )", ")"),
        ("[ ", "["),
        (" ]", "]"),
    ] {
        text = text.replace(from, to);
    }
    text
}

/// What in a type cannot be an argument.
pub(crate) enum Unfit<'a> {
    Reference(&'a TypeReference),
    Lifetime(&'a Lifetime),
    ImplTrait(&'a Type),
    TraitObject(&'a Type),
    Inferred(&'a Type),
}

/// The first thing in the type that cannot be made from JSON.
pub(crate) fn unfit(ty: &Type) -> Option<Unfit<'_>> {
    let mut search = Search(None);
    search.visit_type(ty);
    search.0
}

struct Search<'a>(Option<Unfit<'a>>);

impl<'a> Search<'a> {
    fn found(&mut self, unfit: Unfit<'a>) {
        self.0.get_or_insert(unfit);
    }
}

impl<'a> Visit<'a> for Search<'a> {
    fn visit_type(&mut self, ty: &'a Type) {
        match ty {
            Type::Reference(reference) => self.found(Unfit::Reference(reference)),
            Type::ImplTrait(_) => self.found(Unfit::ImplTrait(ty)),
            Type::TraitObject(_) => self.found(Unfit::TraitObject(ty)),
            Type::Infer(_) => self.found(Unfit::Inferred(ty)),
            _ => visit::visit_type(self, ty),
        }
    }

    fn visit_lifetime(&mut self, lifetime: &'a Lifetime) {
        if lifetime.ident != "static" {
            self.found(Unfit::Lifetime(lifetime));
        }
    }
}

/// The type as it can be written outside of the function: `Self` spelt out, lifetimes of the function left to
/// the compiler.
pub(crate) fn outside(mut ty: Type, self_type: Option<&Type>) -> Type {
    Outside { self_type }.visit_type_mut(&mut ty);
    ty
}

struct Outside<'a> {
    self_type: Option<&'a Type>,
}

impl VisitMut for Outside<'_> {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        if let (Type::Path(path), Some(self_type)) = (&mut *ty, self.self_type) {
            if path.path.is_ident("Self") && path.qself.is_none() {
                *ty = self_type.clone();
                return;
            }
            if path.qself.is_none() && path.path.segments.first().is_some_and(|s| s.ident == "Self") {
                let rest = path.path.segments.iter().skip(1);
                *ty = syn::parse_quote!(<#self_type>::#(#rest)::*);
                return;
            }
        }
        visit_mut::visit_type_mut(self, ty);
    }

    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if lifetime.ident != "static" {
            lifetime.ident = syn::Ident::new("_", lifetime.ident.span());
        }
    }
}
