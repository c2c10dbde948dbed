//! One `name=value` of a query, a form or a cookie header, encoded.
//!
//! The text is kept as it is sent, so that nothing is put together twice; where the name ends is known beside it.

/// `name=value`.
#[derive(Debug, Clone)]
pub(super) struct Pair {
    text: String,
    name: usize,
}

impl Pair {
    /// Both are encoded already.
    pub(super) fn new(name: &str, value: &str) -> Self {
        Self::written(name, |out| out.push_str(value))
    }

    /// With a value that is written after the `=`.
    pub(super) fn written(name: &str, value: impl FnOnce(&mut String)) -> Self {
        let mut text = String::with_capacity(name.len().saturating_add(16));
        text.push_str(name);
        text.push('=');
        value(&mut text);
        Self { text, name: name.len() }
    }

    /// The name.
    pub(super) fn name(&self) -> &str {
        self.text.get(..self.name).unwrap_or_default()
    }

    /// The value.
    pub(super) fn value(&self) -> &str {
        self.text.get(self.name.saturating_add(1)..).unwrap_or_default()
    }

    /// All of it.
    pub(super) fn text(&self) -> &str {
        &self.text
    }
}
