//! A text of either notation to a value.

use opentool_core::Diagnostic;
use serde_json::Value;

use crate::build::Build;
use crate::{Notation, Tree, count_values, json, yaml};

/// Why a text is not a document.
type Fault = Box<Diagnostic>;

/// What the reader of a text knows beforehand; it decides about the notation and appears in messages.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Expected<'a> {
    /// The kind of document with its article: `an OpenAPI document`.
    pub document: &'a str,
    /// How one begins: `openapi: 3.1.0`.
    pub beginning: &'a str,
    /// What a file name or a media type says. A text that is not in this notation may still be in the other.
    pub notation: Option<Notation>,
}

impl<'a> Expected<'a> {
    /// A document of this kind, which begins like this, in either notation.
    pub const fn new(document: &'a str, beginning: &'a str) -> Self {
        Self { document, beginning, notation: None }
    }

    /// What the file name or the media type says.
    pub const fn notation(mut self, notation: Option<Notation>) -> Self {
        self.notation = notation;
        self
    }
}

/// What a text holds.
#[derive(Debug)]
#[non_exhaustive]
pub struct Parsed<V = Value> {
    /// The value, order kept. Nested at most 128 levels deep, which is what lets readers walk it by recursion.
    pub value: V,
    /// How the text is written.
    pub notation: Notation,
    /// What the value holds in another way than the text, each with its pointer:
    ///
    /// * `duplicate-key` (error): of two values the last one counts;
    /// * `number-range` (with its place): a number such as `1e400`. In JSON it is an error, and the nearest number there is
    ///   stands in its place; in YAML, where it may be a word as well, it is a warning, and stays a text;
    /// * `json-depth`, `yaml-depth` (error): what is nested too deeply is left out, `null` stands in its place;
    /// * `lone-surrogate` (warning): half of a character (`\ud800`) is read as U+FFFD;
    /// * `control-character` (warning): a line end or a tab in a text of JSON is read as white space;
    /// * `trailing-comma` (warning): a comma of JSON behind which nothing comes is left out;
    /// * `yaml-several-documents` (error): of several documents in one text the first one counts;
    /// * `yaml-key`, `yaml-merge`, `yaml-alias` (error): what JSON cannot say is left out;
    /// * `yaml-tab`, `yaml-indentation` (warning): white space that YAML does not allow there was read as it was meant.
    pub findings: Vec<Diagnostic>,
}

impl<V> Parsed<V> {
    /// A value of a text in this notation, about which there is nothing to say.
    pub fn new(value: V, notation: Notation) -> Self {
        Self { value, notation, findings: Vec::new() }
    }
}

/// How many values and names of members a text may have: some gigabyte of memory. The largest public documents have a few
/// million.
const MOST_VALUES: usize = 8_000_000;

/// Reads a text. JSON goes first where the text looks like it: it is a hundred times faster, and its errors are
/// clearer.
///
/// # Errors
/// A diagnostic with the place where the text stops being a document.
pub fn parse(text: &str, expected: &Expected<'_>) -> Result<Parsed, Fault> {
    read(text, expected, |value| value)
}

/// Reads a text as [`parse`] does, to a value that borrows from it: for those who look at it and keep nothing. Of JSON it
/// costs a third; YAML is read as ever.
///
/// ```
/// use opentool_text::{Expected, parse_tree};
///
/// let menu = parse_tree(r#"{"dishes": ["soup"]}"#, &Expected::new("a menu", "dishes:"))?.value;
/// assert_eq!(menu.get("dishes").and_then(|dishes| dishes.as_array()?.first()?.as_str()), Some("soup"));
/// # Ok::<(), Box<opentool_core::Diagnostic>>(())
/// ```
///
/// # Errors
/// A diagnostic with the place where the text stops being a document.
pub fn parse_tree<'t>(text: &'t str, expected: &Expected<'_>) -> Result<Parsed<Tree<'t>>, Fault> {
    read(text, expected, Tree::from)
}

fn read<'t, V: Build<'t>>(
    text: &'t str,
    expected: &Expected<'_>,
    built: impl Fn(Value) -> V,
) -> Result<Parsed<V>, Fault> {
    let first = text.trim_start().chars().next();
    if first.is_none() {
        return Err(Diagnostic::error("empty", "", "the document is empty").into());
    }
    if text.len() / 2 > MOST_VALUES && count_values(text) > MOST_VALUES {
        let message = format!(
            "the document has more than {MOST_VALUES} values and names, which would take gigabytes to read"
        );
        return Err(Diagnostic::error("too-many-values", "", message)
            .help(format!("give a text with fewer: {} needs no such number", expected.document))
            .into());
    }
    // `<<` is how YAML merges.
    if first == Some('<') && !text.trim_start().starts_with("<<") {
        let message = format!("this is an HTML or XML page, not {}", expected.document);
        return Err(Diagnostic::error("html", "", message)
            .help("give the address of the JSON or YAML text itself; documentation pages link to it")
            .into());
    }
    let says_yaml = expected.notation == Some(Notation::Yaml);
    let looks_like_json = matches!(first, Some('{' | '['));
    let in_yaml = |parsed: Parsed| Parsed {
        value: built(parsed.value),
        notation: Notation::Yaml,
        findings: parsed.findings,
    };
    if looks_like_json || expected.notation == Some(Notation::Json) {
        match json::parse(text) {
            Ok(mut parsed) => {
                if says_yaml {
                    // YAML allows it.
                    parsed.findings.retain(|found| found.code != "trailing-comma");
                }
                return Ok(parsed);
            }
            // YAML can begin with a brace too, and files have wrong names.
            Err(error) if looks_like_json && !says_yaml => return Err(error),
            Err(error) => {
                return match yaml::parse(text) {
                    Ok(parsed) if parsed.value.is_object() => Ok(in_yaml(parsed)),
                    Err(yaml_error) if says_yaml => Err(yaml_error),
                    _ => Err(error),
                };
            }
        }
    }
    match yaml::parse(text) {
        Ok(Parsed { value: Value::String(_), .. }) => {
            let message = "this is plain text, neither JSON nor YAML with keys";
            Err(Diagnostic::error("not-a-document", "", message)
                .help(format!("{} begins with `{}`", expected.document, expected.beginning))
                .into())
        }
        Ok(Parsed { value: Value::Null, .. }) => {
            Err(Diagnostic::error("empty", "", "the document is empty but for comments").into())
        }
        Ok(parsed) => Ok(in_yaml(parsed)),
        Err(error) if says_yaml => Err(error),
        Err(error) => {
            let message = format!("this is neither JSON nor YAML; as YAML: {}", error.message);
            let mut found = Diagnostic::error(error.code, "", message);
            found.help = error.help;
            found.location = error.location;
            Err(found.into())
        }
    }
}
