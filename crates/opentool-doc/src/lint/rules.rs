//! Every rule that the linter knows: its name, how bad it is to break it, and what it asks for.

use opentool_core::Severity;

/// A rule of the linter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rule {
    /// The name in diagnostics. It never changes.
    pub code: &'static str,
    /// How bad it is to break it.
    pub severity: Severity,
    /// What it asks for.
    pub summary: &'static str,
}

macro_rules! rules {
    ($($name:ident = $code:literal, $severity:ident, $summary:literal;)*) => {
        $(pub(crate) const $name: Rule =
            Rule { code: $code, severity: Severity::$severity, summary: $summary };)*

        /// Every rule of the format that [`crate::lint()`] checks. Texts that are not JSON or YAML at all have others.
        pub const RULES: &[Rule] = &[$($name),*];
    };
}

rules! {
    NOT_OPENTOOL = "not-opentool", Error, "the text is an OpenTool document";
    MISSING_MEMBER = "missing-member", Error, "required members are there and are not null";
    WRONG_TYPE = "wrong-type", Error, "members have the type that the format says";
    MISSPELT_MEMBER = "misspelt-member", Warning, "a member that the format does not define does not look like one that it does";
    UNKNOWN_MEMBER = "unknown-member", Note, "members are those that the format defines, `$schema`, or begin with `x-`";
    FOREIGN_KEYWORD = "foreign-keyword", Warning, "a schema has no keyword of JSON Schema that the format lacks";
    NEWER_MEMBER = "newer-member", Warning, "members belong to the version that the document says";
    FORMAT_VERSION = "format-version", Error, "`opentool` is a version of three numbers";
    UNKNOWN_VERSION = "unknown-version", Warning, "`opentool` is a version that exists";
    INFO_VERSION = "info-version", Warning, "`info.version` is a version";
    EMPTY_TITLE = "empty-title", Warning, "`info.title` says something";
    SERVER_URL = "server-url", Warning, "`server.url` is an http or https address";
    SERVER_CREDENTIALS = "server-credentials", Warning, "`server.url` holds no credentials";
    NO_FUNCTIONS = "no-functions", Warning, "the document describes a function";
    FUNCTION_NAME = "function-name", Error, "a function name is made of A-Z, a-z, 0-9, `_` and `-`";
    FUNCTION_NAME_LENGTH = "function-name-length", Error, "a function name has at most 64 characters";
    DUPLICATE_FUNCTION = "duplicate-function", Error, "function names are unique";
    DUPLICATE_PARAMETER = "duplicate-parameter", Error, "parameter names are unique in their function";
    EMPTY_NAME = "empty-name", Error, "a name is not empty";
    EMPTY_DESCRIPTION = "empty-description", Warning, "a description says something: a model reads it";
    HIDDEN_CHARACTERS = "hidden-characters", Warning, "a description has no characters that a reader does not see";
    NO_DESCRIPTION = "no-description", Note, "a parameter is described, by itself or by its schema";
    UNKNOWN_TYPE = "unknown-type", Error, "`type` is one of the six types";
    OBJECT_WITHOUT_PROPERTIES = "object-without-properties", Error, "an object has `properties`";
    ARRAY_WITHOUT_ITEMS = "array-without-items", Error, "an array has `items`";
    MISPLACED_MEMBER = "misplaced-member", Warning, "`properties` and `required` belong to objects, `items` to arrays";
    ENUM_TYPE = "enum-type", Error, "values of `enum` are of the type beside it, or null";
    EMPTY_ENUM = "empty-enum", Warning, "`enum` allows something";
    DUPLICATE_ENUM = "duplicate-enum", Warning, "values of `enum` are distinct";
    UNKNOWN_REQUIRED = "unknown-required", Error, "`required` names properties that exist";
    DUPLICATE_REQUIRED = "duplicate-required", Warning, "`required` names a property once";
    REF_OUTSIDE = "ref-outside", Error, "`$ref` leads to `#/schemas/NAME`";
    REF_NOT_FOUND = "ref-not-found", Error, "`$ref` leads to a schema that exists";
    REF_ENDLESS = "ref-endless", Error, "references lead to a schema in the end";
    REF_TO_REF = "ref-to-ref", Warning, "a schema that is referred to is not itself a reference";
    REF_SIBLINGS = "ref-siblings", Warning, "beside `$ref` stands at most a description";
    RECURSIVE_SCHEMA = "recursive-schema", Note, "a schema that contains itself is meant to";
    ENDLESS_SCHEMA = "endless-schema", Warning, "a value of a schema can come to an end";
    UNUSED_SCHEMA = "unused-schema", Warning, "every schema is used by a function";
    SCHEMA_NAME = "schema-name", Warning, "a schema name can be written in a reference as it is";
    INEXACT_NUMBER = "inexact-number", Error, "numbers are integers of up to 64 bits, or doubles";
    TOO_DEEP = "too-deep", Error, "schemas are nested at most 128 levels deep";
}
