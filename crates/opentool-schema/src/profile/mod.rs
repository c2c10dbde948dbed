//! What models are shown of tools, decided by the host after the tools were written.
//!
//! A [`Profile`] holds [`Settings`] for all tools and for single ones: parameters and texts that are left out, enums
//! by the names of their variants. It leaves in two ways. [`Profile::apply`] gives tools with narrower definitions
//! that are called as before: for any dialect, any server, the loop. [`Profile::tool2schema`] gives the exact
//! JSON of the Python library tool2schema, for those who have prompts and fine-tuned models that know it.
//!
//! It does not know the rules of providers (that is [`crate::Dialect`]), and it keeps no state: a profile is a value,
//! asked when definitions leave.

mod apply;
mod docstring;
mod error;
mod names;
mod python;
mod save;
mod settings;
mod shape;
mod tool2schema;
mod written;

use std::collections::HashMap;

pub use error::ProfileError;
pub use save::{Layout, save};
pub use settings::{EnumStyle, Ignore, Settings};
pub use tool2schema::SchemaType;
pub use written::{ParsedCall, Parsing, Unexpected, Validation, parse_call};

/// Settings for all tools, and for single ones by name.
///
/// ```
/// use opentool_core::{ToolSet, tool_fn};
/// use opentool_schema::profile::{Ignore, Profile, Settings};
///
/// # #[derive(serde::Deserialize, schemars::JsonSchema)]
/// # struct Query { text: String, limit: Option<u8> }
/// let find = tool_fn("find", "Finds pages.", async |query: Query| Ok::<_, String>(query.text));
/// let tools = ToolSet::from_tools([find])?;
/// let shown = Profile::new().tool("find", Settings::new().ignore_parameters(["limit"])).apply(&tools)?;
/// let find = shown.by_name("find").ok_or("no such tool")?;
/// assert!(find.definition().input_schema.properties().all(|(name, _)| name != "limit"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Profile {
    all: Settings,
    tools: HashMap<String, Settings>,
}

impl Profile {
    /// A profile that leaves everything as it is.
    pub fn new() -> Self {
        Self::default()
    }

    /// The settings for all tools.
    pub fn all(mut self, settings: Settings) -> Self {
        self.all = settings;
        self
    }

    /// Settings for the tool of this name. What they say wins over the settings for all tools; what they do not say is
    /// as for all.
    pub fn tool(mut self, name: impl Into<String>, settings: Settings) -> Self {
        self.tools.insert(name.into(), settings);
        self
    }

    /// What holds for the tool of this name.
    pub fn settings_of(&self, name: &str) -> Settings {
        self.tools.get(name).map_or_else(|| self.all.clone(), |own| own.over(&self.all))
    }
}
