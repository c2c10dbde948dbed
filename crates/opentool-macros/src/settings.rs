//! What stands between the parentheses of `#[tool(..)]` and `#[arg(..)]`: `key`, `key = expression`.
//!
//! Unknown keys are answered with the likeliest known one. What a key means is not decided here.

use proc_macro2::TokenStream;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Expr, ExprArray, ExprLit, ExprPath, Ident, Lit, LitStr, Path, Token};

use crate::errors::Errors;

/// One `key` or `key = value`.
pub(crate) struct Setting {
    pub(crate) key: Ident,
    pub(crate) value: Option<Expr>,
}

impl Parse for Setting {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let key = Ident::parse_any(input)?;
        let value = if input.parse::<Option<Token![=]>>()?.is_some() {
            Some(input.parse()?)
        } else {
            if input.peek(syn::token::Paren) {
                return Err(input.error(format!("write `{key} = ..` instead of `{key}(..)`")));
            }
            None
        };
        Ok(Self { key, value })
    }
}

/// A word that may stand in the attribute, and words that people write for it elsewhere.
pub(crate) type Word = (&'static str, &'static [&'static str]);

/// Reads the settings of `attribute`; unknown and repeated keys are noted and left out.
pub(crate) fn parse(
    attribute: &str,
    words: &[Word],
    tokens: TokenStream,
    errors: &mut Errors,
) -> Vec<Setting> {
    let settings = match Punctuated::<Setting, Token![,]>::parse_terminated.parse2(tokens) {
        Ok(settings) => settings,
        Err(error) => {
            errors.add(error);
            return Vec::new();
        }
    };
    let mut seen: Vec<Setting> = Vec::new();
    for setting in settings {
        let key = setting.key.to_string();
        if !words.iter().any(|(word, _)| *word == key) {
            errors.at(&setting.key, unknown(attribute, &key, words));
        } else if key != "example" && seen.iter().any(|other| other.key == setting.key) {
            errors.at(&setting.key, format!("`{key}` is written twice in `#[{attribute}(..)]`; keep one"));
        } else {
            seen.push(setting);
        }
    }
    seen
}

fn unknown(attribute: &str, key: &str, words: &[Word]) -> String {
    let same = words.iter().find(|(_, others)| others.contains(&key)).map(|(word, _)| *word);
    let near = || nearest(key, words.iter().map(|(word, _)| *word));
    match same.or_else(near) {
        Some(word) => format!("unknown setting `{key}` in `#[{attribute}(..)]`; did you mean `{word}`?"),
        None => {
            let known = words.iter().map(|(word, _)| format!("`{word}`")).collect::<Vec<_>>().join(", ");
            format!("unknown setting `{key}` in `#[{attribute}(..)]`; it knows {known}")
        }
    }
}

/// The likeliest of some words, if one is likely at all.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&word.to_lowercase(), &candidate.to_lowercase()), candidate))
        .filter(|(score, _)| *score > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

impl Setting {
    /// The expression after `=`.
    pub(crate) fn expr(self, example: &str, errors: &mut Errors) -> Option<Expr> {
        if self.value.is_none() {
            let key = &self.key;
            errors.at(key, format!("`{key}` needs a value: `{key} = {example}`"));
        }
        self.value
    }

    /// A string literal that says something.
    pub(crate) fn text(self, example: &str, errors: &mut Errors) -> Option<LitStr> {
        let key = self.key.clone();
        match self.expr(example, errors)? {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if text.value().trim().is_empty() => {
                errors.at(&text, format!("`{key}` is empty; write {example} or leave `{key}` out"));
                None
            }
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text),
            other => {
                errors.at(other, format!("`{key}` takes a string: `{key} = {example}`"));
                None
            }
        }
    }

    /// `key`, `key = true`, `key = false`.
    pub(crate) fn yes_or_no(self, errors: &mut Errors) -> Option<bool> {
        let key = self.key;
        match self.value {
            None => Some(true),
            Some(Expr::Lit(ExprLit { lit: Lit::Bool(yes), .. })) => Some(yes.value),
            Some(other) => {
                errors.at(other, format!("write `{key}`, `{key} = true` or `{key} = false`"));
                None
            }
        }
    }

    /// `key` alone.
    pub(crate) fn flag(self, errors: &mut Errors) -> bool {
        let key = self.key;
        if let Some(value) = self.value {
            errors.at(value, format!("`{key}` takes no value; write `{key}` or leave it out"));
        }
        true
    }

    /// `key = [a, b]`.
    pub(crate) fn list(self, example: &str, errors: &mut Errors) -> Vec<Expr> {
        let key = self.key.clone();
        match self.expr(example, errors) {
            Some(Expr::Array(ExprArray { elems, .. })) if !elems.is_empty() => elems.into_iter().collect(),
            Some(other) => {
                errors.at(other, format!("`{key}` takes a list: `{key} = {example}`"));
                Vec::new()
            }
            None => Vec::new(),
        }
    }

    /// `key = [name, other]`.
    pub(crate) fn names(self, example: &str, errors: &mut Errors) -> Vec<Ident> {
        let key = self.key.clone();
        let items = self.list(example, errors);
        items
            .into_iter()
            .filter_map(|item| match &item {
                Expr::Path(ExprPath { path, .. }) if path.get_ident().is_some() => path.get_ident().cloned(),
                _ => {
                    errors.at(item, format!("`{key}` takes names of parameters: `{key} = {example}`"));
                    None
                }
            })
            .collect()
    }

    /// `key = some::path`.
    pub(crate) fn path(self, example: &str, errors: &mut Errors) -> Option<Path> {
        let key = self.key.clone();
        match self.expr(example, errors)? {
            Expr::Path(ExprPath { path, qself: None, .. }) => Some(path),
            other => {
                errors.at(other, format!("`{key}` takes a path: `{key} = {example}`"));
                None
            }
        }
    }
}
