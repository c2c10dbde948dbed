//! The settings of `#[arg(..)]` on a parameter.

use syn::{Attribute, Expr, Ident, LitStr, Meta};

use crate::errors::Errors;
use crate::settings::{self, Word};
use crate::tool_attr::description;

const WORDS: &[Word] = &[
    ("description", &["doc", "docs", "desc", "about", "help"]),
    ("default", &["default_value"]),
    ("minimum", &["min", "ge", "gte"]),
    ("maximum", &["max", "le", "lte"]),
    ("exclusive_minimum", &["gt", "greater_than"]),
    ("exclusive_maximum", &["lt", "less_than"]),
    ("multiple_of", &["step"]),
    ("min_length", &["minLength"]),
    ("max_length", &["maxLength"]),
    ("min_items", &["minItems"]),
    ("max_items", &["maxItems"]),
    ("pattern", &["regex", "regexp", "matches"]),
    ("format", &[]),
    ("enum", &["values", "one_of", "oneof", "choices", "options", "possible_values"]),
    ("rename", &["name", "alias"]),
    ("example", &["examples"]),
];

/// What a rule is about; decides which types it may stand on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum About {
    Numbers,
    Strings,
    Lists,
}

/// A keyword of JSON Schema on a parameter.
pub(crate) struct Rule {
    /// As it is written in the attribute.
    pub(crate) key: Ident,
    /// As JSON Schema calls it.
    pub(crate) keyword: &'static str,
    pub(crate) about: About,
    pub(crate) value: Expr,
}

/// The default of a parameter.
pub(crate) enum Default {
    /// `default`: that of the type.
    OfType(Ident),
    /// `default = ..`.
    Value(Expr),
}

/// What `#[arg(..)]` says.
#[derive(std::default::Default)]
pub(crate) struct ArgAttr {
    pub(crate) description: Option<Expr>,
    pub(crate) default: Option<Default>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) values: Vec<Expr>,
    pub(crate) examples: Vec<Expr>,
    pub(crate) rename: Option<LitStr>,
}

impl ArgAttr {
    /// Takes the `#[arg(..)]` attributes out of a parameter's attributes.
    pub(crate) fn take(attributes: &mut Vec<Attribute>, errors: &mut Errors) -> Self {
        let (own, others) = std::mem::take(attributes).into_iter().partition(|a| a.path().is_ident("arg"));
        *attributes = others;
        let own: Vec<Attribute> = own;
        let mut tokens = proc_macro2::TokenStream::new();
        for attribute in own {
            match attribute.meta {
                Meta::List(list) => {
                    tokens.extend(list.tokens);
                    tokens.extend(quote::quote!(,));
                }
                other => errors.at(other, "write `#[arg(..)]`, for example `#[arg(minimum = 1)]`"),
            }
        }
        Self::read(tokens, errors)
    }

    fn read(tokens: proc_macro2::TokenStream, errors: &mut Errors) -> Self {
        let mut attr = Self::default();
        for setting in settings::parse("arg", WORDS, tokens, errors) {
            let key = setting.key.clone();
            let (keyword, about) = match key.to_string().as_str() {
                "description" => {
                    attr.description = description(setting, errors);
                    continue;
                }
                "default" => {
                    attr.default = Some(match setting.value {
                        Some(value) => Default::Value(value),
                        None => Default::OfType(key),
                    });
                    continue;
                }
                "enum" => {
                    attr.values = setting.list("[\"metric\", \"imperial\"]", errors);
                    continue;
                }
                "rename" => {
                    attr.rename = setting.text("\"city-name\"", errors);
                    continue;
                }
                "example" => {
                    attr.examples.extend(setting.expr("\"Paris\"", errors));
                    continue;
                }
                "minimum" => ("minimum", About::Numbers),
                "maximum" => ("maximum", About::Numbers),
                "exclusive_minimum" => ("exclusiveMinimum", About::Numbers),
                "exclusive_maximum" => ("exclusiveMaximum", About::Numbers),
                "multiple_of" => ("multipleOf", About::Numbers),
                "min_length" => ("minLength", About::Strings),
                "max_length" => ("maxLength", About::Strings),
                "min_items" => ("minItems", About::Lists),
                "max_items" => ("maxItems", About::Lists),
                "pattern" => ("pattern", About::Strings),
                _ => ("format", About::Strings),
            };
            let text = matches!(keyword, "pattern" | "format");
            let value = if text {
                let example = if keyword == "pattern" { "\"^[A-Z]{2}$\"" } else { "\"date\"" };
                setting.text(example, errors).map(|text| syn::parse_quote!(#text))
            } else {
                setting.expr("1", errors)
            };
            attr.rules.extend(value.map(|value| Rule { key, keyword, about, value }));
        }
        attr
    }
}
