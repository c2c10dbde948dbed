//! What a provider accepts, as data: every dialect file fills in one of these tables.
//!
//! The lowering reads them to know what to change, the linter to know what to refuse. Rules about messages and
//! requests that are not about definitions have no place here.

use serde_json::Value;

/// The rules of one dialect, strict or not.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    /// How much of a schema may be touched.
    pub(crate) form: Form,
    /// Names of tools.
    pub(crate) names: NameRule,
    /// Names of properties; any where there is no rule.
    pub(crate) properties: Option<NameRule>,
    /// The longest description of a tool, in characters.
    pub(crate) description: Option<usize>,
    /// The most tools of one request.
    pub(crate) tools: Option<usize>,
    /// The keywords that a schema may use; any where there is no list.
    pub(crate) keywords: Option<&'static [&'static str]>,
    /// The values of `format`; any where there is no list.
    pub(crate) formats: Option<&'static [&'static str]>,
    /// Whether patterns may look around and refer back.
    pub(crate) patterns: Patterns,
    /// Where `$ref` may stand.
    pub(crate) references: References,
    /// What every object must be.
    pub(crate) objects: Objects,
    /// What an enumeration may hold.
    pub(crate) enums: Enums,
    /// How types are written.
    pub(crate) types: Types,
    /// Every schema must say a type, alternatives or a reference.
    pub(crate) typed: bool,
    /// An array must say what its items are.
    pub(crate) items: bool,
    /// The schema of a property may not be `true` or `false`.
    pub(crate) no_booleans: bool,
    /// The root must have `properties`, if only `{}`.
    pub(crate) root_properties: bool,
    /// `anyOf` must be the only keyword of its schema.
    pub(crate) lone_unions: bool,
    /// The largest `minItems`.
    pub(crate) min_items: Option<u64>,
    /// What one schema may hold.
    pub(crate) sizes: Sizes,
    /// What the strict tools of one request may hold together.
    pub(crate) request: Option<Request>,
}

/// How much of a schema is touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Nothing but what keeps the root from being an object.
    AsIs,
    /// What the provider would refuse outright: old drafts, odd roots, names of properties.
    Kept,
    /// It is written anew with the keywords that there are.
    Rebuilt,
}

/// The letters and the length of a name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NameRule {
    /// What may stand beside ASCII letters and digits.
    pub(crate) marks: &'static str,
    /// The first character is a letter or `_`.
    pub(crate) letter_first: bool,
    /// Characters.
    pub(crate) longest: usize,
}

impl NameRule {
    pub(crate) fn allows(&self, c: char) -> bool {
        c.is_ascii_alphanumeric() || self.marks.contains(c)
    }

    pub(crate) fn allows_first(&self, c: char) -> bool {
        !self.letter_first || c.is_ascii_alphabetic() || c == '_'
    }

    pub(crate) fn fits(&self, name: &str) -> bool {
        !name.is_empty()
            && name.len() <= self.longest
            && name.chars().all(|c| self.allows(c))
            && name.chars().next().is_some_and(|c| self.allows_first(c))
    }

    /// The rule in words.
    pub(crate) fn words(&self) -> String {
        let first = if self.letter_first { ", the first of them a letter or `_`" } else { "" };
        let marks: Vec<String> = self.marks.chars().map(|c| format!("`{c}`")).collect();
        format!("1 to {} of ASCII letters, digits, {}{first}", self.longest, marks.join(", "))
    }
}

/// Regular expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patterns {
    Any,
    /// No look-around and no reference back.
    Plain,
}

/// Where `$ref` may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum References {
    Anywhere,
    /// Alone in its schema, and to a definition of the root.
    Alone,
    /// The same, and no circle.
    AloneNoCircle,
    /// The same as [`References::Alone`], and not directly in `anyOf`.
    AloneOutsideUnions,
    /// Nowhere.
    Nowhere,
}

/// What every object must be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Objects {
    /// `additionalProperties: false`, so other keys need a place of their own.
    pub(crate) closed: bool,
    /// The keyword stands; without it, closing is what the reader does by itself.
    pub(crate) says_closed: bool,
    /// Every property is in `required`.
    pub(crate) all_required: bool,
    /// An object without properties may stand below the root.
    pub(crate) empty: bool,
}

/// What `enum` may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Enums {
    Any,
    /// No arrays and objects.
    Scalars,
    /// And no empty string.
    StringsAndNumbers,
    /// But for the empty one.
    Strings,
}

impl Enums {
    /// Whether it may hold a value.
    pub(crate) fn takes(self, value: &Value) -> bool {
        let is_text = value.as_str().is_some_and(|text| !text.is_empty());
        match self {
            Self::Any => true,
            Self::Scalars => !value.is_array() && !value.is_object(),
            Self::StringsAndNumbers => is_text || value.is_number(),
            Self::Strings => is_text,
        }
    }
}

/// How types are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Types {
    /// `string`, and a list where `null` is one of them.
    Json,
    /// `STRING`, and `nullable` in place of `null`.
    OpenApi,
}

/// The most that one schema may hold; each part counted once, references not followed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sizes {
    /// Objects and arrays inside each other; the root counts.
    pub(crate) depth: usize,
    pub(crate) properties: usize,
    /// Values of all enumerations.
    pub(crate) values: usize,
    /// Characters of names, enumerated values and constants.
    pub(crate) characters: usize,
    /// Characters of one enumeration of more than 250 strings.
    pub(crate) long_enum: usize,
}

/// The most that the strict tools of one request may hold together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request {
    pub(crate) strict_tools: usize,
    pub(crate) optional: usize,
    pub(crate) unions: usize,
}

/// No bound that a provider named; the bounds on hostile schemas hold all the same.
pub(crate) const ANY_SIZE: Sizes = Sizes {
    depth: usize::MAX,
    properties: usize::MAX,
    values: usize::MAX,
    characters: usize::MAX,
    long_enum: usize::MAX,
};

/// What nearly every provider agrees on.
pub(crate) const COMMON_NAMES: NameRule = NameRule { marks: "_-", letter_first: false, longest: 64 };

/// A provider that takes nearly any schema of Draft 2020-12 with an object at its root.
pub(crate) const KEPT: Rules = Rules {
    form: Form::Kept,
    names: COMMON_NAMES,
    properties: None,
    description: None,
    tools: None,
    keywords: None,
    formats: None,
    patterns: Patterns::Any,
    references: References::Anywhere,
    objects: Objects { closed: false, says_closed: false, all_required: false, empty: true },
    enums: Enums::Any,
    types: Types::Json,
    typed: false,
    items: false,
    no_booleans: false,
    root_properties: false,
    lone_unions: false,
    min_items: None,
    sizes: ANY_SIZE,
    request: None,
};

/// What the strict modes have in common: closed objects, a type everywhere, alternatives as `anyOf`.
pub(crate) const STRICT: Rules = Rules {
    form: Form::Rebuilt,
    patterns: Patterns::Plain,
    references: References::Alone,
    objects: Objects { closed: true, says_closed: true, all_required: false, empty: true },
    enums: Enums::Scalars,
    typed: true,
    items: true,
    ..KEPT
};
