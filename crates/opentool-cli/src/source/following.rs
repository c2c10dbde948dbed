//! Sources whose tools change while a command runs: what MCP servers add, change and take away.
//!
//! Nothing is asked for here: a server says that its list is another one, and whoever holds this decides when to take it.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::future::select_all;
use opentool::agent::redefined;
use opentool::{Redefined, Tool, ToolSet};

use crate::console::Console;
use crate::error::{CliError, chain};
use crate::source::{Content, Selection, Source, gather};

/// The chosen tools of sources, as they are now.
pub(crate) struct Following {
    sources: Vec<Source>,
    selection: Selection,
    /// As the sources list them.
    listed: ToolSet,
    /// As the command has them.
    set: ToolSet,
    /// Each tool as it was when the command first had it.
    first: ToolSet,
}

impl Following {
    /// These tools of these sources, which [`gather`] has put together.
    pub(crate) fn new(sources: Vec<Source>, selection: Selection, set: ToolSet) -> Self {
        Self { sources, selection, first: set.clone(), listed: set.clone(), set }
    }

    /// The tools.
    pub(crate) fn set(&self) -> &ToolSet {
        &self.set
    }

    /// Where they come from.
    pub(crate) fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// Hears from now on what MCP servers change; whether there is one.
    ///
    /// # Errors
    /// [`CliError::Source`] if a server is gone.
    pub(crate) fn follow(&mut self) -> Result<bool, CliError> {
        let mut is_any = false;
        for source in &mut self.sources {
            if let Content::Mcp(server) = &mut source.content {
                server.follow(&source.spec.place.to_string())?;
                is_any = true;
            }
        }
        Ok(is_any)
    }

    /// Waits until a server that is followed has other tools.
    pub(crate) async fn changed(&self) {
        let servers = self.sources.iter().filter_map(|source| match &source.content {
            Content::Mcp(server) => Some(Box::pin(server.changed())),
            _ => None,
        });
        let servers: Vec<_> = servers.collect();
        if servers.is_empty() {
            return std::future::pending().await;
        }
        select_all(servers).await;
    }

    /// The tools, if a server has said that its are others now. What is new, gone or changed is told. Where they cannot be put
    /// together any more those of before stay.
    ///
    /// A tool that was defined in another way when the command first had it is no longer taken at its word that it changes
    /// nothing: the person chose the server for what it had then.
    ///
    /// # Errors
    /// [`CliError::Output`].
    pub(crate) fn renewed(&mut self, console: &Console) -> Result<Option<&ToolSet>, CliError> {
        let mut is_new = false;
        for source in &mut self.sources {
            if let Content::Mcp(server) = &mut source.content {
                is_new |= server.renew()?;
            }
        }
        if !is_new {
            return Ok(None);
        }
        let set = match gather(&self.sources, &self.selection, console) {
            Ok(set) => set,
            Err(error) => {
                let why = chain(&error);
                console.warning(&format!("tools have changed, and those of before stay: {why}"))?;
                return Ok(None);
            }
        };
        let missing = |of: &ToolSet, from: &ToolSet| {
            let names = of.names().filter(|name| !from.contains(name));
            names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        };
        let (new, gone) = (missing(&set, &self.listed), missing(&self.listed, &set));
        let changed = redefined(&self.listed, &set).into_iter().map(|name| format!("`{name}`"));
        let changed = changed.collect::<Vec<_>>().join(", ");
        let told = [("are new", new), ("are gone", gone), ("changed", changed)];
        if told.iter().all(|(_, names)| names.is_empty()) {
            return Ok(None);
        }
        for (what, names) in told {
            if !names.is_empty() {
                console.note(&format!("tools that {what}: {names}"))?;
            }
        }
        for tool in &set {
            if !self.first.contains(&tool.definition().name) {
                // No clash: there is none of this name.
                let _ = self.first.insert(Arc::clone(tool));
            }
        }
        let changed: BTreeSet<&str> = redefined(&self.first, &set).into_iter().collect();
        let doubted = set.iter().map(|tool| match changed.contains(tool.definition().name.as_str()) {
            true => doubted(tool),
            false => Arc::clone(tool),
        });
        self.set = ToolSet::from_tools(doubted).unwrap_or_default();
        self.listed = set;
        Ok(Some(&self.set))
    }
}

/// The tool without its word that it changes nothing.
fn doubted(tool: &Arc<dyn Tool>) -> Arc<dyn Tool> {
    let mut definition = tool.definition().clone();
    definition.annotations.read_only = None;
    Arc::new(Redefined::new(Arc::clone(tool), definition))
}
