//! Names of tools as a provider takes them, and the way back.

use std::collections::HashMap;

use crate::dialect::rules::NameRule;

/// The names of a set of tools: the tools' own and the provider's, one to one.
///
/// A name that breaks a rule gets `_` for each character that is not allowed; one that is too long, or that meets
/// another, ends in eight hexadecimal digits made from the whole name. The same set always gives the same names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NameMap {
    by_provider: HashMap<String, String>,
    by_tool: HashMap<String, String>,
}

impl NameMap {
    /// The tool that the provider, and so the model, knows by `name`.
    pub fn tool(&self, name: &str) -> Option<&str> {
        self.by_provider.get(name).map(String::as_str)
    }

    /// What the provider calls the tool.
    pub fn provider(&self, tool: &str) -> Option<&str> {
        self.by_tool.get(tool).map(String::as_str)
    }

    pub(crate) fn insert(&mut self, tool: &str, name: &str) {
        self.by_provider.insert(name.to_owned(), tool.to_owned());
        self.by_tool.insert(tool.to_owned(), name.to_owned());
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.by_provider.contains_key(name)
    }
}

/// A name that fits the rule. `taken` says which are not to be had.
pub(crate) fn fitting(name: &str, rule: &NameRule, taken: impl Fn(&str) -> bool) -> String {
    if rule.fits(name) && !taken(name) {
        return name.to_owned();
    }
    let mut plain: String = name.chars().map(|c| if rule.allows(c) { c } else { '_' }).collect();
    if !plain.chars().next().is_some_and(|c| rule.allows_first(c)) {
        plain.insert(0, '_');
    }
    if rule.fits(&plain) && !taken(&plain) {
        return plain;
    }
    // What is allowed is ASCII, so bytes are characters now.
    let mut seed = fingerprint(name);
    loop {
        let mark = format!("_{:08x}", seed & 0xffff_ffff);
        let mut short = plain.clone();
        short.truncate(rule.longest.saturating_sub(mark.len()));
        short.push_str(&mark);
        if !taken(&short) {
            return short;
        }
        seed = seed.wrapping_add(1);
    }
}

/// FNV-1a: the same on every machine and in every version, which names in stored conversations need.
fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
