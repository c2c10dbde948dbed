//! The settings of `#[tool(..)]`.

use proc_macro2::TokenStream;
use syn::{Expr, ExprLit, Ident, Lit, LitStr, Path};

use crate::errors::Errors;
use crate::settings::{self, Word};

const WORDS: &[Word] = &[
    ("name", &["rename", "id"]),
    ("title", &[]),
    ("description", &["doc", "docs", "desc", "about", "help"]),
    ("tags", &["tag", "groups", "categories"]),
    ("return_direct", &["direct", "is_return_direct"]),
    ("read_only", &["readonly", "readOnlyHint", "read_only_hint", "pure"]),
    ("destructive", &["dangerous", "destructiveHint", "destructive_hint"]),
    ("idempotent", &["idempotentHint", "idempotent_hint"]),
    ("open_world", &["openWorldHint", "open_world_hint"]),
    ("ignore_parameters", &["ignore", "hide", "exclude", "skip_parameters"]),
    ("ignore_all_parameters", &[]),
    ("ignore_description", &["ignore_function_description"]),
    ("ignore_parameter_descriptions", &[]),
    ("skip", &[]),
    ("register", &["registered", "global", "auto"]),
    ("crate", &["krate"]),
];

/// What `#[tool(..)]` says.
#[derive(Default)]
pub(crate) struct ToolAttr {
    pub(crate) name: Option<LitStr>,
    pub(crate) title: Option<LitStr>,
    pub(crate) description: Option<Expr>,
    pub(crate) tags: Vec<LitStr>,
    pub(crate) return_direct: bool,
    pub(crate) read_only: Option<bool>,
    pub(crate) destructive: Option<bool>,
    pub(crate) idempotent: Option<bool>,
    pub(crate) open_world: Option<bool>,
    pub(crate) ignored: Vec<Ident>,
    pub(crate) ignore_all: bool,
    pub(crate) ignore_description: bool,
    pub(crate) ignore_parameter_descriptions: bool,
    /// The key, to point at.
    pub(crate) skip: Option<Ident>,
    /// The key, to point at.
    pub(crate) register: Option<Ident>,
    /// Where `opentool` is.
    pub(crate) krate: Option<Path>,
}

impl ToolAttr {
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut attr = Self::default();
        let mut destructive = None;
        for setting in settings::parse("tool", WORDS, tokens, errors) {
            let key = setting.key.clone();
            match key.to_string().as_str() {
                "name" => attr.name = setting.text("\"get_weather\"", errors),
                "title" => attr.title = setting.text("\"Weather\"", errors),
                "description" => attr.description = description(setting, errors),
                "tags" => attr.tags = tags(setting, errors),
                "return_direct" => attr.return_direct = setting.yes_or_no(errors).unwrap_or(false),
                "read_only" => attr.read_only = setting.yes_or_no(errors),
                "destructive" => {
                    destructive = Some(key);
                    attr.destructive = setting.yes_or_no(errors);
                }
                "idempotent" => attr.idempotent = setting.yes_or_no(errors),
                "open_world" => attr.open_world = setting.yes_or_no(errors),
                "ignore_parameters" => attr.ignored = setting.names("[unit, limit]", errors),
                "ignore_all_parameters" => attr.ignore_all = setting.flag(errors),
                "ignore_description" => attr.ignore_description = setting.flag(errors),
                "ignore_parameter_descriptions" => {
                    attr.ignore_parameter_descriptions = setting.flag(errors);
                }
                "skip" => attr.skip = setting.flag(errors).then_some(key),
                "register" => attr.register = setting.flag(errors).then_some(key),
                _ => attr.krate = setting.path("::opentool", errors),
            }
        }
        if attr.read_only == Some(true) && attr.destructive == Some(true) {
            errors.at(destructive, "`destructive` contradicts `read_only`; keep the one that is true");
        }
        attr
    }
}

/// An expression of type `&str`; a literal must say something.
pub(crate) fn description(setting: settings::Setting, errors: &mut Errors) -> Option<Expr> {
    let example = "\"What it does.\"";
    let expr = setting.expr(example, errors)?;
    if let Expr::Lit(ExprLit { lit, .. }) = &expr {
        match lit {
            Lit::Str(text) if !text.value().trim().is_empty() => {}
            Lit::Str(_) => errors.at(&expr, format!("`description` is empty; write {example}")),
            _ => errors.at(&expr, format!("`description` takes a string: `description = {example}`")),
        }
    }
    Some(expr)
}

fn tags(setting: settings::Setting, errors: &mut Errors) -> Vec<LitStr> {
    setting
        .list("[\"weather\", \"free\"]", errors)
        .into_iter()
        .filter_map(|item| match item {
            Expr::Lit(ExprLit { lit: Lit::Str(tag), .. }) => Some(tag),
            other => {
                errors.at(other, "a tag is a string: `tags = [\"weather\", \"free\"]`");
                None
            }
        })
        .collect()
}
