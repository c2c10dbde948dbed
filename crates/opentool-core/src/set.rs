//! A set of tools with unique names.
//!
//! Order is kept, a name is found in constant time, and a clash of names is an error on every path. A set is
//! a value: clones share the tools and what was derived from them (a compiled validator, for example).

use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use crate::namespace::name_in;
use crate::{Layer, Redefined, Tool, ToolDefinition, ToolError, UnknownTool};

/// Bytes of names that are compared with each other.
const LONGEST_ALIKE: usize = 256;

/// Tools with unique names, in order.
///
/// It is called through a trait that checks the arguments: with `use opentool::ToolSetExt as _;` in scope,
/// `set.call(&cx, call).await` finds the tool, validates and runs it (`opentool_schema::ToolSetExt`).
#[derive(Clone, Default)]
pub struct ToolSet(Arc<Inner>);

#[derive(Clone, Default)]
struct Inner {
    entries: Vec<Arc<Entry>>,
    index: HashMap<Arc<str>, usize, foldhash::fast::RandomState>,
}

struct Entry {
    tool: Arc<dyn Tool>,
    derived: OnceLock<Box<dyn Any + Send + Sync>>,
}

/// Two tools of one name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "there are two tools named `{name}` (from {first} and from {second}); put one of the sets in a namespace: \
     `tools.namespace(\"…\")`, or take one tool out: `tools.without([\"{name}\"])`"
)]
#[non_exhaustive]
pub struct NameClash {
    /// The name.
    pub name: String,
    /// Where the tool that was there came from.
    pub first: String,
    /// Where the other came from.
    pub second: String,
}

impl ToolSet {
    /// An empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// The tools in order.
    ///
    /// # Errors
    /// [`NameClash`] if two have the same name.
    pub fn from_tools<T: Tool>(tools: impl IntoIterator<Item = T>) -> Result<Self, NameClash> {
        let mut set = Self::new();
        for tool in tools {
            set.insert(tool)?;
        }
        Ok(set)
    }

    /// Adds a tool at the end.
    ///
    /// # Errors
    /// [`NameClash`] if a tool of that name is there; the set is unchanged.
    pub fn insert(&mut self, tool: impl Tool) -> Result<(), NameClash> {
        self.push(Arc::new(Entry { tool: Arc::new(tool), derived: OnceLock::new() }))
    }

    fn push(&mut self, entry: Arc<Entry>) -> Result<(), NameClash> {
        let definition = entry.tool.definition();
        if let Some(there) = self.get(&definition.name) {
            return Err(NameClash {
                name: definition.name.clone(),
                first: there.definition().origin.to_string(),
                second: definition.origin.to_string(),
            });
        }
        let name = Arc::from(definition.name.as_str());
        let inner = Arc::make_mut(&mut self.0);
        inner.index.insert(name, inner.entries.len());
        inner.entries.push(entry);
        Ok(())
    }

    /// This set followed by the other.
    ///
    /// # Errors
    /// [`NameClash`] if both have a tool of the same name.
    pub fn merge(mut self, other: impl Into<ToolSet>) -> Result<Self, NameClash> {
        for entry in &other.into().0.entries {
            self.push(Arc::clone(entry))?;
        }
        Ok(self)
    }

