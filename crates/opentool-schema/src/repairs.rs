//! How far a host lets arguments be mended, for all tools and for single ones.

use std::collections::HashMap;

/// How far arguments are mended before they are validated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Repairs {
    /// Not at all: the text must be JSON, and the schema must accept it as it stands.
    Off,
    /// What cannot mean anything else: nearly-JSON, `"5"` for 5, `null` for what may be left out, keys in another
    /// spelling. The default.
    #[default]
    Sure,
    /// Also what most probably means it: `yes` for true, brackets missing at the end, lines of `key: value`; keys
    /// that the schema forbids are taken out.
    Wide,
    /// For arguments that are still being written: the best value so far, neither coerced nor validated. Never run
    /// a tool with it.
    Partial,
}

impl Repairs {
    /// The mode in one word, as the command line has it: `strict`, `default`, `lenient`, `partial`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "strict",
            Self::Sure => "default",
            Self::Wide => "lenient",
            Self::Partial => "partial",
        }
    }

    /// The mode of this word, if there is one.
    pub fn named(word: &str) -> Option<Self> {
        [Self::Off, Self::Sure, Self::Wide, Self::Partial].into_iter().find(|mode| mode.as_str() == word)
    }
}

/// What a host decides about repairs. Put it into the [`ToolContext`](opentool_core::ToolContext) as a fact:
/// `ToolContext::new().fact(RepairPolicy::new(Repairs::Off))`. Without one, [`Repairs::Sure`] holds for all tools.
///
/// Tools cannot decide it themselves: their definitions may come from strangers.
#[derive(Debug, Clone, Default)]
pub struct RepairPolicy {
    others: Repairs,
    tools: HashMap<String, Repairs>,
}

impl RepairPolicy {
    /// The same for all tools.
    pub fn new(repairs: Repairs) -> Self {
        Self { others: repairs, tools: HashMap::new() }
    }

    /// Another one for the tool of this name.
    pub fn tool(mut self, name: impl Into<String>, repairs: Repairs) -> Self {
        self.tools.insert(name.into(), repairs);
        self
    }

    /// What holds for the tool of this name. A call is never run on [`Repairs::Partial`], which counts as
    /// [`Repairs::Off`] here.
    pub fn of(&self, name: &str) -> Repairs {
        match self.tools.get(name).copied().unwrap_or(self.others) {
            Repairs::Partial => Repairs::Off,
            repairs => repairs,
        }
    }
}
