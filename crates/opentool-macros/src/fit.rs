//! Whether literals in attributes fit the parameter that they are written for.
//!
//! Speaks only where the spelling of the type and the literal leave no doubt; the compiler does the rest.

use quote::ToTokens;
use syn::{Expr, ExprGroup, ExprLit, ExprParen, ExprUnary, Lit, Type, UnOp};

use crate::arg_attr::{About, ArgAttr, Default, Rule};
use crate::errors::Errors;
use crate::types::{self, Kind};

/// Notes every setting of a parameter that contradicts its type or another setting.
pub(crate) fn check(attr: &ArgAttr, name: &str, ty: &Type, errors: &mut Errors) {
    let kind = types::kind(ty);
    let spelt = types::spelt(ty);
    for rule in &attr.rules {
        check_rule(rule, name, kind, &spelt, errors);
    }
    check_bounds(attr, errors);
    if let Some(Default::Value(value)) = &attr.default
        && let Some(why) = misfit(value, kind)
    {
        let value_text = value.to_token_stream();
        errors.at(value, format!("the default `{value_text}` does not fit `{name}: {spelt}`; write {why}"));
    } else if let Some(Default::Value(value)) = &attr.default {
        check_default_in_bounds(value, attr, errors);
    }
    for (what, value) in
        attr.values.iter().map(|v| ("enum value", v)).chain(attr.examples.iter().map(|v| ("example", v)))
    {
        if let Some(why) = misfit(value, kind) {
            let value_text = value.to_token_stream();
            errors
                .at(value, format!("the {what} `{value_text}` does not fit `{name}: {spelt}`; write {why}"));
        }
    }
}

fn check_rule(rule: &Rule, name: &str, kind: Kind, spelt: &str, errors: &mut Errors) {
    let (fits, wants) = match rule.about {
        About::Numbers => (matches!(kind, Kind::Integer { .. } | Kind::Float), "numbers"),
        About::Strings => (matches!(kind, Kind::Text | Kind::Char), "strings"),
        About::Lists => (kind == Kind::List, "lists"),
    };
    let key = &rule.key;
    if kind != Kind::Unknown && !fits {
        let instead = match (kind, rule.about) {
            (Kind::List, About::Strings) if key == "min_length" => "; for a list write `min_items`",
            (Kind::List, About::Strings) if key == "max_length" => "; for a list write `max_items`",
            (Kind::Text, About::Numbers) if key == "minimum" => "; for a string write `min_length`",
            (Kind::Text, About::Numbers) if key == "maximum" => "; for a string write `max_length`",
            (Kind::List, _) => "; put the rule on a type of its own for the items",
            _ => "; leave it out or change the type",
        };
        errors.at(key, format!("`{key}` is a rule for {wants}, but `{name}` is `{spelt}`{instead}"));
        return;
    }
    let text_literal = matches!(&rule.value, Expr::Lit(ExprLit { lit: Lit::Str(_), .. }));
    if text_literal && !matches!(rule.keyword, "pattern" | "format") {
        errors.at(&rule.value, format!("`{key}` takes a number: `{key} = 1`"));
    }
}

fn check_bounds(attr: &ArgAttr, errors: &mut Errors) {
    for (low, high) in [("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems")] {
        if let (Some((_, least)), Some((rule, most))) = (bound(attr, low), bound(attr, high))
            && least > most
        {
            let key = &rule.key;
            errors
                .at(&rule.value, format!("`{key}` is {most}, less than the lower bound {least}; swap them"));
        }
    }
}

fn check_default_in_bounds(default: &Expr, attr: &ArgAttr, errors: &mut Errors) {
    let Some(value) = number(default) else { return };
    if let Some((_, least)) = bound(attr, "minimum").filter(|(_, least)| value < *least) {
        errors
            .at(default, format!("the default {value} is less than `minimum = {least}`; change one of them"));
    }
    if let Some((_, most)) = bound(attr, "maximum").filter(|(_, most)| value > *most) {
        errors
            .at(default, format!("the default {value} is more than `maximum = {most}`; change one of them"));
    }
}

fn bound<'a>(attr: &'a ArgAttr, keyword: &str) -> Option<(&'a Rule, f64)> {
    let rule = attr.rules.iter().find(|rule| rule.keyword == keyword)?;
    Some((rule, number(&rule.value)?))
}

/// The value of a number literal, with its sign.
fn number(expr: &Expr) -> Option<f64> {
    match literal(expr)? {
        (negative, Lit::Int(int)) => Some(signed(negative, int.base10_parse().ok()?)),
        (negative, Lit::Float(float)) => Some(signed(negative, float.base10_parse().ok()?)),
        _ => None,
    }
}

fn signed(negative: bool, value: f64) -> f64 {
    if negative { -value } else { value }
}

/// A literal, and whether a minus stands before it.
pub(crate) fn literal(expr: &Expr) -> Option<(bool, &Lit)> {
    match expr {
        Expr::Lit(ExprLit { lit, .. }) => Some((false, lit)),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => {
            literal(expr).map(|(negative, lit)| (!negative, lit))
        }
        Expr::Paren(ExprParen { expr, .. }) | Expr::Group(ExprGroup { expr, .. }) => literal(expr),
        _ => None,
    }
}

/// What to write instead, if the literal certainly does not fit.
fn misfit(value: &Expr, kind: Kind) -> Option<String> {
    let (negative, lit) = literal(value)?;
    let fits = match (kind, lit) {
        (Kind::Unknown, _) => true,
        (Kind::Integer { min, max }, Lit::Int(int)) => match int.base10_parse::<i128>() {
            Ok(value) => (min..=max).contains(&if negative { -value } else { value }),
            Err(_) => false,
        },
        (Kind::Float, Lit::Float(_) | Lit::Int(_)) => true,
        (Kind::Bool, Lit::Bool(_)) | (Kind::Char, Lit::Char(_)) | (Kind::Text, Lit::Str(_)) => true,
        _ => false,
    };
    (!fits).then(|| match kind {
        Kind::Integer { min, max } => format!("a whole number from {min} to {max}"),
        Kind::Float => "a number such as `0.5`".to_owned(),
        Kind::Bool => "`true` or `false`".to_owned(),
        Kind::Char => "a character such as `'x'`".to_owned(),
        Kind::Text => "a string such as `\"text\"`".to_owned(),
        Kind::List | Kind::Unknown => "a list such as `vec![..]`".to_owned(),
    })
}
