//! Why a profile cannot be applied to a tool.

/// A setting that does not fit its tool, by what has to change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// A parameter that every call needs cannot be left out: give it a default, or show it.
    #[error(
        "`{parameter}` of `{tool}` cannot be ignored, for the tool requires it: give it a default \
         (`#[arg(default = ..)]`, `Option`), or take it off the list"
    )]
    Required {
        /// The tool.
        tool: Box<str>,
        /// The parameter.
        parameter: Box<str>,
    },
    /// The settings of this tool name a parameter that it does not have.
    #[error("`{tool}` has no parameter `{parameter}` to ignore{}", hint(nearest.as_deref()))]
    UnknownParameter {
        /// The tool.
        tool: Box<str>,
        /// The name in the settings.
        parameter: Box<str>,
        /// The parameter that looks like it.
        nearest: Option<Box<str>>,
    },
}

fn hint(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |nearest| format!("; did you mean `{nearest}`?"))
}
