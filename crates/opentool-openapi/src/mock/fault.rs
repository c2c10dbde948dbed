//! What is wrong with a request.

use serde::Serialize;
use serde_json::Value;

use opentool_core::Problem;

/// One thing about a request that is not as the document asks.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Fault {
    /// Whether the request is refused for it.
    #[serde(skip)]
    pub gravity: Gravity,
    /// Where, as a JSON Pointer into the request: `/query/limit`, `/body/name`, `/header/X-Version`, `/security`.
    pub pointer: String,
    /// The rule: a JSON Schema keyword, or `required`, `style`, `content-type`, `encoding`, `security`, `undeclared`.
    pub rule: String,
    /// What would be accepted.
    pub detail: String,
    /// What was there, shortened; `***` where it is a credential.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
}

/// How bad a fault is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Gravity {
    /// Allowed, and probably not meant: a query parameter that the document does not have.
    Note,
    /// Not what the document asks for.
    Error,
}

impl Fault {
    pub(super) fn new(
        pointer: impl Into<String>,
        rule: impl Into<String>,
        detail: impl Into<String>,
    ) -> Self {
        Self {
            gravity: Gravity::Error,
            pointer: pointer.into(),
            rule: rule.into(),
            detail: detail.into(),
            found: None,
        }
    }

    pub(super) fn note(mut self) -> Self {
        self.gravity = Gravity::Note;
        self
    }

    pub(super) fn found(mut self, text: &str) -> Self {
        self.found = Some(shown(text));
        self
    }

    /// What the validator says about a value that stands at `base`.
    pub(super) fn of_problem(base: &str, problem: Problem) -> Self {
        let detail = problem.expected.unwrap_or_else(|| format!("it breaks the rule `{}`", problem.rule));
        let mut fault = Self::new(format!("{base}{}", problem.pointer), problem.rule, detail);
        fault.found = problem.found;
        fault
    }

    /// Whether the request is refused for it.
    pub fn is_error(&self) -> bool {
        self.gravity == Gravity::Error
    }
}

/// One line: `/query/limit: expected at most 100, found 500 (maximum)`.
impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.pointer, self.detail)?;
        if let Some(found) = &self.found {
            write!(f, ", found {found}")?;
        }
        write!(f, " ({})", self.rule)
    }
}

/// A text of the request, shortened, with what drives terminals escaped.
pub(super) fn shown(text: &str) -> String {
    const LONGEST: usize = 80;
    let mut shown: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    format!("\"{shown}\"")
}

/// The problem document (RFC 9457) that says it all.
pub(super) fn problem(status: u16, title: &str, detail: &str, faults: &[Fault]) -> Value {
    let mut problem = serde_json::json!({"title": title, "status": status, "detail": detail});
    if let Value::Object(members) = &mut problem
        && !faults.is_empty()
    {
        let faults = faults.iter().filter(|fault| fault.is_error());
        members.insert("errors".to_owned(), serde_json::json!(faults.collect::<Vec<_>>()));
    }
    problem
}
