//! Results kept for a while: the same tool with the same arguments is not called again.
//!
//! Bounded in number, bytes and age. Failures are not kept. Who may share results is for the host to say when it makes
//! the layer, because a result may depend on who asks: the tenant or the customer in the context.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use opentool_core::{Arguments, Content, Layer, Tool, ToolContext, ToolError, ToolOutput};
use serde_json::Value;

use super::Scope;
use super::around::Around;
use super::store::{Room, Store};

type Owner = dyn Fn(&ToolContext) -> Option<String> + Send + Sync;

/// Keeps the results of a tool by its arguments.
///
/// By default only of tools that say that they are read-only; the others are left as they are. A result that was kept
/// says so to the host: `cached_ms`, its age, in its metadata. Each tool has a store of its own; the limits are those of
/// one tool.
#[derive(Clone)]
pub struct Cache {
    ttl: Duration,
    entries: usize,
    bytes: usize,
    scope: Scope,
    owner: Arc<Owner>,
    cleared: Arc<AtomicU64>,
}

impl Cache {
    /// Results are the same for everybody, and good for this long.
    pub fn shared(ttl: Duration) -> Self {
        Self::per(ttl, |_| Some(String::new()))
    }

    /// Results belong to whom the closure names, a tenant in the context for example, and are good for this long. A call
    /// for which it names nobody is not kept.
    pub fn per(
        ttl: Duration,
        owner: impl Fn(&ToolContext) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Self {
            ttl,
            entries: 1_000,
            bytes: 16 * 1024 * 1024,
            scope: Scope::default(),
            owner: Arc::new(owner),
            cleared: Arc::default(),
        }
    }

    /// Sets how many results of a tool are kept at most; the one that was not asked for the longest goes first.
    /// Default: 1,000.
    pub fn entries(mut self, most: usize) -> Self {
        self.entries = most;
        self
    }

    /// Sets how many bytes the results of a tool and their arguments may have together. Default: 16 MiB.
    pub fn bytes(mut self, most: usize) -> Self {
        self.bytes = most;
        self
    }

    /// Sets which tools are kept from being called again. Default: [`Scope::Harmless`], those that say that they are
    /// read-only.
    pub fn scope(mut self, scope: Scope) -> Self {
        self.scope = scope;
        self
    }

    /// Forgets all results, of all tools that this layer and its clones are around: something was changed.
    pub fn clear(&self) {
        self.cleared.fetch_add(1, Ordering::Relaxed);
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache")
            .field("ttl", &self.ttl)
            .field("entries", &self.entries)
            .field("bytes", &self.bytes)
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}

impl Layer for Cache {
    fn layer(&self, inner: Arc<dyn Tool>) -> Arc<dyn Tool> {
        if self.scope == Scope::Harmless && inner.definition().annotations.read_only != Some(true) {
            return inner;
        }
        Cached { cache: self.clone(), store: Mutex::default() }.around(inner)
    }
}

struct Cached {
    cache: Cache,
    store: Mutex<Held>,
}

/// The results of one tool, since they were forgotten so often.
#[derive(Default)]
struct Held {
    results: Store<ToolOutput>,
    cleared: u64,
}

impl Cached {
    fn store(&self) -> std::sync::MutexGuard<'_, Held> {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        let cleared = self.cache.cleared.load(Ordering::Relaxed);
        if store.cleared != cleared {
            *store = Held { cleared, results: Store::default() };
        }
        store
    }
}

impl Around for Cached {
    async fn call(
        &self,
        inner: &dyn Tool,
        cx: &ToolContext,
        arguments: Arguments,
    ) -> Result<ToolOutput, ToolError> {
        let Some(owner) = (self.cache.owner)(cx) else {
            return inner.call(cx, arguments).await;
        };
        let key = key(&owner, &arguments);
        if let Some((output, age)) = self.store().results.get(&key, self.cache.ttl) {
            let age = u64::try_from(age.as_millis()).unwrap_or(u64::MAX);
            return Ok(output.metadata("cached_ms", age));
        }
        let cleared = self.store().cleared;
        let output = inner.call(cx, arguments).await?;
        if !output.is_error {
            let mut store = self.store();
            // What was read before everything was forgotten may be old.
            if store.cleared == cleared {
                let bytes = size(&output).saturating_add(key.len());
                let room = Room { entries: self.cache.entries, bytes: self.cache.bytes };
                store.results.put(key, output.clone(), bytes, room);
            }
        }
        Ok(output)
    }
}

/// The owner and the arguments, whatever order they were written in.
fn key(owner: &str, arguments: &Arguments) -> String {
    fn sorted(value: &Value) -> Value {
        match value {
            Value::Object(members) => {
                let mut members: Vec<_> = members.iter().collect();
                members.sort_by_key(|(name, _)| *name);
                members.into_iter().map(|(name, value)| (name.clone(), sorted(value))).collect()
            }
            Value::Array(items) => items.iter().map(sorted).collect(),
            other => other.clone(),
        }
    }
    let arguments: Value = arguments.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    // As JSON, so that no owner can be written into another one's arguments.
    Value::Array(vec![owner.into(), sorted(&arguments)]).to_string()
}

/// About how many bytes an output takes.
fn size(output: &ToolOutput) -> usize {
    let blocks = output.content.iter().map(|block| match block {
        Content::Image { data, .. } | Content::Audio { data, .. } | Content::BlobResource { data, .. } => {
            data.len()
        }
        Content::Text(text) | Content::TextResource { text, .. } => text.len(),
        other => serde_json::to_string(other).map_or(0, |text| text.len()),
    });
    let value = output.structured.as_ref().map_or(0, |value| value.to_string().len());
    let metadata: usize =
        output.metadata.iter().map(|(key, value)| key.len() + value.to_string().len()).sum();
    blocks.fold(value, usize::saturating_add).saturating_add(metadata).saturating_add(128)
}
