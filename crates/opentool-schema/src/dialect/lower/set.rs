//! Tools of one request together: names that stay apart, budgets that they share.

use opentool_core::{InvalidArguments, ToolDefinition};
use serde_json::Value;

use super::names::{NameMap, fitting};
use super::{LowerError, LowerOptions, Lowered, Strict, loose, named};
use crate::dialect::lint::{Finding, lint_request};
use crate::dialect::rules::Request;

/// Tools in a dialect, as one request holds them.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LoweredSet {
    /// What was lowered to.
    pub options: LowerOptions,
    /// The tools, in order.
    pub tools: Vec<Lowered>,
    /// The tools that could not be lowered, in order.
    pub refused: Vec<Refused>,
    /// Their names: the provider's and their own.
    pub names: NameMap,
}

/// A tool that could not be lowered.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refused {
    /// Its name.
    pub tool: String,
    /// Why.
    pub error: LowerError,
}

impl LoweredSet {
    /// [`LoweredSet::definitions`], if the provider takes all of them in one request.
    ///
    /// Lowering refuses no number of tools: a host may lower thousands once, and choose some of them for each request.
    /// Here is where a set becomes a request.
    ///
    /// # Errors
    /// [`LowerError::Request`] with the rule of the first of the [`LoweredSet::findings`].
    pub fn request(&self) -> Result<Value, LowerError> {
        let definitions = self.definitions();
        let dialect = self.options.dialect;
        match lint_request(dialect, &definitions).into_iter().next() {
            Some(finding) => Err(LowerError::Request { dialect, finding: Box::new(finding) }),
            None => Ok(definitions),
        }
    }

    /// What a request holds under `tools`: an array. For Gemini it holds one object with all declarations. Whether the
    /// provider takes so many is not asked.
    pub fn definitions(&self) -> Value {
        self.options.dialect.request(self.tools.iter().map(|tool| tool.definition.clone()).collect())
    }

    /// What the provider would say against the request as a whole: too many tools, budgets of strict tools.
    pub fn findings(&self) -> Vec<Finding> {
        lint_request(self.options.dialect, &self.definitions())
    }

    /// The tool that the provider knows by this name.
    pub fn get(&self, name: &str) -> Option<&Lowered> {
        let tool = self.names.tool(name)?;
        self.tools.iter().find(|lowered| lowered.tool == tool)
    }

    /// The tool's own name and arguments of a call as the model wrote it; `None` for a name that nobody bears.
    ///
    /// # Errors
    /// Those of [`crate::Decoder::decode`].
    pub fn decode(&self, name: &str, arguments: Value) -> Option<Result<(&str, Value), InvalidArguments>> {
        let lowered = self.get(name)?;
        Some(lowered.decoder.decode(arguments).map(|arguments| (lowered.tool.as_str(), arguments)))
    }
}

/// The tools of one request in a dialect, in their order.
///
/// One that cannot be lowered is among the [`LoweredSet::refused`], and costs the others nothing. Under
/// [`Strict::Auto`] the first tools become strict, as many as the provider takes in one request.
pub fn lower_all<'d>(
    tools: impl IntoIterator<Item = &'d ToolDefinition>,
    options: impl Into<LowerOptions>,
) -> LoweredSet {
    let options = options.into();
    let tools: Vec<&ToolDefinition> = tools.into_iter().collect();
    let rule = &options.dialect.loose().names;
    let mut set = LoweredSet { options, tools: Vec::new(), refused: Vec::new(), names: NameMap::default() };
    // Names that fit keep themselves, whatever the others become.
    for tool in tools.iter().filter(|tool| rule.fits(&tool.name)) {
        set.names.insert(&tool.name, &tool.name);
    }
    for tool in &tools {
        if set.names.provider(&tool.name).is_none() {
            let name = fitting(&tool.name, rule, |name| set.names.has(name));
            set.names.insert(&tool.name, &name);
        }
    }
    let mut left = options.dialect.strict().and_then(|rules| rules.request);
    for tool in tools {
        let name = set.names.provider(&tool.name).unwrap_or(&tool.name).to_owned();
        let lowered = named(tool, options, name.clone()).and_then(|lowered| match over(&lowered, left) {
            Some(reason) if options.strict == Strict::Auto => loose(tool, options.dialect, name, reason),
            _ => Ok(lowered),
        });
        match lowered {
            Ok(lowered) => {
                if lowered.strict.strict {
                    left = left.map(|left| without(left, &lowered));
                }
                set.tools.push(lowered);
            }
            Err(error) => set.refused.push(Refused { tool: tool.name.clone(), error }),
        }
    }
    set
}

const TOOLS: &str = "strict tools";

/// Why a strict tool does not fit into what is left of the request.
fn over(lowered: &Lowered, left: Option<Request>) -> Option<String> {
    let (what, ..) = parts(lowered, left?).into_iter().find(|(_, found, left)| found > left)?;
    let whose = if what == TOOLS { "" } else { " of strict tools" };
    Some(format!("the request would have more {what}{whose} than the provider takes"))
}

/// A tool that no request can hold is refused, whatever is sent beside it.
pub(super) fn alone(lowered: Lowered, request: Option<Request>) -> Result<Lowered, LowerError> {
    let too_much = |request| parts(&lowered, request).into_iter().find(|(_, found, most)| found > most);
    match request.and_then(too_much) {
        Some((what, found, most)) => Err(LowerError::OverBudget { what, found, most }),
        None => Ok(lowered),
    }
}

/// What a tool takes of a request, and what the request has.
fn parts(lowered: &Lowered, request: Request) -> [(&'static str, usize, usize); 3] {
    let count = |count| if lowered.strict.strict { count } else { 0 };
    [
        (TOOLS, count(1), request.strict_tools),
        ("optional parameters", count(lowered.count.optional), request.optional),
        ("parameters with alternatives", count(lowered.count.unions), request.unions),
    ]
}

fn without(left: Request, lowered: &Lowered) -> Request {
    Request {
        strict_tools: left.strict_tools.saturating_sub(1),
        optional: left.optional.saturating_sub(lowered.count.optional),
        unions: left.unions.saturating_sub(lowered.count.unions),
    }
}
