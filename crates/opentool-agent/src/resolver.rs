//! Tools that are found by their name when they are called, although the model was not told of them.
//!
//! Off unless a host adds a resolver: a name that a model makes up, or that a document talked it into, must not reach a
//! tool that nobody put into the request.

use std::sync::Arc;

use opentool_core::{Tool, ToolSet};

/// Finds a tool by the name that a model wrote. A [`ToolSet`] is one, and so is a closure.
pub trait Resolver: Send + Sync + 'static {
    /// The tool of this name, if there is one. A tool of another name is not taken.
    fn resolve(&self, name: &str) -> Option<Arc<dyn Tool>>;
}

impl Resolver for ToolSet {
    fn resolve(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.get(name).cloned()
    }
}

impl<F: Fn(&str) -> Option<Arc<dyn Tool>> + Send + Sync + 'static> Resolver for F {
    fn resolve(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self(name)
    }
}

/// Several resolvers; the first one that finds a tool wins.
#[derive(Clone, Default)]
pub(crate) struct Resolvers(Vec<Arc<dyn Resolver>>);

impl Resolvers {
    pub(crate) fn add(&mut self, resolver: impl Resolver) {
        self.0.push(Arc::new(resolver));
    }

    /// The tool of this name as a set of its own.
    pub(crate) fn resolve(&self, name: &str) -> Option<ToolSet> {
        let found = self.0.iter().find_map(|resolver| resolver.resolve(name))?;
        if found.definition().name != name {
            return None;
        }
        ToolSet::from_tools([found]).ok()
    }
}
