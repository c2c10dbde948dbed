//! Rules about all tools of a request together.

use std::collections::HashSet;

use serde_json::Value;

use super::{Finding, Parts, lint};
use crate::dialect::Dialect;
use crate::dialect::lower::count;

/// Judges what a request holds under `tools`: each definition, and all of them together.
pub fn lint_request(dialect: Dialect, tools: &Value) -> Vec<Finding> {
    let declarations = "/0/functionDeclarations";
    let (place, list) = match dialect {
        Dialect::Gemini | Dialect::GeminiOpenApi if tools.pointer(declarations).is_some() => {
            (declarations, tools.pointer(declarations))
        }
        _ => ("", Some(tools)),
    };
    let Some(Value::Array(list)) = list else {
        return vec![Finding::new("", "form", "the tools of a request are an array")];
    };
    let mut findings = Vec::new();
    let mut names = HashSet::new();
    let (mut strict, mut optional, mut unions) = (0_usize, 0_usize, 0_usize);
    for (i, entry) in list.iter().enumerate() {
        let pointer = format!("{place}/{i}");
        findings.extend(
            lint(dialect, entry)
                .into_iter()
                .map(|finding| Finding { pointer: format!("{pointer}{}", finding.pointer), ..finding }),
        );
        let Some(parts) = Parts::of(dialect, entry) else { continue };
        if parts.name.is_some_and(|name| !names.insert(name)) {
            findings.push(Finding::new(pointer, "unique-names", "another tool has the same name"));
        }
        if parts.strict
            && let (Some(rules), Some(schema)) = (dialect.strict(), parts.schema)
            && let Ok(count) = count(schema, rules)
        {
            strict = strict.saturating_add(1);
            optional = optional.saturating_add(count.optional);
            unions = unions.saturating_add(count.unions);
        }
    }
    let mut limits = Vec::new();
    limits.extend(dialect.loose().tools.map(|most| ("tools", "tools", list.len(), most)));
    if let Some(request) = dialect.strict().and_then(|rules| rules.request) {
        limits.push(("strict-tools", "strict tools", strict, request.strict_tools));
        limits.push(("strict-optional", "optional parameters in strict tools", optional, request.optional));
        limits.push((
            "strict-unions",
            "parameters with alternatives in strict tools",
            unions,
            request.unions,
        ));
    }
    for (rule, what, found, most) in limits.into_iter().filter(|(_, _, found, most)| found > most) {
        let message = format!("there are {found} {what}, and a request may have {most}; send a selection");
        findings.push(Finding::new("", rule, message));
    }
    findings
}