    /// The tool of this name.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.entry(name).map(|entry| &entry.tool)
    }

    /// The tool of this name: [`ToolSet::get`] under the name that goes with [`ToolSet::by_tag`].
    pub fn by_name(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.get(name)
    }

    /// The tool of this name, or an error with the names that look like it.
    ///
    /// # Errors
    /// [`UnknownTool`].
    pub fn find(&self, name: &str) -> Result<&Arc<dyn Tool>, UnknownTool> {
        self.get(name).ok_or_else(|| UnknownTool::new(name, self.nearest(name)))
    }

    /// A value that is derived from the definition of the tool of this name, made once and shared by all
    /// clones and selections of the set. There is one slot a tool: it is for the one validator that the
    /// calling pipeline compiles.
    #[doc(hidden)]
    pub fn derived<T: Any + Send + Sync>(
        &self,
        name: &str,
        make: impl FnOnce(&ToolDefinition) -> T,
    ) -> Option<(&Arc<dyn Tool>, &T)> {
        let entry = self.entry(name)?;
        let slot = entry.derived.get_or_init(|| Box::new(make(entry.tool.definition())));
        slot.downcast_ref().map(|derived| (&entry.tool, derived))
    }

    fn entry(&self, name: &str) -> Option<&Entry> {
        let position = *self.0.index.get(name)?;
        self.0.entries.get(position).map(|entry| &**entry)
    }

    /// Whether there is a tool of this name.
    pub fn contains(&self, name: &str) -> bool {
        self.0.index.contains_key(name)
    }

    /// How many tools there are.
    pub fn len(&self) -> usize {
        self.0.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.entries.is_empty()
    }

    /// The tools in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<dyn Tool>> + DoubleEndedIterator {
        self.0.entries.iter().map(|entry| &entry.tool)
    }

    /// The definitions in order.
    pub fn definitions(&self) -> impl ExactSizeIterator<Item = &ToolDefinition> + DoubleEndedIterator {
        self.iter().map(|tool| tool.definition())
    }

    /// The names in order.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> + DoubleEndedIterator {
        self.definitions().map(|definition| definition.name.as_str())
    }

    /// The tools whose definition passes.
    pub fn filter(&self, mut keep: impl FnMut(&ToolDefinition) -> bool) -> Self {
        let mut inner = Inner::default();
        for entry in self.0.entries.iter().filter(|entry| keep(entry.tool.definition())) {
            inner.index.insert(Arc::from(entry.tool.definition().name.as_str()), inner.entries.len());
            inner.entries.push(Arc::clone(entry));
        }
        Self(Arc::new(inner))
    }

    /// The tools that bear the tag, in the order of the set.
    pub fn by_tag(&self, tag: &str) -> Self {
        self.filter(|definition| definition.has_tag(tag))
    }

    /// Only the tools of these names, in the order of the set.
    ///
    /// # Errors
    /// [`UnknownTool`] if one of the names is not there.
    pub fn only<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<Self, UnknownTool> {
        let mut wanted = HashSet::new();
        for name in names {
            self.find(name)?;
            wanted.insert(name);
        }
        Ok(self.filter(|definition| wanted.contains(definition.name.as_str())))
    }

    /// All but the tools of these names.
    ///
    /// # Errors
    /// [`UnknownTool`] if one of the names is not there.
    pub fn without<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<Self, UnknownTool> {
        let mut unwanted = HashSet::new();
        for name in names {
            self.find(name)?;
            unwanted.insert(name);
        }
        Ok(self.filter(|definition| !unwanted.contains(definition.name.as_str())))
    }

    /// The same tools, in the same order, under names with a prefix: `find` in the namespace `shop` is `shop__find`.
    ///
    /// A name that would be longer than 64 characters, which some providers refuse, is cut and ends with a fingerprint
    /// of the whole one: the same every time. The way back is the order: the n-th name stands for the n-th of `self`.
    pub fn namespace(&self, namespace: &str) -> Self {
        // Names that fit are taken first: a name that is cut must not be in their way.
        let whole: HashSet<String> = self.names().map(|name| format!("{namespace}__{name}")).collect();
        let mut set = Self::new();
        for entry in &self.0.entries {
            let taken = |name: &str| set.contains(name) || whole.contains(name);
            let name = name_in(namespace, &entry.tool.definition().name, taken);
            let inserted = set.insert(renamed(&entry.tool, name));
            debug_assert!(inserted.is_ok(), "distinct names stay distinct");
        }
        set
    }

    /// The same tools, one of them under another name.
    ///
    /// # Errors
    /// [`ToolError::UnknownTool`] if there is no tool `from`, [`ToolError::Refused`] if there is a tool `to`.
    pub fn rename(&self, from: &str, to: &str) -> Result<Self, ToolError> {
        self.find(from)?;
        let mut set = Self::new();
        for entry in &self.0.entries {
            let pushed = if entry.tool.definition().name == from {
                set.insert(renamed(&entry.tool, to.to_owned()))
            } else {
                set.push(Arc::clone(entry))
            };
            pushed.map_err(|clash| ToolError::Refused(clash.to_string().into()))?;
        }
        Ok(set)
    }

    /// The same tools, each wrapped by the layer.
    ///
    /// # Errors
    /// [`NameClash`] if the layer gives two tools the same name.
    pub fn layer(&self, layer: &impl Layer) -> Result<Self, NameClash> {
        Self::from_tools(self.iter().map(|tool| layer.layer(Arc::clone(tool))))
    }

    /// Up to three names that look like `name`, the likeliest first. Nothing looks like a text that is far longer than
    /// any name, and names that long are suggested to nobody.
    pub fn nearest(&self, name: &str) -> Vec<String> {
        // Models write the one and strangers the other, and the cost grows with the product of both.
        if name.len() > LONGEST_ALIKE {
            return Vec::new();
        }
        let wanted = name.to_lowercase();
        let mut scored: Vec<(f64, &str)> = self
            .names()
            .filter(|candidate| candidate.len() <= LONGEST_ALIKE)
            .map(|candidate| (likeness(&wanted, &candidate.to_lowercase()), candidate))
            .filter(|(score, _)| *score > 0.75)
            .collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        // Beside a very good match, a fair one only distracts.
        let bar = scored.first().map_or(0.0, |(best, _)| best - 0.1);
        scored.retain(|(score, _)| *score >= bar);
        scored.into_iter().take(3).map(|(_, candidate)| candidate.to_owned()).collect()
    }

    /// The same tools, the one of this name replaced; its name stays.
    pub(crate) fn replace(&self, name: &str, tool: impl Tool) -> Self {
        let Some(position) = self.0.index.get(name).copied() else { return self.clone() };
        debug_assert_eq!(tool.definition().name, name);
        let mut inner = (*self.0).clone();
        if let Some(entry) = inner.entries.get_mut(position) {
            *entry = Arc::new(Entry { tool: Arc::new(tool), derived: OnceLock::new() });
        }
        Self(Arc::new(inner))
    }

    /// Whether both are the same value: clones of one set.
    pub fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// How alike two names are, from 0 to 1; the order of their words counts little.
fn likeness(a: &str, b: &str) -> f64 {
    let words = |name: &str| {
        let mut words: Vec<&str> =
            name.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
        words.sort_unstable();
        words.join(" ")
    };
    strsim::jaro_winkler(a, b).max(strsim::jaro_winkler(&words(a), &words(b)))
}

impl std::fmt::Debug for ToolSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}

impl<'a> IntoIterator for &'a ToolSet {
    type Item = &'a Arc<dyn Tool>;
    type IntoIter = Box<dyn Iterator<Item = &'a Arc<dyn Tool>> + 'a>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new(self.iter())
    }
}

/// The tool under another name.
fn renamed(inner: &Arc<dyn Tool>, name: String) -> Redefined {
    let definition = ToolDefinition { name, ..inner.definition().clone() };
    Redefined::new(Arc::clone(inner), definition)
}
